// Session: one conversation with clients, without I/O: a connection, or a socket for datagrams.
// Bytes go in, replies gather in a Batch; the transport that owns the session sends it. Stays on
// one thread, that of its Worker.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "helio/frame/record_mark.h"
#include "helio/rpc/envelope.h"
#include "helio/rpc/memory.h"
#include "helio/rpc/server.h"

namespace helio::rpc {

// The largest payload of UDP over IPv4: 65,535 less two headers.
inline constexpr std::size_t kDatagramBytesMax = 65'507;

class Session {
 public:
    // Who sends what is in outgoing().
    class Owner {
     public:
        virtual ~Owner() = default;
        // A reply came into outgoing() outside of receive(): send soon. Not called from within it.
        virtual void output_ready() = 0;
        // To answer a call from another thread, for the retransmission of one that still runs
        // elsewhere. May be nullptr: then that one stays without an answer.
        virtual std::shared_ptr<DuplicateCache::Waiter> make_waiter(const Peer& peer) = 0;
    };

    virtual ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    std::size_t calls_in_flight() const { return in_flight_; }
    bool has_output() const { return output_bytes() > 0; }
    std::size_t output_bytes() const { return outgoing_ ? outgoing_->bytes : 0; }
    // The replies gathered so far; the session begins a new batch.
    BatchRef take_output() { return std::exchange(outgoing_, {}); }
    // A whole reply from elsewhere: the duplicate cache.
    void send_kept(const KeptReply& reply, const Peer& peer);

 protected:
    Session(Worker& worker, Owner& owner, const Envelope& envelope, std::size_t head_size,
            std::size_t reply_bytes_max);

    // A message has been written behind `head`, which has the head_size given to the constructor.
    virtual void close_frame(std::byte* head, std::size_t message_size, const Peer& peer) = 0;
    // A call has ended, and nobody will answer it: for who keeps something until then.
    virtual void no_reply(const Peer&) {}
    // For transports that carry bulk data beside the message: it is made in `memory`, and stands
    // apart in the gather list (xdr::Writer::keep_bulk_apart).
    void carry_bulk_apart(std::shared_ptr<PayloadMemory> memory) { payloads_ = std::move(memory); }
    // Of the calls that follow.
    void set_reply_bytes_max(std::size_t bytes) { reply_bytes_max_ = bytes; }
    // Whether one more call may run. A batch that has memory but no replies is exchanged for that.
    bool has_room();
    // After receive(): without replies and calls there is no memory either.
    void let_go_of_memory();

    Worker& worker_;
    Owner& owner_;
    bool receiving_ = false;

 private:
    friend class Worker;
    Batch& outgoing() {
        if (!outgoing_) begin_batch();
        return *outgoing_;
    }
    void begin_batch();

    const Envelope& envelope_;
    std::size_t head_size_;  // bytes of a frame before its message
    std::size_t reply_bytes_max_;
    std::shared_ptr<PayloadMemory> payloads_;
    BatchRef outgoing_;
    std::size_t in_flight_ = 0;
    Worker::ActiveCall* waiting_ = nullptr;   // the session's suspended calls
    bool writing_ = false;                    // a plain procedure runs, its reply is half written
    std::vector<Worker::ActiveCall*> ended_;  // suspended calls that ended meanwhile
};

// Record marks × an envelope: TCP, AF_UNIX, and anything else that is a stream.
class StreamSession final : public Session {
 public:
    StreamSession(Worker& worker, Owner& owner, const Envelope& envelope, const Peer& peer);

    struct Progress {
        std::size_t consumed = 0;  // bytes that need not be shown again
        std::size_t calls = 0;     // messages that were whole
        std::size_t wanted = 0;    // show at least this many next time; 0: as many as there are
        // Bytes are left that have to wait: send the output, or wait for calls to end; then show
        // them again.
        bool full = false;
        bool broken = false;  // close the connection; output may still be sent
    };
    // The bytes received and not yet consumed; they lie in `buffer`.
    Progress receive(const BufferRef& buffer, ByteView bytes);

    const Peer& peer() const { return peer_; }
    bool at_boundary() const { return framer_.at_boundary(); }
    std::size_t bytes_held() const { return framer_.bytes_held(); }

 private:
    void close_frame(std::byte* head, std::size_t message_size, const Peer& peer) override;

    frame::RecordMark framer_;
    Peer peer_;
};

// Datagrams × an envelope: one message each way, and every reply has an address.
class DatagramSession final : public Session {
 public:
    DatagramSession(Worker& worker, Owner& owner, const Envelope& envelope);

    // One datagram, which lies in `buffer`.
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
