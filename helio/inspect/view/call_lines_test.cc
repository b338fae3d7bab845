#include "helio/inspect/view/call_lines.h"

#include <gtest/gtest.h>

#include "testing/inspect/exchange.h"

namespace helio::inspect::call_lines_test {
namespace {

constexpr const char* kLineRead = R"({"file": {"data": "01"}, "offset": 8192, "count": 4096})";
constexpr const char* kLineReadDone =
    R"({"status": "NFS3_OK", "resok": {"file_attributes": null, "count": 2, "eof": true, "data": "abcd"}})";

std::string line(const Exchange& exchange, const CallLines::Options& options = {}) {
    Names names{builtin_catalogue()};
    CallLines lines{builtin_catalogue(), options};
    std::string out;
    lines.append(out, exchange, names);
    return out;
}

TEST(CallLines, SayWhatWasAskedAndWhatCameOfIt) {
    ExchangeMaker made{"nfs3.READ", kLineRead};
    made.reply(kLineReadDone);
    std::string file;
    Names::append_unknown(file, xdr::hex("01"));
    EXPECT_EQ(line(made.exchange()),
              "    0.000000  10.0.0.1:854 → 10.0.0.2:2049  nfs3.READ  " + file +
                  " offset=8192 count=4096  NFS3_OK count=2 eof=true  1.23 ms\n");
    EXPECT_EQ(line(made.exchange(), {.clock = true}).substr(0, 17), "07:00:00.123456  ");
    EXPECT_EQ(
        line(made.exchange(), {.start_ns = ExchangeMaker::kTime - 1'500'000'000}).substr(0, 14),
        "    1.500000  ");
}

TEST(CallLines, OneOfEachKind) {
    struct Row {
        const char* procedure;
        const char* arguments;
        const char* result;
        const char* line;  // from the procedure on
    };
    const Row rows[] = {
        {"nfs3.NULL", "null", "null", "nfs3.NULL  SUCCESS  1.23 ms\n"},
        {"mount.3.MNT", R"("/export")", R"({"fhs_status": "MNT3ERR_ACCES"})",
         "mount.3.MNT  /export  MNT3ERR_ACCES  1.23 ms\n"},
        {"mount.1.MNT", R"("/export")", R"({"status": 13})",
         "mount.1.MNT  /export  status 13  1.23 ms\n"},
        {"nfs3.LOOKUP", R"({"what": {"dir": {"data": "01"}, "name": "a"}})",
         R"({"status": "NFS3ERR_NOENT", "resfail": {"dir_attributes": null}})",
         "nfs3.LOOKUP  fh:040c5b8c/a  NFS3ERR_NOENT  1.23 ms\n"},
        {"nfs3.SETATTR",
         R"({"object": {"data": "01"}, "new_attributes": {"mode": 420, "uid": null, "gid": null, "size": 5,
             "atime": {"set_it": "DONT_CHANGE"}, "mtime": {"set_it": "DONT_CHANGE"}}, "guard": null})",
         R"({"status": "NFS3_OK", "resok": {"obj_wcc": {"before": null, "after": null}}})",
         "nfs3.SETATTR  fh:040c5b8c mode=0644 size=5  NFS3_OK  1.23 ms\n"},
        {"nfs3.SETATTR",
         R"({"object": {"data": "01"}, "new_attributes": {"mode": null, "uid": null, "gid": null, "size": null,
             "atime": {"set_it": "SET_TO_SERVER_TIME"},
             "mtime": {"set_it": "SET_TO_CLIENT_TIME", "mtime": {"seconds": 1700000000, "nseconds": 500000000}}},
             "guard": null})",
         R"({"status": "NFS3_OK", "resok": {"obj_wcc": {"before": null, "after": null}}})",
         "nfs3.SETATTR  fh:040c5b8c atime=SET_TO_SERVER_TIME mtime=2023-11-14T22:13:20.5Z"
         "  NFS3_OK  1.23 ms\n"},
        {"nfs3.RENAME",
         R"({"from": {"dir": {"data": "01"}, "name": "a"}, "to": {"dir": {"data": "01"}, "name": "b"}})",
         R"({"status": "NFS3_OK", "resok": {"fromdir_wcc": {"before": null, "after": null}, "todir_wcc": {"before": null, "after": null}}})",
         "nfs3.RENAME  fh:040c5b8c/a → fh:040c5b8c/b  NFS3_OK  1.23 ms\n"},
        {"rpcb.2.GETPORT", R"({"prog": 100003, "vers": 3, "prot": 6, "port": 0})", "2049",
         "rpcb.2.GETPORT  prog=100003 vers=3 prot=6  SUCCESS 2049  1.23 ms\n"},
    };
    for (const Row& row : rows) {
        ExchangeMaker made{row.procedure, row.arguments};
        made.reply(row.result);
        const std::string all = line(made.exchange());
        EXPECT_EQ(all.substr(all.find("2049  ") + 6), row.line);
    }
}

