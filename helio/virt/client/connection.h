// ClientConnection: calls to a daemon that speaks libvirt's protocol, many in flight at a time, on
// one event loop. It is the channel of generated AsyncClients:
//
//     virt::ClientConnection connection{loop, where};
//     if (auto opened = co_await virt::open(connection, {.name = "test:///default"}); !opened) …
//     remote::REMOTE_PROTOCOL_VERSION::AsyncClient remote{connection};
//     const auto domain = co_await remote.DOMAIN_LOOKUP_BY_NAME({.name = "test"});
//     if (!domain) co_return fail(connection.failure(domain.error()));
//
// Replies come in any order. Events are passed to a handler on the loop, which may begin calls;
// nothing waits for it. Every call has a timeout. Destroying a call cancels it: its reply will be
// ignored. A lost connection stays lost, because the daemon has forgotten its state; all its calls
// fail and the loss handler is called.
//
// A daemon stops reading while five calls of a client are in flight, and then answers no keepalive
// either; so at most four are sent, and the rest wait here.
#pragma once

#include <chrono>
#include <coroutine>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "helio/base/fd.h"
#include "helio/frame/length_word.h"
#include "helio/rpc/memory.h"
#include "helio/transport/client/pending_call.h"
#include "helio/transport/loop/event_loop.h"
#include "helio/transport/socket/socket.h"
#include "helio/transport/stream/layer.h"
#include "helio/transport/stream/stream.h"
#include "helio/virt/client/failure.h"
#include "helio/virt/wire/envelope.h"
#include "helio/xdr/program.h"

