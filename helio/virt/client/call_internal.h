// ClientCall: one call of a ClientConnection, and its entry in the queue of what is sent: its
// message in memory of its own, then the buffer its reply lies in.
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
    // Without its length, and without the bytes that descriptors travel with.
    std::vector<std::byte> message();

    ClientConnection& owner_;
    bool opens_stream_ = false;
    std::byte* length_ = nullptr;
    std::vector<Fd> descriptors_;                           // to send, then those that came
    std::vector<rpc::Batch::Descriptor> sent_descriptors_;  // on their way out
};

}  // namespace helio::virt
