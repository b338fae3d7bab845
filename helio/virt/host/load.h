// Loads a host from a file: libvirt's XML (the <node> that its test driver reads, or one <domain>,
// <network>, <pool>), or our own TOML, which describes thousands of domains in three lines;
// docs/virt-serve.md lists the keys. For start-up: an error is one sentence, with file and line if
// known.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "helio/base/result.h"
#include "helio/virt/host/host.h"

namespace helio::virt::host {

// Size of a host file: a hundred thousand domains in XML.
inline constexpr std::size_t kHostFileBytesMax = 256 << 20;

// By content: XML begins with '<'. Paths in the file are relative to it.
Result<void, std::string> load_host_file(Host& host, const std::string& path);
// `path` is for messages, and for files that the text refers to.
Result<void, std::string> load_host_toml(Host& host, std::string_view text,
                                         const std::string& path);
// Adds `count` running domains, vm-1 and so on.
Result<void, std::string> add_running_domains(Host& host, std::uint64_t count);
Result<void, std::string> load_host_xml(Host& host, std::string_view text, const std::string& path);

}  // namespace helio::virt::host
