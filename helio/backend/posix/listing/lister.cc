#include "helio/backend/posix/listing/lister_internal.h"

#include <algorithm>
#include <cerrno>

namespace helio::backend {

using vfs::Status;

namespace {

// Bytes of a typical entry as the kernel returns it.
constexpr std::size_t kRawEntrySize = 40;

bool is_dots(std::string_view name) { return name == "." || name == ".."; }

}  // namespace

Lister::Lister(Nodes& nodes, const NodePtr& directory, const struct stat& status, bool may_search,
               bool may_block, const vfs::ListFrom& from, vfs::EntrySink& sink)
    : nodes_(nodes),
      directory_(directory),
      details_(from.details && may_search),
      may_block_(may_block),
      entry_size_(from.entry_size),
      sink_(sink),
      changed_(to_time(status.st_ctim)),
      now_(file_clock()),
      settled_(nodes.ids().shows_changes(status.st_dev) && is_settled(changed_, now_)),
      mounts_(details_ ? nodes.mounts().generation() : 0),
      latest_(std::chrono::steady_clock::now()),
      cookie_(from.cookie),
      room_(from.room) {}

Lister::~Lister() {
    if (stream_) release_stream();
}

Status Lister::run(bool& end) {
    end = false;
    while (true) {
        if (!stream_ || (stream_->position == stream_->entries.size() && !stream_->at_end)) {
            const Status status = move_to_cookie();
            if (status == Status::would_block) return status;
            if (status != Status::ok)
                return given_ > 0 ? Status::ok : status;  // the next call gets it again
            continue;
        }
        if (stream_->position == stream_->entries.size()) {
            end = true;
            return Status::ok;
        }
        const std::size_t count = batch_size();
        if (count == 0) return Status::ok;
        const std::span batch = std::span{stream_->entries}.subspan(stream_->position, count);
        look_up(batch);
        for (std::size_t i = 0; i < looked_up_; ++i)
            if (!pass_on(batch[i], items_[i])) return Status::ok;
        if (looked_up_ < count) return Status::would_block;
    }
}

// Gets a stream whose chunk begins or continues after the cookie.
Status Lister::move_to_cookie() {
    std::shared_ptr<ReadAhead::Run> read_ahead;
    if (stream_) {
        read_ahead = std::move(stream_->read_ahead);
        release_stream();
    }
    bool placed = false;
    auto stream = nodes_.streams().take(directory_->id, cookie_, changed_, placed);
    if (!placed && !may_block_) {
        if (stream) nodes_.streams().put(std::move(stream), nodes_.tick());
        return Status::would_block;
    }
    if (!stream) {
        stream = std::make_unique<DirStream>();
        if (!stream->open(directory_->id, directory_->path.get())) return vfs::status_of(errno);
    }
    const auto version = settled_ ? std::optional{changed_} : std::nullopt;
    if (!placed && !stream->read(cookie_, chunk_bytes(), version))
        return errno == EINVAL ? Status::bad_cookie : vfs::status_of(errno);
    stream_ = std::move(stream);
    given_before_ = given_;
    latest_ = std::chrono::steady_clock::now();
    if (read_ahead) stream_->read_ahead = std::move(read_ahead);
    if (details_) stream_->set_mounts(mounts_);
    return Status::ok;
}

void Lister::release_stream() {
    auto& read_ahead = stream_->read_ahead;
    if (read_ahead) nodes_.read_ahead().advance(*read_ahead, given_ - given_before_);
    if (read_ahead && read_ahead->has_ended()) read_ahead = nullptr;
    if (!read_ahead && slow_looks_ >= kSlowLooksMin && 2 * slow_looks_ > looks_ && !stream_->at_end)
        read_ahead = nodes_.read_ahead().start(directory_->id, directory_->path.get(),
                                               stream_->entries.back().cookie);
    nodes_.streams().put(std::move(stream_), nodes_.tick());
}

// Entries that do not fit this reply can be used for the next one if the directory is settled.
// Otherwise reading them would be useless.
std::size_t Lister::chunk_bytes() const {
    if (settled_) return kChunkBytesMax;
    return std::min(room_ / (entry_size_ + 1), kChunkBytesMax / kRawEntrySize) * kRawEntrySize;
}

// As many entries as probably fit.
std::size_t Lister::batch_size() const {
    const auto rest = std::span{stream_->entries}.subspan(stream_->position);
    const std::size_t most = std::min(rest.size(), kBatchEntriesMax);
    std::size_t left = room_;
    for (std::size_t count = 0; count < most; ++count) {
        const std::size_t size = entry_size_ + padded(rest[count].name_size);
        // Let the sink decide about the first entry: a listing must make progress.
        if (size > left) return count == 0 && given_ == 0 ? 1 : count;
        left -= size;
    }
    return most;
}

void Lister::look_up(std::span<DirEntry> entries) {
    looked_up_ = entries.size();
    for (std::size_t i = 0; i < entries.size(); ++i) items_[i] = {};
    if (!details_) return;

    std::array<ino_t, kBatchEntriesMax> inodes;
    std::array<NodePtr, kBatchEntriesMax> open;
    std::array<std::uint16_t, kBatchEntriesMax> order;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        inodes[i] = entries[i].inode;
        order[i] = static_cast<std::uint16_t>(i);
        if (!entries[i].confirmed) nodes_.ids().prefetch(entries[i].inode);
    }
    nodes_.find_open(directory_->device, std::span{inodes}.first(entries.size()), open);
    if (may_block_) {  // probably for the disk, where inodes are stored in order
        std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(entries.size()),
                  [&inodes](auto a, auto b) { return inodes[a] < inodes[b]; });
    } else {
        const auto is_at_hand = [&](std::size_t i) {
            return is_dots(name_of(entries[i])) || (open[i] && entries[i].confirmed);
        };
        looked_up_ = 0;
        while (looked_up_ < entries.size() && is_at_hand(looked_up_)) ++looked_up_;
    }
    for (std::size_t done = 0; done < looked_up_;) {
        const std::size_t i = order[done++];
        if (!is_dots(name_of(entries[i]))) look_up_one(entries[i], open[i], items_[i]);
        if (done % kEntriesPerLook == 0) keep_time();
    }
    note_in_index(entries.first(looked_up_));
}

