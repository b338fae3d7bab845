// Attributes of files (RFC 8881 §5): from a FileSystem to fattr4, and back to vfs::Changes.
#pragma once

#include <cstdint>
#include <optional>

#include "helio/base/task.h"
#include "helio/nfs/v4/compound.h"

namespace helio::nfs::v4 {

// The attributes that a request asks for.
class Wanted final {
 public:
    using Bits = nfs4::fattr4_attributes::Bits;

    explicit Wanted(const nfs4::bitmap4& request);

    const Bits& bits() const { return bits_; }  // those that this server has
    bool all_supported() const { return all_supported_; }
    bool error() const;                              // asks for rdattr_error
    bool write_only() const { return write_only_; }  // asks for what can only be set
    bool needs_file() const;                         // asks for what vfs::Attributes has
    bool needs_space() const;
    bool needs_owners() const;

 private:
    Bits bits_;
    bool all_supported_ = true;
    bool write_only_ = false;
};

// A file whose attributes are asked for. Null: not known.
struct Described {
    const Export* where = nullptr;
    const vfs::FileId* id = nullptr;
    const vfs::Attributes* attributes = nullptr;
    const vfs::Space* space = nullptr;
    std::uint64_t fileid = 0;              // if `attributes` is null; 0: not known
    nfs4::nfsstat4 error = nfs4::NFS4_OK;  // why `attributes` is null
};

// In the request's arena.
nfs4::nfsstat4 describe(Compound& compound, const Wanted& wanted, const Described& file,
                        nfs4::fattr4& out);
// The same for the current file if that needs no waiting, which saves a coroutine; false if it may.
bool describe_current_now(Compound& compound, const Wanted& wanted, nfs4::fattr4& out,
                          nfs4::nfsstat4& status);
Task<nfs4::nfsstat4> describe_current(Compound& compound, const Wanted& wanted, nfs4::fattr4& out);

// If users and groups have names (Context::names): finds out those of a file's owners, or the ids
// of owners that a client wants to set. It may have to wait, which the functions above and below do
// not: they answer NFS4ERR_DELAY for owners that are not known.
Task<nfs4::nfsstat4> learn_owners(Compound& compound, std::uint32_t uid, std::uint32_t gid);
Task<nfs4::nfsstat4> learn_owners(Compound& compound, const nfs4::fattr4& from);

// For SETATTR, CREATE and OPEN: what is to be set.
nfs4::nfsstat4 changes_in(Compound& compound, const nfs4::fattr4& from, vfs::Changes& out);
// The attributes that were set, in the request's arena.
nfs4::bitmap4 bits_of(Compound& compound, const vfs::Changes& changes);

}  // namespace helio::nfs::v4
