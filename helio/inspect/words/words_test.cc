#include "helio/inspect/words/words.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

#include <gtest/gtest.h>

#include "helio/inspect/text/explain_text.h"
#include "helio/inspect/text/slips.h"
#include "testing/inspect/catalogue.h"

namespace helio::inspect::words_test {
namespace {

std::string file_text(const std::string& name) {
    std::ifstream file{HELIO_SOURCE_DIR "/testdata/explain/" + name};
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

const Explainer& explainer_of_all() {
    static const Explainer* const one = new Explainer{builtin_catalogue()};
    return *one;
}

std::string words_of(std::string_view text, const WordsOptions& options = {}) {
    const Dump dump = read_dump(text);
    std::string out;
    WordsWriter writer{builtin_catalogue(), options, [&](std::string_view piece) { out += piece; }};
    ExplainText all{explainer_of_all(), dump};
    for (std::vector<Explanation> messages; all.next(messages);)
        for (const Explanation& one : messages) writer.write(one, &all.run());
    writer.flush();
    return out;
}

std::string json_of(std::string_view text) {
    const Dump dump = read_dump(text);
    std::string out;
    Meanings meanings{builtin_catalogue()};
    ExplainText all{explainer_of_all(), dump};
    for (std::vector<Explanation> messages; all.next(messages);)
        for (const Explanation& one : messages) append_words_json(out, one, &all.run(), meanings);
    return out;
}

std::vector<std::string> slips_of(std::string_view text) {
    std::istringstream lines{words_of(text)};
    std::vector<std::string> out;
    for (std::string line; std::getline(lines, line);)
        if (const std::size_t at = line.find("!! "); at > 2 && at != std::string::npos)
            out.push_back(line.substr(at + 3));
    return out;
}

std::size_t count(std::string_view text, std::string_view wanted) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = text.find(wanted, at)) != std::string_view::npos;
         at += wanted.size())
        ++found;
    return found;
}

TEST(Words, TheTraceOfAReadCall) {
    EXPECT_EQ(words_of(file_text("read_call.trace")), file_text("read_call.words"));
}

TEST(Words, EachWordHasItsLine) {
    const std::string words = words_of(file_text("read_call.trace"));
    EXPECT_EQ(count(words, "\n0xffff88810c1e08"), 36u);
}

// The same trace with somebody's annotations, including mistakes.
TEST(Words, SlipsOfAnAnnotatedTraceArePointedAt) {
    const std::vector<std::string> slips = slips_of(file_text("read_call_annotated.trace"));
    const std::vector<std::string> expected{
        "the note says 10003; these bytes are 100003 (NFS_PROGRAM)",
        "line 28: address 0xffff88810c1e0864 appears twice; its position implies "
        "0xffff88810c1e086c",
        "the note says 512B; these bytes are 4096 (4 KiB)"};
    EXPECT_EQ(slips, expected);
}

TEST(Words, SlipsOfNotesArePointedAt) {
    const std::vector<std::string> slips = slips_of(file_text("getattr.notes"));
    const std::vector<std::string> expected{
        "line 9: no bytes are given for this field; the following ones are read separately",
        "line 13: no bytes are given for this field; the following ones are read separately",
        "the note says UNIX; these bytes are 0 (AUTH_NONE)",
        "line 17: no bytes are given for this field; the following ones are read separately",
        "the note says 0 and NULL_AUTH; these bytes are AUTH_SYS (1)"};
    EXPECT_EQ(slips, expected);
}

TEST(Slips, CarefulRatherThanEager) {
    NotedWord word;
    word.number = 100003;
    word.value = "100003";
    EXPECT_EQ(slip_in(word, "prog: NFS version 3, see section 4.2 on page 17"), "");
    EXPECT_EQ(slip_in(word, "prog (nfs = 100003)"), "");
    EXPECT_EQ(slip_in(word, "prog = 0x186a3"), "");
    EXPECT_EQ(slip_in(word, "prog = 0x186a4"), "the note says 0x186a4; these bytes are 100003");
    word.number = 0;
    word.size = 8;
    word.sense = Sense::size;
    word.value = "0";
    EXPECT_EQ(slip_in(word, "offset: 0, eight bytes = 8B"), "");
    EXPECT_EQ(slip_in(word, "an \x1b[31m = 7"), "the note says 7; these bytes are 0");
}

