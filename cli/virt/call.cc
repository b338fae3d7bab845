// helio virt call: calls any procedure of libvirt's programs, with JSON in and out.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "cli/common.h"
#include "cli/virt/virt.h"
#include "helio/base/text/nearest.h"
#include "helio/reflect/arguments.h"
#include "helio/reflect/decode.h"
#include "helio/reflect/json/json.h"
#include "helio/virt/client/objects.h"
#include "helio/virt/client/transfer.h"
#include "schema/builtin.h"

namespace helio::cli {
namespace {

struct VirtCallFlags {
    std::string procedure;
    std::string json;
    std::string domain;
    std::string pool;
    std::string volume;
    std::string output;
    std::string input;
    bool base64 = false;
    bool compact = false;
};

constexpr const char* kVirtCallExamples = R"(Examples:
  helio virt call ConnectGetHostname
  helio virt call DomainGetInfo --domain web1
  helio virt call DomainSetMemory --domain web1 '{"memory": 524288}'
  helio virt call DomainGetInfo '{"dom": {"name": "web1", "uuid": "…32 digits…", "id": -1}}'
  helio virt call DomainScreenshot --domain web1 '{"screen": 0, "flags": 0}' --output shot.ppm
  helio virt call qemu.DomainMonitorCommand --domain web1 '{"cmd": "info version", "flags": 1}'

A procedure is named as in libvirt's API or as in its protocol: DomainGetInfo, virDomainGetInfo,
DOMAIN_GET_INFO, or by its number. Prefix it with qemu., lxc. or admin. for programs other than
remote. --domain, --pool and --volume look up an object and fill in its field.
helio template remote.DOMAIN_GET_INFO prints the arguments as JSON to fill in.)";

// A procedure and its schema.
struct VirtProcedure {
    std::shared_ptr<const idl::Schema> schema;
    const idl::Program* program = nullptr;
    const idl::Version* version = nullptr;
    const idl::Procedure* procedure = nullptr;
};

// Normalises libvirt's different spellings of a name.
std::string plain_name(std::string_view name) {
    std::string out;
    for (const char one : name)
        if (one != '_') out += static_cast<char>(std::tolower(static_cast<unsigned char>(one)));
    return out;
}

bool is_named(const idl::Procedure& one, const std::string& wanted) {
    const std::string name = plain_name(one.short_name);
    return wanted == name || wanted == "vir" + name || wanted == plain_name(one.name) ||
           wanted == std::to_string(one.number);
}

VirtProcedure find_virt_procedure(std::string_view name) {
    std::string_view schema = "remote";
    if (const std::size_t dot = name.find('.'); dot != std::string_view::npos) {
        schema = name.substr(0, dot);
        name.remove_prefix(dot + 1);
        const auto& known = builtin::kLibvirtCallSchemas;
        if (std::find(known.begin(), known.end(), schema) == known.end())
            throw std::runtime_error(fmt::format("libvirt has no program '{}'; it has {}", schema,
                                                 fmt::join(known, ", ")));
    }
    VirtProcedure out;
    out.schema = builtin::parse(schema).schema;
    const std::string wanted = plain_name(name);
    Nearest nearest{wanted};
    std::vector<std::string> names;  // borrowed by `nearest`
    names.reserve(1024);
    std::string_view near;
    for (const auto& program : out.schema->programs)
        for (const auto& version : program.versions)
            for (const auto& procedure : version.procedures) {
                if (is_named(procedure, wanted)) {
                    out.program = &program;
                    out.version = &version;
                    out.procedure = &procedure;
                    return out;
                }
                names.push_back(plain_name(procedure.short_name));
                nearest.offer(names.back());
                if (nearest.found() == names.back()) near = procedure.short_name;
            }
    throw std::runtime_error(fmt::format("{} has no procedure '{}'{}", schema, name,
                                         near.empty() ? "" : fmt::format("; {}?", near)));
}

// ---- Objects named by flags ----

const idl::Type& plain_type(const idl::Type& type) {
    const idl::Type* at = &type;
    while (at->kind == idl::Kind::alias) at = at->element;
    return *at;
}

// The first field of this type.
std::string field_of(const idl::Type& arguments, std::string_view type) {
    if (arguments.kind == idl::Kind::structure)
        for (const auto& field : arguments.fields)
            if (plain_type(*field.type).name == type) return field.name;
    throw std::runtime_error(fmt::format("this procedure has no argument that is a {}", type));
}

std::string hex_of(const virt::Uuid& uuid) {
    std::string out;
    for (const char one : virt::to_text(uuid))
        if (one != '-') out += one;
    return out;
}

// As the first member of an object.
void add_member(std::string& json, std::string_view name, std::string_view value) {
    const std::size_t brace = json.find('{');
    if (brace == std::string::npos || json.find_first_not_of(" \t\r\n") != brace)
        throw std::runtime_error("the arguments are not a JSON object");
    const std::size_t next = json.find_first_not_of(" \t\r\n", brace + 1);
    const bool empty = next != std::string::npos && json[next] == '}';
    json.insert(brace + 1, fmt::format("\"{}\": {}{}", name, value, empty ? "" : ", "));
}

// Keeps bytes that are not UTF-8 intact in JSON.
std::string exact(std::string_view text) {
    std::string out;
    reflect::append_json_text(out, text);
    return out;
}

Task<VirtDone> fill_in(virt::ClientConnection& connection, const VirtCallFlags& flags,
                       const idl::Type& arguments, std::string& json) {
    if (!flags.volume.empty()) {
        const auto volume = co_await virt::find_volume(connection, flags.pool, flags.volume);
        if (!volume) co_return fail(volume.error());
        add_member(json, field_of(arguments, "remote_nonnull_storage_vol"),
                   fmt::format("{{\"pool\": {}, \"name\": {}, \"key\": {}}}", exact(volume->pool),
                               exact(volume->name), exact(volume->key)));
    } else if (!flags.pool.empty()) {
        const auto pool = co_await virt::find_pool(connection, flags.pool);
        if (!pool) co_return fail(pool.error());
        add_member(json, field_of(arguments, "remote_nonnull_storage_pool"),
                   fmt::format("{{\"name\": {}, \"uuid\": \"{}\"}}", exact(pool->name),
                               hex_of(pool->uuid)));
    }
    if (!flags.domain.empty()) {
        const auto domain = co_await virt::find_domain(connection, flags.domain);
        if (!domain) co_return fail(domain.error());
        add_member(json, field_of(arguments, "remote_nonnull_domain"),
                   fmt::format("{{\"name\": {}, \"uuid\": \"{}\", \"id\": {}}}",
                               exact(domain->name), hex_of(domain->uuid), domain->id));
    }
    co_return kDone;
}

// ---- The call ----

int print_virt_results(const VirtCallFlags& flags, const idl::Procedure& procedure,
                       ByteView results) {
    const auto tree = reflect::decode(results, *procedure.result, {.strict = false});
    if (!tree.ok()) {
        fmt::print(stderr, "helio: the reply to {} does not match the schema: {}\n",
                   procedure.short_name, to_string(tree.error));
        return kNo;
    }
    fmt::print("{}\n",
               reflect::to_json(tree, {.base64 = flags.base64, .indent = flags.compact ? 0 : 2}));
    return kDone;
}

// Transfers the data of the stream that the call opened.
Task<VirtDone> transfer(virt::ClientStream& stream, const VirtCallFlags& flags) {
    const bool out = !flags.output.empty();
    const std::string& path = out ? flags.output : flags.input;
    const Fd file{out ? ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
                               S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH)
                      : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    if (!file) co_return fail(virt::local_failure(path, errno));
    Result<std::uint64_t, virt::Failure> done = 0;
    if (out)
        done = co_await virt::receive_into(stream, file.get());
    else
        done = co_await virt::send_from(stream, file.get(), 0, false);
    if (!done) co_return fail(done.error());
    fmt::print(stderr, "helio: {} bytes\n", *done);
    co_return kDone;
}

Task<VirtDone> call_procedure(virt::ClientConnection& connection, const VirtCallFlags& flags,
                              const VirtProcedure& what, const idl::Type& arguments) {
    std::string json = flags.json.empty() ? "" : read_json_argument(flags.json);
    if (json.empty()) json = arguments.kind == idl::Kind::void_ ? "null" : "{}";
    const auto filled = co_await fill_in(connection, flags, arguments, json);
    if (!filled) co_return filled;
    const auto bytes = reflect::encode(arguments, json);
    if (!bytes) {
        fmt::print(stderr, "helio: {}: {}\n", what.procedure->short_name, to_string(bytes.error()));
        co_return kNo;
    }
    const bool has_stream = !flags.output.empty() || !flags.input.empty();
    virt::ClientStream stream{connection};
    auto call =
        has_stream
            ? stream.begin(what.program->number, what.version->number, what.procedure->number)
            : connection.begin(what.program->number, what.version->number, what.procedure->number);
    xdr::send_or_fail(*call, call->arguments().append(*bytes));
    const xdr::Reader* const results = co_await virt::CallEnd{*call};
    if (results == nullptr) co_return fail(connection.failure(call->why()));
    const int code = print_virt_results(flags, *what.procedure, results->rest());
    if (code != kDone || !has_stream) co_return code;
    auto moved = co_await transfer(stream, flags);
    co_return moved;
}

void check_stream(const VirtCallFlags& flags, const idl::Procedure& procedure) {
    const auto* const stream = procedure.annotation("stream");
    const bool given = !flags.output.empty() || !flags.input.empty();
    if (stream == nullptr && given)
        throw std::runtime_error(fmt::format("{} uses no stream", procedure.short_name));
    if (stream == nullptr) return;
    const bool reads = stream->argument.starts_with("read");
    if (flags.output.empty() == reads || flags.input.empty() != reads)
        throw std::runtime_error(fmt::format("{} uses a stream; add --{} FILE",
                                             procedure.short_name, reads ? "output" : "input"));
}

int run_virt_call(const VirtFlags& common, const VirtCallFlags& flags) {
    const VirtProcedure what = find_virt_procedure(flags.procedure);
    if (what.procedure->has("event"))
        throw std::runtime_error(fmt::format(
            "{} is an event, which daemons send; it cannot be called", what.procedure->short_name));
    check_stream(flags, *what.procedure);
    const reflect::Arguments arguments{*what.procedure};
    return with_virt(common, [&](virt::Client& client) {
        return client.run(call_procedure(client.connection(), flags, what, arguments.type()));
    });
}

}  // namespace

void add_virt_call(Command& virt, VirtFlagsRef common, int& exit_code) {
    auto flags = std::make_shared<VirtCallFlags>();
    auto* const verb =
        virt.add_subcommand("call", "Call any procedure of libvirt's programs: JSON in, JSON out");
    verb->add_option("PROCEDURE", flags->procedure, "procedure to call: DomainGetInfo")->required();
    verb->add_option("JSON", flags->json, "arguments, @FILE, or - for standard input");
    verb->add_option("--domain", flags->domain, "domain to fill in as an argument");
    verb->add_option("--pool", flags->pool,
                     "storage pool to fill in as an argument, or the pool of --volume");
    verb->add_option("--volume", flags->volume, "volume to fill in as an argument");
    auto* const output =
        verb->add_option("--output", flags->output, "file to write the stream's data to");
    verb->add_option("--input", flags->input, "file to send through the stream")->excludes(output);
    verb->add_flag("--base64", flags->base64, "print opaque data as base64");
    verb->add_flag("--compact", flags->compact, "print the result on one line");
    verb->footer(kVirtCallExamples);
    verb->callback([flags, common, &exit_code] { exit_code = run_virt_call(*common, *flags); });
}

}  // namespace helio::cli
