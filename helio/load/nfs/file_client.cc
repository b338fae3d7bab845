#include "helio/load/nfs/file_client.h"

#include <algorithm>
#include <cstring>

#include "helio/load/nfs/v3/v3.h"
#include "helio/load/nfs/v4/v4.h"

namespace helio::load::nfs {

Handle::Handle(ByteView bytes) : size_(std::min(bytes.size(), bytes_.size())) {
    std::memcpy(bytes_.data(), bytes.data(), size_);
}

std::unique_ptr<FileClient> connect(const ExportTarget& target) {
    return target.version == Version::v3 ? v3::connect(target) : v4::connect(target);
}

Step step_of(Version version, Kind kind) {
    return version == Version::v3 ? v3::step_of(kind) : v4::step_of(kind);
}

std::string_view name_of(Version version, Kind kind) {
    return version == Version::v3 ? v3::name_of(kind) : v4::name_of(kind);
}

Handle walk(FileClient& client, const Handle& root, const std::string& path) {
    Handle at = root;
    for (std::size_t begin = 0; begin < path.size();) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        const std::string name = path.substr(begin, end - begin);
        begin = end + 1;
        if (!name.empty()) at = client.look_up(at, name);
    }
    return at;
}

}  // namespace helio::load::nfs
