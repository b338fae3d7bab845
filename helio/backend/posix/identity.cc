#include <grp.h>
#include <linux/capability.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "helio/backend/posix/identity_internal.h"

namespace helio::backend {

namespace {

// More groups than AUTH_SYS has (RFC 5531 appendix A: 16). For a caller with more, the identity is
// set again every time.
constexpr std::size_t kGroupsRemembered = 32;

struct ThreadIdentity {
    bool known = false;  // the thread's identity is the one below
    std::uint32_t uid = 0;
    std::uint32_t gid = 0;
    std::size_t group_count = 0;
    std::array<std::uint32_t, kGroupsRemembered> groups{};

    bool is(const vfs::Caller& caller) const {
        return known && uid == caller.uid && gid == caller.gid &&
               group_count == caller.groups.size() &&
               std::equal(caller.groups.begin(), caller.groups.end(), groups.begin());
    }
};
thread_local ThreadIdentity identity_now;

// glibc's functions change every thread of the process, the kernel's system calls only this one.
bool set_groups(std::span<const std::uint32_t> groups) {
    return syscall(SYS_setgroups, groups.size(), groups.data()) == 0;
}
bool set_user(std::uint32_t uid) {
    setfsuid(uid);
    return setfsuid(static_cast<uid_t>(-1)) == static_cast<int>(uid);
}
bool set_group(std::uint32_t gid) {
    setfsgid(gid);
    return setfsgid(static_cast<gid_t>(-1)) == static_cast<int>(gid);
}

}  // namespace

bool Identity::assume(const vfs::Caller& caller) const {
    if (!enabled_ || identity_now.is(caller)) return true;
    identity_now.known = false;
    // Groups first: if a step fails, the thread has fewer rights, not more.
    if (!set_groups(caller.groups) || !set_group(caller.gid) || !set_user(caller.uid)) {
        assume_self();
        return false;
    }
    if (caller.groups.size() > kGroupsRemembered) return true;
    identity_now.uid = caller.uid;
    identity_now.gid = caller.gid;
    identity_now.group_count = caller.groups.size();
    std::copy(caller.groups.begin(), caller.groups.end(), identity_now.groups.begin());
    identity_now.known = true;
    return true;
}

void Identity::assume_self() const {
    if (!enabled_) return;
    static_cast<void>(assume({.uid = geteuid(), .gid = getegid(), .groups = {}}));
}

bool may_act_as_others() {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct data[2]{};
    if (syscall(SYS_capget, &header, data) != 0) return false;
    constexpr std::uint32_t kNeeded = 1u << CAP_SETUID | 1u << CAP_SETGID | 1u << CAP_DAC_OVERRIDE |
                                      1u << CAP_DAC_READ_SEARCH | 1u << CAP_FOWNER |
                                      1u << CAP_CHOWN;
    return (data[0].effective & kNeeded) == kNeeded;
}

}  // namespace helio::backend
