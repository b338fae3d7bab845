#include "helio/nfs/server/programs.h"

#include "helio/nfs/mount/services_internal.h"
#include "helio/nfs/v2/service_internal.h"
#include "helio/nfs/v3/service_internal.h"

namespace helio::nfs {

struct Programs::Services {
    ServiceContext context;
    v2::Context context_v2{context, {}};
    mnt::Context context_mount{context, {}};
    std::unique_ptr<xdr::ServiceBase> nfs3 = v3::make_service(context);
    std::unique_ptr<xdr::ServiceBase> nfs2 = v2::make_service(context_v2);
    std::unique_ptr<xdr::ServiceBase> mount3 = mnt::make_mount_v3(context_mount);
    std::unique_ptr<xdr::ServiceBase> mount2 = mnt::make_mount_v2(context_mount);
    std::unique_ptr<xdr::ServiceBase> mount1 = mnt::make_mount_v1(context_mount);

    explicit Services(const ServiceContext& shared) : context(shared) {}
};

Programs::Programs(const Exports& exports, transport::Pool* pool)
    : services_(std::make_unique<Services>(ServiceContext{exports, pool})) {}
Programs::Programs(const Exports& exports, transport::Pool& pool) : Programs(exports, &pool) {}
Programs::Programs(const Exports& exports) : Programs(exports, nullptr) {}
Programs::~Programs() = default;

void Programs::add_to(rpc::Server& server) {
    server.add(*services_->nfs3);
    server.add(*services_->nfs2);
    server.add(*services_->mount3);
    server.add(*services_->mount2);
    server.add(*services_->mount1);
}

}  // namespace helio::nfs
