// Operations inside COMPOUNDs: how they are paired, named, filtered, counted and shown.
#include "helio/inspect/operations.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "helio/inspect/view/call_lines.h"
#include "helio/inspect/view/filter/filter.h"
#include "helio/inspect/view/names.h"
#include "helio/inspect/view/statistics/statistics.h"
#include "helio/xdr/wire.h"
#include "testing/inspect/exchange.h"

namespace helio::inspect::operations_test {
namespace {

// One operation of a call and its result, as JSON.
struct Step {
    std::string call;
    std::string reply;
};

Step plain(std::string_view name, std::string_view status = "NFS4_OK") {
    std::string field{name};
    for (char& c : field) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    return {
        fmt::format(R"({{"argop": "OP_{}"}})", name),
        fmt::format(R"({{"resop": "OP_{}", "op{}": {{"status": "{}"}}}})", name, field, status)};
}
Step sequence() {
    constexpr const char* session = "000102030405060708090a0b0c0d0e0f";
    return {fmt::format(R"({{"argop": "OP_SEQUENCE", "opsequence": {{"sa_sessionid": "{}",
                "sa_sequenceid": 7, "sa_slotid": 1, "sa_highest_slotid": 2, "sa_cachethis": false}}}})",
                        session),
            fmt::format(R"({{"resop": "OP_SEQUENCE", "opsequence": {{"sr_status": "NFS4_OK",
                "sr_resok4": {{"sr_sessionid": "{}", "sr_sequenceid": 7, "sr_slotid": 1, "sr_highest_slotid": 2,
                "sr_target_highest_slotid": 2, "sr_status_flags": 0}}}}}})",
                        session)};
}
Step put(std::string_view handle) {
    return {fmt::format(R"({{"argop": "OP_PUTFH", "opputfh": {{"object": "{}"}}}})", handle),
            R"({"resop": "OP_PUTFH", "opputfh": {"status": "NFS4_OK"}})"};
}
Step lookup(std::string_view name, std::string_view status = "NFS4_OK") {
    return {fmt::format(R"({{"argop": "OP_LOOKUP", "oplookup": {{"objname": "{}"}}}})", name),
            fmt::format(R"({{"resop": "OP_LOOKUP", "oplookup": {{"status": "{}"}}}})", status)};
}
Step get_handle(std::string_view handle) {
    return {R"({"argop": "OP_GETFH"})",
            fmt::format(R"({{"resop": "OP_GETFH", "opgetfh": {{"status": "NFS4_OK",
                "resok4": {{"object": "{}"}}}}}})",
                        handle)};
}
constexpr const char* kChange = R"({"atomic": true, "before": 1, "after": 2})";
Step remove(std::string_view name) {
    return {fmt::format(R"({{"argop": "OP_REMOVE", "opremove": {{"target": "{}"}}}})", name),
            fmt::format(R"({{"resop": "OP_REMOVE", "opremove": {{"status": "NFS4_OK",
                "resok4": {{"cinfo": {}}}}}}})",
                        kChange)};
}
Step rename(std::string_view from, std::string_view to) {
    return {
        fmt::format(R"({{"argop": "OP_RENAME", "oprename": {{"oldname": "{}", "newname": "{}"}}}})",
                    from, to),
        fmt::format(R"({{"resop": "OP_RENAME", "oprename": {{"status": "NFS4_OK",
                "resok4": {{"source_cinfo": {0}, "target_cinfo": {0}}}}}}})",
                    kChange)};
}
Step link(std::string_view name) {
    return {fmt::format(R"({{"argop": "OP_LINK", "oplink": {{"newname": "{}"}}}})", name),
            fmt::format(R"({{"resop": "OP_LINK", "oplink": {{"status": "NFS4_OK",
                "resok4": {{"cinfo": {}}}}}}})",
                        kChange)};
}
constexpr const char* kStateid = R"({"seqid": 1, "other": "0102030405060708090a0b0c"})";
Step read(int offset, int count, std::string_view data) {
    return {fmt::format(R"({{"argop": "OP_READ", "opread": {{"stateid": {}, "offset": {},
                "count": {}}}}})",
                        kStateid, offset, count),
            fmt::format(R"({{"resop": "OP_READ", "opread": {{"status": "NFS4_OK",
                "resok4": {{"eof": true, "data": "{}"}}}}}})",
                        data)};
}
Step write(std::string_view data) {
    return {fmt::format(R"({{"argop": "OP_WRITE", "opwrite": {{"stateid": {}, "offset": 0,
                "stable": "UNSTABLE4", "data": "{}"}}}})",
                        kStateid, data),
            fmt::format(R"({{"resop": "OP_WRITE", "opwrite": {{"status": "NFS4_OK", "resok4":
                {{"count": {}, "committed": "UNSTABLE4", "writeverf": "0000000000000000"}}}}}})",
                        data.size() / 2)};
}

