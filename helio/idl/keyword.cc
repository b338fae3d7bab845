#include "helio/idl/keyword.h"

namespace helio::idl {

std::string_view keyword(Kind kind) {
    switch (kind) {
        case Kind::void_:
            return "void";
        case Kind::int_:
            return "int";
        case Kind::unsigned_int:
            return "unsigned int";
        case Kind::hyper:
            return "hyper";
        case Kind::unsigned_hyper:
            return "unsigned hyper";
        case Kind::float_:
            return "float";
        case Kind::double_:
            return "double";
        case Kind::quadruple:
            return "quadruple";
        case Kind::boolean:
            return "bool";
        case Kind::character:
            return "char";
        case Kind::unsigned_character:
            return "unsigned char";
        case Kind::short_:
            return "short";
        case Kind::unsigned_short:
            return "unsigned short";
        case Kind::enumeration:
            return "enum";
        case Kind::structure:
            return "struct";
        case Kind::union_:
            return "union";
        case Kind::alias:
            return "typedef";
        default:
            return "";
    }
}

}  // namespace helio::idl
