// Tests the promises of fmt on every .x file of this machine: ours, and those of libc and libtirpc.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "helio/idl/breaking/breaking.h"
#include "helio/idl/format/format.h"
#include "helio/idl/format/meaning_internal.h"
#include "helio/idl/parse.h"
#include "helio/idl/syntax/comments_internal.h"
#include "helio/idl/syntax/token.h"

namespace helio::idl::corpus_test {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> corpus() {
    std::vector<fs::path> paths;
    for (const char* folder : {HELIO_SOURCE_DIR "/schema", "/usr/include/rpcsvc",
                               "/usr/include/tirpc", HELIO_SOURCE_DIR "/testdata/idl_tools"}) {
        std::error_code none;
        for (const auto& entry : fs::recursive_directory_iterator(folder, none)) {
            if (entry.path().extension() == ".x") paths.push_back(entry.path());
        }
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

std::string read(const fs::path& path) {
    std::ifstream in{path};
    return {std::istreambuf_iterator<char>{in}, {}};
}

// Imports are beside the file, wherever its text now comes from.
Loader beside(const fs::path& path) {
    return [path](std::string_view name, std::string_view) -> std::optional<LoadedText> {
        const auto import = path.parent_path() / name;
        if (!fs::exists(import)) return std::nullopt;
        return LoadedText{import.string(), read(import)};
    };
}

std::vector<Token> tokens_of(SourceSet& sources, const std::string& text) {
    Diagnostics unused;
    return tokenize(sources, sources.add("t.x", text), unused);
}

std::size_t count_kept(const std::string& text) {
    SourceSet sources;
    const auto tokens = tokens_of(sources, text);
    return static_cast<std::size_t>(
        std::count_if(tokens.begin(), tokens.end(), [](const Token& token) {
            return is_comment(token) || token.kind == TokenKind::directive ||
                   token.kind == TokenKind::passthrough;
        }));
}

TEST(FormatCorpus, UntidyBecomesTidy) {
    const std::string folder = HELIO_SOURCE_DIR "/testdata/idl_tools/";
    const auto formatted = format_file(folder + "untidy.x");
    ASSERT_TRUE(formatted.text) << formatted.report();
    EXPECT_EQ(*formatted.text, read(folder + "tidy.x"));
}

// Ours are kept as `helio fmt` writes them.
TEST(FormatCorpus, OurSchemasAreTidy) {
    for (const auto& path : corpus()) {
        if (path.parent_path() != HELIO_SOURCE_DIR "/schema") continue;
        const auto formatted = format_file(path.string());
        ASSERT_TRUE(formatted.text) << formatted.report();
        EXPECT_EQ(*formatted.text, read(path)) << "run helio fmt --write " << path;
    }
}

TEST(FormatCorpus, SecondRunChangesNothing) {
    std::size_t count = 0;
    for (const auto& path : corpus()) {
        const auto once = format_file(path.string());
        if (!once.text) continue;  // what it includes is not on this machine
        ++count;
        const auto parsed = parse(path.string(), *once.text, beside(path));
        ASSERT_TRUE(parsed.schema) << path << "\n" << parsed.report();
        const auto again = format(path.string(), *once.text, beside(path));
        ASSERT_TRUE(again.text) << path;
        EXPECT_EQ(*again.text, *once.text) << path;
    }
    EXPECT_GE(count, 30u) << "the corpus has shrunk";
}

TEST(FormatCorpus, KeepsMeaningAndEveryComment) {
    for (const auto& path : corpus()) {
        const auto once = format_file(path.string());
        if (!once.text) continue;
        const auto before = parse_file(path.string());
        const auto after = parse(path.string(), *once.text, beside(path));
        ASSERT_TRUE(before.schema && after.schema) << path;
        EXPECT_EQ(meaning(*before.schema), meaning(*after.schema)) << path;
        EXPECT_TRUE(compare(*before.schema, *after.schema).empty()) << path;
        EXPECT_EQ(count_kept(read(path)), count_kept(*once.text)) << path;
    }
}

// Replaces spacing that the layout ignores by other spacing of the same kind.
class Respacer {
 public:
    explicit Respacer(std::uint32_t seed) : random_{seed} {}

    std::string respace(const std::string& text) {
        SourceSet sources;
        const auto tokens = tokens_of(sources, text);
        std::string out;
        std::size_t end = 0;
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            const auto gap = text.substr(end, tokens[i].where.offset - end);
            out += i == 0 ? gap : other_gap(gap, tokens[i - 1], tokens[i]);
            out += tokens[i].text;
            end = tokens[i].where.offset + tokens[i].text.size();
        }
        return out;
    }

 private:
    static bool is_word(const Token& token) {
        return token.kind == TokenKind::identifier || token.kind == TokenKind::number ||
               token.kind == TokenKind::punctuation || token.kind == TokenKind::text;
    }

    std::string blanks() {
        static constexpr const char* kChoices[] = {" ", "  ", "\t", " \t "};
        return kChoices[random_() % std::size(kChoices)];
    }

    std::string other_gap(const std::string& gap, const Token& before, const Token& after) {
        const auto newlines = std::count(gap.begin(), gap.end(), '\n');
        if (newlines > 1) return std::string(2 + random_() % 3, '\n');
        if (is_word(before) && is_word(after)) {
            const bool tight =
                before.kind == TokenKind::punctuation || after.kind == TokenKind::punctuation;
            switch (random_() % 4) {
                case 0:
                    return tight ? "" : " ";
                case 1:
                    return blanks() + "\n" + blanks();
                default:
                    return blanks();
            }
        }
        // Next to a comment, only whether it is on the same line matters, and its number of lines.
        const bool plain = after.text.find('\n') == std::string_view::npos;
        if (newlines == 0) return plain ? blanks() : gap;
        const bool foreign = !is_word(after) && !is_comment(after);
        return foreign || !plain ? gap : "\n" + blanks();
    }

    std::mt19937 random_;
};

bool has_stars(std::string_view comment) {
    for (auto end = comment.find('\n'); end != std::string_view::npos; end = comment.find('\n')) {
        comment.remove_prefix(end + 1);
        const auto first = comment.find_first_not_of(" \t");
        if (first == std::string_view::npos || comment[first] != '*') return false;
    }
    return true;
}

// Comments whose lines have no star keep their layout relative to where they begin, and one below a
// comment after code may continue it: for those the author's columns matter.
bool depends_on_columns(const std::string& text) {
    SourceSet sources;
    const auto tokens = tokens_of(sources, text);
    const auto same_line = [&](const Token& before, const Token& after) {
        const auto end = before.where.offset + before.text.size();
        return text.substr(end, after.where.offset - end).find('\n') == std::string::npos;
    };
    for (std::size_t i = 2; i < tokens.size(); ++i) {
        if (!is_comment(tokens[i])) continue;
        const bool under_one_behind =
            is_comment(tokens[i - 1]) && same_line(tokens[i - 2], tokens[i - 1]);
        if (under_one_behind || !has_stars(tokens[i].text)) return true;
    }
    return false;
}

TEST(FormatCorpus, SpacingOfWordsDoesNotMatter) {
    std::size_t count = 0;
    for (const auto& path : corpus()) {
        const auto once = format_file(path.string());
        if (!once.text || once.text->size() > 60'000 || depends_on_columns(*once.text)) continue;
        ++count;
        for (std::uint32_t seed = 0; seed < 6; ++seed) {
            const auto text = Respacer{seed}.respace(*once.text);
            const auto again =
                format(path.string(), text, [&](std::string_view name, std::string_view) {
                    const auto import = path.parent_path() / name;
                    return std::optional<LoadedText>{{import.string(), read(import)}};
                });
            ASSERT_TRUE(again.text) << path << " seed " << seed << "\n" << again.report();
            ASSERT_EQ(*again.text, *once.text) << path << " seed " << seed << "\n" << text;
        }
    }
    EXPECT_GE(count, 10u);
}

// Adds comments, blank lines and foreign lines in unexpected places.
std::string sprinkled(const std::string& text, std::uint32_t seed) {
    static constexpr const char* kGaps[] = {
        "\n",
        "\n\n\n",
        "/* c */",
        " /* @c d */ ",
        "\n/* c */\n",
        " // c\n",
        "\n\n// c\n",
        "\n    // c\n",
        "\n%p  q\n",
        "\n/* c */",
        " /* c */\n",
        " /* c\n d */ ",
        "\n  /* c\n * d */\n",
        "\n/* c */\n\n",
        "\t/* c\t*/\t/* d */",
    };
    SourceSet sources;
    const auto tokens = tokens_of(sources, text);
    std::mt19937 random{seed};
    std::string out;
    std::size_t end = 0;
    for (const auto& token : tokens) {
        out += text.substr(end, token.where.offset - end);
        if (random() % 16 == 0) out += kGaps[random() % std::size(kGaps)];
        out += token.text;
        end = token.where.offset + token.text.size();
    }
    return out;
}

TEST(FormatCorpus, WhateverIsPutBetweenWordsStays) {
    const auto text = read(HELIO_SOURCE_DIR "/testdata/idl_tools/tidy.x");
    std::size_t count = 0;
    for (std::uint32_t seed = 0; seed < 2000; ++seed) {
        const auto input = sprinkled(text, seed);
        const auto before = parse("t.x", input);
        if (!before.schema) continue;  // a % line or a comment inside a # line
        ++count;
        const auto once = format("t.x", input);
        ASSERT_TRUE(once.text) << once.report();
        const auto again = format("t.x", *once.text);
        ASSERT_TRUE(again.text) << again.report();
        ASSERT_EQ(*once.text, *again.text) << "seed " << seed << "\n" << input;
        ASSERT_EQ(count_kept(input), count_kept(*once.text)) << "seed " << seed << "\n" << input;
        const auto after = parse("t.x", *once.text);
        ASSERT_TRUE(after.schema) << after.report();
        ASSERT_EQ(meaning(*before.schema), meaning(*after.schema)) << "seed " << seed << "\n"
                                                                   << input << "\n=====\n"
                                                                   << *once.text;
    }
    EXPECT_GE(count, 1500u);
}

}  // namespace
}  // namespace helio::idl::corpus_test