// A COMPOUND of these steps. Steps after the first that failed have no result.
class Compound {
 public:
    explicit Compound(const std::vector<Step>& steps, std::string_view status = "NFS4_OK")
        : maker_("nfs4.COMPOUND",
                 fmt::format(R"({{"tag": "", "minorversion": 1, "argarray": [{}]}})",
                             joined(steps, &Step::call))) {
        maker_.reply(fmt::format(R"({{"status": "{}", "tag": "", "resarray": [{}]}})", status,
                                 joined(steps, &Step::reply)));
    }
    Exchange exchange() { return maker_.exchange(); }
    ExchangeMaker& maker() { return maker_; }

 private:
    static std::string joined(const std::vector<Step>& steps, std::string Step::*side) {
        std::string out;
        for (const Step& one : steps) {
            if ((one.*side).empty()) continue;
            out += (out.empty() ? "" : ", ") + one.*side;
        }
        return out;
    }
    ExchangeMaker maker_;
};

std::string names_of(const Exchange& exchange) {
    std::string out;
    for (const Operation& one : exchange.operations()) {
        out += fmt::format("{}{}{} ", one.procedure != nullptr ? one.procedure->name : "?",
                           one.answered ? "" : "-", one.answered && !one.succeeded() ? "!" : "");
    }
    return out;
}

TEST(Operations, ArePairedWithTheirResults) {
    Compound all{{sequence(), put("01"), read(0, 8, "0102"), plain("LOOKUPP")}};
    EXPECT_EQ(names_of(all.exchange()), "nfs4.SEQUENCE nfs4.PUTFH nfs4.READ nfs4.LOOKUPP ");
    Step never = get_handle("02");
    never.reply.clear();
    Compound failed{{sequence(), lookup("a", "NFS4ERR_NOENT"), never}, "NFS4ERR_NOENT"};
    EXPECT_EQ(names_of(failed.exchange()), "nfs4.SEQUENCE nfs4.LOOKUP! nfs4.GETFH- ");
    Compound none{{}};
    EXPECT_EQ(names_of(none.exchange()), "");
}

TEST(Operations, OtherProceduresHaveNone) {
    ExchangeMaker made{"nfs3.NULL"};
    EXPECT_EQ(names_of(made.exchange()), "");
    EXPECT_EQ(procedure_named("nfs3.READ").carried_by, nullptr);
    EXPECT_EQ(procedure_named("nfs4.READ").carried_by, &procedure_named("nfs4.COMPOUND"));
    EXPECT_EQ(procedure_named("nfs4_cb.RECALL").carried_by, &procedure_named("nfs4_cb.COMPOUND"));
}

