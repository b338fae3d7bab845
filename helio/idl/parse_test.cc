// What the snapshots cannot show: lookups, locations, loaders, files, single rules.
#include "helio/idl/parse.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>

#include "helio/idl/schema_dump_test.h"
#include "helio/idl/syntax/condition_internal.h"
#include "helio/idl/syntax/number_internal.h"

namespace helio::idl::parse_test {
namespace {

using Files = std::map<std::string, std::string, std::less<>>;

Loader loader_of(const Files& files) {
    return [files](std::string_view name, std::string_view) -> std::optional<LoadedText> {
        const auto found = files.find(name);
        if (found == files.end()) return std::nullopt;
        return LoadedText{found->first, found->second};
    };
}

TEST(Schema, FindsWhatItHolds) {
    const Parsed parsed = parse("dir/calc.x", R"(
        const A = 1;
        enum color { RED = 5, ALSO_RED = 5, BLUE = -1 };
        union u switch (color c) { case RED: int x; case BLUE: void; };
        union d switch (unsigned int n) { default: void; case 4294967295: int x; };
        program P { version V { void N(void) = 0; int ADD(int) = 7; } = 3; } = 99;
    )");
    ASSERT_NE(parsed.schema, nullptr) << parsed.report();
    const Schema& schema = *parsed.schema;
    EXPECT_EQ(schema.name, "calc");
    EXPECT_EQ(schema.type("nothing"), nullptr);
    EXPECT_EQ(schema.constant("RED"), nullptr) << "enumerators are in their type";
    ASSERT_NE(schema.constant("A"), nullptr);
    EXPECT_EQ(schema.constant("A")->magnitude, 1u);

    const Type& color = *schema.type("color");
    EXPECT_EQ(color.enumerator(5)->name, "RED") << "the first of two";
    EXPECT_EQ(color.enumerator("ALSO_RED")->value, 5);
    EXPECT_EQ(color.enumerator(6), nullptr);
    const Type& u = *schema.type("u");
    EXPECT_EQ(u.arm_for(5)->field.name, "x");
    EXPECT_EQ(u.arm_for(-1)->field.type->kind, Kind::void_);
    EXPECT_EQ(u.arm_for(0), nullptr);
    const Type& d = *schema.type("d");
    EXPECT_EQ(d.arm_for(4294967295)->field.name, "x");
    EXPECT_TRUE(d.arm_for(0)->is_default);

    ASSERT_EQ(schema.programs.size(), 1u);
    const Version* version = schema.programs[0].version(3);
    ASSERT_NE(version, nullptr);
    EXPECT_EQ(version->procedure(7)->name, "ADD");
    EXPECT_EQ(version->procedure(1), nullptr);
    EXPECT_EQ(schema.programs[0].version(1), nullptr);
}

TEST(Schema, KnowsWhereThingsStand) {
    const Parsed parsed = parse("a.x", "struct s { int field; };\nenum e { A };");
    ASSERT_NE(parsed.schema, nullptr);
    const Schema& schema = *parsed.schema;
    const auto at = [&](Location where) { return std::string(schema.sources.text(where)); };
    EXPECT_EQ(at(schema.type("s")->where), "s");
    EXPECT_EQ(at(schema.type("s")->fields[0].where), "field");
    EXPECT_EQ(at(schema.type("e")->enumerators[0].where), "A");
}

TEST(Schema, BuiltinsAreShared) {
    const Parsed parsed = parse("a.x", "struct s { int a; long b; hyper c; };");
    ASSERT_NE(parsed.schema, nullptr);
    const auto& fields = parsed.schema->type("s")->fields;
    EXPECT_EQ(fields[0].type, fields[1].type);
    EXPECT_EQ(fields[0].type, &parsed.schema->builtin(Kind::int_));
    EXPECT_EQ(fields[2].type->wire_min, 8u);
}

TEST(Parse, AnEmptyFileIsASchema) {
    for (const char* text :
         {"", "\n", "/* only this */", "%only this\n", "#if 0\njunk\n#endif\n"}) {
        const Parsed parsed = parse("a.x", text);
        EXPECT_NE(parsed.schema, nullptr) << text << parsed.report();
    }
    EXPECT_EQ(parse("a.x", "/* only this */").schema->doc, "only this");
}

TEST(Parse, ImportsComeFirstAndAreReadOnce) {
    const Parsed parsed =
        parse("main.x", "#include \"a.x\"\n#include \"b.x\"\nstruct m { a x; b y; };",
              loader_of({{"a.x", "#include \"b.x\"\nstruct a { b x; };"},
                         {"b.x", "#include \"a.x\"\nstruct b { int x; };"}}));
    ASSERT_NE(parsed.schema, nullptr) << parsed.report();
    EXPECT_EQ(testing::dump(*parsed.schema),
              "struct b { int x }  // 4\nstruct a { b x }  // 4\nstruct m { a x; b y }  // 8\n");
    const Schema& schema = *parsed.schema;
    ASSERT_EQ(schema.imports.size(), 2u);
    EXPECT_EQ(schema.sources.files[schema.imports[0]].name, "a.x");
    EXPECT_EQ(schema.sources.files[schema.imports[1]].name, "b.x");
    EXPECT_EQ(schema.type("m")->where.file, 0u);
}

TEST(Parse, AnErrorInAnImportShowsThatFile) {
    const Parsed parsed =
        parse("main.x", "#include \"a.x\"\n", loader_of({{"a.x", "struct s { nope x; };"}}));
    EXPECT_EQ(parsed.schema, nullptr);
    EXPECT_EQ(parsed.report().find("a.x:1:12: error: type 'nope' is not defined"), 0u)
        << parsed.report();
}

TEST(Parse, WithoutLoaderNothingIsImported) {
    const Parsed parsed = parse("main.x", "#include \"a.x\"\n");
    EXPECT_EQ(parsed.diagnostics.items.at(0).message, "cannot find 'a.x'");
}

TEST(Parse, AMillionImportsStopAtTheLimit) {
    const Loader endless = [](std::string_view name,
                              std::string_view) -> std::optional<LoadedText> {
        return LoadedText{std::string(name), fmt::format("#include \"x{}\"\n", name)};
    };
    const Parsed parsed = parse("a.x", "#include \"b.x\"\n", endless);
    EXPECT_EQ(parsed.diagnostics.error_count, 1u) << parsed.report();
    EXPECT_EQ(parsed.sources.files.size(), kImportsMax + 1);
}

// A name from <rpc/rpc.h> is defined where it is first used, so that the generated code for this
// file contains it.
TEST(Parse, SystemTypesBelongToTheirUser) {
    const Parsed parsed = parse("a.x", "struct s { netobj cookie; struct netbuf b; };");
    ASSERT_NE(parsed.schema, nullptr) << parsed.report();
    EXPECT_EQ(testing::dump(*parsed.schema),
              "typedef opaque<1024> netobj  // 4..1028\n"
              "struct netbuf { unsigned int maxlen; opaque<> buf }  // 8..4294967304\n"
              "struct s { netobj cookie; netbuf b }  // 12..4294968332\n");
    EXPECT_EQ(parsed.schema->sources.text(parsed.schema->type("netobj")->where), "netobj");
    const Parsed own = parse("a.x", "typedef opaque netobj<8>; struct s { netobj n; };");
    ASSERT_NE(own.schema, nullptr) << own.report();
    EXPECT_EQ(own.schema->type("s")->wire_max, 12u) << "the schema's own definition wins";
}

TEST(Parse, HeaderDefinesFillInWhatIsMissing) {
    const Parsed parsed =
        parse("a.x",
              "%#define LEN 10\n%#define MORE (LEN + 1)\n%#define UNUSED 3\n"
              "%#define CHAIN MORE\n%#define (broken\n%#define BIG 99999999999999999999\n"
              "struct s { opaque a<MORE>; opaque b<CHAIN>; };");
    ASSERT_NE(parsed.schema, nullptr) << parsed.report();
    EXPECT_EQ(parsed.schema->type("s")->fields[1].type->bound, 11u);
    EXPECT_EQ(parsed.schema->constant("UNUSED"), nullptr);
}

TEST(Parse, AProgramMayBeSpreadOverFiles) {
    const Files files{{"two.x", "program N { version V2 { void A(void) = 0; } = 2; } = 7;"}};
    const Parsed parsed = parse("three.x",
                                "#include \"two.x\"\n"
                                "program N { version V3 { void A(void) = 0; } = 3; } = 7;",
                                loader_of(files));
    ASSERT_NE(parsed.schema, nullptr) << parsed.report();
    ASSERT_EQ(parsed.schema->programs.size(), 1u);
    EXPECT_EQ(parsed.schema->programs[0].versions.size(), 2u);
    const Parsed again = parse("three.x",
                               "#include \"two.x\"\n"
                               "program N { version V3 { void A(void) = 0; } = 2; } = 7;",
                               loader_of(files));
    EXPECT_EQ(again.diagnostics.error_count, 1u) << again.report();
}

TEST(ParseFile, OneFileUnderTwoPathsIsReadOnce) {
    const auto folder =
        std::filesystem::temp_directory_path() / fmt::format("helio_idl_{}", ::getpid());
    std::filesystem::create_directory(folder);
    std::ofstream(folder / "a.x") << "#include \"b.x\"\nstruct a { b x; };";
    std::ofstream(folder / "b.x") << "#include \"./a.x\"\nstruct b { int x; };";
    const Parsed parsed = parse_file(folder / "." / "a.x");
    EXPECT_NE(parsed.schema, nullptr) << parsed.report();
    EXPECT_EQ(parsed.sources.files.size(), 2u);
    std::filesystem::remove_all(folder);
}

TEST(ParseFile, SaysWhyAFileCannotBeRead) {
    EXPECT_EQ(parse_file("/nonexistent/a.x").report(),
              "/nonexistent/a.x:1:1: error: cannot read the file: No such file or directory\n");
    EXPECT_EQ(parse_file("/").report(), "/:1:1: error: cannot read the file: is a directory\n");
}

TEST(Number, ReadsWhatCReads) {
    struct Row {
        std::string_view digits;
        NumberFault fault;
        std::uint64_t value;
    };
    const Row rows[] = {
        {"0", NumberFault::none, 0},
        {"00", NumberFault::none, 0},
        {"017", NumberFault::none, 15},
        {"08", NumberFault::malformed, 0},
        {"0xfF", NumberFault::none, 255},
        {"0x", NumberFault::malformed, 0},
        {"0xg", NumberFault::malformed, 0},
        {"10UL", NumberFault::none, 10},
        {"10ULLL", NumberFault::malformed, 0},
        {"UL", NumberFault::malformed, 0},
        {"", NumberFault::malformed, 0},
        {"1.5", NumberFault::malformed, 0},
        {"18446744073709551615", NumberFault::none, 18446744073709551615u},
        {"18446744073709551616", NumberFault::too_large, 0},
        {"0x10000000000000000", NumberFault::too_large, 0},
        {"99999999999999999999999z", NumberFault::malformed, 0},
    };
    for (const Row& row : rows) {
        const Number number = read_number(row.digits);
        EXPECT_EQ(number.fault, row.fault) << row.digits;
        if (row.fault == NumberFault::none) {
            EXPECT_EQ(number.magnitude, row.value) << row.digits;
        }
    }
}

TEST(Integer, KnowsItsRanges) {
    EXPECT_FALSE(Integer::make(true, (std::uint64_t{1} << 63) + 1));
    EXPECT_EQ((Integer{true, 2147483648u}).as_int32(), -2147483647 - 1);
    EXPECT_FALSE((Integer{true, 2147483649u}).as_int32());
    EXPECT_FALSE((Integer{false, 2147483648u}).as_int32());
    EXPECT_FALSE((Integer{true, 1}).as_uint32());
    EXPECT_EQ((Integer{true, 1}).plus_one(), (Integer{false, 0}));
    EXPECT_FALSE((Integer{false, ~std::uint64_t{0}}).plus_one());
}

TEST(Condition, EvaluatesAsCDoes) {
    const Macros macros{{"ONE", 1}, {"EMPTY", std::nullopt}};
    struct Row {
        std::string_view text;
        std::optional<std::int64_t> value;
    };
    const Row rows[] = {
        {"1", 1},
        {"ONE + 2 * 3", 7},
        {"(1 + 2) * 3", 9},
        {"10 - 3 - 2", 5},
        {"1 << 4 | 1", 17},
        {"!ONE", 0},
        {"!!5", 1},
        {"-3 < 2 && 2 >= 2", 1},
        {"0 || UNKNOWN", 0},
        {"defined ONE", 1},
        {"defined(EMPTY) && !defined(OTHER)", 1},
        {"7 % 4 == 3", 1},
        {"1 != 1", 0},
        {"6 & 3", 2},
        {"1 / 0", std::nullopt},
        {"1 +", std::nullopt},
        {"(1", std::nullopt},
        {"", std::nullopt},
        {"1 2", std::nullopt},
        {"1 << 64", std::nullopt},
        {"\"a\"", std::nullopt},
        {"-9223372036854775807 - 1", std::numeric_limits<std::int64_t>::min()},
        {"(-9223372036854775807 - 1) / -1", std::numeric_limits<std::int64_t>::min()},
        {"(-9223372036854775807 - 1) % -1", 0},
    };
    for (const Row& row : rows)
        EXPECT_EQ(evaluate_condition(row.text, macros), row.value) << row.text;
    EXPECT_EQ(evaluate_condition("OTHER + 1", macros, UnknownName::fault), std::nullopt);
    EXPECT_EQ(evaluate_condition(std::string(100'000, '(') + "1", macros), std::nullopt);
    EXPECT_EQ(evaluate_condition(std::string(100'000, '!') + "1", macros), std::nullopt);
}

}  // namespace
}  // namespace helio::idl::parse_test
