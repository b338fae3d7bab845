// helio virt nodeinfo, capabilities, net-list: the host itself.
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

Task<VirtDone> node_info(virt::ClientConnection& connection, bool json) {
    RemoteProgram::AsyncClient remote{connection};
    const auto answer = co_await remote.NODE_GET_INFO();
    if (!answer) co_return fail(connection.failure(answer.error()));
    const auto& node = **answer;
    std::string model;
    for (const auto letter : node.model) {
        if (letter == 0) break;
        model += static_cast<char>(letter);
    }
    if (json) {
        std::string out;
        JsonWriter object{out};
        object.open('{');
        object.member("model", model);
        object.member("memory_kib", node.memory);
        object.member("cpus", node.cpus);
        object.member("mhz", node.mhz);
        object.member("nodes", node.nodes);
        object.member("sockets", node.sockets);
        object.member("cores", node.cores);
        object.member("threads", node.threads);
        object.close('}');
        fmt::print("{}\n", out);
        co_return kDone;
    }
    fmt::print("{}", aligned({{"model", escaped(model)},
                              {"CPUs", fmt::format("{}", node.cpus)},
                              {"frequency", fmt::format("{} MHz", node.mhz)},
                              {"sockets", fmt::format("{}", node.sockets)},
                              {"cores per socket", fmt::format("{}", node.cores)},
                              {"threads per core", fmt::format("{}", node.threads)},
                              {"NUMA cells", fmt::format("{}", node.nodes)},
                              {"memory", fmt::format("{} KiB", node.memory)}}));
    co_return kDone;
}

Task<VirtDone> capabilities(virt::ClientConnection& connection) {
    RemoteProgram::AsyncClient remote{connection};
    const auto answer = co_await remote.CONNECT_GET_CAPABILITIES();
    if (!answer) co_return fail(connection.failure(answer.error()));
    print_document((*answer)->capabilities);
    co_return kDone;
}

VirtDone run_net_list(virt::Client& client, bool all, bool json) {
    const auto networks = client.run(
        virt::list_networks(client.connection(), all ? virt::Which::all : virt::Which::active));
    if (!networks) return fail(networks.error());
    if (json) {
        print_json_rows(*networks, [](JsonWriter& row, const auto& one) {
            row.member("name", one.network.name);
            row.member("uuid", virt::to_text(one.network.uuid));
            row.member("active", one.active);
            row.member("autostart", one.autostart);
            row.member("persistent", one.persistent);
        });
        return kDone;
    }
    std::vector<std::vector<std::string>> rows{{"name", "state", "autostart", "persistent"}};
    for (const auto& one : *networks)
        rows.push_back({escaped(one.network.name), one.active ? "active" : "inactive",
                        one.autostart ? "yes" : "no", one.persistent ? "yes" : "no"});
    fmt::print("{}", aligned(rows));
    return kDone;
}

}  // namespace

void add_virt_host(Command& virt, VirtFlagsRef flags, int& exit_code) {
    auto json = std::make_shared<bool>(false);
    auto* const node = virt.add_subcommand("nodeinfo", "Print the host's processors and memory");
    node->add_flag("--json", *json, "print JSON");
    node->callback([json, flags, &exit_code] {
        exit_code = with_virt(*flags, [&](virt::Client& client) {
            return client.run(node_info(client.connection(), *json));
        });
    });
    virt.add_subcommand("capabilities", "Print the driver's capabilities as XML")
        ->callback([flags, &exit_code] {
            exit_code = with_virt(*flags, [](virt::Client& client) {
                return client.run(capabilities(client.connection()));
            });
        });
    auto all = std::make_shared<bool>(false);
    auto* const nets = virt.add_subcommand("net-list", "List virtual networks");
    nets->add_flag("--all", *all, "include inactive networks");
    nets->add_flag("--json", *json, "print JSON");
    nets->callback([all, json, flags, &exit_code] {
        exit_code = with_virt(
            *flags, [&](virt::Client& client) { return run_net_list(client, *all, *json); });
    });
}

}  // namespace helio::cli
