// Error messages about the command line: unknown verbs and flags are named, with the nearest one
// that exists. The same for every level: `helio`, `helio virt`, `helio xdr`.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "cli/command.h"

namespace CLI {
class ParseError;
}  // namespace CLI

namespace helio::cli {

class UsageError final : public std::runtime_error {
 public:
    using std::runtime_error::runtime_error;
};

class Usage final {
 public:
    explicit Usage(const Command& root) : root_(root) {}

    // The arguments for the parser: `help [VERB…]` becomes `VERB… --help`, and `version` becomes
    // `--version`. Throws UsageError for a verb that does not exist.
    std::vector<std::string> resolve_verbs(const std::vector<std::string>& words) const;
    // One sentence about a parse that failed.
    std::string sentence(const CLI::ParseError& error) const;

 private:
    bool is_known_flag_with_value(const Command& at, const std::string& word) const;
    std::string unknown_verb(const Command& at, const std::string& word) const;
    std::string unknown_flag(const Command& at, const std::string& word) const;
    // The command that the arguments chose.
    const Command& chosen() const;
    static const Command* find(const Command& at, std::string_view name);
    // "helio virt"
    static std::string path_of(const Command& at);

    const Command& root_;
};

}  // namespace helio::cli
