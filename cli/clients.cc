// helio clients: the NFS 4 clients of a running server, and eviction. helio locks: what they hold.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/common.h"
#include "helio/base/text/escape.h"
#include "helio/base/text/json_writer.h"
#include "helio/serve/control/client.h"

namespace helio::cli {
namespace {

using helio_control::client_row;
using helio_control::holding_row;
using serve::ControlClient;
using serve::ControlError;

struct ControlFlags {
    serve::ControlTarget target;
    std::vector<std::string> ids;  // of helio clients evict
    std::string filter;            // of helio locks
    bool json = false;
};

constexpr const char* kClientsExamples = R"(Examples:
  helio clients                      clients of the server on this machine
  helio clients --json | jq '.[] | select(.expired)'
  helio clients evict 5e1f00a300000003
  sudo helio clients --state /var/lib/heliograph

Lists the NFS 4 clients that the server remembers: their files and locks (helio locks shows which), and how
long they have been silent. A client whose lease has expired keeps its state until somebody else needs it.
evict drops all state of a client at once, and others can have its locks. The client notices, and starts
again without them. Clients of NFS 3 and 2 have no state.
Only root and the user who runs the server may ask it.
Exit status: 0 success, 1 there is no such client, 2 wrong usage, or several servers to choose from,
3 no server found, 4 permission denied.)";

constexpr const char* kLocksExamples = R"(Examples:
  helio locks                      all open files and locks of NFS 4 clients
  helio locks /data/db             of one file, or of all files below a directory
  helio locks --json | jq '.[] | select(.type == "write")'

Paths begin with the path of the export. Where the server does not know the name of a file, as in memory, the
id of the file is shown after a #.
Only root and the user who runs the server may ask it.
Exit status: 0 success, 2 wrong usage, or several servers to choose from, 3 no server found,
4 permission denied.)";

int failed(const ControlError& error) {
    fmt::print(stderr, "helio: {}\n", error.text);
    switch (error.kind) {
        case ControlError::Kind::unreachable:
            return kUnreachable;
        case ControlError::Kind::refused:
            return kRefused;
        case ControlError::Kind::several:
            return kMisuse;
    }
    return kUnreachable;
}

void note_without_state(const ControlClient& server) {
    if (!server.serves_nfs4())
        fmt::print(stderr,
                   "helio: the server does not serve NFS 4, so no client has state; see "
                   "helio serve --versions\n");
}

std::string id_text(std::uint64_t id) { return fmt::format("{:016x}", id); }

// The rows of pages, kept.
struct ClientLine {
    client_row row;  // its texts are the next three
    std::string name, implementation, address;
};
struct HoldingLine {
    holding_row row;
    std::string owner, file;
};

Result<std::vector<ClientLine>, ControlError> all_clients(ControlClient& server) {
    std::vector<ClientLine> out;
    auto done = server.each_client([&](const client_row& one) {
        out.push_back({one, printable(as_text(one.owner)), printable(one.implementation),
                       printable(one.address)});
    });
    if (!done) return fail(std::move(done.error()));
    return out;
}

// "/data/docs/a.txt", or "/data#0a0b" if the path is not known.
std::string file_text(const holding_row& row) {
    const std::string_view where = row.export_path.empty() ? "?" : row.export_path;
    if (!row.path.empty())
        return printable(fmt::format("{}{}{}", where, where.ends_with('/') ? "" : "/", row.path));
    std::string out = printable(where) + '#';
    for (const std::byte one : row.file_id)
        out += fmt::format("{:02x}", static_cast<unsigned>(one));
    return out;
}

// Is it this file, or below this directory, or in this export?
bool matches(const HoldingLine& line, const std::string& filter) {
    if (filter.empty() || filter == "/" || line.file == filter) return true;
    if (!line.file.starts_with(filter)) return false;
    const char next = line.file[filter.size()];
    return filter.ends_with('/') || next == '/' || next == '#';
}

std::string share_text(std::uint32_t bits) {
    return bits == 3 ? "read write" : bits == 2 ? "write" : bits == 1 ? "read" : "-";
}

std::string range_text(const holding_row& row) {
    if (row.length == UINT64_MAX) return fmt::format("{}-end", row.offset);
    return fmt::format("{}-{}", row.offset, row.offset + row.length - 1);
}

bool is_lock(const holding_row& row) { return row.kind == helio_control::HOLDING_LOCK; }
const char* type_text(const holding_row& row) {
    return row.type == helio_control::RANGE_READ ? "read" : "write";
}

std::string lease_text(const client_row& row) {
    if (row.expired) return fmt::format("expired, silent for {} s", row.silent_s);
    return fmt::format("{} s left", row.lease_s - std::min(row.silent_s, row.lease_s));
}

void print_clients(const ControlFlags& flags, const std::vector<ClientLine>& clients) {
    if (flags.json) {
        print_json_rows(clients, [](JsonWriter& json, const ClientLine& one) {
            json.member("id", id_text(one.row.id));
            json.member("name", one.name);
            json.member("implementation", one.implementation);
            json.member("address", one.address);
            json.member("version", fmt::format("4.{}", one.row.minor_version));
            json.member("sessions", one.row.sessions);
            json.member("opens", one.row.opens);
            json.member("locks", one.row.locks);
            json.member("silent_s", one.row.silent_s);
            json.member("lease_s", one.row.lease_s);
            json.member("expired", one.row.expired);
            json.member("back_channel", one.row.back_channel);
        });
        return;
    }
    std::vector<std::vector<std::string>> rows{{"id", "address", "nfs", "sessions", "opens",
                                                "locks", "lease", "callbacks", "name",
                                                "implementation"}};
    for (const ClientLine& one : clients)
        rows.push_back({id_text(one.row.id), one.address,
                        fmt::format("4.{}", one.row.minor_version),
                        std::to_string(one.row.sessions), std::to_string(one.row.opens),
                        std::to_string(one.row.locks), lease_text(one.row),
                        one.row.back_channel ? "yes" : "no", one.name, one.implementation});
    fmt::print("{}", aligned(rows));
}

