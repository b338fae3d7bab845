// Authentication: the procedures that a client calls first.
#include "helio/virt/daemon/auth/sasl_internal.h"
#include "helio/virt/daemon/procedures_internal.h"

namespace helio::virt::daemon {

using namespace helio::remote;

namespace {

template <class Returned>
Returned login_failed(xdr::CallContext& call) {
    client_state(server::client_of(call)).login.reset();
    return fail_call<Returned>(
        call, virt_error(VIR_ERR_AUTH_FAILED, VIR_FROM_RPC, "authentication failed"));
}

template <class Arguments>
SaslLogin::Data login_data(const Arguments& args) {
    if (args.nil != 0) return {};
    return std::string(args.data.begin(), args.data.end());
}

// The reply to the first step and to all others.
template <class Returned>
Returned login_reply(xdr::CallContext& call,
                     const Result<SaslLogin::SaslReply, std::string>& said) {
    if (!said) return login_failed<Returned>(call);
    server::ServerClient& client = server::client_of(call);
    if (said->complete) {
        client.set_authenticated(client_state(client).login->user());
        client_state(client).login.reset();
    }
    Returned out{.complete = said->complete ? 1 : 0, .nil = said->data ? 0 : 1, .data = {}};
    if (said->data)
        out.data = kept(call, std::vector<std::int8_t>(said->data->begin(), said->data->end()));
    return out;
}

remote_auth_list_ret auth_list(Context&, xdr::CallContext& call) {
    static constexpr remote_auth_type kNone[] = {remote_auth_type::REMOTE_AUTH_NONE};
    static constexpr remote_auth_type kSasl[] = {remote_auth_type::REMOTE_AUTH_SASL};
    return {.types = {server::client_of(call).is_authenticated() ? kNone : kSasl, 1}};
}

remote_auth_sasl_init_ret auth_sasl_init(Context&, xdr::CallContext& call) {
    using Returned = remote_auth_sasl_init_ret;
    server::ServerClient& client = server::client_of(call);
    ClientState& state = client_state(client);
    if (client.is_authenticated() || state.login != nullptr) return login_failed<Returned>(call);
    auto login = begin_login();
    if (!login) return login_failed<Returned>(call);
    state.login = std::move(*login);
    return {.mechlist = kept(call, state.login->mechanisms())};
}

remote_auth_sasl_start_ret auth_sasl_start(Context&, xdr::CallContext& call,
                                           const remote_auth_sasl_start_args& args) {
    using Returned = remote_auth_sasl_start_ret;
    const auto& login = client_state(server::client_of(call)).login;
    if (login == nullptr) return login_failed<Returned>(call);
    return login_reply<Returned>(call, login->start(std::string(args.mech), login_data(args)));
}

remote_auth_sasl_step_ret auth_sasl_step(Context&, xdr::CallContext& call,
                                         const remote_auth_sasl_step_args& args) {
    using Returned = remote_auth_sasl_step_ret;
    const auto& login = client_state(server::client_of(call)).login;
    if (login == nullptr) return login_failed<Returned>(call);
    return login_reply<Returned>(call, login->step(login_data(args)));
}

}  // namespace

void add_auth(Table& table) {
    table.AUTH_LIST = auth_list;
    table.AUTH_SASL_INIT = auth_sasl_init;
    table.AUTH_SASL_START = auth_sasl_start;
    table.AUTH_SASL_STEP = auth_sasl_step;
}

}  // namespace helio::virt::daemon
