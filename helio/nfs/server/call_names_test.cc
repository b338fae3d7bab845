#include "helio/nfs/server/call_names.h"

#include <gtest/gtest.h>

#include "helio/xdr/arena.h"

namespace helio::nfs::call_names_test {
namespace {

using vfs::Status;

TEST(CallNames, OfCallsAndTheirAnswers) {
    xdr::Arena arena;
    rpc::Call call{arena};
    call.program = 100003;
    call.version = 2;
    call.procedure = 8;
    EXPECT_EQ(procedure_name(call), "NFS2 WRITE");
    EXPECT_EQ(wire_name(call, Status::bad_handle), "NFSERR_STALE");
    call.version = 3;
    call.procedure = 17;
    EXPECT_EQ(procedure_name(call), "NFS3 READDIRPLUS");
    EXPECT_EQ(wire_name(call, Status::bad_handle), "NFS3ERR_BADHANDLE");
    call.program = 100005;
    call.procedure = 1;
    EXPECT_EQ(procedure_name(call), "MOUNT3 MNT");
    EXPECT_EQ(wire_name(call, Status::access_denied), "MNT3ERR_ACCES");
    call.procedure = 99;
    EXPECT_EQ(procedure_name(call), "program 100005 version 3 procedure 99");
}

}  // namespace
}  // namespace helio::nfs::call_names_test