// Every cut of call and reply: what is there comes out in order, and nothing else.
TEST(Operations, OfCutMessagesEndWithTheBytes) {
    const std::string whole = "nfs4.SEQUENCE nfs4.PUTFH nfs4.WRITE nfs4.LOOKUPP ";
    for (std::size_t cut = 0; cut < 400; ++cut) {
        Compound compound{{sequence(), put("01"), write("0102030405060708"), plain("LOOKUPP")}};
        compound.maker().cut_call(40 + cut);
        const std::string got = names_of(compound.exchange());
        EXPECT_EQ(got, whole) << cut;  // the reply has the names, too
        compound.maker().cut_reply(24 + cut);
        (void)names_of(compound.exchange());
    }
    for (std::size_t cut = 0; cut < 300; ++cut) {
        Compound compound{{sequence(), put("01"), read(0, 8, "0102"), plain("LOOKUPP")}};
        compound.maker().cut_reply(24 + cut);
        std::string got = names_of(compound.exchange());
        std::erase(got, '-');
        std::erase(got, '!');
        EXPECT_EQ(got, "nfs4.SEQUENCE nfs4.PUTFH nfs4.READ nfs4.LOOKUPP ") << cut;
    }
}

// One side of a call, slowly: no plans, and every arm is searched.
struct SlowSide {
    const Operations::Side& side;
    ByteView bytes;
    std::uint64_t left = 0;

    SlowSide(const Operations::Side& given, ByteView message) : side(given) {
        const auto array = side.array.find(message);
        if (!array) return;
        bytes = message.subspan(array->offset + 4);
        left = array->number;
    }
    bool next(std::uint32_t& number, const Procedure*& procedure, ByteView& value) {
        if (left == 0 || bytes.size() < 4) return false;
        number = xdr::load_u32(bytes.data());
        bytes = bytes.subspan(4);
        const idl::Arm* const arm = side.element->arm_for(static_cast<std::int32_t>(number));
        procedure = nullptr;
        std::optional<std::size_t> size;
        if (arm != nullptr) {
            procedure = side.by_arm[static_cast<std::size_t>(arm - side.element->arms.data())];
            size = reflect::size_of_value(*arm->field.type, bytes);
        }
        value = bytes.first(size.value_or(bytes.size()));
        bytes = bytes.subspan(value.size());
        left = size ? left - 1 : 0;
        return true;
    }
};

void expect_as_slowly(const Exchange& exchange) {
    SlowSide call{exchange.procedure->operations->call, exchange.arguments};
    SlowSide reply{exchange.procedure->operations->reply, exchange.results};
    const auto found = exchange.operations();
    std::size_t count = 0;
    while (true) {
        std::uint32_t number = 0;
        std::uint32_t replied_number = 0;
        const Procedure* procedure = nullptr;
        const Procedure* replied = nullptr;
        ByteView arguments;
        ByteView result;
        const bool called = call.next(number, procedure, arguments);
        bool answered = reply.next(replied_number, replied, result);
        if (!called && !answered) break;
        if (called && answered && procedure != replied) {
            answered = false;
            result = {};
            reply.left = 0;
        }
        ASSERT_LT(count, found.size());
        const Operation& one = found[count++];
        ASSERT_EQ(one.number, called ? number : replied_number);
        ASSERT_EQ(one.procedure, called ? procedure : replied);
        ASSERT_EQ(one.answered, answered);
        ASSERT_EQ(one.arguments.size(), arguments.size());
        ASSERT_EQ(one.result.size(), result.size());
        ASSERT_EQ(one.result.data(), result.data());
        const bool has_status = answered && one.procedure != nullptr && result.size() >= 4;
        ASSERT_EQ(one.status().has_value(), has_status && one.procedure->status_first);
        if (one.status()) {
            ASSERT_EQ(*one.status(), xdr::load_u32(result.data()));
        }
    }
    ASSERT_EQ(count, found.size());
}

TEST(Operations, OfCutMessagesAreFoundAsSlowly) {
    const std::vector<Step> steps{sequence(),       put("0102"),        lookup("name"),
                                  get_handle("03"), read(0, 8, "0102"), write("01020304")};
    for (std::size_t cut = 0; cut < 400; ++cut) {
        SCOPED_TRACE(cut);
        Compound call{steps};
        call.maker().cut_call(40 + cut);
        expect_as_slowly(call.exchange());
        Compound reply{steps};
        reply.maker().cut_reply(24 + cut);
        expect_as_slowly(reply.exchange());
        reply.maker().cut_call(40 + (cut * 7) % 300);
        expect_as_slowly(reply.exchange());
    }
}

