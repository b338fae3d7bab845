// Every procedure of version 3 as clients use it, over the back end in memory. tests/nfs_resilience
// has invalid calls.
#include <gtest/gtest.h>

#include <map>

#include "helio/nfs/ops/ops.h"
#include "testing/nfs/server.h"

namespace helio::nfs::v3::service_test {
namespace {

using namespace nfs3;

struct NfsV3 : ::testing::Test {
    TestServer server;
    NFS_V3::Client nfs = server.v3();
    const Handle root_handle = server.root();
    const nfs_fh3 root{root_handle.view()};

    // Handles in replies are views of the last reply.
    static Bytes copy(ByteView view) { return {view.begin(), view.end()}; }
    Bytes create(ByteView directory, std::string_view name, std::uint32_t mode = 0644) {
        sattr3 attributes;
        attributes.mode = mode;
        const auto made =
            nfs.CREATE({{{directory}, name}, createhow3::of_obj_attributes(GUARDED, attributes)});
        EXPECT_TRUE(made && made->has_resok()) << name;
        return copy(made->resok().obj->data);
    }
    Bytes mkdir(ByteView directory, std::string_view name) {
        sattr3 attributes;
        attributes.mode = 0755;
        const auto made = nfs.MKDIR({{{directory}, name}, attributes});
        EXPECT_TRUE(made && made->has_resok()) << name;
        return copy(made->resok().obj->data);
    }
    nfsstat3 write(ByteView file, std::uint64_t offset, std::string_view text) {
        const auto bytes = as_bytes(text);
        const auto count = static_cast<std::uint32_t>(text.size());
        return nfs.WRITE({{file}, offset, count, FILE_SYNC, bytes})->status();
    }
    std::string read(ByteView file, std::uint64_t offset, std::uint32_t count) {
        const auto got = nfs.READ({{file}, offset, count});
        EXPECT_TRUE(got && got->has_resok());
        EXPECT_EQ(got->resok().count, got->resok().data.size());
        return std::string{as_text(got->resok().data)};
    }
};

TEST_F(NfsV3, NullAndAttributes) {
    EXPECT_TRUE(nfs.NULL_());
    const auto got = nfs.GETATTR({root});
    ASSERT_TRUE(got && got->has_resok());
    EXPECT_EQ(got->resok().obj_attributes.type, NF3DIR);
    EXPECT_EQ(got->resok().obj_attributes.mode, 0777u);
}

TEST_F(NfsV3, CreateLookupReadWriteRemove) {
    const Bytes file = create(root.data, "hello");
    EXPECT_EQ(write(file, 0, "hello, world"), NFS3_OK);
    EXPECT_EQ(write(file, 7, "W"), NFS3_OK);
    EXPECT_EQ(read(file, 0, 100), "hello, World");
    EXPECT_EQ(read(file, 7, 3), "Wor");
    const auto end = nfs.READ({{file}, 12, 10});
    EXPECT_TRUE(end->resok().eof);
    EXPECT_TRUE(end->resok().data.empty());

    const auto found = nfs.LOOKUP({{root, "hello"}});
    ASSERT_TRUE(found->has_resok());
    EXPECT_EQ(copy(found->resok().object.data), file);
    EXPECT_EQ(found->resok().obj_attributes->size, 12u);
    EXPECT_TRUE(found->resok().dir_attributes.has_value());

    const auto gone = nfs.REMOVE({{root, "hello"}});
    ASSERT_TRUE(gone->has_resok());
    EXPECT_TRUE(gone->resok().dir_wcc.before.has_value());
    EXPECT_TRUE(gone->resok().dir_wcc.after.has_value());
    EXPECT_EQ(nfs.LOOKUP({{root, "hello"}})->status(), NFS3ERR_NOENT);
    EXPECT_EQ(nfs.GETATTR({{file}})->status(), NFS3ERR_STALE);
}

TEST_F(NfsV3, SetattrAndGuard) {
    const Bytes file = create(root.data, "f");
    const auto before = nfs.GETATTR({{file}})->resok().obj_attributes;
    sattr3 change;
    change.mode = 0600;
    change.size = 5;
    change.mtime = set_mtime::of_mtime({1234, 567});
    const auto done = nfs.SETATTR({{file}, change, before.ctime});
    ASSERT_TRUE(done->has_resok());
    ASSERT_TRUE(done->resok().obj_wcc.before && done->resok().obj_wcc.after);
    EXPECT_EQ(done->resok().obj_wcc.before->size, 0u);
    EXPECT_EQ(done->resok().obj_wcc.after->size, 5u);
    EXPECT_EQ(done->resok().obj_wcc.after->mode, 0600u);
    EXPECT_EQ(done->resok().obj_wcc.after->mtime.seconds, 1234u);
    EXPECT_EQ(done->resok().obj_wcc.after->mtime.nseconds, 567u);
    EXPECT_EQ(nfs.SETATTR({{file}, change, nfstime3{1, 1}})->status(), NFS3ERR_NOT_SYNC);
}

TEST_F(NfsV3, AccessTellsWhatTheCallerMay) {
    const Bytes file = create(root.data, "mine", 0640);
    EXPECT_EQ(nfs.ACCESS({{file}, 0x3f})->resok().access & (ACCESS3_READ | ACCESS3_MODIFY),
              ACCESS3_READ | ACCESS3_MODIFY);
    server.as(2000, 1000);
    EXPECT_EQ(nfs.ACCESS({{file}, 0x3f})->resok().access & (ACCESS3_READ | ACCESS3_MODIFY),
              ACCESS3_READ);
    server.as(2000, 2000);
    EXPECT_EQ(nfs.ACCESS({{file}, 0xffff'ffff})->resok().access, 0u);
}

TEST_F(NfsV3, ReadOnlyExportsGrantNoChange) {
    ASSERT_TRUE(server.exports.set({TestServer::export_of(
        "/", backend::make_memory_fs(TestServer::open_to_all()), {.read_only = true})}));
    const Handle handle = server.root();
    const auto may = nfs.ACCESS({{handle.view()}, 0x3f});
    EXPECT_EQ(may->resok().access, ACCESS3_READ | ACCESS3_LOOKUP);
    EXPECT_EQ(nfs.MKDIR({{{handle.view()}, "d"}, {}})->status(), NFS3ERR_ROFS);
}

TEST_F(NfsV3, SymlinksAndSpecialFiles) {
    const auto link = nfs.SYMLINK({{root, "link"}, {{}, "../elsewhere"}});
    ASSERT_TRUE(link->has_resok());
    const Bytes handle = copy(link->resok().obj->data);
    EXPECT_EQ(nfs.READLINK({{handle}})->resok().data, "../elsewhere");
    EXPECT_EQ(nfs.READLINK({root})->status(), NFS3ERR_INVAL);

    const auto fifo = nfs.MKNOD({{root, "fifo"}, mknoddata3::of_pipe_attributes(NF3FIFO, {})});
    ASSERT_TRUE(fifo->has_resok());
    EXPECT_EQ(fifo->resok().obj_attributes->type, NF3FIFO);
    EXPECT_EQ(nfs.MKNOD({{root, "x"}, mknoddata3::of(NF3REG)})->status(), NFS3ERR_BADTYPE);
    EXPECT_EQ(nfs.MKNOD({{root, "x"}, mknoddata3::of(NF3DIR)})->status(), NFS3ERR_BADTYPE);
    // Only the superuser may make devices, and is squashed by default.
    const auto device = mknoddata3::of_device(NF3CHR, {{}, {1, 3}});
    EXPECT_EQ(nfs.MKNOD({{root, "null"}, device})->status(), NFS3ERR_PERM);
    server.as(0, 0);
    EXPECT_EQ(nfs.MKNOD({{root, "null"}, device})->status(), NFS3ERR_PERM);
    ASSERT_TRUE(server.exports.set({TestServer::export_of("/", (*server.exports.table())[0].files,
                                                          {.squash = Squash::none})}));
    const auto made = nfs.MKNOD({{root, "null"}, device});
    ASSERT_TRUE(made->has_resok());
    EXPECT_EQ(made->resok().obj_attributes->rdev.specdata1, 1u);
    EXPECT_EQ(made->resok().obj_attributes->rdev.specdata2, 3u);
}

TEST_F(NfsV3, RenameAndLink) {
    const Bytes directory = mkdir(root.data, "d");
    const Bytes file = create(root.data, "a");
    const auto linked = nfs.LINK({{file}, {{directory}, "b"}});
    ASSERT_TRUE(linked->has_resok());
    EXPECT_EQ(linked->resok().file_attributes->nlink, 2u);
    const auto renamed = nfs.RENAME({{root, "a"}, {{directory}, "c"}});
    ASSERT_TRUE(renamed->has_resok());
    EXPECT_EQ(copy(nfs.LOOKUP({{{directory}, "c"}})->resok().object.data), file);
    EXPECT_EQ(nfs.RMDIR({{root, "d"}})->status(), NFS3ERR_NOTEMPTY);
    EXPECT_EQ(nfs.REMOVE({{{directory}, "b"}})->status(), NFS3_OK);
    EXPECT_EQ(nfs.REMOVE({{{directory}, "c"}})->status(), NFS3_OK);
    EXPECT_EQ(nfs.RMDIR({{root, "d"}})->status(), NFS3_OK);
}

TEST_F(NfsV3, ExclusiveCreateKnowsItsVerifier) {
    const createverf3 mine = {std::byte{1}, std::byte{2}};
    const createverf3 other = {std::byte{3}};
    const auto first = nfs.CREATE({{root, "x"}, createhow3::of_verf(mine)});
    ASSERT_TRUE(first->has_resok());
    const Bytes handle = copy(first->resok().obj->data);
    const auto again = nfs.CREATE({{root, "x"}, createhow3::of_verf(mine)});
    ASSERT_TRUE(again->has_resok());
    EXPECT_EQ(copy(again->resok().obj->data), handle);
    EXPECT_EQ(nfs.CREATE({{root, "x"}, createhow3::of_verf(other)})->status(), NFS3ERR_EXIST);
}

TEST_F(NfsV3, WriteAndCommitHaveOneVerifier) {
    const Bytes file = create(root.data, "f");
    const auto written = nfs.WRITE({{file}, 0, 3, UNSTABLE, as_bytes("abc")});
    ASSERT_TRUE(written->has_resok());
    EXPECT_EQ(written->resok().count, 3u);
    const writeverf3 verifier = written->resok().verf;
    const auto committed = nfs.COMMIT({{file}, 0, 0});
    ASSERT_TRUE(committed->has_resok());
    EXPECT_EQ(committed->resok().verf, verifier);
}

TEST_F(NfsV3, FileSystem) {
    const auto space = nfs.FSSTAT({root});
    ASSERT_TRUE(space->has_resok());
    EXPECT_GT(space->resok().tbytes, 0u);
    const auto info = nfs.FSINFO({root});
    ASSERT_TRUE(info->has_resok());
    EXPECT_EQ(info->resok().rtmax, ops::kTransferBytesMax);
    EXPECT_EQ(info->resok().wtmax, ops::kTransferBytesMax);
    EXPECT_EQ(info->resok().dtpref, ops::kListingBytesPreferred);
    EXPECT_TRUE(info->resok().properties & FSF3_LINK);
    const auto conf = nfs.PATHCONF({root});
    ASSERT_TRUE(conf->has_resok());
    EXPECT_EQ(conf->resok().name_max, 255u);
    EXPECT_TRUE(conf->resok().no_trunc);

    server.peer.transport = rpc::Transport::udp;
    server.peer.local = true;  // or an allow rule would have to name it
    EXPECT_EQ(nfs.FSINFO({root})->resok().rtmax, ops::kDatagramTransferBytesMax);
}

TEST_F(NfsV3, LargestTransfers) {
    const Bytes file = create(root.data, "big");
    const std::string megabyte(ops::kTransferBytesMax, 'm');
    EXPECT_EQ(write(file, 0, megabyte), NFS3_OK);
    EXPECT_EQ(write(file, megabyte.size(), megabyte), NFS3_OK);
    EXPECT_EQ(read(file, 1, UINT32_MAX), megabyte) << "no more than FSINFO says";
    const auto more = nfs.WRITE({{file}, 0, 2u << 20, UNSTABLE, as_bytes(megabyte + megabyte)});
    ASSERT_TRUE(more->has_resok());
    EXPECT_EQ(more->resok().count, ops::kTransferBytesMax);
    server.peer.transport = rpc::Transport::udp;
    server.peer.local = true;  // or an allow rule would have to name it
    EXPECT_EQ(read(file, 0, 1u << 20).size(), ops::kDatagramTransferBytesMax);
}

// ---- READDIR and READDIRPLUS ----

struct Listed {
    std::map<std::string, std::uint64_t> names;  // and fileids
    std::size_t calls = 0;
    bool repeated = false;
};

Listed list(TestServer& server, nfs_fh3 directory, std::uint32_t count) {
    auto nfs = server.v3();
    Listed out;
    READDIR3args args{directory, 0, {}, count};
    for (;; ++out.calls) {
        const auto got = nfs.READDIR(args);
        if (!got || !got->has_resok()) return ADD_FAILURE() << "after " << out.calls, out;
        const READDIR3resok& page = got->resok();
        // Header and status are not part of READDIR3resok.
        EXPECT_LE(server.reply.size(), std::size_t{28} + count);
        for (const entry3* one = page.reply.entries; one != nullptr; one = one->nextentry) {
            if (!out.names.emplace(one->name, one->fileid).second) out.repeated = true;
            args.cookie = one->cookie;
        }
        args.cookieverf = page.cookieverf;
        if (page.reply.eof) return out;
        if (page.reply.entries == nullptr) return ADD_FAILURE() << "does not come on", out;
    }
}

Listed list_plus(TestServer& server, nfs_fh3 directory, std::uint32_t dircount,
                 std::uint32_t maxcount) {
    auto nfs = server.v3();
    Listed out;
    READDIRPLUS3args args{directory, 0, {}, dircount, maxcount};
    for (;; ++out.calls) {
        const auto got = nfs.READDIRPLUS(args);
        if (!got || !got->has_resok()) return ADD_FAILURE() << "after " << out.calls, out;
        const READDIRPLUS3resok& page = got->resok();
        EXPECT_LE(server.reply.size(), std::size_t{28} + maxcount);
        std::size_t names = 0;
        for (const entryplus3* one = page.reply.entries; one != nullptr; one = one->nextentry) {
            if (!out.names.emplace(one->name, one->fileid).second) out.repeated = true;
            EXPECT_TRUE(one->name_attributes && one->name_handle) << one->name;
            if (one->name_attributes) {
                EXPECT_EQ(one->name_attributes->fileid, one->fileid);
            }
            names += 24 + padded(one->name.size());
            args.cookie = one->cookie;
        }
        EXPECT_TRUE(names <= dircount || page.reply.entries->nextentry == nullptr);
        args.cookieverf = page.cookieverf;
        if (page.reply.eof) return out;
        if (page.reply.entries == nullptr) return ADD_FAILURE() << "does not come on", out;
    }
}

TEST_F(NfsV3, ListsOfEverySize) {
    const Bytes directory = mkdir(root.data, "d");
    std::map<std::string, std::uint64_t> expected;
    for (int i = 0; i < 200; ++i) {
        const std::string name =
            "f" + std::string(static_cast<std::size_t>(i % 40), 'x') + std::to_string(i);
        const Bytes file = create(directory, name);
        expected[name] = nfs.GETATTR({{file}})->resok().obj_attributes.fileid;
    }
    expected["."] = nfs.GETATTR({{directory}})->resok().obj_attributes.fileid;
    expected[".."] = nfs.GETATTR({root})->resok().obj_attributes.fileid;
    for (const std::uint32_t count : {200u, 256u, 1000u, 4096u, 65536u, 0xffff'ffffu}) {
        const Listed got = list(server, {directory}, count);
        EXPECT_EQ(got.names, expected) << count;
        EXPECT_FALSE(got.repeated);
    }
    for (const std::uint32_t count : {400u, 1000u, 4096u, 65536u, 0xffff'ffffu})
        for (const std::uint32_t dircount : {1u, 100u, 512u, 65536u}) {
            const Listed got = list_plus(server, {directory}, dircount, count);
            EXPECT_EQ(got.names, expected) << count << " " << dircount;
            EXPECT_FALSE(got.repeated);
        }
    server.peer.transport = rpc::Transport::udp;
    server.peer.local = true;  // or an allow rule would have to name it
    EXPECT_EQ(list(server, {directory}, 0xffff'ffff).names, expected);
    EXPECT_EQ(list_plus(server, {directory}, 0xffff'ffff, 0xffff'ffff).names, expected);
    EXPECT_LE(server.reply.size(), rpc::kDatagramBytesMax);
}

// The reply is full to the last byte when it can be.
TEST_F(NfsV3, ListsUseTheRoomTheyHave) {
    const Bytes directory = mkdir(root.data, "d");
    for (int i = 100; i < 160; ++i) create(directory, "four" + std::to_string(i) + "x");  // 8 bytes
    // ".", ".." take 28 each, the others 32; attributes, verifier and ends take 104.
    for (const std::uint32_t fit : {1u, 2u, 7u}) {
        const std::uint32_t exact = 104 + 2 * 28 + fit * 32;
        for (const std::uint32_t spare : {0u, 31u}) {
            const auto got = nfs.READDIR({{directory}, 0, {}, exact + spare});
            ASSERT_TRUE(got->has_resok());
            std::uint32_t entries = 0;
            for (auto* one = got->resok().reply.entries; one; one = one->nextentry) ++entries;
            EXPECT_EQ(entries, 2 + fit) << exact + spare;
        }
    }
}

TEST_F(NfsV3, TooSmallWhenNothingFits) {
    for (const std::uint32_t count : {0u, 1u, 100u, 131u}) {
        EXPECT_EQ(nfs.READDIR({root, 0, {}, count})->status(), NFS3ERR_TOOSMALL) << count;
        EXPECT_EQ(nfs.READDIRPLUS({root, 0, {}, 0, count})->status(), NFS3ERR_TOOSMALL) << count;
    }
    EXPECT_EQ(nfs.READDIR({root, 0, {}, 132})->status(), NFS3_OK);
}

TEST_F(NfsV3, CountsWhatItDid) {
    const Bytes file = create(root.data, "f");
    write(file, 0, "12345");
    read(file, 0, 3);
    nfs.LOOKUP({{root, "none"}});
    const auto counts = server.exports.export_counts().front();
    EXPECT_EQ(counts.bytes_written, 5u);
    EXPECT_EQ(counts.bytes_read, 3u);
    EXPECT_EQ(counts.procedures[NFS_V3::LOOKUP].calls, 1u);
    EXPECT_EQ(counts.procedures[NFS_V3::LOOKUP].errors, 1u);
    EXPECT_EQ(counts.procedures[NFS_V3::CREATE].calls, 1u);
    EXPECT_EQ(counts.procedures[NFS_V3::CREATE].errors, 0u);
}

TEST_F(NfsV3, DenialsOfTheFileSystemNameTheUser) {
    const Bytes file = create(root.data, "mine", 0600);
    server.as(0, 0);
    EXPECT_EQ(nfs.READ({{file}, 0, 10})->status(), NFS3ERR_ACCES);
    ASSERT_EQ(server.lines.size(), 1u);
    EXPECT_NE(server.lines[0].find("NFS3 READ: the files of / do not allow it to uid 65534 gid "
                                   "65534, squashed from uid 0 gid 0; answered NFS3ERR_ACCES"),
              std::string::npos)
        << server.lines[0];
}

}  // namespace
}  // namespace helio::nfs::v3::service_test
