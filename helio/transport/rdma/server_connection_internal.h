// ServerConnection: one client's RPC-over-RDMA connection (RFC 8166). A call arrives in one of the
// posted receives; its chunks are fetched from the client's memory directly to their places in the
// message; then it is served like any other. Bulk data of the reply is written in place to the
// client's memory, and the rest is sent.
//
//     receive → header, plan → fetch (RDMA Read) → Worker::serve → plan → RDMA Write, Send
//
// The memory that a client offered for its reply is kept as an exchange until the reply is sent.
// There are never more of them than credits granted.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "helio/frame/rdma_header.h"
#include "helio/frame/rdma_message.h"
#include "helio/rpc/session.h"
#include "helio/transport/rdma/fabric.h"
#include "helio/transport/rdma/limits.h"
#include "helio/transport/server/server_thread_internal.h"

namespace helio::transport::rdma {

class ServerConnection;

// Capacities of a server's queue pairs.
LinkLimits server_link_limits();

// Whole messages × ONC, each reply with the exchange it belongs to.
class ServerSession final : public rpc::Session, rpc::SessionPolicy {
 public:
    ServerSession(ServerConnection& connection, ServerThread& thread,
                  std::shared_ptr<MemoryPool> memory, Owner& owner);

    // One message in `buffer`; its reply may have this many bytes.
    void receive(const rpc::BufferRef& buffer, ByteView message, const rpc::Peer& peer,
                 std::size_t reply_bytes_max);
    bool full() { return !has_room(); }

    // The replies in the batch that take_output() gives next: `size` bytes of its gather list each,
    // in order.
    struct Reply {
        std::uint64_t exchange;
        std::size_t size;
    };
    void take_replies(std::vector<Reply>& out) { std::swap(out, replies_), replies_.clear(); }

 private:
    void close_frame(std::byte* head, std::size_t message_size, const rpc::Peer& peer) override;
    bool has_retransmissions() const override { return true; }
    bool admit(rpc::Call&) override { return true; }
    void on_completed(rpc::Call& call, Answer answer) override;

    ServerConnection& connection_;
    std::vector<Reply> replies_;
};

class ServerConnection final : Link::Owner, EventLoop::Deferred, rpc::Session::Owner {
 public:
    ServerConnection(ServerThread& thread, std::uint64_t id, std::unique_ptr<Link> link);
    ~ServerConnection() override;

    // False: no memory to receive in; destroy it.
    bool start();
    std::uint64_t id() const { return id_; }
    // Has it been idle, or not taken a reply, for too long?
    bool overdue(EventLoop::Clock::time_point now) const;
    const rpc::Peer& peer() const { return peer_; }
    // Memory that it makes the server hold, besides that of its receives.
    std::size_t bytes_held() const;
    // How long the client's memory could not be read or written.
    EventLoop::Clock::duration slow_for(EventLoop::Clock::time_point now) const {
        return works_under_way_ > 0 ? now - active_ : EventLoop::Clock::duration::zero();
    }
    void drain();
    // Sends the answer to a call that first arrived over another connection.
    void send_cached(const rpc::CachedReply& reply, std::uint64_t exchange);
    // The exchange will have no reply.
    void drop_exchange(std::uint64_t exchange);

 private:
    struct Exchange {
        std::uint32_t generation = 0;
        bool used = false;
        frame::RdmaOffer offer;
    };
    // Requests that are posted together: reads of one call's chunks, or writes and the send of one
    // reply. Only the last is signaled.
    struct Chain {
        std::vector<Work> works;
        std::vector<Piece> pieces;
        // For a fetch: the call it completes.
        std::uint64_t exchange = 0;
        std::size_t message_size = 0;
        // In use by the device until done.
        std::shared_ptr<Block> message;
        rpc::BatchRef batch;
        std::vector<Block> copies;
        Block send_room;  // for header and message; stays with the chain
    };

    void on_ready() override {}
    void on_connected() override {}
    void on_completions(std::span<const Completion> completions) override;
    void on_lost(int error_number, std::string_view why) override;
    void on_turn_end() override;
    void output_ready() override;
    std::shared_ptr<rpc::DuplicateCache::Waiter> make_waiter(const rpc::Peer& peer) override;
    bool may_hold(std::size_t bytes) override {
        return thread_.may_hold(session_.waiting_bytes() + session_.output_bytes(), bytes);
    }

    // Calls
    bool post_receive(std::uint32_t index);
    void receive(std::uint32_t index, std::size_t size);
    void refuse_header(ByteView bytes, const frame::RdmaHeaderError& error);
    void take_call(ByteView inline_bytes);
    void fetch(ByteView inline_bytes);
    void fetched(Chain& chain);
    void serve(const rpc::BufferRef& buffer, ByteView message, std::uint64_t exchange);
    std::uint64_t open_exchange();
    Exchange* find_exchange(std::uint64_t exchange);

    // Replies
    void send_replies();
    void send_reply(const ServerSession::Reply& reply, const rpc::BatchRef& batch);
    void refuse_reply(const ServerSession::Reply& reply, std::string_view why);
    enum class HeaderError : std::uint8_t { version, chunk };  // RFC 8166 §4.5
    void send_error(std::uint32_t xid, std::uint32_t version, HeaderError error);
    bool store_bulk(Chain& chain);
    bool store_long_reply(Chain& chain, const frame::RdmaOffer& offer);
    std::optional<std::uint32_t> open_send();
    void close_send(std::uint32_t index, std::size_t size, const frame::RdmaOffer* offer);

    // Both
    std::uint32_t take_chain();
    void give_back_chain(std::uint32_t index);
    static void add_work(Chain& chain, Verb verb, const Piece& piece, std::uint32_t key,
                         std::uint64_t address);
    void post_chain(std::uint32_t index);
    void post_waiting();
    void log(std::string_view what);
    void check_ended();
    void close();

    ServerThread& thread_;
    const std::uint64_t id_;
    std::unique_ptr<Link> link_;
    rpc::Peer peer_;
    ServerSession session_;
    std::size_t inline_max_ = frame::kRdmaInlineDefault;  // of replies
    bool may_invalidate_ = false;

    Block shared_receive_buffer_;

    frame::RdmaHeader header_;
    frame::RdmaCallPlan call_plan_;
    frame::RdmaReplyPlan reply_plan_;
    std::vector<frame::RdmaStore> stores_;
    std::vector<ServerSession::Reply> replies_;
    std::vector<xdr::Segment> message_;  // of one reply

    std::vector<Exchange> exchanges_;
    std::vector<std::uint32_t> free_exchanges_;
    std::deque<Chain> chains_;  // stay where they are: works point into them
    std::vector<std::uint32_t> free_chains_;
    std::deque<std::uint32_t> waiting_;  // chains for which the send queue had no room
    std::uint32_t works_under_way_ = 0;
    std::vector<Work> posting_;

    std::uint32_t exchanges_in_use_ = 0;

    bool broken_ = false;  // a request failed: on_lost is on its way
    bool closed_ = false;
    bool ending_ = false;  // no more calls: close when the replies are out
    EventLoop::Clock::time_point active_;
};

}  // namespace helio::transport::rdma
