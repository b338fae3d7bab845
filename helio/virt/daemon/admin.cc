#include "helio/virt/daemon/admin.h"

#include <pwd.h>

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "helio/virt/daemon/wire_internal.h"
#include "schema/admin_service.h"

namespace helio::virt::daemon {

namespace {

using namespace helio::admin;

// Error codes that no other program here needs.
constexpr int kErrNoServer = 95, kErrNoClient = 96;
constexpr std::uint64_t kAdminLibraryVersion = 12'006'000;  // of the schema: 12.6.0
constexpr std::string_view kDaemonName = "libvirtd", kAdminName = "admin";
// The highest limit that an administrator may set.
constexpr std::uint64_t kSettableMax = 1'000'000;

class AdminParams final {
 public:
    void add(std::string_view field, unsigned value) {
        items_.push_back({.field = field, .value = admin_typed_param_value::of_ui(value)});
    }
    void add(std::string_view field, std::size_t value) {
        add(field, static_cast<unsigned>(std::min<std::size_t>(value, 0xffffffff)));
    }
    void add_int(std::string_view field, int value) {
        items_.push_back({.field = field, .value = admin_typed_param_value::of_i(value)});
    }
    void add_flag(std::string_view field, bool value) {
        items_.push_back({.field = field, .value = admin_typed_param_value::of_b(value ? 1 : 0)});
    }
    void add_text(xdr::CallContext& call, std::string_view field, std::string_view text) {
        items_.push_back(
            {.field = field, .value = admin_typed_param_value::of_s(kept(call, text))});
    }
    xdr::Array<admin_typed_param> take(xdr::CallContext& call) { return kept(call, items_); }

