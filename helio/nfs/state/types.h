// Names and numbers of NFS 4 state, as plain values (RFC 8881 §2.10 and §8.2).
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "helio/base/hash.h"
#include "helio/vfs/types.h"

namespace helio::nfs::state {

using ClientId = std::uint64_t;
using SessionId = std::array<std::byte, 16>;
// Time since some origin, from the caller: the state machine has no clock.
using Instant = std::chrono::nanoseconds;

// Comparing bytes one by one, as std::array does, takes a hundred instructions.
struct SameSession {
    bool operator()(const SessionId& a, const SessionId& b) const noexcept {
        return std::memcmp(a.data(), b.data(), a.size()) == 0;
    }
};

// Bits of an OPEN, as on the wire (OPEN4_SHARE_ACCESS_…, OPEN4_SHARE_DENY_…).
inline constexpr std::uint8_t kRead = 1;
inline constexpr std::uint8_t kWrite = 2;

// stateid4.
struct StateId {
    std::uint32_t seqid = 0;
    std::array<std::byte, 12> other{};

    bool operator==(const StateId& to) const { return seqid == to.seqid && same_other(to); }
    // Whatever the sequence id.
    bool same_other(const StateId& to) const {
        return std::memcmp(other.data(), to.other.data(), sizeof other) == 0;
    }
    // All zeros or all ones: no state, only rights (RFC 8881 §8.2.3).
    bool is_anonymous() const { return is_special(std::byte{0}, 0); }
    bool is_bypass() const { return is_special(std::byte{0xff}, UINT32_MAX); }
    // The stateid that an earlier operation of the same COMPOUND returned.
    bool is_current() const { return is_special(std::byte{0}, 1); }

 private:
    bool is_special(std::byte each, std::uint32_t with) const {
        if (seqid != with) return false;
        for (const std::byte one : other)
            if (one != each) return false;
        return true;
    }
};

// A file of one of the exports.
struct FileKey {
    std::uint32_t export_tag = 0;
    vfs::FileId file;
    bool operator==(const FileKey&) const = default;
};

// Who asks: clients of AUTH_SYS are told apart by uid. State belongs to the principal that made it.
struct Principal {
    std::uint32_t flavor = 0;
    std::uint32_t uid = 0;
    bool operator==(const Principal&) const = default;
};

// A client's own name for itself (client_owner4).
struct ClientOwner {
    std::string name;
    std::uint64_t verifier = 0;  // changes when the client restarts
};

// Beyond this, a client's description of itself is cut: Linux's has about 100 bytes.
inline constexpr std::size_t kImplementationBytesMax = 128;

// What a client said about itself and where it was when it did so, for people. No decision depends
// on it.
struct ClientFacts {
    std::string implementation;  // nii_name and nii_domain of EXCHANGE_ID; empty: not said
    std::string address;         // "10.0.0.7:801"
    std::uint32_t minor_version = 0;
};

}  // namespace helio::nfs::state

template <>
struct std::hash<helio::nfs::state::FileKey> {
    std::size_t operator()(const helio::nfs::state::FileKey& key) const noexcept {
        return std::hash<helio::vfs::FileId>{}(key.file) ^ key.export_tag * helio::kGoldenRatio;
    }
};
template <>
struct std::hash<helio::nfs::state::SessionId> {
    // We make the ids: their last eight bytes are random.
    std::size_t operator()(const helio::nfs::state::SessionId& id) const noexcept {
        std::uint64_t word = 0;
        std::memcpy(&word, id.data() + 8, 8);
        return word;
    }
};
