#include "helio/virt/client/client.h"

#include <cerrno>

namespace helio::virt {

namespace {

Failure cannot_connect(std::string why) {
    Failure out;
    out.call.outcome = xdr::Outcome::unreachable;
    out.call.error_number = ENOENT;
    out.error.message = std::move(why);
    return out;
}

}  // namespace

Client::Client(ConnectPlan plan)
    : plan_(std::move(plan)), loop_(std::make_unique<transport::EventLoop>()) {}

Client::~Client() {
    call_ = {};
    if (opened_ && !connection_->is_lost()) {
        // The daemon may not answer the goodbye; do not wait long.
        connection_->set_call_timeout(std::chrono::seconds(1));
        const auto said = run(say_goodbye(*connection_));
        static_cast<void>(said);
    }
}

Result<std::unique_ptr<Client>, Failure> Client::open(const Uri& uri,
                                                      ClientConnectionOptions options,
                                                      AskCredentials ask) {
    auto plan = ConnectPlan::find(uri);
    if (!plan) return fail(cannot_connect(plan.error()));
    std::unique_ptr<Client> client{new Client(std::move(*plan))};
    if (options.busy_polls) client->loop_->busy_poll(kVirtBusyPollMax);
    auto connected = client->run(client->plan_.connect(*client->loop_, std::move(options)));
    if (!connected) return fail(connected.error());
    client->connection_ = std::move(*connected);
    OpenOptions words;
    words.name = uri.name;
    words.read_only = uri.read_only;
    words.auth = uri.auth;
    if (!uri.host.empty()) words.sasl.host = uri.host;
    words.sasl.encrypts = uri.transport == Uri::Transport::tcp;
    words.sasl.ask = std::move(ask);
    auto opened = client->run(virt::open(*client->connection_, words));
    if (!opened) {
        Failure failure = opened.error();
        // "Connection reset by peer" hides that ssh failed.
        if (failure.call.outcome == xdr::Outcome::unreachable)
            if (std::string ssh = client->plan_.how_ssh_ended(); !ssh.empty())
                failure.error.message = std::move(ssh);
        return fail(failure);
    }
    client->opened_ = true;
    return client;
}

Result<std::unique_ptr<Client>, Failure> Client::open(std::string_view uri,
                                                      ClientConnectionOptions options,
                                                      AskCredentials ask) {
    const auto parsed = parse_uri(uri);
    if (!parsed) return fail(cannot_connect(parsed.error()));
    return open(*parsed, std::move(options), std::move(ask));
}

xdr::Writer& Client::begin(const xdr::VersionInfo& version, const xdr::ProcedureInfo& procedure) {
    call_ = {};
    call_ = connection_->begin(version, procedure);
    return call_->arguments();
}

xdr::Reader* Client::exchange() {
    connection_->send_now(*call_);
    connection_->wait_for(*call_);
    return call_->results();
}

xdr::CallError Client::why() const { return call_->why(); }

Result<ByteView, Failure> Client::call(std::uint32_t program, std::uint32_t version,
                                       std::uint32_t procedure, ByteView arguments) {
    call_ = {};
    call_ = connection_->begin(program, version, procedure);
    if (!call_->arguments().append(arguments)) {
        Failure out;
        out.call = {xdr::Outcome::garbage_arguments, call_->arguments().error()};
        return fail(out);
    }
    const xdr::Reader* const results = exchange();
    if (results == nullptr) return fail(failure());
    return results->rest();
}

}  // namespace helio::virt
