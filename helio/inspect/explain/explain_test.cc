#include "helio/inspect/explain/explain.h"

#include <fstream>
#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include "helio/inspect/text/dump.h"
#include "helio/inspect/text/explain_text.h"
#include "testing/inspect/catalogue.h"

namespace helio::inspect::explain_test {
namespace {

using Bytes = std::vector<std::byte>;

Bytes hex(std::string_view text) {
    const Dump dump = read_dump(text);
    return dump.runs.empty() ? Bytes{} : dump.runs[0].bytes;
}

Bytes join(std::initializer_list<Bytes> all) {
    Bytes out;
    for (const Bytes& one : all) out.insert(out.end(), one.begin(), one.end());
    return out;
}

const Explainer& explainer() {
    static const Explainer* const one = new Explainer{builtin_catalogue()};
    return *one;
}

std::vector<Explanation> explained(ByteView bytes, const ExplainOptions& options = {}) {
    CallBook calls;
    return explainer().explain(bytes, calls, options);
}

// A call from a kernel trace: READ of 4096 bytes at 0.
Bytes read_call() {
    std::ifstream file{HELIO_SOURCE_DIR "/testdata/explain/read_call.trace"};
    std::stringstream text;
    text << file.rdbuf();
    return read_dump(text.str()).runs.at(0).bytes;
}

// RFC 5531 §9, RFC 1813 §3.3.6: accepted, AUTH_NONE, SUCCESS; NFS3_OK, no attributes, 8 bytes, end
// of file.
const Bytes kReadReplyHead = hex("8f0a71c7 00000001 00000000 00000000 00000000 00000000");
const Bytes kReadResult = hex("00000000 00000000 00000008 00000001 00000008");
const Bytes kReadData = hex("68656c6c 6f212121");

// RFC 1813 §3.3.1: GETATTR of a handle of four bytes, no credential.
const Bytes kGetattr =
    hex("00000007 00000000 00000002 000186a3 00000003 00000001 00000000 00000000 00000000 00000000 "
        "00000004 01020304");

// Parts tile the bytes; within each, leaves tile the decoded bytes.
void expect_tiled(const Explanation& one) {
    std::uint32_t at = 0;
    for (const Part& part : one.parts) {
        ASSERT_EQ(part.offset, at) << part.title;
        if (!part.tree.nodes.empty()) {
            std::uint32_t inside = 0;
            for (const reflect::Node& node : part.tree.nodes) {
                if (!reflect::is_leaf(node.role)) continue;
                ASSERT_EQ(node.offset, inside) << part.title;
                inside += node.size;
            }
            ASSERT_EQ(inside, part.tree.bytes.size()) << part.title;
        }
        at += static_cast<std::uint32_t>(part.tree.bytes.size());
    }
    ASSERT_EQ(at, one.bytes.size());
}

// Together they cover every input byte exactly once.
void expect_all_held(const std::vector<Explanation>& all, std::size_t size) {
    std::vector<int> owners(size);
    for (const Explanation& one : all) {
        expect_tiled(one);
        if (one.origins.empty())
            for (std::size_t i = 0; i < one.bytes.size(); ++i) ++owners.at(one.source + i);
        for (const Explanation::Origin& origin : one.origins)
            for (std::size_t i = 0; origin.there && i < origin.size; ++i)
                ++owners.at(origin.source + i);
    }
    for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(owners[i], 1) << "byte " << i;
}

std::string titles(const Explanation& one) {
    std::string out;
    for (const Part& part : one.parts) out += (out.empty() ? "" : " | ") + part.title;
    return out;
}

TEST(Explain, ReadCall) {
    const Bytes call = read_call();
    const auto all = explained(call);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].what, "call of nfs3.READ, xid 0x8f0a71c7");
    EXPECT_TRUE(all[0].ok);
    EXPECT_EQ(titles(all[0]), "RPC call | arguments of nfs3.READ");
    expect_all_held(all, call.size());
    // The credential is decoded.
    bool found = false;
    const reflect::Tree& tree = all[0].parts[0].tree;
    for (reflect::NodeIndex i = 0; i < tree.nodes.size(); ++i)
        found = found || reflect::path(tree, i) == "who.machinename";
    EXPECT_TRUE(found);
}

