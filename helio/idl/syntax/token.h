// The tokens of a .x file, including comments and lines for other tools: the parser skips those,
// the formatter keeps them, and documentation is made from them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "helio/idl/diagnostics.h"
#include "helio/idl/source.h"

namespace helio::idl {

enum class TokenKind : std::uint8_t {
    identifier,   // including keywords: the parser decides, so a field may be called `version`
    number,       // digits as written; not evaluated
    punctuation,  // one of { } [ ] < > ( ) * = , ; : -
    text,         // "quoted", in #include and namespace lines only
    block_comment,
    line_comment,
    directive,    // a whole # line, continuation lines included
    passthrough,  // a whole % line
    end,
};

struct Token {
    TokenKind kind = TokenKind::end;
    std::string_view text;  // into the SourceFile's text
    Location where;
};

// Every byte that is not whitespace belongs to a token; the last one is `end`. Invalid bytes are
// reported once per run and skipped.
std::vector<Token> tokenize(const SourceSet& sources, std::uint32_t file, Diagnostics& diagnostics);

}  // namespace helio::idl
