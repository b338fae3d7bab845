// Window: the stretch of a ByteSource that is being looked at. One buffer slides over the source;
// what was taken stays where it is until more has to be read, so packets are used in place. The
// buffer grows only while bytes come that fill it, never by what a length in the file claims.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "helio/base/bytes.h"
#include "helio/inspect/capture/source.h"

namespace helio::inspect {

class Window final {
 public:
    // `source` is borrowed and has to live as long.
    explicit Window(ByteSource& source) : source_(source) {}

    // True: at least `size` bytes are there from data() on. False: the source has ended before.
    // What data() was may have moved.
    bool ensure(std::size_t size) { return size <= available() || fill(size); }

    const std::byte* data() const { return begin_; }
    std::size_t available() const { return static_cast<std::size_t>(end_ - begin_); }
    ByteView bytes() const { return {begin_, available()}; }

    // Past bytes that are there; they stay valid until the next ensure() or skip().
    void take(std::size_t size) { begin_ += size; }
    // Past bytes that may not have been read. How many of them the source did not have.
    std::uint64_t skip(std::uint64_t size);

    // Where in the source data() is.
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