TEST(Explain, FindsOutWhatIsAround) {
    const Bytes call = read_call();
    const auto first = [](const Bytes& bytes) {
        const auto all = explained(bytes);
        expect_all_held(all, bytes.size());
        return titles(all.at(0));
    };
    EXPECT_EQ(first(call), "RPC call | arguments of nfs3.READ");
    EXPECT_EQ(first(join({hex("80000090"), call})),
              "record mark | RPC call | arguments of nfs3.READ");
    EXPECT_EQ(
        first(join({hex("8f0a71c7 00000001 00000020 00000000 00000000 00000000 00000000"), call})),
        "RPC-over-RDMA header | RPC call | arguments of nfs3.READ");
    EXPECT_EQ(first(hex("8f0a71c7 00000001 00000020 00000004 00000001 00000001 00000001")),
              "RPC-over-RDMA header");
    // keepalive's PING: length, program, version, procedure, MESSAGE, serial 0, OK.
    EXPECT_EQ(first(hex("0000001c 6b656570 00000001 00000001 00000002 00000000 00000000")),
              "length of the message | libvirt header");
    EXPECT_EQ(first(hex("6b656570 00000001 00000001 00000002 00000000 00000000")),
              "libvirt header");
    // IPv4 and UDP from 192.0.2.1:801 to 192.0.2.2:2049.
    EXPECT_EQ(first(join({hex("4500004c 00000000 40110000 c0000201 c0000202 03210801 00380000"),
                          kGetattr})),
              "IP and UDP headers, 192.0.2.1:801 to 192.0.2.2:2049 | RPC call | arguments of "
              "nfs3.GETATTR");
}

// A message with two descriptors, followed by PING: with a byte for each descriptor, as on a
// socket, and without, as in some dumps.
TEST(Explain, DescriptorsOfLibvirt) {
    const Bytes with =
        hex("00000020 6b656570 00000001 00000001 00000004 00000007 00000000 00000002");
    const Bytes ping = hex("0000001c 6b656570 00000001 00000001 00000002 00000000 00000000");
    for (const bool bytes : {true, false}) {
        const auto all = explained(join({with, bytes ? hex("0000") : Bytes{}, ping}));
        ASSERT_EQ(all.size(), 2u);
        EXPECT_EQ(titles(all[0]),
                  std::string("length of the message | libvirt header | descriptors") +
                      (bytes ? " | a byte for each descriptor" : ""));
        EXPECT_EQ(titles(all[1]), "length of the message | libvirt header");
        EXPECT_TRUE(all[0].ok && all[1].ok);
        for (const auto& one : all) expect_tiled(one);
    }
}

TEST(Explain, SeveralMessagesAndTheirReplies) {
    const Bytes reply = join({kReadReplyHead, kReadResult, kReadData});
    const Bytes text = join({hex("80000090"), read_call(), hex("80000034"), reply});
    const auto all = explained(text);
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[1].what, "reply to nfs3.READ, xid 0x8f0a71c7, SUCCESS");
    EXPECT_EQ(titles(all[1]), "record mark | RPC reply | results of nfs3.READ");
    EXPECT_TRUE(all[1].ok);
    expect_all_held(all, text.size());
    // Without record marks the arguments show where the call ends.
    const Bytes bare = join({kGetattr, kGetattr});
    EXPECT_EQ(explained(bare).size(), 2u);
    expect_all_held(explained(bare), bare.size());
}

TEST(Explain, RepliesWithoutTheirCall) {
    const Bytes reply = join({kReadReplyHead, kReadResult, kReadData});
    const auto alone = explained(reply);
    ASSERT_EQ(alone.size(), 1u);
    EXPECT_EQ(titles(alone[0]), "RPC reply | results");
    EXPECT_TRUE(alone[0].parts[1].tree.nodes.empty());
    const auto said = explained(reply, {.reply_of = &procedure_named("nfs3.READ")});
    EXPECT_EQ(titles(said[0]), "RPC reply | results of nfs3.READ");
    EXPECT_TRUE(said[0].ok);
    const auto asked = explain(reply, builtin_catalogue(), [](std::uint32_t xid) {
        return xid == 0x8f0a71c7 ? &procedure_named("nfs3.READ") : nullptr;
    });
    EXPECT_EQ(titles(asked[0]), "RPC reply | results of nfs3.READ");
}

TEST(Explain, FragmentsArePutTogether) {
    const Bytes call = read_call();
    const Bytes first(call.begin(), call.begin() + 40);
    const Bytes second(call.begin() + 40, call.end());
    const Bytes record = join({hex("00000028"), first, hex("80000068"), second});
    const auto all = explained(record);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(titles(all[0]), "record mark | record mark | RPC call | arguments of nfs3.READ");
    EXPECT_TRUE(all[0].ok);
    expect_all_held(all, record.size());
}

