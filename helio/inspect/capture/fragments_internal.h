// FragmentTable: IP fragments → datagrams. Owns the bytes of what waits, within bounds of time and
// memory; what it gives out lives until its next call.
//
// Fragments may come in any order and more than once. Bytes that are there already and the same
// again are a duplicate. Bytes that contradict them belong to another datagram, because the
// sender's 16-bit identification has come round (RFC 6864 §1: on a fast link within seconds), or
// somebody plays tricks; Linux throws both away then, and nobody joins them. So the old one is
// given up, and the new one starts.
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

// Nothing in IP goes beyond it.
inline constexpr std::size_t kDatagramSizeMax = 65535;

struct FragmentKey {
    std::array<std::byte, 16> source{};
    std::array<std::byte, 16> destination{};
    std::uint32_t id = 0;
    std::uint8_t protocol = 0;  // IPv6 has none here: RFC 8200 §4.5
    bool v6 = false;

    auto operator<=>(const FragmentKey&) const = default;
};

struct Fragment {
    FragmentKey key;
    std::size_t offset = 0;
    std::size_t wire_size = 0;  // offset + wire_size <= kDatagramSizeMax, and not 0
    bool more = false;          // others come behind it
    std::uint8_t protocol = 0;  // IPv6: of the header behind the fragment's
    ByteView bytes;             // captured of it
    std::int64_t time_ns = 0;
    std::uint64_t packet = 0;
};

// Runs of bytes, in order and apart from each other.
class Runs {
 public:
    void add(std::size_t begin, std::size_t end);
    // Where the run ends that begins at 0; 0 without one.
    std::size_t first_end() const {
        return !runs_.empty() && runs_[0].begin == 0 ? runs_[0].end : 0;
    }
    std::size_t end() const { return runs_.empty() ? 0 : runs_.back().end; }
    std::size_t total() const;
    std::size_t memory() const { return runs_.capacity() * sizeof(Run); }
    // Whether both hold the same bytes where `bytes`, which begin at `begin`, and a run overlap.
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
    std::int64_t time_ns = 0;  // of the fragment that came last
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
    // At least.
    std::size_t wire_size() const { return size_known ? size : claimed.end(); }
    std::size_t memory() const;

    bool takes(const Fragment& fragment) const;
    void merge(const Fragment& fragment);
};

class FragmentTable final {
 public:
    // `sink` is told of fragments that are of no use to anybody.
    explicit FragmentTable(MessageSink& sink) : sink_(sink) {}

    // The datagram that is whole by this fragment, or null.
    const Datagram* add(const Fragment& fragment);
    // Those that have waited too long by now.
    void give_up_old(std::int64_t now_ns);
    void give_up_all();
    // One that was given up and begins with its beginning, or null. Those that nobody fetched are
    // counted as unread by forget_given_up().
    const Datagram* next_given_up();
    void forget_given_up();

    bool any_given_up() const { return !given_up_.empty(); }
    // When give_up_old() has something to do; INT64_MAX: never.
    std::int64_t wait_ends_ns() const;

 private:
    using Waiting = std::list<Datagram>;

    bool repeats_done(const Fragment& fragment) const;
    void give_up(Waiting::iterator datagram);
    const Datagram* finish(Waiting::iterator datagram);

    MessageSink& sink_;
    Waiting waiting_;  // in the order they began
    std::map<FragmentKey, Waiting::iterator> by_key_;
    std::size_t held_ = 0;  // memory of waiting_
    Waiting given_up_;
    Waiting fetched_;  // the one given out last
    Waiting done_;     // whole ones, kept to know their duplicates; the last was given out last
};

}  // namespace helio::inspect
