// FragmentTable: reassembles IP fragments to datagrams. Owns the bytes of incomplete datagrams,
// within limits of time and memory; a datagram it returns is valid until the next call.
//
// Fragments may arrive in any order and more than once. An overlap with equal bytes is a duplicate.
// An overlap with different bytes belongs to another datagram: the sender's 16-bit identification
// has wrapped (RFC 6864 §1: within seconds on a fast link), or it is an attack. Linux then drops
// both. We give up the old datagram and start a new one.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <vector>

#include "helio/base/bytes.h"
#include "helio/inspect/message.h"

namespace helio::inspect {

// IP's largest datagram.
inline constexpr std::size_t kDatagramSizeMax = 65535;

struct FragmentKey {
    std::array<std::byte, 16> source{};
    std::array<std::byte, 16> destination{};
    std::uint32_t id = 0;
    std::uint8_t protocol = 0;  // IPv6 does not use it: RFC 8200 §4.5
    bool v6 = false;

    auto operator<=>(const FragmentKey&) const = default;
};

struct Fragment {
    FragmentKey key;
    std::size_t offset = 0;
    std::size_t wire_size = 0;  // offset + wire_size <= kDatagramSizeMax, and not 0
    bool more = false;          // more fragments follow
    std::uint8_t protocol = 0;  // IPv6: of the header after the fragment header
    ByteView bytes;             // the captured part
    std::int64_t time_ns = 0;
    std::uint64_t packet = 0;
};

// Disjoint runs of bytes, in order.
class Runs {
 public:
    void add(std::size_t begin, std::size_t end);
    // End of the run that begins at 0, or 0.
    std::size_t first_end() const {
        return !runs_.empty() && runs_[0].begin == 0 ? runs_[0].end : 0;
    }
    std::size_t end() const { return runs_.empty() ? 0 : runs_.back().end; }
    std::size_t total() const;
    std::size_t memory() const { return runs_.capacity() * sizeof(Run); }
    // True if `bytes`, which begin at `begin`, equal `held` wherever they overlap a run.
    bool agrees(ByteView held, ByteView bytes, std::size_t begin) const;

 private:
    struct Run {
        std::size_t begin;
        std::size_t end;
    };
    std::vector<Run> runs_;
};

struct Datagram {
    FragmentKey key;
    std::int64_t first_time_ns = 0;
    std::int64_t time_ns = 0;  // of the latest fragment
    std::uint64_t packet = 0;
    std::uint64_t packets = 0;
    std::uint8_t protocol = 0;
    bool size_known = false;
    std::size_t size = 0;          // when size_known
    std::vector<std::byte> bytes;  // with gaps, see `there`
    Runs there;                    // captured
    Runs claimed;                  // by the fragments' lengths on the wire

    bool whole() const { return size_known && claimed.first_end() == size; }
    ByteView prefix() const { return ByteView{bytes}.first(there.first_end()); }
    // A lower bound until size_known.
    std::size_t wire_size() const { return size_known ? size : claimed.end(); }
    std::size_t memory() const;

    bool takes(const Fragment& fragment) const;
    void merge(const Fragment& fragment);
};

class FragmentTable final {
 public:
    // `sink` counts useless fragments.
    explicit FragmentTable(MessageSink& sink) : sink_(sink) {}

    // The datagram that this fragment completes, or null.
    const Datagram* add(const Fragment& fragment);
    // Gives up datagrams that have waited too long.
    void give_up_old(std::int64_t now_ns);
    void give_up_all();
    // A given-up datagram whose first fragment is present, or null. forget_given_up() counts those
    // not fetched as unread.
    const Datagram* next_given_up();
    void forget_given_up();

    bool any_given_up() const { return !given_up_.empty(); }
    // When give_up_old() next has work; INT64_MAX: never.
    std::int64_t wait_ends_ns() const;

 private:
    using Waiting = std::list<Datagram>;

    bool repeats_done(const Fragment& fragment) const;
    void give_up(Waiting::iterator datagram);
    const Datagram* finish(Waiting::iterator datagram);

    MessageSink& sink_;
    Waiting waiting_;  // in the order they began
    std::map<FragmentKey, Waiting::iterator> by_key_;
    std::size_t held_ = 0;  // memory used by waiting_
    Waiting given_up_;
    Waiting fetched_;  // the one returned last
    Waiting done_;     // complete ones, to recognise duplicates; the last was returned last
};

}  // namespace helio::inspect
