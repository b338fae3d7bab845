// The four messages as plain structs: the neutral form in which the sample values are defined once
// and in which every side's decoded values are compared, and the types that the limit works on.
// Views and pointers borrow from the sample's storage or from the message they were decoded from.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace bench {

using ByteView = std::span<const std::byte>;

// RFC 5531 §8.2, §9 and appendix A.
struct OpaqueAuth {
    std::uint32_t flavor = 0;
    ByteView body;
};

struct AuthSys {
    std::uint32_t stamp = 0;
    std::string_view machine_name;
    std::uint32_t uid = 0;
    std::uint32_t gid = 0;
    std::span<const std::uint32_t> gids;
};

struct CallHeader {
    std::uint32_t xid = 0;
    std::uint32_t rpc_version = 0;
    std::uint32_t program = 0;
    std::uint32_t version = 0;
    std::uint32_t procedure = 0;
    AuthSys credential;
    OpaqueAuth verifier;
};

// All contents of a reply header. `status` is accept_stat when accepted, reject_stat when denied;
// low and high hold the versions of a mismatch, low also the auth_stat of a refusal.
struct ReplyHeader {
    std::uint32_t xid = 0;
    std::uint32_t denied = 0;
    OpaqueAuth verifier;
    std::uint32_t status = 0;
    std::uint32_t low = 0;
    std::uint32_t high = 0;
};

// RFC 1813 §2.5, §2.6.
struct Time {
    std::uint32_t seconds = 0;
    std::uint32_t nseconds = 0;
    bool operator==(const Time&) const = default;
};

struct Fattr3 {
    std::uint32_t type = 0;
    std::uint32_t mode = 0;
    std::uint32_t nlink = 0;
    std::uint32_t uid = 0;
    std::uint32_t gid = 0;
    std::uint64_t size = 0;
    std::uint64_t used = 0;
    std::uint32_t rdev_major = 0;
    std::uint32_t rdev_minor = 0;
    std::uint64_t fsid = 0;
    std::uint64_t fileid = 0;
    Time atime;
    Time mtime;
    Time ctime;
    bool operator==(const Fattr3&) const = default;
};

struct PostOpAttr {
    bool present = false;
    Fattr3 attributes;
};

struct PostOpHandle {
    bool present = false;
    ByteView handle;
};

// RFC 1813 §3.3.1, §3.3.6, §3.3.17: results alone, and behind their RPC header.
struct GetattrCall {
    CallHeader header;
    ByteView object;
};

struct GetattrRes {
    std::uint32_t status = 0;
    Fattr3 attributes;
};

struct ReadRes {
    std::uint32_t status = 0;
    PostOpAttr file_attributes;
    std::uint32_t count = 0;
    bool eof = false;
    ByteView data;
};

struct EntryPlus {
    std::uint64_t fileid = 0;
    std::string_view name;
    std::uint64_t cookie = 0;
    PostOpAttr attributes;
    PostOpHandle handle;
    const EntryPlus* next = nullptr;
};

struct ReaddirplusRes {
    std::uint32_t status = 0;
    PostOpAttr dir_attributes;
    std::array<std::byte, 8> cookie_verifier{};
    const EntryPlus* entries = nullptr;
    bool eof = false;
};

template <class Results>
struct Reply {
    ReplyHeader header;
    Results results;
};

// Equal in every field, following views and the list. Absent parts are not compared.
bool same(const GetattrCall& a, const GetattrCall& b);
bool same(const ReplyHeader& a, const ReplyHeader& b);
bool same(const GetattrRes& a, const GetattrRes& b);
bool same(const ReadRes& a, const ReadRes& b);
bool same(const ReaddirplusRes& a, const ReaddirplusRes& b);

template <class Results>
bool same(const Reply<Results>& a, const Reply<Results>& b) {
    return same(a.header, b.header) && same(a.results, b.results);
}

}  // namespace bench
