// The procedures of NFS version 3: wire in, wire out, no policy. Each is a coroutine; `service` and
// `call` outlive it.
#pragma once

#include "helio/base/task.h"
#include "helio/nfs/server/request.h"
#include "helio/nfs/v3/convert.h"
#include "schema/nfs3.h"

namespace helio::nfs::v3 {

Task<nfs3::GETATTR3res> getattr(const ServiceContext& service, rpc::Call& call,
                                nfs3::GETATTR3args args);
Task<nfs3::SETATTR3res> setattr(const ServiceContext& service, rpc::Call& call,
                                nfs3::SETATTR3args args);
Task<nfs3::ACCESS3res> access(const ServiceContext& service, rpc::Call& call,
                              nfs3::ACCESS3args args);
Task<nfs3::LOOKUP3res> lookup(const ServiceContext& service, rpc::Call& call,
                              nfs3::LOOKUP3args args);
Task<nfs3::READLINK3res> readlink(const ServiceContext& service, rpc::Call& call,
                                  nfs3::READLINK3args args);
Task<nfs3::READ3res> read(const ServiceContext& service, rpc::Call& call, nfs3::READ3args args);
Task<nfs3::WRITE3res> write(const ServiceContext& service, rpc::Call& call, nfs3::WRITE3args args);
Task<nfs3::COMMIT3res> commit(const ServiceContext& service, rpc::Call& call,
                              nfs3::COMMIT3args args);
Task<nfs3::CREATE3res> create(const ServiceContext& service, rpc::Call& call,
                              nfs3::CREATE3args args);
Task<nfs3::MKDIR3res> mkdir(const ServiceContext& service, rpc::Call& call, nfs3::MKDIR3args args);
Task<nfs3::SYMLINK3res> symlink(const ServiceContext& service, rpc::Call& call,
                                nfs3::SYMLINK3args args);
Task<nfs3::MKNOD3res> mknod(const ServiceContext& service, rpc::Call& call, nfs3::MKNOD3args args);
Task<nfs3::REMOVE3res> remove(const ServiceContext& service, rpc::Call& call,
                              nfs3::REMOVE3args args);
Task<nfs3::RMDIR3res> rmdir(const ServiceContext& service, rpc::Call& call, nfs3::RMDIR3args args);
Task<nfs3::RENAME3res> rename(const ServiceContext& service, rpc::Call& call,
                              nfs3::RENAME3args args);
Task<nfs3::LINK3res> link(const ServiceContext& service, rpc::Call& call, nfs3::LINK3args args);
Task<nfs3::READDIR3res> readdir(const ServiceContext& service, rpc::Call& call,
                                nfs3::READDIR3args args);
Task<nfs3::READDIRPLUS3res> readdirplus(const ServiceContext& service, rpc::Call& call,
                                        nfs3::READDIRPLUS3args args);
Task<nfs3::FSSTAT3res> fsstat(const ServiceContext& service, rpc::Call& call,
                              nfs3::FSSTAT3args args);
Task<nfs3::FSINFO3res> fsinfo(const ServiceContext& service, rpc::Call& call,
                              nfs3::FSINFO3args args);
Task<nfs3::PATHCONF3res> pathconf(const ServiceContext& service, rpc::Call& call,
                                  nfs3::PATHCONF3args args);

}  // namespace helio::nfs::v3
