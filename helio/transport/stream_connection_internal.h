// StreamConnection: one accepted stream. Receives into the thread's buffer and only keeps what is
// part of an unfinished record; sends what its session has gathered, once per turn. While the peer
// does not take the replies, or too many calls wait, nothing is read: that is the back-pressure.
#pragma once

#include <cstdint>

#include "helio/transport/server_thread_internal.h"

namespace helio::transport {

class StreamConnection final : EventLoop::Handler, EventLoop::Deferred, rpc::Session::Owner {
 public:
    // A dialect of its own, or nullptr for ONC RPC.
    StreamConnection(ServerThread& thread, std::uint64_t id, Fd socket, const rpc::Peer& peer,
                     const rpc::Dialect* dialect);
    ~StreamConnection() override;

    std::uint64_t id() const { return id_; }
    // Has it been idle, slow to send or slow to receive for too long?
    bool overdue(EventLoop::Clock::time_point now) const;
    // No more calls; true when none is left and all replies are out.
    bool drained();
    void drain();
    // Time for what the session does by the clock. False when the peer is dead.
    bool tick(EventLoop::Clock::time_point now) { return session_->on_tick(now); }
    void send_kept(const rpc::KeptReply& reply);
    // More bytes may come when other connections hold fewer: try again.
    bool waits_for_permit() const { return no_permit_; }
    void retry();

 private:
    void on_ready(Readiness ready) override;
    void on_turn_end() override;
    void output_ready() override;
    std::shared_ptr<rpc::DuplicateCache::Waiter> make_waiter(const rpc::Peer& peer) override;
    std::shared_ptr<rpc::SessionLine> make_line() override;
    void end() override;
    void hang_up() override { close(); }

    void receive();
    ssize_t receive_some(std::byte* at, std::size_t size);
    void advance();
    void process(rpc::BufferRef buffer, std::size_t begin, std::size_t end);
    bool keep_rest(rpc::BufferRef buffer, std::size_t begin, std::size_t end, std::size_t wanted);
    bool send();
    ssize_t send_some();
    ssize_t send_file();
    ssize_t send_next_descriptor();
    std::size_t bytes_until_descriptor() const;
    void make_output();
    void hold_receive_bytes(std::size_t bytes);
    void watch();
    void close();

    ServerThread& thread_;
    const std::uint64_t id_;
    Fd socket_;
    std::unique_ptr<rpc::ByteSession> session_;

    // Bytes of an unfinished record, or of calls that may not run yet.
    rpc::BufferRef partial_;
    std::size_t partial_begin_ = 0;
    std::size_t partial_end_ = 0;
    std::size_t wanted_ = 0;  // bytes that the record needs in all, as far as is known
    std::size_t held_ = 0;    // counted in ServerShared::receive_bytes

    // The batch being sent: what is left of it.
    rpc::BatchRef sending_;
    std::span<const xdr::Segment> segments_;
    std::size_t sent_ = 0;        // of the first of them
    std::size_t batch_sent_ = 0;  // of all, for descriptors that travel with certain bytes
    std::size_t descriptors_sent_ = 0;

    Interest interest_ = Interest::read;
    bool full_ = false;       // calls wait that may not run yet
    bool no_permit_ = false;  // too many bytes are held by all connections
    bool ending_ = false;     // the peer sends no more, or may not: close when the replies are out
    bool closed_ = false;
    EventLoop::Clock::time_point active_;  // the last byte either way
    bool record_open_ = false;             // part of a record has arrived
    EventLoop::Clock::time_point record_began_;
    std::size_t record_bytes_ = 0;  // received since then
};

}  // namespace helio::transport
