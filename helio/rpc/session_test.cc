// Conversations: messages and their required answers, byte by byte; for each framer × envelope.
#include "helio/rpc/session.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "testing/rpc/probe_service.h"

namespace helio::rpc::probe::session_test {
namespace {

using xdr::hex;

struct Exchange {
    std::string what;
    std::string said;
    std::string heard;  // empty: silence
};

// The header of RFC 5531 §9 with any credential and verifier; procedure WHO.
std::string call_as(std::uint32_t xid, const std::string& credential,
                    const std::string& verifier = "0000000000000000") {
    return word(xid) + "00000000 00000002 20000200 00000002 0000000d" + credential + verifier;
}
const std::string kSys =
    "00000001 00000020"  // AUTH_SYS, 32 bytes
    "00000000"           // stamp
    "00000001 61000000"  // machinename: a
    "000003e8"           // uid
    "00000064"           // gid
    "00000002 00000005 00000006";

const std::vector<Exchange> kAnsweredCalls = {
    {"NULL", call(1, 0), success(1)},
    {"ADD", call(2, 1, "00000002 00000003"), success(2, "00000005")},
    {"ADD past the largest int", call(3, 1, "7fffffff 00000001"), success(3, "80000000")},
    {"ECHO", call(4, 2, "00000005 0102030405000000"), success(4, "00000005 0102030405000000")},
    {"ECHO of nothing", call(5, 2, "00000000"), success(5, "00000000")},
    {"COUNT", call(6, 3, "00000001"), success(6, "00000001")},
    {"COUNT again, under another xid", call(7, 3, "00000001"), success(7, "00000002")},
    {"the same xid, other bytes", call(7, 3, "00000005"), success(7, "00000007")},
    {"a retransmission", call(6, 3, "00000001"), success(6, "00000001")},
    {"a coroutine that need not wait", call(8, 5, "00000001"), success(8, "00000008")},
    {"an echo by coroutine", call(9, 4, "00000001 07000000"), success(9, "00000001 07000000")},
    {"a name within its bound", call(10, 6, "00000003"), success(10, "00000003 6e6e6e00")},
};

const std::vector<Exchange> kNotServed = {
    {"no such program", call(1, 0, "", 2, 0x20000201), accepted(1, "00000001")},
    {"version below", call(2, 0, "", 1), accepted(2, "00000002 00000002 00000005")},
    {"version between", call(3, 0, "", 3), accepted(3, "00000002 00000002 00000005")},
    {"version above", call(4, 0, "", 0xffffffff), accepted(4, "00000002 00000002 00000005")},
    {"no such procedure", call(5, 19), accepted(5, "00000003")},
    {"nor this one", call(6, 0xffffffff), accepted(6, "00000003")},
    {"one that is not implemented", call(7, 14), accepted(7, "00000003")},
    {"NULL that is not implemented", call(8, 0, "", 4), success(8)},
    {"NULL that is not even listed", call(9, 0, "", 5), success(9)},
    {"another version", call(10, 1, "00000000 00000000", 5), success(10, "00000005")},
    {"a procedure before the first", call(11, 2, "", 5), accepted(11, "00000003")},
};

const std::vector<Exchange> kGarbage = {
    {"no arguments", call(1, 1), accepted(1, "00000004")},
    {"half of them", call(2, 1, "00000001"), accepted(2, "00000004")},
    {"one byte too few", call(3, 1, "00000001 000000"), accepted(3, "00000004")},
    {"length beyond the message", call(4, 2, "00000005 01020304"), accepted(4, "00000004")},
    {"padding is missing", call(5, 2, "00000001 01"), accepted(5, "00000004")},
    {"length 7fffffff", call(6, 2, "7fffffff 01020304"), accepted(6, "00000004")},
    {"length 80000000", call(7, 2, "80000000 01020304"), accepted(7, "00000004")},
    {"length fffffffc", call(8, 2, "fffffffc 01020304"), accepted(8, "00000004")},
    {"length ffffffff", call(9, 2, "ffffffff 01020304"), accepted(9, "00000004")},
    // Old clients send both; the words before them are sound.
    {"bytes behind the arguments", call(10, 1, "00000001 00000001 ffff"), success(10, "00000002")},
    {"padding that is not zero", call(11, 2, "00000001 07ffffff"),
     success(11, "00000001 07000000")},
};

const std::vector<Exchange> kFailures = {
    {"an exception", call(1, 8), accepted(1, kSystemError)},
    {"its neighbour", call(2, 1, "00000001 00000001"), success(2, "00000002")},
    {"an exception in a coroutine", call(3, 9), accepted(3, kSystemError)},
    {"a result past its bound", call(4, 6, "00000011"), accepted(4, kSystemError)},
    {"the bound itself", call(5, 6, "00000010"),
     success(5, "00000010 6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e")},
    {"a coroutine's result past its bound", call(6, 7, "00000011"), accepted(6, kSystemError)},
    {"the caller may not", call(7, 10), denied(7, "00000001 00000005")},
    {"silence", call(8, 11, "00000000"), ""},
    {"and after it", call(9, 0), success(9)},
};

const std::vector<Exchange> kEnvelopes = {
    {"nobody", call_as(1, "0000000000000000"), success(1, "00000000 00000000 00000000 00000000")},
    {"somebody", call_as(2, kSys),
     success(2, "00000001 000003e8 00000064 00000002 00000005 00000006")},
    {"RPC version 1", word(3) + "00000000 00000001", denied(3, "00000000 00000002 00000002")},
    {"RPC version 3", word(4) + "00000000 00000003" + "00",
     denied(4, "00000000 00000002 00000002")},
    {"a REPLY", success(5), ""},
    {"no message type", word(6) + "00000002", ""},
    {"a few bytes", "00000000 000000", ""},
    {"a header cut short", word(7) + "00000000 00000002 2000", accepted(7, "00000004")},
    {"AUTH_SYS, short body", call_as(8, "00000001 00000008 00000000 00000000"),
     denied(8, "00000001 00000001")},
    {"AUTH_SHORT", call_as(9, "00000002 00000000"), denied(9, "00000001 00000002")},
    {"RPCSEC_GSS", call_as(10, "00000006 00000000"), denied(10, "00000001 00000002")},
    {"AUTH_TLS", call_as(11, "00000007 00000000"), denied(11, "00000001 00000002")},
    {"a flavor nobody knows", call_as(12, "0005f383 00000000"), denied(12, "00000001 00000002")},
    {"a credential of 401 bytes", call_as(13, "00000001 00000191" + std::string(808, '0')),
     denied(13, "00000001 00000001")},
    {"a credential beyond the message", call_as(14, "00000001 00000190"),
     denied(14, "00000001 00000001")},
    {"a verifier with a flavor", call_as(15, kSys, "00000001 00000000"),
     denied(15, "00000001 00000003")},
    {"a verifier with a body", call_as(16, kSys, "00000000 00000004 00000000"),
     denied(16, "00000001 00000003")},
    {"no verifier", call_as(17, kSys, ""), denied(17, "00000001 00000003")},
    {"and NULL after all that", call(18, 0), success(18)},
};

const std::map<std::string, std::vector<Exchange>> kScripts = {
    {"calls", kAnsweredCalls}, {"not_served", kNotServed}, {"garbage", kGarbage},
    {"failures", kFailures},   {"envelopes", kEnvelopes},
};

using LineMaker = std::function<std::unique_ptr<Line>(Core&)>;
const std::map<std::string, LineMaker> kLines = {
    {"stream", [](Core& core) { return std::make_unique<StreamLine>(core); }},
    {"datagram", [](Core& core) { return std::make_unique<DatagramLine>(core); }},
};

std::vector<std::string> answers_of(const std::vector<Exchange>& script) {
    std::vector<std::string> out;
    for (const Exchange& one : script)
        if (!one.heard.empty()) out.push_back(xdr::to_hex(hex(one.heard)));
    return out;
}

std::vector<std::string> names_of(const auto& table) {
    std::vector<std::string> names;
    for (const auto& row : table) names.push_back(row.first);
    return names;
}

class Conversation : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
    Conversation() { core_.service.gate.open = true; }

