// Domains: statistics.
#include <array>
#include <chrono>

#include <fmt/format.h>

#include "helio/virt/daemon/forward_internal.h"

namespace helio::virt::daemon {

using namespace helio::remote;

namespace {

// virDomainStatsTypes that the host supports.
constexpr std::uint32_t kStatsState = 1, kStatsCpu = 2, kStatsBalloon = 4, kStatsVcpu = 8,
                        kStatsInterface = 16, kStatsBlock = 32;
constexpr std::uint32_t kStatsAll = 63;
// virConnectGetAllDomainStatsFlags that are not list flags.
constexpr std::uint32_t kStatsEnforce = 1u << 31;
// Names with an index below this are made once; those above are made for each call.
constexpr std::size_t kNamesMade = 32;

// Names such as "block.3.rd.bytes", made once for all domains.
template <std::size_t Words>
class IndexedNames final {
 public:
    IndexedNames(std::string_view thing, const std::array<std::string_view, Words>& words)
        : thing_(thing), words_(words) {
        for (std::size_t i = 0; i < kNamesMade; ++i)
            for (std::size_t word = 0; word < Words; ++word) made_[i][word] = make(i, word);
    }
    std::string_view get(xdr::CallContext& call, std::size_t index, std::size_t word) const {
        if (index < kNamesMade) return made_[index][word];
        return kept(call, make(index, word));
    }

