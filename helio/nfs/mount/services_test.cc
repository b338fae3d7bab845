#include <gtest/gtest.h>

#include "helio/nfs/mount/mount_list.h"
#include "testing/nfs/server.h"

namespace helio::nfs::mnt::services_test {
namespace {

using namespace helio::mount;

struct Mount : ::testing::Test {
    std::shared_ptr<vfs::FileSystem> files = backend::make_memory_fs(tree());
    TestServer server{{TestServer::export_of("/data", files)}};
    MOUNT_V3::Client mount = server.mount3();
    MOUNTVERS::Client mount1{server};
    MOUNTVERS_POSIX::Client mount2{server};

    static backend::MemoryOptions tree() {
        backend::MemoryOptions options = TestServer::open_to_all();
        options.add_file("sub/dir/file", "bytes");
        return options;
    }
    mountstat3 mnt(std::string_view path) { return mount.MNT(path)->fhs_status(); }
    Bytes handle(std::string_view path) {
        const auto got = mount.MNT(path);
        EXPECT_TRUE(got && got->has_mountinfo()) << path;
        const ByteView view = got->mountinfo().fhandle;
        return {view.begin(), view.end()};
    }
    using Dump = std::vector<std::string>;
    Dump dump() {
        Dump out;
        for (const mountbody* one = *mount.DUMP(); one != nullptr; one = one->ml_next)
            out.push_back(std::string{one->ml_hostname} + ":" + std::string{one->ml_directory});
        return out;
    }
    // As a program on the server's own machine sees it.
    Dump dump_of_all() {
        const rpc::Peer caller = server.peer;
        server.peer.local = true;
        Dump out = dump();
        server.peer = caller;
        return out;
    }
};

TEST_F(Mount, GivesTheRootItsHandle) {
    const Handle root = server.root();
    const Bytes expected{root.view().begin(), root.view().end()};
    for (const char* const path :
         {"/data", "/data/", "//data//", "/", "data", "/.", ".", "//.//", "/./data/.", "./data"})
        EXPECT_EQ(handle(path), expected) << path;
    const auto got = mount.MNT("/data");
    ASSERT_EQ(got->mountinfo().auth_flavors.size(), 2u);
    EXPECT_EQ(got->mountinfo().auth_flavors[0], 1);
    EXPECT_EQ(got->mountinfo().auth_flavors[1], 0);
    EXPECT_EQ(mnt("/dat"), MNT3ERR_NOENT);
    EXPECT_EQ(mnt("/database"), MNT3ERR_NOENT);
}

TEST_F(Mount, WalksDown) {
    const Bytes sub = handle("/data/sub/dir");
    auto nfs = server.v3();
    EXPECT_EQ(nfs.LOOKUP({{{sub}, "file"}})->status(), nfs3::NFS3_OK);
    EXPECT_EQ(handle("/data//sub/dir///"), sub);
    EXPECT_EQ(mnt("/data/none"), MNT3ERR_NOENT);
    EXPECT_EQ(mnt("/data/sub/dir/file"), MNT3ERR_NOTDIR);
    EXPECT_EQ(mnt("/data/sub/dir/file/x"), MNT3ERR_NOTDIR);
    EXPECT_EQ(mnt("/data/sub/.."), MNT3ERR_ACCES);
    EXPECT_EQ(mnt("/data/sub/../../etc"), MNT3ERR_ACCES);
    EXPECT_EQ(handle("/data/./sub/././dir/."), sub);
    EXPECT_EQ(mnt("/data/.."), MNT3ERR_ACCES);
    EXPECT_EQ(mnt("/data/./../data"), MNT3ERR_ACCES);
    EXPECT_EQ(mnt("/data/..."), MNT3ERR_NOENT) << "a name like any other";
    EXPECT_EQ(mnt("/data/" + std::string(256, 'x')), MNT3ERR_NAMETOOLONG);
}

TEST_F(Mount, FollowsNoLinks) {
    auto nfs = server.v3();
    const Handle root = server.root();
    ASSERT_EQ(nfs.SYMLINK({{{root.view()}, "link"}, {{}, "sub"}})->status(), nfs3::NFS3_OK);
    EXPECT_EQ(mnt("/data/link"), MNT3ERR_NOTDIR);
    EXPECT_EQ(mnt("/data/link/dir"), MNT3ERR_NOTDIR);
}

// CVE-2025-12801: mounting by name a directory that the caller could not walk to.
TEST_F(Mount, WalksAsTheCaller) {
    auto nfs = server.v3();
    const Handle root = server.root();
    nfs3::sattr3 closed;
    closed.mode = 0700;
    const auto made = nfs.MKDIR({{{root.view()}, "private"}, closed});
    const Bytes directory{made->resok().obj->data.begin(), made->resok().obj->data.end()};
    ASSERT_EQ(nfs.MKDIR({{{directory}, "below"}, {}})->status(), nfs3::NFS3_OK);
    EXPECT_EQ(mnt("/data/private/below"), MNT3_OK);
    server.as(2000, 2000);
    EXPECT_EQ(mnt("/data/private/below"), MNT3ERR_ACCES);
    server.as(0, 0);  // squashed
    EXPECT_EQ(mnt("/data/private/below"), MNT3ERR_ACCES);
}

TEST_F(Mount, ChecksTheAddress) {
    ASSERT_TRUE(server.exports.set({TestServer::export_of(
        "/data", files, {.allowed = {Network::parse("10.9.0.0/16").value()}})}));
    server.lines.clear();
    EXPECT_EQ(mnt("/data"), MNT3ERR_ACCES);
    ASSERT_EQ(server.lines.size(), 1u);
    EXPECT_EQ(server.lines[0].substr(0, 24), "nfs: 10.0.0.7:801 xid 1 ");
    EXPECT_NE(server.lines[0].find("MOUNT3 MNT: /data is not for 10.0.0.7; answered MNT3ERR_ACCES"),
              std::string::npos);
    server.peer = peer_at(10, 9, 1, 1);
    EXPECT_EQ(mnt("/data"), MNT3_OK);
}

TEST_F(Mount, RemembersWhoMounted) {
    EXPECT_EQ(dump(), Dump{});
    mnt("/data");
    mnt("/data/./");
    mnt("/data/sub");
    mnt("/nowhere");
    server.peer = peer_at(10, 0, 0, 8);
    mnt("/data");
    EXPECT_EQ(dump_of_all(), (Dump{"10.0.0.7:/data", "10.0.0.7:/data/sub", "10.0.0.8:/data"}));
    EXPECT_TRUE(mount.UMNTALL());
    EXPECT_EQ(dump_of_all(), (Dump{"10.0.0.7:/data", "10.0.0.7:/data/sub"}))
        << "only the caller's own";
    server.peer = peer_at(10, 0, 0, 7);
    EXPECT_TRUE(mount.UMNT("/data/sub/"));
    EXPECT_EQ(dump_of_all(), (Dump{"10.0.0.7:/data"}));
    EXPECT_TRUE(mount.UMNT("/data"));
    EXPECT_EQ(dump_of_all(), Dump{});
}

TEST_F(Mount, TellsNobodyOfOthersMounts) {
    mnt("/data");
    server.peer = peer_at(10, 0, 0, 8);
    EXPECT_EQ(*mount.DUMP(), nullptr);
    mnt("/data/sub");
    EXPECT_EQ(dump(), (Dump{"10.0.0.8:/data/sub"}));
    for (const mountbody* const list : {*mount1.DUMP(), *mount2.DUMP()}) {
        ASSERT_NE(list, nullptr);
        EXPECT_EQ(list->ml_hostname, "10.0.0.8");
        EXPECT_EQ(list->ml_next, nullptr);
    }
    server.peer = peer_at(10, 0, 0, 7);
    EXPECT_EQ(dump(), (Dump{"10.0.0.7:/data"}));
    server.peer = peer_at(127, 0, 0, 1);
    server.peer.local = true;
    EXPECT_EQ(dump(), (Dump{"10.0.0.7:/data", "10.0.0.8:/data/sub"})) << "the server's own machine";
}

TEST_F(Mount, ListIsBounded) {
    for (std::size_t i = 0; i < kMountsMax + 5; ++i) {
        server.peer = peer_at(10, 1, static_cast<int>(i / 256), static_cast<int>(i % 256));
        ASSERT_EQ(mnt("/data"), MNT3_OK);
    }
    const Dump got = dump_of_all();
    EXPECT_EQ(got.size(), kMountsMax);
    EXPECT_EQ(got.front(), "10.1.0.5:/data") << "the oldest went";
    // Over UDP no more than a few times the call: its source may be forged.
    auto nfs = server.v3();
    const Handle root = server.root();
    for (const char name : std::string_view{"abcdefghijklmnop"}) {
        ASSERT_EQ(nfs.MKDIR({{{root.view()}, {&name, 1}}, {}})->status(), nfs3::NFS3_OK);
        ASSERT_EQ(mnt(std::string{"/data/"} + name), MNT3_OK);
    }
    EXPECT_EQ(dump().size(), 17u);
    server.peer.transport = rpc::Transport::udp;
    EXPECT_LT(dump().size(), 17u);
    EXPECT_LE(server.reply.size(), 3 * server.arguments.size());
    EXPECT_GT(server.reply.size(), 28u);
}

TEST_F(Mount, TellsItsExports) {
    ExportRules rules;
    rules.allowed = {Network::parse("10.0.0.0/8").value(), Network::parse("::1").value()};
    ASSERT_TRUE(server.exports.set(
        {TestServer::export_of("/data", files, rules), TestServer::export_of("/all", files)}));
    const auto got = mount.EXPORT();
    ASSERT_TRUE(got && *got != nullptr);
    EXPECT_EQ((*got)->ex_dir, "/data");
    ASSERT_NE((*got)->ex_groups, nullptr);
    EXPECT_EQ((*got)->ex_groups->gr_name, "10.0.0.7") << "not who else may";
    EXPECT_EQ((*got)->ex_groups->gr_next, nullptr);
    ASSERT_NE((*got)->ex_next, nullptr);
    EXPECT_EQ((*got)->ex_next->ex_dir, "/all");
    EXPECT_EQ((*got)->ex_next->ex_groups, nullptr);
    EXPECT_EQ((*got)->ex_next->ex_next, nullptr);
}

TEST_F(Mount, TellsNobodyOfOthersExports) {
    ExportRules rules;
    rules.allowed = {Network::parse("10.9.0.0/16").value()};
    ASSERT_TRUE(server.exports.set(
        {TestServer::export_of("/secret", files, rules), TestServer::export_of("/all", files)}));
    const auto got = mount.EXPORT();
    ASSERT_TRUE(got && *got != nullptr);
    EXPECT_EQ((*got)->ex_dir, "/all");
    EXPECT_EQ((*got)->ex_next, nullptr);
    EXPECT_EQ((*mount1.EXPORT())->ex_dir, "/all");
    EXPECT_EQ((*mount2.EXPORTALL())->ex_dir, "/all");
    server.peer = peer_at(10, 9, 1, 1);
    EXPECT_EQ((*mount.EXPORT())->ex_dir, "/secret");
}

TEST_F(Mount, Versions1And2) {
    EXPECT_TRUE(mount1.NULL_());
    const Handle root = server.root();
    const auto got = mount1.MNT("/data");
    ASSERT_TRUE(got && got->has_directory());
    EXPECT_EQ(got->directory(), root.bytes) << "32 bytes, with zeros behind";
    EXPECT_EQ(mount1.MNT("/nowhere")->status(), 2u);
    EXPECT_EQ(mount1.MNT("/data/sub/dir/file")->status(), 20u);
    EXPECT_EQ((*mount1.EXPORTALL())->ex_dir, "/data");
    EXPECT_EQ((*mount1.DUMP())->ml_directory, "/data");

    ASSERT_TRUE(mount2.MNT("/data")->has_directory());
    const auto limits = mount2.PATHCONF("/data/sub");
    ASSERT_TRUE(limits);
    EXPECT_EQ(limits->pc_name_max, 255);
    EXPECT_EQ(limits->pc_path_max, 1024);
    EXPECT_EQ(limits->pc_mask[0] & 1, 0);
    EXPECT_EQ(mount2.PATHCONF("/nowhere")->pc_mask[0], 1);
    EXPECT_TRUE(mount2.UMNTALL());
}

}  // namespace
}  // namespace helio::nfs::mnt::services_test
