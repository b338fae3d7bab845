// MountWatch: detects changes of the mount table. Mounting something over a name changes what the
// name resolves to, but not the timestamps of the directory. It also knows which file systems wait
// for another machine or process: a thread that must not block must not touch them, nor a name that
// leads into one.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "helio/base/fd.h"

namespace helio::backend {

// True for file systems whose every operation may wait for another machine or process. Asks the
// file system that `descriptor` is on, so it may itself wait; if that fails, it returns true.
bool waits_for_others(int descriptor);

// The same by the type that the mount table (proc_pid_mountinfo(5)) states, and without touching
// the file system: whether one of them is mounted below a directory, or anywhere.
enum class OthersMounted : std::uint8_t { nowhere, elsewhere, below };
OthersMounted find_others(std::string_view mount_table, std::string_view directory);

class MountWatch final {
 public:
    // One for all exports. It must be made before the process confines itself.
    static std::shared_ptr<MountWatch> shared();
    MountWatch();

    // A number that changes whenever the mount table does, once or several times per change. Costs
    // one poll(2).
    std::uint64_t generation();
    // The present table. Empty if it cannot be read.
    std::string table();

 private:
    // Each serves some of the threads, so that they seldom wait for one another.
    static constexpr std::size_t kWatches = 16;
    struct alignas(64) Watch {
        std::mutex mutex;
        Fd table;
    };

    std::array<Watch, kWatches> watches_;
    std::atomic<std::uint64_t> generation_ = 1;
    std::mutex reading_;
    Fd read_from_;
};

}  // namespace helio::backend
