// Descriptors that travel over AF_UNIX sockets (SCM_RIGHTS, unix(7)).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <vector>

#include "helio/base/fd.h"
#include "helio/transport/socket/network.h"

namespace helio::transport {

// Sends one descriptor with its own zero byte. Like send() without waiting: 1, or -1 and errno.
ssize_t send_descriptor(Network& network, int socket, int descriptor);

// Like recv() with these flags. Appends received descriptors to `descriptors`, at most the kernel's
// 253, with close-on-exec. If the kernel had to drop some, because the process may open no more,
// that is an error: EPROTO.
ssize_t receive_with_descriptors(Network& network, int socket, std::span<std::byte> room, int flags,
                                 std::vector<Fd>& descriptors);

// Removes and returns the first `count`, for the message that they belong to.
std::vector<Fd> take_first(std::vector<Fd>& descriptors, std::size_t count);

}  // namespace helio::transport
