// XML of clients: whatever it is, the host survives it; and what the host made of it, it takes
// again and says again in the same words.
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
    const std::string said = *host.domain_xml(key->uuid, true);
    HELIO_ASSERT(host.define_domain(said).has_value());
    HELIO_ASSERT(*host.domain_xml(key->uuid, true) == said);
    (void)host.start_domain(key->uuid);
    (void)host.domain_xml(key->uuid, false);
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try_domain(text);
    try_others(text);
    return 0;
}