 private:
    std::vector<admin_typed_param> items_;
};

std::uint32_t uid_of(const rpc::Peer& peer) {
    std::uint32_t uid = 0;
    std::memcpy(&uid, peer.client.bytes.data(), sizeof uid);
    return uid;
}

std::string user_name(std::uint32_t uid) {
    std::array<char, 4096> room;
    passwd entry{};
    passwd* found = nullptr;
    if (getpwuid_r(uid, &entry, room.data(), room.size(), &found) != 0 || found == nullptr)
        return std::to_string(uid);
    return found->pw_name;
}

using Context = const Administration::Context;

template <class T>
T failed(xdr::CallContext& call, int code, std::string message) {
    return fail_call<T>(call,
                        {.code = code, .domain = VIR_FROM_RPC, .message = std::move(message)});
}
template <class T>
T invalid(xdr::CallContext& call, std::string_view why) {
    return fail_call<T>(call, virt_error(VIR_ERR_INVALID_ARG, VIR_FROM_ADMIN, why));
}

// nullptr: there is no such server, and the call has failed.
server::ClientList* clients_of(Context& context, xdr::CallContext& call, std::string_view server) {
    if (server == kDaemonName) return &context.clients;
    if (server == kAdminName) return &context.administrators;
    failed<void>(call, kErrNoServer, fmt::format("Server not found: No server named '{}'", server));
    return nullptr;
}

std::optional<server::ClientList::Entry> client(Context& context, xdr::CallContext& call,
                                                std::string_view server, std::uint64_t id) {
    const server::ClientList* const clients = clients_of(context, call, server);
    if (clients == nullptr) return std::nullopt;
    auto found = clients->find(id);
    if (!found)
        failed<void>(call, kErrNoClient,
                     fmt::format("Client not found: No client with matching ID '{}'", id));
    return found;
}

admin_nonnull_client to_wire(const server::ClientList::Entry& entry, std::string_view server) {
    constexpr unsigned kTransportUnix = 0, kTransportTcp = 1;  // virClientTransport
    const auto since =
        std::chrono::duration_cast<std::chrono::seconds>(entry.since.time_since_epoch());
    return {
        .srv = {.name = server},
        .id = entry.id,
        .timestamp = since.count(),
        .transport = entry.peer.transport == rpc::Transport::tcp ? kTransportTcp : kTransportUnix};
}

// ---- The connection ----

void connect_open(Context&, xdr::CallContext& call, const admin_connect_open_args& args) {
    if (args.flags != 0) return invalid<void>(call, "unsupported flags");
    server::client_of(call).set_open(true);
}

void connect_close(Context&, xdr::CallContext& call) {
    server::client_of(call).close_after_reply();
}

admin_connect_get_lib_version_ret connect_get_lib_version(Context&, xdr::CallContext&) {
    return {.libVer = kAdminLibraryVersion};
}

admin_connect_list_servers_ret connect_list_servers(Context&, xdr::CallContext& call,
                                                    const admin_connect_list_servers_args& args) {
    const std::vector<admin_nonnull_server> both{{.name = kAdminName}, {.name = kDaemonName}};
    if (args.need_results == 0) return {.servers = {}, .ret = 2};
    return {.servers = kept(call, both), .ret = 2};
}

admin_connect_lookup_server_ret connect_lookup_server(
    Context& context, xdr::CallContext& call, const admin_connect_lookup_server_args& args) {
    if (clients_of(context, call, args.name) == nullptr) return {};
    return {.srv = {.name = args.name}};
}

// ---- Workers ----

admin_server_get_threadpool_parameters_ret server_get_threadpool_parameters(
    Context& context, xdr::CallContext& call,
    const admin_server_get_threadpool_parameters_args& args) {
    if (clients_of(context, call, args.srv.name) == nullptr) return {};
    server::Workers::Figures now;
    now.workers = 1;  // the administration's own
    if (args.srv.name == kDaemonName) now = context.workers.figures();
    const unsigned borrowed = now.busy_high > now.priority ? now.busy_high - now.priority : 0;
    const unsigned busy = std::min(now.busy_low + borrowed, now.workers);
    AdminParams params;
    params.add("minWorkers", now.workers);
    params.add("maxWorkers", now.workers);
    params.add("nWorkers", now.workers);
    params.add("freeWorkers", now.workers - busy);
    params.add("prioWorkers", now.priority);
    params.add("jobQueueDepth", now.waiting);
    return {.params = params.take(call)};
}

std::optional<std::uint64_t> settable(xdr::CallContext& call, const admin_typed_param& param) {
    if (param.value.has_ui() && param.value.ui() <= kSettableMax) return param.value.ui();
    invalid<void>(call, fmt::format("{} must be a number up to {}", param.field, kSettableMax));
    return std::nullopt;
}

void server_set_threadpool_parameters(Context& context, xdr::CallContext& call,
                                      const admin_server_set_threadpool_parameters_args& args) {
    if (clients_of(context, call, args.srv.name) == nullptr) return;
    if (args.srv.name != kDaemonName) return invalid<void>(call, "this server has one worker");
    const server::Workers::Figures now = context.workers.figures();
    std::uint64_t least = 0, most = now.workers, priority = now.priority;
    for (const admin_typed_param& one : args.params) {
        const auto number = settable(call, one);
        if (!number) return;
        if (one.field == "maxWorkers")
            most = *number;
        else if (one.field == "minWorkers")
            least = *number;
        else if (one.field == "prioWorkers")
            priority = *number;
        else
            return invalid<void>(call, fmt::format("'{}' cannot be set", one.field));
    }
    if (least > most) return invalid<void>(call, "minWorkers must not be larger than maxWorkers");
    if (most == 0) return invalid<void>(call, "maxWorkers must be larger than 0");
    context.workers.set_limits(static_cast<unsigned>(most), static_cast<unsigned>(priority));
}

// ---- Clients ----

admin_server_list_clients_ret server_list_clients(Context& context, xdr::CallContext& call,
                                                  const admin_server_list_clients_args& args) {
    const server::ClientList* const clients = clients_of(context, call, args.srv.name);
    if (clients == nullptr) return {};
    std::vector<admin_nonnull_client> all;
    for (const server::ClientList::Entry& one : clients->list()) {
        if (all.size() == ADMIN_CLIENT_LIST_MAX) break;
        all.push_back(to_wire(one, args.srv.name));
    }
    const auto count = static_cast<std::uint32_t>(all.size());
    if (args.need_results == 0) return {.clients = {}, .ret = count};
    return {.clients = kept(call, all), .ret = count};
}

admin_server_lookup_client_ret server_lookup_client(Context& context, xdr::CallContext& call,
                                                    const admin_server_lookup_client_args& args) {
    const auto found = client(context, call, args.srv.name, args.id);
    if (!found) return {};
    return {.clnt = to_wire(*found, args.srv.name)};
}

admin_client_get_info_ret client_get_info(Context& context, xdr::CallContext& call,
                                          const admin_client_get_info_args& args) {
    const auto found = client(context, call, args.clnt.srv.name, args.clnt.id);
    if (!found) return {};
    AdminParams params;
    params.add_flag("readonly", found->read_only);
    if (!found->user.empty()) params.add_text(call, "sasl_user_name", found->user);
    if (found->peer.transport == rpc::Transport::local) {
        const std::uint32_t uid = uid_of(found->peer);
        params.add_int("unix_user_id", static_cast<int>(uid));
        params.add_text(call, "unix_user_name", user_name(uid));
    } else {
        params.add_text(call, "sock_addr", rpc::to_text(found->peer));
    }
    return {.params = params.take(call)};
}

void client_close(Context& context, xdr::CallContext& call, const admin_client_close_args& args) {
    const auto found = client(context, call, args.clnt.srv.name, args.clnt.id);
    if (!found) return;
    if (const auto alive = found->connection.lock())
        alive->post([](server::ServerClient& one) { one.disconnect(); });
}

admin_server_get_client_limits_ret server_get_client_limits(
    Context& context, xdr::CallContext& call, const admin_server_get_client_limits_args& args) {
    const server::ClientList* const clients = clients_of(context, call, args.srv.name);
    if (clients == nullptr) return {};
    const server::ClientList::Limits limits = clients->limits();
    const server::ClientList::Figures now = clients->figures();
    AdminParams params;
    params.add("nclients_max", limits.clients);
    params.add("nclients", now.clients);
    params.add("nclients_unauth_max", limits.anonymous);
    params.add("nclients_unauth", now.anonymous);
    return {.params = params.take(call)};
}

void server_set_client_limits(Context& context, xdr::CallContext& call,
                              const admin_server_set_client_limits_args& args) {
    server::ClientList* const clients = clients_of(context, call, args.srv.name);
    if (clients == nullptr) return;
    server::ClientList::Limits limits = clients->limits();
    for (const admin_typed_param& one : args.params) {
        const auto number = settable(call, one);
        if (!number) return;
        if (one.field == "nclients_max")
            limits.clients = *number;
        else if (one.field == "nclients_unauth_max")
            limits.anonymous = *number;
        else
            return invalid<void>(call, fmt::format("'{}' cannot be set", one.field));
    }
    if (limits.clients == 0) return invalid<void>(call, "nclients_max must be larger than 0");
    if (limits.anonymous > limits.clients)
        return invalid<void>(call, "nclients_unauth_max must not be larger than nclients_max");
    clients->set_limits(limits);
}

// ---- The log ----

// Accepts LEVEL:stderr and nothing else: there is no other log. An empty text restores the default.
void connect_set_logging_outputs(Context& context, xdr::CallContext& call,
                                 const admin_connect_set_logging_outputs_args& args) {
    const std::string_view text = args.outputs != nullptr ? *args.outputs : std::string_view();
    if (text.empty()) {
        context.log_level = kLogWarning;
        return;
    }
    if (text.size() != 8 || text.substr(1) != ":stderr" || text[0] < '1' || text[0] > '4')
        return invalid<void>(call, "log outputs must be LEVEL:stderr, with a level from 1 to 4");
    context.log_level = static_cast<unsigned>(text[0] - '0');
}

admin_connect_get_logging_outputs_ret connect_get_logging_outputs(
    Context& context, xdr::CallContext& call, const admin_connect_get_logging_outputs_args&) {
    return {.outputs = kept(call, fmt::format("{}:stderr", context.log_level.load())),
            .noutputs = 1};
}

admin_connect_get_logging_filters_ret connect_get_logging_filters(
    Context&, xdr::CallContext&, const admin_connect_get_logging_filters_args&) {
    return {};
}

// There is only one kind of line, so there is nothing to filter by.
void connect_set_logging_filters(Context&, xdr::CallContext& call,
                                 const admin_connect_set_logging_filters_args& args) {
    if (args.filters != nullptr && !args.filters->empty())
        fail_call<void>(call, virt_error(VIR_ERR_OPERATION_UNSUPPORTED, VIR_FROM_ADMIN,
                                         "this daemon has no log filters"));
}

constexpr ADMIN_PROTOCOL_VERSION::Table<Context> kTable{
    .CONNECT_OPEN = connect_open,
    .CONNECT_CLOSE = connect_close,
    .CONNECT_GET_LIB_VERSION = connect_get_lib_version,
    .CONNECT_LIST_SERVERS = connect_list_servers,
    .CONNECT_LOOKUP_SERVER = connect_lookup_server,
    .SERVER_GET_THREADPOOL_PARAMETERS = server_get_threadpool_parameters,
    .SERVER_SET_THREADPOOL_PARAMETERS = server_set_threadpool_parameters,
    .SERVER_LIST_CLIENTS = server_list_clients,
    .SERVER_LOOKUP_CLIENT = server_lookup_client,
    .CLIENT_GET_INFO = client_get_info,
    .CLIENT_CLOSE = client_close,
    .SERVER_GET_CLIENT_LIMITS = server_get_client_limits,
    .SERVER_SET_CLIENT_LIMITS = server_set_client_limits,
    .CONNECT_GET_LOGGING_OUTPUTS = connect_get_logging_outputs,
    .CONNECT_GET_LOGGING_FILTERS = connect_get_logging_filters,
    .CONNECT_SET_LOGGING_OUTPUTS = connect_set_logging_outputs,
    .CONNECT_SET_LOGGING_FILTERS = connect_set_logging_filters,
};

}  // namespace

Administration::Administration(const Context& context)
    : context_(context),
      service_(std::make_unique<ADMIN_PROTOCOL_VERSION::TableService<const Context>>(context_,
                                                                                     kTable)) {}
Administration::~Administration() = default;
void Administration::add_to(rpc::Server& server) { server.add(*service_); }

}  // namespace helio::virt::daemon
