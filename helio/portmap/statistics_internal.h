// Statistics: the figures of RPCBPROC_GETSTAT (RFC 1833 §2.1, rpcb_stat). Thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "helio/xdr/arena.h"
#include "schema/rpcb.h"

namespace helio::portmap {

class Statistics final {
 public:
    // Versions are 2, 3 and 4.
    void count_call(std::uint32_t version, std::uint32_t procedure);
    void count_set(std::uint32_t version);
    void count_unset(std::uint32_t version);
    void count_lookup(std::uint32_t version, std::uint32_t program, std::uint32_t program_version,
                      std::string_view netid, bool found);
    // A call to be relayed; we never do.
    void count_relay(std::uint32_t version, std::uint32_t program, std::uint32_t program_version,
                     std::uint32_t procedure, bool indirect, std::string_view netid);

    // Lists are in the arena.
    rpcb::rpcb_stat_byvers all(xdr::Arena& arena) const;
    std::size_t encoded_bytes() const;

 private:
    struct Lookup {
        std::uint32_t program, version;
        std::string netid;
        std::uint32_t found, missed;
    };
    struct Relay {
        std::uint32_t program, version, procedure;
        bool indirect;
        std::string netid;
        std::uint32_t refused;
    };
    struct Version {
        std::array<std::uint32_t, rpcb::RPCBSTAT_HIGHPROC> calls{};
        std::uint32_t set = 0, unset = 0;
        std::vector<Lookup> lookups;
        std::vector<Relay> relays;
    };
    Version& of(std::uint32_t version) { return versions_[version - 2]; }

    mutable std::mutex mutex_;
    std::array<Version, rpcb::RPCBVERS_STAT> versions_;
};

}  // namespace helio::portmap
