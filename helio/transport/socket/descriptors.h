// Descriptors that travel over AF_UNIX sockets (SCM_RIGHTS, unix(7)).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <vector>

#include "helio/base/fd.h"
#include "helio/transport/socket/network.h"

namespace helio::transport {

// One descriptor, with a zero byte of its own. As send() without waiting: 1, or -1 and errno.
ssize_t send_descriptor(Network& network, int socket, int descriptor);

// As recv() with these flags. Descriptors that came along go to the end of `descriptors`, at most
// the kernel's 253, and no program that we start has them. When the kernel had to drop some, as for
// a process that may open no more, that is an error: EPROTO.
ssize_t receive_with_descriptors(Network& network, int socket, std::span<std::byte> room, int flags,
                                 std::vector<Fd>& descriptors);

// The first so many of those that came, for the message that they belong to.
std::vector<Fd> take_first(std::vector<Fd>& descriptors, std::size_t count);

}  // namespace helio::transport
