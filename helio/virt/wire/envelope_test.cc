#include "helio/virt/wire/envelope.h"

#include <gtest/gtest.h>

#include "helio/virt/wire/programs.h"
#include "testing/xdr/bytes.h"

namespace helio::virt::envelope_test {
namespace {

using xdr::hex;
using xdr::to_hex;
using Kind = rpc::Refusal::Kind;

const std::string kVirnetCall = "20008086 00000001 00000017 00000000 00000006 00000000";

std::string without_blanks(std::string text) {
    std::erase(text, ' ');
    return text;
}

struct VirnetEnvelopeTest : testing::Test {
    rpc::Refusal open(const std::string& text) {
        bytes = hex(text);
        return envelope.open(bytes, call, arguments);
    }

    VirnetEnvelope envelope;
    xdr::Arena arena;
    rpc::Call call{arena};
    xdr::Bytes bytes;
    ByteView arguments;
};

TEST_F(VirnetEnvelopeTest, OpensACall) {
    ASSERT_FALSE(open(kVirnetCall + "cafe"));
    EXPECT_EQ(call.program, kRemoteProgram);
    EXPECT_EQ(call.version, 1u);
    EXPECT_EQ(call.procedure, 23u);
    EXPECT_EQ(call.xid, 6u);
    EXPECT_EQ(to_hex(arguments), "cafe");
    EXPECT_EQ(arguments.data(), bytes.data() + 24);
}

TEST_F(VirnetEnvelopeTest, TheNumberOfDescriptorsIsNoArgument) {
    ASSERT_FALSE(open("20008086 00000001 00000157 00000004 00000006 00000000 00000002 cafe"));
    EXPECT_EQ(to_hex(arguments), "cafe");
    EXPECT_EQ(open("20008086 00000001 00000157 00000004 00000006 00000000 0000").kind,
              Kind::garbage_arguments);
}

TEST_F(VirnetEnvelopeTest, OnlyCallsAreCalls) {
    for (const char* const type : {"00000001", "00000002", "00000003", "00000005", "00000009"})
        EXPECT_EQ(
            open("20008086 00000001 00000017 " + std::string(type) + " 00000006 00000000").kind,
            Kind::ignore);
    EXPECT_EQ(open("20008086 00000001").kind, Kind::ignore);
}

TEST_F(VirnetEnvelopeTest, AReplyRepeatsTheNumbers) {
    open(kVirnetCall);
    xdr::Writer out{arena};
    ASSERT_TRUE(envelope.begin_reply(out, call));
    EXPECT_EQ(to_hex(out.joined()),
              without_blanks("20008086 00000001 00000017 00000001 00000006 00000000"));
}

// As libvirtd 9.0 sent it for a domain that its test driver lacks.
TEST_F(VirnetEnvelopeTest, AnErrorIsLibvirtdsToTheLastByte) {
    const std::string body =
        "0000002a0000000c0000000100000010446f6d61696e206e6f7420666f756e6400000002000000000000000100"
        "00"
        "0010446f6d61696e206e6f7420666f756e640000000000000000ffffffffffffffff00000000";
    const VirtError error = virt_error(VIR_ERR_NO_DOMAIN, VIR_FROM_TEST, {});
    envelope.set_next_call(std::make_unique<VirtCall>());
    open(kVirnetCall);
    fail_call<void>(call, error);
    EXPECT_EQ(call.outcome(), xdr::Outcome::refused);
    xdr::Writer out{arena};
    ASSERT_TRUE(envelope.begin_reply(out, call));
    EXPECT_EQ(to_hex(out.joined()),
              without_blanks("20008086 00000001 00000017 00000001 00000006 00000001") + body);
    EXPECT_EQ(open_error(hex(body)), error);
}

TEST(VirtErrorTest, ComesBackAsItWent) {
    for (const std::size_t size : {0u, 1u, 5000u, 70'000u}) {
        const VirtError error =
            virt_error(VIR_ERR_OPERATION_FAILED, VIR_FROM_STORAGE, std::string(size, 'x'));
        xdr::Arena arena;
        xdr::Writer out{arena};
        ASSERT_TRUE(put_error(out, error));
        EXPECT_EQ(open_error(out.joined()), error) << size;
    }
}

TEST(VirtErrorTest, WhatIsTooLongIsCutBetweenCharacters) {
    std::string text;
    while (text.size() < (4u << 20) + 10) text += "\u00e4";
    xdr::Arena arena;
    xdr::Writer out{arena};
    ASSERT_TRUE(put_error(out, {VIR_ERR_RPC, VIR_FROM_RPC, VIR_ERR_ERROR, text}));
    const auto error = open_error(out.joined());
    ASSERT_TRUE(error);
    EXPECT_EQ(error->message.size(), 4u << 20);
    EXPECT_TRUE(text.starts_with(error->message));
}

TEST(VirtErrorTest, EveryTruncationIsRefused) {
    xdr::Arena arena;
    xdr::Writer out{arena};
    ASSERT_TRUE(put_error(out, virt_error(VIR_ERR_NO_DOMAIN, VIR_FROM_TEST, "no such")));
    const auto bytes = out.joined();
    for (std::size_t size = 0; size < bytes.size(); ++size)
        EXPECT_FALSE(open_error(ByteView{bytes}.first(size))) << size;
}

// Nothing else makes libvirt's clients try an older procedure.
TEST(VirtErrorTest, UnknownProceduresAreToldApart) {
    VirtError error = virt_error(VIR_ERR_RPC, VIR_FROM_RPC, "unknown procedure: 344");
    EXPECT_TRUE(says_unknown_procedure(error));
    error.domain = VIR_FROM_REMOTE;
    EXPECT_FALSE(says_unknown_procedure(error));
    EXPECT_FALSE(says_unknown_procedure(virt_error(VIR_ERR_RPC, VIR_FROM_RPC, "no procedure")));
}

TEST(VirtErrorTest, FunctionsBelongToParts) {
    EXPECT_EQ(domain_of_function("virDomainCreate"), VIR_FROM_DOMAIN);
    EXPECT_EQ(domain_of_function("virDomainSnapshotDelete"), VIR_FROM_DOMAIN_SNAPSHOT);
    EXPECT_EQ(domain_of_function("virNodeSuspendForDuration"), VIR_FROM_DOMAIN);
    EXPECT_EQ(domain_of_function("virNodeDeviceReset"), VIR_FROM_NODEDEV);
    EXPECT_EQ(domain_of_function("virStorageVolWipe"), VIR_FROM_STORAGE);
    EXPECT_EQ(domain_of_function("virNetworkPortDelete"), VIR_FROM_NETWORK);
}

}  // namespace
}  // namespace helio::virt::envelope_test
