// GzipSource: unpacks a gzip file (RFC 1952) while it is read, with zlib. Consecutive members are
// one file, as for gzip itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "helio/base/bytes.h"
#include "helio/inspect/capture/source.h"

namespace helio::inspect {

// The size that one file may unpack to. Deflate packs up to 1032 to 1, so a small file could keep
// us busy for days; an hour is enough for an untrusted file.
inline constexpr std::uint64_t kUnpackedSizeMax = std::uint64_t{1} << 40;

// Does a file that begins with these bytes look like gzip?
bool is_gzip(ByteView first);

class GzipSource final : public ByteSource {
 public:
    // Borrows `packed`.
    explicit GzipSource(ByteSource& packed, std::uint64_t size_max = kUnpackedSizeMax);
    ~GzipSource() override;

    std::size_t read(std::span<std::byte> into) override;
    // An error of the packed file or of zlib, or that size_max was reached.
    std::string error() const override { return error_; }

 private:
    struct Inflate;
    bool refill();
    bool next_member();

    ByteSource& packed_;
    const std::uint64_t size_max_;
    std::unique_ptr<Inflate> inflate_;
    std::vector<std::byte> buffer_;
    std::uint64_t unpacked_ = 0;
    bool ended_ = false;
    std::string error_;
};

}  // namespace helio::inspect
