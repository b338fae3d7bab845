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
    std::optional<Found> find(ByteView bytes) const;

    // One step of the path; internal.
    struct Step {
        enum class Kind : std::uint8_t {
            fixed,     // skip `size` bytes
            bytes,     // skip a string or opaque of any length
            value,     // skip a value of `type`
            arm,       // a union's discriminant, which must choose `arm`
            present,   // an optional's presence word, which must be 1
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
    bool add_step_into(const idl::Type& type, std::string_view name, const idl::Type*& next,
                       bool is_last);
    void pass(const idl::Type& type);

    std::vector<Step> steps_;
    const idl::Type* target_ = nullptr;
};

// The size of the value of `type` at the beginning of `bytes`, or nothing if they are too short or
// it is nested deeper than any real message. Contents are not checked.
std::optional<std::size_t> size_of_value(const idl::Type& type, ByteView bytes);

}  // namespace helio::reflect
