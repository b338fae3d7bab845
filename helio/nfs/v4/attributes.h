// Attributes of files (RFC 8881 §5): from a FileSystem to fattr4, and back to vfs::Changes.
#pragma once

#include <cstdint>

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
    bool write_only() const { return write_only_; }  // asks for what can only be set
    bool needs_space() const;

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
    std::uint64_t fileid = 0;  // if `attributes` is null
};

// In the request's arena.
nfs4::nfsstat4 describe(Compound& compound, const Wanted& wanted, const Described& file,
                        nfs4::fattr4& out);
Task<nfs4::nfsstat4> describe_current(Compound& compound, const Wanted& wanted, nfs4::fattr4& out);

// For SETATTR, CREATE and OPEN: what is to be set.
nfs4::nfsstat4 changes_in(Compound& compound, const nfs4::fattr4& from, vfs::Changes& out);
// The attributes that were set, in the request's arena.
nfs4::bitmap4 bits_of(Compound& compound, const vfs::Changes& changes);

}  // namespace helio::nfs::v4
