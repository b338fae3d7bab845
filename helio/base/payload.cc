#include "helio/base/payload.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace helio {

bool Payload::copy_to(std::byte* to, std::size_t offset, std::size_t size) const {
    HELIO_ASSERT(offset + size <= size_);
    if (size == 0) return true;
    if (!is_file()) {
        std::memcpy(to, bytes_ + offset, size);
        return true;
    }
    for (std::size_t have = 0; have < size;) {
        const auto at = static_cast<off_t>(file_->offset + offset + have);
        const ssize_t got = pread(file_->descriptor, to + have, size - have, at);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return false;
        if (got == 0) {
            std::fill_n(to + have, size - have, std::byte{0});
            break;
        }
        have += static_cast<std::size_t>(got);
    }
    return true;
}

bool operator==(const Payload& a, const Payload& b) {
    if (a.is_file() != b.is_file() || a.size() != b.size()) return false;
    if (a.is_file())
        return a.file().descriptor == b.file().descriptor && a.file().offset == b.file().offset;
    return std::equal(a.bytes().begin(), a.bytes().end(), b.bytes().begin());
}

}  // namespace helio
