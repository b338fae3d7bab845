// The parts of RFC 5531 that a NULL call needs, and of sockets that both ends of the benchmark
// need. Written separately from helio on purpose: a benchmark must not share code with the program
// it measures.
//
//   call, 44 bytes: record mark | xid | CALL 0 | rpcvers 2 | prog | vers | proc 0 | cred 0 0 | verf
//   0 0 reply, 28 bytes: record mark | xid | REPLY 1 | MSG_ACCEPTED 0 | verf 0 0 | SUCCESS 0
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace bench {

constexpr std::size_t kMarkSize = 4;
constexpr std::uint32_t kLastFragment = 0x80000000;
constexpr std::size_t kCallSize = 40;   // without the record mark
constexpr std::size_t kReplySize = 24;  // without the record mark

inline std::uint32_t get_word(const char* at) {
    std::uint32_t word;
    std::memcpy(&word, at, sizeof word);
    return ntohl(word);
}

inline void put_word(char* at, std::uint32_t word) {
    word = htonl(word);
    std::memcpy(at, &word, sizeof word);
}

[[noreturn]] inline void die(const char* what, int error = 0) {
    std::fprintf(stderr, "%s: %s%s%s\n", program_invocation_short_name, what, error ? ": " : "",
                 error ? std::strerror(error) : "");
    std::exit(1);
}

// For system calls that fail with -1 and errno, and whose failure ends the measurement.
inline int insist(int result, const char* what) {
    if (result < 0) die(what, errno);
    return result;
}

inline sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

// The cast that every user of the socket interface has to make.
inline sockaddr* generic(sockaddr_in& address) { return reinterpret_cast<sockaddr*>(&address); }

inline void send_at_once(int socket) {
    const int on = 1;
    insist(setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on), "TCP_NODELAY");
}

}  // namespace bench
