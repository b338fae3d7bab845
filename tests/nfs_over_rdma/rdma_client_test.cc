// Both of our own ends: generated clients over RDMA, and the server, on the fabric inside the
// process.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/nfs_over_rdma/own_client.h"

namespace helio::tests::rdma_client_test {
namespace {

using namespace helio::nfs3;
using transport::rdma::Block;
using transport::rdma::Purpose;

class RdmaOwnClient : public OwnClientTest {
 protected:
    NFS_V3::Client nfs() { return NFS_V3::Client{*client}; }

    Bytes create(const std::string& name) {
        CREATE3args args{};
        args.where = {server->root(), name};
        args.how = createhow3::of_obj_attributes(UNCHECKED, {});
        const auto made = nfs().CREATE(args);
        if (!made || !made->has_resok()) {
            ADD_FAILURE() << "CREATE of " << name;
            return {};
        }
        const ByteView handle = made->resok().obj->data;
        return {handle.begin(), handle.end()};
    }
    void write(const Bytes& file, ByteView data) {
        const auto wrote =
            nfs().WRITE({{file}, 0, static_cast<std::uint32_t>(data.size()), FILE_SYNC, data});
        ASSERT_TRUE(wrote) << rpc::to_text(wrote.error());
        ASSERT_TRUE(wrote->has_resok());
        EXPECT_EQ(wrote->resok().count, data.size());
    }
    Bytes read(const Bytes& file, std::size_t size) {
        const auto found = nfs().READ({{file}, 0, static_cast<std::uint32_t>(size)});
        if (!found || !found->has_resok()) {
            ADD_FAILURE() << (found ? "a status" : rpc::to_text(found.error()));
            return {};
        }
        const ByteView data = found->resok().data;
        return {data.begin(), data.end()};
    }
};

TEST_F(RdmaOwnClient, WritesAndReadsDataOfEverySize) {
    const Bytes file = create("file");
    for (const std::size_t size : {1u, 3u, 300u, 3'900u, 4'096u, 20'001u, 262'147u, 1u << 20}) {
        const Bytes data = pattern(size, static_cast<unsigned>(size));
        write(file, data);
        EXPECT_EQ(read(file, size), data) << size;
    }
    EXPECT_TRUE(read(create("empty"), 100).empty());
}

// The client's half of the promise; the server has its own test.
TEST_F(RdmaOwnClient, CopiesNothingOfDataInItsRegisteredMemory) {
    const Bytes file = create("file");
    const Bytes data = pattern(1u << 20, 5);
    const Block room = client->connection().payload_memory()->take(data.size(), Purpose::shared);
    std::copy(data.begin(), data.end(), room.data());
    write(file, {room.data(), data.size()});
    EXPECT_EQ(read(file, data.size()), data);
    EXPECT_EQ(client->connection().counters().bulk_bytes_copied, 0u);
    // All of it was read and written by the server's device, and next to nothing was sent.
    EXPECT_EQ(server->fabric.counters(Side::answering).bytes_read, data.size());
    EXPECT_EQ(server->fabric.counters(Side::answering).bytes_written, data.size());
    EXPECT_LT(server->fabric.counters(Side::asking).bytes_sent, 2'000u);
}

TEST_F(RdmaOwnClient, LinksAndListings) {
    const std::string target(4'000, 't');
    const auto made = nfs().SYMLINK({{server->root(), "link"}, {{}, target}});
    ASSERT_TRUE(made && made->has_resok());
    const ByteView handle = made->resok().obj->data;
    const Bytes link{handle.begin(), handle.end()};
    const auto found = nfs().READLINK({{link}});
    ASSERT_TRUE(found && found->has_resok());
    EXPECT_EQ(found->resok().data, target);

    constexpr std::size_t kFiles = 400;
    for (std::size_t i = 0; i < kFiles; ++i) create("a-name-of-some-length-" + std::to_string(i));
    std::size_t names = 0;
    cookieverf3 verifier{};
    std::uint64_t cookie = 0;
    for (bool more = true; more;) {
        const auto listed = nfs().READDIRPLUS({server->root(), cookie, verifier, 65'536, 65'536});
        ASSERT_TRUE(listed && listed->has_resok());
        verifier = listed->resok().cookieverf;
        for (const auto* entry = listed->resok().reply.entries; entry; entry = entry->nextentry) {
            cookie = entry->cookie;
            ++names;
        }
        more = !listed->resok().reply.eof;
    }
    EXPECT_EQ(names, kFiles + 3);  // . and .. and the link
}

// Like `helio call`: the results are not described.
TEST_F(RdmaOwnClient, CallsThatNobodyDescribed) {
    const Bytes file = create("file");
    const Bytes data = pattern(50'000);
    xdr::Arena arena;
    xdr::Writer out{arena};
    ASSERT_TRUE(encode_WRITE3args(out, {{file}, 0, 50'000, FILE_SYNC, data}));
    ASSERT_TRUE(client->call(100003, 3, kWrite, out.joined()));
    out.restart();
    ASSERT_TRUE(encode_READ3args(out, {{file}, 0, 50'000}));
    const auto results = client->call(100003, 3, kRead, out.joined());
    ASSERT_TRUE(results);
    xdr::Reader in{*results, arena, xdr::Mode::strict};
    READ3res found;
    ASSERT_TRUE(decode_READ3res(in, found) && in.finish());
    EXPECT_TRUE(found.resok().data == Payload{data});
    const auto refused = client->call(100003, 3, 99, {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().outcome, xdr::Outcome::procedure_unavailable);
}

// More than there are credits, of all kinds at once.
TEST_F(RdmaOwnClient, ManyCallsAtATime) {
    const Bytes file = create("file");
    const Bytes data = pattern(30'000);
    write(file, data);
    NFS_V3::AsyncClient many{client->connection()};
    const auto all = [&]() -> Task<std::size_t> {
        std::vector<xdr::Call<READ3res>> reads;
        std::vector<xdr::Call<WRITE3res>> writes;
        std::vector<xdr::Call<GETATTR3res>> looks;
        for (int i = 0; i < 100; ++i) {
            reads.push_back(many.READ({{file}, 0, 30'000}));
            writes.push_back(many.WRITE({{file}, 0, 30'000, FILE_SYNC, data}));
            looks.push_back(many.GETATTR({{file}}));
        }
        std::size_t right = 0;
        for (auto& one : reads) {
            const auto reply = co_await one;
            if (reply && (*reply)->has_resok() && (*reply)->resok().data == Payload{data}) ++right;
        }
        for (auto& one : writes) {
            const auto reply = co_await one;
            if (reply && (*reply)->has_resok()) ++right;
        }
        for (auto& one : looks) {
            const auto reply = co_await one;
            if (reply && (*reply)->has_resok()) ++right;
        }
        co_return right;
    };
    EXPECT_EQ(transport::run_until_done(client->loop(), all()), 300u);
    EXPECT_EQ(server->fabric.links(), 2u);
}

TEST_F(RdmaOwnClient, ComesBackWhenTheLinkBreaks) {
    const Bytes file = create("file");
    write(file, pattern(1'000));
    for (int i = 0; i < 20; ++i) {
        // In the middle of it: the call, the server's write, or its reply.
        server->fabric.fail_after(static_cast<std::uint64_t>(i % 3));
        EXPECT_EQ(read(file, 1'000), pattern(1'000));
    }
    EXPECT_GT(client->connection().counters().reconnected, 0u);
}

}  // namespace
}  // namespace helio::tests::rdma_client_test
