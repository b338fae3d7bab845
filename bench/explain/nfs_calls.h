// NFS calls in the capture of a benchmark: what the calls of every version have in common, and the
// JSON file beside the capture that says what is in it.
#pragma once

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <string>

#include "bench/explain/capture_file.h"

namespace bench {

constexpr std::uint32_t kNfsProgram = 100003;
constexpr std::size_t kHandleSize = 32;
constexpr std::uint32_t kNoEntry = 2;  // NFS3ERR_NOENT, NFS4ERR_NOENT
constexpr std::uint64_t kStart_us = 1'790'000'000'000'000;
constexpr std::uint32_t kServerAddress = 10u << 24 | 2;
constexpr std::uint32_t address_of_client(std::uint32_t i) { return (10u << 24 | 10) + i; }

// From this client to the server.
inline Connection connection_of(std::uint32_t client, std::uint16_t port, std::uint16_t server_port,
                                Random& random) {
    Connection out;
    out.address[0] = address_of_client(client);
    out.address[1] = kServerAddress;
    out.port[0] = port;
    out.port[1] = server_port;
    for (auto& sequence : out.sequence) sequence = static_cast<std::uint32_t>(random.next());
    return out;
}

// AUTH_SYS (RFC 5531 appendix A) with groups from 100 on.
inline Words credential_of(std::uint32_t client, std::uint32_t groups) {
    Words out;
    out.word(static_cast<std::uint32_t>(kStart_us / 1'000'000) + client);
    out.text("worker-" + std::to_string(client) + ".example.net");
    out.word(1000 + client);
    out.word(100);
    out.word(groups);
    for (std::uint32_t group = 0; group < groups; ++group) out.word(100 + group);
    return out;
}

// A record that is a call, up to its arguments.
inline void begin_call(Words& out, std::uint32_t xid, std::uint32_t program, std::uint32_t version,
                       std::uint32_t procedure, const Words& credential) {
    out.begin_record();
    for (const std::uint32_t word : {xid, 0u, 2u, program, version, procedure, 1u}) out.word(word);
    out.opaque(credential.data(), credential.size());
    out.hyper(0);  // no verifier
}

// A record that is the reply to a call that was executed, up to its results.
inline void begin_reply(Words& out, std::uint32_t xid) {
    out.begin_record();
    for (const std::uint32_t word : {xid, 1u, 0u, 0u, 0u, 0u}) out.word(word);
}

inline void put_handle(Words& out, std::uint32_t object) {
    std::uint32_t words[kHandleSize / 4] = {htonl(0x01000701), htonl(7)};
    words[4] = htonl(object * 2654435761u);
    words[6] = htonl(object);
    out.opaque(words, kHandleSize);
}

struct Counts {
    std::uint64_t calls = 0;
    std::uint64_t errors = 0;
    std::uint64_t bytes = 0;
};

// The JSON file: numbers of the whole capture, then objects with an entry for each procedure,
// client or file.
class Truth {
 public:
    Truth(const std::string& capture, const CaptureFile& file, std::uint64_t pairs)
        : path_(capture + ".json"), out_(std::fopen(path_.c_str(), "w")) {
        if (out_ == nullptr) die(path_, errno);
        std::fprintf(out_, "{\"file_bytes\":%" PRIu64 ",\"packets\":%" PRIu64 ",\"pairs\":%" PRIu64,
                     file.size(), file.packets(), pairs);
    }
    Truth(const Truth&) = delete;
    Truth& operator=(const Truth&) = delete;
    ~Truth() {
        std::fprintf(out_, "%s}\n", in_object_ ? "}" : "");
        if (std::fclose(out_) != 0) die(path_, errno);
    }

    void object(const char* name) {
        std::fprintf(out_, "%s,\n \"%s\":{", in_object_ ? "}" : "", name);
        in_object_ = true;
        comma_ = "";
    }
    void entry(const std::string& name, std::uint64_t calls) {
        key(name);
        std::fprintf(out_, "%" PRIu64, calls);
    }
    // `more`: further members, each after a comma.
    void entry(const std::string& name, const Counts& counts, const std::string& more = {}) {
        key(name);
        std::fprintf(out_, "{\"calls\":%" PRIu64 ",\"errors\":%" PRIu64 ",\"bytes\":%" PRIu64 "%s}",
                     counts.calls, counts.errors, counts.bytes, more.c_str());
    }

 private:
    void key(const std::string& name) {
        std::fprintf(out_, "%s\n  \"%s\":", comma_, name.c_str());
        comma_ = ",";
    }

    const std::string path_;
    std::FILE* const out_;
    bool in_object_ = false;
    const char* comma_ = "";
};

inline std::string dotted(std::uint32_t address) {
    char text[20];
    std::snprintf(text, sizeof text, "%u.%u.%u.%u", address >> 24, address >> 16 & 255,
                  address >> 8 & 255, address & 255);
    return text;
}

}  // namespace bench
