#include "helio/virt/daemon/domains/console_internal.h"

#include <algorithm>

#include "helio/virt/daemon/procedures_internal.h"

namespace helio::virt::daemon {

using namespace helio::remote;

void Console::end() {
    ended_ = true;
    stream_.wake();
}

bool Console::type(ByteView bytes) {
    if (waiting_.size() + bytes.size() > kConsoleBytesMax) return false;
    waiting_ += as_text(bytes);
    stream_.wake();
    return true;
}

server::StreamEnd::Piece Console::next(std::size_t bytes_max) {
    using Kind = server::StreamEnd::Piece::Kind;
    if (waiting_.empty()) {
        server::StreamEnd::Piece piece;
        piece.kind = ended_ ? Kind::end : Kind::nothing;
        return piece;
    }
    sending_ = waiting_.substr(0, bytes_max);
    waiting_.erase(0, sending_.size());
    server::StreamEnd::Piece piece;
    piece.kind = Kind::bytes;
    piece.bytes = as_bytes(sending_);
    return piece;
}

server::StreamEnd::Failure ConsoleStream::take(ByteView bytes) {
    if (console_->type(bytes)) return {};
    return virt_error(VIR_ERR_INTERNAL_ERROR, VIR_FROM_STREAMS, "the console's output is not read");
}

namespace {

void domain_open_console(Context& context, xdr::CallContext& call,
                         const remote_domain_open_console_args& args) {
    const host::Uuid uuid = uuid_of(args.dom.uuid);
    auto greeting = context.host.domain_console_greeting(uuid);
    if (!greeting) return refused(call, args.dom, greeting.error());
    server::ServerClient& client = server::client_of(call);
    auto console = std::make_shared<Console>(uuid, std::move(*greeting));
    const auto stream =
        client.open_stream(rpc::call_of(call), std::make_unique<ConsoleStream>(console));
    if (!stream)
        return fail_call<void>(call, virt_error(VIR_ERR_OPERATION_FAILED, VIR_FROM_STREAMS,
                                                "too many streams are open"));
    console->set_stream(*stream);
    ClientState& state = client_state(client);
    std::erase_if(state.consoles, [](const auto& one) { return one.expired(); });
    state.consoles.push_back(console);
    context.events.attach(client);
}

}  // namespace

void add_console(Table& table) { table.DOMAIN_OPEN_CONSOLE = domain_open_console; }

}  // namespace helio::virt::daemon
