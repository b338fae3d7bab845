// The process's limit on open descriptors (RLIMIT_NOFILE) and how it is divided. Files come first,
// so that a flood of connections cannot keep a server from opening the files it serves.
#pragma once

#include <atomic>
#include <cstddef>

namespace helio {

std::size_t descriptor_limit();
// Raises the soft limit to the hard limit and returns it. The usual soft limit of 1,024 exists for
// programs that call select(2).
std::size_t raise_descriptor_limit();

// The rest is for listening sockets, event loops, logs and the state directory.
struct DescriptorShares {
    std::size_t files;  // all file systems together
    std::size_t connections;
};
DescriptorShares share_descriptors(std::size_t limit);

// One file system's share of the descriptors for files. All file systems of the process have equal
// shares, so a share shrinks when another file system is opened.
class FileDescriptors final {
 public:
    FileDescriptors();
    ~FileDescriptors();
    FileDescriptors(const FileDescriptors&) = delete;
    FileDescriptors& operator=(const FileDescriptors&) = delete;

    std::size_t count_max() const { return all_ / holders().load(std::memory_order_relaxed); }

 private:
    static std::atomic<std::size_t>& holders();

    const std::size_t all_;
};

}  // namespace helio
