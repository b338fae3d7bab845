// Between a stream and a file of this machine, as coroutines. Files are read and written on the
// loop's thread, which for regular files is as fast as it gets; a pipe that nobody drains holds the
// loop up.
#pragma once

#include <cstdint>

#include "helio/base/task.h"
#include "helio/virt/client/stream.h"

namespace helio::virt {

// Until the stream's end, and confirms it. Holes stay holes where the file can have them. The
// bytes, holes included.
Task<Result<std::uint64_t, Failure>> receive_into(ClientStream& stream, int file);

// Until the file's end, or `length` bytes unless it is 0, and waits for the daemon's word. With
// `sparse` holes of the file are sent as holes, which the call that opened the stream must have
// announced.
Task<Result<std::uint64_t, Failure>> send_from(ClientStream& stream, int file, std::uint64_t length,
                                               bool sparse);

// What a system call of this machine said, as a Failure: outcome system_error.
Failure local_failure(std::string_view doing, int error_number);

}  // namespace helio::virt
