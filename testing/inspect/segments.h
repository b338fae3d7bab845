// Shared by tests of the Dissector: a sink that counts, and packets from bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "helio/inspect/capture/segment.h"
#include "testing/inspect/packets.h"

namespace helio::inspect::for_test {

class CountingSink final : public MessageSink {
 public:
    void message(const Message&) override {}
    void unread(Unread why, std::uint64_t bytes, std::uint64_t packets) override {
        bytes_[static_cast<std::size_t>(why)] += bytes;
        packets_[static_cast<std::size_t>(why)] += packets;
    }
    std::uint64_t bytes(Unread why) const { return bytes_[static_cast<std::size_t>(why)]; }
    std::uint64_t packets(Unread why) const { return packets_[static_cast<std::size_t>(why)]; }
    std::uint64_t packets() const {
        std::uint64_t sum = 0;
        for (const std::uint64_t count : packets_) sum += count;
        return sum;
    }

 private:
    std::array<std::uint64_t, kUnreadKinds> bytes_{};
    std::array<std::uint64_t, kUnreadKinds> packets_{};
};

// A segment that owns its payload.
struct KeptSegment {
    Segment segment;
    Bytes payload;

    bool cut() const { return payload.size() < segment.payload_size; }
};

// A dissector with its sink, fed with packets; keeps what comes out.
class Dissection {
 public:
    explicit Dissection(std::uint32_t link = kLinkEthernet) : link_(link) {}

    void feed(ByteView frame, std::int64_t time_ns = 0) { feed(frame, frame.size(), time_ns); }
    void feed(ByteView captured, std::size_t original_size, std::int64_t time_ns) {
        // On the heap with its exact size, so that a sanitizer detects reads past it.
        const Bytes copy{captured.begin(), captured.end()};
        const Packet packet{.number = ++number_,
                            .time_ns = time_ns,
                            .link = link_,
                            .original_size = static_cast<std::uint32_t>(original_size),
                            .bytes = copy};
        if (dissector_.dissect(packet, segment_)) keep();
        while (dissector_.left_over(segment_)) keep();
    }
    void flush() {
        while (dissector_.flush(segment_)) keep();
    }

    const std::vector<KeptSegment>& segments() const { return segments_; }
    const KeptSegment& only() const { return segments_.at(0); }
    const CountingSink& sink() const { return sink_; }

 private:
    void keep() {
        segments_.push_back({segment_, Bytes{segment_.payload.begin(), segment_.payload.end()}});
    }

    std::uint32_t link_;
    std::uint64_t number_ = 0;
    CountingSink sink_;
    Dissector dissector_{sink_};
    Segment segment_;
    std::vector<KeptSegment> segments_;
};

}  // namespace helio::inspect::for_test
