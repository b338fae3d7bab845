// Stream: one socket that carries bytes both ways, on an event loop: TCP, AF_UNIX, one end of a
// socketpair. Servers, clients, relays and HTTP connections own one and get its callbacks. It
// connects, receives into a ReceiveBuffer, sends from a SendQueue, and updates the loop's interest.
//
//     stream.send(call);                                 an Outgoing of the owner's, or
//     stream.write(bytes);                               a copy
//     if (!stream.flush()) …                             the socket takes no more, or is lost
//
//     void on_received(std::size_t) override {
//         stream.consume(use(stream.bytes()));           whole messages
//         if (!stream.keep(wanted)) …                    and the rest stays
//     }
//
// Life: idle → connecting → open → idle. close() and every loss lead back to idle, and a stream may
// be connected again, even from within on_lost(). That is another life(): an owner that continues
// after something that may have closed the stream compares them.
//
// An owner may do anything in any callback, including close(); only Outgoing::on_sent() may not
// close. After close() there are no callbacks. The stream must not be destroyed in its own
// callbacks, which is asserted: destroy such owners at the end of the turn.
//
// Invariants, checked after each step in builds with HELIO_POISON:
//     open: there is a socket, and the loop watches it with the interest that is due
//     idle: there is no socket, no layer, and nothing received except in on_lost()
//     the loop's interest is the owner's, without reading at the end of the stream, with writing
//     while it connects and while the socket takes no more
// and those of ReceiveBuffer and SendQueue.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "helio/base/bytes.h"
#include "helio/base/fd.h"
#include "helio/transport/loop/event_loop.h"
#include "helio/transport/socket/socket.h"
#include "helio/transport/stream/layer.h"
#include "helio/transport/stream/outgoing.h"
#include "helio/transport/stream/receive_buffer.h"
#include "helio/transport/stream/send_queue.h"

namespace helio::transport {

// Default number of receives per stream and turn: others on the loop get theirs, and the loop
// returns at once for the rest.
inline constexpr unsigned kReceivesPerTurnMax = 16;
// Memory of a client's stream: the size of one receive.
inline constexpr std::size_t kStreamBufferSize = 256u << 10;

struct StreamOptions {
    // Holds received bytes; must outlive the stream and every message in it.
    rpc::BufferPool* pool = nullptr;
    // For servers: see ReceiveBuffer.
    SharedReceiveBuffer* shared_room = nullptr;
    MemoryBudget* budget = nullptr;
    std::size_t buffer_size = kStreamBufferSize;  // of its own buffer, at least
    bool takes_descriptors = false;
    unsigned receives_per_turn = kReceivesPerTurnMax;
    // If the peer has gone while the owner does not read: still read what it sent, at most the
    // socket's own buffer. Otherwise the stream is lost at once.
    bool reads_to_the_end = true;
};

struct ConnectOptions {
    bool reserved_port = false;  // use a port below 1024, if permitted
    // For each address; 0: the system's. A listener whose queue is full (EAGAIN, AF_UNIX) is
    // retried until then.
    std::chrono::milliseconds timeout{0};
};

class Stream final : Poller::Handler {
 public:
    class Owner {
     public:
        virtual ~Owner() = default;
        // After connect(), maybe from within it.
        virtual void on_connected() {}
        // bytes() has `size` new bytes.
        virtual void on_received(std::size_t size) = 0;
        // The peer sends no more, but may still receive. False: such a stream is of no use, and is
        // lost.
        virtual bool on_end() { return false; }
        // The socket takes bytes again and was given what waited; unsent() is the rest. With an
        // interest in writing, also called if nothing waited.
        virtual void on_writable() {}
        // The connection failed, or could not be made: the stream is idle. 0: the peer closed it.
        // Entries not completely sent are removed from the queue; the first may be partly sent.
        // bytes() and descriptors() stay available until this returns or the stream is opened or
        // connected again.
        virtual void on_lost(int error_number) = 0;
    };

    // The loop, the owner and what options point to outlive it.
    Stream(EventLoop& loop, Owner& owner, const StreamOptions& options);
    ~Stream() override;

    bool is_idle() const { return state_ == State::idle; }
    bool is_open() const { return state_ == State::open; }
    // Counts the times it was closed or lost.
    std::uint64_t life() const { return life_; }

    // A connected, non-blocking socket. Returns 0, or errno if the loop cannot watch it.
    [[nodiscard]] int open(Fd socket);
    // To the first of these that answers; they stay until then. Ends in on_connected() or, with the
    // error of the last of them, in on_lost().
    void connect(std::span<const Endpoint> addresses, const ConnectOptions& options = {});
    // The index of the address it is connected to.
    std::size_t address() const { return address_; }
    // Like a loss, but without on_lost().
    void close();
    // Gives up the socket. No received bytes may be unused, and nothing may be queued.
    Fd release();
    // Sends nothing more and tells the peer so.
    void shut_down_sending();
    // From now on the bytes of both directions pass through this layer; nothing may be queued.
    // Received bytes not yet used go through it too. False on failure.
    [[nodiscard]] bool set_layer(std::unique_ptr<Layer> layer);
    bool has_layer() const { return layer_ != nullptr; }

