// Loads a host from TOML. Each table becomes the XML that a client would send, so that a file
// cannot do more than a client.
#include <algorithm>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "helio/base/text/nearest.h"
#include "helio/base/text/toml.h"
#include "helio/virt/host/load.h"
#include "helio/virt/host/load_internal.h"
#include "helio/virt/host/xml_internal.h"

namespace helio::virt::host {

namespace {

// Thrown where an object cannot be made; its mistake has been noted.
struct SkipObject {};

// All mistakes in a file, by location.
class Mistakes final {
 public:
    explicit Mistakes(std::string path) : path_(std::move(path)) {}

    void add(const toml::source_region& where, std::string_view why) {
        // A key may be read more than once.
        found_.emplace(where.begin.line, where.begin.column, why);
    }
    bool none() const { return found_.empty(); }
    // One line for each.
    std::string text() const {
        std::vector<std::string> lines;
        for (const auto& [line, column, why] : found_)
            lines.push_back(fmt::format("{}:{}:{}: {}", path_, line, column, why));
        return fmt::format("{}", fmt::join(lines, "\n"));
    }
    const std::string& path() const { return path_; }

 private:
    const std::string path_;
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::string>> found_;
};

// One table. Mistakes are recorded, and reading continues as if the key were absent.
class Table final {
 public:
    Table(const toml::table& table, Mistakes& mistakes, std::string_view kind,
          std::initializer_list<std::string_view> words)
        : table_(table), mistakes_(mistakes), kind_(kind) {
        for (const auto& [key, value] : table) {
            if (std::find(words.begin(), words.end(), key.str()) != words.end()) continue;
            Nearest nearest{key.str()};
            for (const std::string_view word : words) nearest.offer(word);
            mistakes_.add(key.source(),
                          fmt::format("{} has no '{}'{}", kind_, key.str(),
                                      nearest.found().empty()
                                          ? ""
                                          : fmt::format("; did you mean '{}'?", nearest.found())));
        }
    }

    [[noreturn]] void wrong(std::string_view why) const {
        mistakes_.add(table_.source(), why);
        throw SkipObject{};
    }

    template <class T>
    std::optional<T> value(std::string_view key, std::string_view kind) const {
        const toml::node* const node = table_.get(key);
        if (node == nullptr) return std::nullopt;
        const auto value = node->value_exact<T>();
        if (value) return *value;
        mistakes_.add(node->source(), fmt::format("{} is {}", key, kind));
        return std::nullopt;
    }
    std::string text(std::string_view key, std::string_view otherwise = {}) const {
        return value<std::string>(key, "a string").value_or(std::string(otherwise));
    }
    std::string name() const {
        std::string name = text("name");
        if (!name.empty()) return name;
        if (table_.get("name") != nullptr)
            throw SkipObject{};  // not a string, which has been reported
        wrong(fmt::format("{} needs a name", kind_));
    }
    bool yes(std::string_view key, bool otherwise) const {
        return value<bool>(key, "true or false").value_or(otherwise);
    }
    std::uint64_t number(std::string_view key, std::uint64_t otherwise, std::uint64_t least,
                         std::uint64_t most) const {
        const auto given = value<std::int64_t>(key, "a number");
        if (!given) return otherwise;
        if (*given >= 0 && static_cast<std::uint64_t>(*given) >= least &&
            static_cast<std::uint64_t>(*given) <= most)
            return static_cast<std::uint64_t>(*given);
        mistakes_.add(table_.get(key)->source(),
                      fmt::format("{} must be from {} to {}", key, least, most));
        return otherwise;
    }
    std::vector<std::string> texts(std::string_view key) const {
        std::vector<std::string> all;
        const toml::node* const node = table_.get(key);
        if (node == nullptr) return all;
        const auto strings = fmt::format("{} must be a list of strings", key);
        if (!node->is_array()) {
            mistakes_.add(node->source(), strings);
            return all;
        }
        for (const toml::node& one : *node->as_array()) {
            if (const auto text = one.value_exact<std::string>())
                all.push_back(*text);
            else
                mistakes_.add(one.source(), strings);
        }
        return all;
    }
    // Calls `each` for every `[[key]]`.
    template <class Each>
    void tables(std::string_view key, const Each& each) const {
        const toml::node* const node = table_.get(key);
        if (node == nullptr) return;
        const toml::array* const list = node->as_array();
        if (list == nullptr || !list->is_homogeneous<toml::table>())
            return mistakes_.add(node->source(),
                                 fmt::format("{0} must be a list of tables: [[{0}]]", key));
        for (const toml::node& one : *list) {
            try {
                each(*one.as_table());
            } catch (const SkipObject&) {
            }
        }
    }
    const toml::table* table(std::string_view key) const {
        const toml::node* const node = table_.get(key);
        if (node == nullptr) return nullptr;
        if (!node->is_table())
            mistakes_.add(node->source(), fmt::format("{0} must be a table: [{0}]", key));
        return node->as_table();
    }
    template <class T>
    T must(Outcome<T> outcome) const {
        if (!outcome) wrong(outcome.error().message);
        if constexpr (!std::is_void_v<T>) return std::move(*outcome);
    }
    const std::string& path() const { return mistakes_.path(); }
    Mistakes& mistakes() const { return mistakes_; }

