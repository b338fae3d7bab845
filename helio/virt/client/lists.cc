// Lists: one call for the names, then the details of all of them at once.
#include <deque>

#include "helio/virt/client/objects.h"
#include "schema/remote_service.h"

namespace helio::virt {

namespace {

using Remote = remote::REMOTE_PROTOCOL_VERSION::AsyncClient;

// VIR_CONNECT_LIST_DOMAINS_ACTIVE and INACTIVE, and the same of statistics.
std::uint32_t domain_flags(Which which) {
    return which == Which::all ? 3 : which == Which::active ? 1 : 2;
}

// Networks and pools have the two bits in the opposite order.
std::uint32_t other_flags(Which which) {
    return which == Which::all ? 3 : which == Which::active ? 2 : 1;
}

// Each has its own memory while it is in flight; more would not be faster.
constexpr std::size_t kAskedTogether = 32;

constexpr std::uint32_t kStatsState = 1;  // VIR_DOMAIN_STATS_STATE

int number_of(const remote::remote_typed_param_value& value) {
    return value.type() == static_cast<std::int32_t>(virnet::VIR_TYPED_PARAM_INT) ? value.i() : 0;
}

DomainRow row_of(const remote::remote_domain_stats_record& record) {
    DomainRow row;
    row.domain = owned(record.dom);
    for (const auto& param : record.params) {
        if (param.field == "state.state") row.state = number_of(param.value);
        if (param.field == "state.reason") row.reason = number_of(param.value);
    }
    return row;
}

// For a daemon before 1.2.8, or a driver without statistics: one query per domain.
Task<Result<std::vector<DomainRow>, Failure>> list_one_by_one(ClientConnection& connection,
                                                              Which which) {
    Remote remote{connection};
    remote::remote_connect_list_all_domains_args args;
    args.need_results = 1;
    args.flags = domain_flags(which);
    const auto names = co_await remote.CONNECT_LIST_ALL_DOMAINS(args);
    if (!names) co_return fail(connection.failure(names.error()));
    const auto& domains = (*names)->domains;
    std::vector<DomainRow> rows;
    std::deque<xdr::Call<remote::remote_domain_get_state_ret>> calls;  // for the following rows
    for (std::size_t begun = 0; rows.size() < domains.size();) {
        for (; begun < domains.size() && calls.size() < kAskedTogether; ++begun) {
            remote::remote_domain_get_state_args state;
            state.dom = domains[begun];
            calls.push_back(remote.DOMAIN_GET_STATE(state));
        }
        DomainRow& row = rows.emplace_back();
        row.domain = owned(domains[rows.size() - 1]);
        const auto state = co_await std::move(calls.front());
        calls.pop_front();
        if (state) {
            row.state = (*state)->state;
            row.reason = (*state)->reason;
        } else if (connection.is_lost()) {
            co_return fail(connection.failure(state.error()));
        }  // else it went away since it was listed
    }
    co_return rows;
}

}  // namespace

Task<Result<std::vector<DomainRow>, Failure>> list_domains(ClientConnection& connection,
                                                           Which which) {
    Remote remote{connection};
    remote::remote_connect_get_all_domain_stats_args args;
    args.stats = kStatsState;
    args.flags = domain_flags(which);
    {
        const auto all = co_await remote.CONNECT_GET_ALL_DOMAIN_STATS(args);
        if (all) {
            std::vector<DomainRow> rows;
            rows.reserve((*all)->retStats.size());
            for (const auto& record : (*all)->retStats) rows.push_back(row_of(record));
            co_return rows;
        }
        const Failure failure = connection.failure(all.error());
        if (!failure.is_unsupported() && !failure.is(VIR_ERR_ARGUMENT_UNSUPPORTED))
            co_return fail(failure);
    }
    auto rows = co_await list_one_by_one(connection, which);
    co_return rows;
}

Task<Result<std::vector<NetworkRow>, Failure>> list_networks(ClientConnection& connection,
                                                             Which which) {
    Remote remote{connection};
    remote::remote_connect_list_all_networks_args args;
    args.need_results = 1;
    args.flags = other_flags(which);
    const auto names = co_await remote.CONNECT_LIST_ALL_NETWORKS(args);
    if (!names) co_return fail(connection.failure(names.error()));
    std::vector<NetworkRow> rows;
    std::vector<xdr::Call<remote::remote_network_is_active_ret>> active;
    std::vector<xdr::Call<remote::remote_network_get_autostart_ret>> autostart;
    std::vector<xdr::Call<remote::remote_network_is_persistent_ret>> persistent;
    for (const auto& one : (*names)->nets) {
        rows.push_back({owned(one), false, false, false});
        active.push_back(remote.NETWORK_IS_ACTIVE({one}));
        autostart.push_back(remote.NETWORK_GET_AUTOSTART({one}));
        persistent.push_back(remote.NETWORK_IS_PERSISTENT({one}));
    }
    // If a daemon reports nothing about an object that was removed meanwhile, it stays "no".
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto is_active = co_await std::move(active[i]);
        if (is_active) rows[i].active = (*is_active)->active != 0;
        const auto starts = co_await std::move(autostart[i]);
        if (starts) rows[i].autostart = (*starts)->autostart != 0;
        const auto stays = co_await std::move(persistent[i]);
        if (stays) rows[i].persistent = (*stays)->persistent != 0;
        if (connection.is_lost() && !stays) co_return fail(connection.failure(stays.error()));
    }
    co_return rows;
}

