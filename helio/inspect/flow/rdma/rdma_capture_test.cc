// Captures of Linux's NFS client and server over RDMA, from file to message. An independent program
// computed the checksums of the data moved by RDMA.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "helio/inspect/capture/reader.h"
#include "helio/inspect/flow/flows.h"
#include "helio/inspect/head.h"
#include "helio/reflect/decode.h"
#include "testing/inspect/catalogue.h"
#include "testing/inspect/rdma_packets.h"

namespace helio::inspect::rdma_capture_test {
namespace {

using namespace for_test;

Bytes read_all(const std::string& name) {
    std::ifstream file{std::string{HELIO_SOURCE_DIR} + "/testdata/explain/" + name,
                       std::ios::binary};
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    return text_bytes(text);
}

// FNV-1a.
std::uint64_t sum_of(ByteView bytes) {
    std::uint64_t sum = 0xcbf29ce484222325;
    for (const std::byte b : bytes) sum = (sum ^ std::to_integer<std::uint64_t>(b)) * 0x100000001b3;
    return sum;
}

struct Moved {
    TakenOut::Chunk chunk;
    std::uint32_t size;
    std::uint64_t sum;
    bool operator==(const Moved&) const = default;
};

class Heard {
 public:
    explicit Heard(const std::string& name) : file_(read_all(name)) {
        MemorySource source{file_};
        CaptureReader reader{source};
        Dissector dissector{sink};
        Packet packet;
        Segment segment;
        while (reader.next(packet))
            if (dissector.dissect(packet, segment)) flows_.segment(segment);
        flows_.finish();
        for (const KeptMessage& one : sink.messages) look_at(one);
    }

    KeepingSink sink;
    std::size_t calls = 0;
    std::size_t replies = 0;
    std::size_t decoded = 0;  // those with a schema here
    std::size_t wrong = 0;
    std::size_t cut = 0;
    std::size_t not_captured = 0;
    std::multimap<std::uint32_t, Moved> moved;  // by xid

 private:
    void look_at(const KeptMessage& one) {
        Head head;
        ASSERT_TRUE(read_head(one.bytes, head));
        ++(head.call ? calls : replies);
        if (one.message.cut()) ++cut;
        if (head.call)
            called_[head.xid] =
                builtin_catalogue().find(Shape::onc, head.program, head.version, head.procedure);
        const Procedure* const procedure = called_[head.xid];
        if (procedure != nullptr) {
            const idl::Type& type = head.call ? *procedure->arguments : *procedure->result;
            const bool ok = reflect::decode(ByteView{one.bytes}.subspan(head.body), type).ok();
            ++(ok ? decoded : wrong);
        }
        for (const TakenOut& taken : one.taken_out) {
            if (!taken.captured)
                ++not_captured;
            else
                moved.insert({head.xid,
                              {taken.chunk, taken.size,
                               sum_of(ByteView{one.bytes}.subspan(taken.offset, taken.size))}});
        }
    }

    Bytes file_;
    Flows flows_{sink, builtin_catalogue()};
    std::map<std::uint32_t, const Procedure*> called_;
};

TEST(RdmaCapture, SoftRoce) {
    const Heard heard{"rdma-rxe-small.pcap"};
    EXPECT_EQ(heard.calls, 59u);
    EXPECT_EQ(heard.replies, 59u);
    EXPECT_EQ(heard.wrong, 0u);
    EXPECT_EQ(heard.decoded, 112u);  // NFS versions 3 and 4.1; there is NFSACL as well
    EXPECT_EQ(heard.cut, 0u);
    EXPECT_EQ(heard.not_captured, 0u);
    // Connection management datagrams.
    EXPECT_EQ(heard.sink.unread_of(Unread::not_rpc), 2800u);
    EXPECT_EQ(heard.sink.unread_all(), 2800u);

    const auto moved = [&](std::uint32_t xid) { return heard.moved.find(xid)->second; };
    ASSERT_EQ(heard.moved.size(), 17u);
    using Chunk = TakenOut::Chunk;
    EXPECT_EQ(moved(0xd97d738e), (Moved{Chunk::write, 300, 0x4f97a1c2603240cb}));    // READ
    EXPECT_EQ(moved(0xdc7d738e), (Moved{Chunk::write, 20001, 0x318acdf57df6495d}));  // READ
    EXPECT_EQ(moved(0x1a7e738e), (Moved{Chunk::reply, 11844, 0xd37cb140003810aa}));  // READDIRPLUS
    EXPECT_EQ(moved(0x1b7e738e), (Moved{Chunk::read, 4000, 0x49874bfabe6563a5}));    // SYMLINK
    EXPECT_EQ(moved(0x1e7e738e), (Moved{Chunk::reply, 4120, 0x40606daf275c8ee8}));   // READLINK
    EXPECT_EQ(moved(0x227e738e), (Moved{Chunk::read, 4120, 0xeb4ca94df2d7d8d4}));    // SETACL, long
    // The same file, read with version 4.1.
    EXPECT_EQ(moved(0x5e28c50d), (Moved{Chunk::write, 20001, 0x318acdf57df6495d}));
    EXPECT_EQ(moved(0x6328c50d), (Moved{Chunk::read, 20001, 0xe5310ff2993ba3dd}));  // WRITE, 4.1
}

// This capture is complete: everything TCP carried is in it.
TEST(RdmaCapture, SoftIwarp) {
    const Heard heard{"rdma-siw-small.pcap"};
    EXPECT_EQ(heard.calls, 41u);
    EXPECT_EQ(heard.replies, 41u);
    EXPECT_EQ(heard.wrong, 0u);
    EXPECT_EQ(heard.decoded, 74u);
    EXPECT_EQ(heard.cut, 0u);
    EXPECT_EQ(heard.not_captured, 0u);
    EXPECT_EQ(heard.sink.unread_all(), 0u);
    for (const KeptMessage& one : heard.sink.messages)
        EXPECT_EQ(one.message.carrier, Carrier::iwarp);

    const auto moved = [&](std::uint32_t xid) { return heard.moved.find(xid)->second; };
    ASSERT_EQ(heard.moved.size(), 8u);
    using Chunk = TakenOut::Chunk;
    // READ and WRITE of files whose checksums were computed on disk.
    EXPECT_EQ(moved(0x9c56a2df), (Moved{Chunk::write, 20001, 0x7901efc98a7625e6}));
    EXPECT_EQ(moved(0xa156a2df), (Moved{Chunk::read, 20001, 0x10ff40efe3d6fc95}));
    EXPECT_EQ(moved(0xad56a2df), (Moved{Chunk::reply, 19608, 0x12b998da0d327649}));  // READDIRPLUS
    EXPECT_EQ(moved(0xae56a2df), (Moved{Chunk::read, 4000, 0x49874bfabe6563a5}));    // SYMLINK
    EXPECT_EQ(moved(0xb656a2df), (Moved{Chunk::read, 4120, 0xb0cc17ea5e21542e}));    // SETACL, long
}

}  // namespace
}  // namespace helio::inspect::rdma_capture_test
