// Shared by several verbs: exit codes, durations, credentials, JSON arguments and columns. Text
// that came from a peer goes to the terminal escaped or as JSON.
#pragma once

#include <chrono>
#include <cstdio>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/text/json_writer.h"
#include "helio/rpc/onc/onc_envelope.h"
#include "helio/xdr/program.h"

namespace helio::cli {

// The exit codes of verbs that call servers.
inline constexpr int kDone = 0;
inline constexpr int kNo = 1;           // a value does not fit its type, or an answer is missing
inline constexpr int kMisuse = 2;       // main() makes it of std::runtime_error
inline constexpr int kUnreachable = 3;  // no server, or no answer in time
inline constexpr int kRefused = 4;      // the server answered, with a status that is not SUCCESS

int exit_code_of(const xdr::CallError& error);

// "2s", "500ms", "1.5", which is seconds. Throws std::runtime_error.
std::chrono::milliseconds parse_duration(const std::string& text);
// The same as a check for CLI11: empty, or what is wrong.
std::string check_duration(const std::string& text);

// "none", "sys" (this process's own numbers), "sys:1000:100,101": uid, gid, more gids. Throws
// std::runtime_error.
rpc::ClientCredential parse_credential(const std::string& text);
std::string check_credential(const std::string& text);

// JSON as it is given on the command line: itself, @FILE, or - for standard input. Throws
// std::runtime_error when it cannot be read.
std::string read_json_argument(const std::string& word);

// Rows as a JSON array on standard output, each an object on a line of its own, whose members
// put(json, row) writes.
template <class Rows, class Put>
void print_json_rows(const Rows& rows, Put put) {
    std::string out;
    JsonWriter json{out};
    json.open('[');
    for (const auto& row : rows) {
        json.new_line();
        json.element();
        json.open('{');
        put(json, row);
        json.close('}');
    }
    if (std::size(rows) != 0) json.new_line();
    json.close(']');
    std::puts(out.c_str());
}

// Rows with each column as wide as its widest cell; the last one ends where it ends.
std::string aligned(const std::vector<std::vector<std::string>>& rows);

}  // namespace helio::cli
