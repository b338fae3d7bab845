// ServerClient: a libvirt server's state for one client: its rights, whether it has opened the
// host, its streams, and a way to send it events. A service reaches it through the call:
//
//     ServerClient& client = client_of(call);
//     if (client.is_read_only() && secure) return client.deny<Result>(rpc::call_of(call));
//
// Lives on one thread, that of the client's socket; other threads use post(). A waiting call holds
// its ServerClient, which may have lost its client meanwhile: sending then does nothing.
//
// A SessionFactory makes them. Each listening socket has one, which defines the rights of that
// socket's clients.
//
//     virt::server::SessionFactory full{{}}, watching{{.read_only = true}};
//     transport::Server server{programs};
//     server.listen_unix("libvirt-sock", &full);
//     server.listen_unix("libvirt-sock-ro", &watching);
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "helio/rpc/call.h"
#include "helio/rpc/session.h"
#include "helio/virt/server/client_list.h"
#include "helio/virt/server/rules.h"
#include "helio/virt/server/stream.h"
#include "helio/virt/server/workers.h"
#include "helio/virt/wire/programs.h"
#include "helio/virt/wire/session.h"

namespace helio::virt::server {

// libvirtd pings a silent client after this time, and gives up after this many pings.
inline constexpr std::chrono::seconds kKeepaliveInterval{5};
inline constexpr unsigned kKeepaliveCount = 5;

class ServerClient;

struct ServerClientOptions {
    bool read_only = false;
    bool needs_authentication = false;  // until set_authenticated() only @noauth procedures work
    std::chrono::milliseconds keepalive_interval = kKeepaliveInterval;  // 0: never
    unsigned keepalive_count = kKeepaliveCount;
    VirnetLimits limits = {};
    // Shared by the sockets of a daemon; must outlive its server. Without them the numbers of
    // concurrent calls and clients are unlimited.
    Workers* workers = nullptr;
    ClientList* clients = nullptr;
    // A client has connected or disconnected. Called on its thread, which differs between clients.
    std::function<void(ServerClient&)> on_begin = {};
    std::function<void(ServerClient&)> on_end = {};
};

class ServerClient final : public VirnetHandler, public std::enable_shared_from_this<ServerClient> {
 public:
    ServerClient(const ServerClientOptions& options, const RuleTable& rules, const rpc::Peer& peer);
    ~ServerClient() override;
    ServerClient(const ServerClient&) = delete;
    ServerClient& operator=(const ServerClient&) = delete;

    const rpc::Peer& peer() const { return peer_; }
    // The client is still connected.
    bool is_alive() const { return session_ != nullptr; }

    // ---- Rights ----
    bool is_read_only() const { return read_only_; }
    // CONNECT_OPEN with the flag VIR_CONNECT_RO gives up the right to write for good.
    void make_read_only();
    bool is_authenticated() const { return authenticated_; }
    // `user` is the authenticated name.
    void set_authenticated(const std::string& user = {});
    // Between CONNECT_OPEN and CONNECT_CLOSE the host's procedures work.
    bool is_open() const { return open_; }
    void set_open(bool open);
    // For procedures that only some arguments deny to read-only clients (@readonly denied_if);
    // other denied calls are rejected before they reach the procedure.
    template <class T>
    T deny(rpc::Call& call) {
        return fail_call<T>(call, read_only_error(call));
    }

    // ---- Talking to the client ----

    // Sends an event: a message of `program` (kRemoteProgram) that answers no call. `encode` is the
    // generated encode_…_msg.
    template <class Message>
    void send_event(std::uint32_t program, std::uint32_t procedure,
                    bool (*encode)(xdr::Writer&, const Message&), const Message& message) {
        send_event(program, procedure, [&](xdr::Writer& out) { return encode(out, message); });
    }
    void send_event(std::uint32_t program, std::uint32_t procedure,
                    const std::function<bool(xdr::Writer&)>& encode);
    // From any thread: runs `work` on the client's thread if it is still connected.
    void post(std::function<void(ServerClient&)> work);
    // For procedures marked @stream. Packets flow once the call is answered without an error.
    // Nothing if too many are open: then fail the call.
    std::optional<StreamHandle> open_stream(const rpc::Call& call, std::unique_ptr<StreamEnd> end);
    // The client asked for feature 10, VIR_DRV_FEATURE_PROGRAM_KEEPALIVE: it answers pings.
    void start_keepalive();
    // CONNECT_CLOSE: sends the replies, then closes the connection.
    void close_after_reply();
    // At once: unsent data is lost.
    void disconnect();

    // The services' own state for this client: callbacks, names. Destroyed with the client's
    // socket, on its thread.
    std::shared_ptr<void> state;

 private:
    void on_begin(VirnetSession& session) override;
    void on_end() override;
    std::optional<VirtError> admit(const rpc::Call& call) override;
    bool begin_call(const frame::VirnetHeader& header) override;
    bool may_begin(const frame::VirnetHeader& header) const override;
    void on_complete(const rpc::Call& call, CallResult result) override;
    void on_stream(const frame::VirnetHeader& header, ByteView payload) override;
    bool has_more_output() const override { return streams_.has_output(); }
    void make_output() override { streams_.make_output(); }
    bool may_be_idle() const override { return authenticated_; }
    VirtError read_only_error(const rpc::Call& call) const;
    Priority priority_of(std::uint32_t program, std::uint32_t procedure) const;
    void on_worker_free(Priority priority);

    const ServerClientOptions& options_;
    const RuleTable& rules_;
    const rpc::Peer peer_;
    VirnetSession* session_ = nullptr;  // nullptr: the client has gone
    std::shared_ptr<rpc::SessionHandle> line_;
    Streams streams_;
    bool read_only_;
    bool authenticated_;
    bool open_ = false;
    std::uint64_t id_ = 0;  // in options_.clients
    struct WorkerUse {
        unsigned count = 0;       // workers used by its calls
        bool is_waiting = false;  // it is queued for one
    };
    WorkerUse& use_of(Priority priority) {
        return priority == Priority::high ? high_use_ : low_use_;
    }
    const WorkerUse& use_of(Priority priority) const {
        return priority == Priority::high ? high_use_ : low_use_;
    }
    WorkerUse low_use_, high_use_;
};

// For services: the client that made the call.
ServerClient& client_of(xdr::CallContext& call);

// Makes a ServerClient for each client of a socket. Outlives the transport::Server.
class SessionFactory final : public rpc::SessionFactory {
 public:
    explicit SessionFactory(ServerClientOptions options) : options_(std::move(options)) {}
    std::unique_ptr<rpc::ByteSession> make_session(rpc::Worker& worker, rpc::Session::Owner& owner,
                                                   const rpc::Peer& peer) const override;

 private:
    ServerClientOptions options_;
    // Made with the first client, when the server has its programs.
    mutable std::once_flag rules_once_;
    mutable RuleTable rules_;
};

}  // namespace helio::virt::server
