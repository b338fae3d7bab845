#include "helio/virt/host/load.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "helio/virt/host/load_internal.h"
#include "helio/virt/host/xml_internal.h"

namespace helio::virt::host {

namespace {

Result<void, std::string> wrong_in(const std::string& path, const Error& error) {
    return fail(fmt::format("{}: {}", path, error.message));
}

Result<void, std::string> load_domain(Host& host, std::string_view xml, const std::string& path) {
    const auto said = read_start(xml);
    const StartAs how = said.state == State::paused ? StartAs::paused : StartAs::running;
    if (said.transient) {
        const auto made = host.create_domain(xml, how);
        return made ? Result<void, std::string>() : wrong_in(path, made.error());
    }
    const auto made = host.define_domain(xml);
    if (!made) return wrong_in(path, made.error());
    if (said.state == State::off) return {};
    const auto started = host.start_domain(made->uuid, how);
    return started ? Result<void, std::string>() : wrong_in(path, started.error());
}

// A file's networks and pools are active, as in libvirt's test driver.
Result<void, std::string> load_network(Host& host, std::string_view xml, const std::string& path) {
    const auto made = host.define_network(xml);
    if (!made) return wrong_in(path, made.error());
    (void)host.start_network(made->uuid);
    return {};
}

Result<void, std::string> load_pool(Host& host, const pugi::xml_node& node, std::string_view xml,
                                    const std::string& path) {
    const auto made = host.define_pool(xml);
    if (!made) return wrong_in(path, made.error());
    (void)host.start_pool(made->uuid);
    for (const pugi::xml_node volume : node.children("volume")) {
        const auto added = host.create_volume(made->uuid, node_text(volume));
        if (!added) return wrong_in(path, added.error());
    }
    return {};
}

void load_node_words(Host& host, const pugi::xml_node& root) {
    NodeInfo node = host.node();
    const pugi::xml_node cpu = root.child("cpu");
    node.numa_nodes = cpu.child("nodes").text().as_uint(node.numa_nodes);
    node.sockets = cpu.child("sockets").text().as_uint(node.sockets);
    node.cores = cpu.child("cores").text().as_uint(node.cores);
    node.threads = cpu.child("threads").text().as_uint(node.threads);
    node.cpus = cpu.child("active").text().as_uint(node.cpus);
    node.mhz = cpu.child("mhz").text().as_uint(node.mhz);
    if (const std::string model = child_text(cpu, "model"); !model.empty()) node.model = model;
    node.memory_kib = root.child("memory").text().as_ullong(node.memory_kib);
    host.set_node(node);
    if (const std::string name = child_text(root, "hostname"); !name.empty())
        host.set_hostname(name);
}

// One object of a <node>, or the root of a file.
Result<void, std::string> load_object(Host& host, const pugi::xml_node& node, std::string_view text,
                                      const std::string& path) {
    const std::string_view name = node.name();
    if (name == "domain") return load_domain(host, text, path);
    if (name == "network") return load_network(host, text, path);
    if (name == "pool") return load_pool(host, node, text, path);
    return {};  // interfaces, devices and so on, which this host lacks
}

}  // namespace

std::string path_beside(const std::string& file, const std::string& named) {
    const std::size_t slash = file.rfind('/');
    if (named.starts_with('/') || slash == std::string::npos) return named;
    return file.substr(0, slash + 1) + named;
}

Result<std::string, std::string> read_whole_file(const std::string& path) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                               std::fclose);
    if (!file) return fail(fmt::format("{}: {}", path, std::strerror(errno)));
    std::string text;
    char part[1 << 16];
    while (const std::size_t size = std::fread(part, 1, sizeof part, file.get())) {
        text.append(part, size);
        if (text.size() > kHostFileBytesMax)
            return fail(fmt::format("{}: more than {} bytes", path, kHostFileBytesMax));
    }
    if (std::ferror(file.get())) return fail(fmt::format("{}: {}", path, std::strerror(errno)));
    return text;
}

Result<void, std::string> load_host_xml(Host& host, std::string_view text,
                                        const std::string& path) {
    pugi::xml_document document;
    const auto result = document.load_buffer(text.data(), text.size());
    if (!result)
        return fail(fmt::format("{}: {} at byte {}", path, result.description(), result.offset));
    const pugi::xml_node root = document.document_element();
    const std::string_view kind = root.name();
    if (kind == "domain" || kind == "network" || kind == "pool")
        return load_object(host, root, text, path);
    if (kind != "node")
        return fail(
            fmt::format("{}: the root element is <{}>; a host is described by <node>, "
                        "<domain>, <network> or <pool>",
                        path, kind));
    load_node_words(host, root);
    for (const char* const wanted : {"network", "pool", "domain"})
        for (const pugi::xml_node child : root.children(wanted)) {
            const std::string named = child.attribute("file").value();
            Result<void, std::string> done;
            if (named.empty())
                done = load_object(host, child, node_text(child), path);
            else
                done = load_host_file(host, path_beside(path, named));
            if (!done) return done;
        }
    return {};
}

Result<void, std::string> load_host_file(Host& host, const std::string& path) {
    const auto text = read_whole_file(path);
    if (!text) return fail(text.error());
    const std::size_t begins = text->find_first_not_of(" \t\r\n\xef\xbb\xbf");
    if (begins != std::string::npos && (*text)[begins] == '<')
        return load_host_xml(host, *text, path);
    return load_host_toml(host, *text, path);
}

Result<void, std::string> add_running_domains(Host& host, std::uint64_t count) {
    if (count == 0) return {};
    const std::string text = fmt::format(
        "[[domain]]\nname = \"vm\"\ncount = {}\nstate = \"running\"\nnetworks = [\"default\"]\n"
        "disks = [\"/guest/disk\"]\n",
        count);
    return load_host_toml(host, text, "--domains");
}

}  // namespace helio::virt::host
