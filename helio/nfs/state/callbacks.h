// SessionCallbacks: the server's calls to the client of one session (RFC 8881 §2.10.3, §20): the
// connections bound for them, what waits to be sent, and the slots of CB_SEQUENCE, which make each
// callback execute once. A pure state machine: next() says what to send over which connection, and
// ended() takes what came of it. The only callback so far is CB_NOTIFY_LOCK.
//
// Whatever a client answers, or does not, costs it its own callbacks and nobody else's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "helio/nfs/state/types.h"
#include "helio/rpc/onc/onc_envelope.h"
#include "schema/nfs4.h"

namespace helio::nfs::state {

// A connection that can carry callbacks; numbers are not used again.
using ConnectionId = std::uint64_t;

// Callbacks of a session that wait for their replies. Linux offers 16; notices are short, and the
// sessions of a client together stay within the 64 calls of a connection
// (transport::kBackCallsMax).
inline constexpr std::uint32_t kCallbackSlotsMax = 4;
// Connections bound for callbacks; the oldest makes way. Linux binds one, also with nconnect=16.
inline constexpr std::size_t kBackConnectionsMax = 8;
// Notices that wait for a slot or a connection: as many locks as a client may wait for.
inline constexpr std::size_t kNoticesMax = 256;
// How often a notice is sent that the client postpones or cannot place.
inline constexpr unsigned kNoticeTriesMax = 5;
// A callback: one page, which is what Linux offers. The longest lock owner needs half of it.
inline constexpr std::uint32_t kCallbackBytesMax = 4096;

// How to call the client: csa_cb_program and csa_sec_parms.
struct CallbackTarget {
    std::uint32_t program = 0;
    std::uint32_t minor_version = 1;
    rpc::ClientCredential credential = {};
};

// CB_NOTIFY_LOCK: this owner should ask for its lock again.
struct Notice {
    ClientId client = 0;
    std::string handle = {};  // of the file, as the client knows it
    std::string owner = {};
    unsigned tries = 0;

    bool same_as(const Notice& other) const {
        return owner == other.owner && handle == other.handle;
    }
};

// Something to send.
struct Callback {
    SessionId session{};
    ConnectionId connection = 0;
    std::uint64_t attempt = 0;  // tells it from others in its slot
    std::uint32_t slot = 0;
    std::uint32_t sequence = 0;
    std::uint32_t highest_slot = 0;
    CallbackTarget target = {};
    Notice notice = {};
};

struct CallbackEnd {
    enum class Kind : std::uint8_t {
        answered,  // CB_SEQUENCE returned `status`
        not_sent,  // too many calls are in flight over this connection
        failed,    // no reply, or none that belongs to this call: the client may have executed it
    };
    Kind kind = Kind::failed;
    nfs4::nfsstat4 status = nfs4::NFS4_OK;
    std::uint32_t target_highest_slot = UINT32_MAX;  // if the status is NFS4_OK
};

class SessionCallbacks final {
 public:
    SessionCallbacks(const SessionId& session, CallbackTarget target, std::uint32_t slots,
                     std::uint32_t request_bytes_max);

    CallbackTarget& target() { return target_; }
    void bind(ConnectionId connection);
    // Its callbacks are sent again over another connection, as soon as there is one.
    void unbind(ConnectionId connection);

    // Was a connection ever bound? Clients that want no callbacks are not told that they get none.
    bool is_wanted() const { return wanted_; }
    bool has_path() const { return !connections_.empty() && !broken_; }
    // The client and we disagree about the session or all of its slots: it needs a new session.
    bool is_broken() const { return broken_; }
    // Whether a notice is short enough for the client.
    bool fits(const Notice& notice) const;

    // A notice that is queued already is not queued twice; if there are too many, it is dropped.
    void push(Notice notice);
    std::optional<Callback> next();
    void ended(const Callback& callback, const CallbackEnd& end);
    // About once a second: notices that the client postponed are due again.
    std::size_t postponed() const { return postponed_.size(); }
    void next_round();

 private:
    // Lists: nearly all sessions have no notices, and an empty std::deque takes 544 bytes.
    using Notices = std::list<Notice>;
    struct Slot {
        enum class State : std::uint8_t {
            free,
            busy,
            unanswered,  // to be sent again as it was
            retired      // the client disagrees about its sequence
        };
        State state = State::free;
        std::uint32_t sequence = 1;  // of the next call, or of the one in flight
        std::uint64_t attempt = 0;
        ConnectionId connection = 0;
        Notice notice = {};
    };
    void answered(Slot& slot, const CallbackEnd& end);
    void try_again(Notices& where, Notice notice);
    Callback start(std::uint32_t number);
    void set_limit(std::uint32_t highest);
    void check_slots();

    SessionId session_;
    CallbackTarget target_;
    std::uint32_t request_bytes_max_;
    std::vector<Slot> slots_;
    std::uint32_t slots_used_;  // the client may ask for fewer than were agreed on
    std::vector<ConnectionId> connections_;
    Notices queue_;
    Notices postponed_;
    std::uint64_t attempts_ = 0;
    bool wanted_ = false;
    bool broken_ = false;
};

}  // namespace helio::nfs::state
