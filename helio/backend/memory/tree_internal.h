// The tree of a MemoryFs: nodes by number, directories, and permissions.
//
// Locks. Names (directories' entries, which nodes exist, link counts) change only while `lock` is
// held alone. Everything else in a node changes while it is held alone, or shared and with the
// node's mutex. Only a clone holds two nodes' mutexes at once.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <pthread.h>

#include "helio/backend/memory/content_internal.h"
#include "helio/backend/memory/memory_fs.h"
#include "helio/base/siphash.h"
#include "helio/vfs/access_lists.h"

namespace helio::backend::memory {

// Links of one file, as in vfs. Directories are not counted: the number of files bounds them.
inline constexpr std::uint32_t kLinksMax = 32'000;
inline constexpr std::size_t kNameBytesMax = 255;
// PATH_MAX with its NUL: no client could follow a longer one.
inline constexpr std::size_t kTargetBytesMax = 4095;
// Shorter targets of symbolic links cost no block; ext4 keeps as many in the inode.
inline constexpr std::size_t kTargetBytesFree = 59;

// Bytes that an operation moves on a thread that must not wait: a large WRITE. More is done where
// waiting is allowed.
inline constexpr std::uint64_t kInPlaceBytesMax = 1u << 20;

struct Node;

struct NameHash {
    using is_transparent = void;
    std::uint64_t key0 =
        0;  // random: clients choose the names, and must not be able to choose the buckets
    std::uint64_t key1 = 0;
    std::size_t operator()(std::string_view name) const {
        return siphash13(key0, key1, as_bytes(name));
    }
};

struct DirectoryEntry {
    Node* node = nullptr;
    std::uint64_t cookie = 0;
};

struct Directory {
    using Entries = std::unordered_map<std::string, DirectoryEntry, NameHash, std::equal_to<>>;

    Directory(Node* parent_node, NameHash hash) : parent(parent_node), entries(0, hash) {}

    Node* find(std::string_view name) const;
    void add(std::string_view name, Node& node) { add_at(next_cookie++, name, node); }
    // In the position of an earlier name.
    void add_at(std::uint64_t cookie, std::string_view name, Node& node);
    void remove(std::string_view name);

    Node* parent;  // the root's is itself
    Entries entries;
    // In order of creation. A cookie is never reused for another name, so that a listing continues
    // after it whatever was added or removed. "." and ".." have 1 and 2.
    std::map<std::uint64_t, const Entries::value_type*> by_cookie;
    std::uint64_t next_cookie = 3;
};

// Rarely used attributes of a node. Their space is charged in whole blocks, like contents.
struct Extras {
    std::map<std::string, std::vector<std::byte>, std::less<>> attributes;
    vfs::Acl access;     // empty: there is only the mode
    vfs::Acl inherited;  // of a directory, by new entries
    std::uint64_t bytes = 0;

    std::uint64_t used() const { return whole_blocks(bytes); }
};
inline std::uint64_t bytes_of(const vfs::Acl& list) { return list.size() * sizeof(vfs::AclEntry); }

struct Node {
    Node(std::uint64_t its_number, vfs::FileType its_type) : number(its_number), type(its_type) {}

    const std::uint64_t number;
    const vfs::FileType type;
    mutable std::mutex mutex;
    std::uint32_t mode = 0;
    std::uint32_t links = 0;
    std::uint32_t uid = 0;
    std::uint32_t gid = 0;
    std::uint32_t device_major = 0;
    std::uint32_t device_minor = 0;
    vfs::Time accessed;
    vfs::Time modified;
    vfs::Time changed;
    std::optional<std::uint64_t> verifier;  // of the exclusive create that made it
    Content content;                        // of a regular file
    std::string target;                     // of a symbolic link
    std::unique_ptr<Directory> directory;
    std::unique_ptr<Extras> extras;  // null: none
    std::uint64_t change = 0;        // the change attribute
    std::uint32_t opens =
        0;  // number of OpenFiles; the node outlives its last name while it is open

    bool is_directory() const { return type == vfs::FileType::directory; }
    bool is_regular() const { return type == vfs::FileType::regular; }

    // Null: there is only the mode.
    const vfs::Acl* access_list() const {
        return extras && !extras->access.empty() ? &extras->access : nullptr;
    }
    // Charges for a change of the extras. no_space: nothing has changed.
    vfs::Status resize_extras(std::uint64_t removed, std::uint64_t added, Budget& budget);

    // Its contents or only its attributes have changed. No two changes have the same time, whatever
    // the clock says: clients' caches depend on it.
    void touch_contents();
    void touch_attributes();
    // It has been read. Recorded only if something has changed since, or a day has passed, so that
    // reading is not writing.
    void touch_accessed();
};

// Writers take precedence: otherwise endless readers could keep them out. Not recursive.
class TreeLock {
 public:
    TreeLock();
    ~TreeLock() { pthread_rwlock_destroy(&lock_); }
    TreeLock(const TreeLock&) = delete;
    TreeLock& operator=(const TreeLock&) = delete;
    void lock() { pthread_rwlock_wrlock(&lock_); }
    void unlock() { pthread_rwlock_unlock(&lock_); }
    void lock_shared() { pthread_rwlock_rdlock(&lock_); }
    void unlock_shared() { pthread_rwlock_unlock(&lock_); }

