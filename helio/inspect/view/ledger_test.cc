#include "helio/inspect/view/ledger.h"

#include <gtest/gtest.h>

#include "testing/inspect/catalogue.h"

namespace helio::inspect::ledger_test {
namespace {

Ledger example() {
    Ledger ledger;
    ledger.packets = 12345;
    ledger.calls = 10;
    ledger.replies = 9;
    ledger.paired = 8;
    ledger.unanswered = 1;
    ledger.orphans = 1;
    ledger.retransmitted = 2;
    ledger.add(Unread::lost, 1460, 0);
    ledger.add(Unread::not_ip, 120, 2);
    ledger.add(Unread::not_ip, 60, 1);
    ledger.add_unknown(Shape::onc, 400001, 1);
    ledger.add_unknown(Shape::onc, 100003, 5);
    ledger.add_unknown(Shape::onc, 400001, 1);
    return ledger;
}

TEST(Ledger, ForPeople) {
    EXPECT_EQ(to_text(example(), builtin_catalogue()),
              "10 calls, 9 replies in 12,345 packets\n"
              "  8 calls and their replies paired\n"
              "  1 call without a reply\n"
              "  1 reply whose call is not in the capture\n"
              "  2 calls sent again\n"
              "  not understood: 180 bytes in 3 packets, not IP (ARP and others, which carry no "
              "RPC)\n"
              "  not understood: 1,460 bytes, lost segments (sent, but not in the capture)\n"
              "  no schema for NFS_PROGRAM version 5: 1 call; add one with --schema FILE.x\n"
              "  no schema for program 400001 version 1: 2 calls; add one with --schema FILE.x\n");
}

TEST(Ledger, AsJson) {
    EXPECT_EQ(
        to_json(example(), builtin_catalogue()),
        R"({"calls":10,"replies":9,"paired":8,"unanswered":1,"orphans":1,"retransmitted":2,)"
        R"("repeated_replies":0,"one_way":0,"packets":12345,)"
        R"("unread":{"not IP":{"bytes":180,"packets":3},"lost segments":{"bytes":1460,"packets":0}},)"
        R"("without_schema":[{"program":100003,"version":5,"name":"NFS_PROGRAM version 5","calls":1},)"
        R"({"program":400001,"version":1,"name":"program 400001 version 1","calls":2}]})");
}

TEST(Ledger, ProgramsWithoutSchemaAreBounded) {
    Ledger ledger;
    for (std::uint32_t i = 0; i < 2 * kUnknownProgramsMax; ++i)
        ledger.add_unknown(Shape::onc, i, 1);
    EXPECT_EQ(ledger.unknown.size(), kUnknownProgramsMax);
    EXPECT_EQ(ledger.unknown_others, kUnknownProgramsMax);
}

}  // namespace
}  // namespace helio::inspect::ledger_test
