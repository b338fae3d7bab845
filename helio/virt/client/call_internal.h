// ClientCall: one call of a ClientConnection and its entry in the send queue. It owns its message,
// then the buffer that holds its reply.
#pragma once

#include "helio/virt/client/connection.h"

namespace helio::virt {

class ClientCall final : public transport::PendingCall, public transport::Outgoing {
 public:
    explicit ClientCall(ClientConnection& owner) : PendingCall(owner.loop_), owner_(owner) {}

    void send() override;

 private:
    friend class ClientConnection;
    friend class ClientStream;

    void release() override;
    void on_due(Clock::time_point now) override;
    void on_sent() override {
        if (!sent_descriptors_.empty()) sent_descriptors_.clear();
    }
    void open(const frame::VirnetHeader& header, std::vector<Fd> descriptors);
    bool attach_descriptors();
    // Without its length and the descriptors' bytes.
    std::vector<std::byte> message();

    ClientConnection& owner_;
    bool opens_stream_ = false;
    std::byte* length_ = nullptr;
    std::vector<Fd> descriptors_;                           // to send, then those received
    std::vector<rpc::Batch::Descriptor> sent_descriptors_;  // being sent
};

}  // namespace helio::virt
