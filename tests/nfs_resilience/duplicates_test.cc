// Repeated calls: the duplicate cache before NFS. A retransmission of a call that changes something
// gets the first reply; a call that only looks like one is run.
#include <gtest/gtest.h>

#include "testing/nfs/server.h"

namespace helio::nfs::duplicates_test {
namespace {

using namespace nfs3;

struct Twice : ::testing::Test {
    TestServer server;
    NFS_V3::Client nfs = server.v3();
    const Handle root_handle = server.root();
    const nfs_fh3 root{root_handle.view()};
    const createhow3 guarded = createhow3::of_obj_attributes(GUARDED, {});

    nfsstat3 status_in(const Bytes& reply) {
        return static_cast<nfsstat3>(xdr::load_u32(reply.data() + 24));
    }
};

TEST_F(Twice, TheSameAnswer) {
    ASSERT_EQ(nfs.CREATE({{root, "a"}, guarded})->status(), NFS3_OK);
    const Bytes create = server.arguments;
    const Bytes created = server.reply;
    EXPECT_EQ(server.send(create), created) << "not NFS3ERR_EXIST";

    ASSERT_EQ(nfs.RENAME({{root, "a"}, {root, "b"}})->status(), NFS3_OK);
    const Bytes rename = server.arguments;
    const Bytes renamed = server.reply;
    server.peer.port = 802;
    EXPECT_EQ(server.send(rename), renamed) << "after a reconnect, from another port";

    ASSERT_EQ(nfs.REMOVE({{root, "b"}})->status(), NFS3_OK);
    EXPECT_EQ(server.send(server.arguments), server.reply);
    EXPECT_EQ(nfs.LOOKUP({{root, "b"}})->status(), NFS3ERR_NOENT);
}

TEST_F(Twice, AnotherClientGetsItsOwn) {
    ASSERT_EQ(nfs.CREATE({{root, "a"}, guarded})->status(), NFS3_OK);
    const Bytes same = server.arguments;
    server.peer = peer_at(10, 0, 0, 8);
    EXPECT_EQ(status_in(server.send(same)), NFS3ERR_EXIST);
}

TEST_F(Twice, AnotherBodyIsAnotherCall) {
    ASSERT_EQ(nfs.MKDIR({{root, "dir1"}, {}})->status(), NFS3_OK);
    Bytes other = server.arguments;
    const std::string_view text = as_text(other);
    const std::size_t at = text.find("dir1");
    ASSERT_NE(at, text.npos);
    other[at + 3] = std::byte{'2'};
    EXPECT_EQ(status_in(server.send(other)), NFS3_OK);
    EXPECT_EQ(nfs.LOOKUP({{root, "dir2"}})->status(), NFS3_OK);
}

}  // namespace
}  // namespace helio::nfs::duplicates_test
