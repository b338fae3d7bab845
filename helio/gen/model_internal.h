// Model: the questions every part of the generator asks of a type: what it is called in C++, what
// of it is certain to be on the wire, and which function reads it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "helio/gen/generate.h"
#include "helio/gen/names_internal.h"
#include "helio/idl/schema.h"

namespace helio::gen {

using idl::Kind;
using idl::Type;

// Fixed arrays and opaque up to these sizes are kept by value; longer ones are views.
inline constexpr std::uint32_t kOpaqueByValueMax = 256;
inline constexpr std::uint32_t kArrayByValueMax = 64;
// Codecs of more steps than this are functions of their own instead of being inlined.
inline constexpr std::uint32_t kInlineStepsMax = 24;
// Room is ours to give: one check for up to this many bytes costs less than several exact ones.
inline constexpr std::uint64_t kReserveMax = 1024;

class Model final {
 public:
    Model(const idl::Schema& schema, const Options& options);

    const idl::Schema& schema() const { return schema_; }
    const std::string& stem() const { return stem_; }
    const std::string& open_namespace() const { return namespace_; }  // "helio::nfs3"
    std::string include(std::string_view file) const;                 // "schema/nfs3.h"
    std::vector<std::string> imported_stems() const;

    // Types defined in the main file, in an order that C++ accepts.
    const std::vector<const Type*>& ordered() const { return ordered_; }

    std::string qualified(const Type& named,
                          std::string_view prefix = {}) const;  // other::get_name
    std::string cpp_type(const Type& type) const;
    // The same for a field, whose notes may say more: @bulk opaque data may be a piece of a file.
    std::string cpp_type(const idl::Field& field) const;
    std::string constant(std::string_view bound_name, std::uint64_t value) const;

    // A bool-switched union of something or nothing reads as std::optional; its something.
    static const idl::Arm* optional_arm(const Type& type);

    // One size and no length, presence or discriminant word inside.
    bool flat(const Type& type) const;
    // Bytes that a value of this type is sure to begin with.
    std::uint64_t lead(const Type& type) const;
    std::uint64_t lead(const std::vector<idl::Field>& fields) const;

    // Never longer than kReserveMax on the wire: a writer makes room for the whole of it at once.
    static bool bounded(const Type& type);
    // The room a writer wants before it begins: all of it when bounded, else up to the first
    // length.
    std::uint64_t reserve(const Type& type) const;
    std::uint64_t reserve(const std::vector<idl::Field>& fields) const;

    // Is read and written by a function of its own rather than inlined with a Tail.
    bool out_of_line(const Type& type) const;

    // Follows typedefs down to what has a codec: a struct, union, enumeration, a scalar, or the
    // typedef that itself spells an array, opaque, string or optional.
    static const Type& codec_type(const Type& type);

    static bool by_value(const Type& fixed_array);
    static bool word_sized(const Type& element);  // int, unsigned int, float: any word is a value

 private:
    void order();
    void visit(const Type& type, std::unordered_set<const Type*>& seen);
    std::uint32_t steps(const Type& type) const;
    std::string file_namespace(std::uint32_t file) const;

    const idl::Schema& schema_;
    const Options& options_;
    std::string stem_;
    std::string namespace_;
    std::vector<const Type*> ordered_;
    // A struct of two structs of two structs …: each is asked once.
    mutable std::unordered_map<const Type*, bool> flat_;
    mutable std::unordered_map<const Type*, std::uint32_t> steps_;
};

}  // namespace helio::gen
