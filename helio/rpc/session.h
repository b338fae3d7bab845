// Session: one conversation with clients, without I/O: a connection, or a socket for datagrams.
// Bytes go in, replies gather in a Batch; the transport that owns the session sends it. Stays on
// one thread, that of its Worker.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "helio/frame/record_mark.h"
#include "helio/rpc/envelope.h"
#include "helio/rpc/memory.h"
#include "helio/rpc/server/server.h"

namespace helio::rpc {

// The largest payload of UDP over IPv4: 65,535 less two headers.
inline constexpr std::size_t kDatagramBytesMax = 65'507;
// The source of a datagram may be forged. A reply to an untrusted one is at most this many times
// its size, as in QUIC (RFC 9000 §8.1), so that the server is useless for amplification attacks.
inline constexpr std::size_t kDatagramAmplificationMax = 3;

// A handle for other threads; may outlive the session.
class SessionHandle {
 public:
    virtual ~SessionHandle() = default;
    // Runs `work` on the session's thread, unless the session is gone by then.
    virtual void post(std::function<void()> work) = 0;
};

// A protocol's or transport's decisions and state for the calls of a session, beyond the envelope:
// libvirt's connections have rights, RDMA keeps memory for each call. On the session's thread.
class SessionPolicy {
 public:
    enum class Answer : std::uint8_t {
        results,  // or the error of a CallExtra: the reply is in the session's output
        refusal,
        none
    };
    virtual ~SessionPolicy() = default;
    // Do clients repeat calls, so that the duplicate cache must remember replies?
    virtual bool has_retransmissions() const = 0;
    // A procedure is about to run; its arguments have not been read. False: it is refused.
    virtual bool admit(Call& call) = 0;
    // A call has ended. Also called for calls that were not admitted or could not be dispatched.
    virtual void on_completed(Call& call, Answer answer) = 0;
};

class Session {
 public:
    // Sends what is in outgoing().
    class Owner : public CallOrigin {
     public:
        // A reply was added to outgoing() outside of receive(): send it soon. Not called from
        // within receive().
        virtual void output_ready() = 0;
        // A reply to one of our calls, in `buffer`. False: there is no such call.
        virtual bool take_reply(const BufferRef& /*buffer*/, ByteView /*message*/) { return false; }
        // To answer a retransmission from another thread, when the first call still runs elsewhere.
        // May be nullptr: then the retransmission is not answered.
        virtual std::shared_ptr<DuplicateCache::Waiter> make_waiter(const Peer& peer) = 0;
        // nullptr: the session cannot be reached from other threads.
        virtual std::shared_ptr<SessionHandle> make_handle() { return nullptr; }
        // The session ends: read nothing more, and close the connection when all replies are sent.
        virtual void end() {}
        // Like end(), but immediately: replies are not sent either.
        virtual void hang_up() { end(); }
    };

    virtual ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    std::size_t calls_in_flight() const { return in_flight_; }
    // True if one more call may wait.
    bool may_run_more() const {
        return in_flight_ < in_flight_max_ && waiting_bytes_ < kWaitingBytesMax;
    }
    bool has_output() const { return output_bytes() > 0; }
    std::size_t output_bytes() const { return outgoing_ ? outgoing_->bytes : 0; }
    // Memory for the arguments and results of calls that wait.
    std::size_t waiting_bytes() const { return waiting_bytes_; }
    // Returns the replies gathered so far; the session begins a new batch.
    BatchRef take_output() { return std::exchange(outgoing_, {}); }
    // Sends a whole reply that is not the session's own: the duplicate cache's.
    void send_cached(const CachedReply& reply, const Peer& peer);

 protected:
    Session(Worker& worker, Owner& owner, std::shared_ptr<Envelope> envelope, std::size_t head_size,
            std::size_t reply_bytes_max);

    // A message has been written after `head`, which has the head_size given to the constructor.
    virtual void close_frame(std::byte* head, std::size_t message_size, const Peer& peer) = 0;
    // For transports that carry bulk data beside the message: it is made in `memory`, and separate
    // in the gather list (xdr::Writer::keep_bulk_apart).
    void carry_bulk_apart(std::shared_ptr<PayloadMemory> memory) { payloads_ = std::move(memory); }
    // For transports that send pieces of files themselves.
    void send_files() { sends_files_ = true; }
    // Without one every call runs, and all retransmissions are recognised.
    void set_policy(SessionPolicy& policy) {
        policy_ = &policy;
        has_retransmissions_ = policy.has_retransmissions();
    }
    // A procedure is writing its reply: nothing else may be written to outgoing().
    bool is_writing() const { return writing_; }
    // For the calls that follow.
    void set_reply_bytes_max(std::size_t bytes) { reply_bytes_max_ = bytes; }
    // True if one more call may run: not too many wait, and there is room for its reply.
    bool has_room() { return may_run_more() && has_output_room(); }
    // A batch that has memory but no replies is exchanged for an empty one.
    bool has_output_room();
    void set_calls_in_flight_max(std::size_t calls) { in_flight_max_ = calls; }
    // After receive(): a session without replies and calls holds no memory.
    void let_go_of_memory();

