#include "helio/backend/posix/posix_fs.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <stdexcept>

#include "helio/backend/posix/parts/parts_internal.h"

namespace helio::backend {

namespace {

std::uint64_t fresh_verifier() {
    std::uint64_t verifier = 0;
    if (getrandom(&verifier, sizeof verifier, 0) != sizeof verifier) {
        timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        verifier =
            static_cast<std::uint64_t>(now.tv_sec) << 30 ^ static_cast<std::uint64_t>(now.tv_nsec);
    }
    return verifier;
}

// The largest offset that lseek(2) accepts for a regular file is the file system's limit: the
// kernel compares it with s_maxbytes, as it does the end of every write. On ext4 it also depends on
// the file's format, so this uses a new file, which has no name and stays empty. (ftruncate(2)
// would work, but beyond RLIMIT_FSIZE it kills the process; _PC_FILESIZEBITS knows bits at best.)
std::uint64_t last_offset(int file) {
    std::uint64_t good = 0;
    std::uint64_t bad = std::uint64_t{INT64_MAX} + 1;
    while (bad - good > 1) {
        const std::uint64_t middle = good + (bad - good) / 2;
        (lseek(file, static_cast<off_t>(middle), SEEK_SET) < 0 ? bad : good) = middle;
    }
    return good;
}

// If no file can be made, guess by the type of file system. ext4 numbers the blocks of a file with
// 32 bits and does not use the last. xfs, btrfs and tmpfs go up to 2^63 - 1.
std::uint64_t usual_file_size_max(const std::string& directory) {
    struct statfs about;
    if (statfs(directory.c_str(), &about) != 0 || about.f_type != EXT4_SUPER_MAGIC)
        return INT64_MAX;
    return std::uint64_t{UINT32_MAX} * static_cast<std::uint64_t>(about.f_bsize);
}

std::uint64_t file_size_max(const std::string& directory) {
    const Fd scratch{open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)};
    const std::uint64_t found = scratch ? last_offset(scratch.get()) : 0;
    // 0: the file system cannot seek.
    return found > 0 ? found : usual_file_size_max(directory);
}

vfs::Limits limits_of(const std::string& directory) {
    vfs::Limits limits;
    const auto ask = [&directory](int name, long fallback) {
        const long found = pathconf(directory.c_str(), name);
        return found > 0 ? found : fallback;
    };
    limits.links_max =
        static_cast<std::uint32_t>(std::min<long>(ask(_PC_LINK_MAX, 32'000), UINT32_MAX));
    limits.name_size_max = static_cast<std::uint32_t>(std::min<long>(ask(_PC_NAME_MAX, 255), 255));
    limits.file_size_max = file_size_max(directory);
    return limits;
}

}  // namespace

PosixFs::PosixFs(const PosixOptions& options)
    : options_(options),
      identity_(options.as_caller),
      nodes_(options.directory, options.index_file,
             options.kernel_handles && posix_powers(options.directory).open_by_handle,
             options.open_files_max, identity_),
      always_blocks_(waits_for_others(nodes_.root()->path.get())),
      limits_(limits_of(options.directory)),
      verifier_(fresh_verifier()) {
    if (options.as_caller && !may_act_as_others())
        throw std::runtime_error("this process may not act as other users (CAP_SETUID and others)");
    umask(0);  // clients decide about modes
    parts_ = std::make_unique<PosixParts>(*this, probe_features(options.directory),
                                          nodes_.nodes_max() / 3);
}

PosixFs::~PosixFs() = default;

PosixPrivileges posix_powers(const std::string& directory) {
    PosixPrivileges powers;
    powers.act_as_others = may_act_as_others();
    const Fd root{open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (!root) return powers;
    struct stat status;
    if (fstat(root.get(), &status) != 0) return powers;
    const FileIds ids{root.get()};
    const auto id = ids.of(root.get(), "", status);
    if (!id) return powers;
    const Fd opened{ids.open(root.get(), *id)};
    powers.open_by_handle = static_cast<bool>(opened);
    return powers;
}

std::shared_ptr<vfs::FileSystem> make_posix_fs(const PosixOptions& options) {
    return std::make_shared<PosixFs>(options);
}

}  // namespace helio::backend
