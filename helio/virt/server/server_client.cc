#include "helio/virt/server/server_client.h"

#include <fmt/format.h>

#include <utility>

#include "helio/base/assert.h"

namespace helio::virt::server {

ServerClient::ServerClient(const ServerClientOptions& options, const RuleTable& rules,
                           const rpc::Peer& peer)
    : options_(options),
      rules_(rules),
      peer_(peer),
      read_only_(options.read_only),
      authenticated_(!options.needs_authentication) {}

ServerClient::~ServerClient() = default;

void ServerClient::on_begin(VirnetSession& session) {
    session_ = &session;
    streams_.set_session(&session);
    line_ = session.make_handle();
    if (options_.clients != nullptr) {
        id_ = options_.clients->add(shared_from_this(), authenticated_);
        // Later: the owner of the socket is still accepting it.
        if (id_ == 0) post([](ServerClient& one) { one.disconnect(); });
    }
    if (options_.on_begin) options_.on_begin(*this);
}

void ServerClient::on_end() {
    session_ = nullptr;
    streams_.set_session(nullptr);
    streams_.abort_all();
    if (options_.on_end) options_.on_end(*this);
    state.reset();
    if (options_.clients != nullptr) options_.clients->remove(id_);
    if (options_.workers == nullptr) return;
    // Calls that still wait release their workers.
    for (const Priority priority : {Priority::low, Priority::high})
        for (unsigned& count = use_of(priority).count; count > 0; --count)
            options_.workers->give_back(priority);
    options_.workers->wake_next();
}

void ServerClient::make_read_only() {
    read_only_ = true;
    if (options_.clients != nullptr) options_.clients->set_read_only(id_);
}

void ServerClient::set_authenticated(const std::string& user) {
    authenticated_ = true;
    if (options_.clients != nullptr) options_.clients->set_authenticated(id_, user);
}

void ServerClient::set_open(bool open) {
    open_ = open;
    if (open && options_.clients != nullptr) options_.clients->set_opened(id_);
}

// ---- Workers ----

Priority ServerClient::priority_of(std::uint32_t program, std::uint32_t procedure) const {
    const ProcedureRules* const rules = rules_.find(program, procedure);
    return rules != nullptr && rules->high_priority ? Priority::high : Priority::low;
}

// True even with no free worker if we are not queued yet: begin_call() is what queues us. Otherwise
// a worker taken between wake-up and retry would be a lost wake-up.
bool ServerClient::may_begin(const frame::VirnetHeader& header) const {
    if (options_.workers == nullptr) return true;
    const Priority priority = priority_of(header.program, header.procedure);
    return !use_of(priority).is_waiting || options_.workers->has_free(priority);
}

bool ServerClient::begin_call(const frame::VirnetHeader& header) {
    if (options_.workers == nullptr) return true;
    const Priority priority = priority_of(header.program, header.procedure);
    bool taken = options_.workers->take(priority);
    if (!taken) [[unlikely]] {
        if (!std::exchange(use_of(priority).is_waiting, true))
            options_.workers->wait(priority, [self = weak_from_this(), priority] {
                const auto alive = self.lock();
                if (alive)
                    alive->post([priority](ServerClient& one) { one.on_worker_free(priority); });
            });
        taken = options_.workers->take(priority);
    }
    if (taken) ++use_of(priority).count;
    return taken;
}

void ServerClient::on_worker_free(Priority priority) {
    use_of(priority).is_waiting = false;
    if (!session_->has_runnable_calls()) return options_.workers->wake_next();
    session_->wake();
    // If the client does not read its replies, its calls cannot run yet and it retries when it
    // reads. Until then, let others use the worker.
    post([](ServerClient& one) {
        if (one.session_->has_runnable_calls()) one.options_.workers->wake_next();
    });
}

// ---- Calls ----

std::optional<VirtError> ServerClient::admit(const rpc::Call& call) {
    const ProcedureRules* const rules = rules_.find(call.program, call.procedure);
    if (rules == nullptr || rules->is_event)
        return virt_error_of(call, {rpc::Refusal::Kind::procedure_unavailable});
    if (options_.clients != nullptr && id_ == 0)  // it is about to be disconnected
        return virt_error(VIR_ERR_OPERATION_FAILED, VIR_FROM_RPC, "too many clients are connected");
    if (!authenticated_ && rules->needs_authentication)
        return virt_error(VIR_ERR_RPC, VIR_FROM_RPC, "authentication required");
    if (!open_ && rules->needs_open)
        return virt_error(VIR_ERR_INTERNAL_ERROR, VIR_FROM_RPC, "hypervisor connection not open");
    if (read_only_ && rules->readers == ProcedureRules::Readers::denied)
        return read_only_error(call);
    return std::nullopt;
}

VirtError ServerClient::read_only_error(const rpc::Call& call) const {
    const ProcedureRules* const rules = rules_.find(call.program, call.procedure);
    const std::string_view function = rules != nullptr ? rules->function : "the call";
    return virt_error(VIR_ERR_OPERATION_DENIED, domain_of_function(function),
                      fmt::format("read only access prevents {}", function));
}

void ServerClient::on_complete(const rpc::Call& call, CallResult result) {
    streams_.call_completed(call.xid, result);
    if (options_.workers == nullptr) return;
    const Priority priority = priority_of(call.program, call.procedure);
    HELIO_ASSERT(use_of(priority).count > 0);
    --use_of(priority).count;
    options_.workers->give_back(priority);
}

void ServerClient::on_stream(const frame::VirnetHeader& header, ByteView payload) {
    streams_.receive(header, payload);
}

void ServerClient::send_event(std::uint32_t program, std::uint32_t procedure,
                              const std::function<bool(xdr::Writer&)>& encode) {
    constexpr std::uint32_t kEventSerial = 1;  // libvirtd's own, whatever the event
    if (session_ == nullptr) return;
    session_->send(
        {program, 1, procedure, frame::VirnetType::message, kEventSerial, frame::VirnetStatus::ok},
        encode);
}

void ServerClient::post(std::function<void(ServerClient&)> work) {
    if (line_ == nullptr) return;
    line_->post([self = weak_from_this(), work = std::move(work)] {
        if (const auto alive = self.lock(); alive && alive->is_alive()) work(*alive);
    });
}

std::optional<StreamHandle> ServerClient::open_stream(const rpc::Call& call,
                                                      std::unique_ptr<StreamEnd> end) {
    if (session_ == nullptr) return std::nullopt;
    return streams_.open({call.program, call.version, call.procedure, frame::VirnetType::stream,
                          call.xid, frame::VirnetStatus::more},
                         std::move(end));
}

void ServerClient::start_keepalive() {
    if (session_ != nullptr)
        session_->keep_alive(options_.keepalive_interval, options_.keepalive_count);
}

void ServerClient::close_after_reply() {
    if (session_ != nullptr) session_->end();
}

void ServerClient::disconnect() {
    if (session_ != nullptr) session_->hang_up();
}

ServerClient& client_of(xdr::CallContext& context) {
    return static_cast<ServerClient&>(*virt_call_of(context).connection);
}

std::unique_ptr<rpc::ByteSession> SessionFactory::make_session(rpc::Worker& worker,
                                                               rpc::Session::Owner& owner,
                                                               const rpc::Peer& peer) const {
    std::call_once(rules_once_, [&] { rules_ = RuleTable{worker.server().programs()}; });
    return std::make_unique<VirnetSession>(worker, owner, peer,
                                           std::make_shared<ServerClient>(options_, rules_, peer),
                                           options_.limits);
}

}  // namespace helio::virt::server
