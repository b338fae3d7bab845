#include "helio/inspect/text/dump.h"
#include "helio/base/text/byte_text.h"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace helio::inspect::dump_test {
namespace {

std::string hex_of(const Dump::Run& run) {
    std::string out;
    append_hex(out, run.bytes);
    return out;
}

struct Case {
    const char* what;
    DumpKind kind;
    const char* text;
    const char* bytes;  // of the first run, in hexadecimal
};

// Written as the tools write it.
const Case kCases[] = {
    {"words", DumpKind::words, "8f0a71c7 00000000 00000002\n000186a3\n",
     "8f0a71c70000000000000002000186a3"},
    {"words with commas", DumpKind::words, "0x8f0a71c7, 00000000,\n", "8f0a71c700000000"},
    {"bytes", DumpKind::bytes, "8f 0a 71 c7 00 00\n", "8f0a71c70000"},
    {"bytes with colons", DumpKind::bytes, "8f:0a:71:c7\n", "8f0a71c7"},
    {"a stream", DumpKind::bytes, "8f0a71c70000000000000002\n", "8f0a71c70000000000000002"},
    {"prose around words", DumpKind::words, "This is what I see:\n8f0a71c7 00000000\nWhat is it?\n",
     "8f0a71c700000000"},
    {"quoted in a mail", DumpKind::words, "> 8f0a71c7 00000000\n> 00000002 000186a3\n",
     "8f0a71c70000000000000002000186a3"},
    {"xxd", DumpKind::xxd,
     "00000000: 8f0a 71c7 0000 0000 0000 0002 0001 86a3  ..q.............\n"
     "00000010: 6c6f 6361 6c                             local\n",
     "8f0a71c70000000000000002000186a36c6f63616c"},
    {"xxd, text that looks like digits", DumpKind::xxd, "00000000: 6465 6164  dead\n", "64656164"},
    {"hexdump -C", DumpKind::hexdump,
     "00000000  8f 0a 71 c7 00 00 00 00  00 00 00 02 00 01 86 a3  |..q.............|\n"
     "00000010  6c 6f                                             |lo|\n00000012\n",
     "8f0a71c70000000000000002000186a36c6f"},
    {"hexdump, words of a little-endian machine", DumpKind::hexdump,
     "0000000 0a8f c771 0000 0000 0000 0200 0100 a386\n0000010 6f6c 0063\n0000013\n",
     "8f0a71c70000000000000002000186a36c6f63"},
    {"od -A x -t x1", DumpKind::od, "000000 8f 0a 71 c7\n000004\n", "8f0a71c7"},
    {"od -t x1, octal offsets", DumpKind::od,
     "0000000 8f 0a 71 c7 00 00 00 00 00 00 00 02 00 01 86 a3\n0000020 6c 6f\n0000022\n",
     "8f0a71c70000000000000002000186a36c6f"},
    {"Wireshark", DumpKind::hexdump,
     "0000   8f 0a 71 c7 00 00 00 00 00 00 00 02 00 01 86 a3   ..q.............\n0010   6c 6f   "
     "be\n",
     "8f0a71c70000000000000002000186a36c6f"},
    {"Wireshark, an escaped string", DumpKind::bytes,
     "\"\\x8f\\x0a\\x71\\xc7\" \\\n\"\\x00\\x02\"\n", "8f0a71c70002"},
    {"strace", DumpKind::bytes, "write(3, \"\\217\\nq\\307\\0\\0\", 6) = 6\n", "8f0a71c70000"},
    {"an array of bytes", DumpKind::c_array,
     "static const unsigned char pkt[] = {\n0x8f, 0xa, 0x71, 0xc7, /* ..q. */\n0x00, 0x2\n};\n",
     "8f0a71c70002"},
    {"an array of words", DumpKind::c_array,
     "uint32_t m[] = { 0x8f0a71c7, 0x0, 2, htonl(100003) };\n", "8f0a71c70000000000000002000186a3"},
    {"words of C without declaration", DumpKind::c_array, "0x8f0a71c7, 0x0,\n0x2, 0x186a3\n",
     "8f0a71c70000000000000002000186a3"},
    {"gdb x/4xw", DumpKind::words,
     "0x7ffe1000:\t0x8f0a71c7\t0x00000000\n0x7ffe1008 <buffer+8>:\t0x00000002\t0x000186a3\n",
     "8f0a71c70000000000000002000186a3"},
    {"an offset in decimal and notes", DumpKind::hexdump,
     "     0   00 34 32 00   .42.   -- xid\n     4   00 00 00 00   ....   -- mtype\n",
     "0034320000000000"},
    {"a probe", DumpKind::trace_raw,
     "nfsd-197 [000] 74.0: reply: (send+0x0/0x2e0) raw={0xf1,0x55,0x0}\n", "f15500"},
    {"a trace in box columns", DumpKind::trace_columns,
     "w \xe2\x94\x82 0xffff0800 \xe2\x94\x82 8f 0a 71 c7 \xe2\x94\x82 x\n", "8f0a71c7"},
    {"notes", DumpKind::notes,
     "u32 flavor : 1 {0x00 00 00 01} // UNIX\nu32 length : 0 { 00 00 00 00}\n", "0000000100000000"},
};

TEST(Dump, ReadsWhatToolsWrite) {
    for (const Case& one : kCases) {
        const Dump dump = read_dump(one.text);
        EXPECT_EQ(name(dump.kind), name(one.kind)) << one.what;
        ASSERT_EQ(dump.runs.size(), 1u) << one.what << ": " << dump.problem;
        EXPECT_EQ(hex_of(dump.runs[0]), one.bytes) << one.what;
    }
}

TEST(Dump, SaysWhatHadToBeGuessed) {
    EXPECT_NE(read_dump("0000000 0a8f c771 0000 0000\n").how.find("little-endian"),
              std::string::npos);
    EXPECT_NE(read_dump("0x7ffe1000:\t0x8f0a71c7\n").how.find("debugger"), std::string::npos);
}

TEST(Dump, EmptyLinesAndPacketsBeginRuns) {
    const Dump words = read_dump("8f0a71c7 00000000\n\n8f0a71c7 00000001\n");
    ASSERT_EQ(words.runs.size(), 2u);
    EXPECT_EQ(words.runs[1].line, 3u);
    const Dump packets = read_dump(
        "07:49:57.28 IP 192.0.2.1.801 > 192.0.2.2.2049: UDP, length 64\n"
        "\t0x0000:  4500 001c 653c 0000 4011 d2ba 8b19 1602\n\t0x0010:  8b19 1666\n"
        "07:49:57.29 IP 192.0.2.2.2049 > 192.0.2.1.801: UDP, length 48\n"
        "\t0x0000:  4500 005c e42c 0000 4011 53da 8b19 1666\n\t0x0010:  8b19 1602\n");
    EXPECT_EQ(packets.kind, DumpKind::tcpdump);
    ASSERT_EQ(packets.runs.size(), 2u);
    EXPECT_TRUE(packets.runs[0].ip_packet);
    EXPECT_TRUE(packets.runs[1].cut);
    EXPECT_EQ(packets.runs[1].label.substr(0, 11), "07:49:57.29");
    EXPECT_EQ(packets.runs[0].bytes.size(), 20u);
}

TEST(Dump, StarRepeatsTheLineBefore) {
    const Dump dump = read_dump(
        "00000000  01 02 03 04 05 06 07 08  09 0a 0b 0c 0d 0e 0f 10  |x|\n*\n"
        "00000030  ff                       |.|\n00000031\n");
    ASSERT_EQ(dump.runs.size(), 1u);
    EXPECT_EQ(dump.runs[0].bytes.size(), 49u);
    EXPECT_EQ(dump.runs[0].bytes[47], std::byte{0x10});
    EXPECT_EQ(dump.runs[0].bytes[48], std::byte{0xff});
}

TEST(Dump, StarCannotStandForGigabytes) {
    const Dump dump = read_dump("00000000  01 02 03 04  |x|\n*\nfffffffffff0  ff  |.|\n");
    EXPECT_NE(dump.problem.find("too many"), std::string::npos);
    std::size_t bytes = 0;
    for (const Dump::Run& run : dump.runs) bytes += run.bytes.size();
    EXPECT_LE(bytes, kDumpBytesMax);
}

TEST(Dump, ManyRunsAreLeftOutAndThatIsSaid) {
    std::string text;
    for (std::size_t i = 0; i <= kDumpRunsMax; ++i) text += "00 01\n\n";
    const Dump dump = read_dump(text);
    EXPECT_EQ(dump.runs.size(), kDumpRunsMax);
    EXPECT_NE(dump.problem.find("only the first"), std::string::npos);
    text.resize(text.size() - 7);
    EXPECT_EQ(read_dump(text).problem, "");
}

TEST(Dump, ManyNotesAreLeftOut) {
    std::string text;
    for (std::size_t i = 0; i <= kDumpNotesMax; ++i) text += "u32 x : 0 {00}\n";
    const Dump dump = read_dump(text);
    ASSERT_EQ(dump.runs.size(), 1u);
    EXPECT_EQ(dump.runs[0].notes.size(), kDumpNotesMax);
    EXPECT_EQ(dump.runs[0].bytes.size(), kDumpNotesMax + 1);
}

TEST(Dump, ManyProblemsAreLeftOut) {
    std::string text;
    for (int i = 0; i < 300; ++i) text += "u32 a : {00}\nu32 left out\n";
    const Dump dump = read_dump(text);
    std::size_t problems = 0;
    for (const Dump::Run& run : dump.runs) problems += run.problems.size();
    EXPECT_EQ(problems, kDumpProblemsMax);
}

TEST(Dump, LongTextsAreReadToTheirLimit) {
    std::string text = "8f0a71c7 00000000\n";
    text.resize(kDumpTextMax, 'z');
    EXPECT_EQ(read_dump(text).problem, "");
    text += "\n00000002\n";
    const Dump dump = read_dump(text);
    EXPECT_EQ(dump.problem, "only the first 64 MiB were read");
    ASSERT_EQ(dump.runs.size(), 1u);
    EXPECT_EQ(dump.runs[0].bytes.size(), 8u);
}

TEST(Dump, RepeatedAddressesAreSlips) {
    std::ifstream file{HELIO_SOURCE_DIR "/testdata/explain/read_call.trace"};
    std::stringstream text;
    text << file.rdbuf();
    const Dump dump = read_dump(text.str());
    EXPECT_EQ(dump.kind, DumpKind::trace_columns);
    ASSERT_EQ(dump.runs.size(), 1u);
    const Dump::Run& run = dump.runs[0];
    EXPECT_EQ(run.bytes.size(), 144u);
    ASSERT_EQ(run.addresses.size(), 1u);
    EXPECT_EQ(run.addresses[0].address, 0xffff88810c1e0800u);
    EXPECT_NE(run.label.find("kworker/u16:30-579"), std::string::npos);
    ASSERT_EQ(run.problems.size(), 1u);
    EXPECT_EQ(run.problems[0].offset, 108u);
    EXPECT_EQ(run.problems[0].line, 28u);
    EXPECT_EQ(run.problems[0].text,
              "address 0xffff88810c1e0864 appears twice; its position implies 0xffff88810c1e086c");
}

TEST(Dump, AddressesThatJumpBeginRuns) {
    const Dump dump = read_dump(
        "w | 0xffff0800 | 8f 0a 71 c7 |\nw | 0xffff0804 | 00 00 00 00 |\n"
        "w | 0xffff2000 | 00 00 00 02 |\nw | 0xffff2004 | 00 00 00 03 |\n");
    ASSERT_EQ(dump.runs.size(), 2u);
    EXPECT_TRUE(dump.runs[0].problems.empty());
    EXPECT_EQ(dump.runs[1].addresses[0].address, 0xffff2000u);
}

TEST(Dump, SaysWhyThereIsNothing) {
    EXPECT_EQ(read_dump("").problem, "the text is empty");
    EXPECT_EQ(read_dump("8f0a71c7 0000000\n").problem,
              "line 1: 7 digits are not whole bytes: 0000000");
    EXPECT_EQ(read_dump("\nhello \x1b[31mthere\n").problem,
              "the text contains no message; line 2 is: hello \\x1b[31mthere");
}

struct SecondCase {
    const char* what;
    DumpReading reading;
    DumpKind kind;
    const char* text;
    const char* bytes;
};

// The bytes of "\x12\x34\x56\x78", a zero word and one more byte, as the tools write them.
const SecondCase kSecondCases[] = {
    {"od", DumpReading::octal, DumpKind::od,
     "0000000 032022 074126 000000 000000 000002\n0000011\n", "123456780000000002"},
    {"od -b", DumpReading::octal, DumpKind::od, "0000000 022 064 126 170\n0000004\n", "12345678"},
    {"od -t u1", DumpReading::decimal, DumpKind::bytes,
     "0000000  18  52  86 120\n0000004   0   2\n0000006\n", "123456780002"},
    {"a list", DumpReading::decimal, DumpKind::bytes, "[18, 52, 86, 120,\n 0, 255]\n",
     "1234567800ff"},
    {"base64", DumpReading::base64, DumpKind::bytes, "EjRWeAAA\nAAAC\n", "123456780000000002"},
    {"base64 with padding", DumpReading::base64, DumpKind::bytes, "EjRWeP8=\n", "12345678ff"},
    {"base64 for URLs, without padding", DumpReading::base64, DumpKind::bytes, "_-8\n", "ffef"},
    {"xxd -e", DumpReading::other_byte_order, DumpKind::xxd,
     "00000000: 78563412 00000000  xV4.....\n", "1234567800000000"},
    {"od -t x4 --endian=big", DumpReading::other_byte_order, DumpKind::od,
     "0000000 12345678 00000002\n0000010\n", "1234567800000002"},
    {"words", DumpReading::other_byte_order, DumpKind::words, "78563412 02000000\n",
     "1234567800000002"},
};

TEST(Dump, SecondReadings) {
    for (const SecondCase& one : kSecondCases) {
        const Dump dump = read_dump(one.text, one.reading);
        EXPECT_EQ(dump.kind, one.kind) << one.what;
        ASSERT_EQ(dump.runs.size(), 1u) << one.what;
        EXPECT_EQ(hex_of(dump.runs[0]), one.bytes) << one.what;
    }
}

TEST(Dump, SecondReadingsOfOtherTexts) {
    EXPECT_TRUE(read_dump("12 34 56 78\n", DumpReading::other_byte_order).runs.empty());
    EXPECT_TRUE(read_dump("0000000 032022 078126\n", DumpReading::octal).runs.empty());
    EXPECT_TRUE(read_dump("0000000 232022\n", DumpReading::octal).runs.empty());  // over 16 bits
    EXPECT_TRUE(read_dump("18 52 256\n", DumpReading::decimal).runs.empty());
    EXPECT_TRUE(read_dump("not, base64!\n", DumpReading::base64).runs.empty());
}

TEST(Dump, EveryPrefixEnds) {
    std::string text;
    for (const Case& one : kCases) text += one.text;
    for (const SecondCase& one : kSecondCases) text += one.text;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        const Dump dump = read_dump(std::string_view{text}.substr(0, i));
        EXPECT_EQ(dump.kind == DumpKind::none, dump.runs.empty());
    }
    for (const SecondCase& one : kSecondCases) {
        const std::string_view whole = one.text;
        for (std::size_t i = 0; i <= whole.size(); ++i)
            for (const DumpReading reading : kSecondReadings) {
                const Dump dump = read_dump(whole.substr(0, i), reading);
                EXPECT_EQ(dump.kind == DumpKind::none, dump.runs.empty());
            }
    }
}

}  // namespace
}  // namespace helio::inspect::dump_test