namespace helio::virt {

// Longer than anybody waits at a terminal.
inline constexpr std::chrono::seconds kVirtCallTimeout{30};
// libvirt's own figures: ping after this much silence, and give up after this many unanswered
// pings.
inline constexpr std::chrono::seconds kVirtKeepaliveInterval{5};
inline constexpr unsigned kVirtKeepaliveCount = 5;
// One less than max_client_requests of libvirtd.conf, so that the daemon keeps reading.
inline constexpr std::size_t kVirtClientCallsMax = 4;
// How long a wait bypasses the loop.
inline constexpr std::chrono::milliseconds kVirtAloneMax{20};
// How long a wait polls before it sleeps. libvirtd takes longer to answer; a daemon that itself
// polls for our calls does not.
inline constexpr std::chrono::microseconds kVirtBusyPollMax{30};
// The daemon's errors for the last calls that failed, for failure().
inline constexpr std::size_t kVirtFailuresKeptMax = 64;

struct ClientConnectionOptions {
    std::chrono::milliseconds call_timeout = kVirtCallTimeout;
    std::size_t calls_max = kVirtClientCallsMax;  // sent and not answered
    std::chrono::milliseconds keepalive_interval = kVirtKeepaliveInterval;
    unsigned keepalive_count = kVirtKeepaliveCount;
    // Blocking programs poll for a reply before they sleep, as long as that pays (busy_poll.h).
    bool busy_polls = true;
    // Sees every message, in both directions, without its length.
    std::function<void(bool sent, ByteView message)> watch;
};

// A message that answers no call. The payload is valid while the handler runs.
struct EventView {
    std::uint32_t program = 0;
    std::uint32_t version = 0;
    std::uint32_t procedure = 0;
    ByteView payload;
};

class ClientCall;
class ClientStream;

class ClientConnection final : public xdr::AsyncChannel,
                               transport::Stream::Owner,
                               transport::EventLoop::Deferred {
 public:
    // Connects with the first call, to the first server that answers.
    ClientConnection(transport::EventLoop& loop, std::vector<transport::Endpoint> servers,
                     ClientConnectionOptions options = {});
    // An already connected stream: a socket, or one end of a socketpair.
    ClientConnection(transport::EventLoop& loop, Fd connected,
                     ClientConnectionOptions options = {});
    // Destroy its calls and streams first.
    ~ClientConnection() override;

    xdr::AsyncCall::Owner begin(const xdr::VersionInfo& version,
                                const xdr::ProcedureInfo& procedure) override;
    // The same for a procedure without generated code. Over AF_UNIX it may send descriptors, at
    // most VIR_NET_MESSAGE_NUM_FDS_MAX.
    xdr::AsyncCall::Owner begin(std::uint32_t program, std::uint32_t version,
                                std::uint32_t procedure, std::vector<Fd> descriptors = {});
    // The descriptors received with the reply of an ended call.
    static std::vector<Fd> take_descriptors(xdr::AsyncCall& call);

    // Instead of a coroutine: called when the call has ended in any way. It may begin calls, but
    // not destroy the connection.
    using Done = transport::PendingCall::Done;
    static void set_done(xdr::AsyncCall& call, Done done, void* self);

    // The daemon's error for a failed call; available only for recent calls.
    Failure failure(const xdr::CallError& error) const;

    // Called for every event. The handler may begin calls, but not destroy the connection.
    void set_event_handler(std::function<void(const EventView&)> handler) {
        event_ = std::move(handler);
    }
    // Called once, when the connection is lost: errno, or 0 if the daemon closed it.
    void set_loss_handler(std::function<void(int error_number)> handler) {
        lost_ = std::move(handler);
    }
    bool is_lost() const { return state_ == State::lost; }

    // Pings the daemon when it is silent; open() calls this if the daemon supports it. The daemon's
    // own pings are always answered.
    void start_keepalive();
    // Everything in flight fails as cancelled.
    void close();
    // From now on the bytes of both directions pass through this layer. Nothing may be in flight.
    void set_layer(std::unique_ptr<transport::Layer> layer);

    // For calls begun from now on.
    void set_call_timeout(std::chrono::milliseconds timeout) { options_.call_timeout = timeout; }
    std::chrono::milliseconds call_timeout() const { return options_.call_timeout; }
    // Calls begun and not ended, whether sent or not.
    std::size_t calls_under_way() const { return calls_.under_way(); }
    // For blocking programs: sends a call at once, not at the end of the loop's turn.
    void send_now(xdr::AsyncCall& call);
    // Then: waits until it has ended. If nothing else is on the loop, this waits for the socket
    // alone; work posted by other threads may wait up to kVirtAloneMax longer.
    void wait_for(xdr::AsyncCall& call);
    transport::EventLoop& loop() { return loop_; }

    struct Counters {
        std::uint64_t calls = 0;
        std::uint64_t events = 0;
        std::uint64_t pings = 0;    // sent by us
        std::uint64_t pongs = 0;    // our answers
        std::uint64_t ignored = 0;  // messages that nothing waits for
    };
    const Counters& counters() const { return counters_; }

 private:
    friend class ClientCall;
    friend class ClientStream;
    enum class State : std::uint8_t { idle, connecting, connected, lost };
    class Keepalive final : public transport::Timer {
     public:
        explicit Keepalive(ClientConnection& owner) : Timer(owner.loop_), owner_(owner) {}

     private:
        void on_time() override { owner_.check_keepalive(); }
        ClientConnection& owner_;
    };
    struct ReceivedError {
        std::uint32_t serial = 0;
        VirtError error;
    };

    void on_connected() override;
    void on_received(std::size_t size) override;
    void on_writable() override { wake_writers(); }
    void on_lost(int error_number) override { lose(error_number); }
    void on_turn_end() override;
    void lose(int error_number, xdr::Outcome outcome = xdr::Outcome::unreachable);
    void check_keepalive();

    // Sending.
    void post(const frame::VirnetHeader& header, ByteView payload);
    void queue(ClientCall& call);
    void queue_waiting();
    void put_out(ClientCall& call);
    void flush();
    void wake_writers();
    std::size_t backlog() const { return socket_.unsent(); }

    // Receiving.
    bool receive_alone();
    void cut_messages();
    bool take_message(const rpc::BufferRef& buffer, const frame::VirnetHeader& header,
                      ByteView message, std::size_t descriptors);
    void take_reply(const rpc::BufferRef& buffer, const frame::VirnetHeader& header,
                    ByteView payload, std::vector<Fd> descriptors);
    void take_stream(const rpc::BufferRef& buffer, const frame::VirnetHeader& header,
                     ByteView payload);
    void take_keepalive(const frame::VirnetHeader& header);
    void remember(std::uint32_t serial, VirtError error);

    // Calls.
    ClientCall* find(std::uint32_t serial) const;
    void take_out(ClientCall& call);
    void finish(ClientCall& call, const xdr::CallError* error);
    void recycle(ClientCall& call);

    // Streams.
    void add(ClientStream& stream);
    void remove(ClientStream& stream);
    void fail_stream(std::uint32_t serial, Failure failure);
    void abort_stream(std::uint32_t program, std::uint32_t version, std::uint32_t procedure,
                      std::uint32_t serial);
    void pause_reading(bool pause);

    transport::EventLoop& loop_;
    std::vector<transport::Endpoint> servers_;
    ClientConnectionOptions options_;
    State state_ = State::idle;
    int lost_error_ = 0;
    bool reading_ = true;
    bool at_once_ = false;  // send at once, not at the end of the turn
    transport::BusyPoll busy_poll_{kVirtBusyPollMax};

    rpc::BufferPool buffers_;
    transport::PendingCalls calls_;
    transport::Stream socket_;
    std::size_t sent_ = 0;               // calls in flight that were sent
    std::deque<std::uint32_t> waiting_;  // serials of calls not sent yet; some may have ended
    std::vector<ReceivedError> errors_;  // a ring
    std::size_t next_error_ = 0;

    std::vector<ClientStream*> streams_;
    std::vector<std::uint32_t> orphans_;  // serials of cancelled calls that may still open a stream
    std::size_t streams_full_ = 0;

    std::function<void(const EventView&)> event_;
    std::function<void(int)> lost_;
    Keepalive keepalive_{*this};
    transport::EventLoop::Clock::time_point heard_;
    unsigned unanswered_ = 0;
    Counters counters_;
};

// `co_await CallEnd{*call}`: the results of a call without generated code, or nullptr; then
// call->why() has the reason. The call must outlive the wait.
class CallEnd final {
 public:
    explicit CallEnd(xdr::AsyncCall& call) : call_(call) {}
    bool await_ready() const { return call_.finished(); }
    void await_suspend(std::coroutine_handle<> waiter) { call_.resume_when_finished(waiter); }
    xdr::Reader* await_resume() { return call_.results(); }

 private:
    xdr::AsyncCall& call_;
};

// For generated AsyncClients: sends descriptors with one call.
class WithDescriptors final : public xdr::AsyncChannel {
 public:
    WithDescriptors(ClientConnection& connection, std::vector<Fd> descriptors)
        : connection_(connection), descriptors_(std::move(descriptors)) {}
    xdr::AsyncCall::Owner begin(const xdr::VersionInfo& version,
                                const xdr::ProcedureInfo& procedure) override {
        return connection_.begin(version.program, version.version, procedure.number,
                                 std::move(descriptors_));
    }

 private:
    ClientConnection& connection_;
    std::vector<Fd> descriptors_;
};

}  // namespace helio::virt