// More operations than the list has memory for at first, numbers that nobody knows, ILLEGAL.
TEST(Operations, OfUnusualCallsAreFoundAsSlowly) {
    expect_as_slowly(Compound{std::vector<Step>(50, put("01"))}.exchange());
    const Step illegal{R"({"argop": "OP_ILLEGAL"})",
                       R"({"resop": "OP_ILLEGAL", "opillegal": {"status": "NFS4ERR_OP_ILLEGAL"}})"};
    expect_as_slowly(Compound{{sequence(), illegal, put("01")}}.exchange());
    const Step refused{put("01").call, illegal.reply};
    expect_as_slowly(Compound{{sequence(), refused}, "NFS4ERR_OP_ILLEGAL"}.exchange());
    Compound unknown{{}};
    Exchange exchange = unknown.exchange();
    const auto bytes = xdr::hex("00000000 00000001 00000002 000000ff 00000000");
    exchange.arguments = bytes;
    expect_as_slowly(exchange);
    EXPECT_EQ(exchange.operations().size(), 1u);
}

TEST(Operations, OfACopyAreItsOwn) {
    Compound compound{{sequence(), put("01")}};
    const Exchange first = compound.exchange();
    EXPECT_EQ(first.operations().size(), 2u);
    Exchange copy = first;
    copy.arguments = {};
    copy.results = {};
    EXPECT_EQ(copy.operations().size(), 0u);
    copy = first;
    EXPECT_EQ(copy.operations().size(), 2u);
    EXPECT_NE(copy.operations().data(), first.operations().data());
}

struct Capture {
    Names names{builtin_catalogue()};

    void learn(const std::vector<Step>& steps) {
        Compound compound{steps};
        names.learn(compound.exchange());
    }
    std::string path(std::string_view handle) { return names.path(names.id(xdr::hex(handle))); }
    std::string subject(const std::vector<Step>& steps, std::string_view status = "NFS4_OK") {
        Compound compound{steps, status};
        std::string out;
        const Exchange exchange = compound.exchange();
        if (!names.append_path(out, exchange)) return "none";
        std::string target;
        if (names.append_target(target, exchange)) out += " → " + target;
        return out;
    }
};

TEST(CompoundNames, AreLearnedFromTheCurrentFile) {
    Capture capture;
    capture.learn({sequence(), plain("PUTROOTFH"), get_handle("01")});
    EXPECT_EQ(capture.path("01"), "/");
    capture.learn({sequence(), put("01"), lookup("a"), get_handle("02")});
    EXPECT_EQ(capture.path("02"), "/a");
    capture.learn({put("02"), lookup("b"), get_handle("03"), lookup("c"), get_handle("04")});
    EXPECT_EQ(capture.path("03"), "/a/b");
    EXPECT_TRUE(capture.path("04").ends_with("/b/c")) << capture.path("04");
    capture.learn({plain("PUTROOTFH"), lookup("a"), lookup("b"), get_handle("05")});
    EXPECT_EQ(capture.path("05"), "/a/b");
}

TEST(CompoundNames, OfAPathBelowAnUnknownRootAreWhole) {
    Capture capture;
    capture.learn({plain("PUTROOTFH"), lookup("x"), lookup("y"), get_handle("07")});
    EXPECT_EQ(capture.path("07"), "/x/y");
}

TEST(CompoundNames, RenameMovesAndRemoveForgets) {
    Capture capture;
    capture.learn({plain("PUTROOTFH"), get_handle("01")});
    capture.learn({put("01"), lookup("a"), get_handle("02")});
    capture.learn({put("01"), lookup("d"), get_handle("03")});
    capture.learn({put("01"), plain("SAVEFH"), put("03"), rename("a", "b")});
    EXPECT_EQ(capture.path("02"), "/d/b");
    capture.learn({put("02"), plain("SAVEFH"), put("01"), link("again")});
    EXPECT_EQ(capture.path("02"), "/again");
    capture.learn({put("01"), remove("again")});
    EXPECT_TRUE(capture.path("02").starts_with("fh:"));
}

