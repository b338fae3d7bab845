#include "helio/backend/posix/nodes/nodes_internal.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <stdexcept>

#include "helio/base/assert.h"

namespace helio::backend {

namespace {

vfs::FileId root_id(const FileIds& ids, int root, struct stat& status) {
    if (fstat(root, &status) != 0) throw std::runtime_error(strerror(errno));
    const auto id = ids.of(root, "", status);
    if (!id) throw std::runtime_error(std::string("no file handle: ") + strerror(errno));
    return *id;
}

int open_directory(const std::string& directory) {
    const int fd = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) throw std::runtime_error("cannot open " + directory + ": " + strerror(errno));
    return fd;
}

// A file that is being moved may be missed under both names. To be missed this often, it would have
// to be moved between every two attempts.
constexpr int kTriesMax = 4;

bool has_data(Node& node) {
    const std::lock_guard lock{node.mutex};
    return node.data != nullptr || node.reader != nullptr;
}

std::uint64_t next_number() {
    static std::atomic<std::uint64_t> last = 0;
    return ++last;
}

}  // namespace

Nodes::Nodes(const std::string& directory, const std::string& index_file, bool open_by_handle,
             std::size_t nodes_wanted, const Identity& identity)
    : number_(next_number()),
      identity_(identity),
      root_fd_(open_directory(directory)),
      ids_(root_fd_.get()),
      open_by_handle_(open_by_handle && ids_.has_kernel_handles()),
      nodes_wanted_(nodes_wanted),
      index_(index_file,
             [this] {
                 struct stat status;
                 return root_id(ids_, root_fd_.get(), status);
             }()),
      // A new thread inherits the identity that its creator had assumed.
      read_ahead_([&identity] { identity.assume_self(); }) {
    if (path_of(root_fd_.get()).empty())
        throw std::runtime_error("cannot read /proc/self/fd: /proc must be mounted");
    struct stat status;
    const vfs::FileId id = root_id(ids_, root_fd_.get(), status);
    Fd path{openat(root_fd_.get(), ".", O_PATH | O_DIRECTORY | O_CLOEXEC)};
    root_ = adopt(std::move(path), status, id);
    look_for_others();
    housekeeper_ = std::jthread([this](std::stop_token stop) { keep_house(stop); });
}

Nodes::~Nodes() = default;

// A node has one or two descriptors, and for some seconds a third; the rest is for listings and for
// files that clients keep open.
std::size_t Nodes::nodes_max() const {
    const std::size_t most = descriptors_.count_max() / 3;
    return std::max(kNodesMin, nodes_wanted_ == 0 ? most : std::min(most, nodes_wanted_));
}

NodePtr Nodes::find(const vfs::FileId& id) {
    const std::uint64_t hash = ById::hash(id);
    Shard<ById>& shard = shards_[shard_of(hash)];
    const std::lock_guard lock{shard.mutex};
    return shard.nodes.find(id, hash);
}

vfs::Status Nodes::get(const vfs::FileId& id, bool may_block, NodePtr& out, Seen seen) {
    out = find(id);
    if (out) [[likely]] {
        if (out->waits && !may_block) [[unlikely]] {
            out = nullptr;
            return vfs::Status::would_block;
        }
        const std::uint32_t now = tick();
        touch(*out);
        if (out->gone.load(std::memory_order_relaxed)) return vfs::Status::stale;
        if (seen == Seen::recently && out->verified.load(std::memory_order_relaxed) == now)
            [[likely]]
            return vfs::Status::ok;
        if (out == root_ || is_inside(out->path.get())) {
            out->verified.store(now, std::memory_order_relaxed);
            return vfs::Status::ok;
        }
        drop(out);  // moved out of the export, but perhaps it has another name inside
        out = nullptr;
    }
    if (!may_block && id != root_->id) return vfs::Status::would_block;
    identity_.assume_self();
    return resolve(id, out, 0);
}

NodePtr Nodes::open_one(const struct stat& status) {
    const InodeKey key{status.st_dev, status.st_ino};
    const std::uint64_t hash = ByInode::hash(key);
    Shard<ByInode>& shard = inodes_[shard_of(hash)];
    const std::lock_guard lock{shard.mutex};
    return shard.nodes.find(key, hash);
}

