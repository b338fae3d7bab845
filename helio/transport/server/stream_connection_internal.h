// StreamConnection: one accepted stream and its session. Runs the calls that have arrived, and
// sends the session's output once per turn. Back-pressure: while the peer does not take its
// replies, or too many calls wait, nothing is read.
#pragma once

#include <cstdint>

#include "helio/transport/server/back_channel_internal.h"
#include "helio/transport/server/reply_batch_internal.h"
#include "helio/transport/server/server_thread_internal.h"
#include "helio/transport/stream/stream.h"

namespace helio::transport {

class StreamConnection final : Stream::Owner,
                               EventLoop::Deferred,
                               rpc::Session::Owner,
                               StreamBackChannel::Carrier {
 public:
    // `session_factory`: nullptr for ONC RPC.
    StreamConnection(ServerThread& thread, std::uint64_t id, const rpc::Peer& peer,
                     const rpc::SessionFactory* session_factory);
    ~StreamConnection() override;
    StreamConnection(const StreamConnection&) = delete;
    StreamConnection& operator=(const StreamConnection&) = delete;
    // 0, or errno.
    [[nodiscard]] int open(Fd socket) { return stream_.open(std::move(socket)); }

    std::uint64_t id() const { return id_; }
    // Has it been idle, slow to send or slow to receive for too long?
    bool overdue(EventLoop::Clock::time_point now) const;
    // Memory that it makes the server hold, roughly: decides which connection has to give some
    // back.
    std::size_t bytes_held() const {
        return session_->waiting_bytes() + session_->output_bytes() + stream_.unsent() +
               stream_.bytes_held();
    }
    // How long it has held memory because the peer does not read, or sends a record slowly.
    EventLoop::Clock::duration slow_for(EventLoop::Clock::time_point now) const;
    // Closing it loses nothing but the connection: it has no calls, no replies and no part of one.
    bool is_idle() const;
    bool has_called() const { return has_called_; }
    const rpc::Peer& peer() const { return session_->peer(); }
    EventLoop::Clock::time_point active() const { return active_; }
    // No more calls; closes when none is left and all replies are out.
    void drain();
    // Time for the session's timed work. False if the peer is dead.
    bool tick(EventLoop::Clock::time_point now) { return session_->on_tick(now); }
    void send_cached(const rpc::CachedReply& reply);
    // More bytes may come when other connections hold fewer: try again.
    bool waits_for_budget() const { return stream_.is_over_budget(); }
    void retry();

 private:
    void on_received(std::size_t size) override;
    bool on_end() override;
    void on_writable() override;
    void on_lost(int error_number) override;
    void on_turn_end() override;
    void output_ready() override;
    std::shared_ptr<rpc::DuplicateCache::Waiter> make_waiter(const rpc::Peer& peer) override;
    std::shared_ptr<rpc::SessionHandle> make_handle() override;
    std::shared_ptr<rpc::BackChannel> back_channel() override;
    bool may_hold(std::size_t bytes) override { return thread_.may_hold(bytes_held(), bytes); }
    bool take_reply(const rpc::BufferRef& buffer, ByteView message) override;
    Stream& stream() override { return stream_; }
    void give_up() override { close(); }
    void end() override;
    void hang_up() override { close(); }

    void process();
    void advance();
    bool send();
    void make_output();
    bool is_sending() const { return stream_.unsent() > 0; }
    void update_interest();
    void close();
    void leave();

    ServerThread& thread_;
    const std::uint64_t id_;
    const bool has_session_factory_;
    std::unique_ptr<rpc::ByteSession> session_;
    ReplyBatch replies_;  // being sent; the session gathers more meanwhile
    Stream stream_;
    std::shared_ptr<StreamBackChannel> back_channel_;  // once it was needed

    bool was_blocked_ = false;  // replies had to wait for the peer
    EventLoop::Clock::time_point blocked_since_;
    bool full_ = false;    // calls wait that may not run yet
    bool ending_ = false;  // the peer sends no more, or may not: close when the replies are out
    bool closed_ = false;
    bool has_called_ = false;
    EventLoop::Clock::time_point active_;  // the last byte either way
    bool record_open_ = false;             // part of a record has arrived
    EventLoop::Clock::time_point record_opened_;
    EventLoop::Clock::time_point record_began_;  // or since reading could continue
    std::size_t record_bytes_ = 0;               // received since then
};

}  // namespace helio::transport
