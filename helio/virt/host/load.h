// A host from a file: libvirt's XML (the <node> that its test driver reads, or one <domain>,
// <network>, <pool>), or our own TOML, which says thousands of domains in three lines.
// docs/virt-serve.md has the words. For start-up: what is wrong is one sentence, with file and line
// where they are known.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "helio/base/result.h"
#include "helio/virt/host/host.h"

namespace helio::virt::host {

// Bytes of a file that describes a host: a hundred thousand domains in XML.
inline constexpr std::size_t kHostFileBytesMax = 256 << 20;

// By what is in it: XML begins with '<'. Paths in the file are relative to it.
Result<void, std::string> load_host_file(Host& host, const std::string& path);
// `path` is for messages, and for what the text refers to.
Result<void, std::string> load_host_toml(Host& host, std::string_view text,
                                         const std::string& path);
// `count` running domains, vm-1 and so on, besides those there are.
Result<void, std::string> add_running_domains(Host& host, std::uint64_t count);
Result<void, std::string> load_host_xml(Host& host, std::string_view text, const std::string& path);

}  // namespace helio::virt::host
