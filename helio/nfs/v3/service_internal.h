// NFS version 3 (RFC 1813 §3.3) as a service: each procedure is tried at once, and goes to the pool
// when it would have to wait. The bodies are in the files beside this one.
#pragma once

#include "helio/nfs/faces_internal.h"
#include "helio/nfs/v3/bodies_internal.h"
#include "schema/nfs3_service.h"

namespace helio::nfs::v3 {

class Service final : public nfs3::NFS_V3::Service {
 public:
    explicit Service(const Desk& desk) : desk_(desk) {}

    void NULL_(xdr::CallContext&) override {}

    nfs3::GETATTR3res GETATTR(xdr::CallContext& call, const nfs3::GETATTR3args& args) override {
        return at_once<getattr>(desk_, call, args);
    }
    Task<nfs3::GETATTR3res> GETATTR_async(xdr::CallContext& call,
                                          const nfs3::GETATTR3args& args) override {
        return in_pool<getattr>(desk_, call, args);
    }

    nfs3::SETATTR3res SETATTR(xdr::CallContext& call, const nfs3::SETATTR3args& args) override {
        return at_once<setattr>(desk_, call, args);
    }
    Task<nfs3::SETATTR3res> SETATTR_async(xdr::CallContext& call,
                                          const nfs3::SETATTR3args& args) override {
        return in_pool<setattr>(desk_, call, args);
    }

    nfs3::LOOKUP3res LOOKUP(xdr::CallContext& call, const nfs3::LOOKUP3args& args) override {
        return at_once<lookup>(desk_, call, args);
    }
    Task<nfs3::LOOKUP3res> LOOKUP_async(xdr::CallContext& call,
                                        const nfs3::LOOKUP3args& args) override {
        return in_pool<lookup>(desk_, call, args);
    }

    nfs3::ACCESS3res ACCESS(xdr::CallContext& call, const nfs3::ACCESS3args& args) override {
        return at_once<access>(desk_, call, args);
    }
    Task<nfs3::ACCESS3res> ACCESS_async(xdr::CallContext& call,
                                        const nfs3::ACCESS3args& args) override {
        return in_pool<access>(desk_, call, args);
    }

    nfs3::READLINK3res READLINK(xdr::CallContext& call, const nfs3::READLINK3args& args) override {
        return at_once<readlink>(desk_, call, args);
    }
    Task<nfs3::READLINK3res> READLINK_async(xdr::CallContext& call,
                                            const nfs3::READLINK3args& args) override {
        return in_pool<readlink>(desk_, call, args);
    }

    nfs3::READ3res READ(xdr::CallContext& call, const nfs3::READ3args& args) override {
        return at_once<read>(desk_, call, args);
    }
    Task<nfs3::READ3res> READ_async(xdr::CallContext& call, const nfs3::READ3args& args) override {
        return in_pool<read>(desk_, call, args);
    }

    nfs3::WRITE3res WRITE(xdr::CallContext& call, const nfs3::WRITE3args& args) override {
        return at_once<write>(desk_, call, args);
    }
    Task<nfs3::WRITE3res> WRITE_async(xdr::CallContext& call,
                                      const nfs3::WRITE3args& args) override {
        return in_pool<write>(desk_, call, args);
    }

    nfs3::CREATE3res CREATE(xdr::CallContext& call, const nfs3::CREATE3args& args) override {
        return at_once<create>(desk_, call, args);
    }
    Task<nfs3::CREATE3res> CREATE_async(xdr::CallContext& call,
                                        const nfs3::CREATE3args& args) override {
        return in_pool<create>(desk_, call, args);
    }

    nfs3::MKDIR3res MKDIR(xdr::CallContext& call, const nfs3::MKDIR3args& args) override {
        return at_once<mkdir>(desk_, call, args);
    }
    Task<nfs3::MKDIR3res> MKDIR_async(xdr::CallContext& call,
                                      const nfs3::MKDIR3args& args) override {
        return in_pool<mkdir>(desk_, call, args);
    }

    nfs3::SYMLINK3res SYMLINK(xdr::CallContext& call, const nfs3::SYMLINK3args& args) override {
        return at_once<symlink>(desk_, call, args);
    }
    Task<nfs3::SYMLINK3res> SYMLINK_async(xdr::CallContext& call,
                                          const nfs3::SYMLINK3args& args) override {
        return in_pool<symlink>(desk_, call, args);
    }