    const std::vector<Exchange>& script() const { return kScripts.at(std::get<1>(GetParam())); }
    std::unique_ptr<Line> line() { return kLines.at(std::get<0>(GetParam()))(core_); }

    Core core_;
};

INSTANTIATE_TEST_SUITE_P(All, Conversation,
                         testing::Combine(testing::ValuesIn(names_of(kLines)),
                                          testing::ValuesIn(names_of(kScripts))),
                         [](const auto& one) {
                             return std::get<0>(one.param) + "_" + std::get<1>(one.param);
                         });

TEST_P(Conversation, OneAfterTheOther) {
    const auto line = this->line();
    for (const Exchange& one : script()) {
        line->say(hex(one.said));
        const auto heard = texts(line->heard());
        EXPECT_EQ(heard, answers_of({one})) << one.what;
    }
    EXPECT_EQ(line->output_ready_calls, 0) << "within receive() the caller sends by itself";
}

TEST_P(Conversation, AllBeforeTheFirstAnswerIsSent) {
    const auto line = this->line();
    for (const Exchange& one : script()) line->say(hex(one.said));
    EXPECT_EQ(texts(line->heard()), answers_of(script()));
}

class StreamConversation : public testing::TestWithParam<const char*> {
 protected:
    const std::vector<Exchange>& script() const { return kScripts.at(GetParam()); }
    Bytes stream() const {
        Bytes out;
        for (const Exchange& one : script()) xdr::append(out, StreamLine::record(hex(one.said)));
        return out;
    }
    // Feeds the pieces to a fresh server.
    static std::vector<std::string> heard(const std::vector<ByteView>& pieces) {
        Core core;
        core.service.gate.open = true;
        StreamLine line{core};
        for (const ByteView piece : pieces) line.feed(piece);
        EXPECT_FALSE(line.broken());
        EXPECT_TRUE(line.session().at_boundary());
        return texts(line.heard());
    }
};

INSTANTIATE_TEST_SUITE_P(All, StreamConversation,
                         testing::Values("calls", "not_served", "garbage", "failures", "envelopes"),
                         [](const auto& one) { return std::string{one.param}; });

TEST_P(StreamConversation, InOneReceive) {
    const Bytes all = stream();
    EXPECT_EQ(heard({all}), answers_of(script()));
}

TEST_P(StreamConversation, CutAtEveryByte) {
    const Bytes all = stream();
    const auto wanted = answers_of(script());
    for (std::size_t at = 1; at < all.size(); ++at)
        ASSERT_EQ(heard({ByteView{all}.first(at), ByteView{all}.subspan(at)}), wanted) << at;
}

TEST_P(StreamConversation, ByteByByte) {
    const Bytes all = stream();
    std::vector<ByteView> pieces;
    for (const std::byte& one : all) pieces.push_back({&one, 1});
    EXPECT_EQ(heard(pieces), answers_of(script()));
}

// Each record in fragments of this size, with an empty one at the end.
TEST_P(StreamConversation, InFragments) {
    for (const std::size_t size : {1u, 3u, 4u, 24u, 39u, 100u}) {
        Bytes all;
        for (const Exchange& one : script()) {
            const Bytes message = hex(one.said);
            ByteView rest = message;
            while (!rest.empty()) {
                const ByteView part = rest.first(std::min(size, rest.size()));
                xdr::append_u32(all, static_cast<std::uint32_t>(part.size()));
                xdr::append(all, part);
                rest = rest.subspan(part.size());
            }
            xdr::append_u32(all, 0x80000000);
        }
        EXPECT_EQ(heard({all}), answers_of(script())) << size;
    }
}

TEST(StreamSession, BrokenStreamsStillGetTheAnswersBefore) {
    for (const std::string mark : {"80000000", "ffffffff", "7fffffff", "80400001"}) {
        std::vector<std::string> log;
        ServerOptions options = Core::small();
        options.log = [&](std::string_view line) { log.emplace_back(line); };
        Core core{options};
        StreamLine line{core};
        Bytes bytes = StreamLine::record(hex(call(1, 0)));
        xdr::append(bytes, hex(mark));
        line.feed(bytes);
        EXPECT_TRUE(line.broken()) << mark;
        EXPECT_EQ(texts(line.heard()), std::vector{success(1)});
        ASSERT_EQ(log.size(), 1u);
        EXPECT_TRUE(log[0].starts_with("rpc: tcp 10.0.0.7:801 a record ")) << log[0];
        EXPECT_TRUE(log[0].ends_with("; closed the connection")) << log[0];
    }
}

TEST(StreamSession, EndlessFragmentsBreakIt) {
    Core core;
    StreamLine line{core};
    int count = 0;
    while (!line.broken()) {
        line.feed(
            hex("00000001"
                "00"));
        ASSERT_LT(++count, 10'000);
    }
    EXPECT_EQ(count, static_cast<int>(frame::kFragmentsMax) + 1);
    StreamLine other{core};
    other.say(hex(call(1, 0)));
    EXPECT_EQ(texts(other.heard()), std::vector{success(1)});
}

// A few bytes can request many: the memory promised to waiting calls is bounded, and further calls
// are not begun.
TEST(StreamSession, WaitingCallsPromiseOnlySoMuch) {
    constexpr std::uint32_t kSize = 512u << 10;
    constexpr std::size_t kAtATime = kWaitingBytesMax / kSize, kCalls = 2 * kAtATime + 3;
    Core core;
    StreamLine line{core};
    const Bytes message = hex(call(1, 16, word(kSize)));
    for (std::uint32_t i = 1; i <= kCalls; ++i) line.say(hex(call(i, 16, word(kSize))));
    std::size_t heard = 0;
    while (heard < kCalls) {
        const std::size_t wait = std::min(kAtATime, kCalls - heard);
        EXPECT_EQ(line.session().calls_in_flight(), wait);
        EXPECT_EQ(line.session().waiting_bytes(), wait * (kSize + message.size()));
        EXPECT_EQ(line.full(), heard + wait < kCalls);
        core.service.gate.let_all_go();
        const std::size_t more = line.heard().size();
        ASSERT_EQ(more, wait);
        heard += more;
        line.resume();
    }
    EXPECT_EQ(line.session().waiting_bytes(), 0u);
}

TEST(StreamSession, AnIdleConnectionHoldsNothing) {
    Core core;
    StreamLine line{core};
    const BatchRef first = core.worker->batches().take();
    Batch* const second = core.worker->batches().take().get();  // returned to the pool, and next
    for (const std::string& said : {call(1, 11, "00000000"), success(2), std::string{"00"}}) {
        line.say(hex(said));  // without an answer
        EXPECT_FALSE(line.session().has_output());
        EXPECT_EQ(core.worker->batches().take().get(), second) << "nobody else has it";
    }
    EXPECT_EQ(line.session().bytes_held(), 0u);
}

// BLANK returns as many bytes as requested.
TEST(DatagramSession, AmplifiesNothingForStrangers) {
    ServerOptions options = Core::small();
    options.trusts_datagrams_of = [](const Peer& peer) {
        return peer.client.bytes[15] == std::byte{8};
    };
    Core core{options};
    const Bytes big = hex(call(1, 15, word(4'000)));
    const auto fits = static_cast<std::uint32_t>(kDatagramAmplificationMax * big.size() - 24 - 4) &
                      ~std::uint32_t{3};
    DatagramLine stranger{core};
    stranger.say(big);
    stranger.say(hex(call(2, 15, word(fits))));
    stranger.say(hex(call(3, 15, word(fits + 4))));
    stranger.say(hex(call(4, 0)));
    const auto heard = stranger.heard();
    ASSERT_EQ(heard.size(), 4u);
    EXPECT_EQ(xdr::to_hex(heard[0]), accepted(1, kSystemError));
    EXPECT_EQ(heard[1].size(), 24 + 4 + fits);
    EXPECT_EQ(xdr::to_hex(heard[2]), accepted(3, kSystemError));
    EXPECT_EQ(xdr::to_hex(heard[3]), success(4));
    DatagramLine friendly{core, 8};
    friendly.say(big);
    EXPECT_EQ(friendly.heard().at(0).size(), 24u + 4u + 4'000u);
}

TEST(DatagramSession, ARefusalForWhatDoesNotFitADatagram) {
    std::vector<std::string> log;
    ServerOptions options = Core::small();
    options.log = [&](std::string_view line) { log.emplace_back(line); };
    Core core{options};
    DatagramLine line{core};
    const std::uint32_t header = 24 + 4;  // and the length of the data
    const auto most = static_cast<std::uint32_t>((kDatagramBytesMax - header) & ~std::size_t{3});
    line.say(hex(call(1, 15, word(most))));
    line.say(hex(call(2, 15, word(most + 1))));
    line.say(hex(call(3, 0)));
    const auto heard = line.heard();
    ASSERT_EQ(heard.size(), 3u);
    EXPECT_EQ(heard[0].size(), header + most);
    EXPECT_EQ(xdr::to_hex(heard[1]), accepted(2, kSystemError));
    EXPECT_EQ(xdr::to_hex(heard[2]), success(3));
    ASSERT_EQ(log.size(), 1u);
    EXPECT_EQ(
        log[0],
        "rpc: udp 10.0.0.7:801 xid 2 PROBE_V2 BLANK: the reply has 65508 bytes, the transport "
        "carries 65507; answered SYSTEM_ERR");
}

TEST(StreamSession, ARefusalForWhatDoesNotFitARecord) {
    ServerOptions options = Core::small();
    options.records.record_bytes = 1000;
    Core core{options};
    StreamLine line{core};
    line.say(hex(call(1, 15, word(1000 - 28))));
    line.say(hex(call(2, 15, word(1000 - 27))));
    const auto heard = line.heard();
    ASSERT_EQ(heard.size(), 2u);
    EXPECT_EQ(heard[0].size(), 1000u);
    EXPECT_EQ(xdr::to_hex(heard[1]), accepted(2, kSystemError));
}

}  // namespace
}  // namespace helio::rpc::probe::session_test
