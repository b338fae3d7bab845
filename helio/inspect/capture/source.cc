#include "helio/inspect/capture/source.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace helio::inspect {

std::size_t MemorySource::read(std::span<std::byte> into) {
    const std::size_t size = std::min(into.size(), bytes_.size());
    if (size != 0) std::memcpy(into.data(), bytes_.data(), size);
    bytes_ = bytes_.subspan(size);
    return size;
}

FileSource::FileSource(Fd fd) : fd_(std::move(fd)) {
    struct stat about {};
    if (::fstat(fd_.get(), &about) != 0 || !S_ISREG(about.st_mode)) return;
    size_ = static_cast<std::uint64_t>(about.st_size);
#ifdef POSIX_FADV_SEQUENTIAL
    ::posix_fadvise(fd_.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
}

std::size_t FileSource::read(std::span<std::byte> into) {
    if (error_ != 0) return 0;
    for (;;) {
        const ssize_t got = ::read(fd_.get(), into.data(), into.size());
        if (got >= 0) return static_cast<std::size_t>(got);
        if (errno == EINTR) continue;
        error_ = errno;
        return 0;
    }
}

std::string FileSource::error() const {
    return error_ == 0 ? std::string{} : std::system_category().message(error_);
}

std::size_t RejoinedSource::read(std::span<std::byte> into) {
    const std::size_t size = first_.read(into);
    return size != 0 ? size : rest_.read(into);
}

}  // namespace helio::inspect
