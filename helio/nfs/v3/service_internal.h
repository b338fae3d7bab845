// NFS version 3 (RFC 1813 §3.3) as a service. The procedures are in the files beside this one.
#pragma once

#include "helio/nfs/v3/procedures_internal.h"
#include "schema/nfs3_service.h"

namespace helio::nfs::v3 {

class Service final : public nfs3::NFS_V3::Service {
 public:
    explicit Service(const ServiceContext& context) : context_(context) {}

    void NULL_(xdr::CallContext&) override {}
    nfs3::GETATTR3res GETATTR(xdr::CallContext& call, const nfs3::GETATTR3args& args) override {
        return call.run(getattr(context_, rpc::call_of(call), args));
    }
    nfs3::SETATTR3res SETATTR(xdr::CallContext& call, const nfs3::SETATTR3args& args) override {
        return call.run(setattr(context_, rpc::call_of(call), args));
    }
    nfs3::LOOKUP3res LOOKUP(xdr::CallContext& call, const nfs3::LOOKUP3args& args) override {
        return call.run(lookup(context_, rpc::call_of(call), args));
    }
    nfs3::ACCESS3res ACCESS(xdr::CallContext& call, const nfs3::ACCESS3args& args) override {
        return call.run(access(context_, rpc::call_of(call), args));
    }
    nfs3::READLINK3res READLINK(xdr::CallContext& call, const nfs3::READLINK3args& args) override {
        return call.run(readlink(context_, rpc::call_of(call), args));
    }
    nfs3::READ3res READ(xdr::CallContext& call, const nfs3::READ3args& args) override {
        return call.run(read(context_, rpc::call_of(call), args));
    }
    nfs3::WRITE3res WRITE(xdr::CallContext& call, const nfs3::WRITE3args& args) override {
        return call.run(write(context_, rpc::call_of(call), args));
    }
    nfs3::CREATE3res CREATE(xdr::CallContext& call, const nfs3::CREATE3args& args) override {
        return call.run(create(context_, rpc::call_of(call), args));
    }
    nfs3::MKDIR3res MKDIR(xdr::CallContext& call, const nfs3::MKDIR3args& args) override {
        return call.run(mkdir(context_, rpc::call_of(call), args));
    }
    nfs3::SYMLINK3res SYMLINK(xdr::CallContext& call, const nfs3::SYMLINK3args& args) override {
        return call.run(symlink(context_, rpc::call_of(call), args));
    }
    nfs3::MKNOD3res MKNOD(xdr::CallContext& call, const nfs3::MKNOD3args& args) override {
        return call.run(mknod(context_, rpc::call_of(call), args));
    }
    nfs3::REMOVE3res REMOVE(xdr::CallContext& call, const nfs3::REMOVE3args& args) override {
        return call.run(remove(context_, rpc::call_of(call), args));
    }
    nfs3::RMDIR3res RMDIR(xdr::CallContext& call, const nfs3::RMDIR3args& args) override {
        return call.run(rmdir(context_, rpc::call_of(call), args));
    }
    nfs3::RENAME3res RENAME(xdr::CallContext& call, const nfs3::RENAME3args& args) override {
        return call.run(rename(context_, rpc::call_of(call), args));
    }
    nfs3::LINK3res LINK(xdr::CallContext& call, const nfs3::LINK3args& args) override {
        return call.run(link(context_, rpc::call_of(call), args));
    }
    nfs3::READDIR3res READDIR(xdr::CallContext& call, const nfs3::READDIR3args& args) override {
        return call.run(readdir(context_, rpc::call_of(call), args));
    }
    nfs3::READDIRPLUS3res READDIRPLUS(xdr::CallContext& call,
                                      const nfs3::READDIRPLUS3args& args) override {
        return call.run(readdirplus(context_, rpc::call_of(call), args));
    }
    nfs3::FSSTAT3res FSSTAT(xdr::CallContext& call, const nfs3::FSSTAT3args& args) override {
        return call.run(fsstat(context_, rpc::call_of(call), args));
    }
    nfs3::FSINFO3res FSINFO(xdr::CallContext& call, const nfs3::FSINFO3args& args) override {
        return call.run(fsinfo(context_, rpc::call_of(call), args));
    }
    nfs3::PATHCONF3res PATHCONF(xdr::CallContext& call, const nfs3::PATHCONF3args& args) override {
        return call.run(pathconf(context_, rpc::call_of(call), args));
    }
    nfs3::COMMIT3res COMMIT(xdr::CallContext& call, const nfs3::COMMIT3args& args) override {
        return call.run(commit(context_, rpc::call_of(call), args));
    }

 private:
    const ServiceContext& context_;
};

}  // namespace helio::nfs::v3
