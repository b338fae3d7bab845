// Node: an open file of the export (O_PATH); while it is open its inode cannot be reused. Nodes:
// the recently used nodes, by FileId and by inode. Other files are found by id:
//
//   1. the index has its last directory and name: open that, compare the id;
//   2. the kernel opens it by its handle, if permitted, and reports where it is;
//   3. the directories are searched, if that may help.
//
// A file outside the export has no node.
#pragma once

#include <sys/stat.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_set>
#include <vector>

#include "helio/backend/posix/identity_internal.h"
#include "helio/backend/posix/listing/dir_stream_internal.h"
#include "helio/backend/posix/nodes/file_handle_internal.h"
#include "helio/backend/posix/nodes/index_internal.h"
#include "helio/backend/posix/nodes/mount_watch_internal.h"
#include "helio/backend/posix/nodes/node_table_internal.h"
#include "helio/base/fd.h"
#include "helio/base/hash.h"
#include "helio/base/system/descriptor_limit.h"
#include "helio/vfs/status.h"
#include "helio/vfs/types.h"

namespace helio::backend {

// A path through which system calls reach an open file.
inline std::string link_of(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

// A node unused for this long is closed.
inline constexpr std::chrono::seconds kNodeIdleMax{30};
// A file that others removed takes space until its node is closed. Unused nodes are examined this
// often: 100,000 of them cost 25,000 fstat(2) a second, one percent of a processor.
inline constexpr std::chrono::seconds kRemovedUnseenMax{4};
// Shorter, because a file open for writing cannot be executed on this machine. Also for directory
// streams.
inline constexpr std::chrono::seconds kDataIdleMax{3};
// Longer if the file's mode does not let us open it again, because a client created it read-only or
// removed the permission while using it, and may not have sent all of its data. Linux's client does
// so within 35 seconds (dirty_expire_centisecs and dirty_writeback_centisecs).
inline constexpr std::chrono::seconds kOnlyDataIdleMax{60};
// Nodes that may be open however few descriptors there are.
inline constexpr std::size_t kNodesMin = 16;
// Entries examined in a search for lost files.
inline constexpr std::size_t kSearchEntriesMax = 2'000'000;
// Files that one search looks for; calls for more have to try again.
inline constexpr std::size_t kSearchedTogetherMax = 65'536;
// Directories inside directories.
inline constexpr std::size_t kPathDepthMax = 1024;
// Inodes per find_open: a batch of a listing.
inline constexpr std::size_t kFoundTogetherMax = 128;

// A regular file open for reading or writing. Shared with replies being sent from it.
struct DataFile {
    Fd fd;
    bool readable = true;
    bool writable = false;
};

struct Node {
    vfs::FileId id;
    dev_t device = 0;
    ino_t inode = 0;
    mode_t type = 0;  // S_IFMT
    Fd path;          // O_PATH
    // On a file system other than the export's root that waits for others: threads that must not
    // block must not use `path`.
    bool waits = false;

    std::atomic<std::uint32_t> used = 0;      // the clock's tick of the last use
    std::atomic<std::uint32_t> verified = 0;  // and when it was last seen inside the export
    std::atomic<bool> gone = false;           // its last name was removed
    std::atomic<std::uint64_t> noted = 0;     // hash of the name last noted in the index; 0: none

    std::mutex mutex;  // for the following
    std::shared_ptr<DataFile> data;
    std::uint32_t data_used = 0;  // the tick of its last use
    // For opens that only read, if `data` can be written through: a client often reads what it has
    // just written.
    std::shared_ptr<DataFile> reader;
    std::uint32_t reader_used = 0;
    // The last answer to "what may this caller do", good while the file does not change.
    std::uint64_t verdict_caller = 0;
    vfs::Time verdict_changed;
    int verdict = -1;  // R_OK | W_OK | X_OK

    bool is_directory() const { return type == S_IFDIR; }
};
using NodePtr = std::shared_ptr<Node>;

class Nodes final {
 public:
    // Throws std::runtime_error.
    Nodes(const std::string& directory, const std::string& index_file, bool open_by_handle,
          std::size_t nodes_wanted, const Identity& identity);
    ~Nodes();
    Nodes(const Nodes&) = delete;
    Nodes& operator=(const Nodes&) = delete;

    // Nodes that may be open at a time.
    std::size_t nodes_max() const;
    const NodePtr& root() const { return root_; }
    FileIds& ids() { return ids_; }
    const FileIds& ids() const { return ids_; }
    Index& index() { return index_; }
    DirStreams& streams() { return streams_; }
    MountWatch& mounts() { return *mounts_; }
    // Whether a name may lead into a file system that waits for others and is mounted below the
    // export. Touches none of them.
    bool may_meet_others() {
        return mounts_->generation() != no_others_.load(std::memory_order_relaxed);
    }
    ReadAhead& read_ahead() { return read_ahead_; }

    // When a node must have been seen inside the export, which other programs can move it out of:
    // in the current second, which costs nothing, or at the time of the call, which costs a
    // readlink(2) of /proc.
    enum class Seen : std::uint8_t { recently, now };
    // The node of an id: stale if there is no such file in the export any more, would_block if it
    // is not open or on a file system that waits for others, busy if the caller must try again
    // because a search has just ended. May leave the thread acting as the process itself.
    vfs::Status get(const vfs::FileId& id, bool may_block, NodePtr& out,
                    Seen seen = Seen::recently);
    // The node of an inode that is open here; nullptr when none is.
    NodePtr open_one(const struct stat& status);
    // The same for many inodes of one device. Takes each lock once.
    void find_open(dev_t device, std::span<const ino_t> inodes, std::span<NodePtr> out);
    enum class MayWait : std::uint8_t { no, yes };
    // Opens a name in a directory with the thread's current identity. Notes it in the index.
    // would_block if the kernel has to read the disk to know the name, or if that leads to another
    // file system that may block.
    vfs::Status open_name(const Node& directory, const char* name, MayWait may_wait, NodePtr& out,
                          struct stat& status);
    // The same for a new name, which cannot have a node yet.
    vfs::Status open_new(const Node& directory, const char* name, NodePtr& out,
                         struct stat& status);
    // The id of a name, without opening it; notes it in the index.
    bool id_of_name(const Node& directory, const char* name, const struct stat& status,
                    vfs::FileId& out);
    // A file that was just made or found, open as `path`.
    NodePtr adopt(Fd path, const struct stat& status, const vfs::FileId& id);

    // Adds a name of a file to the index, and removes it.
    void note(const vfs::FileId& id, std::uint64_t inode, const Node& directory,
              std::string_view name) {
        index_.note(id, inode, directory.id, name);
    }
    void forget(const vfs::FileId& id, const Node& directory, std::string_view name);
    // A name in a directory.
    struct NameIn {
        const Node& directory;
        std::string_view name;
    };
    // Of two noted names of a file only one is left. The index may have taken them for one name.
    void keep_one(const vfs::FileId& id, std::uint64_t inode, const NameIn& kept,
                  const NameIn& gone) {
        forget(id, gone.directory, gone.name);
        note(id, inode, kept.directory, kept.name);
    }
    // A name was removed; with `last` the file was removed with it.
    void removed(const vfs::FileId& id, const Node& directory, std::string_view name, bool last);
    // The file of a node has no name any more, as fstat(2) says: it cannot get one again. Closes
    // the node as soon as nobody uses it, and forgets where the file was.
    void forget_removed(const Node& node);
    // The path of an open file below the export's root, by the kernel's path for it. Empty if it
    // has none: the name was removed, or the kernel does not know it.
    std::string path_below_root(int descriptor) const;
    // True if an open file is below the export's root, by the kernel's path for it.
    bool is_inside(int descriptor);

    std::uint32_t tick() const { return tick_.load(std::memory_order_relaxed); }
    // Marks the node as used now, so that it stays open. Avoids the store if possible, since other
    // threads read the same cache line.
    void touch(Node& node) const {
        const std::uint32_t now = tick();
        if (node.used.load(std::memory_order_relaxed) != now)
            node.used.store(now, std::memory_order_relaxed);
    }
    std::size_t size() const { return count_.load(std::memory_order_relaxed); }

 private:
    static constexpr std::size_t kShards = 16;  // four bits of a hash
    struct InodeKey {
        dev_t device;
        ino_t inode;
        bool operator==(const InodeKey&) const = default;
    };
    // Hashes choose the shard by their upper bits, the slot by their lower.
    struct ById {
        static const vfs::FileId& key(const Node& node) { return node.id; }
        static std::uint64_t hash(const vfs::FileId& id) { return std::hash<vfs::FileId>{}(id); }
    };
    struct ByInode {
        static InodeKey key(const Node& node) { return {node.device, node.inode}; }
        static std::uint64_t hash(const InodeKey& key) {
            return folded_product(key.inode ^ key.device << 40);
        }
    };
    template <class Keys>
    struct Shard {
        std::mutex mutex;
        NodeTable<NodePtr, Keys> nodes;
    };

    static std::size_t shard_of(std::uint64_t hash) { return hash >> 60; }

    NodePtr find(const vfs::FileId& id);
    // Whether the kernel probably has the name in memory.
    bool is_at_hand(const Node& directory, std::string_view name) const;
    vfs::Status open_cached(const Node& directory, const char* name, NodePtr& out,
                            struct stat& status);
    vfs::Status open_found(const Node& directory, const char* name, Fd path, NodePtr& out,
                           struct stat& status);
    void note_seen(Node& node, const Node& directory, std::string_view name);
    void drop(const NodePtr& node);
    vfs::Status resolve(const vfs::FileId& id, NodePtr& out, std::size_t depth);
    NodePtr by_index(const vfs::FileId& id, std::size_t depth, bool& known);
    NodePtr by_handle(const vfs::FileId& id, bool& gone);
    NodePtr by_path(std::string_view below_root, const vfs::FileId& wanted);
    // ok, stale, or busy: it was too soon to search again.
    vfs::Status search(const vfs::FileId& id, NodePtr& out);
    struct WantedFiles;
    void walk(std::unique_lock<std::mutex>& lock);
    void walk_directory(const Node& directory, WantedFiles& wanted, std::vector<vfs::FileId>& below,
                        std::size_t& entries_left);
    std::string path_of(int descriptor) const;
    bool is_below_root(int descriptor) const;
    void keep_house(std::stop_token stop);
    void look_for_others();
    bool is_removed(const Node& node, std::uint32_t now) const;
    void close_idle_data(Node& node, std::uint32_t now) const;
    bool can_reopen(const Node& node, const DataFile& data) const;
    void make_room();

    const std::uint64_t number_;  // unique in the process
    const Identity& identity_;
    Fd root_fd_;  // O_RDONLY: open_by_handle_at takes no other
    FileIds ids_;
    bool open_by_handle_;
    const FileDescriptors descriptors_;
    const std::size_t nodes_wanted_;  // 0: as many as there are descriptors for
    NodePtr root_;
    Index index_;
    ReadAhead read_ahead_;
    DirStreams streams_;
    const std::shared_ptr<MountWatch> mounts_ = MountWatch::shared();
    // The generation of a mount table without others below the export; 0: there are some.
    std::atomic<std::uint64_t> no_others_ = 0;
    std::uint64_t others_examined_ = 0;  // the generation; used by the housekeeper
    OthersMounted others_ = OthersMounted::nowhere;
    // Hashes of names whose nodes are open, each at a place of its own: an open file keeps its name
    // in the kernel's memory. A guess, which costs a system call where it is wrong.
    std::array<std::atomic<std::uint32_t>, 1u << 14> names_at_hand_{};
    std::array<Shard<ById>, kShards> shards_;
    std::array<Shard<ByInode>, kShards> inodes_;
    std::atomic<std::size_t> count_ = 0;
    std::atomic<std::uint32_t> tick_ = 1;
    std::mutex search_mutex_;  // for the following
    std::condition_variable walk_ended_;
    std::uint64_t walks_begun_ = 0;
    std::uint64_t walks_ended_ = 0;                        // one less while one runs
    std::chrono::steady_clock::time_point next_search_{};  // not before
    std::unordered_set<vfs::FileId> wanted_;               // to be looked for by the next walk
    std::unordered_set<vfs::FileId> gone_;                 // not found by the last one
    std::mutex room_mutex_;
    std::jthread housekeeper_;
};

}  // namespace helio::backend
