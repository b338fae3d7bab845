// Volumes. Their bytes are in VolumeContent.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "helio/virt/host/host_internal.h"

namespace helio::virt::host {

namespace {

struct VolumeWanted {
    std::string name;
    std::string format;
    std::string backing;
    std::uint64_t capacity = 0;
    std::optional<std::uint64_t> allocation;
};

tl::unexpected<Error> wrong_volume(std::string_view why) {
    return refuse(ErrorCode::xml_error, ErrorSource::storage, fmt::format("XML error: {}", why));
}

// A clone without a capacity gets that of its source.
Outcome<VolumeWanted> read_volume(std::string_view xml, bool needs_capacity) {
    auto text = XmlText::read(xml, "storage_volume_definition", ErrorSource::storage, "volume");
    if (!text) return fail(text.error());
    const pugi::xml_node root = text->root();
    VolumeWanted wanted;
    wanted.name = child_text(root, "name");
    if (wanted.name.empty()) return wrong_volume("missing volume name element");
    const auto capacity = scaled_child(root, "capacity", 1);
    if (!capacity) return fail(capacity.error());
    if (!*capacity && needs_capacity) return wrong_volume("missing capacity element");
    wanted.capacity = capacity->value_or(0);
    if (wanted.capacity > kVolumeCapacityMax)
        return refuse(ErrorCode::overflow, ErrorSource::storage,
                      fmt::format("numerical overflow: value too large: {}", wanted.capacity));
    const auto allocation = scaled_child(root, "allocation", 1);
    if (!allocation) return fail(allocation.error());
    wanted.allocation = *allocation;
    wanted.format = root.child("target").child("format").attribute("type").value();
    if (wanted.format.empty()) wanted.format = "raw";
    wanted.backing = child_text(root.child("backingStore"), "path");
    return wanted;
}

VolumeKey key_of(const HostedPool& pool, const HostedVolume& volume) {
    return {.pool = pool.name, .name = volume.name, .key = volume.key};
}

Outcome<VolumeKey> add_volume(
    HostedPool& pool, VolumeWanted wanted,
    std::map<std::string, std::pair<HostedPool*, std::string>, std::less<>>& volume_keys,
    const std::shared_ptr<ContentBudget>& budget) {
    const std::string key = pool.path.empty() ? fmt::format("{}/{}", pool.name, wanted.name)
                                              : fmt::format("{}/{}", pool.path, wanted.name);
    if (pool.volumes.contains(wanted.name) || volume_keys.contains(key))
        return refuse_failed(ErrorSource::test, "storage vol already exists");
    const std::uint64_t allocation = wanted.allocation.value_or(wanted.capacity);
    if (pool.declared > pool.capacity || allocation > pool.capacity - pool.declared)
        return refuse_internal(
            fmt::format("Not enough free space in pool for volume '{}'", wanted.name));
    if (volume_keys.size() >= kHostObjectsMax) return refuse_full("volumes");
    HostedVolume volume{.name = wanted.name,
                        .key = key,
                        .format = wanted.format,
                        .backing = wanted.backing,
                        .allocation = allocation,
                        .content = std::make_shared<VolumeContent>(wanted.capacity, budget)};
    pool.declared += allocation;
    volume_keys[key] = {&pool, wanted.name};
    const auto added = pool.volumes.emplace(wanted.name, std::move(volume)).first;
    return key_of(pool, added->second);
}

// Copies page by page, and only pages that exist.
bool copy_content(const VolumeContent& from, VolumeContent& to) {
    std::vector<std::byte> buffer(64 << 10);
    std::uint64_t at = 0;
    while (true) {
        const VolumeContent::Extent extent = from.extent(at);
        if (extent.size == 0) return true;
        if (!extent.data) {
            at += extent.size;
            continue;
        }
        const auto part =
            static_cast<std::size_t>(std::min<std::uint64_t>(extent.size, buffer.size()));
        const std::size_t size = from.read(at, std::span(buffer).first(part));
        if (size == 0) return true;  // it shrank
        const std::uint64_t room = to.capacity() - std::min(at, to.capacity());
        if (to.write(at, std::span(buffer).first(size)) < std::min<std::uint64_t>(size, room))
            return false;
        at += size;
    }
}

}  // namespace

Outcome<HostedVolume*> Host::Impl::volume(std::string_view key) const {
    const auto found = volume_keys.find(key);
    if (found == volume_keys.end())
        return refuse(
            ErrorCode::no_storage_volume, ErrorSource::test,
            fmt::format("Storage volume not found: no storage vol with matching key '{}'", key));
    const auto& [pool, name] = found->second;
    return &pool->volumes.find(name)->second;
}

Outcome<std::vector<VolumeKey>> Host::volumes(const Uuid& pool) const {
    const auto lock = impl_->read_lock();
    return impl_->active_pool(pool).map([](const HostedPool* found) {
        std::vector<VolumeKey> keys;
        keys.reserve(found->volumes.size());
        for (const auto& [name, volume] : found->volumes) keys.push_back(key_of(*found, volume));
        return keys;
    });
}

Outcome<VolumeKey> Host::volume_by_name(const Uuid& pool, std::string_view name) const {
    const auto lock = impl_->read_lock();
    auto found = impl_->active_pool(pool);
    if (!found) return fail(found.error());
    const auto volume = (*found)->volumes.find(name);
    if (volume == (*found)->volumes.end())
        return refuse(
            ErrorCode::no_storage_volume, ErrorSource::test,
            fmt::format("Storage volume not found: no storage vol with matching name '{}'", name));
    return key_of(**found, volume->second);
}

Outcome<VolumeKey> Host::volume_by_key(std::string_view key) const {
    const auto lock = impl_->read_lock();
    auto found = impl_->volume(key);
    if (!found) return fail(found.error());
    return key_of(*impl_->volume_keys.find(key)->second.first, **found);
}

Outcome<VolumeInfo> Host::volume_info(std::string_view key) const {
    const auto lock = impl_->read_lock();
    return impl_->volume(key).map([](const HostedVolume* found) {
        return VolumeInfo{.type = 0,
                          .capacity = found->content->capacity(),
                          .allocation = std::max(found->allocation, found->content->allocation())};
    });
}

Outcome<std::string> Host::volume_xml(std::string_view key) const {
    const auto info = volume_info(key);
    const auto lock = impl_->read_lock();
    auto found = impl_->volume(key);
    if (!info || !found) return fail(info ? found.error() : info.error());
    const HostedVolume& volume = **found;
    std::string xml = "<volume type='file'>\n";
    append_element(xml, 1, "name", volume.name);
    append_element(xml, 1, "key", volume.key);
    xml += fmt::format(
        "  <capacity unit='bytes'>{}</capacity>\n"
        "  <allocation unit='bytes'>{}</allocation>\n"
        "  <target>\n",
        info->capacity, info->allocation);
    append_element(xml, 2, "path", volume.key);
    xml += fmt::format("    <format type='{}'/>\n  </target>\n", xml_escaped(volume.format));
    if (!volume.backing.empty()) {
        xml += "  <backingStore>\n";
        append_element(xml, 2, "path", volume.backing);
        xml += "  </backingStore>\n";
    }
    xml += "</volume>\n";
    return xml;
}

Outcome<VolumeKey> Host::create_volume(const Uuid& pool, std::string_view xml) {
    const auto lock = impl_->write_lock();
    auto found = impl_->active_pool(pool);
    if (!found) return fail(found.error());
    auto wanted = read_volume(xml, true);
    if (!wanted) return fail(wanted.error());
    return add_volume(**found, std::move(*wanted), impl_->volume_keys, impl_->budget);
}

Outcome<VolumeKey> Host::clone_volume(const Uuid& pool, std::string_view xml,
                                      std::string_view source_key) {
    const auto lock = impl_->write_lock();
    auto found = impl_->active_pool(pool);
    if (!found) return fail(found.error());
    auto wanted = read_volume(xml, false);
    if (!wanted) return fail(wanted.error());
    auto source = impl_->volume(source_key);
    if (!source) return fail(source.error());
    const std::shared_ptr<VolumeContent> from = (*source)->content;
    wanted->capacity = std::max(wanted->capacity, from->capacity());
    if (!wanted->allocation) wanted->allocation = (*source)->allocation;
    auto key = add_volume(**found, std::move(*wanted), impl_->volume_keys, impl_->budget);
    if (!key) return key;
    HostedVolume& made = (*found)->volumes.find(key->name)->second;
    if (copy_content(*from, *made.content)) return key;
    (*found)->declared -= made.allocation;
    impl_->volume_keys.erase(key->key);
    (*found)->volumes.erase(key->name);
    return refuse_internal("Not enough memory for what is in the volume");
}

Outcome<void> Host::delete_volume(std::string_view key) {
    const auto lock = impl_->write_lock();
    const auto found = impl_->volume_keys.find(key);
    if (found == impl_->volume_keys.end()) return fail(impl_->volume(key).error());
    const auto [pool, name] = found->second;
    impl_->volume_keys.erase(found);
    const auto volume = pool->volumes.find(name);
    pool->declared -= volume->second.allocation;
    pool->volumes.erase(volume);
    return {};
}

Outcome<void> Host::wipe_volume(std::string_view key) {
    const auto lock = impl_->write_lock();
    return impl_->volume(key).map([](const HostedVolume* found) { found->content->clear(); });
}

Outcome<void> Host::resize_volume(std::string_view key, std::uint64_t size, ResizeOptions options) {
    const auto lock = impl_->write_lock();
    auto found = impl_->volume(key);
    if (!found) return fail(found.error());
    VolumeContent& content = *(*found)->content;
    const std::uint64_t before = content.capacity();
    if (size > kVolumeCapacityMax || (options.delta && options.shrink && size > before))
        return refuse(ErrorCode::invalid_argument, ErrorSource::storage,
                      "invalid argument: requested size is out of range");
    if (options.delta) size = options.shrink ? before - size : before + size;
    if (size < before && !options.shrink)
        return refuse(ErrorCode::invalid_argument, ErrorSource::storage,
                      "invalid argument: Can't shrink capacity below current capacity unless "
                      "shrink flag explicitly specified");
    content.resize(size);
    return {};
}

Outcome<std::shared_ptr<VolumeContent>> Host::volume_content(std::string_view key) const {
    const auto lock = impl_->read_lock();
    return impl_->volume(key).map([](const HostedVolume* found) { return found->content; });
}

}  // namespace helio::virt::host
