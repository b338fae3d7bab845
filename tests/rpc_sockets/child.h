// socket_peer as a separate process, for tests that one process cannot do with itself: run out of
// descriptors, inherit sockets, have its CPU time and memory measured.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "helio/transport/socket/socket.h"

namespace wire {

class ServerProcess final {
 public:
    struct Setup {
        std::uint64_t descriptors_max = 0;  // 0: as many as this process
        std::vector<int> inherited = {};    // become 3, 4, … and LISTEN_FDS
    };
    // Started, and has printed its first line. Throws std::runtime_error if it prints none.
    explicit ServerProcess(const Setup& setup);
    ~ServerProcess();
    ServerProcess(const ServerProcess&) = delete;
    ServerProcess& operator=(const ServerProcess&) = delete;

    const std::string& first_line() const { return first_line_; }
    std::uint16_t port() const { return port_; }
    std::chrono::milliseconds processor_time() const;
    std::size_t resident_bytes() const;
    int terminate();  // SIGTERM; its exit status

 private:
    pid_t process_ = -1;
    helio::transport::Fd output_;
    std::string first_line_;
    std::uint16_t port_ = 0;
};

// Sanitizers keep freed memory for a while, and check memory through a pipe: with them, neither
// memory nor running out of descriptors tells anything about us.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#else
inline constexpr bool kSanitized = false;
#endif

// For a process, from /proc.
std::size_t resident_bytes(pid_t process);

}  // namespace wire
