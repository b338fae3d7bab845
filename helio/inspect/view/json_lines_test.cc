#include "helio/inspect/view/json_lines.h"

#include <gtest/gtest.h>

#include "testing/inspect/exchange.h"

namespace helio::inspect::json_lines_test {
namespace {

constexpr const char* kRead = R"({"file": {"data": "01"}, "offset": 0, "count": 4096})";
constexpr const char* kReadDone =
    R"({"status": "NFS3_OK", "resok": {"file_attributes": null, "count": 2, "eof": true, "data": "abcd"}})";

struct Printed {
    std::string text;
    bool fits = false;
};
Printed print(const Exchange& exchange) {
    Names names{builtin_catalogue()};
    JsonLines lines{builtin_catalogue()};
    Printed out;
    out.fits = lines.append(out.text, exchange, names);
    return out;
}

TEST(JsonLines, AllOfAPair) {
    ExchangeMaker made{"nfs3.READ", kRead};
    made.reply(kReadDone);
    const Printed printed = print(made.exchange());
    EXPECT_TRUE(printed.fits);
    EXPECT_EQ(
        printed.text,
        R"({"time":"2026-11-16T07:00:00.123456789Z","packet":12,"reply_packet":13,"client":"10.0.0.1:854",)"
        R"("server":"10.0.0.2:2049","carrier":"tcp","xid":"0x8f0a71c7","operation":"nfs3.READ",)"
        R"("program":100003,"version":3,"procedure":6,"path":"fh:040c5b8c","verdict":"SUCCESS",)"
        R"("status":"NFS3_OK","latency_ns":1234567,)"
        R"("args":{"file":{"data":"01"},"offset":0,"count":4096},)"
        R"("result":{"status":"NFS3_OK","resok":{"file_attributes":null,"count":2,"eof":true,"data":"abcd"}}})"
        "\n");
}

TEST(JsonLines, WhatIsNotKnownIsLeftOut) {
    ExchangeMaker alone{"nfs3.NULL"};
    Exchange exchange = alone.exchange();
    exchange.retransmissions = 3;
    EXPECT_TRUE(print(exchange).text.ends_with(
        R"("procedure":0,"retransmissions":3,"missing":"reply","args":null})"
        "\n"));

    ExchangeMaker orphan{"nfs3.READ", kRead};
    orphan.reply(kReadDone).without_call();
    exchange = orphan.exchange();
    exchange.procedure = nullptr;
    EXPECT_EQ(
        print(exchange).text,
        R"({"time":"2026-11-16T07:00:00.124691356Z","reply_packet":13,"client":"10.0.0.1:854",)"
        R"("server":"10.0.0.2:2049","carrier":"tcp","xid":"0x8f0a71c7","verdict":"SUCCESS","missing":"call"})"
        "\n");

    ExchangeMaker stranger{"nfs3.NULL"};
    exchange = stranger.exchange();
    exchange.procedure = nullptr;
    exchange.program = 400001;
    EXPECT_NE(print(exchange).text.find(
                  R"("operation":"program 400001 version 3 procedure 0","program":400001,)"),
              std::string::npos);
}

TEST(JsonLines, CutMessagesSayWhatThereIs) {
    ExchangeMaker made{"nfs3.READ", kRead};
    made.reply(kReadDone).cut_call(40 + 8 + 8).cut_reply(20);
    const Printed printed = print(made.exchange());
    EXPECT_TRUE(printed.fits);  // the capture is cut; the message is not wrong
    EXPECT_NE(
        printed.text.find(
            R"("cut":"both","args":{"file":{"data":"01"},"offset":0},)"
            R"("args_error":"cut off: 56 of 60 bytes were captured; after offset: truncated at byte 16: )"
            R"(4 more bytes needed, 0 there","result_error":"cut off within the header"})"),
        std::string::npos)
        << printed.text;
}

TEST(JsonLines, WhatBreaksTheSchemaIsSaid) {
    ExchangeMaker made{"nfs3.READ", kRead};
    made.reply_bytes(
        xdr::hex("8f0a71c7 00000001 00000000 00000000 00000000 00000000"
                 "00000000"     // NFS3_OK
                 "00000007"));  // file_attributes: neither present nor absent
    Printed printed = print(made.exchange());
    EXPECT_FALSE(printed.fits);
    EXPECT_NE(printed.text.find(R"("result_error":"resok.file_attributes.attributes_follow: )"),
              std::string::npos)
        << printed.text;

    // Nonzero padding: everything is shown all the same.
    made.reply_bytes(
        xdr::hex("8f0a71c7 00000001 00000000 00000000 00000000 00000000"
                 "00000000 00000000 00000001 00000001"
                 "00000001 ab0000ff"));
    printed = print(made.exchange());
    EXPECT_FALSE(printed.fits);
    EXPECT_NE(printed.text.find(R"("eof":true,"data":"ab"}},"result_error":"resok.data: )"),
              std::string::npos)
        << printed.text;
}

TEST(JsonLines, StandInBytesAreSaid) {
    ExchangeMaker made{"nfs3.READ", kRead};
    made.reply(kReadDone);
    Exchange exchange = made.exchange();
    TakenOut taken{.offset = 44, .size = 2, .chunk = TakenOut::Chunk::write, .captured = true};
    made.reply_message().taken_out = {&taken, 1};
    EXPECT_EQ(print(exchange).text.find("result_error"), std::string::npos);
    taken.captured = false;
    EXPECT_NE(print(exchange).text.find("zeros replace it"), std::string::npos);
    Exchange dropped = exchange;
    dropped.arguments_dropped = true;
    EXPECT_NE(print(dropped).text.find(R"("args_error":"the call was too large)"),
              std::string::npos);
}

TEST(JsonLines, TheLedgerIsTheLastLine) {
    std::string out;
    JsonLines{builtin_catalogue()}.append(out, Ledger{});
    EXPECT_TRUE(out.starts_with(R"({"ledger":{"calls":0,)")) << out;
    EXPECT_TRUE(out.ends_with("}}\n"));
}

}  // namespace
}  // namespace helio::inspect::json_lines_test