void Lister::keep_time() {
    const auto now = std::chrono::steady_clock::now();
    ++looks_;
    if (now - latest_ >= kSlowLookMin) ++slow_looks_;
    latest_ = now;
}

void Lister::look_up_one(const DirEntry& entry, const NodePtr& open, Item& item) {
    FileIds& ids = nodes_.ids();
    // The directory has not changed since the name was seen to lead to this inode, and no other
    // file can have the inode while it is open.
    if (open && entry.confirmed) {
        struct stat found;
        if (quick_stat(open->path.get(), found) == 0 && found.st_nlink > 0) {
            item.attributes = ids.attributes(found);
            item.id = open->id;
            item.confirms = true;
            nodes_.touch(*open);
            return;
        }
    }
    const char* const name = stream_->name(entry);
    StatusWithBirth found;
    if (!stat_with_birth(directory_->path.get(), name, found)) return;  // removed since
    const bool same = found.stat.st_ino == entry.inode && found.stat.st_dev == directory_->device;
    item.attributes = ids.attributes(found.stat);
    if (open && same)
        item.id = open->id;
    else
        item.id = ids.of_entry(directory_->path.get(), name, found, now_);
    item.confirms = same && item.id.has_value();
}

void Lister::note_in_index(std::span<DirEntry> entries) {
    std::array<Index::SeenName, kBatchEntriesMax> seen;
    std::size_t count = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const Item& item = items_[i];
        if (entries[i].confirmed && item.confirms) continue;  // noted before
        if (item.id) seen[count++] = {&*item.id, item.attributes->fileid, name_of(entries[i])};
        entries[i].confirmed = item.confirms;
    }
    nodes_.index().note_all(directory_->id, std::span{seen}.first(count));
}

bool Lister::pass_on(const DirEntry& from, const Item& item) {
    vfs::Entry entry;
    entry.name = name_of(from);
    entry.fileid = from.inode;
    entry.cookie = from.cookie;
    // Clients must not learn about the parent of the root.
    if (directory_ == nodes_.root() && is_dots(entry.name)) entry.fileid = directory_->inode;
    if (item.attributes) {
        entry.fileid = item.attributes->fileid;  // differs at a mount point
        entry.attributes = &*item.attributes;
    }
    if (item.id) entry.id = &*item.id;
    if (!sink_.add(entry)) return false;
    ++given_;
    cookie_ = from.cookie;
    ++stream_->position;
    room_ -= std::min(room_, entry_size_ + padded(from.name_size));
    return true;
}

}  // namespace helio::backend