int run_clients(const ControlFlags& flags) {
    auto server = ControlClient::find(flags.target);
    if (!server) return failed(server.error());
    const auto clients = all_clients(*server);
    if (!clients) return failed(clients.error());
    print_clients(flags, *clients);
    note_without_state(*server);
    return kDone;
}

std::uint64_t parse_id(const std::string& text) {
    std::string_view digits = text;
    if (digits.starts_with("0x")) digits.remove_prefix(2);
    std::uint64_t id = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), id, 16);
    if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size())
        throw std::runtime_error(fmt::format(
            "'{}' is not the id of a client: up to 16 hexadecimal digits, as in helio clients",
            printable(text)));
    return id;
}

int run_evict(const ControlFlags& flags) {
    std::vector<std::uint64_t> ids;
    for (const std::string& one : flags.ids) ids.push_back(parse_id(one));
    auto server = ControlClient::find(flags.target);
    if (!server) return failed(server.error());
    int code = kDone;
    for (const std::uint64_t id : ids) {
        const auto done = server->evict(id);
        if (!done) return failed(done.error());
        if (*done) {
            fmt::print("evicted {}\n", id_text(id));
            continue;
        }
        fmt::print(stderr, "helio: there is no client {}; helio clients lists them\n", id_text(id));
        code = kNo;
    }
    return code;
}

void print_holdings(const ControlFlags& flags, const std::vector<HoldingLine>& lines,
                    const std::map<std::uint64_t, std::string>& names) {
    const auto name_of = [&](std::uint64_t id) {
        const auto at = names.find(id);
        return at != names.end() ? at->second : std::string{};
    };
    if (flags.json) {
        print_json_rows(lines, [&](JsonWriter& json, const HoldingLine& one) {
            json.member("kind", is_lock(one.row) ? "lock" : "open");
            json.member("client", id_text(one.row.client));
            json.member("name", name_of(one.row.client));
            json.member("file", one.file);
            json.member("owner", one.owner);
            if (is_lock(one.row)) {
                json.member("type", type_text(one.row));
                json.member("offset", one.row.offset);
                // To the end of the file, however long it becomes.
                json.key("length");
                one.row.length == UINT64_MAX ? json.null() : json.value(one.row.length);
            } else {
                json.member("access", share_text(one.row.access));
                json.member("deny", share_text(one.row.deny));
            }
        });
        return;
    }
    std::vector<std::vector<std::string>> rows{
        {"file", "what", "range", "deny", "client", "name", "owner"}};
    for (const HoldingLine& one : lines)
        rows.push_back({one.file,
                        is_lock(one.row) ? fmt::format("lock {}", type_text(one.row))
                                         : "open " + share_text(one.row.access),
                        is_lock(one.row) ? range_text(one.row) : "-",
                        is_lock(one.row) ? "-" : share_text(one.row.deny), id_text(one.row.client),
                        name_of(one.row.client), one.owner});
    fmt::print("{}", aligned(rows));
}

int run_locks(const ControlFlags& flags) {
    auto server = ControlClient::find(flags.target);
    if (!server) return failed(server.error());
    std::vector<HoldingLine> lines;
    const auto done = server->each_holding([&](const holding_row& one) {
        HoldingLine line{one, printable(as_text(one.owner)), file_text(one)};
        if (matches(line, flags.filter)) lines.push_back(std::move(line));
    });
    if (!done) return failed(done.error());
    const auto clients = all_clients(*server);
    if (!clients) return failed(clients.error());
    std::map<std::uint64_t, std::string> names;
    for (const ClientLine& one : *clients) names.emplace(one.row.id, one.name);
    print_holdings(flags, lines, names);
    note_without_state(*server);
    return kDone;
}

void add_target(Command& verb, ControlFlags& flags) {
    const auto* const state =
        verb.add_option("--state", flags.target.state,
                        "the server's state directory; default: the usual places")
            ->type_name("DIR");
    verb.add_option("--socket", flags.target.socket, "the server's control socket")
        ->type_name("PATH")
        ->excludes(state);
}

}  // namespace

void add_clients(Command& app, int& exit_code) {
    auto flags = std::make_shared<ControlFlags>();
    auto* const verb =
        app.add_subcommand("clients", "List the NFS 4 clients of a running server, and evict them");
    add_target(*verb, *flags);
    verb->add_flag("--json", flags->json, "print JSON (docs/serve.md)");
    verb->footer(kClientsExamples);
    auto* const evict = verb->add_subcommand("evict", "Drop all state of a client");
    evict->add_option("ID", flags->ids, "the client's id, from helio clients")->required();
    evict->callback([flags, &exit_code] { exit_code = run_evict(*flags); });
    verb->let_subcommands_fall_through();
    verb->callback([flags, verb, &exit_code] {
        if (!verb->has_subcommand()) exit_code = run_clients(*flags);
    });
}

void add_locks(Command& app, int& exit_code) {
    auto flags = std::make_shared<ControlFlags>();
    auto* const verb = app.add_subcommand(
        "locks", "List the open files and locks of NFS 4 clients of a running server");
    verb->add_option("FILE", flags->filter, "only this file, directory or export: /data/db");
    add_target(*verb, *flags);
    verb->add_flag("--json", flags->json, "print JSON (docs/serve.md)");
    verb->footer(kLocksExamples);
    verb->callback([flags, &exit_code] { exit_code = run_locks(*flags); });
}

}  // namespace helio::cli
