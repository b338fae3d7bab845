// StreamConnection: one accepted stream and its session. Runs the calls that have arrived, sends
// what the session has gathered once per turn. While the peer does not take its replies, or too
// many calls wait, nothing is read: that is the back-pressure.
#pragma once

#include <cstdint>

#include "helio/transport/server_thread_internal.h"
#include "helio/transport/stream.h"

namespace helio::transport {

class StreamConnection final : Stream::Owner, EventLoop::Deferred, rpc::Session::Owner {
 public:
    // A dialect of its own, or nullptr for ONC RPC.
    StreamConnection(ServerThread& thread, std::uint64_t id, const rpc::Peer& peer,
                     const rpc::Dialect* dialect);
    // 0, or errno.
    [[nodiscard]] int open(Fd socket) { return stream_.open(std::move(socket)); }

    std::uint64_t id() const { return id_; }
    // Has it been idle, slow to send or slow to receive for too long?
    bool overdue(EventLoop::Clock::time_point now) const;
    // No more calls; closes when none is left and all replies are out.
    void drain();
    // Time for what the session does by the clock. False when the peer is dead.
    bool tick(EventLoop::Clock::time_point now) { return session_->on_tick(now); }
    void send_kept(const rpc::KeptReply& reply);
    // More bytes may come when other connections hold fewer: try again.
    bool waits_for_budget() const { return stream_.is_over_budget(); }
    void retry() { process(); }

 private:
    // The replies that are being sent. The session gathers more meanwhile.
    class Replies final : public Outgoing {
     public:
        // False when they cannot be sent: there was no memory for the list of them.
        bool take(rpc::BatchRef batch);
        void drop() { batch_ = {}; }

     private:
        void on_sent() override { drop(); }
        rpc::BatchRef batch_;
    };

    void on_received(std::size_t size) override;
    bool on_end() override;
    void on_writable() override;
    void on_lost(int error_number) override;
    void on_turn_end() override;
    void output_ready() override;
    std::shared_ptr<rpc::DuplicateCache::Waiter> make_waiter(const rpc::Peer& peer) override;
    std::shared_ptr<rpc::SessionLine> make_line() override;
    void end() override;
    void hang_up() override { close(); }

    void process();
    void advance();
    bool send();
    void make_output();
    bool is_sending() const { return stream_.unsent() > 0; }
    void update_interest();
    void close();

    ServerThread& thread_;
    const std::uint64_t id_;
    std::unique_ptr<rpc::ByteSession> session_;
    Replies replies_;
    Stream stream_;

    bool was_blocked_ = false;  // replies had to wait for the peer
    bool full_ = false;         // calls wait that may not run yet
    bool ending_ = false;  // the peer sends no more, or may not: close when the replies are out
    bool closed_ = false;
    EventLoop::Clock::time_point active_;  // the last byte either way
    bool record_open_ = false;             // part of a record has arrived
    EventLoop::Clock::time_point record_began_;
    std::size_t record_bytes_ = 0;  // received since then
};

}  // namespace helio::transport
