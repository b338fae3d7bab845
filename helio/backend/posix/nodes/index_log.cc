#include "helio/backend/posix/nodes/index_log_internal.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "helio/base/assert.h"
#include "helio/base/siphash.h"

namespace helio::backend {

namespace {

constexpr std::size_t kHead = 16;        // of a record
constexpr std::uint16_t kGone = 0x8000;  // in its size
constexpr std::size_t kNameMax = 255;
// Size of the mapped end of the log, and the step by which it grows.
constexpr std::size_t kEndBytes = 1u << 20;
// Bytes read or written at a time.
constexpr std::size_t kWindowBytes = 1u << 20;
constexpr std::uint64_t kRewrittenBytesMin = 64u << 20;

std::size_t eight(std::size_t size) { return (size + 7) & ~std::size_t{7}; }

std::uint32_t checksum(ByteView bytes) {
    return static_cast<std::uint32_t>(siphash13(4, 5, bytes));
}

bool write_all(int fd, ByteView bytes, std::uint64_t offset) {
    while (!bytes.empty()) {
        const ssize_t wrote = pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(wrote));
        offset += static_cast<std::size_t>(wrote);
    }
    return true;
}

std::size_t read_some(int fd, std::span<std::byte> out, std::uint64_t offset) {
    const ssize_t got = pread(fd, out.data(), out.size(), static_cast<off_t>(offset));
    return got > 0 ? static_cast<std::size_t>(got) : 0;
}

}  // namespace

// The log begins with this.
struct IndexLog::Head {
    std::array<char, 8> magic{'h', 'e', 'l', 'i', 'o', 'i', 'x', '1'};
    std::uint8_t closed = 0;    // by a process that ended properly
    std::uint8_t complete = 1;  // nothing has been lost so far
    std::uint8_t root_size = 0;
    std::array<std::byte, vfs::kFileIdMax> root{};
    std::uint8_t filler = 0;

    ByteView bytes() const { return {reinterpret_cast<const std::byte*>(this), sizeof *this}; }
};

void IndexRecord::encode() {
    HELIO_ASSERT(name.size() <= kNameMax);
    const std::size_t length = kHead + id.size + parent.size + name.size();
    size = eight(length);
    const auto length_word =
        static_cast<std::uint16_t>(length | (binding == Binding::gone ? kGone : 0));
    std::byte* const at = storage.data();
    std::memcpy(at + 4, &length_word, 2);
    at[6] = static_cast<std::byte>(id.size);
    at[7] = static_cast<std::byte>(parent.size);
    std::memcpy(at + 8, &inode, 8);
    std::memcpy(at + kHead, id.bytes.data(), id.size);
    std::memcpy(at + kHead + id.size, parent.bytes.data(), parent.size);
    if (!name.empty()) std::memcpy(at + kHead + id.size + parent.size, name.data(), name.size());
    std::fill(at + length, at + size, std::byte{0});
    const std::uint32_t sum = checksum({at + 4, length - 4});
    std::memcpy(at, &sum, 4);
}

bool IndexRecord::parse(std::size_t have) {
    if (have < kHead) return false;
    std::uint32_t sum;
    std::uint16_t length;
    std::memcpy(&sum, storage.data(), 4);
    std::memcpy(&length, storage.data() + 4, 2);
    binding = (length & kGone) != 0 ? Binding::gone : Binding::seen;
    length &= static_cast<std::uint16_t>(~kGone);
    const std::size_t id_size = std::to_integer<std::size_t>(storage[6]);
    const std::size_t parent_size = std::to_integer<std::size_t>(storage[7]);
    size = eight(length);
    if (size > have || length < kHead + id_size + parent_size || id_size > vfs::kFileIdMax ||
        parent_size > vfs::kFileIdMax)
        return false;
    if (sum != checksum(ByteView{storage}.subspan(4, length - 4u))) return false;
    std::memcpy(&inode, storage.data() + 8, 8);
    id = vfs::FileId::copy_of(ByteView{storage}.subspan(kHead, id_size));
    parent = vfs::FileId::copy_of(ByteView{storage}.subspan(kHead + id_size, parent_size));
    const std::size_t before = kHead + id_size + parent_size;
    name = as_text(ByteView{storage}.subspan(before, length - before));
    return true;
}

IndexLog::IndexLog(const std::string& path, const vfs::FileId& root)
    : path_(path), root_(root), rewrite_at_(kRewrittenBytesMin) {
    static_assert(sizeof(Head) == 32);
    Fd fd;
    if (path.empty()) {
        fd = Fd{memfd_create("helio-index", MFD_CLOEXEC)};
        if (!fd) throw std::runtime_error(std::string("no memory file: ") + strerror(errno));
    } else {
        fd = open_log();
    }
    file_ = std::make_shared<const Fd>(std::move(fd));
}

