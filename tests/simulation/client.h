// Client: one machine with a connection to the server, which its actors use. It sends and receives
// bytes in pieces of any size, closes the connection at any byte, and does what Linux's client does
// if a reply does not come: it sends the same bytes again, with the same xid, over the same
// connection or a new one.
//
// It checks what holds for every call: each is answered, with its own xid, and a call that must not
// run twice gets the same bytes however often it is sent. Retries must not hide replies lost within
// the server: check_quiet() finds those.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "helio/base/fd.h"
#include "tests/simulation/message.h"
#include "tests/simulation/plan.h"

namespace helio::simulation {

// Makes calls, one after the other.
class Caller {
 public:
    virtual ~Caller() = default;
    virtual bool is_done() const = 0;
    // Makes its next call by this.
    virtual void compose(Exchange& exchange) = 0;
    // Copies of the call may still be in flight.
    virtual void take_reply(Exchange& exchange) = 0;
};

class Client final {
 public:
    // A new connection; invalid if there is none just now.
    using Connect = std::function<Fd()>;

    Client(unsigned number, const Plan& plan, Dice& dice, Trace& trace, std::uint32_t first_xid,
           Connect connect);

    void add(std::unique_ptr<Caller> caller) { callers_.push_back({std::move(caller), {}, false}); }

    // Does something, if there is anything to do.
    bool act();
    // When there will be something to do, if nothing arrives from the server.
    std::optional<Clock::time_point> next_time() const;
    bool is_done() const;
    // The server is idle: calls received over a connection that is still open must have been
    // answered.
    void check_quiet() const;
    void leave() { lose("leaves"); }
    bool is_connected() const { return static_cast<bool>(socket_); }
    // For the end of a simulation: reads and drops, until the server has closed.
    bool hear_end();
    // Describes outstanding calls.
    std::string describe() const;

 private:
    struct Slot {
        std::unique_ptr<Caller> caller;
        Clock::time_point next{};  // begins its next call then
        bool waits = false;
    };
    struct Call {
        Slot* slot = nullptr;
        Bytes message;
        bool is_remembered = false;
        unsigned copies = 0;
        Clock::time_point due;  // for another copy
    };

    bool begin_calls();
    bool reconnect();
    bool send_again();
    bool send_some();
    bool receive_some();
    bool maybe_cut();
    void queue(std::uint32_t xid, Call& call);
    void take_records();
    void take_message(ByteView message);
    void lose(const char* why);
    [[noreturn]] void fail(const std::string& what) const;

    const unsigned number_;
    const Plan& plan_;
    Dice dice_;
    Trace& trace_;
    const Connect connect_;
    Exchange exchange_;
    std::vector<Slot> callers_;
    std::map<std::uint32_t, Call> calls_;  // without a reply
    // Answered ones: with the reply, if all others must equal it.
    std::map<std::uint32_t, std::optional<Bytes>> answered_;
    std::uint32_t next_xid_;

    Fd socket_;
    bool is_half_closed_ = false;
    bool has_heard_ = false;  // something, over this connection
    unsigned cuts_ = 0;
    unsigned pauses_ = 0;
    Bytes unsent_;
    Bytes received_;
    Bytes fragments_;  // of a record that is not whole
    Clock::time_point reconnect_at_{};
    Clock::time_point deaf_until_{};
};

}  // namespace helio::simulation
