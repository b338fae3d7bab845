// FieldPlan: the way to one field of a type, worked out once, walked for each of a million messages
// without decoding them: "how many bytes to pass over, which length words to add, which arm must be
// taken". What `args.count > 65536` and statistics are made of.
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
        std::uint32_t offset = 0;         // of the value; of strings and opaques, of their body
        std::uint64_t number = 0;         // of scalars; of bytes and arrays, the length
        ByteView body;                    // of strings and opaques; as much as is there
    };

    FieldPlan() = default;  // leads nowhere

    // By a path of names as reflect::path writes them: "what.name", "resok.attributes.size". Arms
    // of unions and optionals on the way have to be taken by the value, else nothing is found; the
    // name of a union's discriminant leads to it. A struct of one field may be left out at the end:
    // a plan to nfs_fh3 means its data. Elements of arrays and lists have no plan, only their
    // length has.
    static FieldPlan to(const idl::Type& type, std::string_view path);

    bool empty() const { return target_ == nullptr; }
    const idl::Type* type() const { return target_; }  // resolved; null when empty

    // Nothing: the value goes another way, or the bytes end before the field does. Only the way is
    // checked: what lies beside it may be anything.
    std::optional<Found> find(ByteView bytes) const;

    // One leg of the way; for FieldPlan's own use.
    struct Step {
        enum class Kind : std::uint8_t {
            fixed,    // pass over `size` bytes
            bytes,    // pass over a string or opaque of any length
            value,    // pass over a value of `type`, however long
            arm,      // a union's discriminant, which must choose `arm`
            present,  // an optional's presence word, which must be 1
        };
        Kind kind = Kind::fixed;
        std::uint32_t size = 0;
        const idl::Type* type = nullptr;
        const idl::Arm* arm = nullptr;
    };

 private:
    bool add_step_into(const idl::Type& type, std::string_view name, const idl::Type*& next);
    void pass(const idl::Type& type);

    std::vector<Step> steps_;
    const idl::Type* target_ = nullptr;
};

// The size of the value of `type` that `bytes` begin with, or nothing when they end before it or
// it is nested too deep for any real message. Contents are not checked.
std::optional<std::size_t> size_of_value(const idl::Type& type, ByteView bytes);

}  // namespace helio::reflect
