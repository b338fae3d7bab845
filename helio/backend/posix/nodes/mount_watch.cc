#include "helio/backend/posix/nodes/mount_watch_internal.h"

#include <fcntl.h>
#include <poll.h>

namespace helio::backend {

MountWatch::MountWatch() : table_(open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)) {}

// The kernel reports each change once per open file (proc_pid_mountinfo(5)). The lock ensures that
// no other thread still gets the old number after that. If the table cannot be watched, every call
// returns a new number, so nothing is ever taken to be unchanged.
std::uint64_t MountWatch::generation() {
    const std::lock_guard lock{mutex_};
    pollfd watched{table_.get(), POLLPRI, 0};
    if (!table_ || poll(&watched, 1, 0) != 0) ++generation_;
    return generation_;
}

}  // namespace helio::backend
