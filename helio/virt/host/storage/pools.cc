// Storage pools: directories that are not there, of a size that nobody measured.
#include <algorithm>

#include <fmt/format.h>

#include "helio/virt/host/host_internal.h"

namespace helio::virt::host {

namespace {

constexpr std::uint64_t kPoolCapacity = std::uint64_t{100} << 30;  // as the test driver has it

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
    // These name their volumes without a directory.
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
    using namespace list_networks;
    const auto group = [flags](std::uint32_t yes_bit, std::uint32_t no_bit, bool yes) {
        return (flags & (yes_bit | no_bit)) == 0 || (flags & (yes ? yes_bit : no_bit)) != 0;
    };
    // virConnectListAllStoragePoolsFlags: behind these bits come the types, in this order.
    constexpr std::string_view kTypes[] = {"dir",     "fs",   "netfs",    "logical",     "disk",
                                           "iscsi",   "scsi", "mpath",    "rbd",         "sheepdog",
                                           "gluster", "zfs",  "vstorage", "iscsi-direct"};
    bool type = (flags >> 6) == 0;
    for (std::size_t i = 0; i < std::size(kTypes); ++i)
        type = type || ((flags >> (6 + i)) & 1 && pool.type == kTypes[i]);
    return type && group(kActive, kInactive, pool.active) &&
           group(kPersistent, kTransient, pool.persistent) &&
           group(kAutostart, kNoAutostart, pool.autostart);
}

Outcome<HostedPool*> place_pool(HostIndex<HostedPool>& pools, PoolRead read) {
    HostedPool& wanted = read.pool;
    HostedPool* const same_name = pools.find(wanted.name);
    if (!read.says_uuid && same_name == nullptr)
        wanted.uuid = pools.unused_uuid("pool", wanted.name);
    HostedPool* const same_uuid = pools.find(wanted.uuid);
    const auto taken = [](std::string_view why) {
        return refuse(ErrorCode::operation_failed, ErrorSource::storage,
                      fmt::format("operation failed: {}", why));
    };
    if (same_uuid != nullptr && same_uuid->name != wanted.name)
        return taken(fmt::format("pool '{}' is already defined with uuid {}", same_uuid->name,
                                 to_text(wanted.uuid)));
    if (same_name != nullptr && (same_uuid == nullptr || !read.says_uuid))
        return taken(fmt::format("pool '{}' already exists with uuid {}", wanted.name,
                                 to_text(same_name->uuid)));
    if (same_uuid != nullptr) {
        // Volumes have keys of the old path: what holds some stays where it is.
        if (same_uuid->volumes.empty()) same_uuid->path = wanted.path;
        same_uuid->source = wanted.source;
        same_uuid->charge = wanted.charge;
        same_uuid->capacity = wanted.capacity;
        return same_uuid;
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
    auto charge = impl_->charge(read->pool.source.size() + read->pool.path.size());
    if (!charge) return fail(charge.error());
    read->pool.charge = std::move(*charge);
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
    auto charge = impl_->charge(read->pool.source.size() + read->pool.path.size());
    if (!charge) return fail(charge.error());
    read->pool.charge = std::move(*charge);
    const auto lock = impl_->write_lock();
    if (const HostedPool* const there = impl_->pools.find(read->pool.name);
        there != nullptr && there->active)
        return refuse(ErrorCode::operation_failed, ErrorSource::storage,
                      fmt::format("operation failed: pool '{}' is already active", there->name));
    auto pool = place_pool(impl_->pools, std::move(*read));
    if (!pool) return fail(pool.error());
    (*pool)->active = true;
    impl_->tell_pool(**pool, object_lifecycle::kStarted);
    return (*pool)->key();
}

Outcome<void> Host::start_pool(const Uuid& uuid) {
    const auto lock = impl_->write_lock();
    auto found = impl_->pool(uuid);
    if (!found) return fail(found.error());
    if ((*found)->active) return refuse_pool(**found, "is active");
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
    auto found = impl_->pool(uuid);
    if (!found) return fail(found.error());
    if ((*found)->active) return refuse_pool(**found, "is active");
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
    auto found = impl_->pool(uuid);
    if (!found) return fail(found.error());
    if ((*found)->active) return refuse_pool(**found, "is active");
    impl_->tell_pool(**found, object_lifecycle::kCreated);
    return {};
}

Outcome<void> Host::delete_pool(const Uuid& uuid) {
    const auto lock = impl_->write_lock();
    auto found = impl_->pool(uuid);
    if (!found) return fail(found.error());
    if ((*found)->active) return refuse_pool(**found, "is active");
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
