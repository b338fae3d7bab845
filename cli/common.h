// Shared by several verbs: exit codes, durations, credentials, JSON arguments and columns. A peer's
// text is printed escaped or as JSON.
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
inline constexpr int kMisuse = 2;       // main() returns it for std::runtime_error
inline constexpr int kUnreachable = 3;  // no server, or no answer in time
inline constexpr int kRefused = 4;      // the server answered, with a status that is not SUCCESS

int exit_code_of(const xdr::CallError& error);

// "2s", "500ms", or "1.5" in seconds. Throws std::runtime_error.
std::chrono::milliseconds parse_duration(const std::string& text);
// The same as a validator for CLI11: empty, or the error.
std::string check_duration(const std::string& text);

// "none", "sys" (this process's user), "sys:1000:100,101": uid, gid, more gids. Throws
// std::runtime_error.
rpc::ClientCredential parse_credential(const std::string& text);
std::string check_credential(const std::string& text);

// A JSON argument: the text itself, @FILE, or - for standard input. Throws std::runtime_error if it
// cannot be read.
std::string read_json_argument(const std::string& word);
// For an argument that is not JSON: a guess at the mistake, as an addition to the error; or
// nothing. "; a string needs quotes: '"/export"'"
std::string json_hint(const std::string& word, std::string_view text);

// The arguments of this process as one would type them; empty where they cannot be read.
std::string command_line();

// Prints rows as a JSON array, one object per line; put(json, row) writes its members.
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

// Prints rows with aligned columns; the last column is ragged.
std::string aligned(const std::vector<std::vector<std::string>>& rows);

}  // namespace helio::cli
