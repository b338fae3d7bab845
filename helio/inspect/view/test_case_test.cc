#include "helio/inspect/view/test_case.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "helio/inspect/view/test_case_example.inc"  // what was made, pasted: it must compile and pass
#include "testing/inspect/exchange.h"

namespace helio::inspect::test_case_test {
namespace {

constexpr const char* kExample = HELIO_SOURCE_DIR "/helio/inspect/view/test_case_example.inc";
constexpr const char* kLookup =
    R"({"what": {"dir": {"data": "0102030405"}, "name": "it's \"a\" name"}})";

TestCase made_of(const Exchange& exchange, const std::vector<std::string>& schemas = {}) {
    auto made = make_test_case(exchange, builtin_catalogue(), schemas);
    if (!made) throw std::runtime_error(made.error());
    return *made;
}

// The line's arguments as the shell would pass them.
std::vector<std::string> shell_words(std::string_view line) {
    std::vector<std::string> out(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '\'') {
            quoted = !quoted;
        } else if (!quoted && line[i] == '\\') {
            out.back() += line[++i];
        } else if (!quoted && (line[i] == ' ' || line[i] == '\n')) {
            out.emplace_back();
        } else {
            out.back() += line[i];
        }
    }
    out.pop_back();  // after the last newline
    return out;
}

TEST(TestCase, TheExampleIsWhatIsMade) {
    ExchangeMaker made{"nfs3.LOOKUP", kLookup};
    made.reply(
        R"({"status": "NFS3_OK", "resok": {"object": {"data": "0a0b"}, "obj_attributes": null, "dir_attributes": null}})");
    const std::string now = made_of(made.exchange()).test;
    if (std::getenv("SNAP_UPDATE") != nullptr) std::ofstream{kExample} << now;
    std::ifstream file{kExample};
    const std::string kept{std::istreambuf_iterator<char>{file}, {}};
    EXPECT_EQ(kept, now) << "SNAP_UPDATE=1 writes it anew";
}

TEST(TestCase, TheCommandMakesTheSameBytes) {
    ExchangeMaker made{"nfs3.LOOKUP", kLookup};
    const Exchange exchange = made.exchange();
    const auto words = shell_words(made_of(exchange).command);
    ASSERT_EQ(words.size(), 7u);
    EXPECT_EQ(words[0] + ' ' + words[1] + ' ' + words[2] + ' ' + words[3],
              "helio call --auth none");
    EXPECT_EQ(words[4], "10.0.0.2:2049");
    EXPECT_EQ(words[5], "nfs3.LOOKUP");
    const auto bytes = reflect::encode(*exchange.procedure->arguments, words[6]);
    ASSERT_TRUE(bytes) << to_string(bytes.error());
    EXPECT_EQ(xdr::to_hex(*bytes), xdr::to_hex(exchange.arguments));
}

TEST(TestCase, LongArgumentsComeByStandardInput) {
    ExchangeMaker made{
        "nfs3.WRITE",
        fmt::format(
            R"({{"file": {{"data": "01"}}, "offset": 0, "count": 1, "stable": "UNSTABLE", "data": "{}"}})",
            std::string(kCommandJsonSizeMax, 'a'))};
    const Exchange exchange = made.exchange();
    const std::string command = made_of(exchange).command;
    const std::string_view begin = "nfs3.WRITE - <<'END'\n";
    const std::size_t at = command.find(begin);
    ASSERT_NE(at, std::string::npos);
    ASSERT_TRUE(command.ends_with("\nEND\n"));
    const std::size_t from = at + begin.size();
    const auto bytes = reflect::encode(*exchange.procedure->arguments,
                                       command.substr(from, command.size() - from - 5));
    ASSERT_TRUE(bytes);
    EXPECT_TRUE(as_text(*bytes) == as_text(exchange.arguments));
}

TEST(TestCase, WhoCallsAndHow) {
    ExchangeMaker made{"nfs3.NULL"};
    made.call_message().carrier = Carrier::udp;
    EXPECT_EQ(made_of(made.exchange()).command,
              "helio call --udp --auth none 10.0.0.2:2049 nfs3.NULL\n");
    EXPECT_EQ(made_of(made.exchange(), {"my own.x"}).command,
              "helio call --schema 'my own.x' --udp --auth none 10.0.0.2:2049 nfs3.NULL\n");

    // A READ whose credential is AUTH_SYS: stamp 0, machine "ab", uid 1000, gid 100, gids 4 and 5.
    const xdr::Bytes call = xdr::hex(
        "8f0a71c7 00000000 00000002 000186a3 00000003 00000000"
        "00000001 00000020 00000000 00000002 61620000 000003e8 00000064 00000002 00000004 00000005"
        "00000000 00000000");
    Exchange exchange = made.exchange();
    Message message = *exchange.call;
    message.bytes = call;
    message.size = call.size();
    message.carrier = Carrier::tcp;
    exchange.call = &message;
    ASSERT_TRUE(read_head(call, exchange.call_head));
    exchange.arguments = ByteView{call}.subspan(exchange.call_head.body);
    EXPECT_EQ(made_of(exchange).command,
              "helio call --auth sys:1000:100,4,5 10.0.0.2:2049 nfs3.NULL\n");
}

TEST(TestCase, TheDecodeCommandsHaveTheBytes) {
    ExchangeMaker made{"mount.3.MNT", R"("/export")"};
    made.reply(R"({"fhs_status": "MNT3ERR_ACCES"})");
    EXPECT_EQ(made_of(made.exchange()).decode,
              "helio xdr decode --schema mount --type MOUNT_V3.MNT.args --hex <<'END'\n"
              "00000007 2f657870 6f727400\n"
              "END\n"
              "helio xdr decode --schema mount --type MOUNT_V3.MNT.result --hex <<'END'\n"
              "0000000d\n"
              "END\n");
}

TEST(TestCase, ABrokenReplyIsATestOfItsFault) {
    ExchangeMaker made{"mount.3.MNT", R"("/export")"};
    made.reply_bytes(
        xdr::hex("8f0a71c7 00000001 00000000 00000000 00000000 00000000"
                 "00000000 00000041"));
    EXPECT_NE(made_of(made.exchange())
                  .test.find("EXPECT_EQ(to_string(results_tree.error), \"too long at byte 4: 65, "
                             "the limit is 64\");"),
              std::string::npos)
        << made_of(made.exchange()).test;
}

TEST(TestCase, WhyThereIsNone) {
    ExchangeMaker cut{"mount.3.MNT", R"("/export")"};
    cut.cut_call(44);
    EXPECT_EQ(make_test_case(cut.exchange(), builtin_catalogue()).error(),
              "only 44 of the call's 52 bytes are in the capture");
    ExchangeMaker orphan{"nfs3.NULL"};
    orphan.reply("null").without_call();
    EXPECT_FALSE(make_test_case(orphan.exchange(), builtin_catalogue()));
    ExchangeMaker unknown{"nfs3.NULL"};
    Exchange exchange = unknown.exchange();
    exchange.procedure = nullptr;
    EXPECT_FALSE(make_test_case(exchange, builtin_catalogue()));
}

TEST(TestCase, WordsForTheShell) {
    EXPECT_EQ(shell_word("plain-1.x"), "plain-1.x");
    EXPECT_EQ(shell_word(""), "''");
    EXPECT_EQ(shell_word("it's $HOME"), "'it'\\''s $HOME'");
    EXPECT_EQ(shell_word("[::1]:2049"), "'[::1]:2049'");
}

}  // namespace
}  // namespace helio::inspect::test_case_test
