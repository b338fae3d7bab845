// The capture file of a benchmark: pcap with microseconds, Ethernet, IPv4, TCP without loss.
// Written separately from helio on purpose: a benchmark must not share code with the program it
// measures.
#pragma once

#include <arpa/inet.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace bench {

[[noreturn]] inline void die(const std::string& what, int error = 0) {
    std::fprintf(stderr, "%s: %s%s%s\n", program_invocation_short_name, what.c_str(),
                 error ? ": " : "", error ? std::strerror(error) : "");
    std::exit(1);
}

constexpr std::size_t kFileHeaderSize = 24;
constexpr std::size_t kPacketHeaderSize = 16;
constexpr std::size_t kEthernetSize = 14;
constexpr std::size_t kIpSize = 20;
constexpr std::size_t kTcpSize = 32;  // with the time stamps Linux sends
constexpr std::size_t kHeadersSize = kEthernetSize + kIpSize + kTcpSize;

enum TcpFlags : std::uint8_t { kSyn = 2, kPush = 8, kAck = 16 };

// splitmix64: the same numbers everywhere, unlike the distributions of the standard library.
class Random {
 public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        std::uint64_t word = state_ += 0x9e3779b97f4a7c15;
        word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
        word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
        return word ^ (word >> 31);
    }
    std::uint64_t below(std::uint64_t bound) { return next() % bound; }

 private:
    std::uint64_t state_;
};

// Builds an RPC message: words in network order.
class Words {
 public:
    void clear() { bytes_.clear(); }
    void word(std::uint32_t value) {
        value = htonl(value);
        append(&value, sizeof value);
    }
    void hyper(std::uint64_t value) {
        word(static_cast<std::uint32_t>(value >> 32));
        word(static_cast<std::uint32_t>(value));
    }
    void opaque(const void* data, std::size_t size) {
        word(static_cast<std::uint32_t>(size));
        append(data, size);
        bytes_.resize((bytes_.size() + 3) / 4 * 4);
    }
    void text(const std::string& value) { opaque(value.data(), value.size()); }
    void append(const void* data, std::size_t size) {
        const char* from = static_cast<const char*>(data);
        bytes_.insert(bytes_.end(), from, from + size);
    }
    // The record mark, which counts what follows it.
    void begin_record() {
        clear();
        word(0);
    }
    void end_record() {
        const std::uint32_t mark = htonl(0x80000000u | static_cast<std::uint32_t>(size() - 4));
        std::memcpy(bytes_.data(), &mark, sizeof mark);
    }
    const char* data() const { return bytes_.data(); }
    std::size_t size() const { return bytes_.size(); }

 private:
    std::vector<char> bytes_;
};

// One direction of a connection is the index 0 (from the client) or 1.
struct Connection {
    std::uint32_t address[2] = {};
    std::uint16_t port[2] = {};
    std::uint32_t sequence[2] = {};
    std::size_t segment_size = 1448;
    std::uint16_t identification = 0;
};

class CaptureFile {
 public:
    explicit CaptureFile(const std::string& path) : file_(std::fopen(path.c_str(), "wb")) {
        if (file_ == nullptr) die(path, errno);
        std::setvbuf(file_, nullptr, _IONBF, 0);
        buffer_.reserve(kBufferSize + (1u << 17));
        const std::uint32_t header[] = {0xa1b2c3d4, 0x00040002, 0, 0, 262144, 1};
        static_assert(sizeof header == kFileHeaderSize);
        put(header, sizeof header);
    }
    CaptureFile(const CaptureFile&) = delete;
    CaptureFile& operator=(const CaptureFile&) = delete;
    ~CaptureFile() { close(); }

    void close() {
        if (file_ == nullptr) return;
        flush();
        if (std::fclose(file_) != 0) die("the capture could not be written", errno);
        file_ = nullptr;
    }

