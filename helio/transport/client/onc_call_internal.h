// OncCall: an ONC RPC call sent as a record over a Stream; shared by clients and a server's back
// channel. It owns its message until the reply arrives; then it holds the reply's buffer.
#pragma once

#include <cstdint>
#include <random>

#include "helio/frame/record_mark.h"
#include "helio/rpc/memory.h"
#include "helio/transport/client/pending_call.h"
#include "helio/transport/stream/outgoing.h"

namespace helio::transport {

// The first xid of a connection. Random, so that no other connection is likely to use it: the other
// side remembers calls by xid.
inline std::uint32_t random_xid() {
    std::random_device device;
    return device();
}

class OncCall : public PendingCall, public Outgoing {
 protected:
    explicit OncCall(EventLoop& loop) : PendingCall(loop) {}

    // The message follows.
    void open_record() { mark_ = frame::RecordMark::open(*writer_, begin_); }
    void open_message() {
        begin_ = writer_->mark();
        mark_ = nullptr;
    }
    // Completes the message. False: no memory, or it does not fit the schema.
    bool close_message() {
        if (!writer_->ok()) return false;
        size_ = writer_->size_since(begin_);
        if (mark_ == nullptr) return true;
        frame::RecordMark::store(mark_, size_ - frame::RecordMark::kMarkSize);
        return prepare();
    }
    // Prepares it for sending from the beginning. False: no memory for the list of segments.
    bool prepare() {
        const auto segments = writer_->segments();
        if (segments.empty()) return false;
        set_message(segments, size_);
        return true;
    }
    void take_results(const rpc::BufferRef& buffer, ByteView results) {
        reply_ = buffer;
        reader_.emplace(results, arena_);
    }

    std::size_t size_ = 0;  // of the complete message

 private:
    xdr::Writer::Mark begin_{};
    std::byte* mark_ = nullptr;  // of a record
};

}  // namespace helio::transport
