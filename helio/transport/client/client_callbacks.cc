#include "helio/transport/client/client_callbacks_internal.h"

namespace helio::transport {

namespace {
// Replies queued for a server that does not read them.
constexpr std::size_t kCallbackRepliesBytesMax = 1u << 20;
}  // namespace

bool ClientConnection::Callbacks::serve(const rpc::BufferRef& buffer, ByteView message) {
    if (!session_)
        session_.emplace(worker_, static_cast<rpc::Session::Owner&>(*this),
                         worker_.server().make_envelope(),
                         to_peer(owner_.server(), rpc::Transport::tcp));
    if (!session_->may_run_more() || session_->output_bytes() > kCallbackRepliesBytesMax)
        return false;
    session_->receive_message(buffer, message);
    if (session_->has_output()) output_ready();
    return true;
}

void ClientConnection::Callbacks::queue_replies() {
    if (!session_ || !session_->has_output() || replies_.is_queued()) return;
    if (replies_.take(session_->take_output())) owner_.stream_.send(replies_);
}

void ClientConnection::Callbacks::disconnect() {
    session_.reset();
    replies_.drop();
}

}  // namespace helio::transport
