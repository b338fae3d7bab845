// Any calls, as in FuzzedCalls, over a local directory. Beside it is another one that must be
// unreachable: no names, links or handles may read or change anything in it. Some of the input is
// not calls but actions of other programs: they move a directory, or replace it by a symbolic link
// to the outside.
//
// Calls run on their own thread, which assumes the callers' identities; set-up and clean-up run as
// the user who runs this.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "helio/backend/posix/posix_fs.h"
#include "testing/nfs/fuzzed_calls.h"

using namespace helio;
using namespace helio::nfs;
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kSecret = "nobody may read this";
// The user that FuzzedCalls come from.
constexpr uid_t kUser = 1000;

// Everything about a file that reading or changing it would show.
std::array<std::int64_t, 11> look(const std::string& path) {
    struct stat is;
    HELIO_ASSERT(lstat(path.c_str(), &is) == 0);
    return {static_cast<std::int64_t>(is.st_ino),
            static_cast<std::int64_t>(is.st_nlink),
            is.st_mode,
            is.st_uid,
            is.st_size,
            is.st_atim.tv_sec,
            is.st_atim.tv_nsec,
            is.st_mtim.tv_sec,
            is.st_mtim.tv_nsec,
            is.st_ctim.tv_sec,
            is.st_ctim.tv_nsec};
}

class World final {
 public:
    World() {
        HELIO_ASSERT(chmod(base_.c_str(), 0755) == 0);  // everybody may reach it
        fs::create_directory(outside_);
        std::ofstream{outside_ + "/secret"} << kSecret;
        // Accessible to everybody: only the server keeps them away. Times long ago, so that a read
        // is noticed (relatime).
        HELIO_ASSERT(chmod((outside_ + "/secret").c_str(), 0666) == 0);
        HELIO_ASSERT(chmod(outside_.c_str(), 0777) == 0);
        fs::create_directory(exported_);
        const timespec old[2] = {{1'000'000, 0}, {2'000'000, 0}};
        for (const std::string& path : {outside_ + "/secret", outside_, base_})
            HELIO_ASSERT(utimensat(AT_FDCWD, path.c_str(), old, 0) == 0);
        untouched_ = now();
    }
    ~World() { fs::remove_all(base_); }

    const std::string& exported() const { return exported_; }

    void refill() {
        HELIO_ASSERT(chmod(exported_.c_str(), 0777) == 0);
        clear();
        fs::create_directories(exported_ + "/a/b");
        std::ofstream{exported_ + "/a/b/file"} << "some bytes of a file";
        if (geteuid() == 0)
            for (const char* const path : {"", "/a", "/a/b", "/a/b/file"})
                HELIO_ASSERT(chown((exported_ + path).c_str(), kUser, kUser) == 0);
    }
    // Actions of other programs, on the serving thread.
    void interfere(unsigned what) const {
        const std::string from = exported_ + "/a";
        if (what % 2 == 0)
            static_cast<void>(rename(from.c_str(), (exported_ + "/moved").c_str()));
        else
            static_cast<void>(symlink("../outside", from.c_str()));
    }
    void check() const { HELIO_ASSERT(now() == untouched_); }

 private:
    using State = std::array<std::array<std::int64_t, 11>, 3>;
    State now() const { return {look(base_), look(outside_), look(outside_ + "/secret")}; }

    void clear() const {
        for (const auto& one : fs::directory_iterator(exported_)) {
            std::error_code refused;
            fs::remove_all(one.path(), refused);
            if (!refused) continue;
            // A directory that its owner may not enter.
            for (auto at = fs::recursive_directory_iterator(one.path()); at != end(at); ++at)
                if (at->is_directory() && !at->is_symlink())
                    fs::permissions(at->path(), fs::perms::owner_all);
            fs::remove_all(one.path());
        }
    }

    static std::string make_directory() {
        std::string path = "/dev/shm/helio_fuzz_XXXXXX";
        HELIO_ASSERT(mkdtemp(path.data()) != nullptr);
        return path;
    }

    const std::string base_ = make_directory();
    const std::string exported_ = base_ + "/export";
    const std::string outside_ = base_ + "/outside";
    State untouched_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static World world;
    world.refill();
    std::thread([&] {
        backend::PosixOptions options;
        options.directory = world.exported();
        options.as_caller = backend::posix_powers(options.directory).act_as_others;
        options.kernel_handles = size % 2 == 0;  // and by names alone
        const auto files = backend::make_posix_fs(options);
        ExportRules rules;
        rules.read_only = true;
        TestServer server{
            {TestServer::export_of("/data", files), TestServer::export_of("/ro", files, rules)}};
        server.as(kUser, kUser);
        FuzzedCalls calls{server};
        calls.interfere = [](unsigned what) { world.interfere(what); };
        calls.watch = [](ByteView reply) {
            HELIO_ASSERT(as_text(reply).find(kSecret) == std::string_view::npos);
        };
        calls.run({reinterpret_cast<const std::byte*>(data), size});
    }).join();
    world.check();
    return 0;
}
