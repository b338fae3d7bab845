// Calls that clients should not send, and that have crashed other servers: each is answered
// correctly, over both versions of NFS and MOUNT.
#include <gtest/gtest.h>

#include "helio/nfs/ops/ops.h"
#include "testing/nfs/server.h"

namespace helio::nfs::bad_inputs_test {
namespace {

using namespace nfs3;

constexpr std::uint64_t kBeyond = std::uint64_t{INT64_MAX} + 1;

struct BadInputs : ::testing::Test {
    TestServer server;
    NFS_V3::Client nfs = server.v3();
    const Handle root_handle = server.root();
    const nfs_fh3 root{root_handle.view()};
    Bytes file = create("file");

    static Bytes copy(ByteView view) { return {view.begin(), view.end()}; }
    Bytes create(std::string_view name) {
        const auto made = nfs.CREATE({{root, name}, createhow3::of_obj_attributes(GUARDED, {})});
        EXPECT_TRUE(made && made->has_resok());
        return copy(made->resok().obj->data);
    }
    nfsstat3 write(std::uint64_t offset, std::uint32_t count, std::string_view data) {
        return nfs.WRITE({{file}, offset, count, UNSTABLE, as_bytes(data)})->status();
    }
};

// ---- READ, READDIR, READDIRPLUS: counts and cookies ----

TEST_F(BadInputs, ReadCounts) {
    ASSERT_EQ(write(0, 5, "hello"), NFS3_OK);
    const auto none = nfs.READ({{file}, 0, 0});
    ASSERT_TRUE(none->has_resok());
    EXPECT_EQ(none->resok().count, 0u);
    EXPECT_FALSE(none->resok().eof);
    EXPECT_EQ(nfs.READ({{file}, 0, 1})->resok().count, 1u);
    EXPECT_EQ(nfs.READ({{file}, 0, 0xffff'ffff})->resok().count, 5u);
    EXPECT_NE(nfs.READ({root, 0, 10})->status(), NFS3_OK) << "a directory";
}

TEST_F(BadInputs, ListingWithWrongVerifierOrCookie) {
    const cookieverf3 wrong{std::byte{0xde}, std::byte{0xad}};
    EXPECT_EQ(nfs.READDIR({root, 0, wrong, 4096})->status(), NFS3_OK) << "the beginning needs none";
    EXPECT_EQ(nfs.READDIR({root, kBeyond, {}, 4096})->status(), NFS3ERR_BAD_COOKIE);
    EXPECT_EQ(nfs.READDIR({root, UINT64_MAX, {}, 4096})->status(), NFS3ERR_BAD_COOKIE);
    EXPECT_EQ(nfs.READDIRPLUS({root, kBeyond, {}, 4096, 4096})->status(), NFS3ERR_BAD_COOKIE);
    // Past everything: the end, or an invalid cookie.
    const auto behind = nfs.READDIR({root, INT64_MAX, {}, 4096});
    EXPECT_TRUE(behind->status() == NFS3ERR_BAD_COOKIE ||
                (behind->has_resok() && behind->resok().reply.eof));
    EXPECT_EQ(nfs.READDIR({{file}, 0, {}, 4096})->status(), NFS3ERR_NOTDIR);
    EXPECT_EQ(nfs.READDIRPLUS({{file}, 0, {}, 4096, 4096})->status(), NFS3ERR_NOTDIR);
}

TEST_F(BadInputs, ListingOnAfterTheEntryIsGone) {
    for (int i = 0; i < 40; ++i) create("entry" + std::to_string(i));
    std::vector<std::string> seen;
    READDIR3args args{root, 0, {}, 300};
    for (bool end = false; !end;) {
        const auto page = nfs.READDIR(args);
        ASSERT_TRUE(page && page->has_resok());
        std::string last;
        for (auto* one = page->resok().reply.entries; one != nullptr; one = one->nextentry) {
            seen.emplace_back(one->name);
            last = one->name;
            args.cookie = one->cookie;
        }
        args.cookieverf = page->resok().cookieverf;
        end = page->resok().reply.eof;
        // The entry of this very cookie is removed, and others are added.
        if (last.rfind("entry", 0) == 0) {
            ASSERT_EQ(nfs.REMOVE({{root, last}})->status(), NFS3_OK);
        }
    }
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(std::unique(seen.begin(), seen.end()), seen.end()) << "none twice";
    EXPECT_EQ(seen.size(), 43u) << "none lost: forty, the file, and dots";
}

// ---- Offsets and sizes at the edges of 64 bits ----

TEST_F(BadInputs, Offsets) {
    ASSERT_EQ(write(0, 5, "hello"), NFS3_OK);
    for (const std::uint64_t offset : {std::uint64_t{INT64_MAX}, kBeyond, UINT64_MAX}) {
        const auto got = nfs.READ({{file}, offset, 0xffff'ffff});
        ASSERT_TRUE(got->has_resok()) << offset;
        EXPECT_EQ(got->resok().count, 0u);
        EXPECT_TRUE(got->resok().eof);
        EXPECT_EQ(write(offset, 1, "x"), NFS3ERR_FBIG) << offset;
        EXPECT_EQ(nfs.COMMIT({{file}, offset, 0xffff'ffff})->status(), NFS3_OK) << offset;
    }
    EXPECT_EQ(write(INT64_MAX - 2, 5, "hello"), NFS3ERR_FBIG);
    sattr3 large;
    large.size = kBeyond;
    EXPECT_EQ(nfs.SETATTR({{file}, large, {}})->status(), NFS3ERR_FBIG);
    large.size = UINT64_MAX;
    EXPECT_EQ(nfs.SETATTR({{file}, large, {}})->status(), NFS3ERR_FBIG);
    EXPECT_EQ(nfs.CREATE({{root, "l"}, createhow3::of_obj_attributes(UNCHECKED, large)})->status(),
              NFS3ERR_FBIG);
    EXPECT_EQ(nfs.GETATTR({{file}})->resok().obj_attributes.size, 5u) << "nothing happened";
}

TEST_F(BadInputs, WriteCountIsNotTheLength) {
    EXPECT_EQ(write(0, 4, "hello"), NFS3ERR_INVAL);
    EXPECT_EQ(write(0, 6, "hello"), NFS3ERR_INVAL);
    EXPECT_EQ(write(0, 0xffff'ffff, "hello"), NFS3ERR_INVAL);
    EXPECT_EQ(write(0, 0, ""), NFS3_OK);
    EXPECT_EQ(nfs.GETATTR({{file}})->resok().obj_attributes.size, 0u);
}

// CVE-2022-49280: version 2's length word is all ones.
TEST_F(BadInputs, Version2WriteOfAllOnes) {
    auto v2 = server.v2();
    v2.WRITE({server.root().bytes, 0, 0, 0, as_bytes("data")});
    Bytes message = server.arguments;
    xdr::store_u32(message.data() + message.size() - 8, 0xffff'ffff);
    xdr::store_u32(message.data(), 0x7777);
    xdr::Arena arena;
    const Bytes reply = server.send(message);
    const auto opened = rpc::open_reply(reply, arena);
    ASSERT_TRUE(opened && opened->error);
    EXPECT_EQ(opened->error->outcome, xdr::Outcome::garbage_arguments);
}

// ---- Attributes ----

TEST_F(BadInputs, Attributes) {
    sattr3 wrong;
    wrong.mtime = set_mtime::of_mtime({1, 1'000'000'000});
    EXPECT_EQ(nfs.SETATTR({{file}, wrong, {}})->status(), NFS3ERR_INVAL);
    EXPECT_EQ(nfs.MKDIR({{root, "d"}, wrong})->status(), NFS3ERR_INVAL);
    wrong = {};
    wrong.atime = set_atime::of_atime({1, 0xffff'ffff});
    EXPECT_EQ(nfs.SETATTR({{file}, wrong, {}})->status(), NFS3ERR_INVAL);

    sattr3 type;
    type.mode = 0160644 | 0xffff'0000;
    ASSERT_EQ(nfs.SETATTR({{file}, type, {}})->status(), NFS3_OK);
    EXPECT_EQ(nfs.GETATTR({{file}})->resok().obj_attributes.mode, 0644u);
    EXPECT_EQ(nfs.GETATTR({{file}})->resok().obj_attributes.type, NF3REG);

    sattr3 nobody;
    nobody.uid = 0xffff'ffff;
    EXPECT_EQ(nfs.SETATTR({{file}, nobody, {}})->status(), NFS3ERR_INVAL);
    nobody = {};
    nobody.gid = 0xffff'ffff;
    EXPECT_EQ(nfs.SETATTR({{file}, nobody, {}})->status(), NFS3ERR_INVAL);

    sattr3 mode;
    mode.mode = 0600;
    EXPECT_EQ(nfs.SETATTR({{file}, mode, nfstime3{1, 0xffff'ffff}})->status(), NFS3ERR_NOT_SYNC);
}

TEST_F(BadInputs, ACallerWhoIsNobody) {
    server.as(0xffff'ffff, 0xffff'ffff, {0xffff'ffff});
    const auto made = nfs.CREATE({{root, "x"}, createhow3::of_obj_attributes(GUARDED, {})});
    ASSERT_TRUE(made->has_resok());
    EXPECT_EQ(made->resok().obj_attributes->uid, kNobody) << "and not the server's own";
    EXPECT_EQ(made->resok().obj_attributes->gid, kNobody);
}

TEST_F(BadInputs, DevicesOfOrdinaryUsers) {
    const auto device = mknoddata3::of_device(NF3BLK, {{}, {8, 0}});
    EXPECT_EQ(nfs.MKNOD({{root, "sda"}, device})->status(), NFS3ERR_PERM);
    server.as(0, 0);
    EXPECT_EQ(nfs.MKNOD({{root, "sda"}, device})->status(), NFS3ERR_PERM) << "squashed";
    server.credential = rpc::ClientCredential::none();
    EXPECT_EQ(nfs.MKNOD({{root, "sda"}, device})->status(), NFS3ERR_PERM);
}

TEST_F(BadInputs, LinkTexts) {
    const auto symlink = [&](const std::string& name, const std::string& text) {
        return nfs.SYMLINK({{root, name}, {{}, text}})->status();
    };
    EXPECT_EQ(symlink("a", std::string(4095, 'x')), NFS3_OK);
    EXPECT_EQ(symlink("b", std::string(4096, 'x')), NFS3ERR_NAMETOOLONG);
    EXPECT_EQ(symlink("c", std::string(1 << 20, 'x')), NFS3ERR_NAMETOOLONG);
    EXPECT_EQ(symlink("d", ""), NFS3ERR_INVAL);
    EXPECT_EQ(symlink("e", std::string("a\0b", 3)), NFS3ERR_INVAL);
}

TEST_F(BadInputs, Names) {
    using namespace std::string_view_literals;
    const std::string longest(255, 'n');
    const std::string longer(256, 'n');
    for (const std::string_view name : {""sv, "a/b"sv, "/"sv, "../x"sv, "a\0b"sv}) {
        EXPECT_EQ(nfs.LOOKUP({{root, name}})->status(), NFS3ERR_ACCES);
        EXPECT_EQ(nfs.MKDIR({{root, name}, {}})->status(), NFS3ERR_ACCES);
        EXPECT_EQ(nfs.REMOVE({{root, name}})->status(), NFS3ERR_ACCES);
        EXPECT_EQ(nfs.RENAME({{root, "file"}, {root, name}})->status(), NFS3ERR_ACCES);
        EXPECT_EQ(nfs.LINK({{file}, {root, name}})->status(), NFS3ERR_ACCES);
    }
    EXPECT_EQ(nfs.MKDIR({{root, longest}, {}})->status(), NFS3_OK);
    EXPECT_EQ(nfs.MKDIR({{root, longer}, {}})->status(), NFS3ERR_NAMETOOLONG);
    EXPECT_EQ(nfs.LOOKUP({{root, longer}})->status(), NFS3ERR_NAMETOOLONG);
    EXPECT_EQ(nfs.LOOKUP({{root, std::string(1 << 20, 'n')}})->status(), NFS3ERR_NAMETOOLONG);
    EXPECT_EQ(nfs.RMDIR({{root, "."}})->status(), NFS3ERR_INVAL);
    EXPECT_EQ(nfs.RMDIR({{root, ".."}})->status(), NFS3ERR_EXIST);
    EXPECT_EQ(nfs.RENAME({{root, ".."}, {root, "up"}})->status(), NFS3ERR_INVAL);
    // There is nothing above the root of an export.
    const auto up = nfs.LOOKUP({{root, ".."}});
    ASSERT_TRUE(up->has_resok());
    EXPECT_EQ(copy(up->resok().object.data), copy(root.data));
}

// ---- Handles ----

TEST_F(BadInputs, HandleLengths) {
    Bytes bytes(65, std::byte{0x21});
    for (std::size_t size = 0; size <= 64; ++size) {
        const nfs_fh3 handle{ByteView{bytes}.first(size)};
        EXPECT_EQ(nfs.GETATTR({handle})->status(), NFS3ERR_BADHANDLE) << size;
        EXPECT_EQ(nfs.FSINFO({handle})->status(), NFS3ERR_BADHANDLE) << size;
        EXPECT_EQ(nfs.PATHCONF({handle})->status(), NFS3ERR_BADHANDLE) << size;
    }
    // 65: no stub writes that.
    nfs.GETATTR({{ByteView{bytes}.first(64)}});
    Bytes message = server.arguments;
    xdr::store_u32(message.data() + message.size() - 68, 65);
    message.resize(message.size() + 4);
    xdr::store_u32(message.data(), 0x7777);
    xdr::Arena arena;
    const Bytes reply = server.send(message);
    const auto opened = rpc::open_reply(reply, arena);
    ASSERT_TRUE(opened && opened->error);
    EXPECT_EQ(opened->error->outcome, xdr::Outcome::garbage_arguments);
}

TEST_F(BadInputs, EveryBitOfAHandle) {
    for (std::size_t bit = 0; bit < file.size() * 8; ++bit) {
        Bytes forged = file;
        forged[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
        EXPECT_EQ(nfs.GETATTR({{forged}})->status(), NFS3ERR_BADHANDLE) << bit;
    }
}

TEST_F(BadInputs, HandlesOfFilesThatWere) {
    ASSERT_EQ(nfs.REMOVE({{root, "file"}})->status(), NFS3_OK);
    EXPECT_EQ(nfs.GETATTR({{file}})->status(), NFS3ERR_STALE);
    const Bytes again = create("file");
    EXPECT_NE(again, file) << "another file of the same name";
    EXPECT_EQ(nfs.GETATTR({{file}})->status(), NFS3ERR_STALE);
    EXPECT_EQ(nfs.READ({{file}, 0, 1})->status(), NFS3ERR_STALE);
    EXPECT_EQ(nfs.REMOVE({{{file}, "x"}})->status(), NFS3ERR_STALE);
}

// ganesha#650, CVE-2025-12801: each export has its own rules, on both ends of a RENAME or LINK.
TEST(BadInputsOfExports, EachHasItsOwnRules) {
    const auto files = backend::make_memory_fs(TestServer::open_to_all());
    ExportRules read_only;
    read_only.read_only = true;
    ExportRules elsewhere;
    elsewhere.allowed = {Network::parse("192.0.2.0/24").value()};
    TestServer server{
        {TestServer::export_of("/rw", files), TestServer::export_of("/ro", files, read_only),
         TestServer::export_of("/far", files, elsewhere), TestServer::export_of("/rw2", files)}};
    auto nfs = server.v3();
    const Handle handles[] = {server.root(0), server.root(1), server.root(2), server.root(3)};
    const nfs_fh3 rw{handles[0].view()}, ro{handles[1].view()}, far{handles[2].view()},
        other{handles[3].view()};
    const auto made = nfs.CREATE({{rw, "f"}, createhow3::of_obj_attributes(GUARDED, {})});
    ASSERT_TRUE(made->has_resok());
    const Bytes file{made->resok().obj->data.begin(), made->resok().obj->data.end()};

    EXPECT_EQ(nfs.LOOKUP({{ro, "f"}})->status(), NFS3_OK);
    EXPECT_EQ(nfs.REMOVE({{ro, "f"}})->status(), NFS3ERR_ROFS);
    EXPECT_EQ(nfs.LOOKUP({{far, "f"}})->status(), NFS3ERR_ACCES);
    EXPECT_EQ(nfs.RENAME({{rw, "f"}, {ro, "g"}})->status(), NFS3ERR_ROFS);
    EXPECT_EQ(nfs.RENAME({{ro, "f"}, {rw, "g"}})->status(), NFS3ERR_ROFS);
    EXPECT_EQ(nfs.RENAME({{rw, "f"}, {far, "g"}})->status(), NFS3ERR_ACCES);
    EXPECT_EQ(nfs.RENAME({{rw, "f"}, {other, "g"}})->status(), NFS3ERR_XDEV);
    EXPECT_EQ(nfs.LINK({{file}, {ro, "g"}})->status(), NFS3ERR_ROFS);
    EXPECT_EQ(nfs.LINK({{file}, {far, "g"}})->status(), NFS3ERR_ACCES);
    EXPECT_EQ(nfs.LINK({{file}, {other, "g"}})->status(), NFS3ERR_XDEV);
    // A handle belongs to the export it came from.
    const auto found = nfs.LOOKUP({{ro, "f"}});
    const Bytes through_ro{found->resok().object.data.begin(), found->resok().object.data.end()};
    EXPECT_NE(through_ro, file);
    EXPECT_EQ(nfs.WRITE({{through_ro}, 0, 1, UNSTABLE, as_bytes("x")})->status(), NFS3ERR_ROFS);
    for (const std::string& line : server.lines)
        EXPECT_TRUE(line.find("read-only") != line.npos || line.find("is not for") != line.npos ||
                    line.find("two exports") != line.npos || line.find("left out") != line.npos)
            << line;
}

// ---- MOUNT ----

TEST_F(BadInputs, MountPaths) {
    auto mount = server.mount3();
    EXPECT_EQ(mount.MNT(std::string(1024, '/'))->fhs_status(), mount::MNT3_OK) << "only slashes";
    EXPECT_EQ(mount.MNT("/" + std::string(1023, 'x'))->fhs_status(), mount::MNT3ERR_NAMETOOLONG);
    EXPECT_EQ(mount.MNT("/file")->fhs_status(), mount::MNT3ERR_NOTDIR);
    EXPECT_EQ(mount.MNT("/..")->fhs_status(), mount::MNT3ERR_ACCES);
    EXPECT_EQ(mount.MNT("/../../etc")->fhs_status(), mount::MNT3ERR_ACCES);
    EXPECT_EQ(mount.MNT(std::string("/a\0b", 4))->fhs_status(), mount::MNT3ERR_ACCES);
    // 1025: the stub's own bound prevents it, so by hand.
    mount.MNT(std::string(1024, 'x'));
    Bytes message = server.arguments;
    xdr::store_u32(message.data() + message.size() - 1028, 1025);
    message.resize(message.size() + 4);
    xdr::store_u32(message.data(), 0x7777);
    xdr::Arena arena;
    const Bytes reply = server.send(message);
    const auto opened = rpc::open_reply(reply, arena);
    ASSERT_TRUE(opened && opened->error);
    EXPECT_EQ(opened->error->outcome, xdr::Outcome::garbage_arguments);
    // These must answer, whatever was mounted.
    EXPECT_TRUE(mount.DUMP());
    EXPECT_TRUE(mount.UMNT("/never"));
    EXPECT_TRUE(mount.UMNTALL());
    EXPECT_EQ(*mount.DUMP(), nullptr);
}

// CVE-2000-0666, CVE-2003-0252: formats and lines in the log.
TEST_F(BadInputs, LogOfStrangeNames) {
    auto mount = server.mount3();
    mount.MNT("/%n%n%s\n<0>fake\r\x1b]0;title\x07");
    ASSERT_FALSE(server.lines.empty());
    for (const std::string& line : server.lines)
        for (const char byte : line)
            EXPECT_TRUE(static_cast<unsigned char>(byte) >= 0x20 && byte != 0x7f) << line;
}

}  // namespace
}  // namespace helio::nfs::bad_inputs_test
