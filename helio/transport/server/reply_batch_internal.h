// ReplyBatch: the replies that a session has gathered, as one entry of a Stream's queue.
#pragma once

#include <utility>

#include "helio/rpc/memory.h"
#include "helio/transport/stream/outgoing.h"

namespace helio::transport {

class ReplyBatch final : public Outgoing {
 public:
    // False when they cannot be sent: there was no memory for the list of them.
    bool take(rpc::BatchRef batch) {
        batch_ = std::move(batch);
        const auto segments = batch_->writer->segments();
        if (segments.empty()) return false;
        set_message(segments, batch_->bytes, batch_->descriptors);
        return true;
    }
    void drop() { batch_ = {}; }

 private:
    void on_sent() override { drop(); }
    rpc::BatchRef batch_;
};

}  // namespace helio::transport
