// NFS over RPC-over-RDMA, on the fabric inside the process: each way in which a message can be cut
// into inline bytes and chunks, over both back ends.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "helio/backend/memory/memory_fs.h"
#include "helio/backend/posix/posix_fs.h"
#include "tests/nfs_over_rdma/rdma_peer.h"

namespace helio::tests::rdma_test {
namespace {

using namespace helio::nfs3;
using frame::RdmaReadSegment;
using frame::RdmaSegment;
using transport::rdma::Block;

ByteView view(const Bytes& bytes) { return {bytes.data(), bytes.size()}; }

class Rdma : public testing::TestWithParam<bool> {
 protected:
    Rdma() {
        std::shared_ptr<vfs::FileSystem> files;
        if (GetParam()) {
            directory_ = testing::TempDir() + "helio-rdma-XXXXXX";
            EXPECT_NE(mkdtemp(directory_.data()), nullptr);
            backend::PosixOptions options;
            options.directory = directory_;
            // If possible it acts as the caller, and so works on the pool's threads.
            options.as_caller = geteuid() == 0;
            files = backend::make_posix_fs(options);
        } else {
            backend::MemoryOptions options;
            options.root_mode = 0777;
            files = backend::make_memory_fs(options);
        }
        server.emplace(std::move(files), GetParam());
        peer.emplace(server->fabric, server->where);
    }
    ~Rdma() override {
        peer.reset();
        EXPECT_TRUE(server->all_given_back());
        server.reset();
        if (!directory_.empty()) std::filesystem::remove_all(directory_);
    }

    std::uint32_t xid() { return next_xid_++; }
    frame::RdmaCallHeader plain() { return {.xid = next_xid_, .credits = 32}; }

    Bytes create(const std::string& name) {
        const auto header = plain();
        CREATE3args args{};
        args.where = {server->root(), name};
        sattr3 attributes{};
        attributes.mode = 0644u;
        args.how = createhow3::of_obj_attributes(UNCHECKED, attributes);
        const Bytes reply = peer->exchange(header, RdmaPeer::call(xid(), kCreate, [&](auto& out) {
                                               return encode_CREATE3args(out, args);
                                           }));
        const auto made = results(reply, &decode_CREATE3res, arena);
        EXPECT_EQ(made.status(), NFS3_OK);
        const ByteView handle = made.resok().obj->data;
        return {handle.begin(), handle.end()};
    }

    // The arguments' data cut out of the message, as a client does that leaves it in its memory.
    struct CutCall {
        Bytes inline_bytes;
        std::uint32_t position = 0;
    };
    static CutCall cut(const Bytes& message, ByteView data) {
        // The last: a single byte may occur in the handle, whose seal differs each time.
        const auto found = std::find_end(message.begin(), message.end(), data.begin(), data.end());
        EXPECT_NE(found, message.end());
        CutCall out;
        out.position = static_cast<std::uint32_t>(found - message.begin());
        out.inline_bytes.assign(message.begin(), found);
        out.inline_bytes.insert(out.inline_bytes.end(),
                                found + static_cast<std::ptrdiff_t>((data.size() + 3) & ~3u),
                                message.end());
        return out;
    }

    // Writes with a read chunk of this many segments.
    void write(const Bytes& file, const Bytes& data, std::size_t segments) {
        auto header = plain();
        const WRITE3args args{
            {view(file)}, 0, static_cast<std::uint32_t>(data.size()), FILE_SYNC, view(data)};
        const auto message =
            RdmaPeer::call(xid(), kWrite, [&](auto& out) { return encode_WRITE3args(out, args); });
        const CutCall call = cut(message, view(data));
        const Block room = peer->room(data.size());
        std::memcpy(room.data(), data.data(), data.size());
        std::vector<RdmaReadSegment> reads;
        for (std::size_t i = 0; i < segments; ++i) {
            const std::size_t from = data.size() * i / segments;
            const std::size_t to = data.size() * (i + 1) / segments;
            reads.push_back({call.position, RdmaPeer::segment(room, from, to - from)});
        }
        header.reads = reads;
        const Bytes reply = peer->exchange(header, call.inline_bytes);
        EXPECT_EQ(peer->replied.kind, frame::RdmaKind::message);
        const auto wrote = results(reply, &decode_WRITE3res, arena);
        ASSERT_EQ(wrote.status(), NFS3_OK);
        EXPECT_EQ(wrote.resok().count, data.size());
    }

