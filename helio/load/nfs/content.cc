#include "helio/load/nfs/content.h"

#include <algorithm>
#include <cstring>

#include "helio/base/assert.h"
#include "helio/base/hash.h"

namespace helio::load::nfs {

namespace {

// A prime a little above 1 MiB.
constexpr std::size_t kRound = 1'048'583;
// Distance between the beginnings of files: a run has too few files to wrap around to a neighbour.
constexpr std::size_t kFileStep = 52'429;
// Size and distance of samples: a wrong page is found in the first reply that contains it.
constexpr std::size_t kSample = 16;
constexpr std::size_t kSampleEvery = 64u << 10;

std::size_t place(std::uint32_t file, std::uint64_t offset) {
    return static_cast<std::size_t>((file * std::uint64_t{kFileStep} + offset % kRound) % kRound);
}

}  // namespace

Content::Content() : bytes_(kRound + kTransferBytesMax) {
    for (std::size_t i = 0; i < kRound; i += 8) {
        const std::uint64_t word = mixed(i + kGoldenRatio);
        std::memcpy(bytes_.data() + i, &word, std::min<std::size_t>(8, kRound - i));
    }
    for (std::size_t i = kRound; i < bytes_.size(); ++i) bytes_[i] = bytes_[i - kRound];
}

ByteView Content::range(std::uint32_t file, std::uint64_t offset, std::size_t size) const {
    HELIO_ASSERT(size <= kTransferBytesMax);
    return ByteView{bytes_}.subspan(place(file, offset), size);
}

std::optional<std::size_t> Content::first_difference(std::uint32_t file, std::uint64_t offset,
                                                     ByteView bytes, Look look) const {
    if (bytes.size() > kTransferBytesMax) return kTransferBytesMax;
    const ByteView wanted = range(file, offset, bytes.size());
    const auto differs = [&](std::size_t at, std::size_t size) -> std::optional<std::size_t> {
        if (std::memcmp(bytes.data() + at, wanted.data() + at, size) == 0) return std::nullopt;
        const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(at);
        const auto found =
            std::mismatch(from, bytes.end(), wanted.begin() + static_cast<std::ptrdiff_t>(at));
        return static_cast<std::size_t>(found.first - bytes.begin());
    };
    if (look == Look::all || bytes.size() <= 2 * kSample)
        return bytes.empty() ? std::nullopt : differs(0, bytes.size());
    for (std::size_t at = 0; at + kSample <= bytes.size(); at += kSampleEvery)
        if (const auto found = differs(at, kSample)) return found;
    // Catches a partly wrong page too.
    if (const auto found = differs(bytes.size() / 2, kSample)) return found;
    return differs(bytes.size() - kSample, kSample);
}

}  // namespace helio::load::nfs
