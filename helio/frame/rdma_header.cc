#include "helio/frame/rdma_header.h"

#include <fmt/format.h>

#include <limits>

#include "helio/xdr/wire.h"

namespace helio::frame {
namespace {

constexpr std::uint32_t kErrVers = 1;
constexpr std::uint32_t kErrChunk = 2;

class HeaderReader final {
 public:
    HeaderReader(ByteView bytes, RdmaHeader& header, const RdmaHeaderLimits& limits)
        : bytes_(bytes), header_(header), limits_(limits) {}

    bool read() {
        std::uint32_t kind = 0;
        // RFC 8166 §4.1: these four words are the same in every version.
        if (!word(header_.xid) || !word(header_.version) || !word(header_.credits)) return false;
        if (header_.version != kRdmaVersion)
            return wrong(RdmaFault::version, header_.version, kRdmaVersion, 4);
        if (!word(kind)) return false;
        if (kind > static_cast<std::uint32_t>(RdmaKind::error))
            return wrong(RdmaFault::kind, kind, static_cast<std::uint32_t>(RdmaKind::error));
        header_.kind = static_cast<RdmaKind>(kind);
        if (!body()) return false;
        header_.size = at_;
        return true;
    }
    const RdmaHeaderError& error() const { return error_; }

 private:
    bool body() {
        std::uint32_t unused = 0;
        switch (header_.kind) {
            case RdmaKind::padded:
                if (!word(unused) || !word(unused)) return false;
                [[fallthrough]];
            case RdmaKind::message:
            case RdmaKind::no_message:
                return read_list() && write_list() && reply_chunk();
            case RdmaKind::done:
                return true;
            case RdmaKind::error:
                return peers_error();
        }
        return false;
    }

    bool read_list() {
        std::uint64_t total = 0;
        for (;;) {
            bool more = false;
            if (!presence(more)) return false;
            if (!more) return true;
            if (!count_segment(1)) return false;
            RdmaReadSegment read;
            if (!word(read.position)) return false;
            if (!position(read.position) || !segment(read.target, total)) return false;
            header_.reads.push_back(read);
        }
    }

    bool position(std::uint32_t value) {
        if (value % 4 != 0) return wrong(RdmaFault::position_alignment, value, 4);
        if (!header_.reads.empty() && value < header_.reads.back().position)
            return wrong(RdmaFault::position_order, value, header_.reads.back().position);
        if (value == 0 && header_.kind != RdmaKind::no_message)
            return wrong(RdmaFault::position_zero, 0, 0);
        return true;
    }

    bool write_list() {
        std::uint64_t total = 0;
        for (;;) {
            bool more = false;
            if (!presence(more)) return false;
            if (!more) return true;
            if (header_.write_ends.size() >= limits_.write_chunks)
                return wrong(RdmaFault::too_many_chunks, header_.write_ends.size() + 1,
                             limits_.write_chunks);
            if (!chunk(header_.write_segments, total)) return false;
            header_.write_ends.push_back(static_cast<std::uint32_t>(header_.write_segments.size()));
        }
    }

    bool reply_chunk() {
        std::uint64_t total = 0;
        return presence(header_.has_reply) && (!header_.has_reply || chunk(header_.reply, total));
    }

    bool chunk(std::vector<RdmaSegment>& to, std::uint64_t& total) {
        std::uint32_t count = 0;
        if (!word(count) || !count_segment(count)) return false;
        for (std::uint32_t i = 0; i < count; ++i) {
            RdmaSegment read;
            if (!segment(read, total)) return false;
            to.push_back(read);
        }
        return true;
    }

    bool segment(RdmaSegment& to, std::uint64_t& total) {
        std::uint32_t high = 0;
        std::uint32_t low = 0;
        if (!word(to.handle) || !word(to.length)) return false;
        total += to.length;
        if (total > limits_.list_bytes)
            return wrong(RdmaFault::list_too_long, total, limits_.list_bytes);
        if (!word(high) || !word(low)) return false;
        to.offset = std::uint64_t{high} << 32 | low;
        const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - to.offset;
        if (to.length > room) return wrong(RdmaFault::segment_end, to.length, room, at_ - 8);
        return true;
    }

    bool peers_error() {
        if (!word(header_.error_code)) return false;
        if (header_.error_code == kErrChunk) return true;
        if (header_.error_code != kErrVers)
            return wrong(RdmaFault::error_code, header_.error_code, kErrChunk);
        return word(header_.version_low) && word(header_.version_high);
    }

