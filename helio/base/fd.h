// Fd: owns a file descriptor and closes it when destroyed.
#pragma once

#include <unistd.h>

#include <utility>

namespace helio {

class Fd final {
 public:
    Fd() = default;
    explicit Fd(int fd) : fd_(fd) {}
    Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Fd& operator=(Fd&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~Fd() { reset(); }

    int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }
    void reset() {
        if (fd_ >= 0) ::close(std::exchange(fd_, -1));
    }
    int release() { return std::exchange(fd_, -1); }

 private:
    int fd_ = -1;
};

}  // namespace helio
