// helio call: calls any procedure of any program, with JSON in and out.
#include <cerrno>
#include <cstdio>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/common.h"
#include "cli/explain/message_words.h"
#include "cli/schemas.h"
#include "cli/target.h"
#include "helio/reflect/arguments.h"
#include "helio/reflect/decode.h"
#include "helio/reflect/json/json.h"
#include "helio/transport/client/client.h"

namespace helio::cli {
namespace {

struct CallFlags {
    // HOST PROCEDURE [JSON]; with --unix, PROCEDURE [JSON].
    std::string host_or_procedure, procedure_or_json, json;
    std::vector<std::string> schemas;
    std::string unix_path;
    std::string timeout = "10s";
    std::string auth = "sys";
    std::uint32_t repeat = 1;
    bool udp = false;
    bool rdma = false;
    bool reserved_port = false;
    bool show_bytes = false;
    bool base64 = false;
    bool compact = false;
};

constexpr const char* kCallExamples = R"(Examples:
  helio call localhost rpcb.GETTIME
  helio call localhost rpcb.2.GETPORT '{"prog": 100003, "vers": 3, "prot": 6, "port": 0}'
  helio call nfs.example.org mount.MNT '"/export"'
  helio template nfs3.GETATTR > args.json     then fill in the handle, and:
  helio call nfs.example.org:2049 nfs3.GETATTR @args.json
  echo '{"a": 1, "b": 2}' | helio call --schema my.x localhost:4000 my.ADD -
  helio call --unix /run/my.sock --schema my.x my.HELLO '"you"'
  helio call --rdma nfs.example.org nfs3.GETATTR @args.json

Without a port, helio asks the host's rpcbind. If that does not answer, helio tries port 2049 for NFS.
With --rdma the default port is 20049. docs/json-mapping.md describes the JSON. Omit it for procedures
without arguments. A result with an error status, such as {"status": "NFS3ERR_STALE"}, counts as success.
Exit status: 0 the result was printed, 1 the JSON or the reply does not match the schema, 2 wrong usage,
3 the server could not be reached or did not answer in time, 4 the server refused the call.)";

struct PositionalArguments {
    std::string host;  // empty with --unix
    std::string procedure;
    std::string json;
};

PositionalArguments positional_arguments(const CallFlags& flags) {
    if (!flags.unix_path.empty()) {
        if (!flags.json.empty())
            throw std::runtime_error("--unix replaces HOST; give only PROCEDURE and its JSON");
        return {"", flags.host_or_procedure, flags.procedure_or_json};
    }
    if (flags.procedure_or_json.empty())
        throw std::runtime_error("HOST and PROCEDURE are required; see helio call --help");
    return {flags.host_or_procedure, flags.procedure_or_json, flags.json};
}

// A procedure without arguments needs no JSON.
std::string json_of(const PositionalArguments& given, const SchemaEntry& found,
                    const idl::Type& arguments) {
    if (!given.json.empty()) return read_json_argument(given.json);
    if (arguments.kind == idl::Kind::void_) return "null";
    throw std::runtime_error(
        fmt::format("{0} takes arguments, as JSON, @FILE, or - for standard input; helio template "
                    "{0} prints a template",
                    found.name()));
}

int report(const SchemaEntry& found, const Target& target, const CallFlags& flags,
           const xdr::CallError& error) {
    std::fflush(stdout);
    if (error.outcome == xdr::Outcome::unreachable && error.error_number == EMSGSIZE)
        throw std::runtime_error(
            flags.rdma ? "the call is too long for RDMA; the limit is 4 MiB"
                       : "the call is too long for a datagram; use TCP (without --udp)");
    std::string why = rpc::to_text(error);
    if (flags.rdma && error.error_number == ENOMEM)
        why += " (RDMA locks a few MiB of memory: is ulimit -l too low?)";
    if (error.outcome == xdr::Outcome::timed_out) why += fmt::format(" ({})", flags.timeout);
    fmt::print(stderr, "helio: {} at {}: {}\n", found.name(), target.shown(flags.udp), why);
    return exit_code_of(error);
}

// Nonzero padding is the server's mistake, but the answer is still printed.
int print_results(const SchemaEntry& found, const CallFlags& flags, ByteView results) {
    const idl::Type& type = *found.procedure->result;
    auto tree = reflect::decode(results, type);
    if (!tree.ok()) {
        const auto strict_error = tree.error;
        tree = reflect::decode(results, type, {.strict = false});
        fmt::print(stderr, "helio: the reply to {} {}: {}\n", found.name(),
                   tree.ok() ? "violates the XDR rules" : "does not match the schema",
                   to_string(strict_error));
        if (!tree.ok()) return kNo;
    }
    fmt::print("{}\n",
               reflect::to_json(tree, {.base64 = flags.base64, .indent = flags.compact ? 0 : 2}));
    return kDone;
}

std::string title_of(transport::Direction direction, ByteView message) {
    return fmt::format("{} {} bytes", direction == transport::Direction::sent ? "sent" : "received",
                       message.size());
}

int run(const CallFlags& flags) {
    const PositionalArguments given = positional_arguments(flags);
    Schemas schemas{flags.schemas};
    const SchemaEntry found = schemas.procedure(given.procedure);
    require_onc(found);
    const reflect::Arguments arguments{*found.procedure};
    const std::string json = json_of(given, found, arguments.type());
    const auto bytes = reflect::encode(arguments.type(), json);
    if (!bytes) {
        fmt::print(stderr, "helio: {}: {}{}\n", found.name(), to_string(bytes.error()),
                   json_hint(given.json, json));
        return kNo;
    }

    const auto timeout = parse_duration(flags.timeout);
    const auto target = find_target({given.host, flags.unix_path, flags.udp, timeout, flags.rdma},
                                    found.program->number, found.version->number);
    if (!target) {
        fmt::print(stderr, "helio: {}\n", target.error());
        return kUnreachable;
    }
    transport::ClientOptions options;
    options.credential = parse_credential(flags.auth);
    options.udp = flags.udp;
    options.fabric = target->fabric;
    options.reserved_port = flags.reserved_port;
    options.call_timeout = timeout;
    std::optional<MessageWords> words;
    if (flags.show_bytes) {
        words.emplace([](std::string_view text) { fmt::print(stderr, "{}", text); }, flags.schemas);
        options.watch = [&words](transport::Direction direction, ByteView message) {
            std::fflush(stdout);
            words->append(0, title_of(direction, message), message);
        };
    }
    transport::Client client{target->servers, options};
    for (std::uint32_t i = 0; i < flags.repeat; ++i) {
        const bool idempotent = found.procedure->has("idempotent") || found.procedure->number == 0;
        const auto results = client.call(found.program->number, found.version->number,
                                         found.procedure->number, *bytes, idempotent);
        if (!results) return report(found, *target, flags, results.error());
        if (const int code = print_results(found, flags, *results); code != kDone) return code;
    }
    return kDone;
}

}  // namespace

