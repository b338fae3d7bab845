// VirnetSession: the server's side of one libvirt connection, without I/O: length words ×
// VirnetEnvelope on the same core as ONC RPC. Calls go to Worker::serve; other messages do not.
// Keepalive is answered at once, even while the maximum number of calls is waiting; packets of
// streams go to the VirnetHandler, which holds the server's state for the connection: rights,
// streams and events. The session owns the handler; waiting calls hold it too.
//
// Calls beyond the limit wait in an internal queue, so that messages after them that can be handled
// at once are still seen; when the queue is full, reading stops.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "helio/frame/length_word.h"
#include "helio/rpc/session.h"
#include "helio/virt/wire/envelope.h"

namespace helio::virt {

// Concurrent calls of one connection: libvirtd's max_client_requests.
inline constexpr std::size_t kVirnetCallsInFlightMax = 5;
// Calls that may wait after those before reading stops. libvirt leaves them in the socket, and
// pings after them unanswered: clients with more than five threads were disconnected as dead.
inline constexpr std::size_t kVirnetCallsQueuedMax = 64;
// Their total size, if there is more than one.
inline constexpr std::size_t kVirnetBytesQueuedMax = 1u << 20;
// Unsent events and replies; a peer that does not read is disconnected at this limit. libvirtd has
// none and grows.
inline constexpr std::size_t kVirnetOutputBytesMax = 64u << 20;

class VirnetSession;

// The server's state for one connection. The session calls it on its own thread.
class VirnetHandler {
 public:
    virtual ~VirnetHandler() = default;
    // Called first; the session lives until on_end().
    virtual void on_begin(VirnetSession& session) = 0;
    // The session is being destroyed.
    virtual void on_end() = 0;
    // Before the arguments of a call are decoded; an error becomes the reply.
    virtual std::optional<VirtError> admit(const rpc::Call& call) = 0;
    // A call is about to run. False: it has to wait until VirnetSession::wake(). Followed by
    // on_complete(), unless the session ends first. The header has not been checked yet.
    virtual bool begin_call(const VirnetHeader&) { return true; }
    // False if begin_call() would certainly fail.
    virtual bool may_begin(const VirnetHeader&) const { return true; }
    // The reply of a call is written, or there is none.
    virtual void on_complete(const rpc::Call& call, CallResult result) = 0;
    // A packet of a stream; type is stream or stream_hole.
    virtual void on_stream(const VirnetHeader& header, ByteView payload) = 0;
    // For streams: whether there is more to send, and a chance to send some after everything else.
    virtual bool has_more_output() const = 0;
    virtual void make_output() = 0;
    // The connection may be idle for any length of time.
    virtual bool may_be_idle() const = 0;
};

struct VirnetLimits {
    std::size_t calls_in_flight = kVirnetCallsInFlightMax;
    std::size_t calls_queued = kVirnetCallsQueuedMax;
    std::size_t bytes_queued = kVirnetBytesQueuedMax;
    std::size_t output_bytes = kVirnetOutputBytesMax;
};

class VirnetSession final : public rpc::ByteSession, rpc::SessionPolicy {
 public:
    VirnetSession(rpc::Worker& worker, Owner& owner, const rpc::Peer& peer,
                  std::shared_ptr<VirnetHandler> handler, VirnetLimits limits = {});
    ~VirnetSession() override;

    // ---- For the handler ----

    // Sends an event or a stream packet. The payload is copied, after the reply being written, if
    // any.
    void send(const VirnetHeader& header, ByteView payload);
    // The same, written by `encode`; nothing is sent if that returns false.
    bool send(const VirnetHeader& header, const std::function<bool(xdr::Writer&)>& encode);
    void send_error(VirnetHeader header, const VirtError& error);
    // Written and not yet passed to the socket.
    std::size_t bytes_to_send() const { return output_bytes() + pending_bytes_; }
    // has_more_output() has become true outside of a call.
    void wake();
    // Reads no more; sends what is written, then closes the connection.
    void end();
    // Closes at once: unsent data is lost, and the results of waiting calls are dropped.
    void hang_up();
    bool ending() const { return ending_; }
    // Pings a peer that has been silent for `interval`; after `count` unanswered pings it is
    // considered dead. Zero: never.
    void keep_alive(std::chrono::milliseconds interval, unsigned count);
    std::shared_ptr<rpc::SessionHandle> make_handle() { return owner_.make_handle(); }

    // ---- For the transport ----

    Progress receive(const rpc::BufferRef& buffer, ByteView bytes) override;
    std::size_t bytes_held() const override { return queued_bytes_; }
    bool has_runnable_calls() const override;
    bool takes_descriptors() const override;
    bool take_descriptors(std::vector<Fd> descriptors) override;
    bool has_more_output() const override { return handler_->has_more_output(); }
    void make_output() override;
    bool on_tick(rpc::Worker::Clock::time_point now) override;
    bool may_be_idle() const override { return handler_->may_be_idle(); }

 private:
    // A call that waits for its turn, with its own copy of the bytes.
    struct QueuedCall {
        rpc::BufferRef buffer;
        std::size_t size = 0;
        std::vector<Fd> descriptors;

        VirnetHeader header() const { return frame::read_virnet_header(buffer->bytes.get()); }
    };
    enum class Step : std::uint8_t { next, more, full, broken };

    VirnetSession(rpc::Worker& worker, Owner& owner, const rpc::Peer& peer,
                  std::shared_ptr<VirnetHandler> handler, VirnetLimits limits,
                  std::shared_ptr<VirnetEnvelope> envelope);

    bool has_retransmissions() const override { return false; }
    bool admit(rpc::Call& call) override;
    void on_completed(rpc::Call& call, Answer answer) override;
    void close_frame(std::byte* head, std::size_t message_size, const rpc::Peer& peer) override;

    Step take(const rpc::BufferRef& buffer, ByteView rest, Progress& progress);
    bool take_message(const rpc::BufferRef& buffer, ByteView message, std::size_t descriptors);
    bool take_call(const rpc::BufferRef& buffer, ByteView message, std::size_t descriptors);
    std::vector<Fd> take_received(std::size_t count);
    void take_keepalive(const VirnetHeader& header);
    void serve(ByteView message, const rpc::BufferRef& buffer, std::vector<Fd> descriptors);
    void serve_queued();
    bool has_turn() const { return calls_in_flight() < limits_.calls_in_flight; }
    void append(ByteView frame);
    void append_pending();
    void stop_reading();
    bool has_room_for(std::size_t bytes);
    Step broken(std::string_view what);

    VirnetEnvelope& envelope_;
    std::shared_ptr<VirnetHandler> handler_;
    std::unique_ptr<VirtCall> spare_call_;  // of a call that has ended, for the next
    VirnetLimits limits_;
    std::deque<QueuedCall> queue_;
    std::size_t queued_bytes_ = 0;
    std::deque<Fd> received_;                      // descriptors whose message has not arrived
    std::vector<std::vector<std::byte>> pending_;  // messages to send after the reply being written
    std::size_t pending_bytes_ = 0;
    bool ending_ = false;
    bool deaf_ = false;  // the peer no longer reads

    std::chrono::milliseconds ping_interval_{0};
    unsigned pings_max_ = 0;
    unsigned pings_unanswered_ = 0;
    rpc::Worker::Clock::time_point heard_;  // when the last byte from the peer arrived
    rpc::Worker::Clock::time_point pinged_;
};

}  // namespace helio::virt
