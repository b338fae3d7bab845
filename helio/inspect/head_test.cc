// A message's header, complete, cut and wrong; and arbitrary bytes that look like one.
#include "helio/inspect/head.h"

#include <gtest/gtest.h>

#include "helio/xdr/wire.h"
#include "testing/inspect/catalogue.h"

namespace helio::inspect::head_test {
namespace {

using Words = std::vector<std::uint32_t>;

std::vector<std::byte> bytes_of(const Words& words) {
    std::vector<std::byte> out(words.size() * 4);
    for (std::size_t i = 0; i < words.size(); ++i) xdr::store_u32(out.data() + 4 * i, words[i]);
    return out;
}

// xid, CALL, RPC 2, NFS 3 GETATTR, AUTH_SYS of 20 bytes, AUTH_NONE.
const Words kCall = {0x8f0a71c7, 0, 2, 100003, 3, 1, 1, 20, 0, 0, 7, 8, 0, 0, 0};
const Words kReply = {0x8f0a71c7, 1, 0, 0, 0, 0};

bool believed(const Words& words) {
    const auto bytes = bytes_of(words);
    return plausible(bytes, bytes.size(), builtin_catalogue());
}

TEST(Head, ACallSaysWhatIsCalledAndWhereItsArgumentsBegin) {
    Head head;
    ASSERT_TRUE(read_head(bytes_of(kCall), head));
    EXPECT_TRUE(head.call && head.complete);
    EXPECT_EQ(head.xid, 0x8f0a71c7u);
    EXPECT_EQ(head.program, 100003u);
    EXPECT_EQ(head.version, 3u);
    EXPECT_EQ(head.procedure, 1u);
    EXPECT_EQ(head.flavor, 1u);
    EXPECT_EQ(head.credential_at, 32u);
    EXPECT_EQ(head.credential_size, 20u);
    EXPECT_EQ(head.body, 60u);
}

TEST(Head, EveryCutOfACallIsReadAsFarAsItGoes) {
    const auto whole = bytes_of(kCall);
    for (std::size_t size = 0; size <= whole.size(); ++size) {
        Head head;
        const bool read = read_head(ByteView{whole}.first(size), head);
        EXPECT_EQ(read, size >= 24) << size;
        EXPECT_EQ(head.complete, size == whole.size()) << size;
        EXPECT_EQ(head.procedure, read ? 1u : 0u);
    }
}

// The record cutter asks only this, and leaves the header to Pairing.
TEST(Head, ThreeWordsTellWhatCanBeginAMessage) {
    const auto begins = [](const Words& words) { return begins_message(bytes_of(words)); };
    EXPECT_TRUE(begins({1, 0, 2, 0, 0, 0}));
    EXPECT_FALSE(begins({1, 0, 2, 0, 0})) << "a call needs its procedure";
    EXPECT_FALSE(begins({1, 0, 3, 0, 0, 0})) << "RPC version 3";
    EXPECT_TRUE(begins({1, 1, 0}));
    EXPECT_TRUE(begins({1, 1, 1}));
    EXPECT_FALSE(begins({1, 1, 2})) << "neither accepted nor denied";
    EXPECT_FALSE(begins({1, 2, 0, 0, 0, 0})) << "neither call nor reply";
    EXPECT_FALSE(begins({1, 1}));
    EXPECT_FALSE(begins({}));
}

TEST(Head, ARepliesVerdictIsNamed) {
    const auto verdict = [](const Words& words) {
        Head head;
        return read_head(bytes_of(words), head) && head.complete ? head.verdict : Verdict::none;
    };
    EXPECT_EQ(verdict(kReply), Verdict::success);
    EXPECT_EQ(verdict({1, 1, 0, 0, 0, 1}), Verdict::prog_unavail);
    EXPECT_EQ(verdict({1, 1, 0, 0, 0, 2, 2, 4}), Verdict::prog_mismatch);
    EXPECT_EQ(verdict({1, 1, 0, 0, 0, 2, 2}), Verdict::none);
    EXPECT_EQ(verdict({1, 1, 0, 0, 0, 5}), Verdict::system_err);
    EXPECT_EQ(verdict({1, 1, 0, 0, 0, 6}), Verdict::none);
    EXPECT_EQ(verdict({1, 1, 1, 0, 2, 2}), Verdict::rpc_mismatch);
    EXPECT_EQ(verdict({1, 1, 1, 1, 5}), Verdict::auth_error);
}

TEST(Plausible, WhatClientsAndServersSendIsBelieved) {
    EXPECT_TRUE(believed(kCall));
    EXPECT_TRUE(believed(kReply));
    EXPECT_TRUE(believed({1, 1, 1, 1, 5}));
    EXPECT_TRUE(believed({1, 0, 2, 400123, 1, 4, 0, 0, 0, 0})) << "a program nobody here knows";
}

TEST(Plausible, OtherBytesAreNot) {
    EXPECT_FALSE(believed({0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
    EXPECT_FALSE(believed(Words(20, 0xffffffff)));
    EXPECT_FALSE(believed({1, 0, 3, 100003, 3, 1, 0, 0, 0, 0})) << "RPC version 3";
    EXPECT_FALSE(believed({1, 0, 2, 100003, 3, 1, 0, 404, 0, 0})) << "a credential too long";
    EXPECT_FALSE(believed({1, 0, 2, 100003, 3, 1, 99, 0, 0, 0})) << "a flavor nobody has";
    EXPECT_FALSE(believed({1, 1, 0, 0, 0, 7}));
    EXPECT_FALSE(believed({1, 1, 0, 0, 0, 1, 0})) << "nothing follows PROG_UNAVAIL";
}

TEST(Plausible, NoBytesOfAnySizeAreReadPastTheirEnd) {
    for (const Words& words : {kCall, kReply}) {
        const auto whole = bytes_of(words);
        for (std::size_t size = 0; size <= whole.size(); ++size) {
            const std::vector<std::byte> exact(whole.begin(), whole.begin() + size);
            plausible(exact, whole.size(), builtin_catalogue());
        }
    }
}

TEST(Catalogue, ProceduresHaveNamesAndPlans) {
    const Procedure* const read = builtin_catalogue().find(Shape::onc, 100003, 3, 6);
    ASSERT_NE(read, nullptr);
    EXPECT_EQ(read->name, "nfs3.READ");
    EXPECT_FALSE(read->handle.empty());
    EXPECT_FALSE(read->reply_bytes.empty());
    EXPECT_TRUE(read->call_bytes.empty());
    EXPECT_FALSE(procedure_named("nfs3.WRITE").call_bytes.empty());
    EXPECT_EQ(procedure_named("mount.3.MNT").number,
              builtin_catalogue().find(Shape::onc, 100005, 3, 1)->number);
    EXPECT_EQ(builtin_catalogue().find(Shape::onc, 100003, 3, 22), nullptr);
    EXPECT_EQ(builtin_catalogue().name_of(Shape::onc, 100003, 5, 1),
              "NFS_PROGRAM version 5 procedure 1");
}

}  // namespace
}  // namespace helio::inspect::head_test
