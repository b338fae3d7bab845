// Repeated calls: the duplicate cache before NFS. A retransmission of a call that changes something
// gets the first reply; a call that only looks like one is run.
#include <gtest/gtest.h>

#include <algorithm>

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

// The first copy is answered, a newer WRITE is done, and then the second copy of the first arrives.
TEST_F(Twice, ALateWriteUndoesNothing) {
    const auto made = nfs.CREATE({{root, "a"}, guarded});
    ASSERT_EQ(made->status(), NFS3_OK);
    const Bytes handle{made->resok().obj->data.begin(), made->resok().obj->data.end()};
    const auto write = [&](std::string_view text) {
        const auto size = static_cast<std::uint32_t>(text.size());
        EXPECT_EQ(nfs.WRITE({{handle}, 0, size, FILE_SYNC, as_bytes(text)})->status(), NFS3_OK);
    };
    // Short, and with data far beyond what tells calls apart.
    for (const std::size_t size : {1u, 100u, 70'000u}) {
        write(std::string(size, 'o'));
        const Bytes older = server.arguments, answer = server.reply;
        write(std::string(size, 'n'));
        server.peer.port = 803;
        EXPECT_EQ(server.send(older), answer);
        const auto read = nfs.READ({{handle}, 0, static_cast<std::uint32_t>(size)});
        EXPECT_EQ(as_text(read->resok().data.bytes()), std::string(size, 'n'));
    }
}

TEST_F(Twice, ALateWriteOfVersion2UndoesNothing) {
    const auto made = nfs.CREATE({{root, "a"}, guarded});
    nfs2::fhandle handle{};
    std::ranges::copy(made->resok().obj->data, handle.begin());
    nfs2::NFS_VERSION::Client nfs_2 = server.v2();
    EXPECT_EQ(nfs_2.WRITE({handle, 0, 0, 0, as_bytes("older")})->status(), nfs2::NFS_OK);
    const Bytes older = server.arguments;
    EXPECT_EQ(nfs_2.WRITE({handle, 0, 0, 0, as_bytes("newer")})->status(), nfs2::NFS_OK);
    server.send(older);
    EXPECT_EQ(as_text(nfs_2.READ({handle, 0, 10, 0})->reply().data.bytes()), "newer");
}

// The same xid, file, offset, size and credential: everything but the first bytes of the data.
TEST_F(Twice, OtherDataIsAnotherCall) {
    const auto made = nfs.CREATE({{root, "a"}, guarded});
    const Bytes handle{made->resok().obj->data.begin(), made->resok().obj->data.end()};
    ASSERT_EQ(nfs.WRITE({{handle}, 0, 5, FILE_SYNC, as_bytes("older")})->status(), NFS3_OK);
    Bytes other = server.arguments;
    const std::size_t at = as_text(other).find("older");
    ASSERT_NE(at, std::string_view::npos);
    other[at] = std::byte{'O'};
    EXPECT_EQ(status_in(server.send(other)), NFS3_OK);
    EXPECT_EQ(as_text(nfs.READ({{handle}, 0, 5})->resok().data.bytes()), "Older");
}

// Nor do many WRITEs make the server forget what must not run twice.
TEST_F(Twice, WritesLeaveRoomForOtherCalls) {
    const auto made = nfs.CREATE({{root, "a"}, guarded});
    const Bytes create = server.arguments, created = server.reply;
    const Bytes handle{made->resok().obj->data.begin(), made->resok().obj->data.end()};
    server.peer = peer_at(10, 0, 0, 8);
    for (std::size_t i = 0; i < 1000; ++i)
        ASSERT_EQ(nfs.WRITE({{handle}, i, 1, UNSTABLE, as_bytes("x")})->status(), NFS3_OK);
    server.peer = peer_at(10, 0, 0, 7);
    EXPECT_EQ(server.send(create), created);
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
