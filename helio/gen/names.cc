#include "helio/gen/names_internal.h"

#include <algorithm>
#include <array>

namespace helio::gen {

namespace {

// clang-format off
constexpr auto kReservedWords = std::to_array<std::string_view>({
    // Keywords of C++20.
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break",
    "case", "catch", "char", "char8_t", "char16_t", "char32_t", "class", "compl", "concept",
    "const", "consteval", "constexpr", "constinit", "const_cast", "continue", "co_await",
    "co_return", "co_yield", "decltype", "default", "delete", "do", "double", "dynamic_cast",
    "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto",
    "if", "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq",
    "nullptr", "operator", "or", "or_eq", "private", "protected", "public", "register",
    "reinterpret_cast", "requires", "return", "short", "signed", "sizeof", "static",
    "static_assert", "static_cast", "struct", "switch", "template", "this", "thread_local",
    "throw", "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using",
    "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
    // Macros of the standard headers and of <sys/…>.
    "NULL", "EOF", "TRUE", "FALSE", "BUFSIZ", "assert", "errno", "stdin", "stdout", "stderr",
    "linux", "unix", "i386", "major", "minor", "makedev", "offsetof", "INFINITY", "NAN",
    "HUGE_VAL", "OVERFLOW", "UNDERFLOW", "DOMAIN", "SING", "signbit", "isnan", "isinf",
    "isfinite",
    // Names that generated code itself uses.
    "std", "helio", "xdr", "in", "out", "p", "v",
});
// clang-format on

}  // namespace

std::string cpp_name(std::string_view xdr_name) {
    std::string name{xdr_name};
    if (std::ranges::find(kReservedWords, xdr_name) != kReservedWords.end()) name += '_';
    return name;
}

}  // namespace helio::gen
