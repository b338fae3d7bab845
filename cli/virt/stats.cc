// helio virt domstats: statistics of many domains with one call.
#include <cstdio>
#include <vector>

#include <fmt/format.h>

#include "cli/common.h"
#include "cli/virt/virt.h"
#include "helio/base/text/escape.h"
#include "helio/virt/client/objects.h"
#include "schema/remote_service.h"

namespace helio::cli {
namespace {

using RemoteProgram = remote::REMOTE_PROTOCOL_VERSION;

struct StatsFlags {
    std::vector<std::string> domains;
    std::uint32_t groups = 0;  // virDomainStatsTypes; 0: all that the driver has
    bool json = false;
};

// In the order of their bits.
constexpr const char* kStatsGroups[] = {"state",     "cpu-total", "balloon", "vcpu",
                                        "interface", "block",     "perf",    "iothread",
                                        "memory",    "dirtyrate", "vm"};

std::string value_text(const remote::remote_typed_param_value& value, bool json) {
    switch (static_cast<std::uint32_t>(value.type())) {
        case virnet::VIR_TYPED_PARAM_INT:
            return fmt::format("{}", value.i());
        case virnet::VIR_TYPED_PARAM_UINT:
            return fmt::format("{}", value.ui());
        case virnet::VIR_TYPED_PARAM_LLONG:
            return fmt::format("{}", value.l());
        case virnet::VIR_TYPED_PARAM_ULLONG:
            return fmt::format("{}", value.ul());
        case virnet::VIR_TYPED_PARAM_DOUBLE:
            return fmt::format("{:.6f}", value.d());
        case virnet::VIR_TYPED_PARAM_BOOLEAN:
            if (json) return value.b() != 0 ? "true" : "false";
            return value.b() != 0 ? "yes" : "no";
        case virnet::VIR_TYPED_PARAM_STRING:
            return json ? json_string(value.s()) : escaped(value.s());
        default:
            return "null";
    }
}

void print_stats(xdr::Array<remote::remote_domain_stats_record> records, bool json) {
    if (!json) {
        for (const auto& record : records) {
            fmt::print("{}\n", escaped(record.dom.name));
            for (const auto& one : record.params)
                fmt::print("  {}={}\n", escaped(one.field), value_text(one.value, false));
        }
        return;
    }
    print_json_rows(records, [](JsonWriter& row, const auto& record) {
        row.member("name", record.dom.name);
        row.member("uuid", virt::to_text(record.dom.uuid));
        for (const auto& one : record.params) {
            row.text_key(one.field);
            row.raw(value_text(one.value, true));
        }
    });
}

Task<VirtDone> domain_stats(virt::ClientConnection& connection, StatsFlags flags) {
    std::vector<virt::DomainRef> found;
    for (const std::string& word : flags.domains) {
        auto one = co_await virt::find_domain(connection, word);
        if (!one) co_return fail(one.error());
        found.push_back(std::move(*one));
    }
    std::vector<remote::remote_nonnull_domain> domains;
    for (const auto& one : found) domains.push_back(one.wire());
    remote::remote_connect_get_all_domain_stats_args args;
    args.doms = domains;
    args.stats = flags.groups;
    RemoteProgram::AsyncClient remote{connection};
    const auto answer = co_await remote.CONNECT_GET_ALL_DOMAIN_STATS(args);
    if (!answer) co_return fail(connection.failure(answer.error()));
    print_stats((*answer)->retStats, flags.json);
    co_return kDone;
}

}  // namespace

void add_virt_stats(Command& virt, VirtFlagsRef common, int& exit_code) {
    auto flags = std::make_shared<StatsFlags>();
    auto* const verb = virt.add_subcommand("domstats", "Print domain statistics");
    verb->add_option("DOMAIN", flags->domains, "domains to show. Default: all");
    std::uint32_t bit = 1;
    for (const char* const group : kStatsGroups) {
        verb->add_flag_callback(
            std::string("--") + group, [flags, bit] { flags->groups |= bit; },
            "only this group (may be combined). Default: all groups");
        bit <<= 1;
    }
    verb->add_flag("--json", flags->json, "print JSON");
    verb->callback([flags, common, &exit_code] {
        exit_code = with_virt(*common, [&](virt::Client& client) {
            return client.run(domain_stats(client.connection(), *flags));
        });
    });
}

}  // namespace helio::cli