TEST(CallLines, WhatIsMissingIsSaid) {
    ExchangeMaker alone{"nfs3.READ", kLineRead};
    EXPECT_NE(line(alone.exchange()).find("count=4096  unanswered\n"), std::string::npos);
    Exchange again = alone.exchange();
    again.retransmissions = 2;
    EXPECT_NE(line(again).find("unanswered  2 retransmissions\n"), std::string::npos);

    ExchangeMaker orphan{"nfs3.READ", kLineRead};
    orphan.reply(kLineReadDone).without_call();
    Exchange exchange = orphan.exchange();
    exchange.procedure = nullptr;
    EXPECT_NE(line(exchange).find("xid 0x8f0a71c7  orphan reply\n"), std::string::npos);

    ExchangeMaker cut{"nfs3.READ", kLineRead};
    cut.reply(kLineReadDone).cut_reply(30).cut_call(50);
    EXPECT_NE(line(cut.exchange()).find("call and reply cut\n"), std::string::npos)
        << line(cut.exchange());

    ExchangeMaker unknown{"nfs3.NULL"};
    exchange = unknown.exchange();
    exchange.procedure = nullptr;
    exchange.program = 400001;
    EXPECT_NE(line(exchange).find("program 400001 version 3 procedure 0"), std::string::npos);

    ExchangeMaker refused{"nfs3.NULL"};
    refused.reply_bytes(
        xdr::hex("8f0a71c7 00000001 00000000 00000000 00000000"
                 "00000002 00000002 00000003"));
    EXPECT_NE(line(refused.exchange()).find("PROG_MISMATCH (2 to 3)  1.23 ms\n"),
              std::string::npos);
}

TEST(CallLines, NamesDoNotActOnATerminal) {
    ExchangeMaker made{"nfs3.LOOKUP",
                       R"({"what": {"dir": {"data": "01"}, "name": "a\u001b[31m\nb"}})"};
    const std::string plain = line(made.exchange());
    EXPECT_EQ(plain.find('\x1b'), std::string::npos);
    EXPECT_EQ(plain.find('\n'), plain.size() - 1);
    EXPECT_NE(plain.find("/a\\x1b[31m\\nb"), std::string::npos) << plain;
    ExchangeMaker told{"rpcb.3.GETADDR",
                       R"({"r_prog": 1, "r_vers": 1, "r_netid": "\u001b]0;x\u0007",
                                            "r_addr": "", "r_owner": ""})"};
    EXPECT_EQ(line(told.exchange()).find('\x1b'), std::string::npos);
}

TEST(CallLines, ColorsSayHowItEnded) {
    ExchangeMaker made{"nfs3.READ", kLineRead};
    EXPECT_NE(line(made.exchange(), {.color = true}).find("\x1b[33munanswered\x1b[0m"),
              std::string::npos);
    made.reply(kLineReadDone);
    EXPECT_NE(line(made.exchange(), {.color = true}).find("\x1b[32mNFS3_OK\x1b[0m"),
              std::string::npos);
    made.reply(R"({"status": "NFS3ERR_IO", "resfail": {"file_attributes": null}})");
    EXPECT_NE(line(made.exchange(), {.color = true}).find("\x1b[31mNFS3ERR_IO\x1b[0m"),
              std::string::npos);
}

TEST(CallLines, StandUnderEachOther) {
    Names names{builtin_catalogue()};
    CallLines lines{builtin_catalogue(), {}};
    ExchangeMaker longer{"nfs3.GETATTR", R"({"object": {"data": "01"}})"};
    ExchangeMaker shorter{"nfs3.NULL"};
    std::string first, second;
    lines.append(first, longer.exchange(), names);
    lines.append(second, shorter.exchange(), names);
    EXPECT_EQ(first.find("fh:"), second.find("unanswered"));
}

}  // namespace
}  // namespace helio::inspect::call_lines_test