// Somebody may have prepared the name to make us overwrite another file.
Fd IndexLog::open_log() {
    const std::filesystem::path path{path_};
    const auto parent = path.parent_path();
    name_ = path.filename().string();
    auto directory = TrustedDirectory::open(parent.empty() ? "." : parent.string());
    if (!directory)
        throw std::runtime_error("cannot open the index " + path_ + ": " + directory.error().text);
    directory_ = std::move(*directory);
    auto log = directory_->open_file(name_, O_RDWR | O_CREAT);
    if (!log) throw std::runtime_error("cannot open the index: " + log.error().text);
    return std::move(*log);
}

IndexLog::~IndexLog() {
    unmap_end();
    const std::array<std::uint8_t, 2> closed{1, complete_};
    if (!broken_ && fdatasync(file_->get()) == 0)
        static_cast<void>(pwrite(file_->get(), closed.data(), 2, offsetof(Head, closed)));
}

// Makes room for a record and maps it. The space must be allocated: writing to a mapping that the
// disk has no room for would kill the process.
bool IndexLog::map_end() {
    if (end_ != nullptr && size_ + kIndexRecordMax <= end_begin_ + kEndBytes) [[likely]]
        return true;
    if (broken_) return false;
    unmap_end();
    const std::uint64_t begin = size_ & ~std::uint64_t{4095};
    const int error = posix_fallocate(file_->get(), static_cast<off_t>(begin), kEndBytes);
    void* const mapped = error != 0 ? MAP_FAILED
                                    : mmap(nullptr, kEndBytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                                           file_->get(), static_cast<off_t>(begin));
    if (mapped == MAP_FAILED) {
        broken_ = true;  // a full disk: ids hold while this process lives, if their files are found
        return false;
    }
    end_ = static_cast<std::byte*>(mapped);
    end_begin_ = begin;
    return true;
}

void IndexLog::unmap_end() {
    if (end_ == nullptr) return;
    munmap(std::exchange(end_, nullptr), kEndBytes);
    if (ftruncate(file_->get(), static_cast<off_t>(size_)) != 0) broken_ = true;
}

IndexLog::Head IndexLog::head_of(Contents contents) const {
    Head head;
    head.complete = contents == Contents::complete;
    head.root_size = root_.size;
    head.root = root_.bytes;
    return head;
}

void IndexLog::load(const Each& each) {
    const int log = file_->get();
    Head head;
    const ssize_t got = pread(log, &head, sizeof head, 0);
    if (got == 0) return begin_anew(Contents::complete);
    if (got != sizeof head || head.magic != Head{}.magic || head.root_size != root_.size ||
        head.root != root_.bytes)
        return begin_anew(Contents::incomplete);
    complete_ = head.complete != 0 && head.closed != 0;

    std::vector<std::byte> window(kWindowBytes);
    IndexRecord record;
    std::uint64_t at = sizeof head;
    std::size_t have = 0;
    bool more = true;
    for (std::size_t used = 0;;) {
        if (more && have - used < kIndexRecordMax) {
            std::memmove(window.data(), window.data() + used, have - used);
            have -= used;
            used = 0;
            const std::size_t read = read_some(log, std::span{window}.subspan(have), at + have);
            more = read > 0;
            have += read;
        }
        const std::size_t visible = std::min(have - used, kIndexRecordMax);
        std::memcpy(record.storage.data(), window.data() + used, visible);
        if (!record.parse(visible)) {
            // Zeros are unused room; anything else is a torn tail.
            if (std::any_of(record.storage.begin(),
                            record.storage.begin() + static_cast<std::ptrdiff_t>(visible),
                            [](std::byte one) { return one != std::byte{0}; }))
                complete_ = false;
            break;
        }
        outdated_bytes_ += each(record, static_cast<std::uint32_t>(at / 8));
        at += record.size;
        used += record.size;
    }
    size_ = at;
    if (ftruncate(log, static_cast<off_t>(at)) != 0) broken_ = true;
    const std::array<std::uint8_t, 2> open_now{0, complete_};
    static_cast<void>(pwrite(log, open_now.data(), 2, offsetof(Head, closed)));
}

void IndexLog::begin_anew(Contents contents) {
    const Head head = head_of(contents);
    complete_ = contents == Contents::complete;
    size_ = sizeof head;
    if (ftruncate(file_->get(), 0) != 0 || !write_all(file_->get(), head.bytes(), 0))
        throw std::runtime_error("cannot write the index " + path_ + ": " + strerror(errno));
}

std::optional<std::uint32_t> IndexLog::append(const IndexRecord& record,
                                              std::size_t outdated_bytes) {
    const std::lock_guard lock{mutex_};
    const std::uint64_t place = size_ / 8;
    if (place > UINT32_MAX || !map_end()) {
        complete_ = false;  // such names are found by searching
        return std::nullopt;
    }
    std::memcpy(end_ + (size_ - end_begin_), record.storage.data(), record.size);
    size_ += record.size;
    outdated_bytes_ += outdated_bytes;
    return static_cast<std::uint32_t>(place);
}

