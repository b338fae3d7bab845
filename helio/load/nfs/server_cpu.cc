#include "helio/load/nfs/server_cpu.h"

namespace helio::load::nfs {

std::optional<ServerCpu> ServerCpu::of(pid_t pid) {
    clockid_t clock{};
    if (clock_getcpuclockid(pid, &clock) != 0) return std::nullopt;
    return ServerCpu{clock};
}

std::chrono::nanoseconds ServerCpu::now() const {
    timespec time{};
    if (clock_gettime(clock_, &time) != 0) return {};
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace helio::load::nfs