    // The events that the owner wants; at first reading. Not reading is back-pressure.
    void set_interest(Interest interest) {
        wanted_ = interest;
        update_interest();
    }

    // ---- Receiving ----

    ByteView bytes() const { return in_.bytes(); }
    // The buffer of bytes(). Hold it to use them while the stream may be closed.
    const rpc::BufferRef& buffer() const { return in_.buffer(); }
    void consume(std::size_t size) { in_.consume(size); }
    // As in ReceiveBuffer.
    [[nodiscard]] bool keep(std::size_t wanted, std::size_t elsewhere = 0) {
        return in_.keep(wanted, elsewhere);
    }
    bool is_worth_a_look() const { return in_.is_worth_a_look(); }
    void use_reserve(bool may) { in_.use_reserve(may); }
    bool is_over_budget() const { return in_.is_over_budget(); }
    // Memory of a record that has not wholly arrived.
    std::size_t bytes_held() const { return in_.held(); }
    // Descriptors received with bytes, in order; the owner removes them.
    std::vector<Fd>& descriptors() { return descriptors_; }

    // For programs that wait for this stream and for nothing else on its loop: one receive.
    enum class Received : std::uint8_t {
        nothing,  // no data available
        all,      // all there was; or the stream is lost
        more      // there may be more
    };
    Received receive_now();
    // The same, waiting as long as set_blocking() allowed.
    Received receive_and_wait();
    // False if waiting for the socket is impossible. Nothing except receive_and_wait() ever waits.
    bool set_blocking(std::chrono::microseconds limit) {
        return is_blocking_ || make_blocking(limit);
    }

    // ---- Sending ----

    // Queues it, even before the stream is open; flush() sends. Entries are sent in order, each
    // completely.
    void send(Outgoing& entry) { out_.push(entry); }
    // Queues a copy. Without memory for it the next flush() loses the stream.
    void write(ByteView bytes);
    void write(Fd descriptor);
    // As in SendQueue.
    [[nodiscard]] bool take_back(Outgoing& entry) { return out_.take_back(entry); }
    [[nodiscard]] bool copy_rest(Outgoing& entry) { return out_.copy_rest(entry); }
    std::size_t unsent() const { return out_.bytes(); }
    // True if everything was sent. Otherwise the socket takes no more for now, and on_writable()
    // follows; or the stream is not open.
    bool flush();

 private:
    enum class State : std::uint8_t { idle, connecting, open };
    // Whether to stop receiving when the owner wants no more, or to continue to the end of the
    // stream.
    enum class Until : std::uint8_t { not_wanted, end };
    class Connecting;
    // While the owner is being called, the stream must not be destroyed, and the loop's interest
    // need not be updated.
    class Busy final {
     public:
        explicit Busy(Stream& stream) : stream_(stream) { ++stream_.busy_; }
        ~Busy() {
            --stream_.busy_;
            stream_.update_interest();
            stream_.check_invariants();
        }
        Busy(const Busy&) = delete;
        Busy& operator=(const Busy&) = delete;

     private:
        Stream& stream_;
    };

    void on_ready(Readiness ready) override;
    void try_addresses();
    int start_connecting(const Endpoint& where);
    void finish_connecting(Readiness ready);
    void become_open();
    void drop_socket();
    void drop_received();
    void end_life();
    void lose(int error_number);

    void receive(Until until);
    Received receive_some(int flags);
    bool make_blocking(std::chrono::microseconds limit);
    struct Arrival {
        std::size_t size = 0;  // new bytes in the buffer
        bool is_full = false;  // there may be more
    };
    ssize_t receive_plain(int flags, Arrival& came);
    ssize_t receive_through_layer(Arrival& came);

    Interest due_interest() const {
        const bool reads = includes(wanted_, Interest::read) && !at_end_;
        const bool writes = includes(wanted_, Interest::write) || is_blocked_;
        return (reads ? Interest::read : Interest::none) |
               (writes ? Interest::write : Interest::none);
    }
    void update_interest() {
        if (busy_ == 0 && is_open() && due_interest() != interest_) change_interest();
    }
    void change_interest();
#ifdef HELIO_POISON
    void check_invariants();
#else
    void check_invariants() {}
#endif

    EventLoop& loop_;
    Owner& owner_;
    const bool takes_descriptors_;
    const bool reads_to_the_end_;
    const unsigned receives_per_turn_;
    State state_ = State::idle;
    Interest wanted_ = Interest::read;    // by the owner
    Interest interest_ = Interest::none;  // of the loop
    bool at_end_ = false;                 // the peer sends no more
    bool is_blocked_ = false;             // the socket takes no more for now
    bool is_blocking_ = false;            // the socket can be waited for
    unsigned busy_ = 0;
    int write_error_ = 0;
    std::uint64_t life_ = 0;
    std::size_t address_ = 0;
    Fd socket_;
    std::unique_ptr<Connecting> connecting_;
    std::unique_ptr<Layer> layer_;
    ReceiveBuffer in_;
    std::vector<Fd> descriptors_;
    SendQueue out_;
};

}  // namespace helio::transport