 private:
    const toml::table& table_;
    Mistakes& mistakes_;
    const std::string_view kind_;
};

constexpr std::uint64_t kMibMax = std::uint64_t{1} << 40;  // an exabyte

void read_node(Host& host, const Table& root) {
    if (const std::string name = root.text("hostname"); !name.empty()) host.set_hostname(name);
    const toml::table* const given = root.table("node");
    if (given == nullptr) return;
    const Table table(
        *given, root.mistakes(), "[node]",
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
        if (letter > 'z') table.wrong("a domain can have at most 26 disks");
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
        table.wrong("state must be off, running or paused");
    const StartAs how = state == "paused" ? StartAs::paused : StartAs::running;
    if (table.yes("transient", false)) {
        if (state == "off") table.wrong("a transient domain must be running or paused");
        table.must(host.create_domain(xml, how));
        return;
    }
    const DomainKey made = table.must(host.define_domain(xml));
    if (table.yes("autostart", false)) table.must(host.set_domain_autostart(made.uuid, true));
    if (state != "off") table.must(host.start_domain(made.uuid, how));
}

void read_domain(Host& host, const Table& root, const toml::table& given) {
    const Table table(
        given, root.mistakes(), "[[domain]]",
        {"name", "count", "uuid", "type", "title", "description", "memory_mib", "memory_max_mib",
         "vcpus", "vcpus_max", "disks", "networks", "state", "autostart", "transient", "xml"});
    if (!table.text("xml").empty()) return add_domain(host, table, xml_of_file(table));
    const std::string name = table.name();
    const std::uint64_t count = table.number("count", 0, 1, kHostObjectsMax);
    if (count == 0) return add_domain(host, table, domain_text(table, name));
    if (!table.text("uuid").empty()) table.wrong("uuid cannot be combined with count");
    for (std::uint64_t i = 1; i <= count; ++i)
        add_domain(host, table, domain_text(table, fmt::format("{}-{}", name, i)));
}

void read_network_table(Host& host, const Table& root, const toml::table& given) {
    const Table table(given, root.mistakes(), "[[network]]",
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
        table.wrong(fmt::format("volume '{}' is too small for its content", volume.name));
}

void read_volume_table(Host& host, const Table& root, const PoolKey& pool,
                       const toml::table& given) {
    const Table table(
        given, root.mistakes(), "[[pool.volume]]",
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
        given, root.mistakes(), "[[pool]]",
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
    Mistakes mistakes{path};
    const Table root(*document, mistakes, "a host",
                     {"hostname", "node", "domain", "network", "pool"});
    read_node(host, root);
    root.tables("network", [&](const toml::table& one) { read_network_table(host, root, one); });
    root.tables("pool", [&](const toml::table& one) { read_pool_table(host, root, one); });
    root.tables("domain", [&](const toml::table& one) { read_domain(host, root, one); });
    if (!mistakes.none()) return fail(mistakes.text());
    return {};
}

}  // namespace helio::virt::host
