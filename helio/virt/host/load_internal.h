// What the readers of XML and TOML files share.
#pragma once

#include <string>
#include <string_view>

#include "helio/base/result.h"
#include "helio/virt/host/types.h"

namespace helio::virt::host {

// A file that `file` names: beside it, unless the path is absolute.
std::string path_beside(const std::string& file, const std::string& named);
Result<std::string, std::string> read_whole_file(const std::string& path);

// How a domain of a file is to begin. In libvirt's test driver it runs unless it says otherwise.
struct StartWanted {
    State state = State::running;
    bool transient = false;
};
StartWanted read_start(std::string_view domain_xml);

}  // namespace helio::virt::host
