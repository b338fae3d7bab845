#include "helio/reflect/print/table.h"

#include <gtest/gtest.h>

#include "helio/reflect/decode.h"
#include "testing/reflect/schema.h"

namespace helio::reflect::table_test {
namespace {

std::string table(std::string_view bytes, const idl::Type& type, const TableOptions& options = {}) {
    const auto input = hex(bytes);
    std::string out;
    write_table(decode(input, type), options,
                [&](std::string_view line) { out += std::string{line} + '\n'; });
    return out;
}

TEST(Table, OneLineForEachWord) {
    EXPECT_EQ(table("00000005 0102030405000000 0000000000010000 00001000", rich("read_args")),
              "  offset  bytes        field   value\n"
              "       0  00 00 00 05  file    length: 5 bytes\n"
              "       4  01 02 03 04  file    0102030405\n"
              "       8  05 00 00 00\n"
              "      12  00 00 00 00  offset  65536\n"
              "      16  00 01 00 00\n"
              "      20  00 00 10 00  count   4096\n");
}

TEST(Table, FoldsLongBodies) {
    EXPECT_EQ(table("0000000d 000102030405060708090a0b0c000000", rich("handle"),
                    {.body_words_max = 2, .root = "fh"}),
              "  offset  bytes        field  value\n"
              "       0  00 00 00 0d  fh     length: 13 bytes\n"
              "       4  00 01 02 03  fh     000102030405060708090a0b0c\n"
              "       8  04 05 06 07\n"
              "      12  …                   5 bytes more\n");
}

TEST(Table, MarksWhatIsWrongAndCountsTheRest) {
    EXPECT_EQ(
        table("00000001 00000005 00000000", rich("read_result")),
        "  offset  bytes        field   value\n"
        "       0  00 00 00 01  state   1\n"
        "       4  00 00 00 05  reason  5 (not in color)   <-- not a value of the enumeration\n"
        "       8  …                    4 bytes not read\n");
}

}  // namespace
}  // namespace helio::reflect::table_test
