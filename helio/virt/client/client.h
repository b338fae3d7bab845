// Client: a blocking client for the daemon at a URI. It owns an event loop and runs it while it
// waits; generated blocking Clients use it as their channel, and coroutines run on it.
//
//     auto client = virt::Client::open("test+unix:///default?socket=/tmp/sock");
//     if (!client) die(to_text(client.error()));
//     remote::REMOTE_PROTOCOL_VERSION::Client remote{**client};
//     const auto host = remote.CONNECT_GET_HOSTNAME();
//     if (!host) die(to_text((*client)->failure()));
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helio/transport/client/client.h"
#include "helio/virt/client/connect/open.h"
#include "helio/virt/client/connect/tls.h"
#include "helio/virt/client/connect/uri.h"
#include "helio/virt/client/connection.h"

namespace helio::virt {

// Everything needed to open a stream to the daemon: addresses, certificates, or a running ssh.
class ConnectPlan final {
 public:
    // The error says why there is none: an unknown host, an ssh that does not start.
    static Result<ConnectPlan, std::string> find(const Uri& uri);
    ConnectPlan(ConnectPlan&& other) noexcept;
    ConnectPlan& operator=(ConnectPlan&& other) noexcept;
    ~ConnectPlan();  // terminates ssh

    // Call once. Over TLS it completes after both ends have verified their certificates; otherwise
    // it connects with the first call. The plan must outlive the task.
    using Connected = Result<std::unique_ptr<ClientConnection>, Failure>;
    Task<Connected> connect(transport::EventLoop& loop, ClientConnectionOptions options);
    // After the connection was lost: how ssh ended, with its command, as a sentence. Empty without
    // ssh, or if it is still running.
    std::string how_ssh_ended();

 private:
    ConnectPlan() = default;
    std::vector<transport::Endpoint> servers_;
    Fd connected_;
    int ssh_ = -1;  // pid
    std::string ssh_command_;
    std::optional<Tls::Options> tls_;
};

class Client final : public xdr::Channel {
 public:
    // Connects, authenticates and opens. `ask` is for daemons that require SASL.
    static Result<std::unique_ptr<Client>, Failure> open(const Uri& uri,
                                                         ClientConnectionOptions options = {},
                                                         AskCredentials ask = {});
    static Result<std::unique_ptr<Client>, Failure> open(std::string_view uri,
                                                         ClientConnectionOptions options = {},
                                                         AskCredentials ask = {});
    ~Client() override;

    xdr::Writer& begin(const xdr::VersionInfo& version,
                       const xdr::ProcedureInfo& procedure) override;
    xdr::Reader* exchange() override;
    xdr::CallError why() const override;
    // Why the last call failed, in the daemon's words.
    Failure failure() const { return connection_->failure(why()); }

    // Calls a procedure without generated code; the arguments are already encoded. The results are
    // valid until the next call.
    Result<ByteView, Failure> call(std::uint32_t program, std::uint32_t version,
                                   std::uint32_t procedure, ByteView arguments);

    // Runs a coroutine over connection() to its end.
    template <class T>
    T run(Task<T> task) {
        return transport::run_until_done(*loop_, std::move(task));
    }
    transport::EventLoop& loop() { return *loop_; }
    ClientConnection& connection() { return *connection_; }

 private:
    explicit Client(ConnectPlan plan);

    ConnectPlan plan_;
    std::unique_ptr<transport::EventLoop> loop_;
    std::unique_ptr<ClientConnection> connection_;
    bool opened_ = false;
    xdr::AsyncCall::Owner call_;
};

}  // namespace helio::virt
