#include "helio/inspect/pipeline/input_file_internal.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

#include "helio/inspect/capture/reader.h"

namespace helio::inspect {
namespace {

constexpr std::size_t kBeginningSize = 64u << 10;

bool is_text(ByteView bytes) {
    return std::none_of(bytes.begin(), bytes.end(), [](std::byte b) {
        const auto c = std::to_integer<unsigned char>(b);
        return (c < 0x20 && (c < '\t' || c > '\r') && c != 0x1b) || c == 0x7f;
    });
}

}  // namespace

InputFile::InputFile(const std::string& path) : name_(path == "-" ? "standard input" : path) {
    const int fd = path == "-" ? dup(STDIN_FILENO) : open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        throw std::runtime_error(fmt::format("cannot read '{}': {}", name_, std::strerror(errno)));
    source_ = std::make_unique<FileSource>(Fd{fd});
    read_beginning(*source_);
    if (is_gzip(beginning_)) {
        packed_beginning_ = std::move(beginning_);
        packed_ = std::make_unique<RejoinedSource>(packed_beginning_, *source_);
        unpacked_ = std::make_unique<GzipSource>(*packed_);
        read_beginning(*unpacked_);
    }
    if (beginning_.empty() && !error().empty())
        throw std::runtime_error(fmt::format("cannot read '{}': {}", name_, error()));
    if (unpacked_)
        whole_ = std::make_unique<RejoinedSource>(beginning_, *unpacked_);
    else
        whole_ = std::make_unique<RejoinedSource>(beginning_, *source_);
}

const ByteSource& InputFile::content() const {
    if (unpacked_) return *unpacked_;
    return *source_;
}

void InputFile::read_beginning(ByteSource& source) {
    beginning_.resize(kBeginningSize);
    std::size_t have = 0;
    while (have < beginning_.size()) {
        const std::size_t got = source.read(std::span{beginning_}.subspan(have));
        if (got == 0) break;
        have += got;
    }
    beginning_.resize(have);
}

InputKind InputFile::kind() const {
    if (recognise(beginning_) != CaptureKind::none) return InputKind::capture;
    if (const auto hint = packed_file_hint(beginning_); !hint.empty())
        throw std::runtime_error(fmt::format("{}: {}", name_, hint));
    return is_text(beginning_) ? InputKind::text : InputKind::stream;
}

std::vector<std::byte> InputFile::read_all(std::size_t size_max) {
    std::vector<std::byte> all;
    for (;;) {
        const std::size_t before = all.size();
        all.resize(before + kBeginningSize);
        const std::size_t got = read(std::span{all}.subspan(before));
        all.resize(before + got);
        if (got == 0 && !error().empty())
            throw std::runtime_error(fmt::format("cannot read '{}': {}", name_, error()));
        if (got == 0) return all;
        if (all.size() > size_max)
            throw std::runtime_error(
                fmt::format("'{}' is larger than {} bytes, the limit for text", name_, size_max));
    }
}

}  // namespace helio::inspect
