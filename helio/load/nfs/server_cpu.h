// ServerCpu: CPU time of another process on this machine, over all its threads including ended
// ones, from the kernel's nanosecond clock.
#pragma once

#include <sys/types.h>
#include <time.h>

#include <chrono>
#include <optional>

namespace helio::load::nfs {

class ServerCpu final {
 public:
    // Nothing if there is no such process.
    static std::optional<ServerCpu> of(pid_t pid);
    // 0 once the process is gone.
    std::chrono::nanoseconds now() const;

 private:
    explicit ServerCpu(clockid_t clock) : clock_(clock) {}
    clockid_t clock_;
};

}  // namespace helio::load::nfs
