#include "helio/virt/client/connect/open.h"

#include <fmt/format.h>

#include "schema/remote_service.h"

namespace helio::virt {

namespace {

using Remote = remote::REMOTE_PROTOCOL_VERSION::AsyncClient;

// VIR_DRV_FEATURE_PROGRAM_KEEPALIVE
constexpr std::int32_t kFeatureKeepalive = 10;
// VIR_CONNECT_RO
constexpr std::uint32_t kConnectReadOnly = 1;

Failure cannot_authenticate(std::string_view why) {
    Failure out;
    out.call.outcome = xdr::Outcome::refused;
    out.error = virt_error(VIR_ERR_AUTH_FAILED, VIR_FROM_REMOTE, why);
    return out;
}

std::string_view word_for(remote::remote_auth_type type) {
    switch (type) {
        case remote::REMOTE_AUTH_NONE:
            return "none";
        case remote::REMOTE_AUTH_SASL:
            return "sasl";
        case remote::REMOTE_AUTH_POLKIT:
            return "polkit";
    }
    return "";
}

// The method that the user wants, or else the daemon's first, which it prefers.
Result<remote::remote_auth_type, Failure> choose(std::span<const remote::remote_auth_type> offered,
                                                 const std::string& wanted) {
    std::string words;
    for (const auto one : offered) {
        if (wanted.empty() || word_for(one) == wanted) return one;
        words += words.empty() ? "" : ", ";
        words += word_for(one);
    }
    if (offered.empty()) return remote::REMOTE_AUTH_NONE;
    return fail(cannot_authenticate(fmt::format("the daemon offers {}, not {}", words, wanted)));
}

// A layer that owns its SASL session.
class SessionLayer final : public transport::Layer {
 public:
    explicit SessionLayer(std::unique_ptr<Sasl> session, std::unique_ptr<transport::Layer> layer)
        : session_(std::move(session)), layer_(std::move(layer)) {}
    bool encode(ByteView plain, std::vector<std::byte>& out) override {
        return layer_->encode(plain, out);
    }
    bool decode(ByteView wire, std::vector<std::byte>& out) override {
        return layer_->decode(wire, out);
    }

 private:
    std::unique_ptr<Sasl> session_;
    std::unique_ptr<transport::Layer> layer_;
};

// On the wire the data is an array of char, four bytes each.
std::vector<std::int8_t> to_wire(const Sasl::Data& data) {
    if (!data) return {};
    return {data->begin(), data->end()};
}
Sasl::Data from_wire(int nil, xdr::Array<std::int8_t> data) {
    if (nil != 0) return {};
    return std::string(data.begin(), data.end());
}

Task<Result<void, Failure>> speak_sasl(ClientConnection& connection, Sasl::Options options) {
    Remote remote{connection};
    auto made = Sasl::make(std::move(options));
    if (!made) co_return fail(cannot_authenticate(made.error()));
    std::unique_ptr<Sasl> session = std::move(*made);

    std::string mechanisms;
    {
        const auto offered = co_await remote.AUTH_SASL_INIT();
        if (!offered) co_return fail(connection.failure(offered.error()));
        mechanisms = (*offered)->mechlist;
    }
    const auto first = session->start(mechanisms);
    if (!first) co_return fail(cannot_authenticate(first.error()));
    remote::remote_auth_sasl_start_args start;
    const std::vector<std::int8_t> data = to_wire(first->data);
    start.mech = first->mechanism;
    start.nil = first->data ? 0 : 1;
    start.data = data;
    bool daemon_done = false;
    Sasl::Data said;
    {
        const auto answer = co_await remote.AUTH_SASL_START(start);
        if (!answer) co_return fail(connection.failure(answer.error()));
        daemon_done = (*answer)->complete != 0;
        said = from_wire((*answer)->nil, (*answer)->data);
    }
    // Both sides must be done; a daemon that is done may have left data for us.
    while (!daemon_done || !session->complete()) {
        const auto next = session->step(said);
        if (!next) co_return fail(cannot_authenticate(next.error()));
        if (daemon_done && session->complete()) break;
        if (daemon_done) co_return fail(cannot_authenticate("the daemon ended SASL too early"));
        const std::vector<std::int8_t> more = to_wire(*next);
        remote::remote_auth_sasl_step_args step;
        step.nil = *next ? 0 : 1;
        step.data = more;
        const auto answer = co_await remote.AUTH_SASL_STEP(step);
        if (!answer) co_return fail(connection.failure(answer.error()));
        daemon_done = (*answer)->complete != 0;
        said = from_wire((*answer)->nil, (*answer)->data);
    }
    if (auto layer = session->layer())
        connection.set_layer(std::make_unique<SessionLayer>(std::move(session), std::move(layer)));
    co_return Result<void, Failure>{};
}

Task<Result<void, Failure>> authenticate(ClientConnection& connection, std::string wanted,
                                         Sasl::Options sasl) {
    Remote remote{connection};
    const auto offered = co_await remote.AUTH_LIST();
    if (!offered) co_return fail(connection.failure(offered.error()));
    const auto& types = (*offered)->types;
    const auto chosen = choose({types.data(), types.size()}, wanted);
    if (!chosen) co_return fail(chosen.error());
    switch (*chosen) {
        case remote::REMOTE_AUTH_NONE:
            break;
        case remote::REMOTE_AUTH_POLKIT: {
            // The daemon asks polkit about the process at this end of the socket.
            const auto answer = co_await remote.AUTH_POLKIT();
            if (!answer) co_return fail(connection.failure(answer.error()));
            break;
        }
        case remote::REMOTE_AUTH_SASL: {
            auto spoken = co_await speak_sasl(connection, std::move(sasl));
            co_return spoken;
        }
    }
    co_return Result<void, Failure>{};
}

}  // namespace

Task<Result<void, Failure>> open(ClientConnection& connection, OpenOptions options) {
    auto known = co_await authenticate(connection, options.auth, options.sasl);
    if (!known) co_return known;
    Remote remote{connection};

    // Sending all three calls at once would take one round trip, but a daemon may run calls in any
    // order, and nothing may precede CONNECT_OPEN.
    bool keepalive = false;
    if (options.keepalive) {
        remote::remote_connect_supports_feature_args feature;
        feature.feature = kFeatureKeepalive;
        const auto answer = co_await remote.CONNECT_SUPPORTS_FEATURE(feature);
        keepalive = answer && (*answer)->supported != 0;
        if (!answer && connection.is_lost()) co_return fail(connection.failure(answer.error()));
    }
    remote::remote_connect_open_args args;
    const std::string_view name = options.name;
    if (!name.empty()) args.name = &name;
    args.flags = options.read_only ? kConnectReadOnly : 0;
    const auto opened = co_await remote.CONNECT_OPEN(args);
    if (!opened) co_return fail(connection.failure(opened.error()));
    if (keepalive) connection.start_keepalive();
    co_return Result<void, Failure>{};
}

Task<Result<void, Failure>> say_goodbye(ClientConnection& connection) {
    Remote remote{connection};
    const auto closed = co_await remote.CONNECT_CLOSE();
    if (!closed) co_return fail(connection.failure(closed.error()));
    co_return Result<void, Failure>{};
}

}  // namespace helio::virt