TEST(Words, NothingOfAPeerActsOnATerminal) {
    // LOOKUP of a name with an escape sequence in it.
    const std::string words = words_of(
        "00000007 00000000 00000002 000186a3 00000003 00000003 00000000 00000000 00000000 00000000 "
        "00000004 01020304 00000008 1b5b3331 6d780a0d // \x1b[31m\n");
    EXPECT_EQ(words.find('\x1b'), std::string::npos);
    EXPECT_EQ(words.find('\r'), std::string::npos);
    EXPECT_NE(words.find("\"\\x1b[31mx\\n\\x0d\""), std::string::npos) << words;
}

TEST(Words, ColorsOnlyWhenAsked) {
    const std::string text = file_text("read_call.trace");
    EXPECT_EQ(words_of(text).find('\x1b'), std::string::npos);
    EXPECT_NE(words_of(text, {.color = true}).find("\x1b["), std::string::npos);
}

TEST(Words, LongBodiesAreFolded) {
    std::string text =
        "00000007 00000000 00000002 000186a3 00000003 00000003 00000000 00000000 00000000 00000000 "
        "00000004 01020304 00000100";
    for (int i = 0; i < 64; ++i) text += " 61626364";
    const std::string words = words_of(text);
    EXPECT_NE(words.find("192 bytes more"), std::string::npos) << words;
    EXPECT_EQ(count(words_of(text, {.body_words_max = 64}), "bytes more"), 0u);
}

TEST(Words, CapturesHaveFixedColumnsAndRepeatThemselvesExactly) {
    const Dump dump = read_dump(file_text("read_call.trace"));
    Message message;
    message.packet = 12;
    message.time_ns = 1'794'812'400'123'456'789;
    message.bytes = dump.runs.at(0).bytes;
    message.size = message.bytes.size();
    Explanation one;
    explainer_of_all().explain_into(one, message, nullptr);
    std::string out;
    {
        WordsWriter writer{builtin_catalogue(), {}, [&](std::string_view piece) { out += piece; }};
        writer.write(message, one);
        writer.write(message, one);  // now from the cache
    }
    EXPECT_EQ(out.substr(0, out.size() / 2), out.substr(out.size() / 2));
    EXPECT_EQ(out.substr(0, out.find('\n')),
              "#12 2026-11-16 07:00:00.123456789 text  call of nfs3.READ, xid 0x8f0a71c7");
    EXPECT_NE(out.find("      12  00 01 86 a3  prog                                      100003    "
                       "                NFS_PROGRAM\n"),
              std::string::npos)
        << out;
}

// Two writers, one with the cache and one without.
class BothWays {
 public:
    void write(ByteView bytes, std::uint64_t size, const Procedure* procedure) {
        Message message;
        message.packet = ++packet_;
        message.time_ns = 1'794'812'400'123'456'789 + 7 * static_cast<std::int64_t>(packet_) * 1000;
        message.bytes = bytes;
        message.size = size;
        const std::size_t before = long_text_.size();
        const bool ok = long_way_.write(message, procedure, explainer_of_all());
        EXPECT_EQ(short_way_.write(message, procedure, explainer_of_all()), ok);
        long_way_.flush();
        short_way_.flush();
        broken_ += ok ? 0 : 1;
        ASSERT_EQ(short_text_.substr(before), long_text_.substr(before)) << "message " << packet_;
    }
    std::uint64_t packets() const { return packet_; }
    std::uint64_t broken() const { return broken_; }
    std::uint64_t explained() const { return short_way_.explained(); }
    std::string name = "/a";  // of every handle
    const std::string& text() const { return short_text_; }

 private:
    const HandleName names_ = [this](std::string& out, ByteView) { out += name; };
    std::string long_text_, short_text_;
    WordsWriter long_way_{builtin_catalogue(),
                          {.row_cache = false},
                          [this](std::string_view more) { long_text_ += more; },
                          names_};
    WordsWriter short_way_{
        builtin_catalogue(), {}, [this](std::string_view more) { short_text_ += more; }, names_};
    std::uint64_t packet_ = 0;
    std::uint64_t broken_ = 0;
};

struct Sample {
    const char* procedure;
    const char* words;
};
constexpr const char* kSysHeader =
    "00000007 00000000 00000002 000186a3 00000003 0000000P 00000001 00000028 00000005 00000005 "
    "686f7374 31000000 000003e8 00000064 00000003 00000001 00000002 00000003 00000000 00000000 ";
constexpr const char* kReplyHeader = "00000007 00000001 00000000 00000000 00000000 00000000 ";
constexpr const char* kAttributes =
    "00000001 000001a4 00000001 000003e8 00000064 00000000 00001000 00000000 00002000 00000000 "
    "00000000 00000000 00000007 00000000 00000123 6ab13b85 075bcd15 6ab13b86 075bcd15 6ab13b87 "
    "075bcd15 ";
