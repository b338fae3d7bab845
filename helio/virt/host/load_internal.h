// Shared by the readers of XML and TOML files.
#pragma once

#include <string>
#include <string_view>

#include "helio/base/result.h"
#include "helio/virt/host/types.h"

namespace helio::virt::host {

// The path of a file named in `file`: relative to it, unless absolute.
std::string path_beside(const std::string& file, const std::string& named);
Result<std::string, std::string> read_whole_file(const std::string& path);

// How a file's domain starts. In libvirt's test driver it runs by default.
struct StartWanted {
    State state = State::running;
    bool transient = false;
};
StartWanted read_start(std::string_view domain_xml);

}  // namespace helio::virt::host
