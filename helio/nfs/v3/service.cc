#include "helio/nfs/v3/service_internal.h"

#include "helio/nfs/v3/procedures_internal.h"
#include "schema/nfs3_service.h"

namespace helio::nfs::v3 {

namespace {

using Version = nfs3::NFS_V3;

void null(const ServiceContext&, rpc::Call&) {}

constexpr Version::Table<const ServiceContext, rpc::Call> kTable{
    .NULL_ = null,
    .GETATTR = getattr,
    .SETATTR = setattr,
    .LOOKUP = lookup,
    .ACCESS = access,
    .READLINK = readlink,
    .READ = read,
    .WRITE = write,
    .CREATE = create,
    .MKDIR = mkdir,
    .SYMLINK = symlink,
    .MKNOD = mknod,
    .REMOVE = remove,
    .RMDIR = rmdir,
    .RENAME = rename,
    .LINK = link,
    .READDIR = readdir,
    .READDIRPLUS = readdirplus,
    .FSSTAT = fsstat,
    .FSINFO = fsinfo,
    .PATHCONF = pathconf,
    .COMMIT = commit,
};

}  // namespace

std::unique_ptr<xdr::ServiceBase> make_service(const ServiceContext& context) {
    return std::make_unique<Version::TableService<const ServiceContext, rpc::Call>>(context,
                                                                                    kTable);
}

}  // namespace helio::nfs::v3
