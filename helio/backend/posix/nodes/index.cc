#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "helio/backend/posix/nodes/index_internal.h"
#include "helio/base/hash.h"
#include "helio/base/siphash.h"

namespace helio::backend {

namespace {

constexpr std::size_t kHead = 16;        // of a record
constexpr std::uint16_t kGone = 0x8000;  // in its size
constexpr std::size_t kRecordMax = kHead + 2 * vfs::kFileIdMax + 256 + 8;
// Size of the mapped end of the log, and the step by which it grows.
constexpr std::size_t kEndBytes = 1u << 20;
// Slots of the table: 0 is free, 1 was used once.
constexpr std::uint64_t kFree = 0;
constexpr std::uint64_t kTomb = 1;

// The log begins with this, and the root's id.
struct LogHead {
    std::array<char, 8> magic{'h', 'e', 'l', 'i', 'o', 'i', 'x', '1'};
    std::uint8_t closed = 0;    // by a process that ended as it should
    std::uint8_t complete = 1;  // nothing has been lost since the beginning
    std::uint8_t root_size = 0;
    std::array<std::byte, vfs::kFileIdMax> root{};
    std::uint8_t filler = 0;
};
static_assert(sizeof(LogHead) == 32);

std::size_t eight(std::size_t size) { return (size + 7) & ~std::size_t{7}; }

// Need not be strong: a collision gains nothing, because the index's answers are checked.
std::uint64_t mixed(std::uint64_t hash, ByteView bytes) {
    std::size_t at = 0;
    for (; at + 8 <= bytes.size(); at += 8) {
        std::uint64_t word;
        std::memcpy(&word, bytes.data() + at, 8);
        hash = folded_product(hash ^ word);
    }
    std::uint64_t last = bytes.size();
    for (; at < bytes.size(); ++at) last = last << 8 | std::to_integer<std::uint64_t>(bytes[at]);
    return folded_product(hash ^ last);
}

std::uint64_t hash_of(const vfs::FileId& id) { return std::hash<vfs::FileId>{}(id); }
std::uint16_t id_tag(std::uint64_t hash) { return static_cast<std::uint16_t>(hash >> 48); }
std::uint16_t binding_of(const vfs::FileId& parent, std::string_view name) {
    return static_cast<std::uint16_t>(Index::name_hash(parent, name) >> 16);
}
std::uint32_t checksum(ByteView bytes) {
    return static_cast<std::uint32_t>(siphash13(4, 5, bytes));
}

// place | id tag | binding: a place is never 0 or 1, because the log begins with its header.
std::uint64_t slot(std::uint32_t place, std::uint64_t hash, std::uint16_t binding) {
    return std::uint64_t{place} << 32 | std::uint32_t{id_tag(hash)} << 16 | binding;
}
std::uint32_t place_of(std::uint64_t slot) { return static_cast<std::uint32_t>(slot >> 32); }
std::uint32_t tags_of(std::uint64_t slot) { return static_cast<std::uint32_t>(slot); }

bool write_all(int fd, const std::byte* bytes, std::size_t size, std::uint64_t offset) {
    while (size > 0) {
        const ssize_t wrote = pwrite(fd, bytes, size, static_cast<off_t>(offset));
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return false;
        bytes += wrote;
        offset += static_cast<std::size_t>(wrote);
        size -= static_cast<std::size_t>(wrote);
    }
    return true;
}

}  // namespace

struct Index::Record {
    vfs::FileId id;
    vfs::FileId parent;
    std::uint64_t inode = 0;
    std::string_view name;  // in storage
    bool gone = false;
    std::size_t size = 0;
    std::array<std::byte, kRecordMax> storage;

    // Parses `storage`, which has `have` bytes; false if incomplete.
    bool parse(std::size_t have) {
        if (have < kHead) return false;
        std::uint32_t sum;
        std::uint16_t length;
        std::memcpy(&sum, storage.data(), 4);
        std::memcpy(&length, storage.data() + 4, 2);
        gone = (length & kGone) != 0;
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
};

// For reading many records in the order of the log.
struct Index::Window {
    std::vector<std::byte> bytes = std::vector<std::byte>(1u << 20);
    std::uint64_t begin = 0;
    std::size_t have = 0;

