// Storage pools: directories that do not exist, with a declared size.
#include <algorithm>

#include <fmt/format.h>

#include "helio/virt/host/host_internal.h"

namespace helio::virt::host {

namespace {

constexpr std::uint64_t kPoolCapacity = std::uint64_t{100} << 30;  // the test driver's

tl::unexpected<Error> wrong_pool(std::string_view why) {
    return refuse(ErrorCode::xml_error, ErrorSource::storage, fmt::format("XML error: {}", why));
}

struct PoolRead {
    HostedPool pool;
    bool says_uuid = false;
};

Outcome<PoolRead> read_pool(std::string_view xml) {
    auto text = XmlText::read(xml, "storage_pool_definition", ErrorSource::storage, "pool");
    if (!text) return fail(text.error());
    const pugi::xml_node root = text->root();
    PoolRead read;
    HostedPool& pool = read.pool;
    pool.type = root.attribute("type").value();
    if (pool.type.empty())
        return refuse(ErrorCode::xml_error, ErrorSource::xml,
                      "XML error: Missing required attribute 'type' in element 'pool'");
    pool.name = child_text(root, "name");
    if (pool.name.empty()) pool.name = child_text(root.child("source"), "name");
    if (pool.name.empty()) return wrong_pool("missing pool source name element");
    if (pool.name.find_first_of("/\n") != std::string::npos)
        return wrong_pool(fmt::format("name {} cannot contain '/'", pool.name));
    const auto uuid = uuid_child(root, "pool", pool.name, ErrorSource::storage);
    if (!uuid) return fail(uuid.error());
    pool.uuid = *uuid;
    read.says_uuid = static_cast<bool>(root.child("uuid"));
    pool.path = child_text(root.child("target"), "path");
    // Volumes of these types have no directory.
    const bool pathless = pool.type == "rbd" || pool.type == "gluster" || pool.type == "sheepdog";
    if (pool.path.empty() && !pathless) return wrong_pool("missing storage pool target path");
    while (pool.path.size() > 1 && pool.path.back() == '/') pool.path.pop_back();
    const auto capacity = scaled_child(root, "capacity", 1);
    if (!capacity) return fail(capacity.error());
    pool.capacity = std::min(capacity->value_or(kPoolCapacity), kVolumeCapacityMax);
    if (pool.capacity == 0) pool.capacity = kPoolCapacity;
    if (const pugi::xml_node source = root.child("source"); source.first_child())
        append_node(pool.source, 1, source);
    return read;
}

bool pool_listed(const HostedPool& pool, std::uint32_t flags) {
    // virConnectListAllStoragePoolsFlags: the bits of types follow, in this order.
    constexpr std::string_view kTypes[] = {"dir",     "fs",   "netfs",    "logical",     "disk",
                                           "iscsi",   "scsi", "mpath",    "rbd",         "sheepdog",
                                           "gluster", "zfs",  "vstorage", "iscsi-direct"};
    bool type = (flags >> 6) == 0;
    for (std::size_t i = 0; i < std::size(kTypes); ++i)
        type = type || ((flags >> (6 + i)) & 1 && pool.type == kTypes[i]);
    return type && groups_match(pool, flags);
}

Outcome<HostedPool*> place_pool(HostIndex<HostedPool>& pools, PoolRead read) {
    HostedPool& wanted = read.pool;
    const auto place =
        find_defined(pools, "pool", ErrorSource::storage, wanted.name, wanted.uuid, read.says_uuid);
    if (!place) return fail(place.error());
    HostedPool* const existing = *place;
    if (existing != nullptr) {
        // Volumes have keys with the old path, so a pool that has some keeps it.
        if (existing->volumes.empty()) existing->path = wanted.path;
        existing->source = wanted.source;
        existing->charge = wanted.charge;
        existing->capacity = wanted.capacity;
        return existing;
    }
    if (pools.full()) return refuse_full("storage pools");
    const Uuid uuid = wanted.uuid;
    const std::string name = wanted.name;
    return &pools.add(name, uuid, std::make_unique<HostedPool>(std::move(wanted)));
}

tl::unexpected<Error> refuse_pool(const HostedPool& pool, std::string_view why) {
    return refuse_operation(ErrorSource::test, fmt::format("storage pool '{}' {}", pool.name, why));
}

}  // namespace

std::uint64_t HostedPool::allocation() const {
    std::uint64_t sum = 0;
    for (const auto& [volume_name, volume] : volumes)
        sum += std::max(volume.allocation, volume.content->allocation());
    return sum;
}

Outcome<HostedPool*> Host::Impl::pool(const Uuid& uuid) const {
    HostedPool* const found = pools.find(uuid);
    if (found == nullptr)
        return refuse(ErrorCode::no_storage_pool, ErrorSource::test,
                      fmt::format("Storage pool not found: no storage pool with matching uuid '{}'",
                                  to_text(uuid)));
    return found;
}

Outcome<HostedPool*> Host::Impl::active_pool(const Uuid& uuid) const {
    auto found = pool(uuid);
    if (found && !(*found)->active) return refuse_pool(**found, "is not active");
    return found;
}

Outcome<HostedPool*> Host::Impl::inactive_pool(const Uuid& uuid) const {
    auto found = pool(uuid);
    if (found && (*found)->active) return refuse_pool(**found, "is active");
    return found;
}

void Host::Impl::tell_pool(const HostedPool& pool, int what) const {
    notify({.kind = Event::Kind::pool_lifecycle,
            .what = what,
            .name = pool.name,
            .uuid = pool.uuid,
            .text = {}});
}

void Host::Impl::remove_pool(HostedPool& pool) {
    for (const auto& [name, volume] : pool.volumes) volume_keys.erase(volume.key);
    pools.remove(std::string(pool.name), Uuid(pool.uuid));
}

std::vector<PoolKey> Host::pools(std::uint32_t list_flags) const {
    const auto lock = impl_->read_lock();
    std::vector<PoolKey> keys;
    for (const auto& [name, pool] : impl_->pools.by_name)
        if (pool_listed(*pool, list_flags)) keys.push_back(pool->key());
    return keys;
}

Outcome<PoolKey> Host::pool_by_name(std::string_view name) const {
    const auto lock = impl_->read_lock();
    const HostedPool* const found = impl_->pools.find(name);
    if (found == nullptr)
        return refuse(
            ErrorCode::no_storage_pool, ErrorSource::test,
            fmt::format("Storage pool not found: no storage pool with matching name '{}'", name));
    return found->key();
}

Outcome<PoolKey> Host::pool_by_uuid(const Uuid& uuid) const {
    const auto lock = impl_->read_lock();
    return impl_->pool(uuid).map([](const HostedPool* found) { return found->key(); });
}

Outcome<PoolKey> Host::pool_by_path(std::string_view path) const {
    const auto lock = impl_->read_lock();
    for (const auto& [name, pool] : impl_->pools.by_name)
        if (pool->path == path) return pool->key();
    return refuse(
        ErrorCode::no_storage_pool, ErrorSource::test,
        fmt::format("Storage pool not found: no storage pool with matching target path '{}'",
                    path));
}

Outcome<PoolInfo> Host::pool_info(const Uuid& uuid) const {
    const auto lock = impl_->read_lock();
    return impl_->pool(uuid).map([](const HostedPool* found) {
        const std::uint64_t used = found->allocation();
        return PoolInfo{.active = found->active,
                        .persistent = found->persistent,
                        .autostart = found->autostart,
                        .state = found->active ? 2 : 0,
                        .capacity = found->capacity,
                        .allocation = used,
                        .available = found->capacity - std::min(used, found->capacity)};
    });
}

Outcome<std::string> Host::pool_xml(const Uuid& uuid) const {
    const auto info = pool_info(uuid);
    const auto lock = impl_->read_lock();
    auto found = impl_->pool(uuid);
    if (!info || !found) return fail(info ? found.error() : info.error());
    const HostedPool& pool = **found;
    std::string xml = fmt::format("<pool type='{}'>\n", xml_escaped(pool.type));
    append_element(xml, 1, "name", pool.name);
    append_element(xml, 1, "uuid", to_text(pool.uuid));
    xml += fmt::format(
        "  <capacity unit='bytes'>{}</capacity>\n"
        "  <allocation unit='bytes'>{}</allocation>\n"
        "  <available unit='bytes'>{}</available>\n",
        info->capacity, info->allocation, info->available);
    xml += pool.source.empty() ? "  <source>\n  </source>\n" : pool.source;
    if (!pool.path.empty()) {
        xml += "  <target>\n";
        append_element(xml, 2, "path", pool.path);
        xml += "  </target>\n";
    }
    xml += "</pool>\n";
    return xml;
}

Outcome<PoolKey> Host::define_pool(std::string_view xml) {
    auto read = read_pool(xml);
    if (!read) return fail(read.error());
    if (auto charged = impl_->charge(read->pool.charge, read->pool.xml_size()); !charged)
        return fail(charged.error());
    const auto lock = impl_->write_lock();
    auto pool = place_pool(impl_->pools, std::move(*read));
    if (!pool) return fail(pool.error());
    (*pool)->persistent = true;
    impl_->tell_pool(**pool, object_lifecycle::kDefined);
    return (*pool)->key();
}

Outcome<PoolKey> Host::create_pool(std::string_view xml) {
    auto read = read_pool(xml);
    if (!read) return fail(read.error());
    if (auto charged = impl_->charge(read->pool.charge, read->pool.xml_size()); !charged)
        return fail(charged.error());
    const auto lock = impl_->write_lock();
    if (const HostedPool* const there = impl_->pools.find(read->pool.name);
        there != nullptr && there->active)
        return refuse_failed(ErrorSource::storage,
                             fmt::format("pool '{}' is already active", there->name));
    auto pool = place_pool(impl_->pools, std::move(*read));
    if (!pool) return fail(pool.error());
    (*pool)->active = true;
    impl_->tell_pool(**pool, object_lifecycle::kStarted);
    return (*pool)->key();
}

Outcome<void> Host::start_pool(const Uuid& uuid) {
    const auto lock = impl_->write_lock();
    auto found = impl_->inactive_pool(uuid);
    if (!found) return fail(found.error());
    (*found)->active = true;
    impl_->tell_pool(**found, object_lifecycle::kStarted);
    return {};
}

Outcome<void> Host::destroy_pool(const Uuid& uuid) {
    const auto lock = impl_->write_lock();
    auto found = impl_->active_pool(uuid);
    if (!found) return fail(found.error());
    (*found)->active = false;
    impl_->tell_pool(**found, object_lifecycle::kStopped);
    if (!(*found)->persistent) impl_->remove_pool(**found);
    return {};
}

Outcome<void> Host::undefine_pool(const Uuid& uuid) {
    const auto lock = impl_->write_lock();
    auto found = impl_->inactive_pool(uuid);
    if (!found) return fail(found.error());
    impl_->tell_pool(**found, object_lifecycle::kUndefined);
    impl_->remove_pool(**found);
    return {};
}

Outcome<void> Host::refresh_pool(const Uuid& uuid) {
    const auto lock = impl_->write_lock();
    auto found = impl_->active_pool(uuid);
    if (!found) return fail(found.error());
    impl_->notify(
        {.kind = Event::Kind::pool_refresh, .name = (*found)->name, .uuid = uuid, .text = {}});
    return {};
}

Outcome<void> Host::build_pool(const Uuid& uuid) {
    const auto lock = impl_->write_lock();
    auto found = impl_->inactive_pool(uuid);
    if (!found) return fail(found.error());
    impl_->tell_pool(**found, object_lifecycle::kCreated);
    return {};
}

Outcome<void> Host::delete_pool(const Uuid& uuid) {
    const auto lock = impl_->write_lock();
    auto found = impl_->inactive_pool(uuid);
    if (!found) return fail(found.error());
    for (const auto& [name, volume] : (*found)->volumes) impl_->volume_keys.erase(volume.key);
    (*found)->volumes.clear();
    (*found)->declared = 0;
    impl_->tell_pool(**found, object_lifecycle::kDeleted);
    return {};
}

Outcome<void> Host::set_pool_autostart(const Uuid& uuid, bool autostart) {
    const auto lock = impl_->write_lock();
    auto found = impl_->pool(uuid);
    if (!found) return fail(found.error());
    if (!(*found)->persistent)
        return refuse(ErrorCode::invalid_argument, ErrorSource::test,
                      "invalid argument: pool has no config file");
    (*found)->autostart = autostart;
    return {};
}

}  // namespace helio::virt::host
