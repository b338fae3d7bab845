#include "helio/xdr/program.h"

#include <gtest/gtest.h>

#include <vector>

namespace helio::xdr {
namespace {

TEST(VersionInfo, FindsProceduresByNumber) {
    struct Row {
        const char* name;
        std::vector<std::uint32_t> numbers;
    };
    const Row rows[] = {
        {"dense, as NFS", {0, 1, 2, 3, 4}},
        {"a gap, as NLM", {0, 1, 2, 20, 21, 22, 23}},
        {"late start, as rquota", {1, 2}},
        {"far apart", {7, 4000, 0xffffffff}},
        {"one", {5}},
        {"none", {}},
    };
    for (const Row& row : rows) {
        std::vector<ProcedureInfo> procedures;
        for (const std::uint32_t number : row.numbers) procedures.emplace_back().number = number;
        VersionInfo version;
        version.procedures = procedures;
        for (const std::uint32_t number : row.numbers) {
            const ProcedureInfo* const found = version.procedure(number);
            ASSERT_NE(found, nullptr) << row.name << ' ' << number;
            EXPECT_EQ(found->number, number) << row.name;
        }
        for (const std::uint32_t absent : {6u, 19u, 24u, 3999u, 0x80000000u, 0xfffffffeu})
            EXPECT_EQ(version.procedure(absent), nullptr) << row.name << ' ' << absent;
    }
}

TEST(ProcedureInfo, FindsNotesByWord) {
    const ProcedureNote notes[] = {{"idempotent", ""}, {"priority", "high"}};
    ProcedureInfo procedure;
    procedure.notes = notes;
    ASSERT_NE(procedure.note("priority"), nullptr);
    EXPECT_EQ(procedure.note("priority")->argument, "high");
    EXPECT_EQ(procedure.note("high"), nullptr);
}

TEST(CallContext, AnUnimplementedProcedureSaysSo) {
    Arena arena;
    CallContext call{arena};
    EXPECT_EQ(call.outcome(), Outcome::success);
    EXPECT_EQ(call.unavailable<int>(), 0);
    EXPECT_EQ(call.outcome(), Outcome::procedure_unavailable);
}

}  // namespace
}  // namespace helio::xdr
