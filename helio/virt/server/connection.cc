#include "helio/virt/server/connection.h"

#include <fmt/format.h>

#include <utility>

#include "helio/base/assert.h"

namespace helio::virt::server {

using rpc::VirtError;

namespace {

// Procedures of the remote program that work before CONNECT_OPEN. Their numbers are for ever.
bool works_unopened(const rpc::Call& call) {
    constexpr std::uint32_t kConnectOpen = 1, kConnectClose = 2, kSupportsFeature = 60;
    if (call.program == rpc::kAdminProgram) return true;  // it opens by a procedure of its own
    if (call.program != rpc::kRemoteProgram) return false;
    return call.procedure == kConnectOpen || call.procedure == kConnectClose ||
           call.procedure == kSupportsFeature || call.info->note("noauth") != nullptr;
}

}  // namespace

Connection::Connection(const ConnectionOptions& options, const rpc::Peer& peer)
    : options_(options),
      peer_(peer),
      read_only_(options.read_only),
      authenticated_(!options.needs_authentication) {}

Connection::~Connection() = default;

void Connection::on_begin(rpc::VirnetSession& session) {
    session_ = &session;
    streams_.set_session(&session);
    line_ = session.make_line();
    if (options_.on_begin) options_.on_begin(*this);
}

void Connection::on_end() {
    session_ = nullptr;
    streams_.set_session(nullptr);
    streams_.abort_all();
    if (options_.on_end) options_.on_end(*this);
    state.reset();
}

std::optional<VirtError> Connection::admit(const rpc::Call& call) {
    if (!authenticated_ && call.info->note("noauth") == nullptr)
        return rpc::virt_error(rpc::VIR_ERR_RPC, rpc::VIR_FROM_RPC, "authentication required");
    if (!open_ && !works_unopened(call))
        return rpc::virt_error(rpc::VIR_ERR_INTERNAL_ERROR, rpc::VIR_FROM_RPC,
                               "hypervisor connection not open");
    if (read_only_) {
        const xdr::ProcedureNote* const rule = call.info->note("readonly");
        if (rule != nullptr && rule->argument == "denied") return read_only_error(call);
    }
    return std::nullopt;
}

VirtError Connection::read_only_error(const rpc::Call& call) {
    const xdr::ProcedureNote* const api = call.info != nullptr ? call.info->note("api") : nullptr;
    const std::string_view function = api != nullptr ? api->argument : call.info->short_name;
    return rpc::virt_error(rpc::VIR_ERR_OPERATION_DENIED, rpc::domain_of_function(function),
                           fmt::format("read only access prevents {}", function));
}

void Connection::on_settled(const rpc::Call& call, bool good) {
    streams_.call_settled(call.xid, good);
}

void Connection::on_stream(const rpc::VirnetHeader& header, ByteView payload) {
    streams_.receive(header, payload);
}

void Connection::send_event(std::uint32_t program, std::uint32_t procedure,
                            const std::function<bool(xdr::Writer&)>& encode) {
    constexpr std::uint32_t kEventSerial = 1;  // libvirtd's own, whatever the event
    if (session_ == nullptr) return;
    session_->send(
        {program, 1, procedure, rpc::VirnetType::message, kEventSerial, rpc::VirnetStatus::ok},
        encode);
}

void Connection::post(std::function<void(Connection&)> work) {
    if (line_ == nullptr) return;
    line_->post([self = weak_from_this(), work = std::move(work)] {
        if (const auto alive = self.lock(); alive && alive->is_alive()) work(*alive);
    });
}

std::optional<StreamHandle> Connection::open_stream(const rpc::Call& call,
                                                    std::unique_ptr<StreamEnd> end) {
    if (session_ == nullptr) return std::nullopt;
    return streams_.open({call.program, call.version, call.procedure, rpc::VirnetType::stream,
                          call.xid, rpc::VirnetStatus::more},
                         std::move(end));
}

void Connection::start_keepalive() {
    if (session_ != nullptr)
        session_->keep_alive(options_.keepalive_interval, options_.keepalive_count);
}

void Connection::close_after_reply() {
    if (session_ != nullptr) session_->end();
}

void Connection::disconnect() {
    if (session_ != nullptr) session_->hang_up();
}

Connection& connection_of(xdr::CallContext& context) {
    rpc::Call& call = rpc::call_of(context);
    HELIO_ASSERT(call.connection != nullptr);  // or the program is served over another dialect
    return static_cast<Connection&>(*call.connection);
}

std::unique_ptr<rpc::ByteSession> Dialect::make_session(rpc::Worker& worker,
                                                        rpc::Session::Owner& owner,
                                                        const rpc::Peer& peer) const {
    return std::make_unique<rpc::VirnetSession>(
        worker, owner, peer, std::make_shared<Connection>(options_, peer), options_.limits);
}

}  // namespace helio::virt::server
