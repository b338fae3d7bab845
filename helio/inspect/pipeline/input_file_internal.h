// InputFile: a file whose format is recognised from its beginning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "helio/inspect/capture/source.h"

namespace helio::inspect {

enum class InputKind : std::uint8_t { capture, text, stream };

class InputFile final : public ByteSource {
 public:
    // Opens it, "-" for standard input, and reads its beginning. Throws std::runtime_error.
    explicit InputFile(const std::string& path);

    // Throws std::runtime_error for a compressed file, with a hint.
    InputKind kind() const;
    const std::string& name() const { return name_; }
    std::size_t read(std::span<std::byte> into) override { return whole_->read(into); }
    int error() const override { return source_->error(); }
    std::uint64_t size() const override { return source_->size(); }
    // All of it; throws std::runtime_error when that is more than `size_max` bytes.
    std::vector<std::byte> read_all(std::size_t size_max);

 private:
    std::string name_;
    std::unique_ptr<FileSource> source_;
    std::vector<std::byte> beginning_;
    std::unique_ptr<RejoinedSource> whole_;
};

}  // namespace helio::inspect
