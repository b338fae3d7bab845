// Identity: makes the calling thread act as the caller. It sets the user, group and supplementary
// groups that the file system sees (setfsuid(2) and relatives; on Linux they are per thread). A
// thread remembers which user it acts as, so that the next call of the same user costs nothing.
// Every operation begins by naming its user, so that nothing is left over from the last one.
#pragma once

#include <cstdint>

#include "helio/vfs/types.h"

namespace helio::backend {

class Identity final {
 public:
    // Without `enabled` both do nothing: everything is done as the process's own user.
    explicit Identity(bool enabled) : enabled_(enabled) {}

    bool enabled() const { return enabled_; }
    // False when the kernel refuses; then nothing may be done on the caller's behalf.
    [[nodiscard]] bool assume(const vfs::Caller& caller) const;
    void assume_self() const;

 private:
    bool enabled_;
};

// True if setfsuid would work.
bool may_act_as_others();

// Acts as the process itself for a while, inside an operation for a caller.
class AsSelf final {
 public:
    AsSelf(const Identity& identity, const vfs::Caller& caller)
        : identity_(identity), caller_(caller) {
        identity_.assume_self();
    }
    ~AsSelf() { static_cast<void>(identity_.assume(caller_)); }
    AsSelf(const AsSelf&) = delete;
    AsSelf& operator=(const AsSelf&) = delete;

 private:
    const Identity& identity_;
    const vfs::Caller& caller_;
};

}  // namespace helio::backend