// 'H', 'R' and 'A' in front stand for the three above.
constexpr Sample kSamples[] = {
    {"nfs3.NULL", "H0"},
    {"nfs3.NULL", "R"},
    {"nfs3.GETATTR", "H1 00000008 01020304 05060708"},
    {"nfs3.GETATTR", "R 00000000 A"},
    {"nfs3.GETATTR", "R 00000046"},
    {"nfs3.SETATTR",
     "H2 00000004 01020304 00000001 000001a4 00000000 00000001 00000064 00000000 00000001 00000002 "
     "6ab13b85 00000001 00000000"},
    {"nfs3.LOOKUP", "H3 00000004 01020304 00000003 61626300"},
    {"nfs3.LOOKUP", "H3 00000005 01020304 05000000 00000008 61221b5c c3a40a61"},
    {"nfs3.LOOKUP", "R 00000000 00000004 01020304 00000001 A 00000000"},
    {"nfs3.LOOKUP", "R 00000002 00000001 A"},
    {"nfs3.READ", "R 00000000 00000001 A 0000000a 00000001 0000000a 61626364 65666768 696a0000"},
    {"nfs3.READDIRPLUS",
     "R 00000000 00000000 11111111 22222222 00000001 00000000 00000005 00000002 61620000 00000000 "
     "00000001 00000000 00000001 00000004 01020304 00000001 00000000 00000006 00000001 63000000 "
     "00000000 00000002 00000001 A 00000000 00000000 00000001"},
    {"nfs3.FSINFO",
     "00000009 00000000 00000002 000186a3 00000003 00000013 00000000 00000000 "
     "00000000 00000000 00000004 01020304"},
    {"nfs3.GETATTR", "00000009 00000001 00000001 00000001 00000005"},
    {"nfs3.GETATTR", "00000009 00000001 00000000 00000000 00000000 00000002 00000002 00000004"},
    {nullptr, "R 00000000"},
};

std::vector<std::byte> bytes_of(std::string_view sample) {
    std::string text;
    for (std::size_t i = 0; i < sample.size(); ++i) {
        if (sample[i] == 'H') {
            text += kSysHeader;
            text[text.find('P')] = sample[++i];
        } else if (sample[i] == 'R') {
            text += kReplyHeader;
        } else if (sample[i] == 'A') {
            text += kAttributes;
        } else {
            text += sample[i];
        }
    }
    const Dump dump = read_dump(text);
    return dump.runs.at(0).bytes;
}

TEST(Words, TheShortWayIsTakenAndSaysTheSame) {
    BothWays both;
    for (int round = 0; round < 6; ++round) {
        both.name = round < 4 ? "/export/a" : "/export/\x1b[31m";
        for (const Sample& one : kSamples) {
            std::vector<std::byte> bytes = bytes_of(one.words);
            bytes[2] = static_cast<std::byte>(round);  // of the xid
            both.write(bytes, bytes.size(),
                       one.procedure == nullptr ? nullptr : &procedure_named(one.procedure));
        }
    }
    // Each once, except the one of an unknown procedure; some share parts.
    EXPECT_LE(both.explained(), std::size(kSamples) + 5);
    EXPECT_EQ(both.broken(), 0u) << both.text();
    EXPECT_NE(both.text().find("/export/\\x1b[31m"), std::string::npos);
}

TEST(Words, LinesBetweenMessagesStayInTheirPlace) {
    const std::vector<std::byte> bytes = bytes_of(kSamples[2].words);
    const std::vector<std::byte> wrong(bytes.begin(), bytes.end() - 4);
    std::string text[2];
    for (const bool cached : {false, true}) {
        std::string& out = text[cached ? 1 : 0];
        WordsWriter writer{builtin_catalogue(), {.row_cache = cached}, [&](std::string_view more) {
                               out += more;
                           }};
        for (const std::vector<std::byte>& one : {bytes, bytes, wrong, bytes}) {
            Message message;
            message.bytes = one;
            message.size = one.size();
            writer.line("before");
            writer.write(message, nullptr, explainer_of_all());
            writer.line("behind");
        }
    }
    EXPECT_EQ(text[1], text[0]);
    EXPECT_EQ(count(text[1], "behind\nbefore\ncall of ") + count(text[1], "behind\nbefore\ntext"),
              3u);
}

