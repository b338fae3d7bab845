// The second pass: types.
#include <fmt/format.h>

#include <array>
#include <unordered_map>

#include "helio/idl/parse.h"
#include "helio/idl/sema/sema_internal.h"

namespace helio::idl {
namespace {

struct WellKnownType {
    std::string_view name;
    Kind kind;
};

// Not in RFC 4506, but known to every rpcgen. They are used if the schema does not define them.
constexpr std::array kWellKnownTypes{
    WellKnownType{"bool_t", Kind::boolean},
    WellKnownType{"u_char", Kind::unsigned_character},
    WellKnownType{"u_short", Kind::unsigned_short},
    WellKnownType{"u_int", Kind::unsigned_int},
    WellKnownType{"uint", Kind::unsigned_int},
    WellKnownType{"u_long", Kind::unsigned_int},
    WellKnownType{"ulong", Kind::unsigned_int},
    WellKnownType{"u_hyper", Kind::unsigned_hyper},
    WellKnownType{"longlong_t", Kind::hyper},
    WellKnownType{"u_longlong_t", Kind::unsigned_hyper},
    WellKnownType{"quad_t", Kind::hyper},
    WellKnownType{"u_quad_t", Kind::unsigned_hyper},
    WellKnownType{"int8_t", Kind::character},
    WellKnownType{"uint8_t", Kind::unsigned_character},
    WellKnownType{"u_int8_t", Kind::unsigned_character},
    WellKnownType{"int16_t", Kind::short_},
    WellKnownType{"uint16_t", Kind::unsigned_short},
    WellKnownType{"u_int16_t", Kind::unsigned_short},
    WellKnownType{"int32_t", Kind::int_},
    WellKnownType{"uint32_t", Kind::unsigned_int},
    WellKnownType{"u_int32_t", Kind::unsigned_int},
    WellKnownType{"int64_t", Kind::hyper},
    WellKnownType{"uint64_t", Kind::unsigned_hyper},
    WellKnownType{"u_int64_t", Kind::unsigned_hyper},
};

bool is_void(const ast::TypeName& type) {
    return type.form == ast::TypeName::Form::builtin && type.kind == Kind::void_;
}

std::string_view kind_word(Kind kind) {
    switch (kind) {
        case Kind::structure:
            return "a struct";
        case Kind::union_:
            return "a union";
        case Kind::enumeration:
            return "an enum";
        default:
            return "a simple type";
    }
}

std::string misuse_of_void(const ast::Declaration& declared) {
    switch (declared.shape) {
        case ast::Shape::plain:
            return "void cannot have a name";
        case ast::Shape::optional:
            return "void cannot be optional";
        default:
            return "there are no arrays of void";
    }
}

// The field is omitted from a nested type's name if it has none: an unnamed argument.
std::string joined(std::string_view outer, std::string_view field) {
    return field.empty() ? std::string(outer) : fmt::format("{}_{}", outer, field);
}

}  // namespace

bool is_well_known_type(std::string_view name) {
    for (const WellKnownType& known : kWellKnownTypes) {
        if (known.name == name) return true;
    }
    return false;
}

void Sema::build_type(const ast::TypeDefinition& defined) {
    const auto found = type_of_.find(&defined);
    if (found == type_of_.end()) {
        if (defined.type.form == ast::TypeName::Form::named) named_type(defined.type);
        return;
    }
    Type& type = *found->second;
    if (type.kind == Kind::alias) {
        type.element = &converted(defined, defined.name, Role::alias);
    } else {
        build_body(type, *defined.type.body);
    }
    schema_.types.push_back(&type);
}

void Sema::build_body(Type& type, const ast::Body& body) {
    switch (body.kind) {
        case Kind::enumeration:
            return build_enum(type, body);
        case Kind::structure:
            return build_struct(type, body);
        default:
            return build_union_head(type, body);
    }
}

void Sema::build_enum(Type& type, const ast::Body& body) {
    if (body.enumerators.empty() && !body.broken) {
        diagnostics_.error(type.where, fmt::format("enum '{}' has no values", type.name));
    }
    type.enumerators.reserve(body.enumerators.size());
    for (const ast::Enumerator& from : body.enumerators) {
        const auto node = node_of_.find(&from);
        if (node == node_of_.end()) continue;
        const auto value = constants_.evaluate(node->second);
        if (!value) continue;
        const auto fits = value->as_int32();
        if (!fits) {
            diagnostics_.error(from.where,
                               fmt::format("'{}' is {}, which is out of range for an enum",
                                           from.name, value->text()),
                               "enum values are signed 32-bit numbers");
            continue;
        }
        Enumerator& made = type.enumerators.emplace_back();
        static_cast<Documented&>(made) = from;
        made.value = *fits;
    }
}

void Sema::build_struct(Type& type, const ast::Body& body) {
    if (body.broken) type.fields.emplace_back().type = &broken_type();  // so that it has a size
    if (body.fields.empty() && !body.broken) {
        diagnostics_.warning(type.where, fmt::format("struct '{}' has no fields", type.name));
    }
    std::unordered_map<std::string_view, Location> seen;
    type.fields.reserve(body.fields.size() + 1);
    for (const ast::Declaration& from : body.fields) {
        Field& made = type.fields.emplace_back();
        static_cast<Documented&>(made) = from;
        made.type = &converted(from, type.name, Role::field);
        if (from.name.empty()) continue;
        const auto [first, is_new] = seen.emplace(from.name, from.where);
        if (is_new) continue;
        diagnostics_.error(from.where,
                           fmt::format("field '{}' appears twice in '{}'", from.name, type.name),
                           fmt::format("the first is at {}", names_.place(first->second)));
    }
}

// The type of a declaration; for invalid parts, some type that causes no further errors.
const Type& Sema::converted(const ast::Declaration& declared, std::string_view outer, Role role) {
    using Form = ast::TypeName::Form;
    const ast::TypeName& written = declared.type;
    if (written.form == Form::broken) return broken_type();
    if (written.form == Form::opaque || written.form == Form::string) {
        return opaque_or_string(declared, role);
    }
    if (is_void(written)) {
        const bool bare = declared.name.empty() && declared.shape == ast::Shape::plain;
        if (bare && (role == Role::arm || role == Role::argument))
            return schema_.builtin(Kind::void_);
        diagnostics_.error(written.where,
                           bare ? "void is not allowed here" : misuse_of_void(declared));
        return broken_type();
    }
    const std::string_view field =
        role == Role::alias ? "element" : std::string_view(declared.name);
    const Type& base = base_type(written, joined(outer, field));
    if (declared.shape == ast::Shape::plain) return base;
    Type& made = schema_.new_type(declared.shape == ast::Shape::optional ? Kind::optional
                                  : declared.shape == ast::Shape::fixed  ? Kind::array_fixed
                                                                         : Kind::array_variable);
    made.element = &base;
    made.where = declared.where;
    if (declared.shape != ast::Shape::optional) set_bound(made, declared);
    return made;
}

const Type& Sema::opaque_or_string(const ast::Declaration& declared, Role role) {
    using ast::Shape;
    const bool is_opaque = declared.type.form == ast::TypeName::Form::opaque;
    const std::string_view word = is_opaque ? "opaque" : "string";
    const std::string_view name = declared.name.empty() ? "x" : std::string_view(declared.name);
    if (declared.shape == Shape::optional) {
        diagnostics_.error(declared.type.where, fmt::format("'*' cannot be applied to {}", word),
                           fmt::format("typedef {} with its length and use that name", word));
        return broken_type();
    }
    if (!is_opaque && declared.shape == Shape::fixed) {
        diagnostics_.error(declared.where, "a string has no fixed length",
                           fmt::format("write 'string {}<LIMIT>'", name));
        return broken_type();
    }
    if (declared.shape == Shape::plain && role != Role::argument) {
        if (is_opaque) {
            diagnostics_.error(declared.where, "opaque needs a length",
                               fmt::format("write 'opaque {0}[4]' or 'opaque {0}<>'", name));
            return broken_type();
        }
        diagnostics_.warning(declared.where,
                             fmt::format("'string {0}' is read as 'string {0}<>'", name));
    }
    const Kind kind = !is_opaque                       ? Kind::string
                      : declared.shape == Shape::fixed ? Kind::opaque_fixed
                                                       : Kind::opaque_variable;
    Type& made = schema_.new_type(kind);
    made.where = declared.where;
    set_bound(made, declared);
    return made;
}

void Sema::set_bound(Type& type, const ast::Declaration& declared) {
    const ast::Value& bound = declared.bound;
    type.bound = kUnbounded;
    if (bound.form == ast::Value::Form::absent) return;
    const auto value = constants_.evaluate(bound, "array bound");
    if (!value) return;
    const auto fits = value->as_uint32();
    if (!fits) {
        diagnostics_.error(
            bound.where, value->negative ? fmt::format("array bound {} is negative", value->text())
                                         : fmt::format("array bound {} is larger than 4294967295",
                                                       value->text()));
        return;
    }
    type.bound = *fits;
    if (bound.form == ast::Value::Form::name) type.bound_name = bound.name;
}

const Type& Sema::base_type(const ast::TypeName& type, const std::string& nested_name) {
    using Form = ast::TypeName::Form;
    switch (type.form) {
        case Form::builtin:
            return schema_.builtin(type.kind);
        case Form::named:
            return named_type(type);
        case Form::body:
            return nested_type(type, nested_name);
        default:
            return broken_type();
    }
}

const Type& Sema::named_type(const ast::TypeName& type) {
    const Symbol* symbol = names_.find(type.name);
    if (symbol != nullptr && symbol->kind == SymbolKind::type) {
        const Type& found = *types_[symbol->index];
        if (type.kind != Kind::void_) tag_uses_.push_back({&found, &type});
        return found;
    }
    if (symbol != nullptr) {
        diagnostics_.error(type.where, fmt::format("'{}' is a constant, not a type", type.name),
                           fmt::format("it is defined at {}", names_.place(symbol->where)));
        return broken_type();
    }
    for (const WellKnownType& known : kWellKnownTypes) {
        if (known.name == type.name) return schema_.builtin(known.kind);
    }
    names_.undefined(type.name, type.where, SymbolKind::type,
                     fmt::format("type '{}' is not defined", type.name));
    return broken_type();
}

Type& Sema::nested_type(const ast::TypeName& type, const std::string& nested_name) {
    const auto declared = type_of_.find(type.body.get());
    Type& made = declared != type_of_.end() ? *declared->second : schema_.new_type(type.kind);
    made.nested = true;
    made.where = type.where;
    if (declared != type_of_.end() || !type.name.empty()) {
        made.name = type.name;
    } else {
        made.name = free_name(nested_name, type.where);
        const Symbol symbol{SymbolKind::type, type.where, types_.size()};
        names_.declare(made.name, symbol);
        types_.push_back(&made);
    }
    build_body(made, *type.body);
    schema_.types.push_back(&made);
    return made;
}

std::string Sema::free_name(const std::string& wanted, Location where) {
    if (wanted.size() > kNameSizeMax) {
        diagnostics_.error(
            where,
            fmt::format("the nested type's name would have {} bytes; the limit is {}",
                        wanted.size(), kNameSizeMax),
            "define it separately, with its own name");
        return fmt::format("nested_{}", types_.size());
    }
    std::string name = wanted;
    for (int number = 2; names_.find(name) != nullptr; ++number) {
        name = fmt::format("{}_{}", wanted, number);
    }
    return name;
}

// `struct foo x` where foo is an enum. A typedef of the right kind is fine.
void Sema::check_tags() {
    for (const TagUse& use : tag_uses_) {
        const Kind is = resolve(*use.type).kind;
        if (is == use.written->kind) continue;
        diagnostics_.error(use.written->where,
                           fmt::format("'{}' is {}, not {}", use.written->name, kind_word(is),
                                       kind_word(use.written->kind)),
                           fmt::format("it is defined at {}", names_.place(use.type->where)));
    }
}

}  // namespace helio::idl
