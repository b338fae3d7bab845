// PosixFs. Its functions are in attributes.cc, data.cc, names.cc and list.cc, by subject. Its
// optional parts are separate classes, in parts/.
#pragma once

#include <sys/stat.h>

#include <array>
#include <atomic>
#include <mutex>
#include <optional>

#include "helio/backend/posix/nodes/nodes_internal.h"
#include "helio/backend/posix/posix_fs.h"
#include "helio/base/hash.h"

namespace helio::backend {

struct PosixParts;

class PosixFs final : public vfs::FileSystem {
 public:
    explicit PosixFs(const PosixOptions& options);
    ~PosixFs() override;

    vfs::FileId root() const override { return nodes_.root()->id; }
    std::uint64_t write_verifier() const override { return verifier_; }
    bool acts_as_caller() const override { return identity_.enabled(); }
    bool always_blocks() const override { return always_blocks_; }

    // Linux has a counter (STATX_CHANGE_COOKIE) but does not give it to programs.
    vfs::ChangeKind change_kind() const override { return vfs::ChangeKind::from_time; }
    vfs::OpenFiles* open_files() override;
    vfs::RangeLocks* range_locks() override;
    vfs::Holes* holes() override;
    vfs::Copying* copying() override;
    vfs::Cloning* cloning() override;
    vfs::ExtendedAttributes* extended_attributes() override;
    vfs::AccessLists* access_lists() override;

    vfs::Status attributes(const vfs::Caller& caller, const vfs::FileId& file,
                           vfs::Attributes& out) override;
    vfs::Status set_attributes(const vfs::Caller& caller, const vfs::FileId& file,
                               const vfs::Changes& changes, const std::optional<vfs::Time>& guard,
                               vfs::Change& out) override;
    vfs::Status lookup(const vfs::Caller& caller, const vfs::FileId& directory,
                       std::string_view name, vfs::LookupOut& out) override;
    vfs::Status access(const vfs::Caller& caller, const vfs::FileId& file, std::uint32_t wanted,
                       vfs::AccessOut& out) override;
    vfs::Status read_link(const vfs::Caller& caller, const vfs::FileId& file, vfs::Memory& memory,
                          vfs::LinkText& out) override;
    vfs::Status read(const vfs::Caller& caller, const vfs::FileId& file, std::uint64_t offset,
                     std::uint32_t count, vfs::Memory& memory, vfs::ReadOut& out) override;
    vfs::Status write(const vfs::Caller& caller, const vfs::FileId& file, std::uint64_t offset,
                      ByteView data, vfs::Stability stability, vfs::WriteOut& out) override;
    vfs::Status create(const vfs::Caller& caller, const vfs::FileId& directory,
                       std::string_view name, const vfs::NewFile& how,
                       vfs::CreateOut& out) override;
    vfs::Status make(const vfs::Caller& caller, const vfs::FileId& directory, std::string_view name,
                     const vfs::NewNode& what, vfs::CreateOut& out) override;
    vfs::Status remove(const vfs::Caller& caller, const vfs::FileId& directory,
                       std::string_view name, vfs::Change& out) override;
    vfs::Status remove_directory(const vfs::Caller& caller, const vfs::FileId& directory,
                                 std::string_view name, vfs::Change& out) override;
    vfs::Status rename(const vfs::Caller& caller, const vfs::FileId& from,
                       std::string_view from_name, const vfs::FileId& to, std::string_view to_name,
                       vfs::Change& out_from, vfs::Change& out_to) override;
    vfs::Status link(const vfs::Caller& caller, const vfs::FileId& file,
                     const vfs::FileId& directory, std::string_view name,
                     std::optional<vfs::Attributes>& out_file, vfs::Change& out_directory) override;
    vfs::Status list(const vfs::Caller& caller, const vfs::FileId& directory,
                     const vfs::ListFrom& from, vfs::EntrySink& sink, vfs::ListOut& out) override;
    vfs::Status space(const vfs::Caller& caller, const vfs::FileId& file, vfs::Space& out) override;
    vfs::Limits limits() const override { return limits_; }
    vfs::Status commit(const vfs::Caller& caller, const vfs::FileId& file, std::uint64_t offset,
                       std::uint64_t count, vfs::Change& out) override;

    // Shared with the optional parts:

