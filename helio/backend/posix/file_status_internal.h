// File attributes from the kernel: thin wrappers around stat(2) and statx(2), conversion to vfs
// types, and a test whether a timestamp is old enough to be used as a version number.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>

#include "helio/vfs/types.h"

namespace helio::backend {

// fstat(2) as the kernel's own call; glibc implements it with an empty path.
inline int quick_stat(int descriptor, struct stat& out) {
#ifdef SYS_fstat
    return static_cast<int>(syscall(SYS_fstat, descriptor, &out));
#else
    return fstat(descriptor, &out);
#endif
}

struct StatusWithBirth {
    struct stat stat;
    std::uint64_t birth = 0;  // nanoseconds since 1970; 0 if the file system does not record it
};

// Looks up a name in a directory, or `descriptor` itself if the name is empty. Does not follow
// symbolic links. Returns false and sets errno on failure.
inline bool stat_with_birth(int descriptor, const char* name, StatusWithBirth& out) {
    struct statx found;
    const int flags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | (*name == 0 ? AT_EMPTY_PATH : 0);
    if (syscall(SYS_statx, descriptor, name, flags, STATX_BASIC_STATS | STATX_BTIME, &found) != 0)
        return false;
    const auto time = [](const statx_timestamp& from) {
        return timespec{from.tv_sec, static_cast<long>(from.tv_nsec)};
    };
    struct stat& stat = out.stat;
    stat.st_dev = makedev(found.stx_dev_major, found.stx_dev_minor);
    stat.st_ino = found.stx_ino;
    stat.st_mode = found.stx_mode;
    stat.st_nlink = found.stx_nlink;
    stat.st_uid = found.stx_uid;
    stat.st_gid = found.stx_gid;
    stat.st_rdev = makedev(found.stx_rdev_major, found.stx_rdev_minor);
    stat.st_size = static_cast<off_t>(found.stx_size);
    stat.st_blksize = static_cast<blksize_t>(found.stx_blksize);
    stat.st_blocks = static_cast<blkcnt_t>(found.stx_blocks);
    stat.st_atim = time(found.stx_atime);
    stat.st_mtim = time(found.stx_mtime);
    stat.st_ctim = time(found.stx_ctime);
    out.birth = (found.stx_mask & STATX_BTIME) == 0
                    ? 0
                    : static_cast<std::uint64_t>(found.stx_btime.tv_sec) * 1'000'000'000 +
                          found.stx_btime.tv_nsec;
    return true;
}

inline vfs::Time to_time(const timespec& time) {
    return {time.tv_sec, static_cast<std::uint32_t>(time.tv_nsec)};
}
inline vfs::Before to_before(const struct stat& status) {
    const vfs::Time changed = to_time(status.st_ctim);
    return {static_cast<std::uint64_t>(status.st_size), to_time(status.st_mtim), changed,
            vfs::change_from(changed)};
}
vfs::Attributes to_attributes(const struct stat& status, std::uint64_t fsid);

// The clock that file timestamps are taken from.
inline vfs::Time file_clock() {
    timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return to_time(now);
}

// Timestamps have a granularity: a clock tick (at most 10 ms), or up to two seconds on file systems
// that store no fractions (FAT; ext3). Two changes within it can get the same timestamp. Twice the
// tick leaves room for the coarse clock, which lags by one.
inline constexpr std::int64_t kTimeStepMaxNs = 20'000'000;
inline constexpr std::int64_t kWholeTimeStepMaxNs = 2'020'000'000;

// Whether any change from now on must give the file a timestamp other than `changed`.
inline bool is_settled(const vfs::Time& changed, const vfs::Time& now) {
    const std::int64_t step = changed.nanoseconds == 0 ? kWholeTimeStepMaxNs : kTimeStepMaxNs;
    const std::int64_t seconds = now.seconds - changed.seconds;
    if (seconds > step / 1'000'000'000 + 1) return true;
    return seconds >= 0 && seconds * 1'000'000'000 + std::int64_t{now.nanoseconds} -
                                   std::int64_t{changed.nanoseconds} >
                               step;
}

}  // namespace helio::backend
