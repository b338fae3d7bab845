// A host in TOML. Each table becomes the XML that a client would send, so that a file cannot do
// more than a client.
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "helio/base/text/toml.h"
#include "helio/virt/host/load.h"
#include "helio/virt/host/load_internal.h"
#include "helio/virt/host/xml_internal.h"

namespace helio::virt::host {

namespace {

// Why a file is rejected: a sentence.
struct WrongToml {
    std::string why;
};

// One table; keys that were never queried are errors.
class Table final {
 public:
    Table(const toml::table& table, std::string path, std::string_view kind,
          std::initializer_list<std::string_view> words)
        : table_(table), path_(std::move(path)), kind_(kind) {
        for (const auto& [key, value] : table) {
            bool known = false;
            for (const std::string_view word : words) known = known || key.str() == word;
            if (!known) wrong(key.source(), fmt::format("{} has no '{}'", kind_, key.str()));
        }
    }

    [[noreturn]] void wrong(const toml::source_region& where, std::string_view why) const {
        throw WrongToml{
            fmt::format("{}:{}:{}: {}", path_, where.begin.line, where.begin.column, why)};
    }
    [[noreturn]] void wrong(std::string_view why) const { wrong(table_.source(), why); }

    template <class T>
    std::optional<T> value(std::string_view key, std::string_view kind) const {
        const toml::node* const node = table_.get(key);
        if (node == nullptr) return std::nullopt;
        const auto value = node->value_exact<T>();
        if (!value) wrong(node->source(), fmt::format("{} is {}", key, kind));
        return *value;
    }
    std::string text(std::string_view key, std::string_view otherwise = {}) const {
        return value<std::string>(key, "a string").value_or(std::string(otherwise));
    }
    std::string name() const {
        std::string name = text("name");
        if (name.empty()) wrong(fmt::format("{} needs a name", kind_));
        return name;
    }
    bool yes(std::string_view key, bool otherwise) const {
        return value<bool>(key, "true or false").value_or(otherwise);
    }
    std::uint64_t number(std::string_view key, std::uint64_t otherwise, std::uint64_t least,
                         std::uint64_t most) const {
        const auto given = value<std::int64_t>(key, "a number");
        if (!given) return otherwise;
        if (*given < 0 || static_cast<std::uint64_t>(*given) < least ||
            static_cast<std::uint64_t>(*given) > most)
            wrong(table_.get(key)->source(), fmt::format("{} is {} to {}", key, least, most));
        return static_cast<std::uint64_t>(*given);
    }
    std::vector<std::string> texts(std::string_view key) const {
        std::vector<std::string> all;
        const toml::node* const node = table_.get(key);
        if (node == nullptr) return all;
        if (!node->is_array()) wrong(node->source(), fmt::format("{} is a list of strings", key));
        for (const toml::node& one : *node->as_array()) {
            const auto text = one.value_exact<std::string>();
            if (!text) wrong(one.source(), fmt::format("{} is a list of strings", key));
            all.push_back(*text);
        }
        return all;
    }
    // Each `[[key]]`.
    template <class Each>
    void tables(std::string_view key, const Each& each) const {
        const toml::node* const node = table_.get(key);
        if (node == nullptr) return;
        const toml::array* const list = node->as_array();
        if (list == nullptr || !list->is_homogeneous<toml::table>())
            wrong(node->source(), fmt::format("{0} is a list of tables: [[{0}]]", key));
        for (const toml::node& one : *list) each(*one.as_table());
    }
    const toml::table* table(std::string_view key) const {
        const toml::node* const node = table_.get(key);
        if (node == nullptr) return nullptr;
        if (!node->is_table()) wrong(node->source(), fmt::format("{0} is a table: [{0}]", key));
        return node->as_table();
    }
    template <class T>
    T must(Outcome<T> outcome) const {
        if (!outcome) wrong(outcome.error().message);
        if constexpr (!std::is_void_v<T>) return std::move(*outcome);
    }
    const std::string& path() const { return path_; }

