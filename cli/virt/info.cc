// helio virt version, dominfo, domstate, domifaddr, snapshot-list, net-dumpxml, net-start,
// net-destroy, vol-info: the first questions of a virsh user, about one object at a time.
#include <cstdio>
#include <vector>

#include <fmt/format.h>

#include "cli/common.h"
#include "cli/virt/virt.h"
#include "helio/base/text/escape.h"
#include "helio/base/text/time_text.h"
#include "helio/virt/client/objects.h"
#include "schema/remote_service.h"

namespace helio::cli {
namespace {

using Remote = remote::REMOTE_PROTOCOL_VERSION::AsyncClient;
using Rows = std::vector<std::vector<std::string>>;

constexpr std::uint64_t kNanosecondsInTenth = 100'000'000;

// 9000000 is 9.0.0.
std::string version_text(std::uint64_t number) {
    return fmt::format("{}.{}.{}", number / 1'000'000, number / 1000 % 1000, number % 1000);
}

Task<VirtDone> show_version(virt::ClientConnection& connection, std::string) {
    Remote remote{connection};
    const auto library = co_await remote.CONNECT_GET_LIB_VERSION();
    if (!library) co_return fail(connection.failure(library.error()));
    Rows rows{{"helio", HELIO_VERSION},
              {"the daemon's libvirt", version_text((*library)->lib_ver)}};
    std::string driver;
    {
        const auto type = co_await remote.CONNECT_GET_TYPE();
        if (!type) co_return fail(connection.failure(type.error()));
        driver = escaped((*type)->type);
    }
    const auto hypervisor = co_await remote.CONNECT_GET_VERSION();
    if (hypervisor)
        rows.push_back(
            {"hypervisor", fmt::format("{} {}", driver, version_text((*hypervisor)->hv_ver))});
    fmt::print("{}", aligned(rows));
    co_return kDone;
}

// ---- Domains ----

Task<VirtDone> show_state(virt::ClientConnection& connection, std::string word) {
    const auto domain = co_await virt::find_domain(connection, word);
    if (!domain) co_return fail(domain.error());
    remote::remote_domain_get_state_args args;
    args.dom = domain->wire();
    Remote remote{connection};
    const auto answer = co_await remote.DOMAIN_GET_STATE(args);
    if (!answer) co_return fail(connection.failure(answer.error()));
    fmt::print("{}\n", virt::state_name((*answer)->state));
    co_return kDone;
}

Task<VirtDone> show_domain(virt::ClientConnection& connection, std::string word) {
    const auto domain = co_await virt::find_domain(connection, word);
    if (!domain) co_return fail(domain.error());
    Remote remote{connection};
    remote::remote_domain_get_info_args info_args;
    info_args.dom = domain->wire();
    Rows rows{{"id", domain->id < 0 ? "-" : std::to_string(domain->id)},
              {"name", escaped(domain->name)},
              {"UUID", virt::to_text(domain->uuid)}};
    {
        const auto info = co_await remote.DOMAIN_GET_INFO(info_args);
        if (!info) co_return fail(connection.failure(info.error()));
        const auto& about = **info;
        const std::uint64_t tenths = about.cpuTime / kNanosecondsInTenth;
        rows.push_back({"state", std::string(virt::state_name(about.state))});
        rows.push_back({"CPUs", std::to_string(about.nrVirtCpu)});
        rows.push_back({"CPU time", fmt::format("{}.{} s", tenths / 10, tenths % 10)});
        rows.push_back({"max memory", fmt::format("{} KiB", about.maxMem)});
        rows.push_back({"used memory", fmt::format("{} KiB", about.memory)});
    }
    // The rest is omitted if a driver does not know it.
    remote::remote_domain_is_persistent_args persistent_args;
    persistent_args.dom = domain->wire();
    if (const auto answer = co_await remote.DOMAIN_IS_PERSISTENT(persistent_args))
        rows.push_back({"persistent", (*answer)->persistent != 0 ? "yes" : "no"});
    remote::remote_domain_get_autostart_args autostart_args;
    autostart_args.dom = domain->wire();
    if (const auto answer = co_await remote.DOMAIN_GET_AUTOSTART(autostart_args))
        rows.push_back({"autostart", (*answer)->autostart != 0 ? "yes" : "no"});
    if (connection.is_lost()) co_return fail(connection.failure({}));
    fmt::print("{}", aligned(rows));
    co_return kDone;
}

Task<VirtDone> show_addresses(virt::ClientConnection& connection, std::string word) {
    const auto domain = co_await virt::find_domain(connection, word);
    if (!domain) co_return fail(domain.error());
    remote::remote_domain_interface_addresses_args args;
    args.dom = domain->wire();
    args.source = 0;  // VIR_DOMAIN_INTERFACE_ADDRESSES_SRC_LEASE
    Remote remote{connection};
    const auto answer = co_await remote.DOMAIN_INTERFACE_ADDRESSES(args);
    if (!answer) co_return fail(connection.failure(answer.error()));
    Rows rows{{"name", "MAC address", "address"}};
    for (const auto& one : (*answer)->ifaces)
        for (const auto& address : one.addrs)
            rows.push_back({escaped(one.name), one.hwaddr == nullptr ? "-" : escaped(*one.hwaddr),
                            fmt::format("{}/{}", escaped(address.addr), address.prefix)});
    fmt::print("{}", aligned(rows));
    co_return kDone;
}

// The text of the first element of that name; a snapshot's own elements come before its domain's.
std::string element_text(std::string_view xml, std::string_view name) {
    const std::string open = fmt::format("<{}>", name);
    const std::size_t begin = xml.find(open);
    if (begin == std::string_view::npos) return "";
    xml.remove_prefix(begin + open.size());
    return std::string{xml.substr(0, xml.find('<'))};
}

Task<VirtDone> list_snapshots(virt::ClientConnection& connection, std::string word) {
    const auto domain = co_await virt::find_domain(connection, word);
    if (!domain) co_return fail(domain.error());
    Remote remote{connection};
    remote::remote_domain_list_all_snapshots_args args;
    args.dom = domain->wire();
    args.need_results = 1;
    std::vector<std::string> names;
    {
        const auto answer = co_await remote.DOMAIN_LIST_ALL_SNAPSHOTS(args);
        if (!answer) co_return fail(connection.failure(answer.error()));
        for (const auto& one : (*answer)->snapshots) names.emplace_back(one.name);
    }
    Rows rows{{"name", "created", "state"}};
    for (const std::string& name : names) {
        remote::remote_domain_snapshot_get_xml_desc_args xml_args;
        xml_args.snap.name = name;
        xml_args.snap.dom = domain->wire();
        const auto answer = co_await remote.DOMAIN_SNAPSHOT_GET_XML_DESC(xml_args);
        if (!answer) co_return fail(connection.failure(answer.error()));
        const std::string created = element_text((*answer)->xml, "creationTime");
        const bool number = !created.empty() && created.size() <= 12 &&
                            created.find_first_not_of("0123456789") == std::string::npos;
        rows.push_back({escaped(name), number ? rfc3339_seconds(std::stoll(created)) + "Z" : "-",
                        escaped(element_text((*answer)->xml, "state"))});
    }
    fmt::print("{}", aligned(rows));
    co_return kDone;
}

// ---- Networks ----

Task<VirtDone> dump_network(virt::ClientConnection& connection, std::string word) {
    const auto network = co_await virt::find_network(connection, word);
    if (!network) co_return fail(network.error());
    remote::remote_network_get_xml_desc_args args;
    args.net = network->wire();
    Remote remote{connection};
    const auto answer = co_await remote.NETWORK_GET_XML_DESC(args);
    if (!answer) co_return fail(connection.failure(answer.error()));
    print_document((*answer)->xml);
    co_return kDone;
}

Task<VirtDone> start_network(virt::ClientConnection& connection, std::string word) {
    const auto network = co_await virt::find_network(connection, word);
    if (!network) co_return fail(network.error());
    remote::remote_network_create_args args;
    args.net = network->wire();
    Remote remote{connection};
    const auto answer = co_await remote.NETWORK_CREATE(args);
    if (!answer) co_return fail(connection.failure(answer.error()));
    fmt::print("{} started\n", escaped(network->name));
    co_return kDone;
}

Task<VirtDone> destroy_network(virt::ClientConnection& connection, std::string word) {
    const auto network = co_await virt::find_network(connection, word);
    if (!network) co_return fail(network.error());
    remote::remote_network_destroy_args args;
    args.net = network->wire();
    Remote remote{connection};
    const auto answer = co_await remote.NETWORK_DESTROY(args);
    if (!answer) co_return fail(connection.failure(answer.error()));
    fmt::print("{} stopped\n", escaped(network->name));
    co_return kDone;
}

// ---- Volumes ----

Task<VirtDone> show_volume(virt::ClientConnection& connection, std::string pool, std::string word,
                           bool bytes) {
    const auto volume = co_await virt::find_volume(connection, pool, word);
    if (!volume) co_return fail(volume.error());
    remote::remote_storage_vol_get_info_args args;
    args.vol = volume->wire();
    Remote remote{connection};
    const auto answer = co_await remote.STORAGE_VOL_GET_INFO(args);
    if (!answer) co_return fail(connection.failure(answer.error()));
    const auto size = [bytes](std::uint64_t value) {
        return bytes ? std::to_string(value) : size_text(value);
    };
    fmt::print("{}", aligned({{"name", escaped(volume->name)},
                              {"type", std::string(virt::volume_type_name((*answer)->type))},
                              {"capacity", size((*answer)->capacity)},
                              {"allocation", size((*answer)->allocation)}}));
    co_return kDone;
}

struct InfoVerb {
    const char* verb;
    const char* object;  // null: the host
    const char* help;
    Task<VirtDone> (*run)(virt::ClientConnection&, std::string word);
};
constexpr InfoVerb kInfoVerbs[] = {
    {"version", nullptr, "Print the versions of helio, the daemon and its hypervisor",
     show_version},
    {"dominfo", "DOMAIN", "Print a domain's state, processors and memory", show_domain},
    {"domstate", "DOMAIN", "Print a domain's state", show_state},
    {"domifaddr", "DOMAIN", "Print the addresses of a domain's interfaces from DHCP leases",
     show_addresses},
    {"snapshot-list", "DOMAIN", "List a domain's snapshots", list_snapshots},
    {"net-dumpxml", "NETWORK", "Print a network's definition as XML", dump_network},
    {"net-start", "NETWORK", "Start a network", start_network},
    {"net-destroy", "NETWORK", "Stop a network", destroy_network},
};

struct VolumeFlags {
    std::string pool;
    std::string volume;
    bool bytes = false;
};

}  // namespace

void add_virt_info(Command& virt, VirtFlagsRef flags, int& exit_code) {
    for (const InfoVerb& one : kInfoVerbs) {
        auto word = std::make_shared<std::string>();
        auto* const verb = virt.add_subcommand(one.verb, one.help);
        if (one.object != nullptr) verb->add_option(one.object, *word, "name or UUID")->required();
        verb->callback([word, flags, &one, &exit_code] {
            exit_code = with_virt(*flags, [&](virt::Client& client) {
                return client.run(one.run(client.connection(), *word));
            });
        });
    }
    auto volume = std::make_shared<VolumeFlags>();
    auto* const verb = virt.add_subcommand("vol-info", "Print a volume's type and size");
    verb->add_option("VOLUME", volume->volume, "name in --pool, or path, or key")->required();
    verb->add_option("--pool", volume->pool, "pool of the volume");
    verb->add_flag("--bytes", volume->bytes, "print sizes in bytes");
    verb->callback([volume, flags, &exit_code] {
        exit_code = with_virt(*flags, [&](virt::Client& client) {
            return client.run(
                show_volume(client.connection(), volume->pool, volume->volume, volume->bytes));
        });
    });
}

}  // namespace helio::cli
