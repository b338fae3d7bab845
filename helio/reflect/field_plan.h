// FieldPlan: the path to one field of a type, compiled once and followed for each of a million
// messages without decoding them: how many bytes to skip, which lengths to add, which arm must be
// chosen. Filters such as `args.count > 65536` and statistics use it.
//
//     FieldPlan count = FieldPlan::to(READ3args, "count");
//     if (auto found = count.find(bytes)) use(found->number);
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "helio/base/bytes.h"
#include "helio/idl/schema.h"
#include "helio/reflect/skip/skip_plan.h"

namespace helio::reflect {

class FieldPlan final {
 public:
    struct Found {
        const idl::Type* type = nullptr;  // resolved
        std::uint32_t offset = 0;         // of the value; of a string's or opaque's body
        std::uint64_t number = 0;         // scalars: the value; bytes and arrays: the length
        ByteView body;                    // of strings and opaques; as much as is available
    };

    FieldPlan() = default;  // finds nothing

    // By a path of names as reflect::path writes them: "what.name", "resok.attributes.size". The
    // value must take the union arms and optionals on the path, or nothing is found; the name of a
    // union's discriminant leads to it. A struct of one field may be omitted at the end: a plan to
    // nfs_fh3 means its data. Array and list elements have no plan; their length has. A value that
    // a bitmap selects has one: "obj_attributes.attr_vals.size".
    static FieldPlan to(const idl::Type& type, std::string_view path);

    bool empty() const { return target_ == nullptr; }
    const idl::Type* type() const { return target_; }  // resolved; null when empty

    // Nothing if the value takes another arm, or the bytes end before the field does. Only the path
    // is checked; other fields may hold anything.
    std::optional<Found> find(ByteView bytes) const {
        if (target_ == nullptr) return std::nullopt;
        return follow(bytes);
    }

    // One step of the path; internal.
    struct Step {
        enum class Kind : std::uint8_t {
            fixed,    // skip `size` bytes
            bytes,    // skip a string or opaque of any length
            word,     // a union's discriminant, which must be `size`
            present,  // an optional's presence word, which must be 1
            // These are rare, and take a call:
            value,     // skip a value: skips_[size]
            arm,       // a union's discriminant, which must choose `arm`
            mask,      // here is the bitmap for the next `selected`
            selected,  // bytes with @contents: go to the value of bit `size`, which must be set, of
                       // the sparse struct `type`
        };
        Kind kind = Kind::fixed;
        std::uint32_t size = 0;
        const idl::Type* type = nullptr;
        const idl::Arm* arm = nullptr;
    };

 private:
    std::optional<Found> follow(ByteView bytes) const;
    std::optional<Found> follow_rare(const Step* step, ByteView bytes, std::size_t at) const;
    std::optional<Found> found_at(ByteView bytes, std::size_t at) const;
    bool add_step_into(const idl::Type& type, std::string_view name, const idl::Type*& next,
                       bool is_last);
    void pass(const idl::Type& type);
    void enter(const idl::Type& type, const idl::Arm& arm);

    std::vector<Step> steps_;
    std::vector<SkipPlan> skips_;
    const idl::Type* target_ = nullptr;
};

}  // namespace helio::reflect
