// The procedures of NFS version 3: wire in, wire out, no policy. Each may run on the connection's
// thread or on the pool; the faces are in service.h.
#pragma once

#include "helio/nfs/request.h"
#include "helio/nfs/v3/convert.h"
#include "schema/nfs3.h"

namespace helio::nfs::v3 {

// attributes.cc
nfs3::GETATTR3res getattr(Request& request, const nfs3::GETATTR3args& args);
nfs3::SETATTR3res setattr(Request& request, const nfs3::SETATTR3args& args);
nfs3::ACCESS3res access(Request& request, const nfs3::ACCESS3args& args);
// lookup.cc
nfs3::LOOKUP3res lookup(Request& request, const nfs3::LOOKUP3args& args);
nfs3::READLINK3res readlink(Request& request, const nfs3::READLINK3args& args);
// read.cc
nfs3::READ3res read(Request& request, const nfs3::READ3args& args);
// write.cc
nfs3::WRITE3res write(Request& request, const nfs3::WRITE3args& args);
nfs3::COMMIT3res commit(Request& request, const nfs3::COMMIT3args& args);
// create.cc
nfs3::CREATE3res create(Request& request, const nfs3::CREATE3args& args);
nfs3::MKDIR3res mkdir(Request& request, const nfs3::MKDIR3args& args);
nfs3::SYMLINK3res symlink(Request& request, const nfs3::SYMLINK3args& args);
nfs3::MKNOD3res mknod(Request& request, const nfs3::MKNOD3args& args);
// remove.cc
nfs3::REMOVE3res remove(Request& request, const nfs3::REMOVE3args& args);
nfs3::RMDIR3res rmdir(Request& request, const nfs3::RMDIR3args& args);
nfs3::RENAME3res rename(Request& request, const nfs3::RENAME3args& args);
nfs3::LINK3res link(Request& request, const nfs3::LINK3args& args);
// readdir.cc
nfs3::READDIR3res readdir(Request& request, const nfs3::READDIR3args& args);
nfs3::READDIRPLUS3res readdirplus(Request& request, const nfs3::READDIRPLUS3args& args);
// fsinfo.cc
nfs3::FSSTAT3res fsstat(Request& request, const nfs3::FSSTAT3args& args);
nfs3::FSINFO3res fsinfo(Request& request, const nfs3::FSINFO3args& args);
nfs3::PATHCONF3res pathconf(Request& request, const nfs3::PATHCONF3args& args);

}  // namespace helio::nfs::v3
