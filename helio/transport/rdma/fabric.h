// Fabric: connections of queue pairs, as RDMA devices have them: sends that need a receive posted
// on the other side, and reads and writes of the other side's registered memory. Two kinds exist:
// the machine's devices (verbs_fabric.h), and one inside the process (memory_fabric.h) that checks
// keys, ranges and rights as a device does and can be told to fail.
//
// A Link is one queue pair. It belongs to the event loop it was attached to: its functions are
// called, and its owner is told, on that loop's thread alone.
//
//     asking side:     Fabric::connect → on_ready (post receives; establish) → on_connected
//     answering side:  Fabric::listen's Arrival: a Link → attach, post receives, establish →
//                      on_connected
//
// A receive may complete before on_connected: the first message may overtake the word that the
// connection stands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "helio/base/bytes.h"
#include "helio/base/result.h"
#include "helio/transport/loop/event_loop.h"
#include "helio/transport/rdma/memory_pool.h"
#include "helio/transport/socket/socket.h"

namespace helio::transport::rdma {

// Private data that each side may send when a connection is made. RoCE's limit is 56 for the
// requester (RFC 8797 needs eight).
inline constexpr std::size_t kPrivateDataMax = 56;

// A piece of registered memory on this side.
struct Piece {
    std::byte* at = nullptr;
    std::uint32_t size = 0;
    std::uint32_t key = 0;  // the local one
};

enum class Verb : std::uint8_t { receive, send, read, write };

// One request of the send queue. Requests are carried out in their order, but a read may still be
// under way when what follows it is done: wait for its completion before its bytes are used.
struct Work {
    Verb verb = Verb::send;
    bool signaled = true;  // a completion is wanted also when it goes well
    // Of a send: the receiver's key that it is to invalidate.
    bool invalidates = false;
    std::uint32_t invalidated_key = 0;
    std::uint64_t id = 0;
    std::span<const Piece> pieces;  // of a read exactly one, of others 1 … kPiecesMax
    // Of reads and writes: the other side's memory.
    std::uint32_t remote_key = 0;
    std::uint64_t remote_address = 0;
};
inline constexpr std::size_t kPiecesMax = 4;

struct Completion {
    std::uint64_t id = 0;
    Verb verb = Verb::send;
    bool ok = true;              // false: the link is broken; on_lost follows
    std::uint32_t bytes = 0;     // of a receive
    std::string_view what = {};  // of a failure: "remote access error", a text that stays
};

// What a queue pair is made for.
struct LinkLimits {
    std::uint32_t receives = 64;  // posted at a time
    std::uint32_t works = 512;    // of the send queue, under way at a time
};

class Link {
 public:
    class Owner {
     public:
        virtual ~Owner() = default;
        // Asking side: the device is known, and so is the memory. Post receives, then establish().
        virtual void on_ready() = 0;
        // The connection stands; private_data() is what the other side said.
        virtual void on_connected() = 0;
        virtual void on_completions(std::span<const Completion> completions) = 0;
        // It could not be made, or is broken, or the other side has gone: the last thing the owner
        // hears. An errno, 0 for an orderly end; `why` is a phrase for a log. The owner may destroy
        // the link from here, and must before it posts anything else.
        virtual void on_lost(int error_number, std::string_view why) = 0;
    };

    Link() = default;
    // Disconnects. When it returns the owner is not called any more, and the device touches no
    // memory for it any more.
    virtual ~Link() = default;
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;

    // Answering side, once, on the loop's thread, before everything else.
    virtual void attach(EventLoop& loop, Owner& owner) = 0;
    // Says yes, with at most kPrivateDataMax bytes for the other side.
    virtual void establish(ByteView private_data) = 0;

    // From on_ready on, or on the answering side always.
    virtual const std::shared_ptr<MemoryPool>& memory() const = 0;
    virtual const LinkLimits& limits() const = 0;
    // What the other side said when it asked, or answered. May be longer than it was: some devices
    // fill it up with zeros.
    virtual ByteView private_data() const = 0;
    virtual Endpoint local() const = 0;
    virtual Endpoint remote() const = 0;

    // False: the link is broken, and on_lost is on its way. Whoever posts counts, so that no more
    // than limits() are under way; posting more is a programmer's mistake.
    [[nodiscard]] virtual bool post_receive(std::uint64_t id, const Piece& into) = 0;
    // Together, in this order. What is not signaled is known to be done when a later one is.
    [[nodiscard]] virtual bool post(std::span<const Work> works) = 0;
};

class Listener {
 public:
    virtual ~Listener() = default;  // nobody arrives any more when it returns
    virtual Endpoint where() const = 0;
};

class Fabric {
 public:
    // Called on a thread of the fabric's. Hand the link to a loop's thread, or destroy it: that
    // refuses the connection.
    using Arrival = std::function<void(std::unique_ptr<Link> link)>;

    virtual ~Fabric() = default;
    // Throws std::runtime_error with a sentence: no devices, the port is taken, …
    virtual std::unique_ptr<Listener> listen(const Endpoint& where, const LinkLimits& limits,
                                             Arrival arrival) = 0;
    // Never nullptr: failures come to the owner, from the loop, not from within this call.
    virtual std::unique_ptr<Link> connect(const Endpoint& where, const LinkLimits& limits,
                                          EventLoop& loop, Link::Owner& owner) = 0;
};

}  // namespace helio::transport::rdma
