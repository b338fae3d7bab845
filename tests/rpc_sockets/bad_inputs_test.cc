// 27 years of vulnerabilities in ONC RPC servers as bytes, sent to ours: XDR lengths, record marks,
// message headers and credentials. After each of them the server answers a NULL call, on the same
// connection if that may survive, and leaks no memory.
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/rpc_sockets/child.h"
#include "tests/rpc_sockets/peer_server.h"
#include "tests/rpc_sockets/raw_socket.h"

namespace wire::bad_inputs_test {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kXid = 0x0badcafe;
constexpr std::uint32_t kNullXid = 0x00000da7;
enum : std::uint32_t { kNull = 0, kAdd = 1, kEcho = 2, kCount = 3, kTurn = 5, kWho = 6 };

// The reply's status, by the names of RFC 5531 §9.
std::string answer_of(const Bytes& reply) {
    static const char* const kAccept[] = {"SUCCESS",      "PROG_UNAVAIL", "PROG_MISMATCH",
                                          "PROC_UNAVAIL", "GARBAGE_ARGS", "SYSTEM_ERR"};
    if (word_at(reply, 0) == kNullXid) return "nothing";
    if (word_at(reply, 0) != kXid || word_at(reply, 1) != 1) return "no reply of ours";
    const auto range = [&](std::size_t at) {
        return " " + std::to_string(word_at(reply, at)) + " " +
               std::to_string(word_at(reply, at + 1));
    };
    if (word_at(reply, 2) == 0) {
        const std::uint32_t stat = word_at(reply, 5);
        if (stat > 5) return "accept_stat " + std::to_string(stat);
        return kAccept[stat] + (stat == 2 ? range(6) : std::string{});
    }
    if (word_at(reply, 3) == 0) return "RPC_MISMATCH" + range(4);
    return "AUTH_ERROR " + std::to_string(word_at(reply, 4));
}

class BadInputs : public testing::Test {
 protected:
    // Sends bytes, then a NULL call on the same connection: returns the first reply, or "closed".
    std::string over_tcp(const Bytes& bytes) {
        RawStream stream{server_.port};
        stream.send(bytes);
        stream.send(record(call_message(kNullXid, 1, kNull)));
        const auto first = stream.receive();
        if (!first) return "closed";
        const std::string answer = answer_of(*first);
        if (answer != "nothing") {
            const auto second = stream.receive();
            EXPECT_TRUE(second && word_at(*second, 0) == kNullXid) << "no NULL behind " << answer;
        }
        last_ = *first;
        return answer;
    }
    std::string over_udp(const Bytes& message) {
        RawDatagrams socket;
        socket.send_to(server_.port, message);
        socket.send_to(server_.port, call_message(kNullXid, 1, kNull));
        const auto first = socket.receive();
        if (!first) return "the server is gone";
        const std::string answer = answer_of(first->bytes);
        if (answer != "nothing") {
            EXPECT_TRUE(socket.receive()) << "no NULL behind " << answer;
        }
        return answer;
    }
    // The same over both transports.
    void expect(const std::string& what, const Bytes& message, const std::string& answer) {
        EXPECT_EQ(over_tcp(record(message)), answer) << what << ", tcp";
        EXPECT_EQ(over_udp(message), answer) << what << ", udp";
    }
    void TearDown() override { EXPECT_EQ(null_call_fails(server_.port), ""); }