    ByteView at(int log, std::uint64_t offset, std::uint64_t end) {
        if (offset < begin || offset + kRecordMax > begin + have) {
            const std::size_t size = std::min<std::uint64_t>(bytes.size(), end - offset);
            const ssize_t got = pread(log, bytes.data(), size, static_cast<off_t>(offset));
            begin = offset;
            have = got > 0 ? static_cast<std::size_t>(got) : 0;
        }
        return ByteView{bytes}.subspan(offset - begin, have - (offset - begin));
    }
};

Index::Index(const std::string& path, const vfs::FileId& root) : path_(path), root_(root) {
    if (path.empty()) {
        log_ = memfd_create("helio-index", MFD_CLOEXEC);
        if (log_ < 0) throw std::runtime_error(std::string("no memory file: ") + strerror(errno));
    } else {
        log_ = open_log();
    }
    table_.assign(1024, kFree);
    load();
}

// The name may have been prepared by somebody who wants another file overwritten.
int Index::open_log() {
    const std::filesystem::path path{path_};
    const auto parent = path.parent_path();
    name_ = path.filename().string();
    auto directory = TrustedDirectory::open(parent.empty() ? "." : parent.string());
    if (!directory)
        throw std::runtime_error("cannot open the index " + path_ + ": " + directory.error().text);
    directory_ = std::move(*directory);
    auto log = directory_->open_file(name_, O_RDWR | O_CREAT);
    if (!log) throw std::runtime_error("cannot open the index: " + log.error().text);
    return log->release();
}

Index::~Index() {
    unmap_end();
    const std::uint8_t closed = 1;
    if (!broken_ && fdatasync(log_) == 0)
        static_cast<void>(pwrite(log_, &closed, 1, offsetof(LogHead, closed)));
    close(log_);
}

// Makes room for a record and maps it. The room is the file's for certain: a write to a map of what
// the disk cannot hold would be the end of the process.
bool Index::map_end() {
    if (end_ != nullptr && log_size_ + kRecordMax <= end_begin_ + kEndBytes) [[likely]]
        return true;
    if (broken_) return false;
    unmap_end();
    const std::uint64_t begin = log_size_ & ~std::uint64_t{4095};
    const int error = posix_fallocate(log_, static_cast<off_t>(begin), kEndBytes);
    void* const mapped = error != 0 ? MAP_FAILED
                                    : mmap(nullptr, kEndBytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                                           log_, static_cast<off_t>(begin));
    if (mapped == MAP_FAILED) {
        broken_ = true;  // a full disk: ids still hold while this process lives, if they are found
        complete_ = false;
        return false;
    }
    end_ = static_cast<std::byte*>(mapped);
    end_begin_ = begin;
    return true;
}

void Index::unmap_end() {
    if (end_ == nullptr) return;
    munmap(std::exchange(end_, nullptr), kEndBytes);
    if (ftruncate(log_, static_cast<off_t>(log_size_)) != 0) broken_ = true;
}

// Reads the log. Whatever is wrong with it costs names, never the start.
void Index::load() {
    LogHead head;
    const ssize_t got = pread(log_, &head, sizeof head, 0);
    if (got == 0) return begin_anew(Contents::complete);
    if (got != sizeof head || head.magic != LogHead{}.magic || head.root_size != root_.size ||
        head.root != root_.bytes)
        return begin_anew(Contents::incomplete);
    complete_ = head.complete != 0 && head.closed != 0;
    log_size_ = UINT64_MAX;  // until its end is known: growing the table reads records

    std::vector<std::byte> window(1u << 20);
    Record record;
    std::uint64_t at = sizeof head;
    std::size_t have = 0;
    bool more = true;
    for (std::size_t used = 0;;) {
        if (more && have - used < kRecordMax) {
            std::memmove(window.data(), window.data() + used, have - used);
            have -= used;
            used = 0;
            const ssize_t read = pread(log_, window.data() + have, window.size() - have,
                                       static_cast<off_t>(at + have));
            if (read <= 0)
                more = false;
            else
                have += static_cast<std::size_t>(read);
        }
        const std::size_t visible = std::min(have - used, kRecordMax);
        std::memcpy(record.storage.data(), window.data() + used, visible);
        if (!record.parse(visible)) {
            // Zeros are room that was not used; anything else is a torn tail.
            if (std::any_of(record.storage.begin(),
                            record.storage.begin() + static_cast<std::ptrdiff_t>(visible),
                            [](std::byte one) { return one != std::byte{0}; }))
                complete_ = false;
            break;
        }
        const std::uint64_t hash = hash_of(record.id);
        const std::uint16_t binding = binding_of(record.parent, record.name);
        if (record.gone) {
            erase(hash, binding);
            bytes_gone_ += 2 * record.size;
        } else {
            if (erase(hash, binding)) bytes_gone_ += record.size;
            insert(hash, binding, static_cast<std::uint32_t>(at / 8));
        }
        at += record.size;
        used += record.size;
    }
    log_size_ = at;
    if (ftruncate(log_, static_cast<off_t>(at)) != 0) broken_ = true;
    const std::array<std::uint8_t, 2> open_now{0, complete_};
    static_cast<void>(pwrite(log_, open_now.data(), 2, offsetof(LogHead, closed)));
}

void Index::begin_anew(Contents contents) {
    LogHead head;
    head.complete = contents == Contents::complete;
    head.root_size = root_.size;
    head.root = root_.bytes;
    complete_ = head.complete;
    log_size_ = sizeof head;
    if (ftruncate(log_, 0) != 0 ||
        !write_all(log_, reinterpret_cast<const std::byte*>(&head), sizeof head, 0))
        throw std::runtime_error("cannot write the index " + path_ + ": " + strerror(errno));
}

void Index::append(const vfs::FileId& id, std::uint64_t inode, const vfs::FileId& parent,
                   std::string_view name, Binding binding) {
    const bool gone = binding == Binding::gone;
    const std::size_t length = kHead + id.size + parent.size + name.size();
    const std::size_t size = eight(length);
    std::byte* const at = end_ + (log_size_ - end_begin_);
    const auto length_word = static_cast<std::uint16_t>(length | (gone ? kGone : 0));
    std::memcpy(at + 4, &length_word, 2);
    at[6] = static_cast<std::byte>(id.size);
    at[7] = static_cast<std::byte>(parent.size);
    std::memcpy(at + 8, &inode, 8);
    std::memcpy(at + kHead, id.bytes.data(), id.size);
    std::memcpy(at + kHead + id.size, parent.bytes.data(), parent.size);
    if (!name.empty()) std::memcpy(at + kHead + id.size + parent.size, name.data(), name.size());
    const std::uint32_t sum = checksum({at + 4, length - 4});
    std::memcpy(at, &sum, 4);
    log_size_ += size;
    if (gone) bytes_gone_ += 2 * size;
}

std::uint64_t Index::name_hash(const vfs::FileId& parent, std::string_view name) {
    return mixed(std::hash<vfs::FileId>{}(parent), as_bytes(name));
}

void Index::note(const vfs::FileId& id, std::uint64_t inode, const vfs::FileId& parent,
                 std::string_view name) {
    const SeenName seen{&id, inode, name};
    note_all(parent, {&seen, 1});
}

// A large table is not in the processor's caches, so its lines are prefetched.
void Index::note_all(const vfs::FileId& parent, std::span<const SeenName> seen) {
    constexpr std::size_t kTogether = 32;
    std::array<std::uint64_t, kTogether> hashes;
    std::array<std::uint16_t, kTogether> bindings;
    while (!seen.empty()) {
        const std::size_t count = std::min(seen.size(), kTogether);
        for (std::size_t i = 0; i < count; ++i) {
            hashes[i] = hash_of(*seen[i].id);
            bindings[i] = binding_of(parent, seen[i].name);
        }
        const std::lock_guard lock{mutex_};
        for (std::size_t i = 0; i < count; ++i)
            __builtin_prefetch(&table_[hashes[i] & (table_.size() - 1)]);
        for (std::size_t i = 0; i < count; ++i) note_one(hashes[i], bindings[i], seen[i], parent);
        seen = seen.subspan(count);
    }
}

void Index::note_one(std::uint64_t hash, std::uint16_t binding, const SeenName& seen,
                     const vfs::FileId& parent) {
    if (contains(hash, binding) || count_ >= kIndexEntriesMax) return;
    const std::uint64_t place = log_size_ / 8;
    if (place > UINT32_MAX || !map_end()) {
        complete_ = false;  // found again by searching
        return;
    }
    append(*seen.id, seen.inode, parent, seen.name, Binding::seen);
    insert(hash, binding, static_cast<std::uint32_t>(place));
}

void Index::forget(const vfs::FileId& id, const vfs::FileId& parent, std::string_view name) {
    const std::uint64_t hash = hash_of(id);
    const std::uint16_t binding = binding_of(parent, name);
    const std::lock_guard lock{mutex_};
    if (!erase(hash, binding)) return;
    if (map_end()) append(id, 0, parent, name, Binding::gone);
}

void Index::tidy() {
    const std::lock_guard lock{mutex_};
    if (log_size_ > rewrite_at_ && bytes_gone_ > log_size_ / 2) rewrite();
}

bool Index::read_record(std::uint32_t place, Record& out, Window* window) {
    const std::uint64_t offset = std::uint64_t{place} * 8;
    std::size_t have = 0;
    if (end_ != nullptr && offset >= end_begin_) {
        have = std::min<std::uint64_t>(kRecordMax, log_size_ - offset);
        std::memcpy(out.storage.data(), end_ + (offset - end_begin_), have);
    } else if (window != nullptr) {
        const ByteView bytes = window->at(log_, offset, log_size_);
        have = std::min(kRecordMax, bytes.size());
        std::memcpy(out.storage.data(), bytes.data(), have);
    } else {
        const ssize_t got = pread(log_, out.storage.data(), kRecordMax, static_cast<off_t>(offset));
        if (got <= 0) return false;
        have = static_cast<std::size_t>(got);
    }
    return out.parse(have);
}

// Reads only the id, without the checksum: the record was checked when it was loaded.
bool Index::read_id(std::uint32_t place, vfs::FileId& out, Window& window) {
    const std::uint64_t offset = std::uint64_t{place} * 8;
    const ByteView record = end_ != nullptr && offset >= end_begin_
                                ? ByteView{end_ + (offset - end_begin_), log_size_ - offset}
                                : window.at(log_, offset, log_size_);
    if (record.size() < kHead) return false;
    const std::size_t size = std::to_integer<std::size_t>(record[6]);
    if (size > vfs::kFileIdMax || kHead + size > record.size()) return false;
    out = vfs::FileId::copy_of(record.subspan(kHead, size));
    return true;
}

std::vector<Index::Place> Index::places(const vfs::FileId& id) {
    const std::uint64_t hash = hash_of(id);
    std::vector<std::uint32_t> candidates;
    std::vector<Place> found;
    const std::lock_guard lock{mutex_};
    const std::size_t mask = table_.size() - 1;
    for (std::size_t i = hash & mask; table_[i] != kFree; i = (i + 1) & mask)
        if (table_[i] != kTomb && tags_of(table_[i]) >> 16 == id_tag(hash))
            candidates.push_back(place_of(table_[i]));
    std::sort(candidates.rbegin(), candidates.rend());
    Record record;
    for (const std::uint32_t place : candidates)
        if (read_record(place, record) && record.id == id)
            found.push_back({record.parent, record.inode, std::string(record.name)});
    return found;
}

bool Index::contains(std::uint64_t hash, std::uint16_t binding) const {
    const std::uint32_t tags = std::uint32_t{id_tag(hash)} << 16 | binding;
    const std::size_t mask = table_.size() - 1;
    for (std::size_t i = hash & mask; table_[i] != kFree; i = (i + 1) & mask)
        if (table_[i] != kTomb && tags_of(table_[i]) == tags) return true;
    return false;
}

void Index::insert(std::uint64_t hash, std::uint16_t binding, std::uint32_t place) {
    if ((count_ + tombs_ + 1) * 4 > table_.size() * 3) grow();
    const std::size_t mask = table_.size() - 1;
    std::size_t i = hash & mask;
    while (table_[i] != kFree && table_[i] != kTomb) i = (i + 1) & mask;
    if (table_[i] == kTomb) --tombs_;
    table_[i] = slot(place, hash, binding);
    ++count_;
}

bool Index::erase(std::uint64_t hash, std::uint16_t binding) {
    const std::uint32_t tags = std::uint32_t{id_tag(hash)} << 16 | binding;
    const std::size_t mask = table_.size() - 1;
    for (std::size_t i = hash & mask; table_[i] != kFree; i = (i + 1) & mask) {
        if (table_[i] == kTomb || tags_of(table_[i]) != tags) continue;
        table_[i] = kTomb;
        --count_;
        ++tombs_;
        return true;
    }
    return false;
}

// The hashes are not kept: they come from the records. Rare enough, and a third of the memory.
void Index::grow() {
    std::vector<std::uint64_t> old;
    const std::size_t wanted = (count_ + 1) * 2 > table_.size() ? table_.size() * 2 : table_.size();
    old.swap(table_);
    table_.assign(wanted, kFree);
    tombs_ = 0;
    const std::size_t mask = table_.size() - 1;
    std::sort(old.begin(), old.end());  // by place
    vfs::FileId id;
    Window window;
    for (const std::uint64_t one : old) {
        if (one == kFree || one == kTomb) continue;
        if (!read_id(place_of(one), id, window)) {
            --count_;
            complete_ = false;
            continue;
        }
        std::size_t i = hash_of(id) & mask;
        while (table_[i] != kFree) i = (i + 1) & mask;
        table_[i] = one;
    }
}

// A descriptor, or -1.
int Index::open_rewritten(const std::string& name) const {
    if (!directory_) return memfd_create("helio-index", MFD_CLOEXEC);
    auto file = directory_->replace_file(name, O_RDWR);
    return file ? file->release() : -1;
}

// Writes a new log of the valid records and replaces the old one with it.
void Index::rewrite() {
    rewrite_at_ = std::max(rewrite_at_, 2 * log_size_);  // should it fail: not at once again
    if (broken_) return;
    const std::string beside = name_ + ".new";
    const int fresh = open_rewritten(beside);
    if (fresh < 0) return;

    LogHead head;
    head.complete = complete_;
    head.root_size = root_.size;
    head.root = root_.bytes;
    std::vector<std::byte> out(sizeof head);
    std::memcpy(out.data(), &head, sizeof head);
    std::vector<std::uint64_t> old = table_;
    std::sort(old.begin(), old.end());
    std::vector<std::uint64_t> table(table_.size(), kFree);
    const std::size_t mask = table.size() - 1;
    std::size_t count = 0;
    std::uint64_t size = 0;
    bool good = true;
    Record record;
    Window window;
    for (const std::uint64_t one : old) {
        if (one == kFree || one == kTomb) continue;
        if (!read_record(place_of(one), record, &window)) continue;
        std::size_t i = hash_of(record.id) & mask;
        while (table[i] != kFree) i = (i + 1) & mask;
        table[i] = std::uint64_t{(size + out.size()) / 8} << 32 | tags_of(one);
        ++count;
        out.insert(out.end(), record.storage.begin(),
                   record.storage.begin() + static_cast<std::ptrdiff_t>(record.size));
        if (out.size() < (1u << 20)) continue;
        good = good && write_all(fresh, out.data(), out.size(), size);
        size += out.size();
        out.clear();
    }
    good = good && write_all(fresh, out.data(), out.size(), size);
    size += out.size();
    good = good && (!directory_ || (fdatasync(fresh) == 0 &&
                                    renameat(directory_->descriptor(), beside.c_str(),
                                             directory_->descriptor(), name_.c_str()) == 0));
    if (!good) {
        close(fresh);
        return;
    }
    if (end_ != nullptr) munmap(std::exchange(end_, nullptr), kEndBytes);
    close(std::exchange(log_, fresh));
    log_size_ = size;
    bytes_gone_ = 0;
    rewrite_at_ = std::max<std::uint64_t>(64u << 20, 2 * size);
    table_.swap(table);
    count_ = count;
    tombs_ = 0;
}

}  // namespace helio::backend
