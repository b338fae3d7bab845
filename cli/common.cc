#include "cli/common.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iostream>
#include <stdexcept>

#include <fmt/format.h>

#include "helio/base/text/escape.h"
#include "helio/base/text/shell.h"
#include "helio/reflect/json/json.h"

namespace helio::cli {
namespace {

// Longer waits are probably a wrong unit.
constexpr double kDurationSecondsMax = 1e6;

std::uint32_t parse_number(std::string_view text, const std::string& whole) {
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size())
        throw std::runtime_error(fmt::format(
            "'{}' is not a credential: '{}' is not a number; use none, sys or sys:UID:GID,GID",
            whole, text));
    return number;
}

template <class Parse>
std::string why_not(Parse parse, const std::string& text) {
    try {
        parse(text);
        return {};
    } catch (const std::runtime_error& error) {
        return error.what();
    }
}

std::string read_stream(std::istream& in, const std::string& name) {
    std::string text;
    std::array<char, 1u << 16> block;
    while (in.read(block.data(), block.size()) || in.gcount() > 0) {
        text.append(block.data(), static_cast<std::size_t>(in.gcount()));
        if (text.size() > reflect::kJsonSizeMax)
            throw std::runtime_error(
                fmt::format("{} is larger than {} bytes", name, reflect::kJsonSizeMax));
    }
    if (in.bad()) throw std::runtime_error(fmt::format("cannot read {}", name));  // a folder
    return text;
}

}  // namespace

int exit_code_of(const xdr::CallError& error) {
    using xdr::Outcome;
    switch (error.outcome) {
        case Outcome::timed_out:
        case Outcome::unreachable:
        case Outcome::cancelled:
        case Outcome::silent:
            return kUnreachable;
        case Outcome::garbage_reply:
            return kNo;
        case Outcome::garbage_arguments:
            return error.detail.fault == xdr::Fault::none ? kRefused : kNo;
        default:
            return kRefused;
    }
}

std::chrono::milliseconds parse_duration(const std::string& text) {
    struct Unit {
        std::string_view name;
        double seconds;
    };
    constexpr std::array<Unit, 5> kUnits{{{"", 1}, {"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}}};
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string_view rest{end, static_cast<std::size_t>(text.data() + text.size() - end)};
    for (const Unit& unit : kUnits) {
        if (error != std::errc{} || rest != unit.name) continue;
        const double seconds = number * unit.seconds;
        if (!(seconds > 0) || seconds > kDurationSecondsMax) break;
        return std::chrono::milliseconds(std::max(1L, std::lround(seconds * 1000)));
    }
    throw std::runtime_error(fmt::format("'{}' is not a duration; use 500ms, 2s or 1m", text));
}

std::string check_duration(const std::string& text) {
    return why_not([](const std::string& word) { parse_duration(word); }, text);
}

rpc::ClientCredential parse_credential(const std::string& text) {
    if (text == "none") return rpc::ClientCredential::none();
    if (text == "sys") return rpc::ClientCredential::of_this_process();
    constexpr std::string_view kSys = "sys:";
    std::string_view rest = text;
    const std::size_t colon = text.find(':', kSys.size());
    if (!rest.starts_with(kSys) || colon == std::string::npos)
        throw std::runtime_error(
            fmt::format("'{}' is not a credential; use none, sys or sys:UID:GID,GID", text));
    const std::uint32_t uid = parse_number(rest.substr(kSys.size(), colon - kSys.size()), text);
    rest.remove_prefix(colon + 1);
    std::vector<std::uint32_t> gids;
    for (std::size_t comma = 0; comma != std::string_view::npos;) {
        comma = rest.find(',');
        gids.push_back(parse_number(rest.substr(0, comma), text));
        if (comma != std::string_view::npos) rest.remove_prefix(comma + 1);
    }
    const std::uint32_t gid = gids.front();
    gids.erase(gids.begin());
    if (gids.size() > 16)
        throw std::runtime_error(fmt::format(
            "'{}' has {} additional groups; AUTH_SYS allows at most 16 (RFC 5531 appendix A)", text,
            gids.size()));
    std::array<char, 256> machine{};
    gethostname(machine.data(), machine.size() - 1);
    return rpc::ClientCredential::sys(uid, gid, gids, machine.data());
}

std::string check_credential(const std::string& text) {
    return why_not([](const std::string& word) { parse_credential(word); }, text);
}

std::string read_json_argument(const std::string& word) {
    if (word == "-") return read_stream(std::cin, "standard input");
    if (!word.starts_with('@')) return word;
    const std::string path = word.substr(1);
    std::ifstream file{path, std::ios::binary};
    if (!file) throw std::runtime_error(fmt::format("cannot read '{}'", path));
    return read_stream(file, fmt::format("'{}'", path));
}

std::string json_hint(const std::string& word, std::string_view text) {
    constexpr std::string_view kJsonBegins = "{[\"-0123456789";
    const std::string_view trimmed =
        text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    if (trimmed.empty() || kJsonBegins.find(trimmed[0]) != std::string_view::npos) return {};
    if (trimmed == "true" || trimmed == "false" || trimmed == "null") return {};
    const bool is_inline = word != "-" && !word.starts_with('@');
    if (!is_inline) return "; a string needs quotes";
    const std::string quoted = fmt::format("\"{}\"", escaped(text));
    return fmt::format(
        "; a JSON string needs double quotes, inside single quotes for the shell: {}",
        shell_quoted(quoted));
}

std::string command_line() {
    std::ifstream file{"/proc/self/cmdline", std::ios::binary};
    std::string out;
    for (std::string word; std::getline(file, word, '\0');)
        out += (out.empty() ? "helio" : " " + shell_quoted(word));
    return out;
}

std::string aligned(const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string out;
    for (const auto& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i)
            line += fmt::format("{:<{}}  ", row[i], widths[i]);
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + '\n';
    }
    return out;
}

}  // namespace helio::cli
