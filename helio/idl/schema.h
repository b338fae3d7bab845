// Schema: the contents of a .x file. idl::parse makes it from text, at build time for the generator
// and at run time for reflection; both see exactly this. Immutable once parsed. It owns every type
// it names; a `const Type*` is valid as long as the Schema lives. Several threads may read it.
//
// The language is RFC 4506 plus RFC 5531 §12 (program, version, procedure), plus extensions that
// real .x files use; docs/schema-language.md lists all of it.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "helio/idl/source.h"

namespace helio::idl {

enum class Kind : std::uint8_t {
    void_,
    int_,
    unsigned_int,
    hyper,
    unsigned_hyper,
    float_,
    double_,
    quadruple,  // 16 bytes; kept as bytes, since C++ has no portable type for it
    boolean,
    character,           // `char`:           4 bytes on the wire, as in rpcgen and libvirt
    unsigned_character,  // `unsigned char`:  4 bytes
    short_,              // `short`:          4 bytes
    unsigned_short,      // `unsigned short`: 4 bytes
    opaque_fixed,        // opaque x[bound]
    opaque_variable,     // opaque x<bound>
    string,              // string x<bound>
    array_fixed,         // element x[bound]
    array_variable,      // element x<bound>
    optional,            // element *x
    enumeration,
    structure,
    union_,
    alias,  // typedef: `element` is the type it names
};

inline constexpr std::uint32_t kUnbounded = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::uint64_t kSizeUnlimited = std::numeric_limits<std::uint64_t>::max();

struct Type;

// `@word argument` out of a comment: what the grammar cannot hold.
//   enum: @open (values not listed are accepted)   procedure: @idempotent, @priority high, …
//   opaque or string field: @bulk (RDMA may carry it apart, RFC 8267)
//   @sparse, @bit, @contents, @bits: values chosen by a bitmap, resolved into Type and Field below
//   @flags: names for the bits of a word, likewise
//   @template: the value of a field in templates, likewise
struct Annotation {
    std::string word;      // without the '@'
    std::string argument;  // up to the next '@' or the end of the line, trimmed
};

// The parts that every named thing has: its location and its comments.
struct Documented {
    std::string name;
    std::string doc;  // the comment before it, or after it on its line, without markers and @words
    std::vector<Annotation> annotations;
    Location where;  // of the name

    const Annotation* annotation(std::string_view word) const;
    bool has(std::string_view word) const { return annotation(word) != nullptr; }
};

// @flags: the names of the bits of a word, which are constants whose values are masks.
struct FlagSet {
    struct Flag {
        std::uint32_t mask = 0;
        std::string_view name;  // of the constant or enumerator
    };
    std::string written;        // "ACCESS4_*"
    std::vector<Flag> flags;    // those with the most bits first, then by value; each mask once
    std::vector<Flag> aliases;  // more names for the same masks, and names for 0
};

struct Enumerator : Documented {
    std::int32_t value = 0;
};

struct Field : Documented {  // `name` is empty for void
    const Type* type = nullptr;

    std::uint32_t bit = 0;           // @bit: its number, in a struct that is sparse
    const Type* bits = nullptr;      // @bits: a sparse struct or an enum, whose numbers they are
    const FlagSet* flags = nullptr;  // @flags
    const Type* contents = nullptr;  // @contents: the sparse struct whose values the bytes hold
    std::uint32_t contents_mask =
        0;  // the place, among the fields, of the bitmap that selects them
    std::optional<std::uint64_t> template_value;  // @template; in two's complement if negative
};

struct Arm {
    struct Case {
        std::int64_t value = 0;  // signed for int/enum/bool, unsigned for unsigned int
        std::string name;        // as written when by name, else empty
        Location where;
    };
    std::vector<Case> cases;  // empty for the default arm
    bool is_default = false;
    Field field;  // type->kind == void_ for a void arm
};

struct Type : Documented {
    // `name` is the definition's name; for a type nested in a field "<outer>_<field>" (made
    // unique); empty for built-in types and for arrays and optionals written inside a field.
    Kind kind = Kind::void_;
    bool nested = false;               // declared inside another definition
    const Type* element = nullptr;     // arrays, optional, alias
    std::uint32_t bound = kUnbounded;  // fixed length, or the maximum
    std::string bound_name;            // the constant's name where the bound was given by name

