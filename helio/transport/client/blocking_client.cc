// Client: a ClientConnection for blocking programs.
#include <stdexcept>

#include "helio/transport/client/client.h"

namespace helio::transport {

Client::Client(std::vector<Endpoint> servers, ClientOptions options)
    : loop_(std::make_unique<EventLoop>()),
      connection_(
          std::make_unique<ClientConnection>(*loop_, std::move(servers), std::move(options))) {}

Client::Client(Fd connected, ClientOptions options)
    : loop_(std::make_unique<EventLoop>()),
      connection_(
          std::make_unique<ClientConnection>(*loop_, std::move(connected), std::move(options))) {}

Client::Client(Client&&) noexcept = default;
Client::~Client() = default;

Client Client::connect(std::string_view where, ClientOptions options) {
    constexpr std::string_view kUnix = "unix:";
    if (where.starts_with(kUnix))
        return Client{{Endpoint::unix_path(where.substr(kUnix.size()))}, std::move(options)};
    const auto parsed = parse_host_port(where);
    if (!parsed) throw std::runtime_error(parsed.error());
    auto found = resolve(parsed->host.empty() ? "localhost" : parsed->host, parsed->port);
    if (!found) throw std::runtime_error(found.error());
    return Client{std::move(*found), std::move(options)};
}

xdr::Writer& Client::begin(const xdr::VersionInfo& version, const xdr::ProcedureInfo& procedure) {
    call_ = {};
    call_ = connection_->begin(version, procedure);
    return call_->arguments();
}

xdr::Reader* Client::exchange() {
    call_->send();
    while (!call_->finished()) loop_->turn(std::chrono::milliseconds(-1));
    return call_->results();
}

xdr::CallError Client::why() const { return call_->why(); }

Result<ByteView, xdr::CallError> Client::call(std::uint32_t program, std::uint32_t version,
                                              std::uint32_t procedure, ByteView arguments,
                                              bool idempotent) {
    call_ = {};
    call_ = connection_->begin(program, version, procedure, idempotent);
    if (!call_->arguments().append(arguments))
        return fail(xdr::CallError{xdr::Outcome::garbage_arguments, call_->arguments().error()});
    const xdr::Reader* const results = exchange();
    if (results == nullptr) return fail(why());
    return results->rest();
}

}  // namespace helio::transport