void add_call(Command& app, int& exit_code) {
    auto flags = std::make_shared<CallFlags>();
    auto* const verb =
        app.add_subcommand("call", "Call any procedure of any program: JSON in, JSON out");
    verb->add_option("HOST", flags->host_or_procedure,
                     "HOST, HOST:PORT or unix:PATH; not with --unix")
        ->required();
    verb->add_option("PROCEDURE", flags->procedure_or_json,
                     "procedure to call: nfs3.GETATTR, mount.1.MNT");
    verb->add_option("JSON", flags->json, "arguments, @FILE, or - for standard input");
    verb->add_option("--schema", flags->schemas,
                     "a .x file that is searched first; may be repeated")
        ->allow_extra_args(false)
        ->existing_file();
    auto* const unix_path =
        verb->add_option("--unix", flags->unix_path, "the server's AF_UNIX socket, instead of HOST")
            ->type_name("PATH");
    auto* const udp =
        verb->add_flag("--udp", flags->udp, "over UDP instead of TCP")->excludes(unix_path);
    verb->add_flag("--rdma", flags->rdma, "over RDMA (RFC 8166) instead of TCP; port 20049")
        ->excludes(unix_path)
        ->excludes(udp);
    verb->add_option("--auth", flags->auth, "credential: none, sys (this user) or sys:UID:GID,GID")
        ->capture_default_str()
        ->check(check_credential);
    verb->add_option("--timeout", flags->timeout, "how long to wait for each answer: 500ms, 2s")
        ->capture_default_str()
        ->check(check_duration);
    verb->add_option("--repeat", flags->repeat,
                     "make the call this many times, one after the other")
        ->capture_default_str()
        ->range(1u, std::numeric_limits<std::uint32_t>::max());
    verb->add_flag("--reserved-port", flags->reserved_port,
                   "call from a port below 1024 if permitted");
    verb->add_flag("--show-bytes", flags->show_bytes,
                   "print every word of the call and the reply on standard error");
    verb->add_flag("--base64", flags->base64, "print opaque data as base64");
    verb->add_flag("--compact", flags->compact, "print the result on one line");
    verb->footer(kCallExamples);
    verb->callback([flags, &exit_code] { exit_code = run(*flags); });
}

}  // namespace helio::cli
