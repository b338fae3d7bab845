// Definitions: const, typedef, struct, union, enum, program, namespace.
#include <fmt/format.h>

#include <utility>

#include "helio/idl/parse.h"
#include "helio/idl/syntax/parser_internal.h"

namespace helio::idl {

void Parser::parse_into(ast::File& file) {
    file.doc = comments_.opening();
    definitions(file, Scope::file);
}

void Parser::definitions(ast::File& file, Scope scope) {
    while (!at_end() && !diagnostics_.full()) {
        if (at("}")) {
            if (scope == Scope::name_space) return;
            error(peek(), "'}' closes nothing");
            ++at_;
            accept(";");
            continue;
        }
        if (accept(";")) continue;  // `};;` and `struct a {};;`: harmless
        const std::size_t before = at_;
        if (definition(file)) continue;
        if (at_ == before) ++at_;
        skip_statement();
        if (at("}") && scope != Scope::name_space &&
            previous().text != ";") {  // left open by the mistake
            ++at_;
            accept(";");
        }
    }
}

bool Parser::definition(ast::File& file) {
    if (!count_definition()) return false;
    if (at("const")) return constant(file);
    if (at("typedef")) return alias(file);
    if (at("struct") || at("union") || at("enum")) return tagged_type(file);
    if (at("program")) return program(file);
    if (at("namespace")) return namespace_line(file);
    return fail_expected("a definition (const, typedef, enum, struct, union, program)");
}

bool Parser::count_definition() {
    if (++definition_count_ <= kDefinitionsMax) return true;
    error(peek(), fmt::format("more than {} definitions", kDefinitionsMax));
    give_up();
    return false;
}

bool Parser::constant(ast::File& file) {
    ast::Constant constant;
    comments_.add_before(index(), constant);
    ++at_;
    if (!expect_name(constant, "the constant's name")) return false;
    const bool read = expect("=", "after the constant's name") &&
                      value(constant.value, "a number or the name of a constant") &&
                      expect_semicolon("the constant");
    if (read) {
        finish_item(constant);
    } else {
        constant.value.form = ast::Value::Form::broken;
    }
    file.constants.push_back(std::move(constant));  // nevertheless: its uses are not mistakes
    return read;
}

bool Parser::alias(ast::File& file) {
    ast::TypeDefinition defined;
    comments_.add_before(index(), defined);
    ++at_;
    const bool read = declaration(defined, Role::alias) && expect_semicolon("the type definition");
    if (read) finish_item(defined);
    if (!defined.name.empty()) file.types.push_back(std::move(defined));
    return read;
}

bool Parser::tagged_type(ast::File& file) {
    ast::TypeDefinition defined;
    comments_.add_before(index(), defined);
    const std::string tag(peek().text);
    defined.type.kind = tag == "struct"  ? Kind::structure
                        : tag == "union" ? Kind::union_
                                         : Kind::enumeration;
    ++at_;
    if (!expect_name(defined, fmt::format("the {}'s name", tag))) return false;
    defined.type.where = defined.where;
    const bool read = body(defined.type, &defined) && expect_semicolon(fmt::format("the {}", tag));
    if (read) finish_item(defined);
    file.types.push_back(std::move(defined));  // nevertheless: its uses are not mistakes
    return read;
}

// `namespace a::b;` or `namespace a { … }`, as in xdrpp.
bool Parser::namespace_line(ast::File& file) {
    ++at_;
    const Token first = peek();
    std::vector<std::string> parts;
    if (!namespace_name(parts)) return false;
    if (!file.cpp_namespace.empty() && file.cpp_namespace != parts) {
        error(first, "a second namespace in one file");
    }
    file.cpp_namespace = std::move(parts);
    if (!accept("{")) return expect_semicolon("the namespace");
    if (depth_ == kNestingMax) {
        error(peek(), fmt::format("nested deeper than {}", kNestingMax));
        give_up();
        return false;
    }
    ++depth_;
    const std::vector<std::string> outer = std::exchange(file.cpp_namespace, {});
    definitions(file, Scope::name_space);
    --depth_;
    std::vector<std::string> inner = std::exchange(file.cpp_namespace, outer);
    file.cpp_namespace.insert(file.cpp_namespace.end(), inner.begin(), inner.end());
    return expect("}", "at the end of the namespace");
}

bool Parser::namespace_name(std::vector<std::string>& parts) {
    Documented part;
    do {
        if (!expect_name(part, "the namespace's name")) return false;
        parts.push_back(part.name);
        if (!at(":")) return true;
        ++at_;
    } while (expect(":", "in the namespace's name"));
    return false;
}

bool Parser::program(ast::File& file) {
    ast::Program program;
    comments_.add_before(index(), program);
    ++at_;
    if (!expect_name(program, "the program's name")) return false;
    if (!expect("{", "after the program's name")) return false;
    comments_.add_behind(code_[at_ - 1], program);
    while (!at_end() && !at("}") && !at_new_definition()) {
        if (at("version") ? version(program) : fail_expected("'version'")) continue;
        skip_statement();
    }
    const bool read = close_with_number(program.number, program, "program");
    file.programs.push_back(std::move(program));
    return read;
}

bool Parser::version(ast::Program& owner) {
    ast::Version version;
    comments_.add_before(index(), version);
    ++at_;
    if (!expect_name(version, "the version's name")) return false;
    if (!expect("{", "after the version's name")) return false;
    comments_.add_behind(code_[at_ - 1], version);
    while (!at_end() && !at("}") && !at_new_definition()) {
        if (!procedure(version)) skip_statement();
    }
    const bool read = close_with_number(version.number, version, "version");
    owner.versions.push_back(std::move(version));
    return read;
}

bool Parser::procedure(ast::Version& owner) {
    if (!count_definition()) return false;
    ast::Procedure procedure;
    comments_.add_before(index(), procedure);
    if (!type_name(procedure.result, Role::argument)) return false;
    if (!expect_name(procedure, "the procedure's name")) return false;
    const bool read = expect("(", "after the procedure's name") && arguments(procedure) &&
                      expect_number(procedure.number, "procedure", "the arguments") &&
                      expect_semicolon("the procedure");
    if (read) {
        finish_item(procedure);
    } else if (procedure.number.form == ast::Value::Form::absent) {
        procedure.number.form = ast::Value::Form::broken;
    }
    owner.procedures.push_back(std::move(procedure));
    return read;
}

// `(void)`, `()`, `(type, type)`; each may have a name and a shape, as rpcgen allows.
bool Parser::arguments(ast::Procedure& owner) {
    if (accept(")")) return true;
    do {
        ast::Declaration argument;
        if (!declaration(argument, Role::argument)) return false;
        owner.arguments.push_back(std::move(argument));
    } while (accept(","));
    return expect(")", "after the arguments");
}

// `= 3`
bool Parser::expect_number(ast::Value& number, std::string_view what, std::string_view after) {
    if (!accept("="))
        return fail_expected(fmt::format("'=' and the {}'s number after {}", what, after));
    return value(number, fmt::format("the {}'s number", what));
}

// `} = 3;`
bool Parser::close_with_number(ast::Value& number, Documented& owner, std::string_view what) {
    const bool read = expect("}", fmt::format("at the end of the {}", what)) &&
                      expect_number(number, what, "its '}'") &&
                      expect_semicolon(fmt::format("the {}", what));
    if (read) {
        finish_item(owner);
    } else if (number.form == ast::Value::Form::absent) {
        number.form = ast::Value::Form::broken;
    }
    return read;
}

}  // namespace helio::idl