    Batch& outgoing() {
        if (!outgoing_) begin_batch();
        return *outgoing_;
    }

    Worker& worker_;
    Owner& owner_;
    bool receiving_ = false;
    std::size_t batch_bytes_max_ = kBatchBytesMax;

 private:
    friend class Worker;
    void begin_batch();

    const std::shared_ptr<Envelope> envelope_;
    std::size_t head_size_;  // bytes of a frame before its message
    std::size_t reply_bytes_max_;
    std::shared_ptr<PayloadMemory> payloads_;
    BatchRef outgoing_;
    std::size_t in_flight_ = 0;
    std::size_t in_flight_max_;
    std::size_t waiting_bytes_ = 0;
    SessionPolicy* policy_ = nullptr;
    bool has_retransmissions_ = true;
    bool sends_files_ = false;
    Worker::ActiveCall* waiting_ = nullptr;   // the session's suspended calls
    bool writing_ = false;                    // a plain procedure runs, its reply is half written
    std::vector<Worker::ActiveCall*> ended_;  // suspended calls that ended meanwhile
};

// A stream of bytes × an envelope: the interface for the owner of a socket.
class ByteSession : public Session {
 public:
    struct Progress {
        std::size_t consumed = 0;  // bytes that need not be shown again
        std::size_t calls = 0;     // messages that were whole
        std::size_t wanted = 0;    // pass at least this many next time; 0: any number
        // Bytes are left that have to wait: send the output, or wait for calls to end; then show
        // them again.
        bool full = false;
        // The same, but only to let other connections run.
        bool yields = false;
        bool broken = false;  // close the connection; output may still be sent
    };
    // The bytes received and not yet consumed; they lie in `buffer`. There may be none: calls that
    // were received before and had to wait are run then.
    virtual Progress receive(const BufferRef& buffer, ByteView bytes) = 0;

    const Peer& peer() const { return peer_; }
    // Replies that gather before they are sent and more calls run; kBatchBytesMax at first.
    void set_batch_bytes_max(std::size_t bytes) { batch_bytes_max_ = bytes; }
    // True between messages, as far as it knows.
    virtual bool at_boundary() const { return true; }
    // Memory held for messages that are incomplete or have to wait.
    virtual std::size_t bytes_held() const { return 0; }
    // Calls wait inside, and may run now: receive() runs them.
    virtual bool has_runnable_calls() const { return false; }

    // Descriptors that arrived with bytes not yet shown, in order. False if the session takes none,
    // or no more: close the connection.
    virtual bool takes_descriptors() const { return false; }
    virtual bool take_descriptors(std::vector<Fd>) { return false; }
    // The session has more to send once everything else is sent; make_output() writes some of it
    // into outgoing().
    virtual bool has_more_output() const { return false; }
    virtual void make_output() {}
    // Called periodically. False if the peer must be considered dead.
    virtual bool on_tick(Worker::Clock::time_point) { return true; }
    // Silent peers are not disconnected.
    virtual bool may_be_idle() const { return false; }

 protected:
    ByteSession(Worker& worker, Owner& owner, std::shared_ptr<Envelope> envelope,
                std::size_t head_size, std::size_t reply_bytes_max, const Peer& peer)
        : Session(worker, owner, std::move(envelope), head_size, reply_bytes_max), peer_(peer) {}

 private:
    Peer peer_;
};

// Makes the session of each connection of a listening socket. Used by any thread.
class SessionFactory {
 public:
    virtual ~SessionFactory() = default;
    virtual std::unique_ptr<ByteSession> make_session(Worker& worker, Session::Owner& owner,
                                                      const Peer& peer) const = 0;
};

// Record marks × an envelope: ONC RPC over TCP, AF_UNIX, and anything else that is a stream.
class StreamSession final : public ByteSession {
 public:
    StreamSession(Worker& worker, Owner& owner, std::shared_ptr<Envelope> envelope,
                  const Peer& peer);

    Progress receive(const BufferRef& buffer, ByteView bytes) override;
    // For owners that split the stream themselves: one message in `buffer`.
    void receive_message(const BufferRef& buffer, ByteView message);
    bool at_boundary() const override { return framer_.at_boundary(); }
    std::size_t bytes_held() const override { return framer_.bytes_held(); }

 private:
    void close_frame(std::byte* head, std::size_t message_size, const Peer& peer) override;

    frame::RecordMark framer_;
};

// Datagrams × an envelope: one message each way, and every reply has an address.
class DatagramSession final : public Session {
 public:
    DatagramSession(Worker& worker, Owner& owner, std::shared_ptr<Envelope> envelope);

    // One datagram in `buffer`.
    void receive(const BufferRef& buffer, ByteView datagram, const Peer& peer);
    // Too many calls wait: leave the datagrams in the socket.
    bool full() const;

    // The replies in the batch that take_output() gives next: `size` bytes of its gather list each,
    // in order.
    struct Datagram {
        Peer peer;
        std::size_t size;
    };
    std::vector<Datagram> take_datagrams() { return std::exchange(datagrams_, {}); }

 private:
    void close_frame(std::byte* head, std::size_t message_size, const Peer& peer) override;

    std::vector<Datagram> datagrams_;
};

}  // namespace helio::rpc
