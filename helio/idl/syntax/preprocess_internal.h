// The subset of the C preprocessor that .x files use: conditions, numbers named by #define,
// #include of other schemas, and rpcgen's `%` lines. There is no macro expansion: a #define with a
// number is a constant like any other.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "helio/idl/diagnostics.h"
#include "helio/idl/syntax/ast_internal.h"
#include "helio/idl/syntax/condition_internal.h"
#include "helio/idl/syntax/token.h"

namespace helio::idl {

// A reference to a file in another one.
struct FileMention {
    std::string_view name;
    Location where;
};

struct Preprocessed {
    // Code and comments of the branches taken. Directives and `%` lines stay, so that comments
    // before and after them are kept apart; the parser skips them.
    std::vector<Token> tokens;
    std::vector<ast::Constant> defines;
    std::vector<ast::Constant> header_defines;  // from `%#define`: C sees them, rpcgen does not
    std::vector<std::string> passthrough;
    std::vector<FileMention> headers;  // `%#include`: where C finds what this file leaves undefined
};

// `import` is called at each `#include "…"`, so that its definitions are known in the lines below.
using ImportFile = std::function<void(const FileMention&)>;

// rpcgen reads a file several times, once with RPC_HDR defined; that pass contains the protocol.
Macros initial_macros();

Preprocessed preprocess(std::vector<Token> tokens, std::string_view text, Macros& macros,
                        const ImportFile& import, Diagnostics& diagnostics);

}  // namespace helio::idl
