// Copies between a stream and a local file, as coroutines. Files are read and written on the loop's
// thread, which is fastest for regular files; a pipe that is not drained blocks the loop.
#pragma once

#include <cstdint>

#include "helio/base/task.h"
#include "helio/virt/client/stream.h"

namespace helio::virt {

// Copies until the stream ends, and confirms the end. Holes stay holes if the file can have them.
// Returns the number of bytes, including holes.
Task<Result<std::uint64_t, Failure>> receive_into(ClientStream& stream, int file);

// Copies until the file ends, or `length` bytes if it is not 0, and waits for the daemon's
// confirmation. With `sparse`, holes of the file are sent as holes; the call that opened the stream
// must have announced that.
Task<Result<std::uint64_t, Failure>> send_from(ClientStream& stream, int file, std::uint64_t length,
                                               bool sparse);

// A local system call's error as a Failure: outcome system_error.
Failure local_failure(std::string_view doing, int error_number);

}  // namespace helio::virt
