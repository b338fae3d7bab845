// TestCase: a call of a capture, to be made again and to be kept: as a `helio call` command line,
// as `helio xdr decode` commands that name its words, and as a GoogleTest with every word on a line
// of its own. Each can be pasted as it stands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "helio/base/result.h"
#include "helio/inspect/catalogue.h"
#include "helio/inspect/exchange.h"

namespace helio::inspect {

// Longer arguments go to `helio call` by standard input: Linux takes 128 KiB for one word.
inline constexpr std::size_t kCommandJsonSizeMax = 100'000;

struct TestCase {
    std::string command;  // a line, or several with the arguments; of libvirt: why there is none
    std::string decode;   // commands that name every word of arguments and results
    std::string test;     // C++, with the includes it needs
};

// The whole of it, as the command line shows it.
std::string to_text(const TestCase& test_case);

// The error says why there is none: no schema, no call, or bytes that the capture does not have.
// `schemas` are the files that the user named: commands name them again.
Result<TestCase, std::string> make_test_case(const Exchange& exchange, const Catalogue& catalogue,
                                             const std::vector<std::string>& schemas = {});

// One word for a POSIX shell, whatever is in it.
std::string shell_word(std::string_view text);

}  // namespace helio::inspect
