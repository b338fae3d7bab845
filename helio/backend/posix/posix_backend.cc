#include "helio/backend/posix/posix_backend.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "helio/backend/posix/posix_fs.h"

namespace helio::backend {

namespace {

constexpr vfs::BackendInfo kInfo{.name = "posix",
                                 .scheme = {},
                                 .usage = "DIR",
                                 .noun = "a directory",
                                 .noun_in_file = "an absolute path",
                                 .settings = {}};

Result<std::string, std::string> real_directory(const std::string& path) {
    std::error_code error;
    const auto real = std::filesystem::canonical(path, error);
    if (error) return fail(path + ": " + error.message());
    // Do not open it: on a reload Landlock may refuse that, which is reported elsewhere.
    if (!std::filesystem::is_directory(real, error))
        errno = ENOTDIR;
    else if (access(real.c_str(), R_OK | X_OK) == 0)
        return real.string();
    return fail(path + ": " + std::strerror(errno));
}

// Two exports of a directory share one file system if it is opened in the same way.
std::string identity_of(const vfs::SourceRequest& request, const vfs::SourceInfo& info) {
    const auto flag = [](bool value) { return value ? '1' : '0'; };
    return {flag(info.acts_as_callers), flag(info.opens_by_handle), flag(request.sync_metadata)};
}

// Members are destroyed in reverse order: the lock is released last.
struct LockedFs {
    std::shared_ptr<const void> lock;
    std::shared_ptr<vfs::FileSystem> files;
};

class PosixBackend final : public vfs::Backend {
 public:
    const vfs::BackendInfo& info() const override { return kInfo; }
    std::string check(std::string_view source, SourceOrigin place) const override {
        // A configuration file must not depend on the server's working directory.
        if (place == SourceOrigin::file && !source.starts_with('/')) return "not an absolute path";
        return {};
    }
    // The last component: "data" for "/srv/data/".
    std::string default_name(std::string_view source) const override {
        std::error_code error;
        const auto whole = std::filesystem::absolute(source, error).lexically_normal();
        const auto name = whole.has_filename() ? whole.filename() : whole.parent_path().filename();
        return name.string();
    }
    helio::Result<vfs::SourceInfo, std::string> inspect(
        const vfs::SourceRequest& request) const override {
        auto real = real_directory(request.source);
        if (!real) return fail(std::move(real.error()));
        const PosixPrivileges powers = posix_powers(*real);
        vfs::SourceInfo info;
        info.source = info.description = std::move(*real);
        info.acts_as_callers = info.changes_identity = powers.act_as_others;
        info.opens_by_handle = powers.open_by_handle;
        info.paths = {info.source};
        info.identity = identity_of(request, info) + info.source;
        return info;
    }
    std::shared_ptr<vfs::FileSystem> open(const vfs::SourceRequest& request,
                                          const vfs::SourceInfo& info,
                                          vfs::BackendHost& host) const override {
        auto index =
            host.state_file("index", info.source, "handles that need it end with this process");
        PosixOptions options;
        options.directory = info.source;
        options.index_file = std::move(index.path);
        options.as_caller = info.acts_as_callers;
        options.sync_metadata = request.sync_metadata;
        const auto both = std::make_shared<LockedFs>();
        both->lock = std::move(index.lock);
        both->files = make_posix_fs(options);
        return {both, both->files.get()};
    }
};

}  // namespace

const vfs::Backend& posix_backend() {
    static const PosixBackend backend;
    return backend;
}

}  // namespace helio::backend
