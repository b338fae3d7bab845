#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <vector>

#include "helio/rpc/onc/onc_envelope.h"
#include "testing/rpc/onc_messages.h"

namespace helio::rpc::onc_client_test {
namespace {

using xdr::Bytes;
using xdr::hex;
using xdr::Outcome;
using xdr::to_hex;

TEST(OncClient, WritesCalls) {
    xdr::Arena arena;
    xdr::Writer out{arena};
    ASSERT_TRUE(put_call(out, 0xabcd, 100003, 3, 6, ClientCredential::none()));
    EXPECT_EQ(to_hex(out.joined()), kFixedCall + kNone + kNone);

    out.restart();
    const auto sys = ClientCredential::sys(1000, 100, {1, 2, 0xffffffff}, "host1");
    ASSERT_TRUE(put_call(out, 0xabcd, 100003, 3, 6, sys));
    std::string wanted = kFixedCall + kSys + kNone;
    std::string got = to_hex(out.joined());
    const std::size_t stamp = 2 * 32;  // any number will do
    EXPECT_EQ(got.replace(stamp, 8, "00000007"), wanted);
}

TEST(OncClient, CredentialsKeepTheLimits) {
    std::vector<std::uint32_t> gids(20);
    for (std::uint32_t i = 0; i < 20; ++i) gids[i] = i;
    const auto sys = ClientCredential::sys(1, 2, gids, std::string(300, 'm'));
    const auto got = opened(kFixedCall + to_hex(sys.bytes()));
    ASSERT_FALSE(got->refusal);
    EXPECT_EQ(got->call.credential.machine, std::string(255, 'm'));
    ASSERT_EQ(got->call.credential.gids.size(), 16u);
    EXPECT_EQ(got->call.credential.gids[15], 15u);

    const auto mine = opened(kFixedCall + to_hex(ClientCredential::of_this_process().bytes()));
    ASSERT_FALSE(mine->refusal);
    EXPECT_TRUE(mine->call.credential.is_sys());
}

std::optional<OpenedReply> reply(const std::string& text, xdr::Arena& arena) {
    static Bytes bytes;
    bytes = hex(text);
    bytes.shrink_to_fit();
    return open_reply(bytes, arena);
}

TEST(OncClient, OpensEveryReply) {
    struct Row {
        std::string bytes;
        Outcome outcome;
        decltype(xdr::CallError::reason) reason;
        std::string text;
    };
    const std::vector<Row> rows = {
        {kAccepted + "00000001",
         Outcome::program_unavailable,
         {},
         "PROG_UNAVAIL: the program is not served there"},
        {kAccepted + "00000002"
                     "00000002"
                     "00000003",
         Outcome::version_mismatch, xdr::CallError::VersionRange{2, 3},
         "PROG_MISMATCH: versions 2 to 3 are served there"},
        {kAccepted + "00000003",
         Outcome::procedure_unavailable,
         {},
         "PROC_UNAVAIL: no such procedure there"},
        {kAccepted + "00000004",
         Outcome::garbage_arguments,
         {},
         "GARBAGE_ARGS: the server could not decode the arguments"},
        {kAccepted + "00000005", Outcome::system_error, {}, "SYSTEM_ERR: the server failed"},
        {kDenied + "00000000"
                   "00000002"
                   "00000002",
         Outcome::rpc_mismatch, xdr::CallError::VersionRange{2, 2},
         "RPC_MISMATCH: RPC versions 2 to 2 are spoken there"},
        {kDenied + "00000001"
                   "00000001",
         Outcome::auth_error, xdr::CallError::AuthStatus{1}, "AUTH_ERROR: AUTH_BADCRED"},
        {kDenied + "00000001"
                   "0000000e",
         Outcome::auth_error, xdr::CallError::AuthStatus{14}, "AUTH_ERROR: RPCSEC_GSS_CTXPROBLEM"},
        {kDenied + "00000001"
                   "00000063",
         Outcome::auth_error, xdr::CallError::AuthStatus{99}, "AUTH_ERROR: auth_stat 99"},
    };
    for (const Row& row : rows) {
        xdr::Arena arena;
        const auto got = reply(row.bytes, arena);
        ASSERT_TRUE(got.has_value()) << row.text;
        EXPECT_EQ(got->xid, 0xabcdu);
        ASSERT_TRUE(got->error.has_value()) << row.text;
        EXPECT_EQ(got->error->outcome, row.outcome) << row.text;
        EXPECT_EQ(got->error->reason, row.reason) << row.text;
        EXPECT_EQ(to_text(*got->error), row.text);
        EXPECT_TRUE(got->results.empty());
        // Cut anywhere after the message type, it is a reply that does not decode.
        for (std::size_t size = 8; size < row.bytes.size() / 2; ++size) {
            const auto part = reply(row.bytes.substr(0, 2 * size), arena);
            ASSERT_TRUE(part.has_value() && part->error.has_value()) << size;
            EXPECT_EQ(part->error->outcome, Outcome::garbage_reply) << size;
            EXPECT_EQ(part->xid, 0xabcdu) << "its caller need not wait for the timeout";
        }
    }
}

TEST(OncClient, OpensResults) {
    xdr::Arena arena;
    const auto got = reply(kAccepted +
                               "00000000"
                               "cafef00d",
                           arena);
    ASSERT_TRUE(got.has_value());
    EXPECT_FALSE(got->error.has_value());
    EXPECT_EQ(to_hex(got->results), "cafef00d");
    // A server may return a shorthand with its verifier; we do not use it.
    const auto shorthand = reply(kReplyHead +
                                     "00000000"
                                     "00000002"
                                     "00000005"
                                     "0102030405000000"
                                     "00000000"
                                     "cafef00d",
                                 arena);
    ASSERT_TRUE(shorthand.has_value() && !shorthand->error.has_value());
    EXPECT_EQ(to_hex(shorthand->results), "cafef00d");
}

TEST(OncClient, RefusesWhatIsNoReply) {
    xdr::Arena arena;
    EXPECT_FALSE(reply("", arena).has_value());
    EXPECT_FALSE(reply("0000abcd000000", arena).has_value());
    EXPECT_FALSE(reply(kFixedCall + kNone + kNone, arena).has_value());
    EXPECT_FALSE(reply("0000abcd"
                       "00000002"
                       "00000000",
                       arena)
                     .has_value());
}

TEST(OncClient, GarbageIsSaidToBeSo) {
    for (const std::string& bytes : {
             kReplyHead + "00000002",  // neither accepted nor denied
             kDenied + "00000002",     // neither mismatch nor auth
             kReplyHead + "00000000"
                          "00000000"
                          "00000191",  // a verifier of 401 bytes
             kReplyHead + "00000000"
                          "00000000"
                          "ffffffff",  // and of nearly 2^32
         }) {
        xdr::Arena arena;
        const auto got = reply(bytes, arena);
        ASSERT_TRUE(got.has_value() && got->error.has_value()) << bytes;
        EXPECT_EQ(got->error->outcome, Outcome::garbage_reply);
        EXPECT_NE(to_text(*got->error).find("the reply does not decode: "), std::string::npos);
    }
    // A status that RFC 5531 does not have.
    xdr::Arena arena;
    const auto odd = reply(kAccepted + "00000006", arena);
    ASSERT_TRUE(odd.has_value() && odd->error.has_value());
    EXPECT_EQ(odd->error->outcome, Outcome::garbage_reply);
    EXPECT_EQ(to_text(*odd->error), "the reply does not decode: its accept_stat is unknown: 6");
}

xdr::CallError error(Outcome outcome) {
    xdr::CallError out;
    out.outcome = outcome;
    return out;
}

TEST(OncClient, SaysWhyACallFailed) {
    EXPECT_EQ(to_text(error(Outcome::timed_out)), "no reply in time");
    EXPECT_EQ(to_text(error(Outcome::cancelled)), "cancelled");
    EXPECT_EQ(to_text(error(Outcome::unreachable)), "the peer closed the connection");
    xdr::CallError refused = error(Outcome::unreachable);
    refused.error_number = ECONNREFUSED;
    EXPECT_EQ(to_text(refused), "Connection refused");
    xdr::CallError unfit = error(Outcome::garbage_arguments);
    unfit.detail = {40, xdr::Fault::too_long, 72, 64};
    EXPECT_EQ(to_text(unfit), "the arguments do not fit the schema: " + to_string(unfit.detail));
    for (const Outcome outcome :
         {Outcome::success, Outcome::refused, Outcome::silent, Outcome::suspended})
        EXPECT_FALSE(to_text(error(outcome)).empty());
}

}  // namespace
}  // namespace helio::rpc::onc_client_test
