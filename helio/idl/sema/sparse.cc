// Values chosen by a bitmap: @sparse, @bit, @contents and @bits (docs/schema-language.md).
#include <fmt/format.h>

#include <algorithm>

#include "helio/base/text/nearest.h"
#include "helio/idl/parse.h"
#include "helio/idl/sema/sema_internal.h"
#include "helio/idl/syntax/number_internal.h"

namespace helio::idl {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\f\v";

// The first word of the text, which is left with the rest.
std::string_view take_word(std::string_view& text) {
    const std::size_t end = std::min(text.find_first_of(kBlanks), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks, end), text.size()));
    return word;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// unsigned int x<>: a bitmap, 32 bits to a word.
bool is_bitmap(const Type& declared) {
    const Type& type = resolve(declared);
    return type.kind == Kind::array_variable && resolve(*type.element).kind == Kind::unsigned_int;
}

}  // namespace

void Sema::resolve_bitmaps() {
    const std::vector<Type*> all = schema_.all_types();
    for (Type* type : all) type->sparse = type->kind == Kind::structure && type->has("sparse");
    for (Type* type : all) {
        check_annotations_of(*type);
        if (type->sparse) number_bits(*type);
        resolve_contents(*type);
        if (type->kind == Kind::alias) type->bits = bits_of(*type, *type);
        for (Field& field : type->fields) field.bits = bits_of(field, *field.type);
        for (Arm& arm : type->arms) arm.field.bits = bits_of(arm.field, *arm.field.type);
    }
    check_sparse_uses();
}

// Words that mean nothing where they stand.
void Sema::check_annotations_of(const Type& type) {
    const auto misplaced = [this](const Documented& owner, std::string_view word,
                                  std::string_view belongs) {
        if (!owner.has(word)) return;
        diagnostics_.error(owner.where, fmt::format("@{} is for {}", word, belongs));
    };
    constexpr std::string_view kBytesOfStruct = "a field 'opaque x<>' of a struct";
    constexpr std::string_view kFieldOfSparse = "fields of a struct that is @sparse";
    if (!type.sparse) misplaced(type, "sparse", "structs");
    misplaced(type, "contents", kBytesOfStruct);
    misplaced(type, "bit", kFieldOfSparse);
    if (type.kind != Kind::alias) misplaced(type, "bits", "fields and typedefs");
    for (const Field& field : type.fields) {
        misplaced(field, "sparse", "structs");
        if (!type.sparse) misplaced(field, "bit", kFieldOfSparse);
    }
    for (const Arm& arm : type.arms) {
        misplaced(arm.field, "sparse", "structs");
        misplaced(arm.field, "bit", kFieldOfSparse);
        misplaced(arm.field, "contents", kBytesOfStruct);
    }
}

void Sema::number_bits(Type& type) {
    const Field* before = nullptr;
    for (Field& field : type.fields) {
        const auto number = bit_number(field);
        if (!number) continue;
        field.bit = *number;
        if (before != nullptr && before->bit >= field.bit) {
            diagnostics_.error(
                field.where,
                fmt::format("bit {} of '{}' comes after bit {} of '{}'", field.bit, field.name,
                            before->bit, before->name),
                "the fields of a @sparse struct stand in the order of their bits, each its own");
        }
        before = &field;
    }
}

// The argument of an annotation `word`: a number or the name of a constant.
std::optional<Integer> Sema::annotated_integer(const Documented& owner, std::string_view word,
                                               std::string_view written) {
    const bool negative = written.starts_with('-');
    if (!negative && !is_digit(written.front()))
        return constants_.evaluate({ast::Value::Form::name, false, 0, written, owner.where},
                                   fmt::format("@{}", word));
    const Number number = read_number(written.substr(negative ? 1 : 0));
    const auto value = number.fault == NumberFault::none ? Integer::make(negative, number.magnitude)
                                                         : std::nullopt;
    if (!value)
        diagnostics_.error(owner.where, fmt::format("@{}: '{}' {}", word, written,
                                                    number.fault == NumberFault::malformed
                                                        ? "is not a number"
                                                        : "does not fit 64 bits"));
    return value;
}

std::optional<std::uint32_t> Sema::bit_number(const Field& field) {
    const Annotation* const given = field.annotation("bit");
    std::string_view rest = given != nullptr ? std::string_view(given->argument) : "";
    const std::string_view written = take_word(rest);
    if (written.empty() || !rest.empty()) {
        diagnostics_.error(field.where, fmt::format("field '{}' has no number", field.name),
                           "write '@bit N' behind each field of a @sparse struct, with a number or "
                           "the name of a constant");
        return std::nullopt;
    }
    const auto number = annotated_integer(field, "bit", written);
    if (!number) return std::nullopt;
    if (number->negative || number->magnitude >= kSparseBitsMax) {
        diagnostics_.error(field.where,
                           fmt::format("bit {} of '{}' is not from 0 to {}", number->text(),
                                       field.name, kSparseBitsMax - 1));
        return std::nullopt;
    }
    return static_cast<std::uint32_t>(number->magnitude);
}