TEST(Explain, WrongWordsOfKnownSizeAreReadOver) {
    // GETATTR's reply with a file type of 9, as in one of zeek's captures.
    const Bytes reply = join(
        {hex("00000007 00000001 00000000 00000000 00000000 00000000 00000000 00000009 000001ff"),
         Bytes(76)});
    const auto all = explained(reply, {.reply_of = &procedure_named("nfs3.GETATTR")});
    ASSERT_EQ(all.size(), 1u);
    EXPECT_FALSE(all[0].ok);
    const Part& part = all[0].parts.at(1);
    EXPECT_EQ(part.wrong, std::vector<std::uint32_t>{4});
    EXPECT_NE(part.problem.find("the word at byte 28 (result.resok.obj_attributes.type) is 9; "
                                "expected one of NF3REG (1), NF3DIR (2)"),
              std::string::npos)
        << part.problem;
    EXPECT_NE(part.problem.find("the fields after it are certain"), std::string::npos);
    EXPECT_EQ(part.tree.bytes.size(), reply.size() - 24);
    expect_all_held(all, reply.size());
}

TEST(Explain, WrongLengthsStopAndSayWhereItGoesOn) {
    Bytes long_handle = kGetattr;
    long_handle[43] = std::byte{65};
    const Bytes text = join({hex("80000030"), long_handle, hex("80000030"), kGetattr});
    const auto all = explained(text);
    ASSERT_EQ(all.size(), 2u);
    EXPECT_FALSE(all[0].ok);
    EXPECT_TRUE(all[1].ok);
    EXPECT_EQ(all[0].parts.at(2).problem,
              "the word at byte 44 (args.object.data) is 65; expected at most 64 bytes "
              "(NFS3_FHSIZE); with this length it would end at byte 116. Decoding continues at "
              "byte 52, where the next message starts");
    EXPECT_EQ(titles(all[0]), "record mark | RPC call | arguments of nfs3.GETATTR | not decoded");
    expect_all_held(all, text.size());
}

TEST(Explain, ResumesAtTheNextPlausibleHead) {
    Bytes long_handle = kGetattr;
    long_handle[43] = std::byte{65};
    const Bytes text = join({long_handle, read_call()});
    const auto all = explained(text);
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[1].what, "call of nfs3.READ, xid 0x8f0a71c7");
    expect_all_held(all, text.size());
}

TEST(Explain, CredentialsThatAreNone) {
    Bytes call = read_call();
    call[39] = std::byte{200};  // the machine name is longer than the credential
    const auto all = explained(call);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_FALSE(all[0].ok);
    EXPECT_NE(all[0].parts[0].problem.find("is not valid for AUTH_SYS"), std::string::npos);
    EXPECT_EQ(titles(all[0]), "RPC call | arguments of nfs3.READ");
    expect_all_held(all, call.size());
}

TEST(Explain, EveryTruncationSaysWhere) {
    const Bytes call = read_call();
    for (std::size_t size = 0; size < call.size(); ++size) {
        const ByteView cut = ByteView{call}.first(size);
        const auto all = explained(cut);
        expect_all_held(all, size);
        if (size < 12) continue;
        ASSERT_EQ(all.size(), 1u) << size;
        bool said = false;
        for (const Part& part : all[0].parts)
            said = said || part.problem.find("the bytes end at byte " + std::to_string(size)) !=
                               std::string::npos;
        EXPECT_TRUE(said || size == 88) << size << " bytes";  // 88: just before the arguments
        EXPECT_FALSE(all[0].ok) << size;
    }
}

TEST(Explain, ReducedReplies) {
    // RPC-over-RDMA: one write chunk of one segment, 8 bytes written; the data is not in the
    // message.
    const Bytes header =
        hex("8f0a71c7 00000001 00000020 00000000 00000000 00000001 00000001 00001234 00000008 "
            "00000000 00001000 00000000 00000000");
    const Bytes reply = join({header, kReadReplyHead, kReadResult});
    const auto all = explained(reply, {.reply_of = &procedure_named("nfs3.READ")});
    ASSERT_EQ(all.size(), 1u);
    EXPECT_TRUE(all[0].ok) << all[0].parts.back().problem;
    ASSERT_EQ(all[0].taken_out.size(), 1u);
    EXPECT_EQ(all[0].taken_out[0].offset, 44u);
    EXPECT_EQ(all[0].taken_out[0].size, 8u);
    EXPECT_EQ(all[0].parts[0].note,
              "xdr_buf: 44 bytes in the message itself; write chunk 1: 8 bytes belong at byte 44 "
              "(pages)");
    expect_all_held(all, reply.size());
}

