// The pseudo root of NFS 4 with calls that no good client makes. TestServer checks the status of
// each operation against RFC 8881 §15.2.
#include <gtest/gtest.h>

#include "testing/nfs/session_client.h"

namespace helio::nfs::v4_pseudo_root_test {
namespace {

using namespace nfs4;
using Operation = nfs_argop4;

Export memory(std::string path, ExportRules rules = {}) {
    return TestServer::export_of(
        std::move(path), backend::make_memory_fs(TestServer::open_to_all()), std::move(rules));
}

struct BadInputsPseudoRoot : ::testing::Test {
    TestServer server{{memory("/a"), memory("/b/deep"), memory("/b/deep/inner")}};
    SessionClient client{server};

    static Operation op(nfs_opnum4 number) { return Operation::of(number); }
    static Operation root() { return SessionClient::root(); }
    static Operation lookup(std::string_view name) { return SessionClient::lookup(name); }
    // A directory of the pseudo root, and the root of an export with a name of another in it.
    const std::vector<std::vector<Operation>> directories{
        {root()}, {root(), lookup("b")}, {root(), lookup("b"), lookup("deep")}};

    nfsstat4 at(std::vector<Operation> directory, std::initializer_list<Operation> operations) {
        directory.insert(directory.end(), operations);
        return client.status_of(std::move(directory));
    }
    static READDIR4args readdir(nfs_cookie4 cookie, count4 maxcount) {
        READDIR4args args{};
        args.cookie = cookie;
        args.maxcount = maxcount;
        return args;
    }
    void TearDown() override {
        EXPECT_EQ(client.status_of({root(), lookup("b"), lookup("deep"), lookup("inner")}),
                  NFS4_OK);
    }
};

TEST_F(BadInputsPseudoRoot, Parents) {
    EXPECT_EQ(at({root()}, {op(OP_LOOKUPP)}), NFS4ERR_NOENT);
    std::vector<Operation> up{root(), lookup("b"), lookup("deep"), lookup("inner")};
    for (int i = 0; i < 3; ++i) up.push_back(op(OP_LOOKUPP));
    EXPECT_EQ(client.handle(up), client.handle({root()}));
    up.push_back(op(OP_LOOKUPP));
    EXPECT_EQ(client.status_of(up), NFS4ERR_NOENT);
}

TEST_F(BadInputsPseudoRoot, Names) {
    const std::string longest(300, 'n');
    const std::string zero("a\0b", 3);
    for (const auto& directory : directories) {
        EXPECT_EQ(at(directory, {lookup("")}), NFS4ERR_INVAL);
        EXPECT_EQ(at(directory, {lookup(".")}), NFS4ERR_BADNAME);
        EXPECT_EQ(at(directory, {lookup("..")}), NFS4ERR_BADNAME);
        EXPECT_EQ(at(directory, {lookup(longest)}), NFS4ERR_NAMETOOLONG);
        for (const std::string_view name : {std::string_view{"b/deep"}, std::string_view{zero}})
            EXPECT_NE(at(directory, {lookup(name)}), NFS4_OK) << name;
        EXPECT_NE(at(directory, {Operation::of_opsecinfo({longest})}), NFS4_OK);
        EXPECT_NE(at(directory, {Operation::of_opremove({longest})}), NFS4_OK);
    }
}

TEST_F(BadInputsPseudoRoot, ListingsOfAnySize) {
    for (const auto& directory : directories)
        for (count4 size = 0; size < 200; ++size) {
            const nfsstat4 status = at(directory, {Operation::of_opreaddir(readdir(0, size))});
            EXPECT_TRUE(status == NFS4_OK || status == NFS4ERR_TOOSMALL) << text_of(status);
            EXPECT_TRUE(size > 40 || status == NFS4ERR_TOOSMALL) << size;
            EXPECT_TRUE(size < 120 || status == NFS4_OK) << size;
        }
    EXPECT_EQ(at({root()}, {Operation::of_opreaddir(readdir(0, UINT32_MAX))}), NFS4_OK);
}

TEST_F(BadInputsPseudoRoot, CookiesThatWereNeverGiven) {
    for (const auto& directory : directories)
        for (const nfs_cookie4 cookie :
             {nfs_cookie4{1}, nfs_cookie4{2}, nfs_cookie4{100}, nfs_cookie4{4'098},
              (nfs_cookie4{1} << 63) + 10'000, UINT64_MAX}) {
            const nfsstat4 status = at(directory, {Operation::of_opreaddir(readdir(cookie, 4096))});
            EXPECT_TRUE(status == NFS4ERR_BAD_COOKIE || status == NFS4ERR_NOT_SAME)
                << cookie << " " << text_of(status);
        }
}

TEST_F(BadInputsPseudoRoot, VerifiersThatWereNeverGiven) {
    const auto done = client.send({root(), Operation::of_opreaddir(readdir(0, 4096))});
    ASSERT_EQ(done.status(), NFS4_OK);
    READDIR4args next = readdir(done[1].opreaddir().resok4().reply.entries->cookie, 4096);
    next.cookieverf = done[1].opreaddir().resok4().cookieverf;
    EXPECT_EQ(at({root()}, {Operation::of_opreaddir(next)}), NFS4_OK);
    next.cookieverf[0] ^= std::byte{1};
    EXPECT_EQ(at({root()}, {Operation::of_opreaddir(next)}), NFS4ERR_NOT_SAME);
}

// Open files and locks where there are only directories.
TEST_F(BadInputsPseudoRoot, StateOfDirectories) {
    const Bytes top = client.handle({root()});
    OPEN4args open = client.open_args("x", false);
    open.claim = open_claim4::of(CLAIM_FH);
    EXPECT_EQ(at({root()}, {Operation::of_opopen(open)}), NFS4ERR_ROFS);
    open.share_access = OPEN4_SHARE_ACCESS_READ;
    EXPECT_EQ(at({root()}, {Operation::of_opopen(open)}), NFS4ERR_ISDIR);
    LOCK4args lock{};
    lock.locktype = WRITE_LT;
    lock.length = 1;
    lock.locker = locker4::of_open_owner({0, {}, 0, {0, as_bytes("owner")}});
    EXPECT_EQ(at({root()}, {Operation::of_oplock(lock)}), NFS4ERR_BAD_STATEID);
    EXPECT_EQ(at({root()}, {Operation::of_oplocku({WRITE_LT, 0, {}, 0, 1})}), NFS4ERR_BAD_STATEID);
    EXPECT_EQ(at({root()}, {Operation::of_oplockt({WRITE_LT, 0, 1, {0, as_bytes("owner")}})}),
              NFS4ERR_ISDIR);
    EXPECT_EQ(at({root()}, {Operation::of_opclose({0, {}})}), NFS4ERR_BAD_STATEID);
}

// Every bit changed: none of them leads anywhere else.
TEST_F(BadInputsPseudoRoot, ForgedHandles) {
    const Bytes top = client.handle({root()});
    for (std::size_t bit = 0; bit < 8 * top.size(); ++bit) {
        Bytes forged = top;
        forged[bit / 8] ^= std::byte{1} << (bit % 8);
        EXPECT_EQ(client.status_of({SessionClient::put(forged)}), NFS4ERR_BADHANDLE) << bit;
    }
}

// The table is replaced between any two calls of a client that holds handles of the old one.
TEST_F(BadInputsPseudoRoot, ExportsComeAndGo) {
    const Bytes b = client.handle({root(), lookup("b")});
    const Bytes deep = client.handle({root(), lookup("b"), lookup("deep")});
    const ExportTable before = *server.exports.table();
    ASSERT_TRUE(server.exports.set({memory("/a")}));
    for (const Bytes& gone : {b, deep})
        for (const Operation& next :
             {Operation::of_opgetattr({}), Operation::of_opreaddir(readdir(0, 4096)),
              lookup("deep"), op(OP_LOOKUPP), Operation::of_opaccess({1})})
            EXPECT_EQ(client.status_of({SessionClient::put(gone), next}), NFS4ERR_STALE);
    ASSERT_TRUE(server.exports.set(before));
    EXPECT_EQ(client.handle({root(), lookup("b")}), b);
}

}  // namespace
}  // namespace helio::nfs::v4_pseudo_root_test
