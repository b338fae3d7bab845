#include "helio/xdr/printer.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "testing/xdr/bytes.h"

namespace helio::xdr::printer_test {
namespace {

std::string printed_string(std::string_view value) {
    Printer out;
    out.string(value);
    return out.text();
}

std::string printed_bytes(ByteView value) {
    Printer out;
    out.bytes(value);
    return out.text();
}

TEST(Printer, EscapesWhatWouldActOnATerminal) {
    struct Row {
        std::string_view value;
        const char* text;
    };
    using namespace std::string_view_literals;
    const Row rows[] = {
        {"", R"("")"},
        {"README.txt", R"("README.txt")"},
        {"say \"hi\"", R"("say \"hi\"")"},
        {R"(C:\x)", R"("C:\\x")"},
        {"a\0b"sv, R"("a\x00b")"},
        {"line\nfeed\r\t", R"("line\nfeed\x0d\t")"},
        {"\x1b[31mred", R"("\x1b[31mred")"},
        {"\x7f", R"("\x7f")"},
        {"Gr\xc3\xbc\xc3\x9f", "\"Gr\xc3\xbc\xc3\x9f\""},
        {"\x9b\xff", R"("\x9b\xff")"},  // CSI in one byte
        {" ~", R"(" ~")"},
    };
    for (const Row& row : rows) EXPECT_EQ(printed_string(row.value), row.text);
}

TEST(Printer, EscapesEveryByteThatIsNotPrintable) {
    for (int c = 0; c < 256; ++c) {
        const char one = static_cast<char>(c);
        const std::string text = printed_string({&one, 1});
        for (const char shown : text) {
            EXPECT_GE(shown, 0x20) << "byte " << c;
            EXPECT_LT(shown, 0x7f) << "byte " << c;
        }
    }
}

TEST(Printer, ShowsBytesUpToALimit) {
    EXPECT_EQ(printed_bytes({}), "(empty)");
    EXPECT_EQ(printed_bytes(hex("00ff10")), "00ff10");
    const Bytes most(Printer::kShownMax, std::byte{0xab});
    EXPECT_EQ(printed_bytes(most), to_hex(most));
    const Bytes more(Printer::kShownMax + 1, std::byte{0xab});
    EXPECT_EQ(printed_bytes(more), to_hex(most) + "… (65 bytes)");
}

TEST(Printer, Numbers) {
    const auto printed = [](auto value) {
        Printer out;
        out.number(value);
        return out.text();
    };
    EXPECT_EQ(printed(std::int32_t{-1}), "-1");
    EXPECT_EQ(printed(std::uint32_t{0xffffffff}), "4294967295");
    EXPECT_EQ(printed(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
    EXPECT_EQ(printed(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
}

TEST(Printer, IndentsWhatIsInside) {
    Printer out;
    out.open("READ3args");
    out.field("file");
    out.open("nfs_fh3");
    out.field("data");
    out.bytes(hex("0102"));
    out.close();
    out.field("offset");
    out.number(std::uint64_t{65536});
    out.field("sync");
    out.boolean(true);
    out.close();
    EXPECT_EQ(out.text(),
              "READ3args {\n"
              "    file: nfs_fh3 {\n"
              "        data: 0102\n"
              "    }\n"
              "    offset: 65536\n"
              "    sync: true\n"
              "}");
}

TEST(Printer, ShowsItemsUpToALimit) {
    const auto printed = [](std::size_t count) {
        Printer out;
        out.items(std::vector<std::uint32_t>(count, 7),
                  [&out](std::uint32_t item) { out.number(item); });
        return out.text();
    };
    EXPECT_EQ(printed(0), "[]");
    EXPECT_EQ(printed(2), "[\n    7\n    7\n]");
    EXPECT_EQ(printed(Printer::kShownMax).find("in all"), std::string::npos);
    const std::string more = printed(Printer::kShownMax + 1);
    EXPECT_EQ(std::count(more.begin(), more.end(), '7'), 64);
    EXPECT_NE(more.find("\n    … (65 in all)\n]"), std::string::npos);
}

}  // namespace
}  // namespace helio::xdr::printer_test
