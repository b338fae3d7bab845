// MountWatch: detects changes of the mount table. Mounting something over a name changes what the
// name resolves to, but not the timestamps of the directory.
#pragma once

#include <cstdint>
#include <mutex>

#include "helio/base/fd.h"

namespace helio::backend {

class MountWatch final {
 public:
    MountWatch();

    // A number that changes with the mount table. Costs one poll(2).
    std::uint64_t generation();

 private:
    Fd table_;
    std::mutex mutex_;
    std::uint64_t generation_ = 1;
};

}  // namespace helio::backend
