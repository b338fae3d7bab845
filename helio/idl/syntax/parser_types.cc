// The inside of a definition: types, declarations, constants, bodies.
#include <fmt/format.h>

#include <array>
#include <utility>

#include "helio/idl/parse.h"
#include "helio/idl/syntax/number_internal.h"
#include "helio/idl/syntax/parser_internal.h"

namespace helio::idl {
namespace {

struct Word {
    std::string_view text;
    Kind kind;
};

// Types that are one word and cannot be redefined. `char`, `short` and `long` combine with others
// and are parsed separately; u_int, int32_t and the like are ordinary names that sema knows.
constexpr std::array kOneWordTypes{
    Word{"void", Kind::void_},     Word{"hyper", Kind::hyper},  Word{"float", Kind::float_},
    Word{"double", Kind::double_}, Word{"bool", Kind::boolean}, Word{"quadruple", Kind::quadruple},
};

}  // namespace

bool Parser::type_name(ast::TypeName& type, Role role) {
    using Form = ast::TypeName::Form;
    if (!at_name()) return fail_expected(role == Role::arm ? "the arm's type or void" : "a type");
    type.where = peek().where;
    for (const Word& word : kOneWordTypes) {
        if (!at(word.text)) continue;
        ++at_;
        type.form = Form::builtin;
        type.kind = word.kind;
        return true;
    }
    if (at("struct") || at("union") || at("enum")) return tagged_type_name(type);
    if (accept("unsigned")) return integer_words(type, Sign::without);
    if (at("int") || at("char") || at("short") || at("long") || at("signed")) {
        accept("signed");
        return integer_words(type, Sign::with);
    }
    if (accept("opaque")) {
        type.form = Form::opaque;
        return true;
    }
    if (accept("string")) {
        type.form = Form::string;
        return true;
    }
    type.form = Form::named;
    type.name = peek().text;
    ++at_;
    return true;
}

// What may follow `unsigned` or be used alone: int, hyper, char, short [int], long [long] [int].
// `long` has four bytes, as in rpcgen's xdr_long; `long long` has eight.
bool Parser::integer_words(ast::TypeName& type, Sign sign) {
    const bool is_unsigned = sign == Sign::without;
    type.form = ast::TypeName::Form::builtin;
    if (accept("hyper")) {
        type.kind = is_unsigned ? Kind::unsigned_hyper : Kind::hyper;
    } else if (accept("char")) {
        type.kind = is_unsigned ? Kind::unsigned_character : Kind::character;
    } else if (accept("short")) {
        accept("int");
        type.kind = is_unsigned ? Kind::unsigned_short : Kind::short_;
    } else if (at("long") && at("long", 1)) {
        at_ += 2;
        accept("int");
        type.kind = is_unsigned ? Kind::unsigned_hyper : Kind::hyper;
    } else {
        accept("long");
        accept("int");
        type.kind = is_unsigned ? Kind::unsigned_int : Kind::int_;
    }
    const Token& last = previous();
    type.where.length = last.where.offset + last.where.length - type.where.offset;
    return true;
}

bool Parser::tagged_type_name(ast::TypeName& type) {
    type.kind = at("struct") ? Kind::structure : at("union") ? Kind::union_ : Kind::enumeration;
    ++at_;
    const bool unnamed = at("{") || (at("switch") && type.kind == Kind::union_);
    if (!unnamed) {
        Documented tag;
        if (!expect_name(tag, "a name or '{'")) return false;
        type.name = previous().text;
        type.where = tag.where;
    }
    const bool has_body = at("{") || (at("switch") && type.kind == Kind::union_);
    if (has_body) return body(type, nullptr);
    type.form = ast::TypeName::Form::named;
    return true;
}

bool Parser::declaration(ast::Declaration& declared, Role role) {
    declared.where = peek().where;
    if (!type_name(declared.type, role)) return false;
    const bool is_void =
        declared.type.form == ast::TypeName::Form::builtin && declared.type.kind == Kind::void_;
    const bool may_be_nameless = is_void || role == Role::argument;
    if (accept("*")) {
        declared.shape = ast::Shape::optional;
        if (at("*")) {
            error(peek(), "only one '*' is allowed here", "give the inner one a name with typedef");
            while (accept("*")) continue;
        }
    }
    if (at_name()) {
        expect_name(declared, "a name");
    } else if (!may_be_nameless) {
        return fail_expected(fmt::format("a name after '{}'", previous().text.substr(0, 40)));
    }
    return declarator(declared, role);
}

// The `<…>` or `[…]` after the name.
bool Parser::declarator(ast::Declaration& declared, Role role) {
    if (!at("<") && !at("[")) return true;
    if (role == Role::discriminant) {
        error(peek(), "a discriminant cannot be an array");
        return false;
    }
    if (declared.shape == ast::Shape::optional) {
        error(peek(), "'*' and an array bound cannot be combined",
              "give the inner type a name with typedef");
        return false;
    }
    if (!bound(declared)) return false;
    if (at("<") || at("[")) {
        error(peek(), "an array can have only one bound",
              "give the inner array a name with typedef");
        return false;
    }
    return true;
}

bool Parser::bound(ast::Declaration& declared) {
    const bool fixed = at("[");
    const std::string_view close = fixed ? "]" : ">";
    declared.shape = fixed ? ast::Shape::fixed : ast::Shape::variable;
    ++at_;
    if (accept(close)) {
        if (!fixed) return true;
        --at_;
        error(peek(), "a fixed array needs its length", "an array of any length is written <>");
        ++at_;
        declared.bound.form = ast::Value::Form::broken;
        return true;
    }
    return value(declared.bound, "an array bound") && expect(close, "after the array bound");
}

bool Parser::value(ast::Value& value, std::string_view what) {
    using Form = ast::Value::Form;
    value.form = Form::broken;
    value.where = peek().where;
    value.negative = accept("-");
    const Token& token = peek();
    value.where.length = token.where.offset + token.where.length - value.where.offset;
    if (token.kind == TokenKind::identifier && !value.negative) {
        value.form = Form::name;
        value.name = token.text;
    } else if (token.kind == TokenKind::text && !value.negative) {
        value.form = Form::text;
        value.name = token.text.substr(1, token.text.size() - (token.text.size() > 1 ? 2 : 1));
    } else if (token.kind == TokenKind::number) {
        const Number number = read_number(token.text);
        const std::string_view shown = token.text.substr(0, 40);
        value.magnitude = number.magnitude;
        if (number.fault == NumberFault::malformed) {
            error(token, fmt::format("'{}' is not a number", shown));
        } else if (number.fault == NumberFault::too_large ||
                   !Integer::make(value.negative, value.magnitude)) {
            error(token,
                  fmt::format("{}{} does not fit in 64 bits", value.negative ? "-" : "", shown));
        } else {
            value.form = Form::number;
        }
    } else {
        return fail_expected(what);
    }
    ++at_;
    return true;
}

// At `{`, or at `switch` for a union. Reads up to the matching `}`. `owner` gets the comment after
// the opening brace; that of a nested body is dropped.
bool Parser::body(ast::TypeName& type, Documented* owner) {
    type.form = ast::TypeName::Form::body;
    type.body = std::make_unique<ast::Body>();
    type.body->kind = type.kind;
    if (depth_ == kNestingMax) {
        type.body->broken = true;
        error(peek(), fmt::format("nested deeper than {}", kNestingMax));
        give_up();
        return false;
    }
    ++depth_;
    bool read = false;
    if (type.kind == Kind::union_) {
        read = union_body(*type.body, owner);
    } else {
        read = expect("{", "after the name");
        if (read && owner != nullptr) comments_.add_behind(code_[at_ - 1], *owner);
        read = read &&
               (type.kind == Kind::enumeration ? enum_body(*type.body) : struct_body(*type.body));
    }
    --depth_;
    type.body->broken = type.body->broken || !read;
    return read;
}

bool Parser::enum_body(ast::Body& body) {
    while (!at_end() && !at("}") && !at_new_definition()) {
        ast::Enumerator enumerator;
        comments_.add_before(index(), enumerator);
        bool read = expect_name(enumerator, "an enumerator's name");
        if (read && accept("=")) read = value(enumerator.value, "the enumerator's value");
        if (read && !at(",") && !at("}") && !at(";")) {
            read = fail_expected(fmt::format("',' or '}}' after '{}'", enumerator.name));
        }
        if (read) finish_item(enumerator);
        if (!read) {
            body.broken = true;
            while (!at_end() && !at(",") && !at("}") && !at(";") && !at_new_definition()) ++at_;
        }
        // People who are used to structs type `;` instead of `,`.
        if (at(";")) error(peek(), "enumerators are separated by ','");
        if ((accept(",") || accept(";")) && read) finish_item(enumerator);
        if (!enumerator.name.empty()) body.enumerators.push_back(std::move(enumerator));
    }
    return expect("}", "at the end of the enum");
}

bool Parser::struct_body(ast::Body& body) {
    while (!at_end() && !at("}") && !at_new_definition()) {
        ast::Declaration field;
        comments_.add_before(index(), field);
        const bool read = declaration(field, Role::field) && expect_semicolon("the field");
        if (read) {
            finish_item(field);
        } else {
            body.broken = true;
            skip_statement();
        }
        body.fields.push_back(std::move(field));
    }
    return expect("}", "at the end of the struct");
}

bool Parser::union_head(ast::Body& body) {
    comments_.add_before(index(), body.discriminant);
    return expect("switch", "in a union") && expect("(", "after 'switch'") &&
           declaration(body.discriminant, Role::discriminant) &&
           expect(")", "after the discriminant");
}

bool Parser::union_body(ast::Body& body, Documented* owner) {
    if (!union_head(body)) {
        body.discriminant.type.form = ast::TypeName::Form::broken;
        while (!at_end() && !at("{") && !at(";")) ++at_;
    }
    if (!expect("{", "after the discriminant")) return false;
    if (owner != nullptr) comments_.add_behind(code_[at_ - 1], *owner);
    while (!at_end() && !at("}") && !at_new_definition()) {
        if (arm(body)) continue;
        body.broken = true;
        skip_statement();
    }
    return expect("}", "at the end of the union");
}

bool Parser::arm(ast::Body& body) {
    ast::Arm arm;
    Documented comments;
    comments_.add_before(index(), comments);
    arm.where = peek().where;
    if (!case_labels(arm, comments)) return false;
    const bool read = declaration(arm.field, Role::arm) && expect_semicolon("the arm");
    arm.field.doc = std::move(comments.doc);
    arm.field.annotations = std::move(comments.annotations);
    if (read) finish_item(arm.field);
    body.arms.push_back(std::move(arm));
    return read;
}

bool Parser::case_labels(ast::Arm& arm, Documented& comments) {
    if (!at("case") && !at("default")) return fail_expected("'case' or 'default'");
    while (at("case") || at("default")) {
        if (accept("default")) {
            arm.is_default = true;
        } else {
            ++at_;
            ast::Value label;
            if (!value(label, "the case's value")) return false;
            arm.cases.push_back(label);
        }
        if (!expect(":", "after the case")) return false;
        comments_.add_behind(code_[at_ - 1], comments);
        // A comment on its own line between the label and the arm is also about the arm.
        comments_.add_before(index(), comments);
    }
    return true;
}

}  // namespace helio::idl
