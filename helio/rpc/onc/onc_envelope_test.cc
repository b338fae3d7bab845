#include "helio/rpc/onc/onc_envelope.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testing/rpc/onc_messages.h"

namespace helio::rpc::onc_envelope_test {
namespace {

using Kind = Refusal::Kind;
using xdr::Bytes;
using xdr::hex;
using xdr::to_hex;

const std::string kArguments = "cafef00d";

std::string sized(std::string_view flavor, const std::string& body) {
    return std::string{flavor} + to_hex(xdr::word(static_cast<std::uint32_t>(body.size() / 2))) +
           body + std::string(2 * (padded(body.size() / 2) - body.size() / 2), '0');
}

TEST(OncEnvelope, OpensACallOfNobody) {
    const auto got = opened(kFixedCall + kNone + kNone + kArguments);
    ASSERT_FALSE(got->refusal);
    EXPECT_EQ(got->call.xid, 0xabcdu);
    EXPECT_EQ(got->call.program, 100003u);
    EXPECT_EQ(got->call.version, 3u);
    EXPECT_EQ(got->call.procedure, 6u);
    EXPECT_EQ(got->call.credential.flavor, 0u);
    EXPECT_FALSE(got->call.credential.is_sys());
    EXPECT_EQ(to_hex(got->arguments), kArguments);
    EXPECT_EQ(got->arguments.data(), got->bytes.data() + 40) << "where they came";
}

TEST(OncEnvelope, OpensACallWithAuthSys) {
    const auto got = opened(kFixedCall + kSys + kNone + kArguments);
    ASSERT_FALSE(got->refusal);
    const Credential& who = got->call.credential;
    EXPECT_TRUE(who.is_sys());
    EXPECT_EQ(who.uid, 1000u);
    EXPECT_EQ(who.gid, 100u);
    ASSERT_EQ(who.gids.size(), 3u);
    EXPECT_EQ(who.gids[0], 1u);
    EXPECT_EQ(who.gids[2], 0xffffffffu);
    EXPECT_EQ(who.machine, "host1");
    EXPECT_EQ(to_hex(got->arguments), kArguments);
}

TEST(OncEnvelope, ArgumentsMayBeNothing) {
    const auto got = opened(kFixedCall + kNone + kNone);
    EXPECT_FALSE(got->refusal);
    EXPECT_TRUE(got->arguments.empty());
}

// Every prefix of a call: some peer will send it one day.
TEST(OncEnvelope, EveryTruncationHasItsRefusal) {
    for (const std::string& credential : {kNone, kSys}) {
        const Bytes whole = hex(kFixedCall + credential + kNone);
        const std::size_t verifier = whole.size() - 8;
        for (std::size_t size = 0; size < whole.size(); ++size) {
            const auto got =
                opened(Bytes{whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
            Refusal wanted{Kind::garbage_arguments};
            if (size < 8) wanted = {Kind::ignore};
            if (size >= 24) wanted = {Kind::auth_error, AUTH_BADCRED};
            if (size >= verifier) wanted = {Kind::auth_error, AUTH_BADVERF};
            EXPECT_EQ(got->refusal.kind, wanted.kind) << size;
            EXPECT_EQ(got->refusal.low, wanted.low) << size;
            EXPECT_EQ(got->call.xid, size >= 8 ? 0xabcdu : 0u) << "a refusal needs the xid";
        }
    }
}

TEST(OncEnvelope, OtherRpcVersionsAreRefused) {
    for (const std::string version : {"00000000", "00000001", "00000003", "ffffffff"}) {
        // What follows an unknown RPC version number is unknown too.
        for (const std::string rest : {"", "00", "000186a30000000300000006"}) {
            const auto got = opened("0000abcd00000000" + version + rest);
            EXPECT_EQ(got->refusal.kind, Kind::rpc_mismatch) << version << rest;
            EXPECT_EQ(got->refusal.low, 2u);
            EXPECT_EQ(got->refusal.high, 2u);
            EXPECT_EQ(got->call.xid, 0xabcdu);
        }
    }
}

TEST(OncEnvelope, NothingThatIsNoCallIsAnswered) {
    EXPECT_EQ(opened("0000abcd"
                     "00000001"
                     "00000000" +
                     kNone + "00000000")
                  ->refusal.kind,
              Kind::reply);  // never answered: two servers could answer each other forever
    EXPECT_EQ(opened("0000abcd"
                     "00000002" +
                     kFixedCall)
                  ->refusal.kind,
              Kind::ignore);
    EXPECT_EQ(opened("0000abcd"
                     "ffffffff" +
                     kFixedCall)
                  ->refusal.kind,
              Kind::ignore);
    EXPECT_EQ(opened("")->refusal.kind, Kind::ignore);
}

void expect_auth_error(const std::string& credential, const std::string& verifier, auth_stat why,
                       const std::string& what) {
    const auto got = opened(kFixedCall + credential + verifier + kArguments);
    EXPECT_EQ(got->refusal.kind, Kind::auth_error) << what;
    EXPECT_EQ(got->refusal.low, static_cast<std::uint32_t>(why)) << what;
    EXPECT_EQ(got->call.procedure, 6u) << "known by then: " << what;
    EXPECT_TRUE(got->arguments.empty()) << what;
}

std::string groups(std::uint32_t count) {
    std::string body =
        "00000007"
        "00000000"
        "00000000"
        "00000000" +
        to_hex(xdr::word(count));
    for (std::uint32_t i = 0; i < count; ++i) body += to_hex(xdr::word(i));
    return body;
}
std::string machine(std::size_t size) {
    std::string body = "00000007" + to_hex(xdr::word(static_cast<std::uint32_t>(size)));
    for (std::size_t i = 0; i < size; ++i) body += "61";
    for (std::size_t i = size; i < padded(size); ++i) body += "00";
    return body +
           "00000001"
           "00000002"
           "00000000";
}

TEST(OncEnvelope, BadAuthSysBodies) {
    // Every body that ends too early, with a matching length word.
    for (std::size_t size = 0; size < kSysBody.size(); size += 2)
        expect_auth_error(sized("00000001", kSysBody.substr(0, size)), kNone, AUTH_BADCRED,
                          "a body of " + std::to_string(size / 2));
    expect_auth_error(sized("00000001", kSysBody + "00000000"), kNone, AUTH_BADCRED,
                      "a word behind the body's end");
    expect_auth_error(sized("00000001", kSysBody + "00"), kNone, AUTH_BADCRED, "a byte behind it");
    expect_auth_error(sized("00000001", groups(17)), kNone, AUTH_BADCRED, "17 groups");
    expect_auth_error(sized("00000001", machine(256)), kNone, AUTH_BADCRED, "a name of 256");
    for (const std::string count : {"3fffffff", "40000000", "7fffffff", "80000000", "ffffffff"}) {
        expect_auth_error(sized("00000001",
                                "00000007"
                                "00000000"
                                "00000000"
                                "00000000" +
                                    count),
                          kNone, AUTH_BADCRED, count + " groups");
        expect_auth_error(sized("00000001", "00000007" + count + "00000000"), kNone, AUTH_BADCRED,
                          "a name of " + count);
    }
}

TEST(OncEnvelope, AuthSysAtItsLimits) {
    EXPECT_FALSE(opened(kFixedCall + sized("00000001", groups(16)) + kNone)->refusal);
    const auto got = opened(kFixedCall + sized("00000001", machine(255)) + kNone);
    EXPECT_FALSE(got->refusal);
    EXPECT_EQ(got->call.credential.machine.size(), 255u);
    EXPECT_FALSE(opened(kFixedCall + sized("00000001", groups(0)) + kNone)->refusal);
}

TEST(OncEnvelope, LengthsOfBodies) {
    const std::string body401(802, '0');
    const std::string body400(800, '0');
    for (const std::string flavor : {"00000000", "00000001", "00000006", "12345678"}) {
        expect_auth_error(sized(flavor, body401), kNone, AUTH_BADCRED, "401 bytes of " + flavor);
        for (const std::string size :
             {"00000030", "00000190", "7fffffff", "80000000", "fffffffc", "fffffffd", "ffffffff"})
            expect_auth_error(flavor + size, kNone, AUTH_BADCRED, "beyond the message: " + size);
    }
    // RFC 5531 §8.2 allows 400 bytes, even for AUTH_NONE.
    EXPECT_FALSE(opened(kFixedCall + sized("00000000", body400) + kNone)->refusal);
    // Three bytes of body take four; the last of them missing is one too few.
    const auto short_padding = opened(kFixedCall + kNone +
                                      "00000000"
                                      "00000003"
                                      "000000");
    EXPECT_EQ(short_padding->refusal.low, static_cast<std::uint32_t>(AUTH_BADVERF));
}

TEST(OncEnvelope, OtherFlavorsAreRejectedNeverAnonymous) {
    for (const std::uint32_t flavor : {2u, 3u, 4u, 5u, 6u, 7u, 8u, 390003u, 0xffffffffu}) {
        for (const std::string body :
             {"", "00000001", "0000000100000001000000000000000100000000"}) {
            const std::string credential = sized(to_hex(xdr::word(flavor)), body);
            expect_auth_error(credential, kNone, AUTH_REJECTEDCRED, std::to_string(flavor));
            const auto got = opened(kFixedCall + credential + kNone);
            EXPECT_EQ(got->call.credential.flavor, flavor) << "an observer sees what came";
        }
    }
}

TEST(OncEnvelope, TheVerifierIsNothing) {
    for (const std::string& credential : {kNone, kSys}) {
        for (const std::uint32_t flavor : {1u, 2u, 6u, 7u, 0xffffffffu})
            expect_auth_error(credential, sized(to_hex(xdr::word(flavor)), ""), AUTH_BADVERF,
                              "flavor " + std::to_string(flavor));
        expect_auth_error(credential, sized("00000000", "00000000"), AUTH_BADVERF, "a body");
        expect_auth_error(credential, sized("00000000", std::string(802, '0')), AUTH_BADVERF,
                          "401 bytes");
        expect_auth_error(credential,
                          "00000000"
                          "ffffffff",
                          AUTH_BADVERF, "beyond the message");
    }
}

// ---- Replies, as bytes ----

TEST(OncEnvelope, WritesReplies) {
    struct Row {
        Refusal refusal;
        std::string bytes;
    };
    const std::vector<Row> rows = {
        {{}, kAccepted + "00000000"},
        {{Kind::program_unavailable}, kAccepted + "00000001"},
        {{Kind::version_mismatch, 2, 3},
         kAccepted + "00000002"
                     "00000002"
                     "00000003"},
        {{Kind::procedure_unavailable}, kAccepted + "00000003"},
        {{Kind::garbage_arguments}, kAccepted + "00000004"},
        {{Kind::system_error}, kAccepted + "00000005"},
        {{Kind::rpc_mismatch, 2, 2},
         kDenied + "00000000"
                   "00000002"
                   "00000002"},
        {{Kind::auth_error, AUTH_BADCRED},
         kDenied + "00000001"
                   "00000001"},
        {{Kind::auth_error, AUTH_REJECTEDCRED},
         kDenied + "00000001"
                   "00000002"},
        {{Kind::auth_error, AUTH_BADVERF},
         kDenied + "00000001"
                   "00000003"},
        {{Kind::auth_error, AUTH_TOOWEAK},
         kDenied + "00000001"
                   "00000005"},
    };
    OncEnvelope envelope;
    for (const Row& row : rows) {
        xdr::Arena arena;
        xdr::Writer out{arena};
        Call call{arena};
        call.xid = 0xabcd;
        ASSERT_TRUE(row.refusal ? envelope.put_refusal(out, call, row.refusal)
                                : envelope.begin_reply(out, call));
        EXPECT_EQ(to_hex(out.joined()), row.bytes);
    }
}

TEST(OncEnvelope, SaysWhenThereIsNoMemory) {
    xdr::Arena arena{0};
    xdr::Writer out{arena};
    Call call{arena};
    EXPECT_FALSE(OncEnvelope{}.begin_reply(out, call));
    EXPECT_FALSE(OncEnvelope{}.put_refusal(out, call, {Kind::system_error}));
    EXPECT_FALSE(put_call(out, 1, 2, 3, 4, {}));
}

}  // namespace
}  // namespace helio::rpc::onc_envelope_test
