// Differences of version 2 from version 3.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <set>

#include "helio/nfs/v2/cookies.h"
#include "testing/nfs/server.h"
#include "testing/nfs/would_block_fs.h"

namespace helio::nfs::v2::service_test {
namespace {

using namespace nfs2;

constexpr std::uint32_t kLeave = UINT32_MAX;
constexpr sattr kNothing{kLeave, kLeave, kLeave, kLeave, {kLeave, kLeave}, {kLeave, kLeave}};

struct NfsV2 : ::testing::Test {
    TestServer server;
    NFS_VERSION::Client nfs = server.v2();
    const fhandle root = server.root().bytes;

    static sattr mode(std::uint32_t mode, std::uint32_t size = kLeave) {
        sattr out = kNothing;
        out.mode = mode;
        out.size = size;
        return out;
    }
    fhandle create(const fhandle& directory, std::string_view name) {
        const auto made = nfs.CREATE({{directory, name}, mode(0644)});
        EXPECT_TRUE(made && made->has_diropok()) << name;
        return made->diropok().file;
    }
    fattr attributes(const fhandle& file) { return nfs.GETATTR(file)->attributes(); }
};

TEST_F(NfsV2, ObsoleteProceduresAnswerNothing) {
    EXPECT_TRUE(nfs.NULL_());
    EXPECT_TRUE(nfs.ROOT());
    EXPECT_EQ(server.reply.size(), 24u);
    EXPECT_TRUE(nfs.WRITECACHE());
    EXPECT_EQ(server.reply.size(), 24u);
}

TEST_F(NfsV2, FilesFromBeginningToEnd) {
    const fhandle file = create(root, "f");
    EXPECT_EQ(attributes(file).type, NFREG);
    EXPECT_EQ(attributes(file).mode, S_IFREG | 0644u) << "the type once more";
    const auto written = nfs.WRITE({file, 0, 0, 0, as_bytes("hello")});
    ASSERT_TRUE(written && written->has_attributes());
    EXPECT_EQ(written->attributes().size, 5u);
    const auto got = nfs.READ({file, 1, 100, 0});
    ASSERT_TRUE(got && got->has_reply());
    EXPECT_EQ(as_text(got->reply().data), "ello");
    EXPECT_EQ(got->reply().attributes.size, 5u);
    EXPECT_EQ(nfs.LOOKUP({root, "f"})->diropok().file, file);
    EXPECT_EQ(*nfs.LINK({file, {root, "g"}}), NFS_OK);
    EXPECT_EQ(attributes(file).nlink, 2u);
    EXPECT_EQ(*nfs.RENAME({{root, "g"}, {root, "h"}}), NFS_OK);
    EXPECT_EQ(*nfs.REMOVE({root, "h"}), NFS_OK);
    EXPECT_EQ(*nfs.REMOVE({root, "h"}), NFSERR_NOENT);
    ASSERT_TRUE(nfs.MKDIR({{root, "d"}, mode(0755)})->has_diropok());
    EXPECT_EQ(*nfs.RMDIR({root, "d"}), NFS_OK);
    EXPECT_EQ(*nfs.SYMLINK({{root, "l"}, "text", kNothing}), NFS_OK);
    EXPECT_EQ(nfs.READLINK(nfs.LOOKUP({root, "l"})->diropok().file)->data(), "text");
    const auto space = nfs.STATFS(root);
    ASSERT_TRUE(space && space->has_info());
    EXPECT_EQ(space->info().tsize, NFS_MAXDATA);
    EXPECT_LE(space->info().blocks, 0x7fff'ffffu);
}

TEST_F(NfsV2, NoMoreThanEightKilobytes) {
    const fhandle file = create(root, "f");
    const std::string page(NFS_MAXDATA, 'x');
    for (std::uint32_t i = 0; i < 3; ++i)
        ASSERT_TRUE(nfs.WRITE({file, 0, i * NFS_MAXDATA, 0, as_bytes(page)})->has_attributes());
    EXPECT_EQ(nfs.READ({file, 0, UINT32_MAX, 0})->reply().data.size(), NFS_MAXDATA);
}

TEST_F(NfsV2, SizesHave31Bits) {
    const fhandle file = create(root, "f");
    EXPECT_EQ(nfs.WRITE({file, 0, 0x7fff'ffff, 0, as_bytes("x")})->status(), NFSERR_FBIG);
    EXPECT_EQ(nfs.WRITE({file, 0, 0xffff'ffff, 0, as_bytes("x")})->status(), NFSERR_FBIG);
    EXPECT_EQ(nfs.SETATTR({file, mode(0644, 0x8000'0000)})->status(), NFSERR_FBIG);
    ASSERT_TRUE(nfs.SETATTR({file, mode(0644, 0x7fff'ffff)})->has_attributes());
    EXPECT_EQ(attributes(file).size, 0x7fff'ffffu);
    // A file that others made larger appears as large as possible.
    nfs3::sattr3 large;
    large.size = std::uint64_t{5} << 30;
    ASSERT_EQ(server.v3().SETATTR({{file}, large, {}})->status(), nfs3::NFS3_OK);
    EXPECT_EQ(attributes(file).size, 0x7fff'ffffu);
}

TEST_F(NfsV2, MinusOneLeavesAndAMillionIsNow) {
    const fhandle file = create(root, "f");
    sattr set = kNothing;
    set.atime = {1000, 5};
    set.mtime = {2000, 999'999};
    ASSERT_TRUE(nfs.SETATTR({file, set})->has_attributes());
    const fattr before = attributes(file);
    EXPECT_EQ(before.atime.seconds, 1000u);
    EXPECT_EQ(before.mtime.useconds, 999'999u);
    EXPECT_EQ(before.mode & 07777, 0644u);
    ASSERT_TRUE(nfs.SETATTR({file, kNothing})->has_attributes());
    EXPECT_EQ(attributes(file).mtime.seconds, 2000u);
    sattr sun = kNothing;
    sun.mode = 0xffff;
    ASSERT_TRUE(nfs.SETATTR({file, sun})->has_attributes());
    EXPECT_EQ(attributes(file).mode & 07777, 0644u) << "Sun's way to say -1";
    sattr now = kNothing;
    now.mtime = {0, 1'000'000};
    ASSERT_TRUE(nfs.SETATTR({file, now})->has_attributes());
    EXPECT_GT(attributes(file).mtime.seconds, 1'000'000u);
    EXPECT_GT(attributes(file).atime.seconds, 1'000'000u) << "both";
    sattr wrong = kNothing;
    wrong.mtime = {0, 1'000'001};
    EXPECT_EQ(nfs.SETATTR({file, wrong})->status(), NFSERR_IO);
}

// As Linux's client does it.
TEST_F(NfsV2, CreateMakesSpecialFiles) {
    const auto fifo = nfs.CREATE({{root, "fifo"}, mode(S_IFCHR | 0600)});
    ASSERT_TRUE(fifo && fifo->has_diropok());
    EXPECT_EQ(fifo->diropok().attributes.type, NFCHR);
    EXPECT_EQ(fifo->diropok().attributes.rdev, UINT32_MAX);
    EXPECT_EQ(fifo->diropok().attributes.mode, S_IFIFO | 0600u);
    const auto also = nfs.CREATE({{root, "fifo2"}, mode(S_IFIFO | 0600)});
    EXPECT_EQ(also->diropok().attributes.mode, S_IFIFO | 0600u);
    const auto socket = nfs.CREATE({{root, "socket"}, mode(S_IFSOCK | 0600)});
    EXPECT_EQ(socket->diropok().attributes.type, NFSOCK);
    EXPECT_EQ(nfs.CREATE({{root, "tty"}, mode(S_IFCHR | 0600, 0x0103)})->status(), NFSERR_PERM);
    ASSERT_TRUE(server.exports.set({TestServer::export_of("/", (*server.exports.table())[0].files,
                                                          {.squash = Squash::none})}));
    server.as(0, 0);
    // Major 0x123, minor 0x45678: in Linux's format.
    const std::uint32_t packed = 0x78u | 0x123u << 8 | 0x456u << 20;
    const auto device = nfs.CREATE({{root, "disk"}, mode(S_IFBLK | 0600, packed)});
    ASSERT_TRUE(device && device->has_diropok());
    EXPECT_EQ(device->diropok().attributes.type, NFBLK);
    EXPECT_EQ(device->diropok().attributes.rdev, packed);
}

TEST_F(NfsV2, ListsWithShortCookies) {
    std::set<std::string> expected{".", ".."};
    for (int i = 0; i < 100; ++i) {
        expected.insert("file" + std::to_string(i));
        create(root, "file" + std::to_string(i));
    }
    for (const std::uint32_t count : {100u, 512u, 8192u, 0xffff'ffffu}) {
        std::set<std::string> seen;
        readdirargs args{root, {}, count};
        for (bool end = false; !end;) {
            const auto page = nfs.READDIR(args);
            ASSERT_TRUE(page && page->has_readdirok());
            EXPECT_LE(server.reply.size(), std::size_t{28} + count);
            ASSERT_TRUE(page->readdirok().entries != nullptr || page->readdirok().eof);
            for (auto* one = page->readdirok().entries; one != nullptr; one = one->nextentry) {
                EXPECT_TRUE(seen.insert(std::string{one->name}).second) << one->name;
                EXPECT_NE(one->cookie, nfscookie{});
                args.cookie = one->cookie;
            }
            end = page->readdirok().eof;
        }
        EXPECT_EQ(seen, expected) << count;
    }
    EXPECT_EQ(nfs.READDIR({root, {}, 10})->status(), NFSERR_IO) << "not one fits";
}

// ext4 gives cookies of 63 bits.
TEST_F(NfsV2, ListsWithLongCookies) {
    const auto files =
        std::make_shared<Reluctant>(backend::make_memory_fs(TestServer::open_to_all()), UINT32_MAX);
    files->cookie_bits = 0x5a00'0000'0000'0000;
    ASSERT_TRUE(server.exports.set({TestServer::export_of("/", files)}));
    const fhandle top = server.root().bytes;
    for (int i = 0; i < 300; ++i) create(top, "file" + std::to_string(i));
    // A restarted server remembers nothing.
    TestServer again{{TestServer::export_of("/", files)}};
    auto other = again.v2();
    std::set<std::string> seen;
    readdirargs args{top, {}, 256};
    std::size_t pages = 0;
    for (bool end = false; !end; ++pages) {
        const auto page = pages % 2 == 0 ? nfs.READDIR(args) : other.READDIR(args);
        ASSERT_TRUE(page && page->has_readdirok());
        for (auto* one = page->readdirok().entries; one != nullptr; one = one->nextentry) {
            EXPECT_TRUE(seen.insert(std::string{one->name}).second) << one->name;
            EXPECT_GE(std::to_integer<int>(one->cookie[0]), 0x80) << "mixed";
            args.cookie = one->cookie;
        }
        end = page->readdirok().eof;
    }
    EXPECT_EQ(seen.size(), 302u);
    EXPECT_GT(pages, 20u);
    args.cookie = {std::byte{0xff}, std::byte{0xff}, std::byte{0xff}, std::byte{0xfe}};
    EXPECT_EQ(nfs.READDIR(args)->status(), NFSERR_IO) << "never given";
}

TEST_F(NfsV2, ErrorsThatItLacks) {
    fhandle forged = root;
    forged[5] ^= std::byte{1};
    EXPECT_EQ(nfs.GETATTR(forged)->status(), NFSERR_STALE);
    EXPECT_EQ(nfs.READLINK(root)->status(), NFSERR_IO);
}

}  // namespace
}  // namespace helio::nfs::v2::service_test
