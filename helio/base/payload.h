// Payload: the bulk data of a message, either bytes in memory or a piece of an open file. A
// transport may send a piece of a file without copying it through this process (sendfile). A
// Payload borrows: its creator keeps the bytes, or the FilePiece and its descriptor, until the
// message has been sent.
//
// Decoded payloads are always bytes. Code that must read the data of either kind (a checksum,
// encryption, a recording) calls copy_to().
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "helio/base/assert.h"
#include "helio/base/bytes.h"

namespace helio {

struct FilePiece {
    int descriptor = -1;
    std::uint64_t offset = 0;  // of the first byte in the file
};

class Payload final {
 public:
    constexpr Payload() : bytes_(nullptr) {}
    constexpr Payload(ByteView bytes) : bytes_(bytes.data()), size_(checked(bytes.size())) {}
    template <class Bytes>  // a vector or an array of bytes
    requires(std::is_convertible_v<const Bytes&, ByteView> &&
             !std::is_same_v<Bytes, Payload>) constexpr Payload(const Bytes& bytes)
        : Payload(ByteView{bytes}) {}
    Payload(const FilePiece& piece, std::size_t size)
        : file_(&piece), size_(checked(size)), kind_(Kind::file) {}

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    bool is_file() const { return kind_ == Kind::file; }

    // For bytes in memory only.
    ByteView bytes() const {
        HELIO_ASSERT(!is_file());
        return {bytes_, size_};
    }
    operator ByteView() const { return bytes(); }
    // For a piece of a file only.
    const FilePiece& file() const {
        HELIO_ASSERT(is_file());
        return *file_;
    }

    // Copies `size` bytes starting at `offset`, reading the file if it is one. A file that has
    // become shorter since its size was promised is padded with zeros. False if it cannot be read;
    // errno says why.
    [[nodiscard]] bool copy_to(std::byte* to, std::size_t offset, std::size_t size) const;
    [[nodiscard]] bool copy_to(std::byte* to) const { return copy_to(to, 0, size_); }

 private:
    static constexpr std::uint32_t checked(std::size_t size) {
        HELIO_ASSERT(size <= UINT32_MAX);  // XDR counts bytes in 32 bits
        return static_cast<std::uint32_t>(size);
    }

    enum class Kind : std::uint8_t { bytes, file };
    union {
        const std::byte* bytes_;
        const FilePiece* file_;
    };
    std::uint32_t size_ = 0;
    Kind kind_ = Kind::bytes;
};

// The same bytes, or the same piece of the same file.
bool operator==(const Payload& a, const Payload& b);

}  // namespace helio
