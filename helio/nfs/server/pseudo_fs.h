// PseudoFs: the directories above exports that NFS 4 clients walk through (RFC 8881 §7). It is a
// read-only file system of empty directories: the names in them belong to the ExportTree, which
// also decides which of them a client sees. Ids and file numbers follow from the path alone, so
// that handles stay valid when the server restarts or its exports change.
#pragma once

#include <string_view>
#include <unordered_set>
#include <vector>

#include "helio/vfs/read_only_file_system.h"

namespace helio::nfs {

// The directory of a path ("/", "/srv") in the pseudo root, whether it exists or not.
vfs::FileId pseudo_id(std::string_view path);
// Its file number, which is never 0.
std::uint64_t pseudo_fileid(const vfs::FileId& id);

class PseudoFs final : public vfs::ReadOnlyFileSystem {
 public:
    // `changed` is when the exports were last changed: clients then read the directories again.
    PseudoFs(const std::vector<vfs::FileId>& directories, const vfs::Time& changed)
        : directories_(directories.begin(), directories.end()), changed_(changed) {}

    vfs::FileId root() const override { return pseudo_id("/"); }
    vfs::ChangeKind change_kind() const override { return vfs::ChangeKind::from_time; }
    vfs::Status attributes(const vfs::Caller& caller, const vfs::FileId& file,
                           vfs::Attributes& out) override;
    vfs::Status lookup(const vfs::Caller& caller, const vfs::FileId& directory,
                       std::string_view name, vfs::LookupOut& out) override;
    vfs::Status read(const vfs::Caller& caller, const vfs::FileId& file, std::uint64_t offset,
                     std::uint32_t count, vfs::Memory& memory, vfs::ReadOut& out) override;
    vfs::Status commit(const vfs::Caller& caller, const vfs::FileId& file, std::uint64_t offset,
                       std::uint64_t count, vfs::Change& out) override;
    vfs::Status list(const vfs::Caller& caller, const vfs::FileId& directory,
                     const vfs::ListFrom& from, vfs::EntrySink& sink, vfs::ListOut& out) override;

 private:
    // is_a_directory: what cannot be done with one.
    vfs::Status refuse_directory(const vfs::Caller& caller, const vfs::FileId& directory);

    std::unordered_set<vfs::FileId> directories_;
    vfs::Time changed_;
};

}  // namespace helio::nfs
