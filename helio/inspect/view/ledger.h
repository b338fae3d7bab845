// Ledger: accounts for everything in a capture, so that no figure hides what was not understood.
// Filled by Pairing (messages) and by the stages before it (bytes in no message).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "helio/inspect/catalogue.h"
#include "helio/inspect/message.h"

namespace helio::inspect {

// Programs without a schema that are counted separately; the others are counted together.
inline constexpr std::size_t kUnknownProgramsMax = 64;

struct Ledger {
    struct UnreadCount {
        std::uint64_t bytes = 0;
        std::uint64_t packets = 0;
    };
    std::uint64_t packets = 0;
    std::uint64_t calls = 0;    // every call message, including repeats
    std::uint64_t replies = 0;  // every reply message, including repeats
    std::uint64_t paired = 0;
    std::uint64_t unanswered = 0;
    std::uint64_t orphans = 0;           // replies whose call is not in the capture
    std::uint64_t retransmitted = 0;     // repeated calls
    std::uint64_t repeated_replies = 0;  // replies to a call already answered
    std::uint64_t one_way = 0;           // libvirt's events, keepalive and stream packets
    std::array<UnreadCount, kUnreadKinds> unread{};
    std::map<std::tuple<Shape, std::uint32_t, std::uint32_t>, std::uint64_t> unknown;  // calls
    std::uint64_t unknown_others = 0;
    std::optional<std::uint64_t> matched = {};  // exchanges that match the filter, if there is one

    void add(Unread why, std::uint64_t bytes, std::uint64_t whole_packets) {
        unread[static_cast<std::size_t>(why)].bytes += bytes;
        unread[static_cast<std::size_t>(why)].packets += whole_packets;
    }
    void add_unknown(Shape shape, std::uint32_t program, std::uint32_t version);
};

// For people: several lines, each with its end.
std::string to_text(const Ledger& ledger, const Catalogue& catalogue);
// {"calls":…}, on one line.
std::string to_json(const Ledger& ledger, const Catalogue& catalogue);

}  // namespace helio::inspect
