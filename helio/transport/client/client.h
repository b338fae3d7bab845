// ClientConnection: calls to one server over TCP, UDP, AF_UNIX or RDMA, many in flight at a time,
// on one event loop. It is the channel of generated AsyncClients:
//
//     transport::ClientConnection connection{loop, where, options};
//     GREETER_V1::AsyncClient greeter{connection};
//     const auto reply = co_await greeter.HELLO("you");
//
// Client: the same for blocking programs. It owns a loop and runs it while it waits.
//
//     transport::Client client = transport::Client::connect("127.0.0.1:4000");
//     const auto reply = GREETER_V1::Client{client}.HELLO("you");
//
// A broken connection is reopened, and calls that may run twice (`@idempotent`), or were never
// sent, are sent again; others fail as unreachable, since it is unknown whether they ran. Over UDP
// a call is repeated with growing intervals until its timeout: the server's duplicate cache makes
// that safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helio/frame/record_mark.h"
#include "helio/rpc/memory.h"
#include "helio/rpc/onc/onc_envelope.h"
#include "helio/transport/client/pending_call.h"
#include "helio/transport/loop/event_loop.h"
#include "helio/transport/rdma/limits.h"
#include "helio/transport/socket/socket.h"
#include "helio/transport/stream/outgoing.h"
#include "helio/transport/stream/stream.h"
#include "helio/xdr/program.h"

namespace helio::rpc {
class Server;
}

