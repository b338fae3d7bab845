#include <cerrno>

#include "helio/base/assert.h"
#include "helio/frame/length_word.h"
#include "helio/virt/client/call_internal.h"

namespace helio::virt {

void ClientCall::start(std::uint32_t serial) {
    state_ = State::writing;
    opens_stream_ = false;
    serial_ = serial;
    resuming_ = false;
    waiter_ = {};
    done_ = nullptr;
    reader_.reset();
    writer_.reset();
    arena_.reset();
    writer_.emplace(arena_);
    error_ = {};
}

// The place of the length, the header, and how many descriptors come behind the message.
void ClientCall::open(const rpc::VirnetHeader& header, std::vector<Fd> descriptors) {
    descriptors_ = std::move(descriptors);
    std::byte head[frame::LengthWord::kWordSize + rpc::VirnetHeader::kSize + 4];
    std::size_t size = frame::LengthWord::kWordSize + rpc::VirnetHeader::kSize;
    rpc::write_virnet_header(head + frame::LengthWord::kWordSize, header);
    if (!descriptors_.empty()) {
        xdr::store_u32(head + size, static_cast<std::uint32_t>(descriptors_.size()));
        size += 4;
    }
    length_ = writer_->at();
    // The Writer's own buffer is longer than this, so that the length stays where it is.
    if (!writer_->append({head, size})) length_ = nullptr;
}

void ClientCall::send() {
    HELIO_ASSERT(state_ == State::writing);
    if (!writer_->ok() || length_ == nullptr)
        return fail_with({xdr::Outcome::garbage_arguments, writer_->error()});
    xdr::CallError error;
    const std::size_t size = writer_->size();
    if (size > frame::kVirnetLengthMax || descriptors_.size() > rpc::kVirnetFdsMax) {
        error.error_number = EMSGSIZE;
        return fail_with(error);
    }
    if (owner_.is_lost()) {
        error.error_number = owner_.lost_error_;
        return fail_with(error);
    }
    // Its bytes would lie among those of the layer.
    if (!descriptors_.empty() && owner_.layer_) {
        error.error_number = EOPNOTSUPP;
        return fail_with(error);
    }
    frame::LengthWord::store(length_, size - frame::LengthWord::kWordSize);
    deadline_ = owner_.loop_.now() + owner_.options_.call_timeout;
    owner_.watch_deadline(deadline_);
    owner_.add_to_table(*this);
    owner_.queue(*this);
}

void ClientCall::fail_with(const xdr::CallError& error) {
    HELIO_ASSERT(state_ == State::writing);
    error_ = error;
    state_ = State::finished;
    // From the loop: whoever is told may begin the next call, which may fail as well.
    if (done_ != nullptr) set(Clock::now());
}

// fail_with() was told, and now tells.
void ClientCall::on_time() {
    if (done_ != nullptr) done_(done_self_, *this);
}

// The owner lets go of it, whatever its state.
void ClientCall::release() {
    cancel();
    if (resuming_) owner_.loop_.forget(waiter_);
    waiter_ = {};
    done_ = nullptr;
    if (state_ == State::sent && opens_stream_) owner_.orphans_.push_back(serial_);
    if (state_ == State::waiting || state_ == State::sent) owner_.take_out(*this);
    owner_.recycle(*this);
}

}  // namespace helio::virt
