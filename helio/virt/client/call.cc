#include <cerrno>

#include "helio/base/assert.h"
#include "helio/frame/length_word.h"
#include "helio/virt/client/call_internal.h"

namespace helio::virt {

// Room for the length, the header, and the number of descriptors that follow the message.
void ClientCall::open(const frame::VirnetHeader& header, std::vector<Fd> descriptors) {
    opens_stream_ = false;
    descriptors_ = std::move(descriptors);
    std::byte head[frame::LengthWord::kWordSize + frame::VirnetHeader::kSize + 4];
    std::size_t size = frame::LengthWord::kWordSize + frame::VirnetHeader::kSize;
    frame::write_virnet_header(head + frame::LengthWord::kWordSize, header);
    if (!descriptors_.empty()) {
        xdr::store_u32(head + size, static_cast<std::uint32_t>(descriptors_.size()));
        size += 4;
    }
    length_ = writer_->at();
    // Fits into the Writer's own buffer, so the length does not move.
    if (!writer_->append({head, size})) length_ = nullptr;
}

void ClientCall::send() {
    HELIO_ASSERT(state_ == State::writing);
    if (!writer_->ok() || length_ == nullptr)
        return fail_with({xdr::Outcome::garbage_arguments, writer_->error()});
    xdr::CallError error;
    const std::size_t size = writer_->size();
    if (size > frame::kVirnetLengthMax || descriptors_.size() > frame::kVirnetFdsMax) {
        error.error_number = EMSGSIZE;
        return fail_with(error);
    }
    if (owner_.is_lost()) {
        error.error_number = owner_.lost_error_;
        return fail_with(error);
    }
    // The layer would have to carry their bytes.
    if (!descriptors_.empty() && owner_.socket_.has_layer()) {
        error.error_number = EOPNOTSUPP;
        return fail_with(error);
    }
    frame::LengthWord::store(length_, size - frame::LengthWord::kWordSize);
    const bool is_whole = descriptors_.empty() || attach_descriptors();
    const auto segments = writer_->segments();
    if (!is_whole || segments.empty())
        return fail_with({xdr::Outcome::garbage_arguments, writer_->error()});
    set_message(segments, size + sent_descriptors_.size(), sent_descriptors_);
    due_ = owner_.loop_.now() + owner_.options_.call_timeout;
    owner_.calls_.add(*this);
    owner_.queue(*this);
}

// Each descriptor travels with its own byte, after the message. False: no memory.
bool ClientCall::attach_descriptors() {
    std::size_t offset = writer_->size();
    constexpr std::byte kZero{0};
    for (Fd& one : descriptors_) {
        if (!writer_->append({&kZero, 1})) return false;
        sent_descriptors_.push_back({offset++, std::move(one)});
    }
    descriptors_.clear();
    return true;
}

std::vector<std::byte> ClientCall::message() {
    const std::vector<std::byte> all = writer_->joined();
    return {all.begin() + frame::LengthWord::kWordSize,
            all.end() - static_cast<std::ptrdiff_t>(sent_descriptors_.size())};
}

void ClientCall::on_due(Clock::time_point) {
    xdr::CallError error;
    error.outcome = xdr::Outcome::timed_out;
    if (opens_stream_) {
        if (state_ == State::sent) owner_.orphans_.push_back(number_);
        owner_.fail_stream(number_, Failure{error, {}});
    }
    owner_.finish(*this, &error);
}

// The owner releases it, in any state.
void ClientCall::release() {
    forget_waiter();
    if (state_ == State::sent && opens_stream_) owner_.orphans_.push_back(number_);
    if (state_ == State::queued || state_ == State::sent) owner_.take_out(*this);
    owner_.recycle(*this);
}

}  // namespace helio::virt