// Sorts the inodes by shard first, so that each lock is taken once.
void Nodes::find_open(dev_t device, std::span<const ino_t> inodes, std::span<NodePtr> out) {
    HELIO_ASSERT(inodes.size() <= kFoundTogetherMax && inodes.size() <= out.size());
    std::array<std::uint64_t, kFoundTogetherMax> hashes;
    std::array<std::uint16_t, kFoundTogetherMax> order;
    std::array<std::uint16_t, kShards + 1> ends{};
    for (std::size_t i = 0; i < inodes.size(); ++i) {
        hashes[i] = ByInode::hash({device, inodes[i]});
        ++ends[shard_of(hashes[i]) + 1];
    }
    for (std::size_t shard = 0; shard < kShards; ++shard) ends[shard + 1] += ends[shard];
    for (std::size_t i = 0; i < inodes.size(); ++i)
        order[ends[shard_of(hashes[i])]++] = static_cast<std::uint16_t>(i);
    // ends[s] is now the end of shard s in `order`.
    for (std::size_t shard = 0, at = 0; shard < kShards; ++shard) {
        if (at == ends[shard]) continue;
        const std::lock_guard lock{inodes_[shard].mutex};
        for (; at < ends[shard]; ++at) {
            const std::size_t i = order[at];
            out[i] = inodes_[shard].nodes.find(InodeKey{device, inodes[i]}, hashes[i]);
        }
    }
}

bool Nodes::is_at_hand(const Node& directory, std::string_view name) const {
    const std::uint64_t hash = Index::name_hash(directory.id, name);
    return names_at_hand_[hash % names_at_hand_.size()].load(std::memory_order_relaxed) ==
           static_cast<std::uint32_t>(hash >> 32);
}

