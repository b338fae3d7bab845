// Parser: from tokens to ast::File, by recursive descent with limited nesting. After an error it
// continues at the next `;` or `}` and reports nothing more about the same place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "helio/idl/diagnostics.h"
#include "helio/idl/syntax/ast_internal.h"
#include "helio/idl/syntax/comments_internal.h"
#include "helio/idl/syntax/token.h"

namespace helio::idl {

class Parser final {
 public:
    // `tokens` are the output of preprocess() for one file with this `text`.
    Parser(const std::vector<Token>& tokens, std::string_view text, Diagnostics& diagnostics);

    // Appends to what `file` already holds (the constants made by #define).
    void parse_into(ast::File& file);

 private:
    enum class Role : std::uint8_t { field, arm, discriminant, alias, argument };

    // parser.cc: definitions
    enum class Scope : bool { file, name_space };
    void definitions(ast::File& file, Scope scope);
    bool definition(ast::File& file);
    bool constant(ast::File& file);
    bool alias(ast::File& file);
    bool tagged_type(ast::File& file);
    bool namespace_line(ast::File& file);
    bool namespace_name(std::vector<std::string>& parts);
    bool program(ast::File& file);
    bool version(ast::Program& owner);
    bool procedure(ast::Version& owner);
    bool arguments(ast::Procedure& owner);
    bool expect_number(ast::Value& number, std::string_view what, std::string_view after);
    bool close_with_number(ast::Value& number, Documented& owner, std::string_view what);
    bool count_definition();

    // parser_types.cc: the inside of a definition
    bool type_name(ast::TypeName& type, Role role);
    enum class Sign : bool { with, without };
    bool integer_words(ast::TypeName& type, Sign sign);
    bool tagged_type_name(ast::TypeName& type);
    bool declaration(ast::Declaration& declared, Role role);
    bool declarator(ast::Declaration& declared, Role role);
    bool bound(ast::Declaration& declared);
    bool value(ast::Value& value, std::string_view what);
    bool body(ast::TypeName& type, Documented* owner);
    bool enum_body(ast::Body& body);
    bool struct_body(ast::Body& body);
    bool union_body(ast::Body& body, Documented* owner);
    bool union_head(ast::Body& body);
    bool arm(ast::Body& body);
    bool case_labels(ast::Arm& arm, Documented& labels);

    // parser_cursor.cc: tokens, errors, recovery
    const Token& peek(std::size_t ahead = 0) const;
    const Token& previous() const;
    std::size_t index(std::size_t ahead = 0) const;  // of the code token among all tokens
    bool at(std::string_view text, std::size_t ahead = 0) const;
    bool at_end() const { return peek().kind == TokenKind::end; }
    bool at_name(std::size_t ahead = 0) const;
    bool accept(std::string_view text);
    bool expect(std::string_view text, std::string_view after_what);
    bool expect_semicolon(std::string_view after_what);
    bool expect_name(Documented& named, std::string_view what);
    void error(const Token& token, std::string message, std::string hint = {});
    bool fail_expected(std::string_view what);
    void skip_statement();
    void skip_braces();
    bool at_new_definition() const;
    bool on_new_line(std::size_t ahead = 0) const;
    void give_up();
    void finish_item(Documented& item);

    const std::vector<Token>& tokens_;
    std::string_view text_;
    Comments comments_;
    Diagnostics& diagnostics_;
    std::vector<std::uint32_t>
        code_;            // indices of tokens that are neither comment nor other tools'
    std::size_t at_ = 0;  // in code_
    std::size_t depth_ = 0;
    std::size_t definition_count_ = 0;
    std::size_t last_error_ = static_cast<std::size_t>(-1);  // value of at_ at the last error
    bool gave_up_ = false;
};

}  // namespace helio::idl