TEST(Words, TheShortWayRefusesWhatIsWrong) {
    BothWays both;
    std::uint64_t state = 1;  // arbitrary, but the same in each run
    const auto random = [&state](std::uint64_t below) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return (state >> 33) % below;
    };
    for (int round = 0; round < 4000 && !testing::Test::HasFailure(); ++round) {
        const Sample& one = kSamples[random(std::size(kSamples))];
        std::vector<std::byte> bytes = bytes_of(one.words);
        std::uint64_t more = 0;
        both.name = "/" + std::to_string(round / 100);
        for (std::uint64_t changes = random(3); changes != 0; --changes) {
            const std::size_t word = 4 * random(bytes.size() / 4);
            switch (random(6)) {
                case 0:
                    bytes[word + 3] = static_cast<std::byte>(random(4));
                    break;
                case 1:
                    bytes[word + random(4)] = static_cast<std::byte>(random(256));
                    break;
                case 2:
                    bytes.resize(std::max<std::size_t>(bytes.size() - random(9), 24));
                    break;
                case 3:
                    bytes.insert(bytes.end(), 4, std::byte{0});
                    break;
                case 4:
                    more = 1 + random(50);
                    break;
                default:  // a word is missing, so all later ones change their meaning
                    bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(word),
                                bytes.begin() + static_cast<std::ptrdiff_t>(word) + 4);
                    break;
            }
        }
        both.write(bytes, bytes.size() + more,
                   one.procedure == nullptr ? nullptr : &procedure_named(one.procedure));
    }
    EXPECT_GT(both.broken(), both.packets() / 10);
    EXPECT_LT(both.explained(), both.packets() * 3 / 4);
}

TEST(Words, TakenOutBytesAreMarked) {
    const std::string words = words_of(
        "00000007 00000001 00000020 00000000 00000001 00000044 00001234 00000008 00000000 "
        "00001000\n"
        "00000000 00000000 00000000\n"
        "00000007 00000000 00000002 000186a3 00000003 00000007 00000000 00000000 00000000 "
        "00000000\n"
        "00000004 01020304 00000000 00000000 00000008 00000002 00000008\n");
    EXPECT_NE(words.find("(read chunk 1, not in the message)"), std::string::npos) << words;
    EXPECT_NE(
        words.find(
            "xdr_buf: 68 bytes in the message itself; read chunk 1: 8 bytes belong at byte 68"),
        std::string::npos)
        << words;
}

TEST(Words, Json) {
    const std::string json = json_of(file_text("read_call.trace"));
    EXPECT_EQ(json.find(R"({"what":"call of nfs3.READ, xid 0x8f0a71c7","why":)"), 0u) << json;
    EXPECT_NE(
        json.find(
            R"({"offset":12,"address":"0xffff88810c1e080c","bytes":"000186a3","field":"prog","value":"100003","meaning":"NFS_PROGRAM"})"),
        std::string::npos)
        << json;
    EXPECT_NE(json.find(R"("field":"who.machinename","value":"\"localhost.localdomain\"")"),
              std::string::npos);
    EXPECT_EQ(count(json, "\"bytes\":"), 36u);
}

TEST(Words, Page) {
    const Dump dump = read_dump(file_text("read_call.trace"));
    WordsPage page{builtin_catalogue(), {.body_words_max = 4}, "<script>"};
    ExplainText all{explainer_of_all(), dump};
    std::vector<Explanation> messages;
    ASSERT_TRUE(all.next(messages));
    page.add(messages.at(0), &all.run());
    const std::string html = page.finish();
    EXPECT_EQ(count(html, "<script"), 1u);  // the page's own, not the title
    EXPECT_EQ(html.find("http://"), std::string::npos);
    EXPECT_NE(html.find("<details><summary>24 bytes more</summary>"), std::string::npos);
    EXPECT_NE(html.find("class=\"slip\""), std::string::npos);
}

TEST(Meaning, TimesSizesAndHandles) {
    std::string out;
    append_time(out, 0);
    append_time(out, 951'782'400);
    append_time(out, 4'294'967'294);
    EXPECT_EQ(out, "1970-01-01 00:00:00 UTC2000-02-29 00:00:00 UTC2106-02-07 06:28:14 UTC");
    out.clear();
    for (const std::uint64_t size : {1023u, 1024u, 1536u, 4096u, 1048577u}) {
        append_size(out, size);
        out += ';';
    }
    EXPECT_EQ(out, ";1 KiB;1.5 KiB;4 KiB;1.0 MiB;");
    EXPECT_EQ(first_sentence("RFC 1813 §2.5: a user. More."), "a user");
    EXPECT_EQ(first_sentence("RFC 1813 §3.3.1."), "");
    EXPECT_EQ(first_sentence("Hard links."), "Hard links");
    EXPECT_NE(handle_hash(as_bytes("a")), handle_hash(as_bytes("b")));
}

}  // namespace
}  // namespace helio::inspect::words_test
