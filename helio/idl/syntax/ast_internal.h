// The parser's output, before names are resolved. Names and values are kept as written, with their
// locations; sema turns this into a Schema. Views point into the SourceFile's text, which outlives
// it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "helio/idl/schema.h"

namespace helio::idl::ast {

// A constant as written: `12`, `-0x7`, `NFS3_FHSIZE`, "text".
struct Value {
    enum class Form : std::uint8_t { absent, number, name, text, broken };
    Form form = Form::absent;
    bool negative = false;
    std::uint64_t magnitude = 0;
    std::string_view name;  // of a constant, or the text between the quotes
    Location where;
};

struct Body;

// The type before a declared name.
struct TypeName {
    enum class Form : std::uint8_t {
        builtin,  // `kind`
        named,    // `name`; with `kind` structure, union_ or enumeration when written `struct foo`
        opaque,
        string,
        body,  // `enum {…}`, `struct {…}`, `union switch …`, perhaps with a `name`
        broken,
    };
    Form form = Form::broken;
    Kind kind = Kind::void_;
    std::string_view name;
    Location where;
    std::unique_ptr<Body> body;
};

enum class Shape : std::uint8_t { plain, optional, fixed, variable };

// A field, an arm, a discriminant, an argument, or the target of a typedef.
struct Declaration : Documented {
    TypeName type;
    Shape shape = Shape::plain;
    Value bound;
};

struct Enumerator : Documented {
    Value value;
};

struct Arm {
    std::vector<Value> cases;
    bool is_default = false;
    Location where;  // of the first `case` or `default`
    Declaration field;
};

struct Body {
    Kind kind = Kind::structure;
    std::vector<Enumerator> enumerators;
    std::vector<Declaration> fields;
    Declaration discriminant;
    std::vector<Arm> arms;
    bool broken = false;  // parts of it could not be parsed: do not report what is missing
};

// `struct foo {…};` is kept as the equivalent `typedef struct {…} foo;` (RFC 4506 §4.17).
using TypeDefinition = Declaration;

struct Constant : Documented {
    Value value;
    bool from_define = false;
};

struct Procedure : Documented {
    TypeName result;
    std::vector<Declaration> arguments;
    Value number;
};

struct Version : Documented {
    std::vector<Procedure> procedures;
    Value number;
};

struct Program : Documented {
    std::vector<Version> versions;
    Value number;
};

struct File {
    std::vector<Constant> constants;
    std::vector<Constant>
        header_constants;  // from `%#define`: used only if nothing else defines the name
    std::vector<TypeDefinition> types;
    std::vector<Program> programs;
    std::vector<std::string> cpp_namespace;
    std::string doc;
};

}  // namespace helio::idl::ast