 private:
    const toml::table& table_;
    const std::string path_;
    const std::string_view kind_;
};

constexpr std::uint64_t kMibMax = std::uint64_t{1} << 40;  // an exabyte

void read_node(Host& host, const Table& root) {
    if (const std::string name = root.text("hostname"); !name.empty()) host.set_hostname(name);
    const toml::table* const given = root.table("node");
    if (given == nullptr) return;
    const Table table(
        *given, root.path(), "[node]",
        {"model", "memory_mib", "cpus", "mhz", "numa_nodes", "sockets", "cores", "threads"});
    NodeInfo node = host.node();
    const auto count = [&](std::string_view key, unsigned& value) {
        value = static_cast<unsigned>(table.number(key, value, 1, 1 << 16));
    };
    node.model = table.text("model", node.model);
    node.memory_kib = table.number("memory_mib", node.memory_kib / 1024, 1, kMibMax) * 1024;
    count("cpus", node.cpus);
    count("mhz", node.mhz);
    count("numa_nodes", node.numa_nodes);
    count("sockets", node.sockets);
    count("cores", node.cores);
    count("threads", node.threads);
    host.set_node(node);
}

std::string xml_of_file(const Table& table) {
    const auto text = read_whole_file(path_beside(table.path(), table.text("xml")));
    if (!text) table.wrong(text.error());
    return *text;
}

std::string domain_text(const Table& table, const std::string& name) {
    const std::uint64_t memory = table.number("memory_mib", 1024, 1, kMibMax);
    const std::uint64_t memory_max = table.number("memory_max_mib", memory, memory, kMibMax);
    const std::uint64_t vcpus = table.number("vcpus", 1, 1, 4096);
    std::string xml = fmt::format("<domain type='{}'><name>{}</name>",
                                  xml_escaped(table.text("type", "test")), xml_escaped(name));
    for (const char* const word : {"uuid", "title", "description"})
        if (const std::string text = table.text(word); !text.empty())
            append_element(xml, 0, word, text);
    xml += fmt::format(
        "<memory unit='MiB'>{}</memory><currentMemory unit='MiB'>{}</currentMemory>"
        "<vcpu current='{}'>{}</vcpu><os><type>hvm</type></os><devices>",
        memory_max, memory, vcpus, table.number("vcpus_max", vcpus, vcpus, 4096));
    char letter = 'a';
    for (const std::string& disk : table.texts("disks")) {
        if (letter > 'z') table.wrong("a domain has 26 disks at most");
        xml += fmt::format(
            "<disk type='file' device='disk'><source file='{}'/><target dev='vd{}' bus='virtio'/>"
            "</disk>",
            xml_escaped(disk), letter++);
    }
    for (const std::string& network : table.texts("networks"))
        xml += fmt::format("<interface type='network'><source network='{}'/></interface>",
                           xml_escaped(network));
    return xml + "<console type='pty'/></devices></domain>";
}

void add_domain(Host& host, const Table& table, const std::string& xml) {
    const std::string state = table.text("state", "off");
    if (state != "off" && state != "running" && state != "paused")
        table.wrong("state is off, running or paused");
    const StartAs how = state == "paused" ? StartAs::paused : StartAs::running;
    if (table.yes("transient", false)) {
        if (state == "off") table.wrong("a transient domain is running or paused");
        table.must(host.create_domain(xml, how));
        return;
    }
    const DomainKey made = table.must(host.define_domain(xml));
    if (table.yes("autostart", false)) table.must(host.set_domain_autostart(made.uuid, true));
    if (state != "off") table.must(host.start_domain(made.uuid, how));
}

void read_domain(Host& host, const Table& root, const toml::table& given) {
    const Table table(
        given, root.path(), "[[domain]]",
        {"name", "count", "uuid", "type", "title", "description", "memory_mib", "memory_max_mib",
         "vcpus", "vcpus_max", "disks", "networks", "state", "autostart", "transient", "xml"});
    if (!table.text("xml").empty()) return add_domain(host, table, xml_of_file(table));
    const std::string name = table.name();
    const std::uint64_t count = table.number("count", 0, 1, kHostObjectsMax);
    if (count == 0) return add_domain(host, table, domain_text(table, name));
    if (!table.text("uuid").empty()) table.wrong("domains with a count have uuids of their own");
    for (std::uint64_t i = 1; i <= count; ++i)
        add_domain(host, table, domain_text(table, fmt::format("{}-{}", name, i)));
}

void read_network_table(Host& host, const Table& root, const toml::table& given) {
    const Table table(given, root.path(), "[[network]]",
                      {"name", "uuid", "bridge", "address", "netmask", "range_start", "range_end",
                       "active", "autostart", "xml"});
    std::string xml;
    if (!table.text("xml").empty()) {
        xml = xml_of_file(table);
    } else {
        xml = fmt::format("<network><name>{}</name>", xml_escaped(table.name()));
        if (!table.text("uuid").empty()) append_element(xml, 0, "uuid", table.text("uuid"));
        xml += fmt::format("<forward mode='nat'/><bridge name='{}' stp='on' delay='0'/>",
                           xml_escaped(table.text("bridge", "virbr-" + table.name())));
        if (!table.text("address").empty())
            xml += fmt::format(
                "<ip address='{}' netmask='{}'><dhcp><range start='{}' end='{}'/></dhcp></ip>",
                xml_escaped(table.text("address")),
                xml_escaped(table.text("netmask", "255.255.255.0")),
                xml_escaped(table.text("range_start")), xml_escaped(table.text("range_end")));
        xml += "</network>";
    }
    const NetworkKey made = table.must(host.define_network(xml));
    if (table.yes("active", true)) table.must(host.start_network(made.uuid));
    if (table.yes("autostart", false)) table.must(host.set_network_autostart(made.uuid, true));
}

void fill_volume(Host& host, const Table& table, const VolumeKey& volume,
                 const std::string& content) {
    const auto into = table.must(host.volume_content(volume.key));
    const auto bytes = std::as_bytes(std::span(content));
    if (into->write(0, bytes) < bytes.size())
        table.wrong(fmt::format("volume '{}' has no room for its content", volume.name));
}

void read_volume_table(Host& host, const Table& root, const PoolKey& pool,
                       const toml::table& given) {
    const Table table(
        given, root.path(), "[[pool.volume]]",
        {"name", "count", "capacity_mib", "capacity", "allocation", "format", "text", "file"});
    const std::string name = table.name();
    std::string content = table.text("text");
    if (const std::string file = table.text("file"); !file.empty()) {
        auto read = read_whole_file(path_beside(table.path(), file));
        if (!read) table.wrong(read.error());
        content = std::move(*read);
    }
    const std::uint64_t mib = table.number("capacity_mib", 0, 0, kMibMax);
    const std::uint64_t capacity =
        table.number("capacity", mib == 0 ? content.size() : mib << 20, 0, kVolumeCapacityMax);
    const auto add = [&](const std::string& one) {
        const std::string xml = fmt::format(
            "<volume><name>{}</name><capacity>{}</capacity><allocation>{}</allocation>"
            "<target><format type='{}'/></target></volume>",
            xml_escaped(one), capacity, table.number("allocation", 0, 0, kVolumeCapacityMax),
            xml_escaped(table.text("format", "raw")));
        const VolumeKey made = table.must(host.create_volume(pool.uuid, xml));
        if (!content.empty()) fill_volume(host, table, made, content);
    };
    const std::uint64_t count = table.number("count", 0, 1, kHostObjectsMax);
    if (count == 0) return add(name);
    for (std::uint64_t i = 1; i <= count; ++i) add(fmt::format("{}-{}", name, i));
}

void read_pool_table(Host& host, const Table& root, const toml::table& given) {
    const Table table(
        given, root.path(), "[[pool]]",
        {"name", "uuid", "type", "path", "capacity_mib", "active", "autostart", "xml", "volume"});
    std::string xml;
    if (!table.text("xml").empty()) {
        xml = xml_of_file(table);
    } else {
        const std::string name = table.name();
        xml = fmt::format("<pool type='{}'><name>{}</name>", xml_escaped(table.text("type", "dir")),
                          xml_escaped(name));
        if (!table.text("uuid").empty()) append_element(xml, 0, "uuid", table.text("uuid"));
        if (const std::uint64_t mib = table.number("capacity_mib", 0, 0, kMibMax); mib > 0)
            xml += fmt::format("<capacity unit='MiB'>{}</capacity>", mib);
        xml += fmt::format("<target><path>{}</path></target></pool>",
                           xml_escaped(table.text("path", "/" + name)));
    }
    const PoolKey made = table.must(host.define_pool(xml));
    table.must(host.start_pool(made.uuid));
    table.tables("volume",
                 [&](const toml::table& volume) { read_volume_table(host, table, made, volume); });
    if (!table.yes("active", true)) table.must(host.destroy_pool(made.uuid));
    if (table.yes("autostart", false)) table.must(host.set_pool_autostart(made.uuid, true));
}

}  // namespace

Result<void, std::string> load_host_toml(Host& host, std::string_view text,
                                         const std::string& path) {
    const auto document = parse_toml(text);
    if (!document) {
        const TomlProblem& problem = document.error();
        if (problem.line == 0) return fail(fmt::format("{}: {}", path, problem.reason));
        return fail(
            fmt::format("{}:{}:{}: {}", path, problem.line, problem.column, problem.reason));
    }
    try {
        const Table root(*document, path, "a host",
                         {"hostname", "node", "domain", "network", "pool"});
        read_node(host, root);
        root.tables("network",
                    [&](const toml::table& one) { read_network_table(host, root, one); });
        root.tables("pool", [&](const toml::table& one) { read_pool_table(host, root, one); });
        root.tables("domain", [&](const toml::table& one) { read_domain(host, root, one); });
        return {};
    } catch (const WrongToml& wrong) {
        return fail(wrong.why);
    }
}

}  // namespace helio::virt::host
