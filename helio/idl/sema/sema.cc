// The first pass: every name, and the values of constants.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "helio/idl/sema/layout_internal.h"
#include "helio/idl/sema/sema_internal.h"

namespace helio::idl {
namespace {

// Keywords wherever a type may be, so nothing can have their names. (A field can: its name is where
// no type may be.)
constexpr std::array<std::string_view, 16> kWordsOfTheLanguage{
    "void", "int",   "unsigned", "hyper",  "float",  "double", "quadruple", "bool",
    "char", "short", "long",     "opaque", "string", "struct", "union",     "enum"};

}  // namespace

Sema::Sema(const std::vector<ast::File>& files, const SourceSet& sources, Schema& schema,
           Diagnostics& diagnostics)
    : files_(files),
      schema_(schema),
      diagnostics_(diagnostics),
      names_(sources, diagnostics),
      constants_(names_, diagnostics) {}

void Sema::run() {
    for (const ast::File& file : files_) declare(file);
    for (const ast::File& file : files_) {
        build_constants(file);
        for (const ast::TypeDefinition& defined : file.types) build_type(defined);
    }
    build_programs();
    check_containment(schema_, diagnostics_);
    check_tags();
    for (const auto& [type, body] : unions_) finish_union(*type, *body);
    resolve_bitmaps();
    resolve_flags();
    resolve_template_values();
}

void Sema::declare(const ast::File& file) {
    for (const ast::Constant& constant : file.constants) declare_constant(constant);
    for (const ast::TypeDefinition& defined : file.types) declare_type(defined);
    for (const ast::Program& program : file.programs) declare_program(program);
}

void Sema::check_name_is_free_word(const Documented& named) {
    const bool taken = std::find(kWordsOfTheLanguage.begin(), kWordsOfTheLanguage.end(),
                                 named.name) != kWordsOfTheLanguage.end();
    if (!taken) return;
    diagnostics_.error(named.where,
                       fmt::format("'{}' is a keyword and cannot be defined", named.name));
}

void Sema::declare_constant(const ast::Constant& constant) {
    const bool is_text = constant.value.form == ast::Value::Form::text;
    const Symbol* earlier = names_.find(constant.name);
    if (constant.from_define && earlier != nullptr && earlier->kind == SymbolKind::constant) {
        // C allows a name to be #defined again with the same value.
        const std::size_t node = constants_.add(constant, constant.value);
        const auto first = constants_.evaluate(earlier->index);
        if (first && first == constants_.evaluate(node)) return;
    }
    const std::size_t node = constants_.add(constant, constant.value);
    const SymbolKind kind = is_text ? SymbolKind::text : SymbolKind::constant;
    if (names_.declare(constant.name, {kind, constant.where, node})) {
        node_of_.emplace(&constant, node);
    }
}

void Sema::declare_type(const ast::TypeDefinition& defined) {
    using Form = ast::TypeName::Form;
    const ast::TypeName& type = defined.type;
    const bool plain = defined.shape == ast::Shape::plain;
    check_name_is_free_word(defined);
    // C needs `typedef struct a a;`, XDR does not: `struct a` has already declared the name.
    const bool repeats_tag =
        type.form == Form::named && type.kind != Kind::void_ && plain && type.name == defined.name;
    if (repeats_tag) return;

    const bool is_body =
        type.form == Form::body && plain && (type.name.empty() || type.name == defined.name);
    Type& made = schema_.new_type(is_body ? type.kind : Kind::alias);
    if (!is_body) made.element = &broken_type();  // until it is built; a second definition never is
    if (!declare_type_name(defined.name, defined.where, made)) return;
    static_cast<Documented&>(made) = defined;
    type_of_.emplace(&defined, &made);
    if (is_body)
        declare_names_in(*type.body);
    else
        declare_bodies(type);
}

bool Sema::declare_type_name(std::string_view name, Location where, Type& type) {
    if (!names_.declare(name, {SymbolKind::type, where, types_.size()})) return false;
    types_.push_back(&type);
    return true;
}

// Enumerators are global names wherever their enum is, and so is the tag of a named body.
void Sema::declare_bodies(const ast::TypeName& type) {
    if (type.body == nullptr) return;
    if (!type.name.empty()) {
        Type& made = schema_.new_type(type.kind);
        if (declare_type_name(type.name, type.where, made))
            type_of_.emplace(type.body.get(), &made);
    }
    declare_names_in(*type.body);
}

void Sema::declare_names_in(const ast::Body& body) {
    std::size_t previous = Constants::kNone;
    for (const ast::Enumerator& enumerator : body.enumerators) {
        const std::size_t node = constants_.add(enumerator, enumerator.value, previous);
        previous = node;
        const Symbol symbol{SymbolKind::constant, enumerator.where, node};
        if (names_.declare(enumerator.name, symbol)) node_of_.emplace(&enumerator, node);
    }
    for (const ast::Declaration& field : body.fields) declare_bodies(field.type);
    for (const ast::Arm& arm : body.arms) declare_bodies(arm.field.type);
    declare_bodies(body.discriminant.type);
}

void Sema::declare_program(const ast::Program& program) {
    constants_.add_program_name(program, program.number);
    for (const ast::Version& version : program.versions) {
        constants_.add_program_name(version, version.number);
        for (const ast::Procedure& procedure : version.procedures) {
            constants_.add_program_name(procedure, procedure.number);
        }
    }
}

void Sema::build_constants(const ast::File& file) {
    for (const ast::Constant& constant : file.constants) {
        const auto node = node_of_.find(&constant);
        if (node == node_of_.end()) continue;
        if (constant.value.form == ast::Value::Form::text) {
            TextConstant& text = schema_.text_constants.emplace_back();
            static_cast<Documented&>(text) = constant;
            text.text = constant.value.name;
        } else if (const auto value = constants_.evaluate(node->second)) {
            Constant& made = schema_.constants.emplace_back();
            static_cast<Documented&>(made) = constant;
            made.negative = value->negative;
            made.magnitude = value->magnitude;
        }
    }
}

}  // namespace helio::idl