    bool count_segment(std::uint32_t more) {
        segments_ += more;
        if (segments_ <= limits_.segments) return true;
        return wrong(RdmaFault::too_many_segments, segments_, limits_.segments);
    }

    bool presence(bool& to) {
        std::uint32_t value = 0;
        if (!word(value)) return false;
        if (value > 1) return wrong(RdmaFault::presence, value, 1);
        to = value == 1;
        return true;
    }

    bool word(std::uint32_t& to) {
        if (bytes_.size() - at_ < 4)
            return wrong(RdmaFault::truncated, bytes_.size(), at_ + 4, at_);
        to = xdr::load_u32(bytes_.data() + at_);
        at_ += 4;
        return true;
    }

    bool wrong(RdmaFault fault, std::uint64_t got, std::uint64_t limit) {
        return wrong(fault, got, limit, at_ - 4);
    }
    bool wrong(RdmaFault fault, std::uint64_t got, std::uint64_t limit, std::size_t offset) {
        error_ = {fault, static_cast<std::uint32_t>(offset), got, limit};
        return false;
    }

    ByteView bytes_;
    RdmaHeader& header_;
    const RdmaHeaderLimits& limits_;
    std::size_t at_ = 0;
    std::uint64_t segments_ = 0;
    RdmaHeaderError error_;
};

void clear(RdmaHeader& header) {
    header.xid = header.version = header.credits = 0;
    header.kind = RdmaKind::message;
    header.size = 0;
    header.reads.clear();
    header.write_segments.clear();
    header.write_ends.clear();
    header.has_reply = false;
    header.reply.clear();
    header.error_code = header.version_low = header.version_high = 0;
}

}  // namespace

std::uint64_t bytes_of(std::span<const RdmaSegment> segments) {
    std::uint64_t total = 0;
    for (const RdmaSegment& segment : segments) total += segment.length;
    return total;
}

namespace {

// The usual header, of a message that is completely inline: the kind and three absent lists. False
// if it is anything else.
bool take_plain(ByteView bytes, RdmaHeader& header) {
    constexpr std::size_t kSize = 28;
    if (bytes.size() < kSize || xdr::load_u32(bytes.data() + 4) != kRdmaVersion ||
        xdr::load_u64(bytes.data() + 12) != 0 || xdr::load_u64(bytes.data() + 20) != 0)
        return false;
    header.xid = xdr::load_u32(bytes.data());
    header.version = kRdmaVersion;
    header.credits = xdr::load_u32(bytes.data() + 8);
    header.size = kSize;
    return true;
}

}  // namespace

Result<void, RdmaHeaderError> read_rdma_header(ByteView bytes, RdmaHeader& header,
                                               const RdmaHeaderLimits& limits) {
    clear(header);
    if (take_plain(bytes, header)) return {};
    HeaderReader reader{bytes, header, limits};
    if (!reader.read()) return fail(reader.error());
    return {};
}

std::string to_text(const RdmaHeaderError& error) {
    const auto at = [&](std::string_view what) {
        return fmt::format("{} at byte {}", what, error.offset);
    };
    switch (error.fault) {
        case RdmaFault::truncated:
            return fmt::format("the header ends after {} bytes, inside the word at byte {}",
                               error.got, error.offset);
        case RdmaFault::version:
            return fmt::format("version {}; only {} is known", error.got, error.limit);
        case RdmaFault::kind:
            return at(fmt::format("message type {}", error.got));
        case RdmaFault::presence:
            return at(fmt::format("{} where 0 or 1 says whether more follows", error.got));
        case RdmaFault::too_many_segments:
            return at(fmt::format("{} segments, more than {},", error.got, error.limit));
        case RdmaFault::too_many_chunks:
            return at(fmt::format("{} write chunks, more than {},", error.got, error.limit));
        case RdmaFault::position_alignment:
            return at(fmt::format("a position of {}", error.got)) +
                   ": positions are multiples of 4";
        case RdmaFault::position_order:
            return at(fmt::format("a position of {} behind one of {}", error.got, error.limit));
        case RdmaFault::position_zero:
            return at("position 0") + ", though the message follows the header";
        case RdmaFault::segment_end:
            return at(fmt::format("a segment of {} bytes", error.got)) +
                   " that runs past the end of memory";
        case RdmaFault::list_too_long:
            return at(fmt::format("chunks of {} bytes, more than {},", error.got, error.limit));
        case RdmaFault::error_code:
            return at(fmt::format("error code {}", error.got));
    }
    return {};
}

}  // namespace helio::frame
