#include "helio/inspect/capture/window.h"

#include <algorithm>
#include <cstring>

namespace helio::inspect {
namespace {

// Large enough that system calls cost little, small enough that the data is still in the L2 cache
// when the packets are dissected.
constexpr std::size_t kStartSize = 256u << 10;

}  // namespace

bool Window::fill(std::size_t size) {
    while (available() < size) {
        const std::size_t kept = available();
        if (kept == capacity_) {
            const std::size_t grown = std::max(kStartSize, 2 * capacity_);
            // Not cleared: only bytes that were read into it are used.
            std::unique_ptr<std::byte[]> larger{new std::byte[grown]};
            if (kept != 0) std::memcpy(larger.get(), begin_, kept);
            buffer_ = std::move(larger);
            capacity_ = grown;
        } else if (begin_ != buffer_.get() && kept != 0) {
            std::memmove(buffer_.get(), begin_, kept);
        }
        begin_ = buffer_.get();
        end_ = begin_ + kept;
        const std::size_t got = source_.read({buffer_.get() + kept, capacity_ - kept});
        if (got == 0) return false;
        end_ += got;
        read_ += got;
    }
    return true;
}

std::uint64_t Window::skip(std::uint64_t size) {
    for (;;) {
        const std::size_t here =
            static_cast<std::size_t>(std::min<std::uint64_t>(size, available()));
        take(here);
        size -= here;
        if (size == 0 || !ensure(1)) return size;
    }
}

}  // namespace helio::inspect
