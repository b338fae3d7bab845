#include "helio/inspect/flow/record_cutter.h"

#include <algorithm>
#include <utility>

#include "helio/frame/virnet_header.h"
#include "helio/inspect/head.h"
#include "helio/xdr/wire.h"

namespace helio::inspect {
namespace {

constexpr std::uint32_t kLast = 0x80000000;  // RFC 5531 §11
constexpr std::size_t kMark = 4;
constexpr std::size_t kVirnetHead = 24;
// A mark and enough of a header to believe it. A shorter rest at a segment's end waits for the next
// segment.
constexpr std::size_t kJudged = kMark + kCallHeadMin;

// Number of file descriptors that follow this libvirt message.
std::uint32_t descriptors_of(ByteView message) {
    Head head;
    VirnetType type = VirnetType::call;
    if (!read_virnet_head(message, head, type) || head.verdict == Verdict::failed) return 0;
    if (type != VirnetType::call_with_fds && type != VirnetType::reply_with_fds) return 0;
    if (message.size() < head.body) return 0;
    constexpr std::uint32_t most{frame::kVirnetFdsMax};
    return std::min(xdr::load_u32(message.data() + kVirnetHeadSize), most);
}

}  // namespace

std::unique_ptr<RecordBuffers::Buffer> RecordBuffers::take() {
    if (free_.empty()) return std::make_unique<Buffer>();
    auto buffer = std::move(free_.back());
    free_.pop_back();
    return buffer;
}

void RecordBuffers::give_back(std::unique_ptr<Buffer> buffer) {
    release(buffer->size());
    buffer->clear();
    if (free_.size() < 8) free_.push_back(std::move(buffer));
}

RecordCutter::~RecordCutter() {
    if (kept_) buffers_->give_back(std::move(kept_));
}

void RecordCutter::data(ByteView bytes, const Origin& origin) {
    while (!bytes.empty()) {
        if (state_ == State::search || state_ == State::foreign) return search(bytes, origin);
        bytes = bytes.subspan(in_sync(bytes, origin));
    }
}

std::size_t RecordCutter::in_sync(ByteView bytes, const Origin& origin) {
    if (state_ == State::body) return take_body(bytes, origin);
    if (descriptors_ != 0)
        if (const std::size_t used = pass_descriptors(bytes); used != 0) return used;
    if (mark_size_ == 0) {
        if (const std::size_t used = whole_records(bytes, origin); used != 0) return used;
    }
    return take_mark(bytes, origin);
}

// Over AF_UNIX each descriptor travels with a zero byte after its message. Recordings without those
// bytes have the next length there, which begins with a zero too, so this applies only to
// connections recorded without packets.
std::size_t RecordCutter::pass_descriptors(ByteView bytes) {
    std::size_t used = 0;
    while (descriptors_ > 0 && used < bytes.size() && bytes[used] == std::byte{0}) {
        ++used;
        --descriptors_;
    }
    if (used < bytes.size()) descriptors_ = 0;
    return used;
}

// Records that are complete within these bytes: nearly all of them. Nothing is copied.
std::size_t RecordCutter::whole_records(ByteView bytes, const Origin& origin) {
    std::size_t at = 0;
    while (state_ == State::mark && bytes.size() - at > kMark && size_ == 0 && descriptors_ == 0) {
        const std::uint32_t mark = xdr::load_u32(bytes.data() + at);
        std::size_t size = mark & ~kLast;
        if (shape_ == Shape::virnet)
            size = mark - kMark;
        else if ((mark & kLast) == 0)
            break;
        if (size == 0 || size > bytes.size() - at - kMark) break;
        emit(bytes.subspan(at + kMark, size), size, Loss::none, origin);
        at += kMark + size;
    }
    return at;
}

std::size_t RecordCutter::take_mark(ByteView bytes, const Origin& origin) {
    const std::size_t used = std::min(kMark - mark_size_, bytes.size());
    std::copy_n(bytes.begin(), used, mark_ + mark_size_);
    mark_size_ = static_cast<std::uint8_t>(mark_size_ + used);
    if (mark_size_ < kMark) return used;
    mark_size_ = 0;
    if (!begin_fragment(xdr::load_u32(mark_))) {
        sink_->unread(Unread::record_damaged, kMark, 0);
        drop_record();
        lose_sync();
    } else if (left_ == 0 && last_) {
        complete(origin);
    }
    return used;
}

bool RecordCutter::begin_fragment(std::uint32_t mark) {
    if (shape_ == Shape::virnet) {
        if (mark < kMark + kVirnetHead || mark > kRecordSizeMax) return false;
        left_ = mark - static_cast<std::uint32_t>(kMark);
        last_ = true;
    } else {
        left_ = mark & ~kLast;
        last_ = (mark & kLast) != 0;
        if (size_ + left_ > kRecordSizeMax || (left_ == 0 && size_ == 0)) return false;
    }
    size_ += left_;
    state_ = left_ == 0 ? State::mark : State::body;
    return true;
}

std::size_t RecordCutter::take_body(ByteView bytes, const Origin& origin) {
    const std::size_t used = std::min<std::size_t>(left_, bytes.size());
    collect(bytes.first(used));
    time_ns_ = origin.time_ns;
    packet_ = origin.packet;
    left_ -= static_cast<std::uint32_t>(used);
    if (left_ == 0) {
        state_ = State::mark;
        if (last_) complete(origin);
    }
    return used;
}

void RecordCutter::collect(ByteView bytes) {
    if (holed_) return;
    if (!kept_) kept_ = buffers_->take();
    const std::size_t room = buffers_->keep_max() - std::min(kept_->size(), buffers_->keep_max());
    const ByteView wanted = bytes.first(std::min(room, bytes.size()));
    if (!buffers_->hold(wanted.size())) {
        holed_ = true;  // use what we have
        sink_->unread(Unread::too_much_held, bytes.size(), 0);
        return;
    }
    kept_->insert(kept_->end(), wanted.begin(), wanted.end());
}

// The end of the record was passed.
void RecordCutter::complete(const Origin& origin) {
    const std::uint64_t size = std::exchange(size_, 0);
    auto kept = std::move(kept_);
    const bool whole = !std::exchange(holed_, false);
    state_ = State::mark;
    if (!kept) return;
    if (!kept->empty()) {
        const bool complete = kept->size() == size;
        emit(*kept, size,
             complete ? Loss::none
             : whole  ? Loss::not_kept
                      : Loss::not_captured,
             origin);
    }
    buffers_->give_back(std::move(kept));
}

void RecordCutter::emit(ByteView bytes, std::uint64_t size, Loss loss, const Origin& origin) {
    const bool good = shape_ == Shape::virnet ? bytes.size() >= kVirnetHead : begins_message(bytes);
    if (!good) {
        sink_->unread(Unread::record_damaged, size, 0);
        // After a cut record the next mark is still good; after a complete one that is no message
        // it is not.
        if (bytes.size() == size) lose_sync();
        return;
    }
    if (shape_ == Shape::virnet && origin.carrier == Carrier::stream)
        descriptors_ = descriptors_of(bytes);
    sink_->message({.time_ns = origin.time_ns,
                    .packet = origin.packet,
                    .flow = origin.flow,
                    .direction = origin.direction,
                    .carrier = origin.carrier,
                    .shape = shape_,
                    .bytes = bytes,
                    .size = size,
                    .rdma_header = {},
                    .taken_out = {},
                    .shortened = loss == Loss::not_kept});
}

void RecordCutter::drop_record() {
    size_ = 0;
    left_ = 0;
    descriptors_ = 0;
    holed_ = false;
    mark_size_ = 0;
    if (kept_) buffers_->give_back(std::move(kept_));
}

void RecordCutter::begin(Start start, const Origin& origin) {
    finish(origin);
    state_ = State::search;
    began_ = start == Start::seen;
    descriptors_ = 0;
    shape_found_ = false;
    searched_ = 0;
}

void RecordCutter::gap(std::uint64_t size, Unread why, const Origin& origin) {
    began_ = false;
    sink_->unread(why, size, 0);
    if (state_ == State::search || state_ == State::foreign) {
        count_skipped(carry_.size());
        carry_.clear();
        return;
    }
    if (state_ == State::body && size <= left_) {
        left_ -= static_cast<std::uint32_t>(size);
        holed_ = true;
        if (left_ != 0) return;
        state_ = State::mark;
        if (last_) complete(origin);
        return;
    }
    // The next mark is missing too. The captured part of this record still counts.
    emit_cut(origin);
    drop_record();
    lose_sync();
}

// Emits the beginning of a record whose end will not come.
void RecordCutter::emit_cut(const Origin& origin) {
    if (!kept_ || kept_->empty()) return;
    auto kept = std::move(kept_);
    Origin then = origin;
    then.time_ns = time_ns_;
    then.packet = packet_;
    emit(*kept, std::max<std::uint64_t>(size_, kept->size() + 1), Loss::not_captured, then);
    buffers_->give_back(std::move(kept));
}

void RecordCutter::finish(const Origin& origin) {
    count_skipped(carry_.size());
    carry_.clear();
    if (state_ != State::body && size_ == 0) return;
    emit_cut(origin);
    drop_record();
    lose_sync();
}

void RecordCutter::count_skipped(std::uint64_t bytes) {
    if (bytes == 0) return;
    sink_->unread(shape_found_               ? Unread::skipped_to_resync
                  : state_ == State::foreign ? Unread::not_rpc
                                             : Unread::before_first_record,
                  bytes, 0);
}

void RecordCutter::search(ByteView bytes, const Origin& origin) {
    const bool at_start = std::exchange(began_, false);
    if (!carry_.empty()) {
        // The few bytes left from the last segment, followed by the new ones.
        const std::size_t starts = carry_.size();
        const ByteView more = bytes.first(std::min(bytes.size(), kJudged));
        carry_.insert(carry_.end(), more.begin(), more.end());
        const std::size_t at = find_record(carry_, starts);
        if (at < starts) {
            count_skipped(at);
            std::vector<std::byte> joined(carry_.begin() + static_cast<std::ptrdiff_t>(at),
                                          carry_.begin() + static_cast<std::ptrdiff_t>(starts));
            Shape shape = Shape::onc;
            record_at(ByteView{carry_}.subspan(at), shape);
            carry_.clear();
            found(shape);
            data(joined, origin);
            return data(bytes, origin);
        }
        if (bytes.size() < kJudged && carry_.size() < 2 * kJudged) return;  // more of the same
        count_skipped(starts);
        carry_.clear();
    }
    // A stream whose start was seen is RPC from its first byte or not at all. Segments of foreign
    // streams are still checked, cheaply: TLS and the like may give way to RPC.
    const bool only_here = at_start || state_ == State::foreign;
    const std::size_t starts = only_here ? 1 : bytes.size();
    const std::size_t at = find_record(bytes, starts);
    if (at < starts) {
        count_skipped(at);
        Shape shape = Shape::onc;
        record_at(bytes.subspan(at), shape);
        found(shape);
        return data(bytes.subspan(at), origin);
    }
    const std::size_t undecided = bytes.size() < kJudged ? bytes.size() : kJudged - 1;
    if (only_here && bytes.size() >= kJudged) {
        state_ = State::foreign;
        count_skipped(bytes.size());
        return;
    }
    searched_ += bytes.size() - undecided;
    count_skipped(bytes.size() - undecided);
    if (searched_ > kSearchBytesMax && !shape_found_) {
        count_skipped(undecided);
        state_ = State::foreign;
        return;
    }
    carry_.assign(bytes.end() - static_cast<std::ptrdiff_t>(undecided), bytes.end());
}

void RecordCutter::found(Shape shape) {
    shape_ = shape;
    shape_found_ = true;
    searched_ = 0;
    state_ = State::mark;
}

// The first of the first `starts` offsets at which a record begins, or `starts`.
std::size_t RecordCutter::find_record(ByteView bytes, std::size_t starts) const {
    Shape shape = Shape::onc;
    for (std::size_t at = 0; at < starts; ++at)
        if (record_at(bytes.subspan(at), shape)) return at;
    return starts;
}

bool RecordCutter::record_at(ByteView bytes, Shape& shape) const {
    if (onc_at(bytes)) {
        shape = Shape::onc;
        return true;
    }
    shape = Shape::virnet;
    return virnet_at(bytes);
}

bool RecordCutter::onc_at(ByteView bytes) const {
    if (bytes.size() < kMark + kDeniedHeadMin) return false;
    // Bytes 8 to 11 are 0 or 1 in every message, which rejects nearly everything else.
    if (xdr::load_u32(bytes.data() + 8) > 1) return false;
    const std::uint32_t mark = xdr::load_u32(bytes.data());
    const std::uint32_t size = mark & ~kLast;
    if (size < kDeniedHeadMin || size > kRecordSizeMax) return false;
    const ByteView body = bytes.subspan(kMark, std::min<std::size_t>(size, bytes.size() - kMark));
    // The total size of a record with several fragments is unknown. Such marks are small numbers,
    // which are common in data: believe one only before a call of a known program.
    const bool last = (mark & kLast) != 0;
    const std::uint64_t whole = last ? size : std::uint64_t{size} + kRecordSizeMax;
    if (!plausible(body, whole, *catalogue_)) return false;
    if (!last && (xdr::load_u32(body.data() + 4) != 0 ||
                  !catalogue_->knows_program(xdr::load_u32(body.data() + 12))))
        return false;
    // If the next mark is available, it must be plausible.
    if (bytes.size() < kMark + size + kMark) return true;
    const std::uint32_t next = xdr::load_u32(bytes.data() + kMark + size) & ~kLast;
    return next != 0 && next <= kRecordSizeMax;
}

bool RecordCutter::virnet_at(ByteView bytes) const {
    if (bytes.size() < kMark + kVirnetHead) return false;
    const auto word = [&](std::size_t index) { return xdr::load_u32(bytes.data() + 4 * index); };
    return word(4) <= 6 && word(6) <= 2 && word(0) >= kMark + kVirnetHead &&
           word(0) <= kRecordSizeMax && word(2) == 1 && word(3) <= 0xffff &&
           catalogue_->knows_virnet_program(word(1));
}

}  // namespace helio::inspect
