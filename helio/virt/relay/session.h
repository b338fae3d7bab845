// RelaySession: one client and its connection to the daemon, without I/O. Each side's bytes are
// split into messages; those that may pass go to the other side unchanged. A call that a Policy
// denies is answered here; it never reaches the daemon, and opens no stream.
//
// While a call waits for the daemon's answer to a question about it (see policy.h), the client's
// further messages wait, so calls stay in order. Replies, events and streams still pass.
//
// A reply belongs to the call with its serial. A call with the same serial as an unanswered call is
// refused.
//
// The relay cannot read encrypted messages. SASL over TCP always encrypts in libvirt, so it is
// refused if the daemon is reached over TCP.
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

// Unanswered calls of one client; beyond it the client is not read. A daemon takes five at a time;
// the others wait in its socket, whose buffer holds about 200 KiB of calls.
inline constexpr std::size_t kRelayCallsUnderWayMax = 4096;
// Arguments as JSON for the audit: the size shown, and the largest arguments that are decoded for
// it.
inline constexpr std::size_t kRelayShownMax = 512;
inline constexpr std::size_t kRelayShownArgumentsMax = 64u << 10;

// One call, from its arrival to its end.
struct CallRecord {
    std::chrono::system_clock::time_point began;
    std::chrono::microseconds took{};
    frame::VirnetHeader header;
    const RelayProcedure* procedure = nullptr;  // null: unknown
    std::string arguments;                      // JSON; empty: see note
    bool arguments_cut = false;                 // not all of them are shown
    std::string note;                           // why there are none: "(70000 bytes)"
    bool allowed = true;
    std::size_t rule = 0;  // as in Judgement
    std::string reason;
    enum class End : std::uint8_t { good, error, none };  // none: the connection ended first
    End end = End::none;
    VirtError error;
};

enum class RelaySide : std::uint8_t { client, daemon };

// Callbacks. Views are valid during the call.
class RelayWatch {
 public:
    virtual ~RelayWatch() = default;
    // Every message to or from the client, with its length word, without descriptors.
    virtual void on_message(RelaySide from, ByteView frame) = 0;
    virtual void on_call_end(const CallRecord& call) = 0;
};

// Receives a session's messages: the sockets of a pair, or a test's vectors.
class RelayOutput {
 public:
    virtual ~RelayOutput() = default;
    // One complete message, followed by its descriptors, each with its own byte.
    virtual void send(RelaySide to, ByteView frame, std::vector<Fd> descriptors) = 0;
};

struct RelaySessionOptions {
    bool show_arguments = true;            // in CallRecord
    bool watch_messages = false;           // on_message is called
    bool client_takes_descriptors = true;  // it is on AF_UNIX
    bool daemon_takes_descriptors = true;
};

class RelaySession final {
 public:
    using Clock = helio::Clock;

    // The arguments must outlive it.
    RelaySession(const Policy& policy, RelayWatch& watch, RelayOutput& output,
                 RelaySessionOptions options);
    ~RelaySession();
    RelaySession(const RelaySession&) = delete;
    RelaySession& operator=(const RelaySession&) = delete;

    struct Progress {
        std::size_t consumed = 0;  // pass the rest again, with more after it
        std::size_t wanted = 0;    // bytes needed to continue; 0: the session is waiting
    };
    // Bytes from each side and the descriptors received so far, from which it takes those it uses.
    // After an error, problem() is set and the pair must close.
    Progress from_client(ByteView bytes, std::vector<Fd>& descriptors);
    Progress from_daemon(ByteView bytes, std::vector<Fd>& descriptors);

    // There is no daemon: the client's next call gets this error, then the session ends.
    void daemon_is_unreachable(std::string why) { unreachable_ = std::move(why); }
    // The connection has ended: calls in flight get no reply.
    void finish();

    // True while the client's messages wait.
    bool is_waiting() const { return held_.has_value() || calls_.size() >= kRelayCallsUnderWayMax; }
    // Send what is queued, then close the pair.
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
    // By serial. Replies to two calls with the same serial could not be told apart, and the audit
    // would give one call the outcome of the other: the second is refused.
    std::unordered_map<std::uint32_t, PendingCall> calls_;
    std::optional<HeldCall> held_;
    std::uint32_t next_own_serial_ = 0x80000000;  // far from the clients' serials
    std::optional<std::string> unreachable_;
    bool ended_ = false;
    std::string problem_;
};

}  // namespace helio::virt::relay
