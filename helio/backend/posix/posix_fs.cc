#include "helio/backend/posix/posix_fs.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
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

vfs::Limits limits_of(const std::string& directory) {
    vfs::Limits limits;
    const auto ask = [&directory](int name, long fallback) {
        const long found = pathconf(directory.c_str(), name);
        return found > 0 ? found : fallback;
    };
    limits.links_max =
        static_cast<std::uint32_t>(std::min<long>(ask(_PC_LINK_MAX, 32'000), UINT32_MAX));
    limits.name_size_max = static_cast<std::uint32_t>(std::min<long>(ask(_PC_NAME_MAX, 255), 255));
    const long bits = ask(_PC_FILESIZEBITS, 64);
    limits.file_size_max = bits >= 64 ? INT64_MAX : (std::uint64_t{1} << (bits - 1)) - 1;
    return limits;
}

}  // namespace

PosixFs::PosixFs(const PosixOptions& options)
    : options_(options),
      identity_(options.as_caller),
      nodes_(options.directory, options.index_file,
             options.kernel_handles && posix_powers(options.directory).open_by_handle,
             options.open_files_max, identity_),
      limits_(limits_of(options.directory)),
      verifier_(fresh_verifier()) {
    if (options.as_caller && !may_act_as_others())
        throw std::runtime_error("this process may not act as other users (CAP_SETUID and others)");
    umask(0);  // modes are the clients' to decide
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
