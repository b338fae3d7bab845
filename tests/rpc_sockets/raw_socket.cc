#include "tests/rpc_sockets/raw_socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "helio/xdr/wire.h"

namespace wire {

using helio::transport::Fd;

namespace {

[[noreturn]] void die(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in out{};
    out.sin_family = AF_INET;
    out.sin_port = htons(port);
    out.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return out;
}

Fd bound(int type) {
    Fd fd{socket(AF_INET, type | SOCK_CLOEXEC, 0)};
    const sockaddr_in any = loopback(0);
    if (!fd || bind(fd.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any) != 0)
        die("bind");
    return fd;
}

bool readable(int fd, std::chrono::milliseconds wait) {
    pollfd one{fd, POLLIN, 0};
    return poll(&one, 1, static_cast<int>(wait.count())) == 1;
}

}  // namespace

Bytes words(std::initializer_list<std::uint32_t> list) {
    Bytes out(list.size() * 4);
    std::size_t at = 0;
    for (const std::uint32_t word : list) {
        helio::xdr::store_u32(out.data() + at, word);
        at += 4;
    }
    return out;
}

Bytes operator+(Bytes a, const Bytes& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

Bytes call_message(std::uint32_t xid, std::uint32_t version, std::uint32_t procedure,
                   const Bytes& arguments) {
    return words({xid, 0, 2, kPeerProgram, version, procedure, 0, 0, 0, 0}) + arguments;
}

Bytes record(const Bytes& message, bool last) {
    return words({(last ? 0x80000000u : 0u) | static_cast<std::uint32_t>(message.size())}) +
           message;
}

std::uint32_t word_at(const Bytes& message, std::size_t index) {
    if (message.size() < 4 * (index + 1)) return 0xdeadbeef;
    return helio::xdr::load_u32(message.data() + 4 * index);
}

Bytes success_reply(std::uint32_t xid, const Bytes& results) {
    return words({xid, 1, 0, 0, 0, 0}) + results;
}

RawStream::RawStream(std::uint16_t port) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const sockaddr_in where = loopback(port);
    if (!fd_ || connect(fd_.get(), reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0)
        die("connect");
}

RawStream::RawStream(std::uint16_t port, const char* from)
    : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const sockaddr_in where = loopback(port);
    sockaddr_in here = loopback(0);
    inet_pton(AF_INET, from, &here.sin_addr);
    if (!fd_ || bind(fd_.get(), reinterpret_cast<const sockaddr*>(&here), sizeof here) != 0 ||
        connect(fd_.get(), reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0)
        die("connect");
}

RawStream::RawStream(Fd connected) : fd_(std::move(connected)) {}

bool RawStream::send(const Bytes& bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
        const ssize_t wrote = ::send(fd_.get(), bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
        if (wrote < 0 && errno != EINTR) return false;
        at += wrote > 0 ? static_cast<std::size_t>(wrote) : 0;
    }
    return true;
}

void RawStream::shut_down_sending() { shutdown(fd_.get(), SHUT_WR); }

void RawStream::reset() {
    const linger at_once{1, 0};
    setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    fd_.reset();
}

bool RawStream::fill(std::size_t size, std::chrono::milliseconds wait) {
    const auto deadline = std::chrono::steady_clock::now() + wait;
    while (received_.size() < size) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(
            deadline - std::chrono::steady_clock::now());
        if (left.count() <= 0 || !readable(fd_.get(), left)) return false;
        std::byte buffer[65536];
        const ssize_t got = recv(fd_.get(), buffer, sizeof buffer, 0);
        if (got <= 0) return false;
        received_.insert(received_.end(), buffer, buffer + got);
    }
    return true;
}

std::optional<Bytes> RawStream::receive(std::chrono::milliseconds wait) {
    if (!fill(4, wait)) return std::nullopt;
    const std::size_t size = word_at(received_, 0) & 0x7fffffff;
    if (!fill(4 + size, wait)) return std::nullopt;
    const auto begin = received_.begin() + 4;
    Bytes message(begin, begin + static_cast<std::ptrdiff_t>(size));
    received_.erase(received_.begin(), begin + static_cast<std::ptrdiff_t>(size));
    return message;
}

bool RawStream::closed_within(std::chrono::milliseconds wait) {
    const auto deadline = std::chrono::steady_clock::now() + wait;
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(
            deadline - std::chrono::steady_clock::now());
        if (left.count() <= 0 || !readable(fd_.get(), left)) return false;
        std::byte buffer[65536];
        if (recv(fd_.get(), buffer, sizeof buffer, 0) <= 0) return true;
    }
}

RawListener::RawListener() : fd_(bound(SOCK_STREAM)) {
    if (listen(fd_.get(), 64) != 0) die("listen");
    port_ = helio::transport::local_endpoint(fd_.get()).port();
}

RawStream RawListener::accept() {
    if (!readable(fd_.get(), std::chrono::seconds(10))) {
        errno = ETIMEDOUT;
        die("accept");
    }
    return RawStream{Fd{accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC)}};
}

RawDatagrams::RawDatagrams()
    : fd_(bound(SOCK_DGRAM)), port_(helio::transport::local_endpoint(fd_.get()).port()) {}

void RawDatagrams::send_to(std::uint16_t port, const Bytes& datagram) {
    const sockaddr_in where = loopback(port);
    if (sendto(fd_.get(), datagram.data(), datagram.size(), 0,
               reinterpret_cast<const sockaddr*>(&where), sizeof where) < 0)
        die("sendto");
}

std::optional<RawDatagrams::Datagram> RawDatagrams::receive(std::chrono::milliseconds wait) {
    if (!readable(fd_.get(), wait)) return std::nullopt;
    Bytes bytes(65536);
    sockaddr_in from{};
    socklen_t size = sizeof from;
    const ssize_t got = recvfrom(fd_.get(), bytes.data(), bytes.size(), 0,
                                 reinterpret_cast<sockaddr*>(&from), &size);
    if (got < 0) return std::nullopt;
    bytes.resize(static_cast<std::size_t>(got));
    return Datagram{std::move(bytes), ntohs(from.sin_port)};
}

}  // namespace wire
