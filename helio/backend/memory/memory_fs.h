// MemoryFs: a file system in this process's memory, with the rules of POSIX: permissions, sticky
// and setgid directories, hard links, rename, sparse files. The default for tests and demos, and
// for embedders that export without a disk. Small files are on the heap, larger ones each in a
// memfd, so that they can be sent like files. It has all of vfs's optional parts.
//
// Thread-safe. Operations that change names are exclusive; lookups, reads, writes and changes of
// one file's attributes run concurrently.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "helio/vfs/file_system.h"

namespace helio::backend {

namespace memory {
struct Parts;
struct Tree;
}  // namespace memory

struct MemoryOptions {
    std::uint64_t bytes_max = std::uint64_t{1} << 30;  // of contents
    std::uint64_t files_max = 1'000'000;               // names, including hard links
    std::uint64_t start_verifier = 0;                  // of writes; 0: random
    std::uint32_t root_mode = 0755;
    std::uint32_t root_uid = 0;  // also of the initial content
    std::uint32_t root_gid = 0;

    struct InitialFile {
        std::string path;
        std::string bytes;
    };
    std::vector<InitialFile> files;
    // "docs/hello.txt": creates its directories too.
    MemoryOptions& add_file(std::string_view path, std::string_view bytes);
};

class MemoryFs final : public vfs::FileSystem {
 public:
    // Throws std::invalid_argument if the initial content is impossible: a path without a name, a
    // file where a directory is needed, too much of it.
    explicit MemoryFs(const MemoryOptions& options);
    ~MemoryFs() override;
    MemoryFs(const MemoryFs&) = delete;
    MemoryFs& operator=(const MemoryFs&) = delete;

    vfs::FileId root() const override;
    std::uint64_t write_verifier() const override;

    vfs::ChangeKind change_kind() const override { return vfs::ChangeKind::counter; }
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
    // The sink is called while the tree is locked: it must not call this file system.
    vfs::Status list(const vfs::Caller& caller, const vfs::FileId& directory,
                     const vfs::ListFrom& from, vfs::EntrySink& sink, vfs::ListOut& out) override;
    vfs::Status space(const vfs::Caller& caller, const vfs::FileId& file, vfs::Space& out) override;
    vfs::Limits limits() const override;
    vfs::Status commit(const vfs::Caller& caller, const vfs::FileId& file, std::uint64_t offset,
                       std::uint64_t count, vfs::Change& out) override;

 private:
    const std::unique_ptr<memory::Tree> tree_;
    const std::unique_ptr<memory::Parts> parts_;
};

std::shared_ptr<vfs::FileSystem> make_memory_fs(const MemoryOptions& options = {});

}  // namespace helio::backend
