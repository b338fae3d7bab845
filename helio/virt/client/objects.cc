#include "helio/virt/client/objects.h"

#include <charconv>

#include <fmt/format.h>

#include "helio/base/text/byte_text.h"
#include "schema/remote_service.h"

namespace helio::virt {

namespace {

using Remote = remote::REMOTE_PROTOCOL_VERSION::AsyncClient;

// Some daemons only say "Domain not found".
Failure not_found(Failure failure, const std::string& word) {
    std::string& message = failure.error.message;
    if (failure.call.outcome == xdr::Outcome::refused && message.find(word) == std::string::npos)
        message += fmt::format(": '{}'", word);
    return failure;
}

}  // namespace

std::string to_text(const Uuid& uuid) {
    std::string out;
    append_uuid(out, uuid);
    return out;
}

bool parse_uuid(std::string_view text, Uuid& out) { return helio::parse_uuid(text, out); }

remote::remote_nonnull_domain DomainRef::wire() const {
    return {.name = name, .uuid = uuid, .id = id};
}
remote::remote_nonnull_network NetworkRef::wire() const { return {.name = name, .uuid = uuid}; }
remote::remote_nonnull_storage_pool PoolRef::wire() const { return {.name = name, .uuid = uuid}; }
remote::remote_nonnull_storage_vol VolumeRef::wire() const {
    return {.pool = pool, .name = name, .key = key};
}

DomainRef owned(const remote::remote_nonnull_domain& domain) {
    return {std::string(domain.name), domain.uuid, domain.id};
}
NetworkRef owned(const remote::remote_nonnull_network& network) {
    return {std::string(network.name), network.uuid};
}
PoolRef owned(const remote::remote_nonnull_storage_pool& pool) {
    return {std::string(pool.name), pool.uuid};
}
VolumeRef owned(const remote::remote_nonnull_storage_vol& volume) {
    return {std::string(volume.pool), std::string(volume.name), std::string(volume.key)};
}

Task<Result<DomainRef, Failure>> find_domain(ClientConnection& connection, std::string word) {
    Remote remote{connection};
    int id = 0;
    const auto number = std::from_chars(word.data(), word.data() + word.size(), id);
    if (number.ec == std::errc{} && number.ptr == word.data() + word.size() && id >= 0) {
        remote::remote_domain_lookup_by_id_args args;
        args.id = id;
        const auto found = co_await remote.DOMAIN_LOOKUP_BY_ID(args);
        if (found) co_return owned((*found)->dom);
        if (connection.is_lost()) co_return fail(connection.failure(found.error()));
    }
    remote::remote_domain_lookup_by_uuid_args by_uuid;
    if (parse_uuid(word, by_uuid.uuid)) {
        const auto found = co_await remote.DOMAIN_LOOKUP_BY_UUID(by_uuid);
        if (found) co_return owned((*found)->dom);
        if (connection.is_lost()) co_return fail(connection.failure(found.error()));
    }
    remote::remote_domain_lookup_by_name_args by_name;
    by_name.name = word;
    const auto found = co_await remote.DOMAIN_LOOKUP_BY_NAME(by_name);
    if (!found) co_return fail(not_found(connection.failure(found.error()), word));
    co_return owned((*found)->dom);
}

Task<Result<PoolRef, Failure>> find_pool(ClientConnection& connection, std::string word) {
    Remote remote{connection};
    remote::remote_storage_pool_lookup_by_uuid_args by_uuid;
    if (parse_uuid(word, by_uuid.uuid)) {
        const auto found = co_await remote.STORAGE_POOL_LOOKUP_BY_UUID(by_uuid);
        if (found) co_return owned((*found)->pool);
        if (connection.is_lost()) co_return fail(connection.failure(found.error()));
    }
    remote::remote_storage_pool_lookup_by_name_args by_name;
    by_name.name = word;
    const auto found = co_await remote.STORAGE_POOL_LOOKUP_BY_NAME(by_name);
    if (!found) co_return fail(not_found(connection.failure(found.error()), word));
    co_return owned((*found)->pool);
}

Task<Result<NetworkRef, Failure>> find_network(ClientConnection& connection, std::string word) {
    Remote remote{connection};
    remote::remote_network_lookup_by_uuid_args by_uuid;
    if (parse_uuid(word, by_uuid.uuid)) {
        const auto found = co_await remote.NETWORK_LOOKUP_BY_UUID(by_uuid);
        if (found) co_return owned((*found)->net);
        if (connection.is_lost()) co_return fail(connection.failure(found.error()));
    }
    remote::remote_network_lookup_by_name_args by_name;
    by_name.name = word;
    const auto found = co_await remote.NETWORK_LOOKUP_BY_NAME(by_name);
    if (!found) co_return fail(not_found(connection.failure(found.error()), word));
    co_return owned((*found)->net);
}

Task<Result<VolumeRef, Failure>> find_volume(ClientConnection& connection, std::string pool,
                                             std::string word) {
    Remote remote{connection};
    if (!pool.empty()) {
        const auto in = co_await find_pool(connection, pool);
        if (!in) co_return fail(in.error());
        remote::remote_storage_vol_lookup_by_name_args by_name;
        by_name.pool = in->wire();
        by_name.name = word;
        const auto found = co_await remote.STORAGE_VOL_LOOKUP_BY_NAME(by_name);
        if (found) co_return owned((*found)->vol);
        co_return fail(not_found(connection.failure(found.error()), word));
    }
    remote::remote_storage_vol_lookup_by_key_args by_key;
    by_key.key = word;
    const auto known = co_await remote.STORAGE_VOL_LOOKUP_BY_KEY(by_key);
    if (known) co_return owned((*known)->vol);
    remote::remote_storage_vol_lookup_by_path_args by_path;
    by_path.path = word;
    const auto found = co_await remote.STORAGE_VOL_LOOKUP_BY_PATH(by_path);
    if (!found) co_return fail(not_found(connection.failure(found.error()), word));
    co_return owned((*found)->vol);
}

std::string_view state_name(int state) {
    static constexpr std::string_view kNames[] = {"no state", "running",     "idle",
                                                  "paused",   "in shutdown", "shut off",
                                                  "crashed",  "pmsuspended"};
    return state >= 0 && state < 8 ? kNames[state] : "unknown";
}

std::string_view pool_state_name(int state) {
    static constexpr std::string_view kNames[] = {"inactive", "building", "running", "degraded",
                                                  "inaccessible"};
    return state >= 0 && state < 5 ? kNames[state] : "unknown";
}

std::string_view volume_type_name(int type) {
    static constexpr std::string_view kNames[] = {"file",    "block",  "dir",
                                                  "network", "netdir", "ploop"};
    return type >= 0 && type < 6 ? kNames[type] : "unknown";
}

}  // namespace helio::virt