 private:
    pthread_rwlock_t lock_;
};

struct Tree {
    explicit Tree(const MemoryOptions& options);

    // Null: the file has no name left, or belongs to another instance.
    Node* find(const vfs::FileId& id);
    vfs::FileId id_of(const Node& node) const;
    // With the node's mutex held, or the tree alone.
    vfs::Attributes describe(const Node& node) const;
    // With the tree shared.
    vfs::Attributes snapshot(const Node& node) const;

    // The rest with the tree held alone. Null when there are too many files.
    Node* add_node(vfs::FileType type);
    void add_name(Node& directory, std::string_view name, Node& node);
    // Also drops the node if this was its last name.
    void remove_name(Node& directory, std::string_view name, Node& node);
    // Removes a node that has neither names nor opens; does nothing to others.
    void drop(Node& node);
    bool is_within(const Node& node, const Node& ancestor) const;

    mutable TreeLock lock;
    Budget budget;
    const std::uint64_t files_max;
    const std::uint64_t write_verifier;
    const std::uint64_t generation;  // of this instance
    const NameHash hash;
    std::uint64_t names = 0;
    std::uint64_t next_number = 1;
    std::unordered_map<std::uint64_t, Node> nodes;
    Node* root = nullptr;
};

// Records the attributes before the operation and, however it ends, after it. The locks must
// outlive it.
class ChangeRecorder {
 public:
    ChangeRecorder(const Tree& tree, const Node& node, vfs::Change& out)
        : tree_(tree), node_(node), out_(out) {
        out_.before = vfs::before(tree.describe(node));
    }
    ~ChangeRecorder() {
        out_.after = tree_.describe(node_);
        out_.atomic = true;
    }
    ChangeRecorder(const ChangeRecorder&) = delete;
    ChangeRecorder& operator=(const ChangeRecorder&) = delete;

 private:
    const Tree& tree_;
    const Node& node_;
    vfs::Change& out_;
};

vfs::Time now();

// Rights, as in the last three bits of a mode.
inline constexpr std::uint32_t kMayRead = 4;
inline constexpr std::uint32_t kMayWrite = 2;
inline constexpr std::uint32_t kMayExecute = 1;

inline constexpr std::uint32_t kSetUid = 04000;
inline constexpr std::uint32_t kSetGid = 02000;
inline constexpr std::uint32_t kSticky = 01000;
inline constexpr std::uint32_t kGroupExecute = 010;

inline bool is_superuser(const vfs::Caller& caller) { return caller.uid == 0; }
bool is_member(const vfs::Caller& caller, std::uint32_t gid);
// Whether the access list, or else the mode, grants all of the rights.
bool may(const vfs::Caller& caller, const Node& node, std::uint32_t rights);
// Clients check when a file is opened; later they read and write it whatever the mode has become,
// and the creator of a read-only file writes to it. A server sees no opens, so the owner always
// may.
bool may_write_data(const vfs::Caller& caller, const Node& node);
// Anyone who may run a program may read it.
bool may_read_data(const vfs::Caller& caller, const Node& node);
// May this caller remove the name, given sticky directories?
bool may_take_away(const vfs::Caller& caller, const Node& directory, const Node& node);
// A file that has been written to, or given away, loses its set-uid and set-gid bits.
void drop_privileges(Node& node);

// Applies the inherited access list of a directory to a new node.
vfs::Status inherit_lists(const Node& directory, Node& made, Budget& budget);

// Checks whether the changes are allowed. Changes nothing.
vfs::Status check_changes(const vfs::Caller& caller, const Node& node, const vfs::Changes& changes);
vfs::Status apply_changes(const vfs::Caller& caller, Node& node, const vfs::Changes& changes,
                          Budget& budget);

// ok for regular files; is_a_directory or invalid for others.
vfs::Status check_regular(const Node& node);
// The part of a write after the check of rights. The node's mutex is held.
vfs::Status write_node(const vfs::Caller& caller, Node& node, std::uint64_t offset, ByteView data,
                       Budget& budget, vfs::WriteOut& out);
// A read after the check of rights, in two steps. begin_read() needs the node's mutex.
// finish_read() reads from a MemoryFile without it, so that a long read does not delay others.
struct PendingRead {
    std::shared_ptr<const MemoryFile> file;  // null: begin_read() has done it all
    std::size_t size = 0;
};
vfs::Status begin_read(const Tree& tree, Node& node, std::uint64_t offset, std::uint32_t count,
                       vfs::Memory& memory, PendingRead& pending, vfs::ReadOut& out);
vfs::Status finish_read(const PendingRead& pending, std::uint64_t offset, vfs::Memory& memory,
                        vfs::ReadOut& out);

}  // namespace helio::backend::memory
