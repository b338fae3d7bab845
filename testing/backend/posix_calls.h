// Counts system calls per thread, and makes one of them fail. For test programs that link
// posix_calls.cc.
#pragma once

#include <cstddef>

namespace helio::backend {

struct CallsForTest {
    std::size_t stats_by_name = 0;
    std::size_t stats_by_descriptor = 0;
    std::size_t directory_reads = 0;
    std::size_t handles = 0;  // name_to_handle_at
    std::size_t opens = 0;
    std::size_t seeks = 0;
    std::size_t polls = 0;

    // The nth call from now fails with this error and is not made. 0: none fails.
    std::size_t fails_in = 0;
    int error = 0;
};

// For the calling thread.
CallsForTest& calls_for_test();

}  // namespace helio::backend
