// Fabric: connections of queue pairs, as RDMA devices provide them: sends that need a posted
// receive on the other side, and reads and writes of the other side's registered memory. There are
// two kinds: the machine's devices (verbs_fabric.h) and, for tests, one inside the process.
//
// A Link is one queue pair. It belongs to the event loop it was attached to: its functions and its
// owner's callbacks run only on that loop's thread.
//
//     asking side:     Fabric::connect → on_ready (post receives; establish) → on_connected
//     answering side:  Fabric::listen's Arrival: a Link → attach, post receives, establish →
//                      on_connected
//
// A receive may complete before on_connected: the first message may overtake the event.
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

// One request of the send queue. Requests run in order, but a read may still be in progress when
// the next request is done: wait for its completion before using its bytes.
struct Work {
    Verb verb = Verb::send;
    bool signaled = true;  // report completion on success too
    // For a send: the receiver's key to invalidate.
    bool invalidates = false;
    std::uint32_t invalidated_key = 0;
    std::uint64_t id = 0;
    std::span<const Piece> pieces;  // exactly one for a read, otherwise 1 … kPiecesMax
    // For reads and writes: the other side's memory.
    std::uint32_t remote_key = 0;
    std::uint64_t remote_address = 0;
};
inline constexpr std::size_t kPiecesMax = 4;

struct Completion {
    std::uint64_t id = 0;
    Verb verb = Verb::send;
    bool ok = true;              // false: the link is broken; on_lost follows
    std::uint32_t bytes = 0;     // of a receive
    std::string_view what = {};  // for a failure: "remote access error", a static string
};

// Capacities of a queue pair.
struct LinkLimits {
    std::uint32_t receives = 64;  // posted at a time
    std::uint32_t works = 512;    // of the send queue, in flight at a time
};

class Link {
 public:
    class Owner {
     public:
        virtual ~Owner() = default;
        // Asking side: the device is known, and so is the memory. Post receives, then establish().
        virtual void on_ready() = 0;
        // The connection is established; private_data() is the other side's.
        virtual void on_connected() = 0;
        virtual void on_completions(std::span<const Completion> completions) = 0;
        // The connection could not be made, is broken, or was closed by the other side. This is the
        // owner's last callback. An errno, or 0 for an orderly end; `why` is a phrase for a log.
        // The owner may destroy the link from here, and must do so before it posts anything else.
        virtual void on_lost(int error_number, std::string_view why) = 0;
    };

    Link() = default;
    // Disconnects. When it returns, the owner is not called any more and the device no longer
    // touches the link's memory.
    virtual ~Link() = default;
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;

    // Answering side, once, on the loop's thread, before everything else.
    virtual void attach(EventLoop& loop, Owner& owner) = 0;
    // Accepts, with at most kPrivateDataMax bytes for the other side.
    virtual void establish(ByteView private_data) = 0;

    // From on_ready on, or on the answering side always.
    virtual const std::shared_ptr<MemoryPool>& memory() const = 0;
    virtual const LinkLimits& limits() const = 0;
    // The other side's data from its request or answer. May be padded: some devices append zeros.
    virtual ByteView private_data() const = 0;
    virtual Endpoint local() const = 0;
    virtual Endpoint remote() const = 0;

    // False: the link is broken, and on_lost follows. The caller must not exceed limits(); posting
    // more is a programming error.
    [[nodiscard]] virtual bool post_receive(std::uint64_t id, const Piece& into) = 0;
    // Posts them in this order. Unsignaled work is known to be done when a later one completes.
    [[nodiscard]] virtual bool post(std::span<const Work> works) = 0;
};

class Listener {
 public:
    virtual ~Listener() = default;  // no connection arrives after it returns
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
    // Never nullptr: failures are reported to the owner from the loop, not within this call.
    virtual std::unique_ptr<Link> connect(const Endpoint& where, const LinkLimits& limits,
                                          EventLoop& loop, Link::Owner& owner) = 0;
};

}  // namespace helio::transport::rdma