namespace helio::transport {

namespace rdma {
class Fabric;
class MemoryPool;
}  // namespace rdma

// Longer than anybody waits at a terminal.
inline constexpr std::chrono::seconds kCallTimeout{30};
// The first repetition over UDP; each one waits twice as long as the one before.
inline constexpr std::chrono::milliseconds kRetransmitFirst{500};
inline constexpr std::chrono::milliseconds kRetransmitMax{8'000};
// The delay before a broken connection is reopened: none at first, then this, doubled each time.
inline constexpr std::chrono::milliseconds kReconnectFirst{50};
inline constexpr std::chrono::milliseconds kReconnectMax{2'000};

enum class Direction : std::uint8_t { sent, received };

struct ClientOptions {
    rpc::ClientCredential credential;  // AUTH_NONE by default
    bool udp = false;
    bool reserved_port = false;  // use a port below 1024, if permitted
    bool reconnect = true;
    std::chrono::milliseconds call_timeout = kCallTimeout;
    std::chrono::milliseconds retransmit_first = kRetransmitFirst;
    frame::RecordLimits records;
    // Uses RPC-over-RDMA (RFC 8166) with this fabric instead of a socket. `udp` and `reserved_port`
    // are then ignored.
    std::shared_ptr<rdma::Fabric> fabric;
    // Over RDMA, the most data that one result may have in a field marked @bulk.
    std::size_t bulk_bytes = rdma::kRdmaBulkBytes;
    // Programs that the server may call over this connection, its back channel. They outlive the
    // connection. Streams only.
    rpc::Server* callbacks = nullptr;
    // Sees every message in both directions, without record mark: for `--show-bytes`.
    std::function<void(Direction direction, ByteView message)> watch;
};

class ClientCall;

class ClientConnection final : public xdr::AsyncChannel, Stream::Owner, EventLoop::Deferred {
 public:
    // Connects with the first call, to the first of these that answers.
    ClientConnection(EventLoop& loop, std::vector<Endpoint> servers, ClientOptions options = {});
    // A stream that is connected already; it cannot be reconnected.
    ClientConnection(EventLoop& loop, Fd connected, ClientOptions options = {});
    // Outlives the calls made through it; destroy those first.
    ~ClientConnection() override;

    xdr::AsyncCall::Owner begin(const xdr::VersionInfo& version,
                                const xdr::ProcedureInfo& procedure) override;
    // The same for a procedure without generated code.
    xdr::AsyncCall::Owner begin(std::uint32_t program, std::uint32_t version,
                                std::uint32_t procedure, bool idempotent);

    // Instead of a coroutine: called when the call has ended, however it ended; results() and why()
    // tell. For callers that count every nanosecond. It may begin calls, but must not destroy the
    // connection.
    using Done = PendingCall::Done;
    void set_done(xdr::AsyncCall& call, Done done, void* self);

    // For calls begun from now on.
    void set_call_timeout(std::chrono::milliseconds timeout) { options_.call_timeout = timeout; }
    void set_credential(rpc::ClientCredential credential);
    std::size_t calls_in_flight() const { return calls_.under_way(); }
    const Endpoint& server() const { return servers_[server_]; }

    // Over RDMA, while connected: memory for data that a caller sends in fields marked @bulk (in
    // blocks of Purpose::shared), so that it is not copied; else empty. Such data must not change
    // until the call has ended; abandoning the call closes the connection.
    std::shared_ptr<rdma::MemoryPool> payload_memory() const;
    // The bulk data of a call's results that came beside the message (RDMA), for callers that
    // decode `results()->rest()` themselves: see xdr::Reader::take_bulk_from.
    static std::span<const ByteView> bulk_of(const xdr::AsyncCall& call);

    struct Counters {
        std::uint64_t calls = 0;
        std::uint64_t retransmitted = 0;
        std::uint64_t reconnected = 0;
        std::uint64_t ignored = 0;  // replies to no call, and invalid ones
        std::uint64_t bulk_bytes_copied =
            0;  // over RDMA: data that had to be copied before sending
    };
    const Counters& counters() const { return counters_; }

 private:
    friend class ClientCall;
    class Callbacks;
    class OverUdp;
    class OverRdma;
    enum class State : std::uint8_t { idle, connecting, connected, waiting };
    class Retry final : public Timer {
     public:
        explicit Retry(ClientConnection& owner) : Timer(owner.loop_), owner_(owner) {}

     private:
        void on_time() override;
        ClientConnection& owner_;
    };

    void on_connected() override;
    void on_received(std::size_t size) override;
    void on_lost(int error_number) override;
    void on_turn_end() override;

    void connect();
    void connected();
    void disconnect(int error_number);
    void lost(int error_number);
    void fail_all(int error_number);
    void take_message(const rpc::BufferRef& buffer, ByteView message);
    void flush();
    bool is_stream() const { return !udp_; }  // RDMA is one too: calls arrive, and in order
    bool has_record_marks() const { return has_record_marks_; }

    void enqueue(ClientCall& call);
    void unqueue(ClientCall& call);
    bool has_queued() const { return stream_.unsent() > 0 || !queue_.empty(); }
    void sent(ClientCall& call);
    void finish(ClientCall& call, const xdr::CallError* error);
    void take_out(ClientCall& call);
    void let_go(ClientCall& call);
    void recycle(ClientCall& call);
    ClientCall* find(std::uint32_t xid) const;

    EventLoop& loop_;
    std::vector<Endpoint> servers_;
    std::size_t server_ = 0;
    ClientOptions options_;
    const bool has_record_marks_;
    State state_ = State::idle;
    bool was_connected_ = false;
    Retry retry_{*this};
    std::chrono::milliseconds retry_after_{0};

    rpc::BufferPool buffers_;
    frame::RecordMark framer_;
    xdr::Arena reply_arena_;  // for unusual headers
    PendingCalls calls_;
    Stream stream_;
    OutgoingQueue queue_;  // calls sent over UDP and RDMA, not over the stream
    std::unique_ptr<Callbacks> callbacks_;
    std::unique_ptr<OverUdp> udp_;
    std::unique_ptr<OverRdma> rdma_;
    Counters counters_;
};

class Client final : public xdr::Channel {
 public:
    // "host:port", "[v6]:port" or "unix:/path"; tries every address of the host. Throws
    // std::runtime_error if the text or the name is wrong; connects with the first call.
    static Client connect(std::string_view where, ClientOptions options = {});
    explicit Client(std::vector<Endpoint> servers, ClientOptions options = {});
    explicit Client(Fd connected, ClientOptions options = {});
    Client(Client&&) noexcept;
    ~Client() override;

    xdr::Writer& begin(const xdr::VersionInfo& version,
                       const xdr::ProcedureInfo& procedure) override;
    xdr::Reader* exchange() override;
    xdr::CallError why() const override;

    // Calls a procedure without generated code; the arguments are already encoded. The results are
    // valid until the next call.
    Result<ByteView, xdr::CallError> call(std::uint32_t program, std::uint32_t version,
                                          std::uint32_t procedure, ByteView arguments,
                                          bool idempotent = true);

    EventLoop& loop() { return *loop_; }
    ClientConnection& connection() { return *connection_; }

 private:
    std::unique_ptr<EventLoop> loop_;
    std::unique_ptr<ClientConnection> connection_;
    xdr::AsyncCall::Owner call_;
};

// Runs the loop until the task has ended. Returns its value, or throws the exception it ended with.
template <class T>
T run_until_done(EventLoop& loop, Task<T> task) {
    bool done = false;
    task.start([](void* flag) { *static_cast<bool*>(flag) = true; }, &done);
    while (!done) loop.turn(std::chrono::milliseconds(-1));
    return task.take();
}

}  // namespace helio::transport
