// helio virt list, dumpxml, start, shutdown, …: domains and their life cycle.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "cli/common.h"
#include "cli/virt/virt.h"
#include "helio/base/text/escape.h"
#include "helio/virt/client/objects.h"
#include "schema/remote_codec.h"
#include "schema/remote_service.h"

namespace helio::cli {
namespace {

using RemoteProgram = remote::REMOTE_PROTOCOL_VERSION;

// ---- list ----

struct VirtListFlags {
    bool all = false;
    bool inactive = false;
    bool json = false;
    bool name_only = false;
};

void print_domains(const VirtListFlags& flags, const std::vector<virt::DomainRow>& domains) {
    if (flags.json) {
        print_json_rows(domains, [](JsonWriter& row, const auto& one) {
            row.member("name", one.domain.name);
            row.member("uuid", virt::to_text(one.domain.uuid));
            row.key("id");
            one.domain.id < 0 ? row.null() : row.value(one.domain.id);
            row.member("state", virt::state_name(one.state));
        });
        return;
    }
    std::vector<std::vector<std::string>> rows;
    if (!flags.name_only) rows.push_back({"id", "name", "state"});
    for (const auto& one : domains) {
        std::string name = escaped(one.domain.name);
        if (flags.name_only)
            rows.push_back({std::move(name)});
        else
            rows.push_back({one.domain.id < 0 ? "-" : std::to_string(one.domain.id),
                            std::move(name), std::string(virt::state_name(one.state))});
    }
    fmt::print("{}", aligned(rows));
}

VirtDone run_list(virt::Client& client, const VirtListFlags& flags) {
    const auto which = flags.all        ? virt::Which::all
                       : flags.inactive ? virt::Which::inactive
                                        : virt::Which::active;
    const auto domains = client.run(virt::list_domains(client.connection(), which));
    if (!domains) return fail(domains.error());
    print_domains(flags, *domains);
    return kDone;
}

void add_list_verb(Command& virt, const VirtFlagsRef& common, int& exit_code) {
    auto flags = std::make_shared<VirtListFlags>();
    auto* const verb = virt.add_subcommand("list", "List domains and their state");
    auto* const all = verb->add_flag("--all", flags->all, "include domains that are not running");
    verb->add_flag("--inactive", flags->inactive, "only domains that are not running")
        ->excludes(all);
    auto* const json = verb->add_flag("--json", flags->json, "print JSON");
    verb->add_flag("--name", flags->name_only, "print only names")->excludes(json);
    verb->callback([flags, common, &exit_code] {
        exit_code =
            with_virt(*common, [&](virt::Client& client) { return run_list(client, *flags); });
    });
}

// ---- Verbs that do one thing to a domain ----

struct LifeVerb {
    const char* verb;
    std::uint32_t procedure;
    const char* help;
    const char* done;
    bool has_flags;  // flags follow the domain in the arguments
};
constexpr LifeVerb kLifeVerbs[] = {
    {"start", RemoteProgram::DOMAIN_CREATE, "Start a defined domain", "started", false},
    {"shutdown", RemoteProgram::DOMAIN_SHUTDOWN, "Ask the guest to shut down", "is being shut down",
     false},
    {"reboot", RemoteProgram::DOMAIN_REBOOT, "Ask the guest to reboot", "is being rebooted", true},
    {"destroy", RemoteProgram::DOMAIN_DESTROY,
     "Stop a domain immediately, without shutting down the guest", "destroyed", false},
    {"suspend", RemoteProgram::DOMAIN_SUSPEND, "Pause a domain", "suspended", false},
    {"resume", RemoteProgram::DOMAIN_RESUME, "Resume a paused domain", "resumed", false},
    {"undefine", RemoteProgram::DOMAIN_UNDEFINE_FLAGS, "Remove a domain's definition", "undefined",
     true},
};

Task<VirtDone> change_domain(virt::ClientConnection& connection, const LifeVerb& verb,
                             std::string word) {
    const auto domain = co_await virt::find_domain(connection, word);
    if (!domain) co_return fail(domain.error());
    auto call = connection.begin(RemoteProgram::program, RemoteProgram::version, verb.procedure);
    bool written = encode_remote_nonnull_domain(call->arguments(), domain->wire());
    const std::byte no_flags[4] = {};
    if (verb.has_flags) written = written && call->arguments().append(no_flags);
    xdr::send_or_fail(*call, written);
    xdr::Call<void> answer{std::move(call)};
    const auto done = co_await std::move(answer);
    if (!done) co_return fail(connection.failure(done.error()));
    fmt::print("{} {}\n", escaped(domain->name), verb.done);
    co_return kDone;
}

void add_life_verbs(Command& virt, const VirtFlagsRef& common, int& exit_code) {
    for (const LifeVerb& one : kLifeVerbs) {
        auto word = std::make_shared<std::string>();
        auto* const verb = virt.add_subcommand(one.verb, one.help);
        verb->add_option("DOMAIN", *word, "name, UUID or ID of the domain")->required();
        verb->callback([word, common, &one, &exit_code] {
            exit_code = with_virt(*common, [&](virt::Client& client) {
                return client.run(change_domain(client.connection(), one, *word));
            });
        });
    }
}

// ---- XML in and out ----

struct DumpFlags {
    std::string domain;
    bool inactive = false;
    bool secure = false;
};

VirtDone dump_xml(virt::Client& client, const DumpFlags& flags) {
    const auto found = client.run(get_domain_xml(
        client.connection(), flags.domain,
        (flags.secure ? kDomainXmlSecure : 0) | (flags.inactive ? kDomainXmlInactive : 0)));
    if (!found) return fail(found.error());
    print_document(found->xml);
    return kDone;
}

void add_dumpxml(Command& virt, const VirtFlagsRef& common, int& exit_code) {
    auto flags = std::make_shared<DumpFlags>();
    auto* const verb = virt.add_subcommand("dumpxml", "Print a domain's definition as XML");
    verb->add_option("DOMAIN", flags->domain, "name, UUID or ID of the domain")->required();
    verb->add_flag("--inactive", flags->inactive, "the definition for the next start");
    verb->add_flag("--security-info", flags->secure, "include passwords");
    verb->callback([flags, common, &exit_code] {
        exit_code =
            with_virt(*common, [&](virt::Client& client) { return dump_xml(client, *flags); });
    });
}

std::string read_xml(const std::string& path) {
    if (path == "-") {
        std::string text;
        char piece[65536];
        while (const std::size_t got = std::fread(piece, 1, sizeof piece, stdin))
            text.append(piece, got);
        return text;
    }
    std::ifstream file{path, std::ios::binary};
    if (!file) throw std::runtime_error(fmt::format("cannot read {}", path));
    return {std::istreambuf_iterator<char>{file}, {}};
}

VirtDone define(virt::Client& client, const std::string& xml) {
    const auto name = client.run(define_domain(client.connection(), xml));
    if (!name) return fail(name.error());
    fmt::print("{} defined\n", escaped(*name));
    return kDone;
}

void add_define(Command& virt, const VirtFlagsRef& common, int& exit_code) {
    auto path = std::make_shared<std::string>();
    auto* const verb = virt.add_subcommand("define", "Define or redefine a domain from XML");
    verb->add_option("FILE", *path, "XML file, or - for standard input")->required();
    verb->callback([path, common, &exit_code] {
        const std::string xml = read_xml(*path);
        exit_code = with_virt(*common, [&](virt::Client& client) { return define(client, xml); });
    });
}

}  // namespace

Task<Result<DomainXml, virt::Failure>> get_domain_xml(virt::ClientConnection& connection,
                                                      std::string word, std::uint32_t flags) {
    const auto domain = co_await virt::find_domain(connection, word);
    if (!domain) co_return fail(domain.error());
    remote::remote_domain_get_xml_desc_args args;
    args.dom = domain->wire();
    args.flags = flags;
    RemoteProgram::AsyncClient remote{connection};
    const auto answer = co_await remote.DOMAIN_GET_XML_DESC(args);
    if (!answer) co_return fail(connection.failure(answer.error()));
    co_return DomainXml{std::string(domain->name), std::string((*answer)->xml)};
}

Task<Result<std::string, virt::Failure>> define_domain(virt::ClientConnection& connection,
                                                       std::string xml) {
    remote::remote_domain_define_xml_args args;
    args.xml = xml;
    RemoteProgram::AsyncClient remote{connection};
    const auto answer = co_await remote.DOMAIN_DEFINE_XML(args);
    if (!answer) co_return fail(connection.failure(answer.error()));
    co_return std::string((*answer)->dom.name);
}

void add_virt_domains(Command& virt, VirtFlagsRef flags, int& exit_code) {
    add_list_verb(virt, flags, exit_code);
    add_dumpxml(virt, flags, exit_code);
    add_life_verbs(virt, flags, exit_code);
    add_define(virt, flags, exit_code);
}

}  // namespace helio::cli
