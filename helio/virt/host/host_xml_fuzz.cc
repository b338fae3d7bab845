// Any XML from clients: the host survives it, and accepts its own output and reproduces it exactly.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "helio/base/assert.h"
#include "helio/virt/host/host.h"

namespace {

using namespace helio::virt::host;

void try_domain(std::string_view xml) {
    Host host;
    const auto key = host.define_domain(xml);
    if (!key) return;
    const std::string said = *host.domain_xml(key->uuid, Definition::inactive);
    HELIO_ASSERT(host.define_domain(said).has_value());
    HELIO_ASSERT(*host.domain_xml(key->uuid, Definition::inactive) == said);
    (void)host.start_domain(key->uuid);
    (void)host.domain_xml(key->uuid, Definition::current);
    (void)host.domain_stats(key->uuid);
}

void try_others(std::string_view xml) {
    Host host;
    if (const auto network = host.define_network(xml)) {
        const std::string said = *host.network_xml(network->uuid);
        HELIO_ASSERT(host.define_network(said).has_value());
        HELIO_ASSERT(*host.network_xml(network->uuid) == said);
    }
    if (const auto pool = host.define_pool(xml)) {
        const std::string said = *host.pool_xml(pool->uuid);
        HELIO_ASSERT(host.define_pool(said).has_value());
        HELIO_ASSERT(*host.pool_xml(pool->uuid) == said);
    }
    host.add_default();
    const auto pool = host.pool_by_name("default-pool");
    if (pool)
        if (const auto volume = host.create_volume(pool->uuid, xml))
            (void)host.volume_xml(volume->key);
    if (const auto domain = host.domain_by_name("test"))
        (void)host.set_domain_metadata(domain->uuid, Metadata::element, xml, "k", "u",
                                       Impact::current);
}

// Texts about existing objects.
void try_changes(std::string_view xml) {
    Host host;
    host.add_default();
    const Uuid domain = host.domain_by_name("test")->uuid;
    for (const DeviceChange change :
         {DeviceChange::attach, DeviceChange::update, DeviceChange::detach})
        (void)host.change_device(domain, xml, change, Impact::both);
    const std::string said = *host.domain_xml(domain, Definition::inactive);
    HELIO_ASSERT(host.define_domain(said).has_value());
    HELIO_ASSERT(*host.domain_xml(domain, Definition::inactive) == said);
    if (const auto name = host.create_snapshot(domain, xml, {})) {
        HELIO_ASSERT(host.snapshot_xml(domain, *name).has_value());
        HELIO_ASSERT(host.revert_to_snapshot(domain, *name, RevertTo::as_it_was).has_value());
        HELIO_ASSERT(host.delete_snapshot(domain, *name, DeleteWhat::one).has_value());
    }
    const Uuid network = host.network_by_name("default")->uuid;
    for (std::uint32_t section = 0; section < 14; ++section)
        for (const std::uint32_t command : {3u, 1u, 2u})  // add, change, delete
            (void)host.update_network(network, command, section, -1, xml);
    if (const auto secret = host.define_secret(xml)) {
        const std::string secret_said = *host.secret_xml(secret->uuid);
        HELIO_ASSERT(host.define_secret(secret_said).has_value());
        HELIO_ASSERT(*host.secret_xml(secret->uuid) == secret_said);
    }
    const std::string network_said = *host.network_xml(network);
    HELIO_ASSERT(host.define_network(network_said).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try_domain(text);
    try_others(text);
    try_changes(text);
    return 0;
}
