#include "helio/inspect/capture/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "helio/base/assert.h"

namespace helio::inspect {
namespace {

constexpr std::size_t kBufferSize = 64u << 10;
constexpr int kGzipOnly = 16;  // added to the window's bits: a gzip header, not zlib's

}  // namespace

struct GzipSource::Inflate {
    Inflate() {
        // Fails only for lack of memory, or if zlib is another version than its header.
        HELIO_ASSERT(inflateInit2(&stream, MAX_WBITS + kGzipOnly) == Z_OK);
    }
    ~Inflate() { inflateEnd(&stream); }
    Inflate(const Inflate&) = delete;
    Inflate& operator=(const Inflate&) = delete;

    z_stream stream{};
    bool within = false;   // a member has begun but not ended
    bool pending = false;  // it may have more output without more input
};

bool is_gzip(ByteView first) {
    return first.size() >= 3 && first[0] == std::byte{0x1f} && first[1] == std::byte{0x8b} &&
           first[2] == std::byte{Z_DEFLATED};
}

GzipSource::GzipSource(ByteSource& packed, std::uint64_t size_max)
    : packed_(packed),
      size_max_(size_max),
      inflate_(std::make_unique<Inflate>()),
      buffer_(kBufferSize) {}

GzipSource::~GzipSource() = default;

// False at the end of the packed file.
bool GzipSource::refill() {
    z_stream& stream = inflate_->stream;
    if (stream.avail_in != 0) return true;
    const std::size_t got = packed_.read(buffer_);
    stream.next_in = reinterpret_cast<Bytef*>(buffer_.data());
    stream.avail_in = static_cast<uInt>(got);
    if (got != 0) return true;
    error_ = packed_.error();
    if (error_.empty() && inflate_->within) error_ = "the gzip file is truncated";
    return false;
}

std::size_t GzipSource::read(std::span<std::byte> into) {
    if (ended_ || into.empty()) return 0;
    std::byte beyond{};
    const bool full = unpacked_ == size_max_;  // is there more?
    if (full) into = {&beyond, 1};
    z_stream& stream = inflate_->stream;
    const std::uint64_t room = full ? 1
                                    : std::min<std::uint64_t>({into.size(), size_max_ - unpacked_,
                                                               std::numeric_limits<uInt>::max()});
    stream.next_out = reinterpret_cast<Bytef*>(into.data());
    stream.avail_out = static_cast<uInt>(room);
    while (stream.avail_out == room && !ended_) {
        if (!inflate_->pending && !refill()) {
            ended_ = true;
            break;
        }
        inflate_->within = true;
        const int status = inflate(&stream, Z_NO_FLUSH);
        inflate_->pending = status == Z_OK && stream.avail_out == 0;
        if (status == Z_STREAM_END) {
            inflate_->within = false;
            ended_ = !next_member();
        } else if (status != Z_OK && status != Z_BUF_ERROR) {
            error_ = fmt::format("the gzip file is damaged{}{}", stream.msg != nullptr ? ": " : "",
                                 stream.msg != nullptr ? stream.msg : "");
            ended_ = true;
        }
    }
    const auto got = static_cast<std::size_t>(room - stream.avail_out);
    if (full && got != 0) {
        error_ = fmt::format(
            "larger than {} bytes when uncompressed; use zcat FILE | helio explain", size_max_);
        ended_ = true;
        return 0;
    }
    unpacked_ += got;
    return got;
}

// After a member: zeros and other trailing bytes are ignored, as gzip does.
bool GzipSource::next_member() {
    if (!refill() || *inflate_->stream.next_in != 0x1f) return false;
    return inflateReset(&inflate_->stream) == Z_OK;
}

}  // namespace helio::inspect
