// ClientConnection: calls to a daemon that speaks libvirt's protocol, many under way at a time, on
// one event loop. Generated AsyncClients speak through it:
//
//     virt::ClientConnection connection{loop, where};
//     if (auto opened = co_await virt::open(connection, {.name = "test:///default"}); !opened) …
//     remote::REMOTE_PROTOCOL_VERSION::AsyncClient remote{connection};
//     const auto domain = co_await remote.DOMAIN_LOOKUP_BY_NAME({.name = "test"});
//     if (!domain) co_return fail(connection.failure(domain.error()));
//
// Replies come in any order. Events reach a handler on the loop, which may begin calls; nothing
// waits for it. Every call has an end in time, and one that is let go is cancelled: its reply will
// be ignored. A connection that is lost stays lost, since what the daemon knew of it is gone;
// everything under way fails, and whoever asked is told.
//
// A daemon reads no further while five calls of a client are under way, and then answers no
// keepalive either; so at most four are sent, and the rest wait here for their turn.
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

// As long as anybody looks at a terminal.
inline constexpr std::chrono::seconds kVirtCallTimeout{30};
// libvirt's own figures: a ping when nothing was heard for so long, and so many without an answer
// before the daemon is given up.
inline constexpr std::chrono::seconds kVirtKeepaliveInterval{5};
inline constexpr unsigned kVirtKeepaliveCount = 5;
// One less than max_client_requests of libvirtd.conf: so the daemon goes on reading.
inline constexpr std::size_t kVirtClientCallsMax = 4;
// So long a reply is waited for without the loop.
inline constexpr std::chrono::milliseconds kVirtAloneMax{20};
// And so long it is looked out for. libvirtd takes longer; a daemon that looks out for us does not,
// even when we slept.
inline constexpr std::chrono::microseconds kVirtBusyPollMax{30};
// What the daemon said of the last calls that failed, kept for failure().
inline constexpr std::size_t kVirtFailuresKeptMax = 64;

struct ClientConnectionOptions {
    std::chrono::milliseconds call_timeout = kVirtCallTimeout;
    std::size_t calls_max = kVirtClientCallsMax;  // sent and not answered
    std::chrono::milliseconds keepalive_interval = kVirtKeepaliveInterval;
    unsigned keepalive_count = kVirtKeepaliveCount;
    // Programs that wait look out for a reply before they sleep, while that pays (busy_poll.h).
    bool busy_polls = true;
    // Sees every message, both ways, whole and without its length.
    std::function<void(bool sent, ByteView message)> watch;
};

// A message that answers no call. The payload is a view for as long as the handler runs.
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
    // Connects with the first call, to the first of these that answers.
    ClientConnection(transport::EventLoop& loop, std::vector<transport::Endpoint> servers,
                     ClientConnectionOptions options = {});
    // A stream that is connected already: a socket, or one end of a socketpair.
    ClientConnection(transport::EventLoop& loop, Fd connected,
                     ClientConnectionOptions options = {});
    // Outlives the calls and streams made through it; destroy those first.
    ~ClientConnection() override;

    xdr::AsyncCall::Owner begin(const xdr::VersionInfo& version,
                                const xdr::ProcedureInfo& procedure) override;
    // The same for a procedure that no generated code knows. Descriptors go along over AF_UNIX, at
    // most VIR_NET_MESSAGE_NUM_FDS_MAX.
    xdr::AsyncCall::Owner begin(std::uint32_t program, std::uint32_t version,
                                std::uint32_t procedure, std::vector<Fd> descriptors = {});
    // Those that came with the reply of a call that has ended.
    static std::vector<Fd> take_descriptors(xdr::AsyncCall& call);

    // Instead of a coroutine: called when the call has ended, whatever its end. It may begin calls,
    // not destroy the connection.
    using Done = transport::PendingCall::Done;
    static void set_done(xdr::AsyncCall& call, Done done, void* self);

    // What a call's error means in the daemon's words, while it is remembered: soon after.
    Failure failure(const xdr::CallError& error) const;

    // Every event of the daemon. The handler may begin calls, not destroy the connection.
    void set_event_handler(std::function<void(const EventView&)> handler) {
        event_ = std::move(handler);
    }
    // Once, when the connection is lost: errno, or 0 when the daemon closed it.
    void set_loss_handler(std::function<void(int error_number)> handler) {
        lost_ = std::move(handler);
    }
    bool is_lost() const { return state_ == State::lost; }

    // From now on a daemon that is silent is asked whether it is there; open() does this when the
    // daemon knows how to answer. Its own questions are answered in any case.
    void start_keepalive();
    // Everything under way fails as cancelled.
    void close();
    // From now on the bytes of both directions go through this. Nothing may be under way.
    void set_layer(std::unique_ptr<transport::Layer> layer);

    // For calls begun from now on.
    void set_call_timeout(std::chrono::milliseconds timeout) { options_.call_timeout = timeout; }
    std::chrono::milliseconds call_timeout() const { return options_.call_timeout; }
    // Calls begun and not ended, sent or not.
    std::size_t calls_under_way() const { return calls_.under_way(); }
    // For programs that wait: sends a call at once, and not at the end of a turn.
    void send_now(xdr::AsyncCall& call);
    // And then: until it has ended. While nothing else is on the loop, the socket alone is waited
    // for; what other threads post to the loop may wait for kVirtAloneMax more.
    void wait_for(xdr::AsyncCall& call);
    transport::EventLoop& loop() { return loop_; }

    struct Counters {
        std::uint64_t calls = 0;
        std::uint64_t events = 0;
        std::uint64_t pings = 0;    // that we sent
        std::uint64_t pongs = 0;    // our answers
        std::uint64_t ignored = 0;  // messages that nobody waits for
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
    bool at_once_ = false;  // nothing is left to the end of the turn
    transport::BusyPoll busy_poll_{kVirtBusyPollMax};

    rpc::BufferPool buffers_;
    transport::PendingCalls calls_;
    transport::Stream socket_;
    std::size_t sent_ = 0;               // calls, of those under way
    std::deque<std::uint32_t> waiting_;  // serials of those that were not; some may have ended
    std::vector<ReceivedError> errors_;  // a ring
    std::size_t next_error_ = 0;

    std::vector<ClientStream*> streams_;
    std::vector<std::uint32_t> orphans_;  // serials of calls that may open a stream nobody wants
    std::size_t streams_full_ = 0;

    std::function<void(const EventView&)> event_;
    std::function<void(int)> lost_;
    Keepalive keepalive_{*this};
    transport::EventLoop::Clock::time_point heard_;
    unsigned unanswered_ = 0;
    Counters counters_;
};

// `co_await CallEnd{*call}`: the results of a call that no generated code knows, or nullptr, and
// call->why() says why. The call outlives the wait.
class CallEnd final {
 public:
    explicit CallEnd(xdr::AsyncCall& call) : call_(call) {}
    bool await_ready() const { return call_.finished(); }
    void await_suspend(std::coroutine_handle<> waiter) { call_.resume_when_finished(waiter); }
    xdr::Reader* await_resume() { return call_.results(); }

 private:
    xdr::AsyncCall& call_;
};

// For generated AsyncClients whose call has descriptors with it: one call through one of these.
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