    TestServer server_{{.threads = 1}};
    Bytes last_;
};

Bytes padded_text(std::size_t size, char fill = 'x') {
    return words({static_cast<std::uint32_t>(size)}) + Bytes(size, static_cast<std::byte>(fill)) +
           Bytes((4 - size % 4) % 4);
}

// peer_sample: name, numbers, lucky, paint, ratio.
Bytes sample(const Bytes& name, const Bytes& numbers, const Bytes& lucky = words({0}),
             const Bytes& paint = words({0})) {
    return name + numbers + lucky + paint + words({0, 0});
}
Bytes turn(const Bytes& arguments) { return call_message(kXid, 2, kTurn, arguments); }
Bytes echo(const Bytes& arguments) { return call_message(kXid, 1, kEcho, arguments); }

TEST_F(BadInputs, ArrayCountsThatOverflowOrDoNotFit) {
    expect("no numbers", turn(sample(words({0}), words({0}))), "SUCCESS");
    expect("one", turn(sample(words({0}), words({1, 7}))), "SUCCESS");
    expect("three", turn(sample(words({0}), words({3, 7, 8, 9}))), "SUCCESS");
    expect("four said, three there", turn(sample(words({0}), words({4, 7, 8, 9}))), "GARBAGE_ARGS");
    for (const std::uint32_t count : {0x3fffffffu, 0x40000000u, 0x40000001u, 0x7fffffffu,
                                      0x80000000u, 0x80000003u, 0xfffffffcu, 0xffffffffu}) {
        expect("numbers", turn(sample(words({0}), words({count, 7, 8, 9}))), "GARBAGE_ARGS");
        expect("bytes", echo(words({count, 7})), "GARBAGE_ARGS");
        expect("name", turn(sample(words({count}), words({0}))), "GARBAGE_ARGS");
    }
    expect("bytes: 5 said, 4 there", echo(words({5, 7})), "GARBAGE_ARGS");
}

TEST_F(BadInputs, BoundsExceededByOneWithTheBytesThere) {
    expect("name of 64", turn(sample(padded_text(64), words({0}))), "SUCCESS");
    expect("name of 65", turn(sample(padded_text(65), words({0}))), "GARBAGE_ARGS");
    const auto named = [](std::size_t size) {
        return turn(sample(words({0}), words({0}), words({0}), words({2}) + padded_text(size)));
    };
    expect("label of 64", named(64), "SUCCESS");
    expect("label of 65", named(65), "GARBAGE_ARGS");
}

TEST_F(BadInputs, NamesAreBytesNotCStrings) {
    for (const std::string& name :
         {std::string("a\0b", 3), std::string("/"), std::string(".."), std::string(""),
          std::string("\xff\xfe\x80"), std::string("%n%s\n\x1b[2J")}) {
        Bytes text = padded_text(name.size());
        for (std::size_t i = 0; i < name.size(); ++i) text[4 + i] = static_cast<std::byte>(name[i]);
        expect(name, turn(sample(text, words({0}))), "SUCCESS");
        EXPECT_EQ(over_tcp(record(turn(sample(text, words({0}))))), "SUCCESS");
        EXPECT_EQ(last_, success_reply(kXid, text + words({0, 0, 0, 0x80000000u, 0})));
    }
}

TEST_F(BadInputs, PaddingAndWhatComesBehind) {
    const Bytes abc = words({3, 0x61626300});
    expect("zero padding", echo(abc), "SUCCESS");
    expect("padding that is not zero", echo(words({3, 0x616263ff})), "SUCCESS");
    EXPECT_EQ(over_tcp(record(echo(words({3, 0x616263ff})))), "SUCCESS");
    EXPECT_EQ(last_, success_reply(kXid, abc));  // and it does not come back
    Bytes unpadded = abc;
    unpadded.pop_back();
    expect("no padding at the end", echo(unpadded), "GARBAGE_ARGS");
    expect("trailing garbage", echo(abc + Bytes(1000, std::byte{0xee})), "SUCCESS");
    EXPECT_EQ(over_tcp(record(echo(abc + Bytes(1000, std::byte{0xee})))), "SUCCESS");
    EXPECT_EQ(last_, success_reply(kXid, abc));
}

TEST_F(BadInputs, DiscriminantsOutOfRange) {
    const auto with = [](std::uint32_t lucky, std::uint32_t paint) {
        return turn(sample(words({0}), words({0}), words({lucky}), words({paint})));
    };
    expect("lucky is 2", with(2, 0), "GARBAGE_ARGS");
    expect("lucky is -1", with(0xffffffff, 0), "GARBAGE_ARGS");
    for (const std::uint32_t paint : {3u, 0x7fffffffu, 0x80000000u, 0xffffffffu})
        expect("paint", with(0, paint), "GARBAGE_ARGS");
}

TEST_F(BadInputs, EveryTruncationOfACall) {
    const Bytes whole =
        words({kXid, 0, 2, kPeerProgram, 2, kTurn}) +
        words({1, 28, 7, 4, 0x686f7374, 1000, 100, 1, 5}) + words({0, 0}) +
        sample(padded_text(5), words({2, 1, 2}), words({1, 9}), words({2}) + padded_text(3));
    expect("whole", whole, "SUCCESS");
    for (std::size_t size = 1; size < whole.size(); ++size) {
        const Bytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
        const std::string tcp = over_tcp(record(part)), udp = over_udp(part);
        EXPECT_EQ(tcp, udp) << size;
        EXPECT_TRUE(tcp == "nothing" || tcp == "GARBAGE_ARGS" || tcp == "AUTH_ERROR 1" ||
                    tcp == "AUTH_ERROR 3")  // AUTH_BADCRED, AUTH_BADVERF
            << size << ": " << tcp;
    }
    EXPECT_EQ(over_udp({}), "nothing");
}

TEST_F(BadInputs, RecordMarks) {
    const Bytes call = echo(words({0}));
    EXPECT_EQ(over_tcp(record({}, false) + record(call)), "SUCCESS") << "an empty fragment first";
    EXPECT_EQ(over_tcp(record(call, false) + record({})), "SUCCESS") << "an empty one last";
    EXPECT_EQ(over_tcp(record({})), "closed") << "an empty record";
    EXPECT_EQ(over_tcp(words({0xffffffff})), "closed") << "2 GiB promised";
    EXPECT_EQ(over_tcp(words({0x7fffffff})), "closed") << "2 GiB promised, and more";
    EXPECT_EQ(over_tcp(words({0x80400001})), "closed") << "one byte more than 4 MiB";
    Bytes bytewise;
    for (std::size_t i = 0; i < call.size(); ++i)
        bytewise = std::move(bytewise) + record({call[i]}, i + 1 == call.size());
    EXPECT_EQ(over_tcp(bytewise), "SUCCESS");
    Bytes empty;
    for (int i = 0; i < 5000; ++i) empty = std::move(empty) + record({}, false);
    EXPECT_EQ(over_tcp(empty), "closed") << "fragments without end";

    RawStream stream{server_.port};
    const Bytes part = record(Bytes(100'000), false);
    std::size_t sent = 0;
    while (sent < (64u << 20) && stream.send(part)) sent += part.size();
    EXPECT_LT(sent, 64u << 20) << "the last bit never set";
    EXPECT_EQ(over_tcp(record(Bytes{})), "closed");
    EXPECT_TRUE(eventually([&] { return server_.holds_nothing(); }));
}

TEST_F(BadInputs, Headers) {
    const auto header = [](std::uint32_t type, std::uint32_t rpc, std::uint32_t program,
                           std::uint32_t version, std::uint32_t procedure) {
        return words({kXid, type, rpc, program, version, procedure, 0, 0, 0, 0});
    };
    for (const std::uint32_t rpc : {0u, 1u, 3u, 0xffffffffu})
        expect("RPC version", header(0, rpc, kPeerProgram, 1, 0), "RPC_MISMATCH 2 2");
    expect("program", header(0, 2, kPeerProgram + 1, 1, 0), "PROG_UNAVAIL");
    expect("version", header(0, 2, kPeerProgram, 0, 0), "PROG_MISMATCH 1 2");
    expect("version", header(0, 2, kPeerProgram, 3, 0), "PROG_MISMATCH 1 2");
    expect("procedure", header(0, 2, kPeerProgram, 1, 5), "PROC_UNAVAIL");
    expect("procedure", header(0, 2, kPeerProgram, 1, 0xffffffff), "PROC_UNAVAIL");
    expect("a reply", success_reply(kXid), "nothing");
    expect("no message type", header(2, 2, kPeerProgram, 1, 0), "nothing");
}

TEST_F(BadInputs, TheSameXidWithAnotherBodyIsAnotherCall) {
    const auto count = [&](std::uint32_t version) {
        EXPECT_EQ(over_tcp(record(call_message(kXid, version, kCount))), "SUCCESS");
        return word_at(last_, 6);
    };
    EXPECT_EQ(count(1), 1u);
    EXPECT_EQ(count(1), 1u);  // the same body: not run again
    EXPECT_EQ(count(2), 2u);
}

Bytes with_credential(const Bytes& credential, const Bytes& verifier = words({0, 0})) {
    return words({kXid, 0, 2, kPeerProgram, 2, kWho}) + credential + verifier;
}

// stamp, machine name, uid, gid, groups.
Bytes sys_body(std::size_t name, std::uint32_t groups_said, std::uint32_t groups_there) {
    Bytes body = words({7}) + padded_text(name) + words({1000, 100, groups_said});
    for (std::uint32_t i = 0; i < groups_there; ++i) body = std::move(body) + words({i});
    return body;
}
Bytes opaque_auth(std::uint32_t flavor, const Bytes& body) {
    return words({flavor, static_cast<std::uint32_t>(body.size())}) + body +
           Bytes((4 - body.size() % 4) % 4);
}

TEST_F(BadInputs, AuthSys) {
    constexpr std::uint32_t kSys = 1;
    const std::string bad = "AUTH_ERROR 1";  // AUTH_BADCRED
    expect("good", with_credential(opaque_auth(kSys, sys_body(4, 1, 1))), "SUCCESS");
    expect("16 groups", with_credential(opaque_auth(kSys, sys_body(255, 16, 16))), "SUCCESS");
    expect("17 groups", with_credential(opaque_auth(kSys, sys_body(4, 17, 17))), bad);
    expect("groups that are not there", with_credential(opaque_auth(kSys, sys_body(4, 2, 1))), bad);
    expect("2^32-1 groups", with_credential(opaque_auth(kSys, sys_body(4, 0xffffffff, 1))), bad);
    expect("a name of 256", with_credential(opaque_auth(kSys, sys_body(256, 0, 0))), bad);
    expect("nothing", with_credential(opaque_auth(kSys, {})), bad);
    const Bytes body = sys_body(4, 1, 1);
    for (std::size_t size = 1; size < body.size(); ++size)
        expect("short body",
               with_credential(opaque_auth(
                   kSys, {body.begin(), body.begin() + static_cast<std::ptrdiff_t>(size)})),
               bad);
    expect("trailing bytes", with_credential(opaque_auth(kSys, body + words({0}))), bad);
    // Longer than RFC 5531 §8.2 has room for, and longer than the message.
    for (const std::string& answer :
         {over_tcp(record(with_credential(opaque_auth(kSys, Bytes(401))))),
          over_udp(with_credential(opaque_auth(kSys, Bytes(401)))),
          over_tcp(record(with_credential(words({kSys, 400})))),
          over_tcp(record(with_credential(words({kSys, 0xffffffff})))),
          over_udp(with_credential(words({kSys, 0x80000000})))})
        EXPECT_TRUE(answer == bad || answer == "GARBAGE_ARGS" || answer == "nothing") << answer;
}

TEST_F(BadInputs, OtherFlavorsAreRefusedNeverAnonymous) {
    // AUTH_SHORT, AUTH_DH, RPCSEC_GSS, AUTH_TLS, and undefined flavors.
    for (const std::uint32_t flavor : {2u, 3u, 4u, 5u, 6u, 7u, 300'000u, 0x7fffffffu, 0xffffffffu})
        for (const std::size_t size : {0u, 1u, 4u, 20u, 400u}) {
            const Bytes message = with_credential(opaque_auth(flavor, Bytes(size)));
            for (const std::string& answer : {over_tcp(record(message)), over_udp(message)})
                EXPECT_EQ(answer.rfind("AUTH_ERROR ", 0), 0u)
                    << flavor << ", " << size << " bytes: " << answer;
        }
    // RPCSEC_GSS with more than 400 bytes ended on a fixed stack buffer elsewhere.
    for (const std::size_t size : {401u, 404u, 4096u, 60'000u}) {
        const std::string answer = over_tcp(record(with_credential(opaque_auth(6, Bytes(size)))));
        EXPECT_NE(answer, "SUCCESS") << size;
        EXPECT_NE(answer, "closed") << size;
    }
    // AUTH_NONE with a body, and verifiers that have no business there.
    for (const Bytes& message :
         {with_credential(opaque_auth(0, Bytes(401))), with_credential(words({0, 0xffffffff})),
          with_credential(words({0, 0}), words({0, 0xffffffff})),
          with_credential(words({0, 0}), opaque_auth(0, Bytes(401)))}) {
        EXPECT_NE(over_tcp(record(message)), "SUCCESS");
        EXPECT_NE(over_udp(message), "SUCCESS");
    }
}

// A hundred thousand calls whose arguments claim more than is there, or fail half-way.
TEST_F(BadInputs, RefusedCallsLeaveNoMemoryBehind) {
    constexpr int kBatch = 500, kBatches = 200;
    Bytes batch;
    for (int i = 0; i < kBatch / 2; ++i)
        batch = std::move(batch) + record(echo(words({0x7fffffff, 7}))) +
                record(turn(sample(padded_text(64), words({3, 1, 2, 3}), words({2}))));
    RawStream stream{server_.port};
    std::size_t after_warming = 0;
    for (int i = 0; i < kBatches; ++i) {
        stream.send(batch);
        for (int k = 0; k < kBatch; ++k) {
            const auto reply = stream.receive();
            ASSERT_TRUE(reply) << i;
            ASSERT_EQ(answer_of(*reply), "GARBAGE_ARGS") << i;
        }
        if (i == kBatches / 4) after_warming = resident_bytes(getpid());
    }
    if (!kSanitized) {
        EXPECT_LT(resident_bytes(getpid()), after_warming + (4u << 20));
    }
    EXPECT_TRUE(eventually([&] { return server_.holds_nothing(); }));
}

}  // namespace
}  // namespace wire::bad_inputs_test
