#include "helio/virt/host/host.h"

#include <algorithm>

#include <fmt/format.h>

#include "helio/virt/host/host_internal.h"

namespace helio::virt::host {

tl::unexpected<Error> refuse_operation(ErrorSource source, std::string_view why) {
    return refuse(ErrorCode::operation_invalid, source,
                  fmt::format("Requested operation is not valid: {}", why));
}

tl::unexpected<Error> refuse_internal(std::string_view why) {
    return refuse(ErrorCode::internal_error, ErrorSource::test,
                  fmt::format("internal error: {}", why));
}

tl::unexpected<Error> refuse_failed(ErrorSource source, std::string_view why) {
    return refuse(ErrorCode::operation_failed, source, fmt::format("operation failed: {}", why));
}

tl::unexpected<Error> refuse_full(std::string_view what) {
    return refuse_failed(ErrorSource::test, fmt::format("the host has {} {}, and no room for more",
                                                        kHostObjectsMax, what));
}

Host::Host(HostOptions options) : impl_(std::make_unique<Impl>()) {
    impl_->options = std::move(options);
    if (!impl_->options.clock)
        impl_->options.clock = [] {
            return std::chrono::duration_cast<std::chrono::nanoseconds>(
                std::chrono::steady_clock::now().time_since_epoch());
        };
    impl_->budget = std::make_shared<ContentBudget>(impl_->options.content_bytes_max);
    impl_->xml_budget = std::make_shared<ContentBudget>(impl_->options.xml_bytes_max);
}

Host::~Host() = default;

Outcome<void> Host::Impl::charge(std::shared_ptr<void>& room, std::uint64_t bytes) const {
    if (!xml_budget->take(bytes))
        return refuse_failed(ErrorSource::test, "the host has no room for more XML");
    // The room may outlive the host, so it shares the budget that it returns the bytes to.
    room = std::shared_ptr<void>(nullptr,
                                 [budget = xml_budget, bytes](void*) { budget->give(bytes); });
    return {};
}

void Host::set_event_sink(EventSink sink) {
    const auto lock = impl_->write_lock();
    impl_->sink = std::move(sink);
}

void Host::add_default() {
    const auto domain = define_domain(R"(<domain type='test'>
  <name>test</name>
  <uuid>6695eb01-f6a4-8304-79aa-97f2502e193f</uuid>
  <memory unit='KiB'>8388608</memory>
  <currentMemory unit='KiB'>2097152</currentMemory>
  <vcpu>2</vcpu>
  <os><type>hvm</type></os>
  <devices>
    <disk type='file' device='disk'>
      <source file='/guest/diskimage1'/>
      <target dev='vda' bus='virtio'/>
    </disk>
    <interface type='network'>
      <mac address='aa:bb:cc:dd:ee:ff'/>
      <source network='default'/>
      <target dev='testnet0'/>
    </interface>
    <memballoon model='virtio'/>
  </devices>
</domain>)");
    const auto network = define_network(R"(<network>
  <name>default</name>
  <uuid>dd8fe884-6c02-601e-7551-cca97df1c5df</uuid>
  <forward mode='nat'/>
  <bridge name='virbr0' stp='on' delay='0'/>
  <ip address='192.168.122.1' netmask='255.255.255.0'>
    <dhcp>
      <range start='192.168.122.2' end='192.168.122.254'/>
    </dhcp>
  </ip>
</network>)");
    const auto pool = define_pool(R"(<pool type='dir'>
  <name>default-pool</name>
  <uuid>dfe224cb-28fb-8dd0-c4b2-64eb3f0f4566</uuid>
  <target><path>/default-pool</path></target>
</pool>)");
    if (network) (void)start_network(network->uuid);
    if (pool) (void)start_pool(pool->uuid);
    if (domain) (void)start_domain(domain->uuid);
}

NodeInfo Host::node() const {
    const auto lock = impl_->read_lock();
    return impl_->options.node;
}

std::string Host::hostname() const {
    const auto lock = impl_->read_lock();
    return impl_->options.hostname;
}

void Host::set_node(const NodeInfo& node) {
    const auto lock = impl_->write_lock();
    impl_->options.node = node;
}

void Host::set_hostname(std::string hostname) {
    const auto lock = impl_->write_lock();
    impl_->options.hostname = std::move(hostname);
}

std::uint64_t Host::free_memory() const {
    const auto lock = impl_->read_lock();
    std::uint64_t used = 0;
    for (const auto& [id, domain] : impl_->domains_by_id) used += domain->live->memory_kib;
    const std::uint64_t all = impl_->options.node.memory_kib;
    // Simulated domains may have more memory than the machine, because they use none of it.
    return (all - std::min(used, all)) * 1024;
}

unsigned Host::vcpus_max() const { return 32; }

namespace {

void append_guest(std::string& xml, std::string_view architecture, int word_size) {
    xml += fmt::format(
        "  <guest>\n"
        "    <os_type>hvm</os_type>\n"
        "    <arch name='{}'>\n"
        "      <wordsize>{}</wordsize>\n"
        "      <domain type='test'/>\n"
        "    </arch>\n"
        "    <features>\n"
        "      <acpi default='on' toggle='yes'/>\n"
        "      <apic default='on' toggle='no'/>\n"
        "    </features>\n"
        "  </guest>\n",
        architecture, word_size);
}

void append_cells(std::string& xml, const NodeInfo& node) {
    const unsigned cells = std::max(node.numa_nodes, 1U);
    xml += fmt::format("    <topology>\n      <cells num='{}'>\n", cells);
    unsigned cpu = 0;
    for (unsigned cell = 0; cell < cells; ++cell) {
        const unsigned here = node.cpus / cells + (cell < node.cpus % cells ? 1 : 0);
        xml += fmt::format(
            "        <cell id='{}'>\n"
            "          <memory unit='KiB'>{}</memory>\n"
            "          <cpus num='{}'>\n",
            cell, node.memory_kib / cells, here);
        for (unsigned i = 0; i < here; ++i, ++cpu)
            xml += fmt::format(
                "            <cpu id='{0}' socket_id='{1}' die_id='0' core_id='{2}' "
                "siblings='{0}'/>\n",
                cpu, cell, i);
        xml += "          </cpus>\n        </cell>\n";
    }
    xml += "      </cells>\n    </topology>\n";
}

}  // namespace

std::string Host::capabilities_xml() const {
    const NodeInfo node = this->node();
    const std::string uuid = to_text(uuid_of_name("host", hostname()));
    std::string xml = fmt::format(
        "<capabilities>\n\n"
        "  <host>\n"
        "    <uuid>{}</uuid>\n"
        "    <cpu>\n"
        "      <arch>{}</arch>\n"
        "      <topology sockets='{}' dies='1' cores='{}' threads='{}'/>\n"
        "      <pages unit='KiB' size='4'/>\n"
        "    </cpu>\n"
        "    <power_management/>\n"
        "    <iommu support='no'/>\n",
        uuid, xml_escaped(node.model), node.sockets, node.cores, node.threads);
    append_cells(xml, node);
    xml += "  </host>\n\n";
    append_guest(xml, xml_escaped(node.model), node.model == "i686" ? 32 : 64);
    xml += "\n</capabilities>\n";
    return xml;
}

std::string Host::domain_capabilities_xml() const {
    return fmt::format(
        "<domainCapabilities>\n"
        "  <domain>test</domain>\n"
        "  <arch>{}</arch>\n"
        "  <vcpu max='{}'/>\n"
        "  <os supported='yes'/>\n"
        "  <devices>\n"
        "    <disk supported='yes'/>\n"
        "  </devices>\n"
        "</domainCapabilities>\n",
        xml_escaped(node().model), vcpus_max());
}

}  // namespace helio::virt::host