void Sema::resolve_contents(Type& type) {
    std::unordered_map<std::string_view, std::size_t> earlier;
    std::size_t listed = 0;
    for (std::size_t at = 0; at < type.fields.size(); ++at) {
        Field& field = type.fields[at];
        const Annotation* const given = field.annotation("contents");
        if (given == nullptr) continue;
        std::string_view rest = given->argument;
        const std::string_view contents = take_word(rest);
        const std::string_view mask = take_word(rest);
        if (mask.empty() || !rest.empty()) {
            diagnostics_.error(field.where, "@contents needs a @sparse struct and a bitmap",
                               "write '@contents TYPE FIELD', where FIELD stands before this one");
            continue;
        }
        if (resolve(*field.type).kind != Kind::opaque_variable) {
            diagnostics_.error(field.where, "@contents is for a field 'opaque x<>' of a struct");
            continue;
        }
        const Type* const sparse = type_in(field, contents);
        if (sparse == nullptr) continue;
        if (!sparse->sparse) {
            diagnostics_.error(field.where, fmt::format("'{}' is not @sparse", contents),
                               fmt::format("it is defined at {}", names_.place(sparse->where)));
            continue;
        }
        for (; listed < at; ++listed) earlier.emplace(type.fields[listed].name, listed);
        field.contents = sparse;
        resolve_mask(type, field, mask, earlier);
    }
}

void Sema::resolve_mask(const Type& type, Field& field, std::string_view name,
                        const std::unordered_map<std::string_view, std::size_t>& earlier) {
    const auto found = earlier.find(name);
    if (found == earlier.end()) {
        Nearest nearest{name};
        for (const Field& one : type.fields) {
            if (&one == &field || diagnostics_.full()) break;
            nearest.offer(one.name);
        }
        diagnostics_.error(
            field.where,
            fmt::format("'{}' is not a field of '{}' before '{}'", name, type.name, field.name),
            nearest.found().empty() ? std::string()
                                    : fmt::format("did you mean '{}'?", nearest.found()));
        return;
    }
    const Field& mask = type.fields[found->second];
    if (!is_bitmap(*mask.type)) {
        diagnostics_.error(field.where,
                           fmt::format("'{}' is not a bitmap: 'unsigned int x<>'", name),
                           fmt::format("it is declared at {}", names_.place(mask.where)));
        return;
    }
    field.contents_mask = static_cast<std::uint32_t>(found->second);
}

// What the @bits of a field or typedef of that type names; nullptr without one.
const Type* Sema::bits_of(const Documented& owner, const Type& type) {
    const Annotation* const given = owner.annotation("bits");
    if (given == nullptr) return nullptr;
    std::string_view rest = given->argument;
    const std::string_view name = take_word(rest);
    if (name.empty() || !rest.empty()) {
        diagnostics_.error(owner.where, "@bits needs the name of a @sparse struct or an enum");
        return nullptr;
    }
    if (!is_bitmap(type) && resolve(type).kind != Kind::unsigned_int) {
        diagnostics_.error(owner.where, "@bits is for 'unsigned int x' and 'unsigned int x<>'");
        return nullptr;
    }
    const Type* const meaning = type_in(owner, name);
    if (meaning == nullptr) return nullptr;
    const Type& resolved = resolve(*meaning);
    if (resolved.sparse || resolved.kind == Kind::enumeration) return &resolved;
    diagnostics_.error(owner.where, fmt::format("'{}' is neither @sparse nor an enum", name),
                       fmt::format("it is defined at {}", names_.place(meaning->where)));
    return nullptr;
}

// The type that an annotation names.
const Type* Sema::type_in(const Documented& owner, std::string_view name) {
    const Symbol* const symbol = names_.find(name);
    if (symbol != nullptr && symbol->kind == SymbolKind::type) return types_[symbol->index];
    if (symbol != nullptr) {
        diagnostics_.error(owner.where, fmt::format("'{}' is a constant, not a type", name),
                           fmt::format("it is defined at {}", names_.place(symbol->where)));
    } else {
        names_.undefined(name, owner.where, SymbolKind::type,
                         fmt::format("type '{}' is not defined", name));
    }
    return nullptr;
}

// A sparse struct has no bytes of its own: without a bitmap nobody knows which fields are there.
void Sema::check_sparse_uses() {
    for (const Type* type : schema_.all_types()) {
        check_sparse_use(type->element, type->kind == Kind::alias ? "typedef" : "element", *type);
        for (const Field& field : type->fields) check_sparse_use(field.type, "field", field);
        for (const Arm& arm : type->arms) check_sparse_use(arm.field.type, "arm", arm.field);
    }
    for (const Program& program : schema_.programs) {
        for (const Version& version : program.versions) {
            for (const Procedure& procedure : version.procedures) {
                check_sparse_use(procedure.result, "result", procedure);
                for (const Type* each : procedure.arguments)
                    check_sparse_use(each, "argument", procedure);
            }
        }
    }
}

void Sema::check_sparse_use(const Type* used, std::string_view as, const Documented& by) {
    if (used == nullptr || !used->sparse) return;
    diagnostics_.error(
        by.where, fmt::format("'{}' is @sparse and cannot be the type of this {}", used->name, as),
        "write 'opaque x<>' with '@contents', behind the bitmap");
}

}  // namespace helio::idl