// As statistics do it: the call is counted for a file, then it teaches names.
TEST(CompoundNames, AreLearnedAfterTheFileWasAskedFor) {
    Capture capture;
    const auto count = [&](const std::vector<Step>& steps) {
        Compound compound{steps};
        const Exchange exchange = compound.exchange();
        const FileNumber file = capture.names.id(exchange);
        capture.names.learn(exchange);
        return file;
    };
    EXPECT_EQ(count({plain("PUTROOTFH"), get_handle("01")}), kNoFile);
    EXPECT_EQ(capture.path("01"), "/");
    EXPECT_EQ(count({put("01"), lookup("a"), get_handle("02")}), kNoFile);
    EXPECT_EQ(capture.path("02"), "/a");
    const FileNumber known = capture.names.id(xdr::hex("02"));
    EXPECT_EQ(count({put("01"), lookup("a"), get_handle("02")}), known);
    EXPECT_EQ(count({put("01"), lookup("a"), get_handle("02"), plain("LOOKUPP")}), known);
    // The name belongs to another file now.
    EXPECT_EQ(count({put("01"), lookup("a"), get_handle("03")}), known);
    EXPECT_EQ(capture.path("03"), "/a");
    EXPECT_TRUE(capture.path("02").starts_with("fh:")) << capture.path("02");
    EXPECT_EQ(count({put("01"), lookup("a"), get_handle("03")}), capture.names.id(xdr::hex("03")));
    // Two names at once: the second one is found below the first.
    count({put("01"), lookup("d"), get_handle("04"), lookup("e"), get_handle("05")});
    EXPECT_EQ(capture.path("05"), "/d/e");
    EXPECT_EQ(count({put("01"), lookup("d"), lookup("e"), get_handle("05")}),
              capture.names.id(xdr::hex("05")));
}

TEST(CompoundNames, TheSubjectIsTheFileThatTheCallIsAbout) {
    Capture capture;
    capture.learn({plain("PUTROOTFH"), get_handle("01")});
    capture.learn({put("01"), lookup("f"), get_handle("02")});
    EXPECT_EQ(capture.subject({sequence(), put("02"), read(0, 1, "00")}), "/f");
    EXPECT_EQ(capture.subject({put("01"), lookup("no", "NFS4ERR_NOENT")}, "NFS4ERR_NOENT"), "/no");
    EXPECT_EQ(capture.subject({put("01"), remove("f")}), "/f");
    EXPECT_EQ(capture.subject({put("01"), plain("SAVEFH"), put("01"), rename("f", "g")}),
              "/f → /g");
    EXPECT_EQ(capture.subject({put("02"), plain("SAVEFH"), put("01"), link("h")}), "/f → /h");
    // Linux's OPEN of minor version 0 goes back to the directory; the call is about the file.
    EXPECT_EQ(capture.subject({put("01"), plain("SAVEFH"), lookup("f"), plain("RESTOREFH")}), "/f");
    EXPECT_EQ(capture.subject({put("02"), plain("LOOKUPP")}), "/");
    EXPECT_EQ(capture.subject({sequence()}), "none");
}

std::string line(const Exchange& exchange) {
    Names names{builtin_catalogue()};
    CallLines lines{builtin_catalogue(), {}};
    std::string out;
    lines.append(out, exchange, names);
    return out.substr(out.find("2049  ") + 6);
}

