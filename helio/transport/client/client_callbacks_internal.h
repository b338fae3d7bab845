// ClientConnection::Callbacks: the programs that a client offers its server, served over the
// connection that the client made. The other half of a server's back channel.
#pragma once

#include <memory>
#include <optional>

#include "helio/rpc/server/server.h"
#include "helio/rpc/session.h"
#include "helio/transport/client/client.h"
#include "helio/transport/server/reply_batch_internal.h"

namespace helio::transport {

class ClientConnection::Callbacks final : rpc::Session::Owner {
 public:
    Callbacks(ClientConnection& owner, rpc::Server& programs) : owner_(owner), worker_(programs) {}

    // Serves one call from the server. False if it cannot be served and the connection has to end:
    // the server sends more calls than it reads answers.
    bool serve(const rpc::BufferRef& buffer, ByteView message);
    // Queues finished replies after those still being sent.
    void queue_replies();
    // The connection is gone: the results of running calls are dropped.
    void disconnect();

 private:
    void output_ready() override { owner_.loop_.defer(owner_); }
    std::shared_ptr<rpc::DuplicateCache::Waiter> make_waiter(const rpc::Peer&) override {
        return nullptr;  // the server will try again
    }

    ClientConnection& owner_;
    rpc::Worker worker_;
    std::optional<rpc::StreamSession> session_;  // while connected
    ReplyBatch replies_;
};

}  // namespace helio::transport
