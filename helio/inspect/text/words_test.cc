#include "helio/inspect/words.h"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "helio/inspect/catalogue_for_test.h"
#include "helio/inspect/text/explain_text.h"
#include "helio/inspect/text/slips.h"

namespace helio::inspect {
namespace {

std::string file_text(const std::string& name) {
    std::ifstream file{HELIO_SOURCE_DIR "/testdata/explain/" + name};
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

const Explainer& explainer() {
    static const Explainer* const one = new Explainer{builtin_catalogue()};
    return *one;
}

std::string words_of(std::string_view text, const WordsOptions& options = {}) {
    const Dump dump = read_dump(text);
    std::string out;
    WordsWriter writer{builtin_catalogue(), options, [&](std::string_view piece) { out += piece; }};
    ExplainText all{explainer(), dump};
    for (std::vector<Explanation> messages; all.next(messages);)
        for (const Explanation& one : messages) writer.write(one, &all.run());
    writer.flush();
    return out;
}

std::string json_of(std::string_view text) {
    const Dump dump = read_dump(text);
    std::string out;
    Meanings meanings{builtin_catalogue()};
    ExplainText all{explainer(), dump};
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

// The same trace with what somebody wrote beside it, slips and all.
TEST(Words, SlipsOfAnAnnotatedTraceArePointedAt) {
    const std::vector<std::string> slips = slips_of(file_text("read_call_annotated.trace"));
    const std::vector<std::string> expected{
        "the note says 10003; these bytes are 100003 (NFS_PROGRAM)",
        "line 28: address 0xffff88810c1e0864 stands twice; by its place it is 0xffff88810c1e086c",
        "the note says 512B; these bytes are 4096 (4 KiB)"};
    EXPECT_EQ(slips, expected);
}

TEST(Words, SlipsOfNotesArePointedAt) {
    const std::vector<std::string> slips = slips_of(file_text("getattr.notes"));
    const std::vector<std::string> expected{
        "line 9: no bytes are given for this field; what follows stands apart",
        "line 13: no bytes are given for this field; what follows stands apart",
        "the note says UNIX; these bytes are 0 (AUTH_NONE)",
        "line 17: no bytes are given for this field; what follows stands apart",
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
    explainer().explain_into(one, message, nullptr);
    std::string out;
    {
        WordsWriter writer{builtin_catalogue(), {}, [&](std::string_view piece) { out += piece; }};
        writer.write(message, one);
        writer.write(message, one);  // now from what was kept
    }
    EXPECT_EQ(out.substr(0, out.size() / 2), out.substr(out.size() / 2));
    EXPECT_EQ(out.substr(0, out.find('\n')),
              "#12 2026-11-16 07:00:00.123456789 text  call of nfs3.READ, xid 0x8f0a71c7");
    EXPECT_NE(out.find("      12  00 01 86 a3  prog                                      100003    "
                       "                NFS_PROGRAM\n"),
              std::string::npos)
        << out;
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
            "xdr_buf: 68 bytes in the message itself; read chunk 1: 8 bytes belong at its byte 68"),
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
    ExplainText all{explainer(), dump};
    std::vector<Explanation> messages;
    ASSERT_TRUE(all.next(messages));
    page.add(messages.at(0), &all.run());
    const std::string html = page.finish();
    EXPECT_EQ(html.find("<script"), std::string::npos);
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
}  // namespace helio::inspect
