// TestCase: reproduces a call from a capture: as a `helio call` command line, as `helio xdr decode`
// commands that name its words, and as a GoogleTest with one word per line. Each can be pasted
// unchanged.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "helio/base/result.h"
#include "helio/inspect/catalogue.h"
#include "helio/inspect/exchange.h"

namespace helio::inspect {

// Longer arguments go to `helio call` through standard input: Linux allows 128 KiB per argument.
inline constexpr std::size_t kCommandJsonSizeMax = 100'000;

struct TestCase {
    std::string command;  // or a comment that says why there is none
    std::string decode;   // commands that name every word of arguments and results
    std::string test;     // C++, with the includes it needs
};

// All of it, as the command line shows it.
std::string to_text(const TestCase& test_case);

// The error says why there is none: no schema, no call, or bytes missing from the capture.
// `schemas` are the files that the user named; the commands name them again.
Result<TestCase, std::string> make_test_case(const Exchange& exchange, const Catalogue& catalogue,
                                             const std::vector<std::string>& schemas = {});

// Quotes a word for a POSIX shell.
std::string shell_word(std::string_view text);

}  // namespace helio::inspect
