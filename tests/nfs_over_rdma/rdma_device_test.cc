// A misbehaving client over a real RDMA device, against a running `helio serve --rdma`:
// HELIO_RDMA_SERVER is its address and port, its export is /export. After each input the server
// still serves others.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>

#include "helio/transport/rdma/verbs/verbs_fabric.h"
#include "helio/xdr/wire.h"
#include "schema/mount_service.h"
#include "tests/nfs_over_rdma/rdma_peer.h"

namespace helio::tests::rdma_device_test {
namespace {

using namespace helio::nfs3;
using frame::RdmaKind;
using frame::RdmaReadSegment;
using frame::RdmaSegment;
using transport::rdma::Block;

class RdmaDevice : public testing::Test {
 protected:
    void SetUp() override {
        const char* const text = std::getenv("HELIO_RDMA_SERVER");
        if (text == nullptr) GTEST_SKIP() << "needs a server on an RDMA device: HELIO_RDMA_SERVER";
        const auto parsed = transport::parse_host_port(text);
        ASSERT_TRUE(parsed);
        where_ = transport::resolve(parsed->host, parsed->port)->front();
        fabric_ = std::make_unique<transport::rdma::VerbsFabric>();
        connect();
    }
    void TearDown() override {
        if (fabric_ == nullptr) return;
        connect();
        expect_alive();
        peer.reset();
    }

    void connect() {
        peer.reset();
        peer.emplace(*fabric_, where_);
    }
    void expect_alive() {
        const Bytes reply = peer->exchange({.xid = 1, .credits = 1}, RdmaPeer::call(1, 0, {}));
        EXPECT_EQ(peer->replied.kind, RdmaKind::message);
        EXPECT_EQ(reply.size(), 24u);  // a reply without results
    }
    // The answer to a message of these words before a NULL call.
    void expect_error(const Bytes& header, std::uint32_t code) {
        Bytes message = header;
        const Bytes call = RdmaPeer::call(0x77, 0, {});
        message.insert(message.end(), call.begin(), call.end());
        peer->send(message);
        const Bytes answer = peer->receive();
        ASSERT_GE(answer.size(), 20u);
        EXPECT_EQ(xdr::load_u32(answer.data()), 0x77u);
        EXPECT_EQ(xdr::load_u32(answer.data() + 12), 4u);
        EXPECT_EQ(xdr::load_u32(answer.data() + 16), code);
        expect_alive();
    }
    Bytes root() {
        const Bytes reply = peer->exchange(
            {.xid = 2, .credits = 1},
            RdmaPeer::call(
                2, 1, [](auto& out) { return mount::encode_dirpath(out, "/export"); },
                mount::MOUNT_V3::info()));
        const auto mounted = results(reply, &mount::decode_mountres3, arena);
        EXPECT_TRUE(mounted.has_mountinfo());
        const ByteView handle = mounted.mountinfo().fhandle;
        return {handle.begin(), handle.end()};
    }

    std::optional<RdmaPeer> peer;
    xdr::Arena arena;

 private:
    std::unique_ptr<transport::rdma::VerbsFabric> fabric_;
    transport::Endpoint where_;
};

TEST_F(RdmaDevice, HeadersThatAreWrong) {
    constexpr std::uint32_t kErrVers = 1, kErrChunk = 2;
    expect_error(words({0x77, 2, 32, 0, 0, 0, 0}), kErrVers);
    expect_error(words({0x77, 1, 32, 2, 0, 0, 0, 0, 0}), kErrChunk);  // RDMA_MSGP
    expect_error(words({0x77, 1, 32, 0, 1, 6, 1, 4, 0, 0, 0, 0, 0}), kErrChunk);
    expect_error(words({0x77, 1, 32, 0, 1, 40, 1, 8, 0xffffffff, 0xfffffffc, 0, 0, 0}), kErrChunk);
    expect_error(words({0x77, 1, 32, 0, 1, 40, 1, 0xffffffff, 0, 0, 0, 0, 0}), kErrChunk);
    expect_error(words({0x77, 1, 32, 0, 0, 1, 0x10000, 1, 4, 0, 0, 0, 0}), kErrChunk);
    expect_error(words({0x77, 1, 32, 1, 0, 0, 0}), kErrChunk);  // RDMA_NOMSG, and no message
    expect_error(words({0x77, 1, 32, 0, 1, 0x10000, 1, 4, 0, 0, 0, 0, 0}), kErrChunk);
    const Bytes whole = words({0x77, 1, 32, 0, 1, 40, 7, 8, 0, 0, 0, 0, 0});
    for (std::size_t size = 4; size < 16; size += 4)
        peer->send({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
    expect_alive();
}

// Memory that is not the client's to offer: its own device rejects it, and the connection is lost.
TEST_F(RdmaDevice, ReadKeyThatIsNone) {
    const RdmaReadSegment read{0, {0x00dead00, 4'096, 0x10000}};
    peer->send(RdmaPeer::message(
        {.xid = 3, .credits = 32, .no_message = true, .reads = std::span{&read, 1}}, {}));
    EXPECT_TRUE(peer->ends());
}

TEST_F(RdmaDevice, WriteKeyThatIsNone) {
    const Bytes directory = root();
    CREATE3args create{};
    create.where = {{{directory.data(), directory.size()}}, "hostile"};
    create.how = createhow3::of_obj_attributes(UNCHECKED, {});
    const Bytes created = peer->exchange(
        {.xid = 4, .credits = 32},
        RdmaPeer::call(4, kCreate, [&](auto& out) { return encode_CREATE3args(out, create); }));
    const auto made = results(created, &decode_CREATE3res, arena);
    ASSERT_EQ(made.status(), NFS3_OK);
    const ByteView view = made.resok().obj->data;
    const Bytes file{view.begin(), view.end()};
    const Bytes data = pattern(100);
    const WRITE3args write{{{file.data(), file.size()}}, 0, 100, FILE_SYNC, data};
    peer->exchange({.xid = 5, .credits = 32}, RdmaPeer::call(5, kWrite, [&](auto& out) {
                       return encode_WRITE3args(out, write);
                   }));
    const RdmaSegment chunk{0x00dead00, 100, 0x10000};
    peer->send(
        RdmaPeer::message({.xid = 6, .credits = 32, .write = std::span{&chunk, 1}},
                          RdmaPeer::call(6, kRead, [&](auto& out) {
                              return encode_READ3args(out, {{{file.data(), file.size()}}, 0, 100});
                          })));
    EXPECT_TRUE(peer->ends());
}

// It goes away while the server reads from it, ten times.
TEST_F(RdmaDevice, GoneInTheMiddle) {
    for (int i = 0; i < 10; ++i) {
        const Block room = peer->room(1u << 20);
        const RdmaReadSegment read{0, RdmaPeer::segment(room, 0, 1u << 20)};
        peer->send(RdmaPeer::message(
            {.xid = 7, .credits = 32, .no_message = true, .reads = std::span{&read, 1}}, {}));
        connect();
    }
}

}  // namespace
}  // namespace helio::tests::rdma_device_test