    Bytes read_call(const Bytes& file, std::uint32_t count) {
        return RdmaPeer::call(xid(), kRead, [&](auto& out) {
            return encode_READ3args(out, {{view(file)}, 0, count});
        });
    }
    // Reads into a write chunk of this many segments.
    Bytes read(const Bytes& file, std::size_t size, std::size_t segments) {
        auto header = plain();
        const Block room = peer->room(size);
        std::memset(room.data(), 0xee, room.size());
        std::vector<RdmaSegment> chunk;
        for (std::size_t i = 0; i < segments; ++i) {
            const std::size_t from = size * i / segments;
            chunk.push_back(RdmaPeer::segment(room, from, size * (i + 1) / segments - from));
        }
        header.write = chunk;
        const Bytes reply =
            peer->exchange(header, read_call(file, static_cast<std::uint32_t>(size)));
        EXPECT_EQ(peer->replied.write_count(), 1u);
        if (peer->replied.write_count() != 1) return {};
        const std::size_t got = frame::bytes_of(peer->replied.write(0));
        const ByteView data{room.data(), got};
        const auto found = results(reply, &decode_READ3res, arena, std::span{&data, 1});
        EXPECT_EQ(found.status(), NFS3_OK);
        EXPECT_EQ(found.resok().count, got);
        return {data.begin(), data.end()};
    }

    xdr::Arena arena;
    std::optional<RdmaServer> server;
    std::optional<RdmaPeer> peer;

