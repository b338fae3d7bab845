#include "helio/nfs/server/call_names.h"

#include <fmt/format.h>

#include "helio/nfs/wire/status.h"
#include "schema/mount_service.h"
#include "schema/nfs2_service.h"
#include "schema/nfs3_service.h"
#include "schema/nfs4_service.h"

namespace helio::nfs {

using vfs::Status;

namespace {
const xdr::VersionInfo* info_of(const rpc::Call& call) {
    for (const auto* const info :
         {&nfs4::NFS_V4::info(), &nfs3::NFS_V3::info(), &nfs2::NFS_VERSION::info(),
          &mount::MOUNT_V3::info(), &mount::MOUNTVERS::info(), &mount::MOUNTVERS_POSIX::info()})
        if (info->program == call.program && info->version == call.version) return info;
    return nullptr;
}
}  // namespace

std::string_view wire_name(const rpc::Call& call, Status status) {
    if (call.program == mount::MOUNT_V3::program) return to_string(to_mount3(status));
    if (call.version == 4) return to_string(to_nfs4(status));
    if (call.version == 2) return to_string(to_nfs2(status));
    return to_string(to_nfs3(status));
}

std::string procedure_name(const rpc::Call& call) {
    const bool mount = call.program == mount::MOUNT_V3::program;
    const xdr::VersionInfo* const info = info_of(call);
    const xdr::ProcedureInfo* const one =
        info != nullptr ? info->procedure(call.procedure) : nullptr;
    if (one == nullptr)
        return fmt::format("program {} version {} procedure {}", call.program, call.version,
                           call.procedure);
    return fmt::format("{}{} {}", mount ? "MOUNT" : "NFS", call.version, one->short_name);
}

}  // namespace helio::nfs