TEST(CompoundLines, ShowOperationsAndWhereTheyEnded) {
    Compound good{{sequence(), plain("PUTROOTFH"), read(4096, 512, "00")}};
    EXPECT_EQ(
        line(good.exchange()),
        "nfs4.COMPOUND  / SEQUENCE PUTROOTFH READ(offset=4096 count=512)  NFS4_OK  1.23 ms\n");
    Step never = get_handle("02");
    never.reply.clear();
    Compound bad{{sequence(), plain("PUTROOTFH"), lookup("a", "NFS4ERR_NOENT"), never},
                 "NFS4ERR_NOENT"};
    EXPECT_EQ(line(bad.exchange()),
              "nfs4.COMPOUND  /a SEQUENCE PUTROOTFH LOOKUP GETFH  NFS4ERR_NOENT at LOOKUP"
              "  1.23 ms\n");
}

bool matches(std::string_view text, const Exchange& exchange) {
    auto filter = Filter::parse(text, builtin_catalogue());
    if (!filter) {
        ADD_FAILURE() << to_string(filter.error());
        return false;
    }
    Names names{builtin_catalogue()};
    return filter->matches(exchange, names);
}

TEST(CompoundFilter, MatchesAnyOperation) {
    Compound compound{{sequence(), plain("PUTROOTFH"), lookup("a", "NFS4ERR_NOENT")},
                      "NFS4ERR_NOENT"};
    const Exchange exchange = compound.exchange();
    for (const char* yes :
         {"LOOKUP", "nfs4.LOOKUP", "nfs4", "nfs", "nfs4.COMPOUND", "OP_LOOKUP",
          "args.objname == \"a\"", "args.sa_slotid == 1", "status == NFS4ERR_NOENT",
          "args.sa_sessionid == \"000102030405060708090a0b0c0d0e0f\"", "result.status",
          "args.minorversion == 1", "path == \"/a\"", "operation ~ \"LOOK\"",
          "operation != \"nfs4.READ\"", "!READ"})
        EXPECT_TRUE(matches(yes, exchange)) << yes;
    for (const char* no : {"READ", "nfs3", "nfs3.LOOKUP", "args.objname == \"b\"",
                           "args.sa_slotid == 2", "operation != \"nfs4.LOOKUP\"", "!LOOKUP"})
        EXPECT_FALSE(matches(no, exchange)) << no;
}

TEST(CompoundStatistics, CountEachOperationAndTheCallOnce) {
    Names names{builtin_catalogue()};
    Statistics statistics{builtin_catalogue(), names, {}};
    Step never = get_handle("02");
    never.reply.clear();
    Compound data{{sequence(), put("01"), read(0, 2, "0102"), write("010203")}};
    Compound failed{{sequence(), plain("PUTROOTFH"), lookup("a", "NFS4ERR_NOENT"), never},
                    "NFS4ERR_NOENT"};
    statistics.exchange(data.exchange());
    statistics.exchange(failed.exchange());
    const std::string json = statistics.json();
    const auto has = [&json](std::string_view part) {
        return json.find(part) != std::string::npos;
    };
    EXPECT_TRUE(has(R"({"name":"nfs4.COMPOUND","calls":2,"errors":1,"unanswered":0,)"
                    R"("retransmissions":0,"bytes_read":2,"bytes_written":3,)"))
        << json;
    EXPECT_TRUE(has(R"({"name":"nfs4.SEQUENCE","part_of":"nfs4.COMPOUND","calls":2,"errors":0,)"))
        << json;
    EXPECT_TRUE(has(R"({"name":"nfs4.LOOKUP","part_of":"nfs4.COMPOUND","calls":1,"errors":1,)"))
        << json;
    EXPECT_TRUE(has(R"("bytes_read":2,"bytes_written":0,"p50_ns":1234567)")) << json;
    EXPECT_FALSE(has("nfs4.GETFH")) << "it was not executed: " << json;
    const std::string text = statistics.text(false);
    EXPECT_NE(text.find("\n  nfs4.READ"), std::string::npos) << text;
    EXPECT_NE(text.find("2 calls in"), std::string::npos) << text;
}

}  // namespace
}  // namespace helio::inspect::operations_test