bool IndexLog::read(const Fd& file, std::uint32_t place, IndexRecord& out) {
    return out.parse(read_some(file.get(), out.storage, std::uint64_t{place} * 8));
}

// ---- Rewriting ----

bool IndexLog::is_worth_rewriting() {
    const std::lock_guard lock{mutex_};
    return !broken_ && size_ > rewrite_at_ && outdated_bytes_ > size_ / 2;
}

IndexLog::Position IndexLog::position() {
    const std::lock_guard lock{mutex_};
    return {size_, outdated_bytes_};
}

Fd IndexLog::open_rewritten() const {
    if (!directory_) return Fd{memfd_create("helio-index", MFD_CLOEXEC)};
    auto file = directory_->replace_file(rewritten_name(), O_RDWR);
    return file ? std::move(*file) : Fd{};
}

std::unique_ptr<IndexLog::Rewriting> IndexLog::rewrite(const Position& begun) {
    {
        const std::lock_guard lock{mutex_};
        rewrite_at_ = std::max(rewrite_at_, 2 * begun.size);  // if it fails, do not retry at once
    }
    Fd fd = open_rewritten();
    if (!fd) return nullptr;
    const Head head = head_of(is_complete() ? Contents::complete : Contents::incomplete);
    return std::make_unique<Rewriting>(std::move(fd), file_, begun, head.bytes());
}

std::optional<std::int64_t> IndexLog::replace_with(Rewriting& fresh) {
    const std::lock_guard lock{mutex_};
    const std::uint64_t before = fresh.size_;
    if (!fresh.copy_tail(size_)) return std::nullopt;
    if (directory_ && renameat(directory_->descriptor(), rewritten_name().c_str(),
                               directory_->descriptor(), name_.c_str()) != 0)
        return std::nullopt;
    if (end_ != nullptr) munmap(std::exchange(end_, nullptr), kEndBytes);
    file_ = std::make_shared<const Fd>(std::move(fresh.fd_));
    size_ = fresh.size_;
    outdated_bytes_ -= fresh.begun_.outdated_bytes;
    rewrite_at_ = std::max(kRewrittenBytesMin, 2 * size_);
    return static_cast<std::int64_t>(before / 8) - static_cast<std::int64_t>(fresh.begun_.size / 8);
}

IndexLog::Rewriting::Rewriting(Fd fd, File old, const Position& begun, ByteView head)
    : fd_(std::move(fd)),
      old_(std::move(old)),
      begun_(begun),
      out_(head.begin(), head.end()),
      window_(kWindowBytes) {}

// At least `wanted` bytes from there, if the old log has them, through the window.
ByteView IndexLog::Rewriting::read_old(std::uint64_t offset, std::uint64_t end,
                                       std::size_t wanted) {
    wanted = std::min<std::uint64_t>(wanted, end - offset);
    if (offset < window_begin_ || offset + wanted > window_begin_ + window_size_) {
        const std::size_t size = std::min<std::uint64_t>(window_.size(), end - offset);
        window_begin_ = offset;
        window_size_ = read_some(old_->get(), std::span{window_}.first(size), offset);
    }
    const std::size_t skip = offset - window_begin_;
    return ByteView{window_}.subspan(skip, window_size_ - skip);
}

std::optional<std::uint32_t> IndexLog::Rewriting::copy(std::uint32_t place) {
    const ByteView there = read_old(std::uint64_t{place} * 8, begun_.size, kIndexRecordMax);
    const std::size_t have = std::min(there.size(), kIndexRecordMax);
    std::memcpy(record_.storage.data(), there.data(), have);
    if (!record_.parse(have)) return std::nullopt;
    const std::uint64_t at = size_ + out_.size();
    const ByteView bytes = record_.bytes();
    out_.insert(out_.end(), bytes.begin(), bytes.end());
    if (out_.size() >= kWindowBytes) good_ = write_out() && good_;
    return static_cast<std::uint32_t>(at / 8);
}

bool IndexLog::Rewriting::write_out() {
    const bool written = write_all(fd_.get(), out_, size_);
    size_ += out_.size();
    out_.clear();
    return written;
}

bool IndexLog::Rewriting::finish() {
    good_ = write_out() && good_;
    return good_ && fdatasync(fd_.get()) == 0;
}

// Copies what was appended since the beginning.
bool IndexLog::Rewriting::copy_tail(std::uint64_t end) {
    window_size_ = 0;  // it may have been read before they were written
    for (std::uint64_t at = begun_.size; at < end;) {
        const ByteView bytes = read_old(at, end, 1);
        if (bytes.empty()) return false;
        out_.assign(bytes.begin(), bytes.end());
        if (!write_out()) return false;
        at += bytes.size();
    }
    return true;
}

}  // namespace helio::backend
