#include "tests/vfs_conformance/backends.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <thread>

#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "helio/backend/memory/memory_fs.h"
#include "helio/backend/posix/posix_fs.h"

namespace helio::tests {

namespace {

// A thread keeps the identity that a back end last gave it. The tests' own disk operations run as
// their own user, on a separate thread.
template <class Work>
void as_self(const Work& work) {
    std::thread([&work] {
        static_cast<void>(syscall(SYS_setgroups, 0, nullptr));
        setfsgid(getegid());
        setfsuid(geteuid());
        work();
    }).join();
}

}  // namespace

TemporaryDirectory::TemporaryDirectory() {
    path_ = (std::filesystem::temp_directory_path() / "helio_vfs_XXXXXX").string();
    int error = 0;
    as_self([&] { error = mkdtemp(path_.data()) ? 0 : errno; });
    if (error != 0) throw std::system_error(error, std::generic_category(), path_);
}

TemporaryDirectory::~TemporaryDirectory() {
    as_self([this] {
        std::error_code ignored;
        // Tests take away their own rights here and there.
        using Walk = std::filesystem::recursive_directory_iterator;
        for (Walk at(path_, std::filesystem::directory_options::skip_permission_denied, ignored),
             end;
             !ignored && at != end; at.increment(ignored)) {
            if (at->is_directory(ignored) && !at->is_symlink(ignored))
                std::filesystem::permissions(at->path(), std::filesystem::perms::owner_all,
                                             ignored);
        }
        std::filesystem::remove_all(path_, ignored);
    });
}

namespace {

class MemoryInstance final : public Instance {
 public:
    MemoryInstance() {
        backend::MemoryOptions options;
        options.root_uid = geteuid();
        options.root_gid = getegid();
        fs_ = backend::make_memory_fs(options);
    }
    vfs::FileSystem& fs() override { return *fs_; }

 private:
    std::shared_ptr<vfs::FileSystem> fs_;
};

class PosixInstance final : public Instance {
 public:
    PosixInstance(bool as_caller, bool kernel_handles) {
        options_.directory = directory_.path() + "/export";
        options_.index_file = directory_.path() + "/index";
        options_.as_caller = as_caller;
        options_.kernel_handles = kernel_handles;
        // The way there is open to all, as the way to an export is.
        as_self([this] {
            std::filesystem::permissions(directory_.path(), std::filesystem::perms{0755});
            std::filesystem::create_directory(options_.directory);
            std::filesystem::permissions(options_.directory, std::filesystem::perms{0755});
            fs_ = backend::make_posix_fs(options_);
        });
    }
    ~PosixInstance() override {
        // Resets this thread's identity to the process's own.
        vfs::LookupOut out;
        fs_->lookup({.uid = geteuid(), .gid = getegid(), .groups = {}}, fs_->root(), ".", out);
        as_self([this] { fs_.reset(); });
    }
    vfs::FileSystem& fs() override { return *fs_; }
    std::string path() const override { return options_.directory; }
    void restart() override {
        as_self([this] {
            fs_.reset();
            fs_ = backend::make_posix_fs(options_);
        });
    }

 private:
    TemporaryDirectory directory_;
    backend::PosixOptions options_;
    std::shared_ptr<vfs::FileSystem> fs_;
};

Backend posix(std::string name, bool as_caller, bool kernel_handles) {
    Traits traits;
    traits.identities = as_caller;
    traits.superuser = geteuid() == 0;
    traits.distinct_times = false;
    traits.survives_restart = true;
    traits.whole_verifiers = false;
    const auto make = [as_caller, kernel_handles] {
        return std::make_unique<PosixInstance>(as_caller, kernel_handles);
    };
    return {std::move(name), traits, make, as_caller};
}

// The one place to add a back end to.
std::vector<Backend> make_list() {
    std::vector<Backend> list;
    list.push_back({"memory", {}, [] { return std::make_unique<MemoryInstance>(); }});
    const auto powers = backend::posix_powers(std::filesystem::temp_directory_path().string());
    if (powers.act_as_others && powers.open_by_handle) list.push_back(posix("posix", true, true));
    if (powers.act_as_others) list.push_back(posix("posix_index", true, false));
    list.push_back(posix("posix_one_user", false, false));
    return list;
}

}  // namespace

const std::vector<Backend>& backends() {
    static const std::vector<Backend> list = make_list();
    return list;
}

std::string pattern(std::size_t size, unsigned seed) {
    std::string text(size, '\0');
    for (auto& letter : text) {
        seed = seed * 1664525 + 1013904223;
        letter = static_cast<char>(seed >> 24);
    }
    return text;
}

}  // namespace helio::tests
