// The generator's output, word for word: the wire and the API cannot change by accident. The golden
// twins are checked in; SNAP_UPDATE=1 rewrites them, and the diff is reviewed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "helio/gen/generate.h"
#include "helio/idl/parse.h"

namespace helio::golden_test {
namespace {

const std::string kSource = HELIO_SOURCE_DIR;

std::string read(const std::filesystem::path& path) {
    std::ifstream in{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
}

void expect_golden(const std::string& schema, const gen::Options& options) {
    const auto parsed = idl::parse_file(schema);
    ASSERT_NE(parsed.schema, nullptr) << parsed.report();
    const bool update = std::getenv("SNAP_UPDATE") != nullptr;
    for (const auto& file : gen::generate(*parsed.schema, options)) {
        const std::filesystem::path twin = kSource + "/tests/generated_code/golden/" + file.name;
        if (update) {
            std::ofstream{twin, std::ios::binary} << file.text;
            continue;
        }
        EXPECT_EQ(read(twin), file.text) << twin << " differs; SNAP_UPDATE=1 rewrites it";
    }
}

TEST(GeneratorGolden, EveryConstruct) {
    expect_golden(kSource + "/tests/generated_code/constructs.x", {{"test"}, ""});
}
TEST(GeneratorGolden, Nfs3) { expect_golden(kSource + "/schema/nfs3.x", {{"helio"}, "schema/"}); }

// A schema may have a procedure of the name that the async function of another would get.
TEST(GeneratorGolden, ForeignAsyncNamesAreLeftAlone) {
    const auto parsed =
        idl::parse("names.x",
                   "program P { version V { void READ(void) = 1;\n"
                   "void READ_async(void) = 2; int WRITE(int) = 3; } = 1; } = 9;\n");
    ASSERT_NE(parsed.schema, nullptr) << parsed.report();
    std::string header;
    for (const auto& file : gen::generate(*parsed.schema, {}))
        if (file.name == "names_service.h") header = file.text;
    for (const char* const face :
         {"virtual void READ(", "virtual ::helio::Task<void> READ_async_(",
          "virtual void READ_async(", "virtual ::helio::Task<void> READ_async_async(",
          "virtual ::helio::Task<std::int32_t> WRITE_async("})
        EXPECT_NE(header.find(face), std::string::npos) << face << " in\n" << header;
}

// A procedure with the name of a generated class gives way to it.
TEST(GeneratorGolden, ProceduresNamedLikeGeneratedClassesGetAnUnderscore) {
    const auto parsed = idl::parse("names.x",
                                   "program P { version V { void Table(void) = 1;\n"
                                   "int Call(int) = 2; void info(void) = 3; } = 1; } = 9;\n");
    ASSERT_NE(parsed.schema, nullptr) << parsed.report();
    std::string header;
    for (const auto& file : gen::generate(*parsed.schema, {}))
        if (file.name == "names_service.h") header = file.text;
    for (const char* const line :
         {"Table_ = 1u,", "virtual void Table_(xdr::CallContext& call);",
          "xdr::Handler<Context, Call, std::int32_t(std::int32_t)> Call_{};",
          "virtual void info_(xdr::CallContext& call);", "struct Table {"})
        EXPECT_NE(header.find(line), std::string::npos) << line << " in\n" << header;
}

// Comments, names and annotations come from strangers; none of them becomes code.
TEST(GeneratorGolden, HostileCommentsStayComments) {
    const auto evil =
        idl::parse("evil.x",
                   "/* a backslash ends this line \\\n"
                   "   then system(1); \x01\x1b[2J */\n"
                   "struct innocent { int x; // *\\/ int y; \\\n };\n"
                   "program P { version V { void NULLPROC(void) = 0; /* @x \"); system(\"ls */\n"
                   "} = 1; } = 0x20000000;\n");
    ASSERT_NE(evil.schema, nullptr) << evil.report();
    for (const auto& file : gen::generate(*evil.schema, {})) {
        std::size_t at = 0;
        while ((at = file.text.find("system(", at)) != std::string::npos) {
            const std::size_t line = file.text.rfind('\n', at) + 1;
            const auto text = file.text.substr(line, file.text.find('\n', at) - line);
            const bool in_comment =
                text.find("//") != std::string::npos && text.find("//") < at - line;
            const auto before = text.substr(0, at - line);
            const bool in_literal = std::count(before.begin(), before.end(), '"') % 2 == 1;
            EXPECT_TRUE(in_comment || in_literal) << file.name << ": " << text;
            ++at;
        }
        EXPECT_EQ(file.text.find("\\\n"), std::string::npos) << file.name << " has a spliced line";
        EXPECT_EQ(file.text.find('\x1b'), std::string::npos) << file.name;
    }
}

}  // namespace
}  // namespace helio::golden_test