    // The three packets that begin a connection.
    void handshake(Connection& on, std::uint64_t now_us) {
        packet(on, 0, kSyn, now_us, nullptr, 0);
        ++on.sequence[0];
        packet(on, 1, kSyn | kAck, now_us + 40, nullptr, 0);
        ++on.sequence[1];
        acknowledge(on, 0, now_us + 45);
    }
    void acknowledge(Connection& on, int from, std::uint64_t now_us) {
        packet(on, from, kAck, now_us, nullptr, 0);
    }
    // As many segments as necessary, all at the same time.
    void send(Connection& on, int from, std::uint64_t now_us, const Words& message) {
        for (std::size_t at = 0; at < message.size();) {
            const std::size_t size = std::min(on.segment_size, message.size() - at);
            const bool last = at + size == message.size();
            packet(on, from, last ? kAck | kPush : kAck, now_us, message.data() + at, size);
            on.sequence[from] += static_cast<std::uint32_t>(size);
            at += size;
        }
    }

    std::uint64_t packets() const { return packets_; }
    std::uint64_t size() const { return size_; }

 private:
    static constexpr std::size_t kBufferSize = 8u << 20;

    void packet(Connection& on, int from, int flags, std::uint64_t now_us, const char* payload,
                std::size_t payload_size) {
        unsigned char head[kPacketHeaderSize + kHeadersSize] = {};
        const std::uint32_t length = static_cast<std::uint32_t>(kHeadersSize + payload_size);
        const std::uint32_t header[] = {static_cast<std::uint32_t>(now_us / 1000000),
                                        static_cast<std::uint32_t>(now_us % 1000000), length,
                                        length};
        std::memcpy(head, header, sizeof header);
        unsigned char* at = head + kPacketHeaderSize;
        at[0] = at[6] = 2;  // locally administered addresses
        at[5] = static_cast<unsigned char>(on.address[1 - from]);
        at[11] = static_cast<unsigned char>(on.address[from]);
        big16(at + 12, 0x0800);
        at += kEthernetSize;
        at[0] = 0x45;
        big16(at + 2, length - kEthernetSize);
        big16(at + 4, on.identification++);
        big16(at + 6, 0x4000);
        at[8] = 64;
        at[9] = 6;
        big32(at + 12, on.address[from]);
        big32(at + 16, on.address[1 - from]);
        big16(at + 10, checksum(at, kIpSize));
        at += kIpSize;
        big16(at, on.port[from]);
        big16(at + 2, on.port[1 - from]);
        big32(at + 4, on.sequence[from]);
        big32(at + 8, flags & kAck ? on.sequence[1 - from] : 0);
        at[12] = kTcpSize / 4 << 4;
        at[13] = static_cast<unsigned char>(flags);
        big16(at + 14, 512);
        at[20] = at[21] = 1;  // no operation, twice; then the time stamps
        at[22] = 8;
        at[23] = 10;
        big32(at + 24, static_cast<std::uint32_t>(now_us / 1000));
        big32(at + 28, static_cast<std::uint32_t>(now_us / 1000));
        put(head, sizeof head);
        if (payload_size > 0) put(payload, payload_size);
        ++packets_;
        if (buffer_.size() >= kBufferSize) flush();
    }

    static void big16(unsigned char* at, std::size_t value) {
        at[0] = static_cast<unsigned char>(value >> 8);
        at[1] = static_cast<unsigned char>(value);
    }
    static void big32(unsigned char* at, std::uint32_t value) {
        big16(at, value >> 16);
        big16(at + 2, value & 0xffff);
    }
    static std::uint16_t checksum(const unsigned char* at, std::size_t size) {
        std::uint32_t sum = 0;
        for (std::size_t i = 0; i < size; i += 2) sum += at[i] << 8 | at[i + 1];
        sum = (sum >> 16) + (sum & 0xffff);
        return static_cast<std::uint16_t>(~(sum + (sum >> 16)));
    }

    void put(const void* data, std::size_t size) {
        const char* from = static_cast<const char*>(data);
        buffer_.insert(buffer_.end(), from, from + size);
        size_ += size;
    }
    void flush() {
        if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size())
            die("the capture could not be written", errno);
        buffer_.clear();
    }

    std::FILE* file_;
    std::vector<char> buffer_;
    std::uint64_t packets_ = 0;
    std::uint64_t size_ = 0;
};

}  // namespace bench
