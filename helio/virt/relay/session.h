// RelaySession: one client and the connection to the daemon that is its own, without I/O. Bytes of
// each side go in and are cut into messages; what may pass goes out on the other side as it came. A
// call that a Policy denies is answered here and never reaches the daemon, nor does a stream open
// for it.
//
// While a call waits for the daemon's answer to a question about it (see policy.h), nothing else of
// the client is looked at: calls stay in their order. Replies, events and streams pass meanwhile.
//
// The relay is no party to what is encrypted: SASL over TCP always is, as libvirt has it, so it is
// refused where the daemon is at the end of a TCP connection.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "helio/base/bytes.h"
#include "helio/base/clock.h"
#include "helio/base/fd.h"
#include "helio/frame/length_word.h"
#include "helio/virt/relay/policy.h"

namespace helio::virt::relay {

// Calls of one client that the daemon has not answered; then the client is not read. A daemon takes
// five at a time; what is beyond waits in its socket, of which 200 KiB of calls fill the buffer.
inline constexpr std::size_t kRelayCallsUnderWayMax = 4096;
// Arguments as JSON for the audit: this much is shown, and arguments longer than this many bytes
// are not decoded for it.
inline constexpr std::size_t kRelayShownMax = 512;
inline constexpr std::size_t kRelayShownArgumentsMax = 64u << 10;

// One call, from its arrival to its end.
struct CallRecord {
    std::chrono::system_clock::time_point began;
    std::chrono::microseconds took{};
    frame::VirnetHeader header;
    const RelayProcedure* procedure = nullptr;  // null: unknown
    std::string arguments;                      // JSON; empty: see note
    bool arguments_cut = false;                 // there is more of them
    std::string note;                           // why there are none: "(70000 bytes)"
    bool allowed = true;
    std::size_t rule = 0;  // as in Judgement
    std::string reason;
    enum class End : std::uint8_t { good, error, none };  // none: the connection ended first
    End end = End::none;
    VirtError error;
};

enum class RelaySide : std::uint8_t { client, daemon };

// Whoever wants to know. Views are good while the function runs.
class RelayWatch {
 public:
    virtual ~RelayWatch() = default;
    // Every message that the client says and hears, with its length word. Descriptors are apart.
    virtual void on_message(RelaySide from, ByteView frame) = 0;
    virtual void on_call_end(const CallRecord& call) = 0;
};

// Where a session's messages go: the sockets of a pair, or the vectors of a test.
class RelayOutput {
 public:
    virtual ~RelayOutput() = default;
    // One whole message, and behind it its descriptors, each with a byte of its own.
    virtual void send(RelaySide to, ByteView frame, std::vector<Fd> descriptors) = 0;
};

struct RelaySessionOptions {
    bool show_arguments = true;            // in CallRecord
    bool watch_messages = false;           // on_message is wanted
    bool client_takes_descriptors = true;  // it is on AF_UNIX
    bool daemon_takes_descriptors = true;
};

class RelaySession final {
 public:
    using Clock = helio::Clock;

    // All of them outlive it.
    RelaySession(const Policy& policy, RelayWatch& watch, RelayOutput& output,
                 RelaySessionOptions options);
    ~RelaySession();
    RelaySession(const RelaySession&) = delete;
    RelaySession& operator=(const RelaySession&) = delete;

    struct Progress {
        std::size_t consumed = 0;  // the rest comes again, with more behind it
        std::size_t wanted = 0;    // how much it takes to go on; 0: the session is waiting
    };
    // What came of each side, and its descriptors so far, of which those used are taken. When
    // something is wrong with it, problem() says what: the pair is over.
    Progress from_client(ByteView bytes, std::vector<Fd>& descriptors);
    Progress from_daemon(ByteView bytes, std::vector<Fd>& descriptors);

    // There is no daemon: the next call of the client is told so, and then the session has ended.
    void daemon_is_unreachable(std::string why) { unreachable_ = std::move(why); }
    // The connection is over: calls under way have no reply.
    void finish();

    // The client is not looked at just now.
    bool is_waiting() const { return held_.has_value() || calls_.size() >= kRelayCallsUnderWayMax; }
    // What is written goes out, and then the pair closes.
    bool has_ended() const { return ended_; }
    const std::string& problem() const { return problem_; }

 private:
    struct PendingCall {
        CallRecord record;
        Clock::time_point began;
    };
    // A call that waits until the daemon has answered questions about it.
    struct HeldCall {
        std::vector<std::byte> frame;
        std::vector<Fd> descriptors;
        std::vector<Question> questions;
        std::size_t asked = 0;  // of questions
        std::uint32_t serial = 0;
        Answers answers;
        PendingCall call;
    };
    enum class Step : std::uint8_t { next, more };

    Step cut(ByteView bytes, std::vector<Fd>& descriptors, RelaySide from, Progress& progress);
    void take_client(ByteView frame, std::vector<Fd> descriptors);
    void take_daemon(ByteView frame, std::vector<Fd> descriptors);
    void take_call(ByteView frame, std::vector<Fd> descriptors);
    void take_reply(const frame::VirnetHeader& header, ByteView payload);
    void take_answer(const frame::VirnetHeader& header, ByteView payload);

    std::optional<VirtError> cannot_carry(const frame::VirnetHeader& header,
                                          std::size_t descriptors) const;
    void ask_next();
    void decide(Judgement judgement, PendingCall call, ByteView frame, std::vector<Fd> descriptors);
    void refuse(PendingCall call, std::string reason, const VirtError& error);
    void end_call(PendingCall& call, CallRecord::End end);
    void answer(const frame::VirnetHeader& call, const VirtError& error);
    PendingCall begin(const frame::VirnetHeader& header, ByteView arguments) const;
    void show_arguments(CallRecord& record, ByteView arguments) const;
    void broken(RelaySide from, std::string_view what);

    const Policy& policy_;
    RelayWatch& watch_;
    RelayOutput& output_;
    RelaySessionOptions options_;
    // By serial: a client that gives one to two calls has their replies told apart by nobody.
    std::unordered_multimap<std::uint32_t, PendingCall> calls_;
    std::optional<HeldCall> held_;
    std::uint32_t next_own_serial_ = 0x80000000;  // far from where clients count
    std::optional<std::string> unreachable_;
    bool ended_ = false;
    std::string problem_;
};

}  // namespace helio::virt::relay