TEST(Explain, ReducedCalls) {
    // WRITE of 8 bytes that the server fetches: position 64 of the message, stable FILE_SYNC.
    const Bytes call = hex(
        "00000007 00000000 00000002 000186a3 00000003 00000007 00000000 00000000 00000000 00000000 "
        "00000004 01020304 00000000 00000000 00000008 00000002 00000008");
    const Bytes header = hex(
        "00000007 00000001 00000020 00000000 00000001 00000044 00001234 00000008 00000000 00001000 "
        "00000000 00000000 00000000");
    const Bytes message = join({header, call});
    const auto all = explained(message);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_TRUE(all[0].ok) << all[0].parts.back().problem;
    ASSERT_EQ(all[0].taken_out.size(), 1u);
    EXPECT_EQ(all[0].taken_out[0].offset, 68u);
    expect_all_held(all, message.size());
}

TEST(Explain, ChunksTooLargeForRoomAreLeft) {
    const Bytes header = hex(
        "00000007 00000001 00000020 00000000 00000001 00000030 00001234 ffffffff 00000000 00001000 "
        "00000000 00000000 00000000");
    const Bytes message = join({header, kGetattr});
    const auto all = explained(message);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_TRUE(all[0].taken_out.empty());
    EXPECT_LE(all[0].bytes.size(), kPutBackMax);
}

TEST(Explain, CapturedMessagesReuseMemory) {
    const Bytes call = read_call();
    const Bytes reply = join({kReadReplyHead, kReadResult, kReadData});
    Explanation one;
    for (int i = 0; i < 3; ++i) {
        Message message;
        message.bytes = call;
        message.size = call.size();
        explainer().explain_into(one, message, nullptr);
        EXPECT_EQ(one.what, "call of nfs3.READ");
        expect_tiled(one);
        message.bytes = ByteView{reply}.first(40);
        message.size = reply.size();
        explainer().explain_into(one, message, &procedure_named("nfs3.READ"));
        EXPECT_EQ(titles(one), "RPC reply | results of nfs3.READ");
        EXPECT_TRUE(one.ok);  // cut by the capture, not by the sender
        EXPECT_NE(one.parts[1].problem.find("the copied text ends"), std::string::npos);
        expect_tiled(one);
    }
}

TEST(Explain, RememberedCallsHaveALimit) {
    CallBook calls;
    const Procedure* const read = &procedure_named("nfs3.READ");
    for (std::uint32_t xid = 0; xid <= kCallsRememberedMax; ++xid)
        calls.note(Shape::onc, xid, read);
    EXPECT_EQ(calls.find(Shape::onc, 0), nullptr);
    EXPECT_EQ(calls.find(Shape::onc, 1), read);
    EXPECT_EQ(calls.find(Shape::onc, kCallsRememberedMax), read);
    EXPECT_EQ(calls.find(Shape::virnet, 1), nullptr);
}

TEST(Explain, WrongWordsHaveALimit) {
    // GETATTR replies have one enumeration; ACCESS, LOOKUP … a few more. MKNOD's arguments are
    // enough to show that a second wrong word is counted.
    Bytes call = kGetattr;
    call[23] = std::byte{11};
    const Bytes text = join({call, hex("00000001 61000000 00000009")});
    const auto all = explained(text);
    EXPECT_FALSE(all.at(0).ok);
    for (const Part& part : all[0].parts) EXPECT_LE(part.wrong.size(), kWrongWordsMax);
}

TEST(Explain, ManyMessagesInARunHaveALimit) {
    Bytes text;
    const Bytes record = join({hex("80000030"), kGetattr});
    for (std::size_t i = 0; i < kMessagesInRunMax + 2; ++i)
        text.insert(text.end(), record.begin(), record.end());
    const auto all = explained(text);
    EXPECT_EQ(all.size(), kMessagesInRunMax + 1);
    EXPECT_FALSE(all.back().known);
}

TEST(Explain, AnyBytesAreHeldOnce) {
    std::mt19937 random{5};
    const Bytes call = join({hex("80000090"), read_call()});
    const Bytes rdma = join(
        {hex("8f0a71c7 00000001 00000020 00000000 00000001 00000030 00001234 00000008 00000000 "
             "00001000 00000000 00000000 00000000"),
         kGetattr, kGetattr});
    for (int i = 0; i < 3000; ++i) {
        Bytes bytes;
        if (i % 3 == 0) {
            bytes.resize(random() % 200);
            for (std::byte& b : bytes) b = static_cast<std::byte>(random() % 4 == 0 ? random() : 0);
        } else {
            bytes = i % 3 == 1 ? call : rdma;
            for (auto flips = 1 + random() % 3; flips > 0; --flips)
                bytes[random() % bytes.size()] ^= static_cast<std::byte>(1u << random() % 8);
        }
        const auto all = explained(bytes);
        expect_all_held(all, bytes.size());
        if (HasFatalFailure()) return;
    }
}

}  // namespace
}  // namespace helio::inspect::explain_test
