// ClientCall: one call of a ClientConnection: its arguments in memory of its own until they are
// copied out, then the buffer its reply lies in.
#pragma once

#include "helio/virt/client/connection.h"

namespace helio::virt {

class ClientCall final : public transport::PendingCall {
 public:
    explicit ClientCall(ClientConnection& owner) : PendingCall(owner.loop_), owner_(owner) {}

    void send() override;

 private:
    friend class ClientConnection;
    friend class ClientStream;

    void release() override;
    void on_due(Clock::time_point now) override;
    void open(const rpc::VirnetHeader& header, std::vector<Fd> descriptors);

    ClientConnection& owner_;
    bool opens_stream_ = false;
    std::byte* length_ = nullptr;
    std::vector<Fd> descriptors_;  // to send, then those that came
};

}  // namespace helio::virt