 private:
    std::string make(std::size_t index, std::size_t word) const {
        return fmt::format("{}.{}.{}", thing_, index, words_[word]);
    }
    std::string_view thing_;
    std::array<std::string_view, Words> words_;
    std::array<std::array<std::string, Words>, kNamesMade> made_;
};

void add_vcpus(xdr::CallContext& call, const host::DomainStats& stats, TypedParams& to) {
    static const IndexedNames<2> kNames("vcpu", {"state", "time"});
    to.add("vcpu.current", stats.info.vcpus);
    to.add("vcpu.maximum", stats.vcpus_max);
    if (stats.key.id < 0) return;
    for (unsigned i = 0; i < stats.info.vcpus; ++i) {
        to.add(kNames.get(call, i, 0), std::int32_t{1});
        to.add(kNames.get(call, i, 1), stats.vcpu_time_ns);
    }
}

void add_interfaces(xdr::CallContext& call, const host::DomainStats& stats, TypedParams& to) {
    static const IndexedNames<9> kNames("net", {"name", "rx.bytes", "rx.pkts", "rx.errs", "rx.drop",
                                                "tx.bytes", "tx.pkts", "tx.errs", "tx.drop"});
    if (stats.key.id < 0) return;
    to.add("net.count", static_cast<std::uint32_t>(stats.interfaces.size()));
    for (std::size_t i = 0; i < stats.interfaces.size(); ++i) {
        const host::InterfaceStats& one = stats.interfaces[i];
        to.add(kNames.get(call, i, 0), kept(call, one.name));
        to.add(kNames.get(call, i, 1), one.received_bytes);
        to.add(kNames.get(call, i, 2), one.received_packets);
        to.add(kNames.get(call, i, 3), std::uint64_t{0});
        to.add(kNames.get(call, i, 4), std::uint64_t{0});
        to.add(kNames.get(call, i, 5), one.sent_bytes);
        to.add(kNames.get(call, i, 6), one.sent_packets);
        to.add(kNames.get(call, i, 7), std::uint64_t{0});
        to.add(kNames.get(call, i, 8), std::uint64_t{0});
    }
}

void add_disks(xdr::CallContext& call, const host::DomainStats& stats, TypedParams& to) {
    static const IndexedNames<9> kNames(
        "block", {"name", "path", "rd.reqs", "rd.bytes", "wr.reqs", "wr.bytes", "allocation",
                  "capacity", "physical"});
    to.add("block.count", static_cast<std::uint32_t>(stats.disks.size()));
    for (std::size_t i = 0; i < stats.disks.size(); ++i) {
        const host::DiskStats& one = stats.disks[i];
        to.add(kNames.get(call, i, 0), kept(call, one.target));
        if (!one.source.empty()) to.add(kNames.get(call, i, 1), kept(call, one.source));
        if (stats.key.id >= 0) {
            to.add(kNames.get(call, i, 2), one.read_requests);
            to.add(kNames.get(call, i, 3), one.read_bytes);
            to.add(kNames.get(call, i, 4), one.write_requests);
            to.add(kNames.get(call, i, 5), one.write_bytes);
        }
        to.add(kNames.get(call, i, 6), one.allocation);
        to.add(kNames.get(call, i, 7), one.capacity);
        to.add(kNames.get(call, i, 8), one.physical);
    }
}

remote_domain_stats_record record_of(xdr::CallContext& call, const host::DomainStats& stats,
                                     std::uint32_t wanted, TypedParams& params) {
    if ((wanted & kStatsState) != 0) {
        params.add("state.state", static_cast<std::int32_t>(stats.state.state));
        params.add("state.reason", std::int32_t{stats.state.reason});
    }
    if ((wanted & kStatsCpu) != 0 && stats.key.id >= 0) {
        params.add("cpu.time", stats.info.cpu_time_ns);
        params.add("cpu.user", stats.info.cpu_time_ns / 10 * 8);
        params.add("cpu.system", stats.info.cpu_time_ns / 10 * 2);
    }
    if ((wanted & kStatsBalloon) != 0) {
        if (stats.key.id >= 0) params.add("balloon.current", stats.info.memory_kib);
        params.add("balloon.maximum", stats.info.memory_max_kib);
        if (stats.key.id >= 0) params.add("balloon.rss", stats.memory_rss_kib);
    }
    if ((wanted & kStatsVcpu) != 0) add_vcpus(call, stats, params);
    if ((wanted & kStatsInterface) != 0) add_interfaces(call, stats, params);
    if ((wanted & kStatsBlock) != 0) add_disks(call, stats, params);
    return {.dom = to_wire(call, stats.key), .params = params.take(call)};
}

host::Error not_running() {
    return {host::ErrorCode::operation_invalid, host::ErrorSource::domain,
            "Requested operation is not valid: domain is not running"};
}

// The statistics of a domain, which must be running.
template <class Args>
host::Outcome<host::DomainStats> running_stats(const Host& host, const Args& args) {
    auto stats = host.domain_stats(object_of(args));
    if (stats && stats->key.id < 0) return fail(not_running());
    return stats;
}

const host::DiskStats* disk_named(const host::DomainStats& stats, std::string_view path) {
    for (const host::DiskStats& one : stats.disks)
        if (one.target == path || one.source == path) return &one;
    return nullptr;
}

remote_connect_get_all_domain_stats_ret connect_get_all_domain_stats(
    Context& context, xdr::CallContext& call,
    const remote_connect_get_all_domain_stats_args& args) {
    using Ret = remote_connect_get_all_domain_stats_ret;
    const std::uint32_t asked = args.stats == 0 ? kStatsAll : args.stats;
    if ((args.flags & kStatsEnforce) != 0 && (asked & ~kStatsAll) != 0)
        return fail_call<Ret>(
            call, virt_error(VIR_ERR_ARGUMENT_UNSUPPORTED, VIR_FROM_TEST,
                             fmt::format("Stats types bits {:#x} are not supported by this daemon",
                                         asked & ~kStatsAll)));
    std::vector<remote_domain_stats_record> records;
    TypedParams params;
    const auto add = [&](const host::DomainStats& stats) {
        records.push_back(record_of(call, stats, asked, params));
    };
    if (args.doms.empty()) {
        const auto detail = (asked & (kStatsInterface | kStatsBlock)) != 0
                                ? host::StatsDetail::with_devices
                                : host::StatsDetail::without_devices;
        context.host.visit_stats(args.flags & host::list_domains::kAll, detail, add);
    } else {
        for (const remote_nonnull_domain& domain : args.doms) {
            // Like libvirt, leave out domains that no longer exist.
            const auto stats = context.host.domain_stats(uuid_of(domain.uuid));
            if (stats) add(*stats);
        }
    }
    if (records.size() > REMOTE_DOMAIN_LIST_MAX)
        return refused_too_many<Ret>(call, "domain stats records", records.size(),
                                     REMOTE_DOMAIN_LIST_MAX);
    return {.retStats = kept(call, records)};
}

remote_domain_block_stats_ret domain_block_stats(Context& context, xdr::CallContext& call,
                                                 const remote_domain_block_stats_args& args) {
    using Ret = remote_domain_block_stats_ret;
    const auto stats = running_stats(context.host, args);
    if (!stats) return refused<Ret>(call, args.dom, stats.error());
    const host::DiskStats* const disk = disk_named(*stats, args.path);
    if (disk == nullptr)
        return fail_call<Ret>(call, virt_error(VIR_ERR_INVALID_ARG, VIR_FROM_TEST,
                                               fmt::format("invalid path: {}", args.path)));
    return {.rd_req = static_cast<std::int64_t>(disk->read_requests),
            .rd_bytes = static_cast<std::int64_t>(disk->read_bytes),
            .wr_req = static_cast<std::int64_t>(disk->write_requests),
            .wr_bytes = static_cast<std::int64_t>(disk->write_bytes),
            .errs = -1};
}

remote_domain_block_stats_flags_ret domain_block_stats_flags(
    Context& context, xdr::CallContext& call, const remote_domain_block_stats_flags_args& args) {
    using Ret = remote_domain_block_stats_flags_ret;
    const auto stats = running_stats(context.host, args);
    if (!stats) return refused<Ret>(call, args.dom, stats.error());
    // An empty path requests the sum of all disks; the first disk stands for it here.
    const host::DiskStats* const disk = args.path.empty() && !stats->disks.empty()
                                            ? &stats->disks[0]
                                            : disk_named(*stats, args.path);
    if (disk == nullptr)
        return fail_call<Ret>(call, virt_error(VIR_ERR_INVALID_ARG, VIR_FROM_TEST,
                                               fmt::format("invalid path: {}", args.path)));
    constexpr std::int32_t kCount = 4;
    if (args.nparams == 0) return {.params = {}, .nparams = kCount};
    TypedParams params;
    params.add("wr_bytes", static_cast<std::int64_t>(disk->write_bytes));
    params.add("wr_operations", static_cast<std::int64_t>(disk->write_requests));
    params.add("rd_bytes", static_cast<std::int64_t>(disk->read_bytes));
    params.add("rd_operations", static_cast<std::int64_t>(disk->read_requests));
    return {.params = params.take(call), .nparams = 0};
}

remote_domain_get_cpu_stats_ret domain_get_cpu_stats(Context& context, xdr::CallContext& call,
                                                     const remote_domain_get_cpu_stats_args& args) {
    using Ret = remote_domain_get_cpu_stats_ret;
    const auto stats = running_stats(context.host, args);
    if (!stats) return refused<Ret>(call, args.dom, stats.error());
    const unsigned cpus = std::max(context.host.node().cpus, 1U);
    if (args.ncpus == 0 && args.start_cpu >= 0)
        return {.params = {}, .nparams = static_cast<std::int32_t>(cpus)};
    TypedParams params;
    if (args.start_cpu < 0) {  // the total
        constexpr std::int32_t kTotals = 3;
        if (args.nparams == 0) return {.params = {}, .nparams = kTotals};
        params.add("cpu_time", stats->info.cpu_time_ns);
        params.add("user_time", stats->info.cpu_time_ns / 10 * 8);
        params.add("system_time", stats->info.cpu_time_ns / 10 * 2);
        return {.params = params.take(call), .nparams = kTotals};
    }
    if (args.nparams == 0) return {.params = {}, .nparams = 1};
    const auto first = static_cast<unsigned>(args.start_cpu);
    const unsigned count = first < cpus ? std::min(args.ncpus, cpus - first) : 0;
    for (unsigned i = 0; i < count; ++i) params.add("cpu_time", stats->info.cpu_time_ns / cpus);
    return {.params = params.take(call), .nparams = 1};
}

remote_domain_get_time_ret domain_get_time(Context& context, xdr::CallContext& call,
                                           const remote_domain_get_time_args& args) {
    using Ret = remote_domain_get_time_ret;
    const auto state = context.host.domain_state(object_of(args));
    if (!state) return refused<Ret>(call, args.dom, state.error());
    if (state->state == host::State::off) return refused<Ret>(call, not_running());
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto whole = std::chrono::duration_cast<std::chrono::seconds>(now);
    return {.seconds = whole.count(),
            .nseconds = static_cast<std::uint32_t>(
                std::chrono::duration_cast<std::chrono::nanoseconds>(now - whole).count())};
}

remote_domain_get_block_info_ret domain_get_block_info(
    Context& context, xdr::CallContext& call, const remote_domain_get_block_info_args& args) {
    using Ret = remote_domain_get_block_info_ret;
    const auto stats = context.host.domain_stats(object_of(args));
    if (!stats) return refused<Ret>(call, args.dom, stats.error());
    const host::DiskStats* const disk = disk_named(*stats, args.path);
    if (disk == nullptr)
        return fail_call<Ret>(
            call, virt_error(VIR_ERR_INVALID_ARG, VIR_FROM_TEST,
                             fmt::format("invalid path {} not assigned to domain", args.path)));
    return {.allocation = disk->allocation, .capacity = disk->capacity, .physical = disk->physical};
}

remote_domain_interface_stats_ret domain_interface_stats(
    Context& context, xdr::CallContext& call, const remote_domain_interface_stats_args& args) {
    using Ret = remote_domain_interface_stats_ret;
    const auto stats = running_stats(context.host, args);
    if (!stats) return refused<Ret>(call, args.dom, stats.error());
    for (const host::InterfaceStats& one : stats->interfaces)
        if (one.name == args.device || one.mac == args.device)
            return {.rx_bytes = static_cast<std::int64_t>(one.received_bytes),
                    .rx_packets = static_cast<std::int64_t>(one.received_packets),
                    .rx_errs = 0,
                    .rx_drop = 0,
                    .tx_bytes = static_cast<std::int64_t>(one.sent_bytes),
                    .tx_packets = static_cast<std::int64_t>(one.sent_packets),
                    .tx_errs = 0,
                    .tx_drop = 0};
    return fail_call<Ret>(
        call, virt_error(VIR_ERR_INVALID_ARG, VIR_FROM_TEST,
                         fmt::format("invalid path, '{}' is not a known interface", args.device)));
}

remote_domain_memory_stats_ret domain_memory_stats(Context& context, xdr::CallContext& call,
                                                   const remote_domain_memory_stats_args& args) {
    using Ret = remote_domain_memory_stats_ret;
    const auto stats = running_stats(context.host, args);
    if (!stats) return refused<Ret>(call, args.dom, stats.error());
    // virDomainMemoryStatTags: unused, available, balloon, rss.
    std::vector<remote_domain_memory_stat> tags{
        {.tag = 4, .val = stats->info.memory_kib - stats->memory_rss_kib},
        {.tag = 5, .val = stats->info.memory_kib},
        {.tag = 6, .val = stats->info.memory_kib},
        {.tag = 7, .val = stats->memory_rss_kib}};
    tags.resize(std::min<std::size_t>(tags.size(), args.maxStats));
    return {.stats = kept(call, tags)};
}

remote_domain_interface_addresses_ret domain_interface_addresses(
    Context& context, xdr::CallContext& call, const remote_domain_interface_addresses_args& args) {
    using Ret = remote_domain_interface_addresses_ret;
    constexpr std::uint32_t kSourceAgent = 1;  // VIR_DOMAIN_INTERFACE_ADDRESSES_SRC_AGENT
    if (args.source == kSourceAgent && is_read_only(call)) return denied<Ret>(call);
    const auto stats = running_stats(context.host, args);
    if (!stats) return refused<Ret>(call, args.dom, stats.error());
    std::vector<remote_domain_interface> all;
    for (const host::InterfaceStats& one : stats->interfaces) {
        const auto network = context.host.network_by_name(one.network);
        if (!network) continue;
        const auto leases = context.host.network_leases(network->uuid, one.mac);
        if (!leases || leases->empty()) continue;
        std::vector<remote_domain_ip_addr> addresses;
        for (const host::Lease& lease : *leases)
            addresses.push_back(
                {.type = 0, .addr = kept(call, lease.address), .prefix = lease.prefix});
        all.push_back({.name = kept(call, one.name),
                       .hwaddr = kept_string(call, one.mac),
                       .addrs = kept(call, addresses)});
    }
    return {.ifaces = kept(call, all)};
}

}  // namespace

void add_domain_stats(Table& table) {
    table.CONNECT_GET_ALL_DOMAIN_STATS = connect_get_all_domain_stats;
    table.DOMAIN_BLOCK_STATS = domain_block_stats;
    table.DOMAIN_BLOCK_STATS_FLAGS = domain_block_stats_flags;
    table.DOMAIN_GET_CPU_STATS = domain_get_cpu_stats;
    table.DOMAIN_GET_TIME = domain_get_time;
    table.DOMAIN_GET_BLOCK_INFO = domain_get_block_info;
    table.DOMAIN_INTERFACE_STATS = domain_interface_stats;
    table.DOMAIN_MEMORY_STATS = domain_memory_stats;
    table.DOMAIN_INTERFACE_ADDRESSES = domain_interface_addresses;
}

}  // namespace helio::virt::daemon
