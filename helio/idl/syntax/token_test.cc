#include "helio/idl/syntax/token.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "helio/idl/parse.h"

namespace helio::idl::token_test {
namespace {

std::string_view kind_letter(TokenKind kind) {
    switch (kind) {
        case TokenKind::identifier:
            return "i";
        case TokenKind::number:
            return "n";
        case TokenKind::punctuation:
            return "p";
        case TokenKind::text:
            return "t";
        case TokenKind::block_comment:
            return "b";
        case TokenKind::line_comment:
            return "l";
        case TokenKind::directive:
            return "d";
        case TokenKind::passthrough:
            return "%";
        case TokenKind::end:
            return "end";
    }
    return "?";
}

struct Lexed {
    SourceSet sources;
    Diagnostics diagnostics;
    std::vector<Token> tokens;
};

Lexed lex(std::string text) {
    Lexed out;
    out.sources.add("t.x", std::move(text));
    out.tokens = tokenize(out.sources, 0, out.diagnostics);
    return out;
}

// "i:struct p:{ end"
std::string shown(const Lexed& lexed) {
    std::string out;
    for (const Token& token : lexed.tokens) {
        if (!out.empty()) out += ' ';
        out += token.kind == TokenKind::end
                   ? "end"
                   : fmt::format("{}:{}", kind_letter(token.kind), token.text);
    }
    return out;
}

struct TokenRow {
    std::string_view text;
    std::string_view expected;
};

TEST(Tokenize, CutsTextIntoWords) {
    const TokenRow rows[] = {
        {"", "end"},
        {" \t\r\n\f\v", "end"},
        {"struct a{int b;};", "i:struct i:a p:{ i:int i:b p:; p:} p:; end"},
        {"case 0x1F:-7", "i:case n:0x1F p:: p:- n:7 end"},
        {"12abc 1.5 0x", "n:12abc n:1.5 n:0x end"},
        {"a<>[]()*=,", "i:a p:< p:> p:[ p:] p:( p:) p:* p:= p:, end"},
        {"a/*b*/c//d\ne", "i:a b:/*b*/ i:c l://d i:e end"},
        {"/*/ */x", "b:/*/ */ i:x end"},
        {"//x\r\ny", "l://x i:y end"},
        {"%a b\nc", "%:%a b i:c end"},
        {"  %a\n", "%:%a end"},
        {"%a\\\nb\nc", "%:%a\\\nb i:c end"},
        {"%a\\\r\nb\r\nc", "%:%a\\\r\nb i:c end"},
        {"%a\\", "%:%a\\ end"},
        {"#if x\ny", "d:#if x i:y end"},
        {"  # if x \\\n y\nz", "d:# if x \\\n y i:z end"},
        {"#define A 1 /* two\nlines */ more\nz", "d:#define A 1 /* two\nlines */ more i:z end"},
        {"#define A // b\nz", "d:#define A // b i:z end"},
        {"#x /* open\ny", "d:#x /* open i:y end"},
        {"\"a b\"c", "t:\"a b\" i:c end"},
        {"\xEF\xBB\xBFint", "i:int end"},
        {"_A9", "i:_A9 end"},
    };
    for (const TokenRow& row : rows) {
        const Lexed lexed = lex(std::string(row.text));
        EXPECT_EQ(shown(lexed), row.expected) << "for: " << row.text;
        EXPECT_TRUE(lexed.diagnostics.ok()) << render(lexed.diagnostics, lexed.sources);
    }
}

TEST(Tokenize, ReportsWhatFitsNothingOncePerRun) {
    const TokenRow rows[] = {
        {"a $$$ b", "unexpected '$$$'"},  {"a / b", "unexpected '/'"},
        {"a # b", "unexpected '#'"},      {"a % b", "unexpected '%'"},
        {"a$b", "'a$b' is not a name"},   {"a\xC3\xA9", "'a\xC3\xA9' is not a name"},
        {"/* a", "unterminated comment"}, {"\"a\n\"", "string without closing quote"},
    };
    for (const TokenRow& row : rows) {
        const Lexed lexed = lex(std::string(row.text));
        ASSERT_FALSE(lexed.diagnostics.items.empty()) << row.text;
        EXPECT_EQ(lexed.diagnostics.items[0].message, row.expected);
    }
    EXPECT_EQ(lex("a $$$ b").diagnostics.error_count, 1u);
    EXPECT_EQ(shown(lex("a $$$ b")), "i:a i:b end");
}

TEST(Tokenize, NulIsAByteLikeAnyOther) {
    const Lexed lexed = lex(std::string("int\0 \0x", 7));
    EXPECT_EQ(lexed.diagnostics.error_count, 2u);
    EXPECT_EQ(lexed.tokens.back().kind, TokenKind::end);
}

TEST(Tokenize, ALongNameIsRefused) {
    EXPECT_TRUE(lex(std::string(kNameSizeMax, 'a')).diagnostics.ok());
    EXPECT_FALSE(lex(std::string(kNameSizeMax + 1, 'a')).diagnostics.ok());
}

TEST(Tokenize, MillionsOfWordsAreRefused) {
    const Lexed lexed = lex(std::string(kTokensMax + 10, ';'));
    EXPECT_EQ(lexed.diagnostics.error_count, 1u);
    EXPECT_EQ(lexed.tokens.size(), kTokensMax + 1);
}

// Formatter and documentation rely on it: nothing but blanks between tokens, in order.
TEST(Tokenize, EveryByteThatIsNotBlankIsInAToken) {
    const std::string text = "%p\n#d /*\n*/ x\n/*c*/struct a { int b<3>; }; // end\n\"q\" -1";
    const Lexed lexed = lex(text);
    std::size_t at = 0;
    for (const Token& token : lexed.tokens) {
        const std::string between = text.substr(at, token.where.offset - at);
        EXPECT_EQ(between.find_first_not_of(" \n"), std::string::npos) << between;
        EXPECT_EQ(lexed.sources.text(token.where), token.text);
        at = token.where.offset + token.where.length;
    }
    EXPECT_EQ(at, text.size());
}

// A short text lives inside its std::string object, which moves when the vector grows.
TEST(Tokenize, TokensOutliveTheGrowthOfTheSourceSet) {
    SourceSet sources;
    Diagnostics diagnostics;
    sources.add("a.x", "int");
    const std::vector<Token> tokens = tokenize(sources, 0, diagnostics);
    for (int i = 0; i < 100; ++i) sources.add("b.x", "overwritten?");
    EXPECT_EQ(tokens[0].text, "int");
    EXPECT_EQ(tokens[0].text.data(), sources.files[0].text.data());
}

}  // namespace
}  // namespace helio::idl::token_test