    nfs3::MKNOD3res MKNOD(xdr::CallContext& call, const nfs3::MKNOD3args& args) override {
        return at_once<mknod>(desk_, call, args);
    }
    Task<nfs3::MKNOD3res> MKNOD_async(xdr::CallContext& call,
                                      const nfs3::MKNOD3args& args) override {
        return in_pool<mknod>(desk_, call, args);
    }

    nfs3::REMOVE3res REMOVE(xdr::CallContext& call, const nfs3::REMOVE3args& args) override {
        return at_once<remove>(desk_, call, args);
    }
    Task<nfs3::REMOVE3res> REMOVE_async(xdr::CallContext& call,
                                        const nfs3::REMOVE3args& args) override {
        return in_pool<remove>(desk_, call, args);
    }

    nfs3::RMDIR3res RMDIR(xdr::CallContext& call, const nfs3::RMDIR3args& args) override {
        return at_once<rmdir>(desk_, call, args);
    }
    Task<nfs3::RMDIR3res> RMDIR_async(xdr::CallContext& call,
                                      const nfs3::RMDIR3args& args) override {
        return in_pool<rmdir>(desk_, call, args);
    }

    nfs3::RENAME3res RENAME(xdr::CallContext& call, const nfs3::RENAME3args& args) override {
        return at_once<rename>(desk_, call, args);
    }
    Task<nfs3::RENAME3res> RENAME_async(xdr::CallContext& call,
                                        const nfs3::RENAME3args& args) override {
        return in_pool<rename>(desk_, call, args);
    }

    nfs3::LINK3res LINK(xdr::CallContext& call, const nfs3::LINK3args& args) override {
        return at_once<link>(desk_, call, args);
    }
    Task<nfs3::LINK3res> LINK_async(xdr::CallContext& call, const nfs3::LINK3args& args) override {
        return in_pool<link>(desk_, call, args);
    }

    nfs3::READDIR3res READDIR(xdr::CallContext& call, const nfs3::READDIR3args& args) override {
        return at_once<readdir>(desk_, call, args);
    }
    Task<nfs3::READDIR3res> READDIR_async(xdr::CallContext& call,
                                          const nfs3::READDIR3args& args) override {
        return in_pool<readdir>(desk_, call, args);
    }

    nfs3::READDIRPLUS3res READDIRPLUS(xdr::CallContext& call,
                                      const nfs3::READDIRPLUS3args& args) override {
        return at_once<readdirplus>(desk_, call, args);
    }
    Task<nfs3::READDIRPLUS3res> READDIRPLUS_async(xdr::CallContext& call,
                                                  const nfs3::READDIRPLUS3args& args) override {
        return in_pool<readdirplus>(desk_, call, args);
    }

    nfs3::FSSTAT3res FSSTAT(xdr::CallContext& call, const nfs3::FSSTAT3args& args) override {
        return at_once<fsstat>(desk_, call, args);
    }
    Task<nfs3::FSSTAT3res> FSSTAT_async(xdr::CallContext& call,
                                        const nfs3::FSSTAT3args& args) override {
        return in_pool<fsstat>(desk_, call, args);
    }

    nfs3::FSINFO3res FSINFO(xdr::CallContext& call, const nfs3::FSINFO3args& args) override {
        return at_once<fsinfo>(desk_, call, args);
    }
    Task<nfs3::FSINFO3res> FSINFO_async(xdr::CallContext& call,
                                        const nfs3::FSINFO3args& args) override {
        return in_pool<fsinfo>(desk_, call, args);
    }

    nfs3::PATHCONF3res PATHCONF(xdr::CallContext& call, const nfs3::PATHCONF3args& args) override {
        return at_once<pathconf>(desk_, call, args);
    }
    Task<nfs3::PATHCONF3res> PATHCONF_async(xdr::CallContext& call,
                                            const nfs3::PATHCONF3args& args) override {
        return in_pool<pathconf>(desk_, call, args);
    }

    nfs3::COMMIT3res COMMIT(xdr::CallContext& call, const nfs3::COMMIT3args& args) override {
        return at_once<commit>(desk_, call, args);
    }
    Task<nfs3::COMMIT3res> COMMIT_async(xdr::CallContext& call,
                                        const nfs3::COMMIT3args& args) override {
        return in_pool<commit>(desk_, call, args);
    }

 private:
    const Desk& desk_;
};

}  // namespace helio::nfs::v3
