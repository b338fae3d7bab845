// SkipPlan: how to skip a value of a type, compiled once and followed for each of a million
// messages: runs of fixed size, lengths to add, arms to choose. It finds the size of the value and
// nothing else; contents are not checked.
//
//     const SkipPlan over = SkipPlan::over(GETATTR4resok);
//     if (const auto size = over.size_of(bytes)) bytes = bytes.subspan(*size);
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "helio/base/bytes.h"
#include "helio/idl/schema.h"

namespace helio::reflect {

class SkipPlan final {
 public:
    SkipPlan() = default;  // no bytes: the plan of void

    // Borrows the type.
    static SkipPlan over(const idl::Type& type);

    // Of the value at the beginning of `bytes`; nothing if they are too short, a union has no such
    // arm, or the value is nested deeper than any real message.
    std::optional<std::size_t> size_of(ByteView bytes) const {
        const std::size_t size =
            steps_.empty() ? fixed_first_
                           : run(steps_.data(), steps_.data() + steps_.size(), bytes, fixed_first_);
        if (size > bytes.size()) return std::nullopt;
        return size;
    }

 private:
    friend class SkipCompiler;

    struct Step {
        enum class Kind : std::uint8_t {
            fixed,  // skip `size` bytes
            // These begin with a word:
            bytes,     // the length of a string or opaque
            array,     // the count of elements of `size` bytes
            elements,  // the count of elements, each of which takes the steps up to `to`
            list,      // is there an element, which takes the steps up to `to`? Then the same again
            optional,  // go to `to` if it is 0
            equal,     // go to `to` unless it is `size`
            choose,    // go to where choices_[size] says
            // These do not:
            repeat,  // take the steps up to `to` `size` times
            jump,    // go to `to`
            value,   // skip a value of values_[size]
            fail,    // nested too deeply, or a union without an arm for its discriminant
        };
        Kind kind = Kind::fixed;
        std::uint32_t size = 0;
        std::uint32_t to = 0;
    };
    // A union with several cases.
    struct Choice {
        std::vector<std::uint32_t> dense;                             // by discriminant
        std::vector<std::pair<std::uint32_t, std::uint32_t>> others;  // in order
        std::uint32_t otherwise = 0;

        std::uint32_t of(std::uint32_t discriminant) const;
    };
    struct Value {
        const idl::Type* type = nullptr;
        int depth = 0;
    };

    // Follows the steps from `step` to `end`, from byte `at` on. Returns where that leads to, which
    // may be beyond the end of the bytes.
    std::size_t run(const Step* step, const Step* end, ByteView bytes, std::size_t at) const;
    std::size_t run_rare(const Step* step, const Step* end, ByteView bytes, std::size_t at) const;
    std::size_t run_loop(const Step& step, std::uint32_t word, ByteView bytes,
                         std::size_t at) const;
    std::size_t run_value(const Value& value, ByteView bytes, std::size_t at) const;

    std::uint32_t fixed_first_ = 0;  // bytes before the first step
    std::vector<Step> steps_;
    std::vector<Choice> choices_;
    std::vector<Value> values_;
};

// The same without a plan, for a single value of a type.
std::optional<std::size_t> size_of_value(const idl::Type& type, ByteView bytes);

}  // namespace helio::reflect
