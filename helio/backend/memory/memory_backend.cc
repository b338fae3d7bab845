#include "helio/backend/memory/memory_backend.h"

#include "helio/backend/memory/memory_fs.h"

namespace helio::backend {

namespace {

constexpr vfs::BackendInfo kInfo{.name = "memory",
                                 .scheme = "memory:",
                                 .usage = "memory:",
                                 .noun = "memory:",
                                 .noun_in_file = "memory:",
                                 .settings = {}};

class MemoryBackend final : public vfs::Backend {
 public:
    const vfs::BackendInfo& info() const override { return kInfo; }
    std::string check(std::string_view source, SourceOrigin) const override {
        if (source == kInfo.scheme) return {};
        const std::string text{source};
        return "'" + text + "': nothing follows 'memory:'; a directory of that name is './" + text +
               "'";
    }
    std::string default_name(std::string_view) const override { return "memory"; }
    helio::Result<vfs::SourceInfo, std::string> inspect(
        const vfs::SourceRequest& request) const override {
        vfs::SourceInfo info;
        info.source = request.source;
        info.description = "files in memory";
        info.identity = request.export_path;  // each export has its own files
        info.outlives_server = false;
        info.acts_as_callers = true;
        return info;
    }
    std::shared_ptr<vfs::FileSystem> open(const vfs::SourceRequest&, const vfs::SourceInfo&,
                                          vfs::BackendHost&) const override {
        MemoryOptions options;
        options.root_mode = 01777;  // like /tmp: it has no owner yet
        return make_memory_fs(options);
    }
};

}  // namespace

const vfs::Backend& memory_backend() {
    static const MemoryBackend backend;
    return backend;
}

}  // namespace helio::backend
