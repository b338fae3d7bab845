#include "bench/codec/limit.h"
#include "bench/codec/side.h"

namespace bench {
namespace {

constexpr std::size_t kBufferSize = 64 << 10;  // the longest encoding, READDIRPLUS, is under 20 KiB
constexpr std::size_t kArenaSize = 64 << 10;   // a hundred entries are under 20 KiB

// Only READ has bulk that is referenced instead of copied.
template <class Value>
constexpr bool kHasPayload = false;
template <>
constexpr bool kHasPayload<ReadRes> = true;
template <>
constexpr bool kHasPayload<Reply<ReadRes>> = true;

ByteView payload_of(const ReadRes& results) { return results.data; }
ByteView payload_of(const Reply<ReadRes>& reply) { return reply.results.data; }

template <class Value>
class LimitCase final : public Case {
 public:
    LimitCase(const Sample& sample, const Value& value, Message message)
        : sample_(sample), value_(value), message_(message) {}

    Operation encode() override {
        return {[](void* self) { static_cast<LimitCase*>(self)->run_encode(); }, this};
    }

    Operation decode() override {
        return {[](void* self) { static_cast<LimitCase*>(self)->run_decode(); }, this};
    }

    Bytes encoded() const override {
        Bytes whole(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(head_));
        whole.insert(whole.end(), payload_.begin(), payload_.end());
        whole.resize((whole.size() + 3) & ~std::size_t{3});
        return whole;
    }

    bool decodes_to_sample() override {
        run_decode();
        return same(decoded_, value_);
    }

 private:
    void run_encode() {
        head_ = limit::encode(value_, buffer_);
        if constexpr (kHasPayload<Value>) payload_ = payload_of(value_);
        if (head_ == 0) operation_failed("limit", "encode");
    }

    void run_decode() {
        limit::Arena arena = empty_arena_;
        if (!limit::decode(sample_.bytes(message_), arena, decoded_))
            operation_failed("limit", "decode");
    }

    const Sample& sample_;
    const Value& value_;
    const Message message_;
    Bytes buffer_storage_ = Bytes(kBufferSize);
    Bytes arena_storage_ = Bytes(kArenaSize);
    const std::span<std::byte> buffer_{buffer_storage_};
    const limit::Arena empty_arena_{arena_storage_.data(), arena_storage_.data() + kArenaSize};
    std::size_t head_ = 0;
    ByteView payload_;
    Value decoded_;
};

template <class Value>
std::unique_ptr<Case> make(const Sample& sample, const Value& value, Message message) {
    return std::make_unique<LimitCase<Value>>(sample, value, message);
}

}  // namespace

Side make_limit(const Sample& sample) {
    return {"limit",
            {make(sample, sample.getattr_call, Message::getattr_call),
             make(sample, sample.getattr_reply.results, Message::getattr_res),
             make(sample, sample.getattr_reply, Message::getattr_reply),
             make(sample, sample.read_reply.results, Message::read_res),
             make(sample, sample.read_reply, Message::read_reply),
             make(sample, sample.readdirplus_reply, Message::readdirplus_reply)}};
}

}  // namespace bench
