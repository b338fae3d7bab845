#include "helio/transport/socket/network.h"

#include <sys/sendfile.h>

namespace helio::transport {

namespace {

class Kernel final : public Network {
    std::unique_ptr<Poller> make_poller() override { return transport::make_poller(); }

    ssize_t recv(int socket, void* to, std::size_t room, int flags) override {
        return ::recv(socket, to, room, flags);
    }
    ssize_t recvmsg(int socket, msghdr* message, int flags) override {
        return ::recvmsg(socket, message, flags);
    }
    int recvmmsg(int socket, mmsghdr* messages, unsigned count, int flags) override {
        return ::recvmmsg(socket, messages, count, flags, nullptr);
    }
    ssize_t send(int socket, const void* from, std::size_t size, int flags) override {
        return ::send(socket, from, size, flags);
    }
    ssize_t sendmsg(int socket, const msghdr* message, int flags) override {
        return ::sendmsg(socket, message, flags);
    }
    int sendmmsg(int socket, mmsghdr* messages, unsigned count, int flags) override {
        return ::sendmmsg(socket, messages, count, flags);
    }
    ssize_t sendfile(int socket, int file, off_t* offset, std::size_t size) override {
        return ::sendfile(socket, file, offset, size);
    }
    int accept4(int socket, sockaddr* address, socklen_t* size, int flags) override {
        return ::accept4(socket, address, size, flags);
    }
    int connect(int socket, const sockaddr* address, socklen_t size) override {
        return ::connect(socket, address, size);
    }
};

}  // namespace

Network& Network::kernel() {
    static Kernel kernel;
    return kernel;
}

}  // namespace helio::transport
