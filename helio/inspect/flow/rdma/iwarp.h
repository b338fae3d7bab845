// Iwarp: finds the messages of RPC-over-RDMA over iWARP in the bytes of a TCP connection. Three
// layers: MPA frames (RFC 5044), DDP segments in them (RFC 5041), RDMAP operations in those (RFC
// 5040).
//
//     length 2 | DDP control 1 | RDMAP control 1 | header | payload | padding to a word | CRC 4
//     header: tagged:   STag 4, offset 8
//             untagged: reserved 4, queue 4, number 4, offset 4
//
// MPA's optional markers, which nobody uses, are not supported; CRCs are not checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "helio/base/bytes.h"
#include "helio/inspect/catalogue.h"
#include "helio/inspect/flow/rdma/rdma.h"
#include "helio/inspect/message.h"

namespace helio::inspect {

class Iwarp final {
 public:
    // `shared` is common to all connections of a capture; null: it makes its own.
    Iwarp(MessageSink& sink, const Catalogue& catalogue, const FlowEnds& ends,
          RdmaShared* shared = nullptr);

    // At the start of a stream: MPA's first words, in either direction. In the middle: a frame with
    // a Send that begins with an RPC-over-RDMA header.
    static bool looks_like(ByteView stream_begin);
    // The next bytes of that direction.
    void data(std::uint8_t direction, ByteView bytes, std::int64_t time_ns, std::uint64_t packet);
    // Bytes are missing before the next ones; the caller has counted them.
    void gap(std::uint8_t direction, std::uint64_t bytes);
    // The connection or the capture ends: passes on everything held.
    void finish();

 private:
    using When = RdmaAssembler::When;
    enum class State : std::uint8_t {
        opening,    // before MPA's request or reply
        frames,     // at the start of a frame
        searching,  // for the start of a frame
        closed,     // unreadable from here on
    };
    struct Read {  // a pending request: source and destination
        std::uint32_t sink_tag = 0;
        std::uint32_t source_tag = 0;
        std::uint32_t size = 0;
        std::uint64_t sink_offset = 0;
        std::uint64_t source_offset = 0;
    };
    struct Side {
        State state = State::opening;
        std::vector<std::byte> begun;  // of an incomplete frame
        std::uint64_t skip = 0;        // rest of a damaged frame
        bool sending = false;
        bool send_whole = false;
        std::uint32_t send_number = 0;
        std::vector<std::byte> send;
        std::uint64_t send_size = 0;
        When when;  // of the last bytes
        std::deque<Read> reads;
    };

    std::size_t continue_frame(std::uint8_t direction, ByteView bytes);
    std::size_t next(std::uint8_t direction, ByteView bytes);
    std::size_t opening(std::uint8_t direction, ByteView bytes);
    std::size_t search(std::uint8_t direction, ByteView bytes);
    void frame(std::uint8_t direction, ByteView bytes);
    void tagged(std::uint8_t direction, std::uint8_t operation, ByteView bytes);
    void untagged(std::uint8_t direction, std::uint8_t operation, bool last, ByteView bytes,
                  std::size_t size);
    void send(std::uint8_t direction, bool last, ByteView bytes, std::size_t size);
    void end_send(std::uint8_t direction, std::uint64_t size);
    void end_cut_send(std::uint8_t direction);

    MessageSink& sink_;
    std::unique_ptr<RdmaShared> own_;
    RdmaAssembler assembler_;
    Side sides_[2];
};

}  // namespace helio::inspect
