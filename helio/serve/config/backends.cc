#include "helio/serve/config/backends.h"

#include <fmt/format.h>

#include "helio/backend/memory/memory_backend.h"
#include "helio/backend/posix/posix_backend.h"

namespace helio::serve {
namespace {

// Joins words: "a, b or c".
std::string joined(const std::vector<std::string>& words, std::string_view comma,
                   std::string_view last) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) text += i + 1 == words.size() ? last : comma;
        text += words[i];
    }
    return text;
}

std::string quoted(const vfs::BackendInfo& info, std::string_view noun, std::string_view quote) {
    return info.scheme.empty() ? std::string{noun} : fmt::format("{0}{1}{0}", quote, noun);
}

std::string type_of(const vfs::BackendSetting& setting) {
    struct {
        std::string operator()(bool value) const {
            return fmt::format("true or false; default {}", value);
        }
        std::string operator()(std::uint64_t value) const {
            return fmt::format("{} to {}; default {}", setting.least, setting.most, value);
        }
        std::string operator()(const std::string& value) const {
            return fmt::format("a string; default '{}'", value);
        }
        const vfs::BackendSetting& setting;
    } const visitor{setting};
    return std::visit(visitor, setting.default_value);
}

}  // namespace

const vfs::BackendTable& linked_backends() {
    static const vfs::BackendTable table{{
        &backend::posix_backend(),
        &backend::memory_backend(),
    }};
    return table;
}

std::string source_usage(const vfs::BackendTable& backends) {
    std::vector<std::string> words;
    for (const vfs::Backend* const backend : backends.all()) {
        const std::string usage{backend->info().usage};
        words.push_back(usage);
        words.push_back("NAME=" + usage);
    }
    return joined(words, ", ", " or ");
}

std::string source_nouns(const vfs::BackendTable& backends, std::string_view quote) {
    std::vector<std::string> words;
    for (const vfs::Backend* const backend : backends.all())
        words.push_back(quoted(backend->info(), backend->info().noun, quote));
    return joined(words, ", ", ", or ");
}

std::string not_a_source(const vfs::BackendTable& backends) {
    std::vector<std::string> words;
    for (const vfs::Backend* const backend : backends.all())
        words.push_back(quoted(backend->info(), backend->info().noun_in_file, "'"));
    if (words.size() == 2) return "is neither " + joined(words, {}, " nor ");
    return (words.size() == 1 ? "is not " : "is not one of ") + joined(words, ", ", ", ");
}

std::string settings_help(const vfs::BackendTable& backends) {
    std::string text;
    for (const vfs::Backend* const backend : backends.all()) {
        const vfs::BackendInfo& info = backend->info();
        if (info.settings.empty()) continue;
        text += fmt::format("Settings for exports of {} in the configuration file:\n",
                            quoted(info, info.noun, "'"));
        for (const vfs::BackendSetting& setting : info.settings)
            text += fmt::format("  {:<16}  {} ({})\n", setting.key, setting.help, type_of(setting));
    }
    return text;
}

}  // namespace helio::serve
