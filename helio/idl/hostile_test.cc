// Files that nobody writes by mistake. Each must end quickly, in a schema or in few errors.
// AddressSanitizer also shows that there is no deep recursion and no stale view.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <ctime>
#include <functional>
#include <string>

#include "helio/idl/parse.h"

namespace helio::idl::hostile_test {
namespace {

constexpr int kMany = 1'000'000;
constexpr int kManyDefinitions = 30'000;

std::string repeated(int count, const std::function<std::string(int)>& piece) {
    std::string out;
    for (int i = 0; i < count; ++i) out += piece(i);
    return out;
}

std::string repeated(int count, std::string_view piece) {
    std::string out;
    for (int i = 0; i < count; ++i) out += piece;
    return out;
}

// CPU time of this process, since the machine may be busy. Twenty seconds is for a sanitizer build;
// anything quadratic takes minutes.
Parsed parse_quickly(std::string text) {
    const std::clock_t begin = std::clock();
    Parsed parsed = parse("hostile.x", std::move(text));
    EXPECT_LT((std::clock() - begin) / CLOCKS_PER_SEC, 20);
    EXPECT_EQ(parsed.schema == nullptr, parsed.diagnostics.error_count > 0);
    EXPECT_LT(parsed.report().size(), 200'000u);
    return parsed;
}

void expect_one_error(std::string text, std::string_view part) {
    const Parsed parsed = parse_quickly(std::move(text));
    EXPECT_EQ(parsed.diagnostics.error_count, 1u) << parsed.report();
    EXPECT_NE(parsed.report().find(part), std::string::npos) << parsed.report();
}

TEST(Hostile, AMillionNestedBraces) {
    expect_one_error("struct a " + std::string(kMany, '{'), "a type expected");
    expect_one_error("struct a " + repeated(200'000, "{ struct "), "nested deeper than 64");
    expect_one_error("struct a {" + repeated(200'000, "union switch (int x) { case 0: "),
                     "nested deeper than 64");
    expect_one_error(repeated(200'000, "namespace a {"), "nested deeper than 64");
    parse_quickly(std::string(200'000, '}'));
    parse_quickly(std::string(200'000, '('));
    parse_quickly("typedef int a" + repeated(200'000, "[1]") + ";");
    parse_quickly("typedef int " + std::string(200'000, '*') + "a;");
}

TEST(Hostile, ALongChainOfTypedefs) {
    expect_one_error("typedef int t0;" +
                         repeated(kManyDefinitions,
                                  [](int i) { return fmt::format("typedef t{} t{};", i, i + 1); }),
                     "nested deeper than");
    expect_one_error(repeated(200'001, [](int i) { return fmt::format("typedef int t{};", i); }),
                     "more than 200000 definitions");
}

TEST(Hostile, ALongRingOfTypedefs) {
    const int count = 100'000;
    const Parsed parsed = parse_quickly(repeated(
        count, [](int i) { return fmt::format("typedef t{} t{};", (i + 1) % 100'000, i); }));
    EXPECT_FALSE(parsed.diagnostics.ok());
    EXPECT_NE(parsed.report().find("refers to itself: t0 -> t1"), std::string::npos);
}

TEST(Hostile, ALongRingOfStructs) {
    const auto ring = [](std::string_view format) {
        return repeated(kManyDefinitions, [format](int i) {
            return fmt::format(fmt::runtime(format), i, (i + 1) % kManyDefinitions);
        });
    };
    EXPECT_FALSE(parse_quickly(ring("struct s{} {{ s{} x; }};")).diagnostics.ok());
    expect_one_error(ring("struct s{} {{ s{} *x; }};"), "nested deeper than");
    // Every struct also closes its own cycle.
    EXPECT_FALSE(parse_quickly(ring("struct s{} {{ s{} x; s0 y; }};")).diagnostics.ok());
}

TEST(Hostile, ConstantsInAChainAndARing) {
    const int count = kManyDefinitions;
    const auto link = [](int i) { return fmt::format("const c{} = c{};", i, i + 1); };
    const Parsed chain =
        parse_quickly(repeated(count, link) + fmt::format("const c{} = 7;", count));
    ASSERT_NE(chain.schema, nullptr) << chain.report();
    EXPECT_EQ(chain.schema->constant("c0")->magnitude, 7u);
    expect_one_error(repeated(count, link) + fmt::format("const c{} = c0;", count),
                     "depends on itself");
}

TEST(Hostile, ManyEnumerators) {
    const Parsed parsed = parse_quickly(
        "enum e {" + repeated(200'000, [](int i) { return fmt::format("e{},", i); }) + "};");
    ASSERT_NE(parsed.schema, nullptr) << parsed.report();
    EXPECT_EQ(parsed.schema->type("e")->enumerator(199'999)->name, "e199999");
}

TEST(Hostile, AUnionWithAHundredThousandCases) {
    const auto enumerators = repeated(100'000, [](int i) { return fmt::format("e{},", i); });
    const auto cases = repeated(100'000, [](int i) { return fmt::format("case e{}: ", i); });
    const Parsed parsed =
        parse_quickly("enum e {" + enumerators + "}; union u switch (e x) {" + cases + " void; };");
    EXPECT_NE(parsed.schema, nullptr) << parsed.report();
}

TEST(Hostile, AHundredThousandMistakes) {
    const Parsed undefined = parse_quickly(
        "struct s {" +
        repeated(100'000, [](int i) { return fmt::format("type_{0} field_{0};", i); }) + "};" +
        repeated(50'000, [](int i) { return fmt::format("const typo_{} = 1;", i); }));
    EXPECT_TRUE(undefined.diagnostics.full());
    EXPECT_TRUE(parse_quickly(repeated(100'000, "struct s { int x; };\n")).diagnostics.full());
    EXPECT_FALSE(parse_quickly(repeated(100'000, "$ ")).diagnostics.ok());
    EXPECT_FALSE(parse_quickly(repeated(100'000, "struct\n")).diagnostics.ok());
    EXPECT_FALSE(parse_quickly(repeated(100'000, "#if 1\n")).diagnostics.ok());
    EXPECT_FALSE(parse_quickly(repeated(100'000, "\"")).diagnostics.ok());
}

TEST(Hostile, CommentsWithoutEnd) {
    EXPECT_NE(parse_quickly(repeated(200'000, "/**/")).schema, nullptr);
    EXPECT_NE(parse_quickly(repeated(100'000, "// x\n") + "const A = 1;").schema, nullptr);
    EXPECT_NE(parse_quickly("/*" + repeated(200'000, " @a") + "*/ const A = 1;").schema, nullptr);
    EXPECT_NE(parse_quickly("/*" + std::string(200'000, '@') + "*/ const A = 1;").schema, nullptr);
    EXPECT_NE(parse_quickly(repeated(100'000, "#pragma /* \n */\n")).schema, nullptr);
    EXPECT_FALSE(parse_quickly(repeated(100'000, "/* ")).diagnostics.ok());
    parse_quickly(repeated(100'000, "#a /* \n"));
}

TEST(Hostile, LongNamesOfNestedTypes) {
    const std::string name(200, 'n');
    const Parsed parsed =
        parse_quickly("struct a {" + repeated(20, "struct { ") + "int x;" +
                      repeated(20, [&](int i) { return fmt::format("}} {}{};", name, i); }) + "};");
    EXPECT_FALSE(parsed.diagnostics.ok());
}

// Sixty structs, each twice the size of the one before: nothing may take 2^60 steps or bytes.
TEST(Hostile, DoublingSizesSaturate) {
    const auto doubling = [](std::string_view first) {
        return std::string(first) + repeated(80, [](int i) {
                   return fmt::format("struct s{} {{ s{} a; s{} b; }};", i + 1, i, i);
               });
    };
    const Parsed parsed = parse_quickly(doubling("struct s0 { int x; };"));
    ASSERT_NE(parsed.schema, nullptr) << parsed.report();
    EXPECT_EQ(parsed.schema->type("s10")->wire_max, 4096u);
    EXPECT_EQ(parsed.schema->type("s60")->wire_max, std::uint64_t{1} << 62);
    EXPECT_EQ(parsed.schema->type("s61")->wire_max, kSizeUnlimited);
    EXPECT_EQ(parsed.schema->type("s80")->wire_min, kSizeUnlimited);
    EXPECT_FALSE(parse_quickly(doubling("struct s0 { };")).diagnostics.ok());
}

TEST(Hostile, AFileOverTheLimit) {
    expect_one_error(std::string(kSourceSizeMax + 1, ' '), "the limit is 16777216");
}

// Whatever a schema names ends up in generated C++: no byte outside [A-Za-z0-9_] may get there.
TEST(Hostile, NamesAreNames) {
    for (const char* text :
         {"struct a\"b { int x; };", "struct a\\b { int x; };", "const a;b = 1;",
          "struct \xC3\xA9 { int x; };", "enum e { A$B };", "struct s { int a.b; };",
          "namespace a\"b;", "program P' { version V { void A(void) = 1; } = 1; } = 1;"}) {
        EXPECT_EQ(parse("a.x", text).schema, nullptr) << text;
    }
}

}  // namespace
}  // namespace helio::idl::hostile_test