    // The node, with the thread acting as the caller.
    vfs::Status open(const vfs::Caller& caller, const vfs::FileId& file, NodePtr& out,
                     Nodes::Seen seen = Nodes::Seen::recently);
    // fstat, and stale when the file has no name any more.
    vfs::Status look(const Node& node, struct stat& out);
    vfs::Attributes to_attributes(const struct stat& status) const {
        return nodes_.ids().attributes(status);
    }
    void note_after(const Node& node, std::optional<vfs::Attributes>& out) const;
    // Which of R_OK, W_OK and X_OK the caller has.
    int rights(const vfs::Caller& caller, Node& node, const struct stat& status);
    // Sets attributes, in the order that the kernel requires.
    vfs::Status apply(const vfs::Caller& caller, Node& node, const struct stat& status,
                      const vfs::Changes& changes);
    // Opens the file of a node; `access` is O_RDONLY, O_WRONLY or O_RDWR. If the server acts as its
    // callers it succeeds even where the mode denies access to the owner. Returns -1 and sets errno
    // on failure.
    int reopen(const vfs::Caller& caller, const Node& node, int access);
    // The descriptor that is open for the node, if one permits this access.
    std::shared_ptr<DataFile> held_data(Node& node, bool read, bool write);
    // The same for reading alone: not one that could be written through.
    std::shared_ptr<DataFile> held_reader(Node& node);
    // Keeps it open for calls to come.
    void hold_reader(Node& node, const std::shared_ptr<DataFile>& data);
    // Reading and writing, after the check of rights.
    vfs::Status read_open(const vfs::Caller& caller, const std::shared_ptr<DataFile>& data,
                          std::uint64_t offset, std::uint32_t count, vfs::Memory& memory,
                          vfs::ReadOut& out);
    vfs::Status read_data(const vfs::Caller& caller, const std::shared_ptr<DataFile>& data,
                          const struct stat& found, std::uint64_t offset, std::uint32_t count,
                          vfs::Memory& memory, vfs::ReadOut& out);
    // Whether this thread may try to write.
    static bool may_write_now(const vfs::Caller& caller, std::size_t size,
                              vfs::Stability stability);
    vfs::Status write_data(const DataFile& data, std::uint64_t offset, ByteView bytes,
                           vfs::Stability stability, vfs::WriteOut& out);
    vfs::Status sync_data(const DataFile& data);
    // The path of an open file below the export; empty if it is not known.
    std::string path_of(int descriptor) const { return nodes_.path_below_root(descriptor); }
    // Serializes changes of names in a directory and of the attributes of a file, so that the
    // attributes before and after an operation belong to it, as far as our clients are concerned.
    std::mutex& lock_of(const Node& node) {
        return node_locks_[(node.inode * kGoldenRatio >> 32) % node_locks_.size()];
    }
    const Identity& identity() const { return identity_; }
    bool syncs_metadata() const { return options_.sync_metadata; }

 private:
    // Names as the kernel expects them.
    struct Name {
        explicit Name(std::string_view view) {
            const std::size_t size = view.copy(bytes.data(), bytes.size() - 1);
            bytes[size] = 0;
        }
        const char* get() const { return bytes.data(); }
        std::array<char, 256> bytes;
    };

    vfs::Status open_directory(const vfs::Caller& caller, const vfs::FileId& file, NodePtr& out,
                               Nodes::Seen seen = Nodes::Seen::recently);
    enum class OpenFor : std::uint8_t { read, write };
    // Opens the file for reading or writing by the caller. Owners may always do both: clients have
    // checked permission when they opened the file, and do not expect another answer later (RFC
    // 1813 §4.4). A server run by an ordinary user can do so as long as it has the file open
    // itself.
    vfs::Status open_data(const vfs::Caller& caller, Node& node, const struct stat& status,
                          OpenFor use, std::shared_ptr<DataFile>& out);
    // Before a mode takes the owner's rights away: opens the file for the clients that use it, if
    // it could not be opened afterwards.
    void hold_open(const vfs::Caller& caller, Node& node, const struct stat& status, mode_t mode);
    vfs::Status resize(const vfs::Caller& caller, Node& node, const struct stat& status,
                       std::uint64_t size);
    // A directory whose names are about to change: open and locked, with its earlier attributes.
    struct DirectoryChange {
        NodePtr directory;
        mode_t mode = 0;
        std::unique_lock<std::mutex> lock;
    };
    vfs::Status begin_change(const vfs::Caller& caller, const vfs::FileId& directory,
                             DirectoryChange& out, vfs::Change& change);
    // Syncs if requested and records the later attributes; returns the overall status.
    vfs::Status end_change(vfs::Status status, const DirectoryChange& changing,
                           vfs::Change& change);
    // Completes what was made: its node, and the attributes that the caller wanted. A regular file
    // is open as `fd`, which is kept for the writes to come. On failure nothing is left.
    vfs::Status finish_made(const vfs::Caller& caller, const NodePtr& directory, const Name& name,
                            const vfs::Changes& changes, Fd fd, vfs::CreateOut& out);
    vfs::Status set_new(const vfs::Caller& caller, Node& node, struct stat& found,
                        const vfs::Changes& changes);
    void hold_data(Node& node, Fd fd);
    // Removes what was made a moment ago.
    void take_back(const Node& directory, const Name& name, const struct stat& made);
    vfs::Status create_exclusively(const vfs::Caller& caller, const NodePtr& directory,
                                   const Name& name, const vfs::NewFile& how, vfs::CreateOut& out);
    vfs::Status open_existing(const vfs::Caller& caller, const NodePtr& directory, const Name& name,
                              const vfs::NewFile& how, vfs::CreateOut& out);
    vfs::Status remove_name(const vfs::Caller& caller, const vfs::FileId& directory,
                            std::string_view name, int flags, vfs::Change& out);
    vfs::Status sync_directory(const Node& directory);

    const PosixOptions options_;
    Identity identity_;
    Nodes nodes_;
    const bool always_blocks_;
    vfs::Limits limits_;
    std::atomic<std::uint64_t> verifier_;
    std::atomic<bool> no_wait_reads_ = true;  // the file system knows RWF_NOWAIT
    std::array<std::mutex, 64> node_locks_;
    std::unique_ptr<PosixParts> parts_;
};

}  // namespace helio::backend
