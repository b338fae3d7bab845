// BackChannel: calls from a server to one of its clients, over the connection that the client made,
// as NFS 4.1 does (RFC 8881 §2.10.3.1). A service asks a call for it and may keep it:
//
//     const std::shared_ptr<rpc::BackChannel> channel = rpc::call_of(call).back_channel();
//     CALLBACK_V1::AsyncClient client{*channel};
//     const auto reply = co_await client.RECALL(what);
//
// It outlives the calls made through it. When the connection has gone, calls in flight and new ones
// fail as unreachable. Everything except post() happens on the connection's thread; any thread may
// be the last to hold it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "helio/rpc/onc/onc_envelope.h"
#include "helio/xdr/program.h"

namespace helio::rpc {

class SessionHandle;

class BackChannel : public xdr::AsyncChannel {
 public:
    // True while the connection exists.
    virtual bool is_open() const = 0;
    // Calls `work` when the connection closes: the calls in flight have failed, but nobody who
    // waits for them has been resumed, and after the server has stopped nobody will be. It may also
    // be called while `begin` or `send` is on the stack.
    virtual void on_close(std::function<void()> work) = 0;
    // For calls begun from now on; AUTH_NONE and the transport's own time-out at first.
    virtual void set_credential(ClientCredential credential) = 0;
    virtual void set_call_timeout(std::chrono::milliseconds timeout) = 0;
    // From any thread: runs `work` on the connection's thread, unless the connection is gone by
    // then.
    virtual void post(std::function<void()> work) = 0;
    // post() for owners that do not keep the channel's memory.
    virtual std::shared_ptr<SessionHandle> handle() const = 0;
};

}  // namespace helio::rpc
