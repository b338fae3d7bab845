// StreamBackChannel: a server's calls to one of its clients, queued on the stream of the client's
// calls. The connection and its users share ownership; the connection ends it when it closes.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "helio/rpc/back_channel.h"
#include "helio/rpc/session.h"
#include "helio/transport/client/onc_call_internal.h"
#include "helio/transport/stream/stream.h"

namespace helio::transport {

// Calls in flight over one back channel: a client that does not answer costs this many. Linux's
// client has 16 slots for callbacks.
inline constexpr std::size_t kBackCallsMax = 64;
// A client that has not answered a callback within this time is assumed not to.
inline constexpr std::chrono::seconds kBackCallTimeout{30};

class BackCall;

class StreamBackChannel final : public rpc::BackChannel {
 public:
    // The connection; it lives at least until disconnect().
    class Carrier {
     public:
        virtual ~Carrier() = default;
        virtual Stream& stream() = 0;
        // Something is queued: send it soon.
        virtual void output_ready() = 0;
        // No memory to complete a record: the stream is useless.
        virtual void give_up() = 0;
    };
    StreamBackChannel(EventLoop& loop, Carrier& carrier, std::shared_ptr<rpc::SessionHandle> line);
    ~StreamBackChannel() override;

    // A message that is not a call. False: nothing here waits for it.
    bool take_reply(const rpc::BufferRef& buffer, ByteView message);
    // The connection is closing: all calls in flight fail.
    void disconnect();

    // rpc::BackChannel
    xdr::AsyncCall::Owner begin(const xdr::VersionInfo& version,
                                const xdr::ProcedureInfo& procedure) override;
    bool is_open() const override { return carrier_ != nullptr; }
    void on_close(std::function<void()> work) override { on_close_.push_back(std::move(work)); }
    void set_credential(rpc::ClientCredential credential) override {
        credential_ = std::move(credential);
    }
    void set_call_timeout(std::chrono::milliseconds timeout) override { call_timeout_ = timeout; }
    void post(std::function<void()> work) override;
    std::shared_ptr<rpc::SessionHandle> handle() const override { return line_; }

 private:
    friend class BackCall;
    void finish(BackCall& call, const xdr::CallError* error);
    void leave_queue(BackCall& call);

    EventLoop& loop_;
    Carrier* carrier_;  // nullptr: it is gone
    std::shared_ptr<rpc::SessionHandle> line_;
    rpc::ClientCredential credential_;
    std::chrono::milliseconds call_timeout_ = kBackCallTimeout;
    xdr::Arena reply_arena_;  // for headers other than the usual one
    PendingCalls calls_;
    std::vector<std::function<void()>> on_close_;
};

}  // namespace helio::transport
