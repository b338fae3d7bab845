// InputFile: a file, compressed by gzip or not, whose format is recognised from its beginning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "helio/inspect/capture/gzip.h"
#include "helio/inspect/capture/source.h"

namespace helio::inspect {

enum class InputKind : std::uint8_t { capture, text, stream };

class InputFile final : public ByteSource {
 public:
    // Opens it, "-" for standard input, and reads its beginning. Throws std::runtime_error.
    explicit InputFile(const std::string& path);

    // Throws std::runtime_error with a hint for a file compressed by anything but gzip.
    InputKind kind() const;
    const std::string& name() const { return name_; }
    // The first 64 KiB.
    ByteView beginning() const { return beginning_; }
    std::size_t read(std::span<std::byte> into) override { return whole_->read(into); }
    std::string error() const override { return content().error(); }
    // The size of the content; unknown for a compressed file.
    std::uint64_t size() const override { return content().size(); }
    // The whole content; throws std::runtime_error if it has more than `size_max` bytes.
    std::vector<std::byte> read_all(std::size_t size_max);

 private:
    const ByteSource& content() const;
    void read_beginning(ByteSource& source);

    std::string name_;
    std::unique_ptr<FileSource> source_;
    std::unique_ptr<RejoinedSource> packed_;  // of a gzip file
    std::unique_ptr<GzipSource> unpacked_;
    std::vector<std::byte> packed_beginning_;
    std::vector<std::byte> beginning_;  // of what is read
    std::unique_ptr<RejoinedSource> whole_;
};

}  // namespace helio::inspect
