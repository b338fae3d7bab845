// The limit: the cost of NULL calls for a server that does only what the wire demands. One thread,
// epoll; it receives what the socket has, cuts records, answers each call with the same 24 bytes
// and its xid, and sends all replies at once. No program table, no credentials, no budgets:
// everything beyond this is the cost of a real server.
//
//   limit_server [--one-send-per-reply]       the same without batching: one send for each call
//
// Prints `listening tcp PORT`, then serves until killed.
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>

#include "bench/rpc/wire.h"

namespace bench {
namespace {

// Holds more calls than any load here has in flight on a connection. The replies to all calls of
// one receive fit too: a reply is smaller than its call.
constexpr std::size_t kBufferSize = 64 << 10;
constexpr std::size_t kWholeReply = kMarkSize + kReplySize;
constexpr std::size_t kEventsMax = 64;

struct Connection {
    explicit Connection(int connected) : socket(connected) {}
    ~Connection() { close(socket); }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    const int socket;
    std::size_t received = 0;  // bytes of `in` that are not answered yet
    std::size_t written = 0;   // bytes of `out` that are replies
    std::size_t sent = 0;      // of these, bytes the kernel has taken
    std::array<char, kBufferSize> in;
    std::array<char, kBufferSize> out;
};

class Server {
 public:
    explicit Server(std::size_t send_size_max) : send_size_max_(send_size_max) {
        sockaddr_in address = loopback(0);
        socklen_t size = sizeof address;
        insist(listener_, "socket");
        insist(bind(listener_, generic(address), size), "bind");
        insist(listen(listener_, SOMAXCONN), "listen");
        insist(getsockname(listener_, generic(address), &size), "getsockname");
        watch(EPOLL_CTL_ADD, listener_, nullptr, EPOLLIN);
        std::printf("listening tcp %u\n", ntohs(address.sin_port));
        std::fflush(stdout);
    }

    [[noreturn]] void run() {
        std::array<epoll_event, kEventsMax> events;
        for (;;) {
            const int count = epoll_wait(epoll_, events.data(), kEventsMax, -1);
            if (count < 0 && errno != EINTR) die("epoll_wait", errno);
            for (int i = 0; i < count; ++i) {
                auto* connection = static_cast<Connection*>(events[i].data.ptr);
                if (connection == nullptr)
                    accept_one();
                else if (!serve(*connection))
                    delete connection;  // closing takes it out of the epoll set
            }
        }
    }

 private:
    void watch(int operation, int socket, Connection* connection, std::uint32_t what) {
        epoll_event event{};
        event.events = what;
        event.data.ptr = connection;
        insist(epoll_ctl(epoll_, operation, socket, &event), "epoll_ctl");
    }

    void accept_one() {
        const int socket = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (socket < 0) return;
        send_at_once(socket);
        auto connection = std::make_unique<Connection>(socket);
        watch(EPOLL_CTL_ADD, socket, connection.get(), EPOLLIN);
        static_cast<void>(connection.release());  // run() deletes it
    }

    // False: the peer is gone, or speaks another protocol.
    bool serve(Connection& connection) {
        if (connection.sent <
            connection.written) {  // it did not take its replies before; now it does
            if (!flush(connection)) return false;
            if (connection.sent == connection.written)
                watch(EPOLL_CTL_MOD, connection.socket, &connection, EPOLLIN);
            return true;
        }
        const ssize_t size = recv(connection.socket, connection.in.data() + connection.received,
                                  kBufferSize - connection.received, 0);
        if (size <= 0) return size < 0 && (errno == EAGAIN || errno == EINTR);
        connection.received += static_cast<std::size_t>(size);
        if (!answer(connection) || !flush(connection)) return false;
        if (connection.sent < connection.written)
            watch(EPOLL_CTL_MOD, connection.socket, &connection, EPOLLOUT);
        return true;
    }

    // Writes the reply to every whole call in `in`, and keeps the rest of the last one.
    static bool answer(Connection& connection) {
        const char* const in = connection.in.data();
        char* out = connection.out.data();
        std::size_t at = 0;
        while (connection.received - at >= kMarkSize + kCallSize) {
            const std::uint32_t mark = get_word(in + at);
            const std::size_t size = mark & ~kLastFragment;
            if (mark < kLastFragment || size < kCallSize || size > kBufferSize - kMarkSize)
                return false;
            if (connection.received - at < kMarkSize + size) break;
            put_word(out, kLastFragment | kReplySize);
            std::memcpy(out + 4, in + at + kMarkSize, 4);  // xid
            put_word(out + 8, 1);                          // REPLY
            std::memset(out + 12, 0, 16);  // MSG_ACCEPTED, AUTH_NONE, no body, SUCCESS
            out += kWholeReply;
            at += kMarkSize + size;
        }
        connection.received -= at;
        if (connection.received > 0)
            std::memmove(connection.in.data(), in + at, connection.received);
        connection.written = static_cast<std::size_t>(out - connection.out.data());
        connection.sent = 0;
        return true;
    }

    bool flush(Connection& connection) const {
        while (connection.sent < connection.written) {
            const ssize_t size =
                send(connection.socket, connection.out.data() + connection.sent,
                     std::min(send_size_max_, connection.written - connection.sent), MSG_NOSIGNAL);
            if (size < 0) return errno == EAGAIN || errno == EINTR;
            connection.sent += static_cast<std::size_t>(size);
        }
        return true;
    }

    const std::size_t send_size_max_;
    const int epoll_ = insist(epoll_create1(EPOLL_CLOEXEC), "epoll_create1");
    const int listener_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
    std::size_t send_size_max = bench::kBufferSize;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--one-send-per-reply") != 0)
            bench::die("the only option is --one-send-per-reply");
        send_size_max = bench::kWholeReply;
    }
    bench::Server(send_size_max).run();
}
