// ByteSource: a capture's bytes, read once, front to back: from a file, a pipe or memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "helio/base/bytes.h"
#include "helio/base/fd.h"

namespace helio::inspect {

class ByteSource {
 public:
    virtual ~ByteSource() = default;
    // Reads at most into.size() bytes; 0 at the end, or where reading failed (see error()).
    virtual std::size_t read(std::span<std::byte> into) = 0;
    virtual std::string error() const { return {}; }  // why there is no more; empty: the end
    virtual std::uint64_t size() const { return 0; }  // total, for a progress bar; 0: unknown
};

class MemorySource final : public ByteSource {
 public:
    explicit MemorySource(ByteView bytes) : bytes_(bytes) {}
    std::size_t read(std::span<std::byte> into) override;
    std::uint64_t size() const override { return size_; }

 private:
    ByteView bytes_;
    std::uint64_t size_ = bytes_.size();
};

class FileSource final : public ByteSource {
 public:
    explicit FileSource(Fd fd);
    std::size_t read(std::span<std::byte> into) override;
    std::string error() const override;
    std::uint64_t size() const override { return size_; }

 private:
    Fd fd_;
    int error_ = 0;  // errno
    std::uint64_t size_ = 0;
};

// Bytes already read from `rest` to recognise the format, followed by `rest`. Both are borrowed.
class RejoinedSource final : public ByteSource {
 public:
    RejoinedSource(ByteView first, ByteSource& rest) : first_(first), rest_(rest) {}
    std::size_t read(std::span<std::byte> into) override;
    std::string error() const override { return rest_.error(); }
    std::uint64_t size() const override { return rest_.size(); }

 private:
    MemorySource first_;
    ByteSource& rest_;
};

}  // namespace helio::inspect
