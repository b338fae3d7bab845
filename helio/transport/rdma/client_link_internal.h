// ClientLink: a client's RPC-over-RDMA connection (RFC 8166, version 1), without the calls
// themselves, which belong to the User. It builds messages, lends the server memory for data that
// does not go inline, counts credits, and parses the answers.
//
//     call:   header | message                     if it is short
//             header | message without its data    data in read chunks: fields marked @bulk
//             header (RDMA_NOMSG)                  the whole message in one read chunk
//     answer: header | message; data in the write chunk that was lent, or everything else in the
//             reply chunk
//
// Memory that the server has been told about stays lent until the server has answered or the link
// is gone: an abandoned call keeps its memory and its credit. Messages are decoded from a copy that
// the server cannot reach; bulk data, which is not decoded, stays where the server wrote it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "helio/frame/rdma_header.h"
#include "helio/frame/rdma_message.h"
#include "helio/rpc/memory.h"
#include "helio/transport/rdma/fabric.h"
#include "helio/transport/rdma/limits.h"
#include "helio/xdr/program.h"

namespace helio::transport::rdma {

// Memory that a call's results may need.
struct ResultsRoom {
    bool bulk = false;                    // they have a field marked @bulk
    std::uint32_t max = xdr::kUnbounded;  // bytes of the rest
};

class ClientLink final : Link::Owner, EventLoop::Deferred {
 public:
    struct Answer {
        std::uint32_t xid = 0;
        rpc::BufferRef buffer;  // holds the message
        ByteView message;       // without bulk data, if there is some
        Block bulk_memory;      // holds the bulk data
        ByteView bulk;
    };
    class User {
     public:
        virtual ~User() = default;
        virtual void link_connected() = 0;
        // The answer to a call; the user may send other calls here, and abandon them.
        virtual void link_answered(Answer& answer) = 0;
        virtual void link_failed(std::uint32_t xid, const xdr::CallError& error) = 0;
        virtual void link_ignored() = 0;   // a message that answers nothing
        virtual void link_has_room() = 0;  // send() may be asked again
        // There is no link, or it is lost; errno, or 0. Call close() or connect() next.
        virtual void link_lost(int error_number) = 0;
    };

    ClientLink(EventLoop& loop, std::shared_ptr<Fabric> fabric, rpc::BufferPool& buffers,
               std::size_t bulk_bytes, User& user);
    ~ClientLink() override;

    void connect(const Endpoint& where);
    // After it returns the peer cannot access our memory; calls in flight are forgotten.
    void close();

    struct Call {
        std::uint32_t xid = 0;
        std::span<const xdr::Segment> message;
        std::size_t size = 0;
        ResultsRoom results;
    };
    enum class Sent : std::uint8_t {
        yes,        // it leaves with post_sends()
        wait,       // no credit or no memory now; link_has_room() will be called
        too_long,   // no block of registered memory takes it
        no_memory,  // and none will be released
    };
    [[nodiscard]] Sent send(const Call& call);
    void post_sends();
    // Abandons a call. If the caller's own memory was lent, this breaks the link: link_lost
    // follows.
    void abandon(std::uint32_t xid);

    // The device's; empty while there is no connection.
    std::shared_ptr<MemoryPool> memory() const;
    std::uint32_t calls_under_way() const { return under_way_; }
    // Bulk data of calls that had to be copied to memory the server can read.
    std::uint64_t bytes_copied() const { return bytes_copied_; }

 private:
    // A call that was sent and not answered.
    struct Exchange {
        bool used = false;
        bool abandoned = false;
        bool lends_callers_memory = false;
        std::uint32_t xid = 0;
        std::uint32_t bulk_room = 0;
        std::uint32_t reply_room = 0;
        Block bulk;                 // the write chunk
        Block reply;                // the reply chunk
        std::vector<Block> copies;  // contents of the read chunks

        void clear();
    };

    void on_ready() override;
    void on_connected() override;
    void on_completions(std::span<const Completion> completions) override;
    void on_lost(int error_number, std::string_view why) override;
    void on_turn_end() override;
    void break_soon(int error_number);

    // Calls
    bool has_room() const;
    Exchange* find(std::uint32_t xid);
    Exchange& open_exchange(std::uint32_t xid);
    void close_exchange(Exchange& exchange);
    bool make_results_room(Exchange& exchange, const ResultsRoom& room);
    enum class LendResult : std::uint8_t { yes, no_memory, too_long };
    LendResult lend_bulk(Exchange& exchange, const Call& call);
    LendResult lend_message(Exchange& exchange, const Call& call);
    std::byte* lend(Exchange& exchange, std::size_t size, std::uint32_t position);
    void put_send(const Exchange& exchange, const Call& call, bool no_message);

    // Answers
    void receive(std::uint32_t index, std::size_t size);
    std::optional<xdr::CallError> take_answer(Exchange& exchange, ByteView inline_bytes,
                                              Answer& answer);
    bool keep(ByteView message, Answer& answer);
    void fail_exchange(Exchange& exchange, const xdr::CallError& error);
    bool post_receive(std::uint32_t index);

    EventLoop& loop_;
    const std::shared_ptr<Fabric> fabric_;
    rpc::BufferPool& buffers_;
    const std::size_t bulk_bytes_;
    User& user_;

    std::unique_ptr<Link> link_;
    bool connected_ = false;
    bool broken_ = false;         // nothing is posted any more; link_lost follows
    std::optional<int> failure_;  // passed to link_lost at the end of the turn
    std::size_t send_max_ = 0;    // inline bytes of calls, header included
    std::size_t reply_max_ = 0;   // and of replies
    std::uint32_t credits_ = 1;

    Block room_;              // receives, then sends: kRdmaInlineBytes each
    std::uint64_t sent_ = 0;  // sends so far; they use their places in turn
    std::uint64_t done_ = 0;  // those that the device has finished
    std::vector<Work> works_;
    std::vector<Piece> pieces_;  // of the sends, by place

    std::array<Exchange, kRdmaCredits> exchanges_;
    std::uint32_t under_way_ = 0;
    std::vector<frame::RdmaReadSegment> reads_;  // of the call being sent
    frame::RdmaHeader header_;                   // of the answer being read

    rpc::BufferRef kept_;  // short answers, one after the other
    std::size_t kept_size_ = 0;
    std::uint64_t bytes_copied_ = 0;
};

}  // namespace helio::transport::rdma
