#include "helio/virt/host/domains/domain_config_internal.h"

#include <charconv>
#include <unordered_set>

#include <fmt/format.h>

#include "helio/virt/host/load_internal.h"
#include "helio/virt/host/xml_internal.h"

namespace helio::virt::host {

namespace {

constexpr std::string_view kTestNamespace = "http://libvirt.org/schemas/domain/test/1.0";
constexpr unsigned kVcpusOfDomainMax = 4096;  // qemu's limit, and small enough for arithmetic

tl::unexpected<Error> wrong_xml(std::string_view why) {
    return refuse(ErrorCode::xml_error, ErrorSource::domain, fmt::format("XML error: {}", why));
}

Outcome<void> read_names(const pugi::xml_node& root, DomainConfig& config) {
    config.type = root.attribute("type").value();
    config.name = child_text(root, "name");
    if (config.name.empty())
        return refuse(ErrorCode::no_name, ErrorSource::domain, "missing name information");
    if (config.name.find('/') != std::string::npos)
        return wrong_xml(fmt::format("name {} cannot contain '/'", config.name));
    if (config.name.find('\n') != std::string::npos) return wrong_xml("name cannot contain '\\n'");
    const auto uuid = uuid_child(root, "domain", config.name, ErrorSource::domain);
    if (!uuid) return fail(uuid.error());
    config.uuid = *uuid;
    config.says_uuid = static_cast<bool>(root.child("uuid"));
    if (config.type.empty())
        return refuse(ErrorCode::xml_error, ErrorSource::xml,
                      "XML error: Missing required attribute 'type' in element 'domain'");
    config.title = child_text(root, "title");
    if (config.title.find('\n') != std::string::npos)
        return wrong_xml("Domain title can't contain newlines");
    config.description = child_text(root, "description");
    return {};
}

Outcome<void> read_memory(const pugi::xml_node& root, DomainConfig& config) {
    constexpr std::uint64_t kKib = 1024;
    const auto memory = scaled_child(root, "memory", kKib);
    if (!memory) return fail(memory.error());
    const auto current = scaled_child(root, "currentMemory", kKib);
    if (!current) return fail(current.error());
    config.memory_max_kib = (memory->value_or(0) + kKib - 1) / kKib;
    config.memory_kib = current->value_or(0) / kKib;
    if (config.memory_kib == 0 || config.memory_kib > config.memory_max_kib)
        config.memory_kib = config.memory_max_kib;
    return {};
}

Outcome<unsigned> read_count(const std::string& text, std::string_view where) {
    unsigned count = 0;
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (wrong != std::errc() || end != text.data() + text.size())
        return refuse(ErrorCode::xml_error, ErrorSource::xml,
                      fmt::format("XML error: Invalid value '{}' for {}", text, where));
    return count;
}

Outcome<void> read_vcpus(const pugi::xml_node& root, DomainConfig& config) {
    const pugi::xml_node vcpu = root.child("vcpu");
    if (!vcpu) return {};
    const auto most = read_count(child_text(root, "vcpu"), "element 'vcpu'");
    if (!most) return fail(most.error());
    if (*most == 0 || *most > kVcpusOfDomainMax)
        return wrong_xml(fmt::format("invalid maximum number of vCPUs '{}'", *most));
    config.vcpus_max = config.vcpus = *most;
    if (const pugi::xml_attribute current = vcpu.attribute("current")) {
        const auto now = read_count(current.value(), "attribute 'current' of element 'vcpu'");
        if (!now) return fail(now.error());
        if (*now == 0 || *now > *most)
            return wrong_xml(
                fmt::format("maxvcpus must not be less than current vcpus ({} < {})", *most, *now));
        config.vcpus = *now;
    }
    return {};
}

// Adds the prefix to all names in the element, or removes it.
enum class PrefixChange : std::uint8_t { add, remove };
void change_prefix(pugi::xml_node element, std::string_view prefix, PrefixChange change) {
    struct Walker final : pugi::xml_tree_walker {
        std::string prefix;
        PrefixChange change = PrefixChange::add;
        void rename(pugi::xml_node& node) const {
            if (node.type() != pugi::node_element) return;
            const std::string_view name = node.name();
            if (change == PrefixChange::add)
                node.set_name((prefix + std::string(name)).c_str());
            else if (name.starts_with(prefix))
                node.set_name(std::string(name.substr(prefix.size())).c_str());
        }
        bool for_each(pugi::xml_node& node) override {
            rename(node);
            return true;
        }
    };
    if (prefix.empty()) return;
    Walker walker;
    walker.prefix = std::string(prefix) + ':';
    walker.change = change;
    walker.rename(element);
    element.traverse(walker);
}

DomainMetadata metadata_of(pugi::xml_node element) {
    DomainMetadata metadata;
    append_node(metadata.text, 2, element);
    const std::string_view name = element.name();
    if (const std::size_t colon = name.find(':'); colon != std::string_view::npos)
        metadata.key = name.substr(0, colon);
    const std::string attribute = metadata.key.empty() ? "xmlns" : "xmlns:" + metadata.key;
    metadata.uri = element.attribute(attribute.c_str()).value();
    element.remove_attribute(attribute.c_str());
    change_prefix(element, metadata.key, PrefixChange::remove);
    metadata.plain = node_text(element);
    return metadata;
}

// Fills in what libvirt writes out: the node's architecture if none is given, a boot device, and
// the actions at the end.
void complete(pugi::xml_node root, std::string_view architecture) {
    pugi::xml_node os = root.child("os");
    pugi::xml_node type = os.child("type");
    if (!type.attribute("arch"))
        type.prepend_attribute("arch").set_value(std::string(architecture).c_str());
    if (!os.child("boot") && std::string_view(type.text().get()) == "hvm")
        os.append_child("boot").append_attribute("dev").set_value("hd");
    if (!root.child("clock"))
        root.insert_child_after("clock", os).append_attribute("offset").set_value("utc");
    pugi::xml_node after = root.child("clock");
    for (const auto& [name, value] :
         {std::pair{"on_poweroff", "destroy"}, std::pair{"on_reboot", "restart"},
          std::pair{"on_crash", "destroy"}}) {
        if (!root.child(name)) root.insert_child_after(name, after).text().set(value);
        after = root.child(name);
    }
    if (!root.child("devices")) root.append_child("devices");
}

// Elements of libvirt's test driver: `<test:runstate>5</test:runstate>`, `<test:transient/>`.
void take_test_words(pugi::xml_node root, DomainConfig& config) {
    // Found once: the root may have as many attributes as children.
    std::unordered_set<std::string> declarations;
    for (const pugi::xml_attribute attribute : root.attributes())
        if (attribute.value() == kTestNamespace) declarations.insert(attribute.name());
    std::vector<pugi::xml_node> ours;
    for (const pugi::xml_node child : root.children()) {
        const std::string_view name = child.name();
        const std::size_t colon = name.find(':');
        if (colon == std::string_view::npos) continue;
        const std::string attribute = "xmlns:" + std::string(name.substr(0, colon));
        const bool declared = declarations.contains(attribute) ||
                              child.attribute(attribute.c_str()).value() == kTestNamespace;
        if (!declared) continue;
        if (name.substr(colon + 1) == "runstate") {
            config.test_state = static_cast<State>(child.text().as_int(5));
            config.test_says_state = true;
        }
        if (name.substr(colon + 1) == "transient") config.test_transient = true;
        ours.push_back(child);
    }
    for (const pugi::xml_node child : ours) root.remove_child(child);
}

}  // namespace

std::uint64_t size_of(const DomainConfig& config) {
    std::uint64_t size = sizeof config + config.attributes.size() + config.name.size() +
                         config.title.size() + config.description.size() + config.body.size();
    for (const DomainMetadata& one : config.metadata)
        size += one.uri.size() + one.plain.size() + one.text.size();
    // Disks and interfaces are part of the body; the copies kept beside it are no larger.
    return 2 * size;
}

Outcome<DomainConfig> read_domain_config(std::string_view xml, std::string_view architecture) {
    auto text = XmlText::read(xml, "domain_definition", ErrorSource::domain, "domain");
    if (!text) return fail(text.error());
    pugi::xml_node root = text->root();
    DomainConfig config;
    if (auto done = read_names(root, config); !done) return fail(done.error());
    if (auto done = read_memory(root, config); !done) return fail(done.error());
    if (auto done = read_vcpus(root, config); !done) return fail(done.error());
    config.os_type = child_text(root.child("os"), "type");
    if (config.os_type.empty()) return wrong_xml("an os <type> must be specified");
    for (const pugi::xml_node element : root.child("metadata").children())
        if (element.type() == pugi::node_element) config.metadata.push_back(metadata_of(element));
    take_test_words(root, config);
    complete(root, architecture);
    read_devices(root.child("devices"), config);
    for (const pugi::xml_attribute attribute : root.attributes()) {
        const std::string_view name = attribute.name();
        if (name == "type" || name == "id" || attribute.value() == kTestNamespace) continue;
        config.attributes += fmt::format(" {}='{}'", name, xml_escaped(attribute.value()));
    }
    constexpr std::string_view kTakenOut[] = {"name",     "uuid",   "title",         "description",
                                              "metadata", "memory", "currentMemory", "vcpu"};
    for (const pugi::xml_node child : root.children()) {
        bool taken = child.type() != pugi::node_element;
        for (const std::string_view word : kTakenOut) taken = taken || word == child.name();
        if (!taken) append_node(config.body, 1, child);
    }
    return config;
}

std::string domain_config_xml(const DomainConfig& config, int id) {
    std::string text;
    text.reserve(config.body.size() + 512);
    text += fmt::format("<domain type='{}'", xml_escaped(config.type));
    if (id >= 0) text += fmt::format(" id='{}'", id);
    text += config.attributes;
    text += ">\n";
    append_element(text, 1, "name", config.name);
    append_element(text, 1, "uuid", to_text(config.uuid));
    if (!config.title.empty()) append_element(text, 1, "title", config.title);
    if (!config.description.empty()) append_element(text, 1, "description", config.description);
    if (!config.metadata.empty()) {
        text += "  <metadata>\n";
        for (const DomainMetadata& one : config.metadata) text += one.text;
        text += "  </metadata>\n";
    }
    text += fmt::format("  <memory unit='KiB'>{}</memory>\n", config.memory_max_kib);
    text += fmt::format("  <currentMemory unit='KiB'>{}</currentMemory>\n", config.memory_kib);
    if (config.vcpus == config.vcpus_max)
        text += fmt::format("  <vcpu placement='static'>{}</vcpu>\n", config.vcpus_max);
    else
        text += fmt::format("  <vcpu placement='static' current='{}'>{}</vcpu>\n", config.vcpus,
                            config.vcpus_max);
    text += config.body;
    text += "</domain>\n";
    return text;
}

Outcome<DomainMetadata> read_metadata(std::string_view xml, std::string_view key,
                                      std::string_view uri) {
    auto text = XmlText::read(xml, "metadata_xml", ErrorSource::domain);
    if (!text) return fail(text.error());
    pugi::xml_node root = text->root();
    change_prefix(root, key, PrefixChange::add);
    const std::string attribute = key.empty() ? "xmlns" : "xmlns:" + std::string(key);
    root.remove_attribute(attribute.c_str());
    root.prepend_attribute(attribute.c_str()).set_value(std::string(uri).c_str());
    return metadata_of(root);
}

StartWanted read_start(std::string_view domain_xml) {
    const auto config = read_domain_config(domain_xml, "");
    if (!config) return {};  // defining it will report the error
    return {.state = config->test_says_state ? config->test_state : State::running,
            .transient = config->test_transient};
}

}  // namespace helio::virt::host
