// Model: answers the generator's questions about a type: its name in C++, how much of it is certain
// to be on the wire, and which function decodes it.
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
// Codecs of more steps than this are separate functions instead of being inlined.
inline constexpr std::uint32_t kInlineStepsMax = 24;
// When encoding, one check for up to this many bytes costs less than several exact ones.
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
    // The same for a field, whose notes may add something: @bulk opaque data may be a piece of a
    // file.
    std::string cpp_type(const idl::Field& field) const;
    std::string constant(std::string_view bound_name, std::uint64_t value) const;

    // The value of a bool-switched union of a value or nothing, which becomes std::optional.
    static const idl::Arm* optional_arm(const Type& type);

    // It has a fixed size and contains no length, presence or discriminant word.
    bool flat(const Type& type) const;
    // Bytes that every value of this type begins with.
    std::uint64_t lead(const Type& type) const;
    std::uint64_t lead(const std::vector<idl::Field>& fields) const;

    // Never longer than kReserveMax on the wire, so a writer makes room for the whole value at
    // once.
    static bool bounded(const Type& type);
    // The room a writer needs before it begins: the whole value if bounded, otherwise up to the
    // first length.
    std::uint64_t reserve(const Type& type) const;
    std::uint64_t reserve(const std::vector<idl::Field>& fields) const;

    // Is decoded and encoded by its own function rather than inlined with a Tail.
    bool out_of_line(const Type& type) const;

    // Follows typedefs to a type that has a codec: a struct, union, enumeration, a scalar, or the
    // typedef that itself declares an array, opaque, string or optional.
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
    // Computed once per type: structs of two structs of two structs … would take exponential time.
    mutable std::unordered_map<const Type*, bool> flat_;
    mutable std::unordered_map<const Type*, std::uint32_t> steps_;
};

}  // namespace helio::gen
