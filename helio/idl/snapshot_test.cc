// Compares files of testdata/idl with their meaning (language/) or their diagnostics (errors/).
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "helio/idl/schema_dump_test.h"

namespace helio::idl::testing {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> schemas_in(const char* folder) {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(fs::path(HELIO_SOURCE_DIR) / folder)) {
        if (entry.path().extension() == ".x") found.push_back(entry.path());
    }
    std::sort(found.begin(), found.end());
    return found;
}

std::string stem(const ::testing::TestParamInfo<fs::path>& info) { return info.param.stem(); }

fs::path expected_beside(fs::path schema) { return schema.replace_extension(".txt"); }

class Language : public ::testing::TestWithParam<fs::path> {};
TEST_P(Language, MeansWhatItsTwinSays) {
    const Parsed parsed = parse_testdata(GetParam());
    ASSERT_NE(parsed.schema, nullptr) << parsed.report();
    expect_snapshot(expected_beside(GetParam()), parsed.report() + dump(*parsed.schema));
}
INSTANTIATE_TEST_SUITE_P(Idl, Language, ::testing::ValuesIn(schemas_in("testdata/idl/language")),
                         stem);

class Mistakes : public ::testing::TestWithParam<fs::path> {};
TEST_P(Mistakes, AreReportedAsItsTwinSays) {
    const Parsed parsed = parse_testdata(GetParam());
    EXPECT_EQ(parsed.schema, nullptr);
    expect_snapshot(expected_beside(GetParam()), parsed.report());
}
INSTANTIATE_TEST_SUITE_P(Idl, Mistakes, ::testing::ValuesIn(schemas_in("testdata/idl/errors")),
                         stem);

// The file numbers its mistakes; each must be reported once, on its line, and nothing else.
TEST(TwentyFiveMistakes, GiveTwentyFiveErrors) {
    const fs::path path = fs::path(HELIO_SOURCE_DIR) / "testdata/idl/errors/twenty_five.x";
    const Parsed parsed = parse_testdata(path);
    std::vector<std::string> numbers;
    for (const Diagnostic& each : parsed.diagnostics.items) {
        ASSERT_EQ(each.severity, Severity::error) << render(each, parsed.sources);
        const std::string line(parsed.sources.line_text(each.where));
        const std::size_t mark = line.rfind("/* ");
        ASSERT_NE(mark, std::string::npos) << render(each, parsed.sources);
        numbers.push_back(line.substr(mark + 3, line.rfind(" */") - mark - 3));
    }
    std::sort(numbers.begin(), numbers.end(),
              [](const auto& a, const auto& b) { return std::stoi(a) < std::stoi(b); });
    ASSERT_EQ(numbers.size(), 25u) << parsed.report();
    for (int i = 0; i < 25; ++i)
        EXPECT_EQ(numbers[static_cast<std::size_t>(i)], std::to_string(i + 1));
}

// The unchanged files that rpcsvc-proto and libtirpc-dev install.
TEST(SystemSchemas, AllParse) {
    std::size_t count = 0;
    for (const char* folder : {"/usr/include/rpcsvc", "/usr/include/tirpc"}) {
        if (!fs::exists(folder)) continue;
        for (const auto& entry : fs::recursive_directory_iterator(folder)) {
            if (entry.path().extension() != ".x") continue;
            ++count;
            const Parsed parsed = parse_file(entry.path());
            EXPECT_NE(parsed.schema, nullptr) << parsed.report();
        }
    }
    if (count == 0)
        GTEST_SKIP() << "no .x under /usr/include: install rpcsvc-proto and libtirpc-dev";
}

TEST(OwnSchemas, AllParse) {
    for (const fs::path& path : schemas_in("schema")) {
        const Parsed parsed = parse_file(path);
        EXPECT_NE(parsed.schema, nullptr) << parsed.report();
    }
}

}  // namespace
}  // namespace helio::idl::testing
