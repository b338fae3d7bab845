#include "helio/virt/client/transfer.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

namespace helio::virt {

namespace {

// In a file that cannot seek, a hole is written as zeros.
bool write_all(int file, ByteView bytes) {
    while (!bytes.empty()) {
        const ssize_t wrote = ::write(file, bytes.data(), bytes.size());
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote < 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(wrote));
    }
    return true;
}

bool write_zeros(int file, std::uint64_t count) {
    static constexpr std::byte kZeros[65536] = {};
    while (count > 0) {
        const std::size_t size =
            static_cast<std::size_t>(std::min<std::uint64_t>(count, sizeof kZeros));
        if (!write_all(file, {kZeros, size})) return false;
        count -= size;
    }
    return true;
}

bool skip(int file, std::uint64_t count, bool& ends_in_hole) {
    if (lseek(file, static_cast<off_t>(count), SEEK_CUR) < 0) {
        ends_in_hole = false;
        return errno == ESPIPE && write_zeros(file, count);
    }
    ends_in_hole = true;
    return true;
}

// The next stretch of data in the file, and the hole before it.
struct Extent {
    std::uint64_t hole = 0;
    std::uint64_t data = UINT64_MAX;
};
Extent extent_at(int file) {
    Extent out;
    const off_t here = lseek(file, 0, SEEK_CUR);
    if (here < 0) return out;
    off_t data = lseek(file, here, SEEK_DATA);
    if (data < 0 && errno == ENXIO) {  // a hole up to the end
        data = lseek(file, 0, SEEK_END);
        out.hole = static_cast<std::uint64_t>(std::max<off_t>(data - here, 0));
        out.data = 0;
        return out;
    }
    if (data < 0) return out;
    const off_t end = lseek(file, data, SEEK_HOLE);
    lseek(file, data, SEEK_SET);
    out.hole = static_cast<std::uint64_t>(data - here);
    if (end >= data) out.data = static_cast<std::uint64_t>(end - data);
    return out;
}

}  // namespace

Failure local_failure(std::string_view doing, int error_number) {
    Failure out;
    out.call.outcome = xdr::Outcome::system_error;
    out.call.error_number = error_number;
    out.error.message = std::string(doing) + ": " + std::strerror(error_number);
    return out;
}

Task<Result<std::uint64_t, Failure>> receive_into(ClientStream& stream, int file) {
    std::uint64_t total = 0;
    bool ends_in_hole = false;
    for (;;) {
        const auto piece = co_await stream.read();
        if (!piece) co_return fail(piece.error());
        if (piece->kind == StreamPiece::Kind::end) break;
        bool written = false;
        if (piece->kind == StreamPiece::Kind::hole) {
            written = skip(file, piece->hole, ends_in_hole);
            total += piece->hole;
        } else {
            written = write_all(file, piece->data);
            ends_in_hole = false;
            total += piece->data.size();
        }
        if (!written) co_return fail(local_failure("writing the file", errno));
    }
    if (ends_in_hole) {
        const off_t here = lseek(file, 0, SEEK_CUR);
        if (here < 0 || ftruncate(file, here) != 0)
            co_return fail(local_failure("writing the file", errno));
    }
    const auto finished = co_await stream.finish();
    if (!finished) co_return fail(finished.error());
    co_return total;
}

Task<Result<std::uint64_t, Failure>> send_from(ClientStream& stream, int file, std::uint64_t length,
                                               bool sparse) {
    std::vector<std::byte> buffer(frame::kStreamPacketMax);
    const std::uint64_t most = length == 0 ? UINT64_MAX : length;
    std::uint64_t total = 0;
    Extent extent;
    if (sparse) extent.data = 0;
    while (total < most) {
        if (sparse && extent.data == 0) {
            extent = extent_at(file);
            const std::uint64_t hole = std::min(extent.hole, most - total);
            if (hole > 0) {
                const auto sent = co_await stream.write_hole(hole);
                if (!sent) co_return fail(sent.error());
                total += hole;
            }
            if (extent.data == 0) break;
        }
        const std::uint64_t want =
            std::min({most - total, extent.data, static_cast<std::uint64_t>(buffer.size())});
        const ssize_t got = ::read(file, buffer.data(), static_cast<std::size_t>(want));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) co_return fail(local_failure("reading the file", errno));
        if (got == 0) break;
        const auto size = static_cast<std::size_t>(got);
        const auto sent = co_await stream.write(ByteView{buffer}.first(size));
        if (!sent) co_return fail(sent.error());
        total += size;
        if (extent.data != UINT64_MAX) extent.data -= size;
    }
    const auto finished = co_await stream.finish();
    if (!finished) co_return fail(finished.error());
    co_return total;
}

}  // namespace helio::virt
