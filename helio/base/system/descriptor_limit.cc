#include "helio/base/system/descriptor_limit.h"

#include <sys/resource.h>

#include <algorithm>

namespace helio {

namespace {
// For everything that is neither a file nor a connection.
constexpr std::size_t kOtherDescriptors = 64;
// A hundred thousand open files with up to three descriptors each; hardly anybody needs more.
constexpr std::size_t kFileDescriptorsMax = 300'000;
}  // namespace

std::size_t descriptor_limit() {
    rlimit limit{};
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0;
}

std::size_t raise_descriptor_limit() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    return descriptor_limit();
}

DescriptorShares share_descriptors(std::size_t limit) {
    const std::size_t rest = limit - std::min(limit / 4, kOtherDescriptors);
    const std::size_t files = std::min(rest / 2, kFileDescriptorsMax);
    return {files, rest - files};
}

std::atomic<std::size_t>& FileDescriptors::holders() {
    static std::atomic<std::size_t> count{0};
    return count;
}

FileDescriptors::FileDescriptors() : all_(share_descriptors(raise_descriptor_limit()).files) {
    holders().fetch_add(1, std::memory_order_relaxed);
}

FileDescriptors::~FileDescriptors() { holders().fetch_sub(1, std::memory_order_relaxed); }

}  // namespace helio
