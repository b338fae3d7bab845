#include "helio/serve/log.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <regex>
#include <string>

namespace helio::serve::log_test {
namespace {

struct Captured {
    Captured() { EXPECT_EQ(pipe(ends), 0); }
    ~Captured() {
        close(ends[0]);
        close(ends[1]);
    }
    std::string line() {
        char text[4096];
        const ssize_t got = read(ends[0], text, sizeof text);
        return {text, got > 0 ? static_cast<std::size_t>(got) : 0};
    }
    int ends[2];
};

TEST(Log, TextAndJson) {
    Captured out;
    const Log text{out.ends[1], LogFormat::text, LogLevel::info};
    text.write(LogLevel::debug, "nfs", "not wanted");
    text.write(LogLevel::warning, "nfs", "nfs: two\nlines", {{"export", "/a b"}});
    EXPECT_TRUE(std::regex_match(
        out.line(),
        std::regex(
            R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z warning nfs: two\\nlines export=/a b\n)")));
    const Log json{out.ends[1], LogFormat::json, LogLevel::debug};
    json.write(LogLevel::error, "serve", "no \"room\"", {{"why", "x"}});
    EXPECT_TRUE(std::regex_match(
        out.line(),
        std::regex(
            R"(\{"time": "[-0-9T:.]+Z", "level": "error", "area": "serve", "message": "no \\"room\\"", "why": "x"\}\n)")));
}

TEST(Log, AnEventIsASentenceForPeopleAndFieldsForMachines) {
    Captured out;
    const std::array<LogField, 3> fields{
        {{"export", "/a"}, {"uid", std::uint64_t{7}}, {"forged", true}}};
    const LogEvent event{"nfs: /a is not for uid 7", fields};
    const Log text{out.ends[1], LogFormat::text, LogLevel::info};
    text.write(LogLevel::warning, "nfs", event);
    EXPECT_TRUE(out.line().ends_with("Z warning nfs: /a is not for uid 7\n"));
    const Log json{out.ends[1], LogFormat::json, LogLevel::info};
    json.write(LogLevel::warning, "nfs", event);
    EXPECT_TRUE(out.line().ends_with(
        R"("message": "/a is not for uid 7", "export": "/a", "uid": 7, "forged": true})"
        "\n"));
    // Fields that the message does not repeat follow it.
    text.write(LogLevel::info, "serve", "reloaded", {{"exports", std::uint64_t{3}}});
    EXPECT_TRUE(out.line().ends_with("reloaded exports=3\n"));
}

}  // namespace
}  // namespace helio::serve::log_test
