// Clients that break the rules over RDMA: each input is answered or disconnected, costs nothing,
// and the server serves the next one. Each device operation fails once.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cstring>
#include <thread>

#include "helio/backend/memory/memory_fs.h"
#include "helio/transport/client/client.h"
#include "helio/xdr/wire.h"
#include "tests/nfs_over_rdma/rdma_peer.h"

namespace helio::tests::rdma_bad_inputs_test {
namespace {

using namespace helio::nfs3;
using frame::RdmaKind;
using frame::RdmaReadSegment;
using frame::RdmaSegment;
using transport::rdma::Block;

constexpr std::uint32_t kErrVers = 1;
constexpr std::uint32_t kErrChunk = 2;

std::shared_ptr<vfs::FileSystem> files() {
    backend::MemoryOptions options;
    options.root_mode = 0777;
    return backend::make_memory_fs(options);
}

Bytes operator+(Bytes a, const Bytes& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

struct RdmaBadInputs : testing::Test {
    RdmaServer server{files()};
    std::optional<RdmaPeer> peer{std::in_place, server.fabric, server.where};
    xdr::Arena arena;

    Bytes getattr(std::uint32_t xid) {
        return RdmaPeer::call(xid, kGetattr,
                              [&](auto& out) { return encode_GETATTR3args(out, {server.root()}); });
    }
    void expect_alive() {
        const Bytes reply = peer->exchange({.xid = 0xa11, .credits = 1}, getattr(0xa11));
        EXPECT_EQ(peer->replied.xid, 0xa11u);
        ASSERT_FALSE(reply.empty());
        EXPECT_EQ(results(reply, &decode_GETATTR3res, arena).status(), NFS3_OK);
    }
    frame::RdmaHeader answer() {
        frame::RdmaHeader header;
        const Bytes bytes = peer->receive();
        EXPECT_FALSE(bytes.empty());
        if (bytes.empty()) return header;
        EXPECT_TRUE(frame::read_rdma_header(bytes, header).has_value());
        return header;
    }
    void expect_error(const Bytes& message, std::uint32_t code, std::string_view logged) {
        peer->send(message);
        const frame::RdmaHeader header = answer();
        EXPECT_EQ(header.kind, RdmaKind::error);
        EXPECT_EQ(header.xid, 0x77u);
        EXPECT_EQ(header.error_code, code);
        EXPECT_NE(server.log().find(logged), std::string::npos) << logged << "\n" << server.log();
        expect_alive();
    }
};

TEST_F(RdmaBadInputs, OtherVersionsAreToldOurs) {
    // The version is the caller's own (RFC 8166 §4.5.1), whatever that may be.
    peer->send(words({0x77, 2, 32, 0, 0, 0, 0}) + getattr(0x77));
    EXPECT_EQ(peer->receive(), words({0x77, 2, transport::rdma::kRdmaCredits, 4, kErrVers, 1, 1}));
    expect_alive();
}

TEST_F(RdmaBadInputs, HeadersLineByLine) {
    const Bytes call = getattr(0x77);
    struct Line {
        const char* logged;
        Bytes header;
    };
    const std::uint32_t many = 0x10000;
    const Line lines[] = {
        {"message type 9", words({0x77, 1, 32, 9, 0, 0, 0})},
        {"RDMA_MSGP", words({0x77, 1, 32, 2, 0, 0, 0, 0, 0})},
        {"0 or 1 says", words({0x77, 1, 32, 0, 2, 0, 0})},
        {"position of 6", words({0x77, 1, 32, 0, 1, 6, 1, 4, 0, 0, 0, 0, 0})},
        {"behind one of", words({0x77, 1, 32, 0, 1, 40, 1, 4, 0, 0, 1, 36, 1, 4, 0, 0, 0, 0, 0})},
        {"position 0", words({0x77, 1, 32, 0, 1, 0, 1, 4, 0, 0, 0, 0, 0})},
        {"past the end of memory",
         words({0x77, 1, 32, 0, 1, 40, 1, 8, 0xffffffff, 0xfffffffc, 0, 0, 0})},
        {"more than", words({0x77, 1, 32, 0, 1, 40, 1, 0xffffffff, 0, 0, 0, 0, 0})},
        {"more than",
         words({0x77, 1, 32, 0, 1, 40, 1, 0xa00000, 0, 0, 1, 40, 1, 0xa00000, 0, 0, 0, 0, 0})},
        {"segments, more than", words({0x77, 1, 32, 0, 0, 1, many, 1, 4, 0, 0, 0, 0})},
        {"segments, more than", words({0x77, 1, 32, 0, 0, 0, 1, many, 1, 4, 0, 0})},
        {"answered ERR_CHUNK", words({0x77, 1, 32, 1, 0, 0, 0})},  // RDMA_NOMSG, and no message
        {"answered ERR_CHUNK", words({0x77, 1, 32, 0, 1, 0x10000, 1, 4, 0, 0, 0, 0, 0})},
        {"answered ERR_CHUNK",  // the second chunk is inside the first
         words({0x77, 1, 32, 0, 1, 40, 1, 64, 0, 0, 1, 44, 1, 4, 0, 0, 0, 0, 0})},
    };
    for (const Line& line : lines) {
        SCOPED_TRACE(line.logged);
        expect_error(line.header + call, kErrChunk, line.logged);
    }
}

// Messages that cannot be answered are ignored: without an xid, or of a kind that has no answer.
TEST_F(RdmaBadInputs, IgnoredInSilence) {
    const Bytes whole = words({0x77, 1, 32, 0, 0, 0, 0});
    for (std::size_t size = 4; size < 16; size += 4)
        peer->send({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
    peer->send(words({0x77, 1, 32, 3}));               // RDMA_DONE
    peer->send(words({0x77, 1, 32, 4, 2}));            // RDMA_ERROR
    peer->send(whole);                                 // no RPC message at all
    peer->send(whole + words({0x77, 1, 0, 0, 0, 0}));  // an RPC reply
    expect_alive();
}

TEST_F(RdmaBadInputs, EveryTruncation) {
    const Block room = peer->room(4'096);
    const RdmaReadSegment read{40, RdmaPeer::segment(room, 0, 8)};
    const RdmaSegment segment = RdmaPeer::segment(room, 8, 8);
    const Bytes whole = RdmaPeer::message({.xid = 0x77,
                                           .credits = 32,
                                           .reads = std::span{&read, 1},
                                           .write = std::span{&segment, 1},
                                           .reply = std::span{&segment, 1}},
                                          getattr(0x77));
    for (std::size_t size = 1; size < whole.size(); ++size) {
        peer->send({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
        if (peer->lost()) peer.emplace(server.fabric, server.where);
    }
    peer.emplace(server.fabric, server.where);
    expect_alive();
}

// An invalid key, memory that is too short, or the wrong right: the device rejects it, the
// connection is lost, and nothing leaks.
TEST_F(RdmaBadInputs, KeysThatAreNone) {
    const Bytes data = pattern(8'192);
    const WRITE3args args{server.root(), 0, 8'192, FILE_SYNC, data};
    const Bytes message =
        RdmaPeer::call(0x77, kWrite, [&](auto& out) { return encode_WRITE3args(out, args); });
    const Bytes head{message.begin(), message.end() - 8'192};
    const Block room = peer->room(8'192);
    RdmaSegment right = RdmaPeer::segment(room, 0, 8'192);
    RdmaSegment wrong_key = right;
    wrong_key.handle ^= 0x5a5a5a;
    RdmaSegment beyond = right;
    beyond.offset += 1u << 30;
    for (const RdmaSegment& segment : {wrong_key, beyond}) {
        const RdmaReadSegment read{static_cast<std::uint32_t>(head.size()), segment};
        peer->send(
            RdmaPeer::message({.xid = 0x77, .credits = 32, .reads = std::span{&read, 1}}, head));
        EXPECT_TRUE(peer->ends());
        EXPECT_TRUE(server.all_given_back());
        peer.emplace(server.fabric, server.where);
        expect_alive();
    }
    EXPECT_NE(server.log().find("remote access error"), std::string::npos) << server.log();
    // And for data written.
    peer->send(RdmaPeer::message({.xid = 0x78, .credits = 32, .reply = std::span{&wrong_key, 1}},
                                 RdmaPeer::call(0x78, kReaddir, [&](auto& out) {
                                     return encode_READDIR3args(out, {server.root(), 0, {}, 4'096});
                                 })));
    peer->receive();  // short enough to come inline: the chunk is not touched
    EXPECT_FALSE(peer->lost());
}

// Data for which the call's chunk is too small, and a reply that fits nowhere.
TEST_F(RdmaBadInputs, RepliesThatDoNotFit) {
    // A client that receives a kilobyte inline: a reply with the longest name and attributes still
    // fits, a listing is cut.
    RdmaPeer::Options options;
    options.says.reset();
    peer.emplace(server.fabric, server.where, options);
    for (int i = 0; i < 40; ++i) {
        CREATE3args args{};
        const std::string name = "name-number-" + std::to_string(i);
        args.where = {server.root(), name};
        args.how = createhow3::of_obj_attributes(UNCHECKED, {});
        const auto xid = static_cast<std::uint32_t>(0x100 + i);
        peer->exchange({.xid = xid, .credits = 32}, RdmaPeer::call(xid, kCreate, [&](auto& out) {
                           return encode_CREATE3args(out, args);
                       }));
    }
    const Bytes reply =
        peer->exchange({.xid = 0x77, .credits = 32}, RdmaPeer::call(0x77, kReaddir, [&](auto& out) {
                           return encode_READDIR3args(out, {server.root(), 0, {}, 50'000});
                       }));
    EXPECT_LE(reply.size() + peer->replied.size, 1'024u);
    const auto listed = results(reply, &decode_READDIR3res, arena);
    ASSERT_EQ(listed.status(), NFS3_OK);
    EXPECT_FALSE(listed.resok().reply.eof);
}

TEST_F(RdmaBadInputs, NoCreditsAskedForIsOne) {
    peer->exchange({.xid = 0x77, .credits = 0}, getattr(0x77));
    EXPECT_EQ(peer->replied.credits, transport::rdma::kRdmaCredits);
}

// More calls in flight than granted: disconnected.
TEST_F(RdmaBadInputs, MoreThanTheCreditsGranted) {
    server.fabric.on_work([](MemoryFabric::Side from, const transport::rdma::Work& work) {
        return from == MemoryFabric::Side::answering && work.verb == transport::rdma::Verb::read
                   ? MemoryFabric::Fault::drop
                   : MemoryFabric::Fault::none;
    });
    const Block room = peer->room(4'096);
    const RdmaReadSegment read{0, RdmaPeer::segment(room, 0, 64)};
    for (std::uint32_t i = 0; i <= transport::rdma::kRdmaCredits && !peer->lost(); ++i)
        peer->send(RdmaPeer::message(
            {.xid = i, .credits = 32, .no_message = true, .reads = std::span{&read, 1}}, {}));
    EXPECT_TRUE(peer->ends());
    EXPECT_NE(server.log().find("more calls than the 64"), std::string::npos) << server.log();
    EXPECT_TRUE(server.all_given_back());
}

// The client goes away while its memory is being read, or before its reply is written.
TEST_F(RdmaBadInputs, GoneInTheMiddle) {
    for (const auto verb : {transport::rdma::Verb::read, transport::rdma::Verb::send}) {
        server.fabric.on_work([verb](MemoryFabric::Side from, const transport::rdma::Work& work) {
            return from == MemoryFabric::Side::answering && work.verb == verb
                       ? MemoryFabric::Fault::drop
                       : MemoryFabric::Fault::none;
        });
        const Block room = peer->room(4'096);
        const Bytes call = getattr(0x77);
        std::memcpy(room.data(), call.data(), call.size());
        const RdmaReadSegment read{0, RdmaPeer::segment(room, 0, call.size())};
        peer->send(RdmaPeer::message(
            {.xid = 0x77, .credits = 32, .no_message = true, .reads = std::span{&read, 1}}, {}));
        peer.reset();
        EXPECT_TRUE(server.all_given_back());
        server.fabric.on_work({});
        peer.emplace(server.fabric, server.where);
        expect_alive();
    }
}

// Each operation of the device fails once, in a conversation that has all kinds of them.
TEST_F(RdmaBadInputs, EveryOperationFailsOnce) {
    const Block room = peer->room(16'384);
    for (std::uint64_t n = 0; n < 12; ++n) {
        server.fabric.fail_after(n);
        const Bytes call = getattr(0x77);
        std::memcpy(room.data(), call.data(), call.size());
        const RdmaReadSegment read{0, RdmaPeer::segment(room, 0, call.size())};
        const RdmaSegment reply = RdmaPeer::segment(room, 8'192, 8'192);
        for (std::uint32_t i = 0; i < 4 && !peer->lost(); ++i) {
            peer->send(RdmaPeer::message({.xid = 0x77,
                                          .credits = 32,
                                          .no_message = true,
                                          .reads = std::span{&read, 1},
                                          .reply = std::span{&reply, 1}},
                                         {}));
            peer->receive();
        }
        EXPECT_TRUE(peer->ends()) << n;
        EXPECT_TRUE(server.all_given_back()) << n;
        peer.emplace(server.fabric, server.where);
        expect_alive();
    }
}

// A reply is remembered without its header: repeated over another connection, with other chunks or
// over TCP, it is the same message.
TEST_F(RdmaBadInputs, RemembersMessagesNotFrames) {
    const REMOVE3args args{{server.root(), "nobody"}};
    const Bytes call =
        RdmaPeer::call(0x4711, kRemove, [&](auto& out) { return encode_REMOVE3args(out, args); });
    const Bytes first = peer->exchange({.xid = 0x4711, .credits = 32}, call);
    peer.emplace(server.fabric, server.where);
    const Block room = peer->room(4'096);
    const RdmaSegment chunk = RdmaPeer::segment(room, 0, 4'096);
    EXPECT_EQ(peer->exchange({.xid = 0x4711, .credits = 32, .reply = std::span{&chunk, 1}}, call),
              first);

    auto where = *transport::resolve("127.0.0.1", server.tcp_port);
    const Fd socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    ASSERT_EQ(connect(socket.get(), where.front().address(), where.front().size()), 0);
    const Bytes record = words({0x80000000u | static_cast<std::uint32_t>(call.size())}) + call;
    ASSERT_EQ(::send(socket.get(), record.data(), record.size(), 0),
              static_cast<ssize_t>(record.size()));
    Bytes got(4 + first.size());
    ASSERT_EQ(recv(socket.get(), got.data(), got.size(), MSG_WAITALL),
              static_cast<ssize_t>(got.size()));
    EXPECT_EQ((Bytes{got.begin() + 4, got.end()}), first);
}

}  // namespace
}  // namespace helio::tests::rdma_bad_inputs_test
