// Window: a buffer that slides over a ByteSource. Bytes stay in place until more have to be read,
// so packets are used without a copy. The buffer grows only as bytes arrive, never because of a
// length that the file claims.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "helio/base/bytes.h"
#include "helio/inspect/capture/source.h"

namespace helio::inspect {

class Window final {
 public:
    // `source` is borrowed and must outlive the window.
    explicit Window(ByteSource& source) : source_(source) {}

    // True: at least `size` bytes are available at data(), which may have moved. False: the source
    // ended first.
    bool ensure(std::size_t size) { return size <= available() || fill(size); }

    const std::byte* data() const { return begin_; }
    std::size_t available() const { return static_cast<std::size_t>(end_ - begin_); }
    ByteView bytes() const { return {begin_, available()}; }

    // Passes available bytes; they stay valid until the next ensure() or skip().
    void take(std::size_t size) { begin_ += size; }
    // Passes bytes that may not have been read yet. Returns how many the source did not have.
    std::uint64_t skip(std::uint64_t size);

    // data()'s offset in the source.
    std::uint64_t offset() const { return read_ - available(); }
    std::uint64_t read() const { return read_; }

 private:
    bool fill(std::size_t size);

    ByteSource& source_;
    std::unique_ptr<std::byte[]> buffer_;
    std::size_t capacity_ = 0;
    const std::byte* begin_ = nullptr;
    const std::byte* end_ = nullptr;
    std::uint64_t read_ = 0;
};

}  // namespace helio::inspect
