// helio list: the programs registered with a host's portmapper.
#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/common.h"
#include "cli/schemas.h"
#include "helio/base/text/escape.h"
#include "helio/base/text/json_writer.h"
#include "helio/portmap/client.h"
#include "helio/portmap/universal_address.h"
#include "helio/transport/socket/socket.h"

namespace helio::cli {
namespace {

struct ListFlags {
    std::string host = "localhost";
    std::vector<std::string> schemas;
    std::string timeout = "5s";
    bool json = false;
};

constexpr const char* kListExamples = R"(Examples:
  helio list                  programs on this machine
  helio list nfs.example.org
  helio list localhost:2049   the portmapper built into helio serve
  helio list --json | jq '.programs[].names[]'

It asks the host's portmapper: rpcbind version 4, then 3, then portmap version 2, over TCP and then UDP.
Program names come from the built-in schemas and --schema. helio describe NAME shows more.
Exit status: 0 success, 2 wrong usage, 3 no portmapper answered.)";

// One line: a program at one address, with all its versions there.
struct Line {
    portmap::Mapping first;
    std::vector<std::uint32_t> versions;
};

std::vector<Line> grouped(std::vector<portmap::Mapping> all) {
    const auto key = [](const portmap::Mapping& one) {
        return std::tie(one.program, one.netid, one.address, one.owner);
    };
    std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) {
        return std::tuple_cat(key(a), std::tie(a.version)) <
               std::tuple_cat(key(b), std::tie(b.version));
    });
    std::vector<Line> lines;
    for (const auto& one : all) {
        if (lines.empty() || key(lines.back().first) != key(one)) lines.push_back({one, {}});
        lines.back().versions.push_back(one.version);
    }
    return lines;
}

// nfs2 and nfs3 for the versions that a schema defines; else the program's own name.
std::vector<std::string> names_of(Schemas& schemas, const Line& line) {
    std::vector<std::string> names;
    for (const std::uint32_t version : line.versions) {
        std::string name = schemas.name_of(line.first.program, version);
        if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end())
            names.push_back(std::move(name));
    }
    return names;
}

std::string name_of(Schemas& schemas, const Line& line) {
    return fmt::format("{}", fmt::join(names_of(schemas, line), " "));
}

// Universal addresses are hard to read: 0.0.0.0.8.1 is 0.0.0.0:2049.
transport::Endpoint endpoint_of(const portmap::Mapping& mapping) {
    const auto parsed = portmap::parse_universal_address(mapping.address);
    return parsed ? *parsed : transport::Endpoint{};
}

std::string address_of(const portmap::Mapping& mapping) {
    const auto endpoint = endpoint_of(mapping);
    return printable(endpoint.size() == 0 ? mapping.address : transport::to_text(endpoint));
}

void print_text(Schemas& schemas, const std::vector<Line>& lines) {
    std::vector<std::vector<std::string>> rows{
        {"program", "versions", "name", "netid", "address", "owner"}};
    for (const Line& line : lines)
        rows.push_back({fmt::format("{}", line.first.program),
                        fmt::format("{}", fmt::join(line.versions, " ")), name_of(schemas, line),
                        printable(line.first.netid), address_of(line.first),
                        printable(line.first.owner)});
    fmt::print("{}", aligned(rows));
}

void print_json(Schemas& schemas, const std::vector<Line>& lines) {
    std::string out;
    JsonWriter json{out};
    json.open('{');
    json.key("programs");
    json.open('[');
    for (const Line& line : lines) {
        const auto& one = line.first;
        json.new_line();
        json.element();
        json.open('{');
        json.member("program", one.program);
        json.key("versions");
        json.open('[');
        for (const std::uint32_t version : line.versions) json.item(version);
        json.close(']');
        json.member("name", name_of(schemas, line));
        json.key("names");
        json.open('[');
        for (const auto& name : names_of(schemas, line)) json.item(name);
        json.close(']');
        json.member("netid", one.netid);
        json.member("address", address_of(one));
        json.member("port", endpoint_of(one).port());
        json.member("universal_address", one.address);
        json.member("owner", one.owner);
        json.close('}');
    }
    json.close(']');
    json.close('}');
    fmt::print("{}\n", out);
}

int run(const ListFlags& flags) {
    Schemas schemas{flags.schemas};
    if (const auto where = transport::parse_host_port(flags.host);
        !where && !flags.host.starts_with("unix:"))
        throw std::runtime_error(where.error());
    portmap::AskOptions options;
    options.timeout = parse_duration(flags.timeout);
    auto all = portmap::dump(flags.host, options);
    if (!all) {
        fmt::print(stderr, "helio: {}\n", all.error());
        return kUnreachable;
    }
    const auto lines = grouped(std::move(*all));
    flags.json ? print_json(schemas, lines) : print_text(schemas, lines);
    return kDone;
}

}  // namespace

void add_list(Command& app, int& exit_code) {
    auto flags = std::make_shared<ListFlags>();
    auto* const verb =
        app.add_subcommand("list", "List the programs registered with a host's portmapper");
    verb->add_option("HOST", flags->host, "HOST, HOST:PORT or unix:PATH of the portmapper")
        ->capture_default_str();
    verb->add_option("--schema", flags->schemas,
                     "a .x file with more program names; may be repeated")
        ->allow_extra_args(false)
        ->existing_file();
    verb->add_option("--timeout", flags->timeout, "how long to wait for each answer: 500ms, 2s")
        ->capture_default_str()
        ->check(check_duration);
    verb->add_flag("--json", flags->json, "print JSON (docs/calling.md)");
    verb->footer(kListExamples);
    verb->callback([flags, &exit_code] { exit_code = run(*flags); });
}

}  // namespace helio::cli