 private:
    std::string directory_;
    std::uint32_t next_xid_ = 0x1000;
};

INSTANTIATE_TEST_SUITE_P(Backends, Rdma, testing::Values(false, true),
                         [](const auto& which) { return which.param ? "Posix" : "Memory"; });

TEST_P(Rdma, InlineCallAndReply) {
    const auto header = plain();
    const Bytes reply = peer->exchange(header, RdmaPeer::call(xid(), kGetattr, [&](auto& out) {
                                           return encode_GETATTR3args(out, {server->root()});
                                       }));
    EXPECT_EQ(peer->replied.xid, header.xid);
    EXPECT_EQ(peer->replied.version, 1u);
    EXPECT_EQ(peer->replied.credits, transport::rdma::kRdmaCredits);
    EXPECT_EQ(peer->replied.kind, frame::RdmaKind::message);
    EXPECT_TRUE(peer->replied.reads.empty());
    EXPECT_EQ(peer->replied.write_count(), 0u);
    EXPECT_FALSE(peer->replied.has_reply);
    EXPECT_EQ(results(reply, &decode_GETATTR3res, arena).status(), NFS3_OK);
}

TEST_P(Rdma, DataOfEverySizeInChunks) {
    for (const std::size_t size : {1u, 3u, 300u, 4096u, 20'001u, 262'147u, 1u << 20}) {
        for (const std::size_t segments : {1u, 2u, 7u}) {
            if (segments > size || (size > 100'000 && segments == 1)) continue;
            SCOPED_TRACE(testing::Message() << size << " bytes in " << segments << " segments");
            const Bytes file = create("f" + std::to_string(size) + "-" + std::to_string(segments));
            const Bytes data = pattern(size, static_cast<unsigned>(segments));
            write(file, data, segments);
            EXPECT_EQ(read(file, size, segments), data);
            if (size < 100'000) {
                EXPECT_EQ(read(file, size, 1), data);
            }
        }
    }
}

// Data that a back end makes in the device's memory is never copied again.
TEST_P(Rdma, NothingIsCopiedOfFilesOnDisk) {
    if (!GetParam()) GTEST_SKIP() << "files in memory are not the device's memory";
    const Bytes file = create("big");
    write(file, pattern(1u << 20), 1);
    EXPECT_EQ(read(file, 1u << 20, 4), pattern(1u << 20));
    EXPECT_EQ(server->server->counters().rdma_bytes_copied, 0u);
}

TEST_P(Rdma, ReadWithoutAWriteChunkComesInline) {
    const Bytes file = create("small");
    write(file, pattern(301), 1);
    const Bytes reply = peer->exchange(plain(), read_call(file, 301));
    const auto found = results(reply, &decode_READ3res, arena);
    ASSERT_EQ(found.status(), NFS3_OK);
    EXPECT_TRUE(std::ranges::equal(found.resok().data.bytes(), pattern(301)));
}

// More than fits inline, without a chunk: as much as fits.
TEST_P(Rdma, ReadIsCutToWhatFitsInline) {
    const Bytes file = create("long");
    write(file, pattern(20'000), 1);
    const Bytes reply = peer->exchange(plain(), read_call(file, 20'000));
    const auto found = results(reply, &decode_READ3res, arena);
    ASSERT_EQ(found.status(), NFS3_OK);
    EXPECT_FALSE(found.resok().eof);
    EXPECT_GT(found.resok().count, 3'000u);
    EXPECT_LT(reply.size() + peer->replied.size, 4'097u);
    EXPECT_TRUE(std::ranges::equal(found.resok().data.bytes(), pattern(found.resok().count)));
}

TEST_P(Rdma, ReadIntoAReplyChunk) {
    const Bytes file = create("reply");
    write(file, pattern(20'001), 1);
    auto header = plain();
    const Block room = peer->room(30'000);
    const std::vector<RdmaSegment> reply_chunk{RdmaPeer::segment(room, 0, 10'000),
                                               RdmaPeer::segment(room, 10'000, 20'000)};
    header.reply = reply_chunk;
    const Bytes rest = peer->exchange(header, read_call(file, 20'001));
    EXPECT_EQ(peer->replied.kind, frame::RdmaKind::no_message);
    EXPECT_TRUE(rest.empty());
    const std::size_t size = frame::bytes_of(peer->replied.reply);
    const Bytes message{room.data(), room.data() + size};
    const auto found = results(message, &decode_READ3res, arena);
    ASSERT_EQ(found.status(), NFS3_OK);
    EXPECT_TRUE(std::ranges::equal(found.resok().data.bytes(), pattern(20'001)));
}

TEST_P(Rdma, LinksAndListings) {
    const std::string text(4'000, 'x');
    auto header = plain();
    SYMLINK3args args{};
    args.where = {server->root(), "link"};
    args.symlink.symlink_data = text;
    const Bytes message =
        RdmaPeer::call(xid(), kSymlink, [&](auto& out) { return encode_SYMLINK3args(out, args); });
    const CutCall call = cut(message, as_bytes(text));
    Block room = peer->room(4'000);
    std::memcpy(room.data(), text.data(), text.size());
    const RdmaReadSegment chunk{call.position, RdmaPeer::segment(room, 0, 4'000)};
    header.reads = std::span{&chunk, 1};
    const Bytes answer = peer->exchange(header, call.inline_bytes);
    const auto made = results(answer, &decode_SYMLINK3res, arena);
    ASSERT_EQ(made.status(), NFS3_OK);
    const ByteView made_handle = made.resok().obj->data;
    const Bytes handle{made_handle.begin(), made_handle.end()};

    header = plain();
    std::memset(room.data(), 0, room.size());
    const RdmaSegment offered = RdmaPeer::segment(room, 0, 4'096);
    header.write = std::span{&offered, 1};
    const Bytes reply = peer->exchange(header, RdmaPeer::call(xid(), kReadlink, [&](auto& out) {
                                           return encode_READLINK3args(out, {{view(handle)}});
                                       }));
    const ByteView data{room.data(), 4'000};
    EXPECT_EQ(frame::bytes_of(peer->replied.write(0)), 4'000u);
    EXPECT_EQ(results(reply, &decode_READLINK3res, arena, std::span{&data, 1}).resok().data, text);

    // A directory whose listing fits only in a reply chunk.
    for (int i = 0; i < 100; ++i)
        create("a-rather-long-name-to-fill-the-directory-" + std::to_string(i));
    header = plain();
    room = peer->room(60'000);
    const RdmaSegment listing = RdmaPeer::segment(room, 0, 60'000);
    header.reply = std::span{&listing, 1};
    const READDIR3args list{server->root(), 0, {}, 50'000};
    EXPECT_TRUE(peer->exchange(header, RdmaPeer::call(xid(), kReaddir,
                                                      [&](auto& out) {
                                                          return encode_READDIR3args(out, list);
                                                      }))
                    .empty());
    ASSERT_EQ(peer->replied.kind, frame::RdmaKind::no_message);
    const Bytes listed{room.data(), room.data() + frame::bytes_of(peer->replied.reply)};
    const auto entries = results(listed, &decode_READDIR3res, arena);
    ASSERT_EQ(entries.status(), NFS3_OK);
    std::size_t count = 0;
    for (const auto* one = entries.resok().reply.entries; one != nullptr; one = one->nextentry)
        ++count;
    EXPECT_GE(count, 101u);
}

TEST_P(Rdma, CallInAChunkOfPositionZero) {
    auto header = plain();
    const Bytes file = create("zero");
    const Bytes data = pattern(5'003);
    const WRITE3args args{
        {view(file)}, 0, static_cast<std::uint32_t>(data.size()), FILE_SYNC, view(data)};
    header = plain();
    const Bytes message =
        RdmaPeer::call(xid(), kWrite, [&](auto& out) { return encode_WRITE3args(out, args); });
    const Block room = peer->room(message.size());
    std::memcpy(room.data(), message.data(), message.size());
    const std::vector<RdmaReadSegment> reads{
        {0, RdmaPeer::segment(room, 0, 1'000)},
        {0, RdmaPeer::segment(room, 1'000, message.size() - 1'000)}};
    header.reads = reads;
    header.no_message = true;
    const auto wrote = results(peer->exchange(header, {}), &decode_WRITE3res, arena);
    ASSERT_EQ(wrote.status(), NFS3_OK);
    EXPECT_EQ(read(file, data.size(), 1), data);
}

// A chunk inside a message that is itself in a chunk.
TEST_P(Rdma, ChunkInsideAChunkOfPositionZero) {
    const Bytes file = create("nested");
    const Bytes data = pattern(5'003);
    const WRITE3args args{
        {view(file)}, 0, static_cast<std::uint32_t>(data.size()), FILE_SYNC, view(data)};
    auto header = plain();
    const Bytes message =
        RdmaPeer::call(xid(), kWrite, [&](auto& out) { return encode_WRITE3args(out, args); });
    const CutCall call = cut(message, view(data));
    const Block outer = peer->room(call.inline_bytes.size());
    std::memcpy(outer.data(), call.inline_bytes.data(), call.inline_bytes.size());
    const Block inner = peer->room(data.size());
    std::memcpy(inner.data(), data.data(), data.size());
    const std::vector<RdmaReadSegment> reads{
        {0, RdmaPeer::segment(outer, 0, call.inline_bytes.size())},
        {call.position, RdmaPeer::segment(inner, 0, data.size())}};
    header.reads = reads;
    header.no_message = true;
    ASSERT_EQ(results(peer->exchange(header, {}), &decode_WRITE3res, arena).status(), NFS3_OK);
    EXPECT_EQ(read(file, data.size(), 1), data);
}

// Invalidates only the keys that a client allows, and only if it announced that.
TEST_P(Rdma, RemoteInvalidation) {
    const Bytes file = create("inv");
    write(file, pattern(100), 1);
    EXPECT_EQ(server->fabric.counters(MemoryFabric::Side::answering).invalidations, 0u);
    RdmaPeer::Options options;
    options.says->remote_invalidation = true;
    peer.reset();
    peer.emplace(server->fabric, server->where, options);
    // In a separate region: the pool's slabs serve others too.
    Bytes memory(4'096);
    const auto region = server->fabric.add(MemoryFabric::Side::asking, std::span{memory},
                                           transport::rdma::Purpose::shared);
    ASSERT_NE(region, nullptr);
    auto header = plain();
    const RdmaSegment chunk{region->remote_key, 100,
                            reinterpret_cast<std::uintptr_t>(memory.data())};
    header.write = std::span{&chunk, 1};
    peer->exchange(header, read_call(file, 100));
    EXPECT_EQ(server->fabric.counters(MemoryFabric::Side::answering).invalidations, 1u);
    EXPECT_FALSE(server->fabric.is_valid(region->remote_key));
    EXPECT_TRUE(std::equal(memory.begin(), memory.begin() + 100, pattern(100).begin()));
}

}  // namespace
}  // namespace helio::tests::rdma_test
