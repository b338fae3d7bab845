// Network: the system calls that wait for sockets and move bytes. Each EventLoop has one, and
// everything on that loop uses it. It is the kernel, except in tests, which substitute their own to
// make any call fail, come up short, or be interrupted.
//
// The functions follow their man pages: they return the system call's result, or -1 and errno.
// Calls that only set up a socket (socket, bind, setsockopt) are not here.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <cstddef>
#include <memory>

#include "helio/transport/loop/poller.h"

namespace helio::transport {

class Network {
 public:
    virtual ~Network() = default;
    // Used by any thread.
    static Network& kernel();

    virtual std::unique_ptr<Poller> make_poller() = 0;

    virtual ssize_t recv(int socket, void* to, std::size_t room, int flags) = 0;
    virtual ssize_t recvmsg(int socket, msghdr* message, int flags) = 0;
    virtual int recvmmsg(int socket, mmsghdr* messages, unsigned count, int flags) = 0;
    virtual ssize_t send(int socket, const void* from, std::size_t size, int flags) = 0;
    virtual ssize_t sendmsg(int socket, const msghdr* message, int flags) = 0;
    virtual int sendmmsg(int socket, mmsghdr* messages, unsigned count, int flags) = 0;
    virtual ssize_t sendfile(int socket, int file, off_t* offset, std::size_t size) = 0;
    virtual int accept4(int socket, sockaddr* address, socklen_t* size, int flags) = 0;
    virtual int connect(int socket, const sockaddr* address, socklen_t size) = 0;
};

}  // namespace helio::transport