    std::vector<Enumerator> enumerators;
    std::vector<Field> fields;   // structure, in wire order
    bool sparse = false;         // structure, @sparse: a bitmap says which of its fields are there
    const Type* bits = nullptr;  // alias, @bits: as in Field
    const FlagSet* flags = nullptr;  // alias, @flags: as in Field
    Field discriminant;              // union
    std::vector<Arm> arms;           // union, in source order, default last if there is one

    // Filled by the layout pass. Sizes on the wire in bytes, padding included.
    std::uint64_t wire_min = 0;
    std::uint64_t wire_max = 0;  // kSizeUnlimited if it has no limit below 2^63
    bool recursive =
        false;  // some path of fields leads back to this type (through optionals or arrays)
    bool list_node = false;  // structure whose last field is an optional of itself

    // Values in order, each with its index in `enumerators` or `arms`; for a sparse struct, bits
    // with their index in `fields`. Made by Schema::index, so that the time of a decoder's lookup
    // does not depend on their number.
    std::vector<std::pair<std::int64_t, std::uint32_t>> by_value;

    bool fixed_size() const { return wire_min == wire_max; }
    bool open() const { return has("open"); }  // enumeration: unlisted values are accepted
    const Arm* arm_for(std::int64_t discriminant_value) const;  // case, else default, else nullptr
    const Enumerator* enumerator(std::int64_t value) const;     // first with that value, or nullptr
    const Enumerator* enumerator(std::string_view enumerator_name) const;
    const Field* field_for_bit(std::uint32_t bit) const;  // of a sparse struct, or nullptr
};

// Follows typedefs to the actual type.
const Type& resolve(const Type& type);

struct Constant : Documented {
    bool negative = false;
    std::uint64_t magnitude = 0;
};

// `const NAME = "text";`: rpcgen prints the text unchanged. It has no number.
struct TextConstant : Documented {
    std::string text;  // without the quotes
};

struct Procedure : Documented {
    std::string
        short_name;  // READ for NFSPROC3_READ: without the prefix that all of the version share
    std::uint32_t number = 0;
    const Type* result = nullptr;             // kind void_ when there is none
    std::vector<const Type*> arguments;       // empty for void
    std::vector<std::string> argument_names;  // one for each argument; empty where none was written
};

struct Version : Documented {
    std::uint32_t number = 0;
    std::vector<Procedure> procedures;  // by number
    const Procedure* procedure(std::uint32_t wanted) const;
};

struct Program : Documented {
    std::uint32_t number = 0;
    std::vector<Version> versions;  // in source order
    const Version* version(std::uint32_t wanted) const;
};

class Schema {
 public:
    std::string name;  // the main file's stem: "nfs3"
    std::vector<std::string>
        cpp_namespace;  // from a `namespace` line; empty: decided by the caller
    std::string doc;    // the main file's opening comment
    SourceSet sources;
    std::vector<std::uint32_t> imports;  // files named by file 0 directly, in order

    // Definitions of all files, in source order, imported ones first. where.file tells which file
    // each is from (0 is the main file).
    std::vector<const Type*> types;   // named types, nested ones before the type that contains them
    std::vector<Constant> constants;  // `const` and #define; enumerators are in their type
    std::vector<TextConstant> text_constants;
    std::vector<Program> programs;
    std::vector<std::string> passthrough;  // `%` lines of the main file, without the '%'

    const Type* type(std::string_view type_name) const;  // nullptr when there is none
    const Constant* constant(std::string_view constant_name) const;

    // Storage; used by the parser only.
    Type& new_type(Kind kind);
    FlagSet& new_flag_set();
    std::vector<Type*> all_types();        // all types made by new_type, including unnamed ones
    const Type& builtin(Kind kind) const;  // one shared Type for each kind without parameters
    void index();                          // after `types` and `constants` are complete

    Schema();
    ~Schema();
    Schema(const Schema&) = delete;
    Schema& operator=(const Schema&) = delete;

 private:
    std::vector<std::unique_ptr<Type>> storage_;
    std::vector<std::unique_ptr<Type>> builtins_;
    std::vector<std::unique_ptr<FlagSet>> flag_sets_;
    std::unordered_map<std::string_view, const Type*> type_index_;
    std::unordered_map<std::string_view, std::size_t> constant_index_;
};

}  // namespace helio::idl