vfs::Status Nodes::open_name(const Node& directory, const char* name, MayWait may_wait,
                             NodePtr& out, struct stat& status) {
    if (may_wait == MayWait::no && (!is_at_hand(directory, name) || may_meet_others()))
        return open_cached(directory, name, out, status);
    if (fstatat(directory.path.get(), name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return vfs::status_of(errno);
    out = open_one(status);
    // FUSE and network file systems may give a new file the inode number of one that is open.
    if (out && !ids_.shows_changes(status.st_dev) &&
        ids_.of(directory.path.get(), name, status) != out->id) {
        drop(out);
        out = nullptr;
    }
    // It may be another file by now: check again.
    if (!out) return open_new(directory, name, out, status);
    touch(*out);
    note_seen(*out, directory, name);
    return vfs::Status::ok;
}

// A mount point is left to threads that may wait. Kernels before 5.12 do not know RESOLVE_CACHED.
vfs::Status Nodes::open_cached(const Node& directory, const char* name, NodePtr& out,
                               struct stat& status) {
    const open_how how{.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
                       .mode = 0,
                       .resolve = RESOLVE_CACHED | RESOLVE_NO_XDEV};
    Fd path{static_cast<int>(syscall(SYS_openat2, directory.path.get(), name, &how, sizeof how))};
    if (!path &&
        (errno == EAGAIN || errno == EXDEV || errno == EINVAL || errno == ENOSYS || errno == EPERM))
        return vfs::Status::would_block;
    return open_found(directory, name, std::move(path), out, status);
}

vfs::Status Nodes::open_new(const Node& directory, const char* name, NodePtr& out,
                            struct stat& status) {
    Fd path{openat(directory.path.get(), name, O_PATH | O_NOFOLLOW | O_CLOEXEC)};
    return open_found(directory, name, std::move(path), out, status);
}

vfs::Status Nodes::open_found(const Node& directory, const char* name, Fd path, NodePtr& out,
                              struct stat& status) {
    if (!path || quick_stat(path.get(), status) != 0) return vfs::status_of(errno);
    const auto id = ids_.of(path.get(), "", status);
    if (!id) return vfs::Status::stale;
    out = adopt(std::move(path), status, *id);
    touch(*out);
    note_seen(*out, directory, name);
    return vfs::Status::ok;
}

// Most lookups find a file under the name that was noted last, and skip the index. `noted` is set
// before the index is updated, and forget() clears it after updating the index. So it is never set
// for a name that the index has forgotten.
void Nodes::note_seen(Node& node, const Node& directory, std::string_view name) {
    const std::uint64_t hash = Index::name_hash(directory.id, name);
    auto& at_hand = names_at_hand_[hash % names_at_hand_.size()];
    const auto mark = static_cast<std::uint32_t>(hash >> 32);
    if (at_hand.load(std::memory_order_relaxed) != mark)
        at_hand.store(mark, std::memory_order_relaxed);
    if (node.noted.load(std::memory_order_relaxed) == hash) return;
    node.noted.store(hash, std::memory_order_relaxed);
    index_.note(node.id, node.inode, directory.id, name);
}

void Nodes::forget(const vfs::FileId& id, const Node& directory, std::string_view name) {
    index_.forget(id, directory.id, name);
    if (const NodePtr node = find(id)) node->noted.store(0, std::memory_order_relaxed);
}

bool Nodes::id_of_name(const Node& directory, const char* name, const struct stat& status,
                       vfs::FileId& out) {
    if (const NodePtr node = open_one(status)) {
        out = node->id;
    } else {
        const auto id = ids_.of(directory.path.get(), name, status);
        if (!id) return false;
        out = *id;
    }
    index_.note(out, status.st_ino, directory.id, name);
    return true;
}

NodePtr Nodes::adopt(Fd path, const struct stat& status, const vfs::FileId& id) {
    auto made = std::make_shared<Node>();
    made->id = id;
    made->device = status.st_dev;
    made->inode = status.st_ino;
    made->type = status.st_mode & S_IFMT;
    made->path = std::move(path);
    made->waits = status.st_dev != ids_.device() && waits_for_others(made->path.get());
    made->used = made->verified = tick();
    if (count_.load(std::memory_order_relaxed) >= nodes_max()) make_room();
    {
        const std::uint64_t hash = ById::hash(id);
        Shard<ById>& shard = shards_[shard_of(hash)];
        const std::lock_guard lock{shard.mutex};
        NodePtr there = shard.nodes.insert(made, hash);
        if (there != made) return there;  // another thread was faster
    }
    count_.fetch_add(1, std::memory_order_relaxed);
    const std::uint64_t hash = ByInode::hash(ByInode::key(*made));
    Shard<ByInode>& shard = inodes_[shard_of(hash)];
    const std::lock_guard lock{shard.mutex};
    shard.nodes.insert(made, hash);
    return made;
}

void Nodes::drop(const NodePtr& node) {
    {
        const std::uint64_t hash = ById::hash(node->id);
        Shard<ById>& shard = shards_[shard_of(hash)];
        const std::lock_guard lock{shard.mutex};
        if (!shard.nodes.erase(node, hash)) return;
    }
    count_.fetch_sub(1, std::memory_order_relaxed);
    const std::uint64_t hash = ByInode::hash(ByInode::key(*node));
    Shard<ByInode>& shard = inodes_[shard_of(hash)];
    const std::lock_guard lock{shard.mutex};
    shard.nodes.erase(node, hash);
}

void Nodes::removed(const vfs::FileId& id, const Node& directory, std::string_view name,
                    bool last) {
    forget(id, directory, name);
    if (!last) return;
    if (const NodePtr node = find(id)) {
        node->gone = true;
        drop(node);
    }
}

// Once its places are removed from the index, nothing searches for it either.
void Nodes::forget_removed(const Node& node) {
    const NodePtr held = find(node.id);
    if (held.get() != &node || held == root_) return;
    held->gone = true;
    for (const Index::Place& place : index_.places(node.id))
        index_.forget(node.id, place.parent, place.name);
    drop(held);
}

std::string Nodes::path_of(int descriptor) const {
    std::array<char, 4096> path;
    const ssize_t size = readlink(link_of(descriptor).c_str(), path.data(), path.size());
    return {path.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
}

// Follows the parents of a directory. Other files have no known parents, but the index finds them
// again.
bool Nodes::is_below_root(int descriptor) const {
    Fd at{openat(descriptor, ".", O_PATH | O_DIRECTORY | O_CLOEXEC)};
    for (std::size_t depth = 0; at && depth < kPathDepthMax * 8; ++depth) {
        Fd above{openat(at.get(), "..", O_PATH | O_DIRECTORY | O_CLOEXEC)};
        struct stat here, there;
        if (!above || fstat(at.get(), &here) != 0 || fstat(above.get(), &there) != 0) return false;
        if (there.st_ino == root_->inode && there.st_dev == root_->device) return true;
        if (there.st_ino == here.st_ino && there.st_dev == here.st_dev) return false;  // "/"
        at = std::move(above);
    }
    return false;
}

// "/srv/data/x" is inside "/srv/data", "/srv/database" is not.
bool Nodes::is_inside(int descriptor) {
    // The export itself may be moved: query its path as often as that of any node.
    struct Known {
        std::uint64_t owner = 0;
        std::uint32_t tick = 0;
        std::string path;
    };
    thread_local Known known;
    if (known.owner != number_ || known.tick != tick())
        known = {number_, tick(), path_of(root_fd_.get())};
    const std::string& root = known.path;
    const std::string path = path_of(descriptor);
    if (path.empty()) return is_below_root(descriptor);  // too long for the kernel to report
    if (root == "/") return path.size() > 1;
    return path.size() > root.size() && path.starts_with(root) && path[root.size()] == '/';
}

// Nothing here is done on behalf of a caller: the server itself finds files, and permissions are
// checked afterwards.
vfs::Status Nodes::resolve(const vfs::FileId& id, NodePtr& out, std::size_t depth) {
    if (id == root_->id) {
        out = root_;
        return vfs::Status::ok;
    }
    if (depth > kPathDepthMax) return vfs::Status::stale;
    bool known = false;
    // Retry only for the file itself, not for each directory on the way.
    for (int tries = depth == 0 ? kTriesMax : 1; tries > 0; --tries) {
        out = by_index(id, depth, known);
        if (out) return vfs::Status::ok;
        if (open_by_handle_) {
            bool gone = false;
            out = by_handle(id, gone);
            if (out) return vfs::Status::ok;
            if (gone) return vfs::Status::stale;
        } else if (!known) {
            break;
        }
    }
    // In the index but not there: moved by others. Not in a complete index: never given out, or
    // removed.
    if (!known && index_.complete()) return vfs::Status::stale;
    // The same search finds the directories on its way.
    if (depth > 0) return vfs::Status::stale;
    return search(id, out);
}

NodePtr Nodes::by_index(const vfs::FileId& id, std::size_t depth, bool& known) {
    for (const Index::Place& place : index_.places(id)) {
        known = true;
        NodePtr directory = find(place.parent);
        if (directory && directory != root_ && !is_inside(directory->path.get())) {
            drop(directory);
            directory = nullptr;
        }
        if (!directory && resolve(place.parent, directory, depth + 1) != vfs::Status::ok) continue;
        struct stat status;
        Fd path{openat(directory->path.get(), place.name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC)};
        if (!path || fstat(path.get(), &status) != 0) continue;
        const auto found = ids_.of(path.get(), "", status);
        if (found && *found == id) return adopt(std::move(path), status, id);
    }
    return nullptr;
}

NodePtr Nodes::by_handle(const vfs::FileId& id, bool& gone) {
    Fd path{ids_.open(root_fd_.get(), id)};
    if (!path) {
        gone = errno == ESTALE || errno == ENOENT;
        return nullptr;
    }
    const std::string where = path_of(path.get());
    const std::string root = path_of(root_fd_.get());
    const std::size_t skip = root == "/" ? 0 : root.size();
    if (where.size() <= skip + 1 || !where.starts_with(root) || where[skip] != '/') return nullptr;
    return by_path(std::string_view(where).substr(skip + 1), id);
}

// Walks down from the root, name by name, so that the index learns all of them.
NodePtr Nodes::by_path(std::string_view below_root, const vfs::FileId& wanted) {
    NodePtr at = root_;
    while (!below_root.empty()) {
        const std::size_t slash = below_root.find('/');
        const std::string name(below_root.substr(0, slash));
        below_root =
            slash == std::string_view::npos ? std::string_view{} : below_root.substr(slash + 1);
        if (name.empty() || name == "." || name == "..") return nullptr;
        NodePtr next;
        struct stat status;
        if (open_name(*at, name.c_str(), MayWait::yes, next, status) != vfs::Status::ok)
            return nullptr;
        at = next;
    }
    return at->id == wanted ? at : nullptr;
}

// Closes the least recently used tenth.
void Nodes::make_room() {
    const std::unique_lock lock{room_mutex_, std::try_to_lock};
    if (!lock) return;
    // Times of last use are copied first: they change while others are compared, and an
    // inconsistent order would make nth_element run past the end.
    struct Candidate {
        std::uint32_t used;
        NodePtr node;
    };
    std::vector<Candidate> all;
    for (Shard<ById>& shard : shards_) {
        const std::lock_guard inner{shard.mutex};
        shard.nodes.for_each([&all](const NodePtr& node) {
            all.push_back({node->used.load(std::memory_order_relaxed), node});
        });
    }
    const std::size_t going = std::min(all.size() / 10 + 1, all.size());
    std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(going), all.end(),
                     [](const Candidate& a, const Candidate& b) { return a.used < b.used; });
    for (std::size_t i = 0; i < going; ++i)
        if (all[i].node != root_) drop(all[i].node);
}

// Limited by the mode if the process is not privileged.
bool Nodes::can_reopen(const Node& node, const DataFile& data) const {
    const int mode = (data.readable ? R_OK : 0) | (data.writable ? W_OK : 0);
    return identity_.enabled() ||
           syscall(SYS_faccessat2, node.path.get(), "", mode, AT_EMPTY_PATH | AT_EACCESS) == 0;
}

void Nodes::close_idle_data(Node& node, std::uint32_t now) const {
    std::shared_ptr<DataFile> closing, closing_reader;  // closed outside the lock
    const std::lock_guard lock{node.mutex};
    if (now - node.reader_used > kDataIdleMax.count()) closing_reader = std::move(node.reader);
    const std::uint32_t idle = now - node.data_used;
    if (!node.data || idle <= kDataIdleMax.count()) return;
    // The mode may have changed since the last check, but there may be many files to check: so only
    // after 4, 8, 16 seconds and so on.
    if (idle <= kOnlyDataIdleMax.count() &&
        (!std::has_single_bit(idle) || !can_reopen(node, *node.data)))
        return;
    closing = std::move(node.data);
}

// Calls notice removed files themselves. This is for nodes that no call uses, each in turn, and
// only on file systems where looking does not wait for others.
bool Nodes::is_removed(const Node& node, std::uint32_t now) const {
    constexpr auto kTurns = static_cast<std::uint64_t>(kRemovedUnseenMax.count());
    if (node.used.load(std::memory_order_relaxed) == now || (node.inode + now) % kTurns != 0 ||
        !ids_.shows_changes(node.device))
        return false;
    struct stat status;
    return quick_stat(node.path.get(), status) == 0 && status.st_nlink == 0;
}

// A directory with mounts in it can be moved into the export without a change of the mount table's
// generation. So the table is examined again as long as there are any such mounts.
void Nodes::look_for_others() {
    const std::uint64_t generation = mounts_->generation();
    if (generation == others_examined_ && others_ == OthersMounted::nowhere) return;
    others_examined_ = generation;
    const std::string table = mounts_->table();
    others_ = table.empty() ? OthersMounted::below : find_others(table, path_of(root_fd_.get()));
    no_others_.store(others_ == OthersMounted::below ? 0 : generation, std::memory_order_relaxed);
}

void Nodes::keep_house(std::stop_token stop) {
    std::mutex mutex;
    std::condition_variable_any waiting;
    while (true) {
        {
            std::unique_lock lock{mutex};
            waiting.wait_for(lock, stop, std::chrono::seconds(1), [] { return false; });
        }
        if (stop.stop_requested()) return;
        const std::uint32_t now = tick_.fetch_add(1) + 1;
        look_for_others();
        index_.tidy();
        streams_.close_older_than(now - static_cast<std::uint32_t>(kDataIdleMax.count()));
        std::vector<NodePtr> all;
        for (Shard<ById>& shard : shards_) {
            const std::lock_guard lock{shard.mutex};
            shard.nodes.for_each([&all](const NodePtr& node) { all.push_back(node); });
        }
        for (const NodePtr& node : all) {
            if (is_removed(*node, now)) {
                forget_removed(*node);
                continue;
            }
            close_idle_data(*node, now);
            const auto since = now - node->used.load(std::memory_order_relaxed);
            if (since > kNodeIdleMax.count() && node != root_ && !has_data(*node)) drop(node);
        }
    }
}

}  // namespace helio::backend