Task<Result<std::vector<PoolRow>, Failure>> list_pools(ClientConnection& connection, Which which) {
    Remote remote{connection};
    remote::remote_connect_list_all_storage_pools_args args;
    args.need_results = 1;
    args.flags = other_flags(which);
    const auto names = co_await remote.CONNECT_LIST_ALL_STORAGE_POOLS(args);
    if (!names) co_return fail(connection.failure(names.error()));
    std::vector<PoolRow> rows;
    std::vector<xdr::Call<remote::remote_storage_pool_get_info_ret>> infos;
    std::vector<xdr::Call<remote::remote_storage_pool_get_autostart_ret>> autostart;
    std::vector<xdr::Call<remote::remote_storage_pool_is_persistent_ret>> persistent;
    for (const auto& one : (*names)->pools) {
        rows.emplace_back().pool = owned(one);
        infos.push_back(remote.STORAGE_POOL_GET_INFO({one}));
        autostart.push_back(remote.STORAGE_POOL_GET_AUTOSTART({one}));
        persistent.push_back(remote.STORAGE_POOL_IS_PERSISTENT({one}));
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto info = co_await std::move(infos[i]);
        if (info) {
            rows[i].state = (*info)->state;
            rows[i].capacity = (*info)->capacity;
            rows[i].allocation = (*info)->allocation;
            rows[i].available = (*info)->available;
        }
        const auto starts = co_await std::move(autostart[i]);
        if (starts) rows[i].autostart = (*starts)->autostart != 0;
        const auto stays = co_await std::move(persistent[i]);
        if (stays) rows[i].persistent = (*stays)->persistent != 0;
        if (connection.is_lost() && !stays) co_return fail(connection.failure(stays.error()));
    }
    co_return rows;
}

Task<Result<std::vector<VolumeRow>, Failure>> list_volumes(ClientConnection& connection,
                                                           PoolRef pool) {
    Remote remote{connection};
    remote::remote_storage_pool_list_all_volumes_args args;
    args.pool = pool.wire();
    args.need_results = 1;
    const auto names = co_await remote.STORAGE_POOL_LIST_ALL_VOLUMES(args);
    if (!names) co_return fail(connection.failure(names.error()));
    std::vector<VolumeRow> rows;
    std::vector<xdr::Call<remote::remote_storage_vol_get_info_ret>> infos;
    std::vector<xdr::Call<remote::remote_storage_vol_get_path_ret>> paths;
    for (const auto& one : (*names)->vols) {
        rows.emplace_back().volume = owned(one);
        infos.push_back(remote.STORAGE_VOL_GET_INFO({one}));
        paths.push_back(remote.STORAGE_VOL_GET_PATH({one}));
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto info = co_await std::move(infos[i]);
        if (info) {
            rows[i].type = (*info)->type;
            rows[i].capacity = (*info)->capacity;
            rows[i].allocation = (*info)->allocation;
        }
        const auto path = co_await std::move(paths[i]);
        if (path) rows[i].path = (*path)->name;
        if (connection.is_lost() && !path) co_return fail(connection.failure(path.error()));
    }
    co_return rows;
}

}  // namespace helio::virt
