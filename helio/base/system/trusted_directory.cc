#include "helio/base/system/trusted_directory.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include "helio/base/assert.h"

namespace helio {
namespace {

constexpr mode_t kWritableByOthers = S_IWGRP | S_IWOTH;

std::string_view kind_of(mode_t mode) {
    if (S_ISREG(mode)) return "a regular file";
    if (S_ISDIR(mode)) return "a directory";
    if (S_ISLNK(mode)) return "a symbolic link";
    if (S_ISFIFO(mode)) return "a FIFO";
    if (S_ISSOCK(mode)) return "a socket";
    return "a device";
}

TrustError failed(const std::string& path) {
    const int error = errno;
    return {error, fmt::format("{}: {}", path, std::strerror(error))};
}

TrustError refused(const std::string& path, std::string_view found, std::string_view expected) {
    return {0, fmt::format("{} {}, expected {}; refused", path, found, expected)};
}

// Checks owner and mode of an opened file.
Result<Fd, TrustError> checked(Fd file, const std::string& path, mode_t type,
                               std::string_view expected) {
    struct stat about {};
    if (fstat(file.get(), &about) != 0) return fail(failed(path));
    if ((about.st_mode & S_IFMT) != type)
        return fail(refused(path, fmt::format("is {}", kind_of(about.st_mode)), expected));
    const uid_t me = geteuid();
    if (about.st_uid != me && about.st_uid != 0)
        return fail(refused(path, fmt::format("belongs to uid {}", about.st_uid),
                            me == 0 ? "root" : fmt::format("uid {} or root", me)));
    if ((about.st_mode & kWritableByOthers) != 0)
        return fail(refused(
            path, fmt::format("can be written by others (mode {:04o})", about.st_mode & 07777),
            fmt::format("an owner alone who writes (chmod go-w {})", path)));
    return file;
}

}  // namespace

Result<TrustedDirectory, TrustError> TrustedDirectory::open(const std::string& path) {
    Fd directory{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (!directory) return fail(failed(path));
    auto good = checked(std::move(directory), path, S_IFDIR, "a directory");
    if (!good) return fail(std::move(good.error()));
    return TrustedDirectory{path, std::move(*good)};
}

Result<Fd, TrustError> TrustedDirectory::open_file(const std::string& name, int flags,
                                                   mode_t mode) const {
    HELIO_ASSERT((flags & O_TRUNC) == 0);
    HELIO_ASSERT(name.find('/') == std::string::npos);
    const std::string path = path_of(name);
    // O_NONBLOCK: a FIFO opens at once, or fails; it has no effect on regular files.
    Fd file{
        openat(directory_.get(), name.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode)};
    constexpr std::string_view kExpected = "a regular file";
    if (file) return checked(std::move(file), path, S_IFREG, kExpected);
    const int error = errno;
    struct stat about {};
    // Links, and FIFOs and sockets without a reader, do not open at all.
    if (error != ENOENT &&
        fstatat(directory_.get(), name.c_str(), &about, AT_SYMLINK_NOFOLLOW) == 0 &&
        !S_ISREG(about.st_mode))
        return fail(refused(path, fmt::format("is {}", kind_of(about.st_mode)), kExpected));
    errno = error;
    return fail(failed(path));
}

Result<Fd, TrustError> TrustedDirectory::replace_file(const std::string& name, int flags,
                                                      mode_t mode) const {
    if (unlinkat(directory_.get(), name.c_str(), 0) != 0 && errno != ENOENT)
        return fail(failed(path_of(name)));
    return open_file(name, flags | O_CREAT | O_EXCL, mode);
}

}  // namespace helio
