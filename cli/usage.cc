#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/usage_internal.h"
#include "helio/base/text/escape.h"
#include "helio/base/text/nearest.h"

namespace helio::cli {
namespace {

bool looks_like_flag(std::string_view word) { return word.size() > 1 && word[0] == '-'; }

// "--listen" of "--listen=:2049"
std::string name_of(const std::string& flag) { return flag.substr(0, flag.find('=')); }

// Flags of an app with their dashes.
std::vector<std::string> flags_of(const CLI::App& app) {
    std::vector<std::string> out;
    for (const CLI::Option* const one : app.get_options()) {
        for (const auto& name : one->get_lnames()) out.push_back("--" + name);
        for (const auto& name : one->get_snames()) out.push_back("-" + name);
    }
    return out;
}

}  // namespace

const Command* Usage::find(const Command& at, std::string_view name) {
    for (const auto& one : at.subcommands_)
        if (one->app_->get_name() == name) return one.get();
    return nullptr;
}

std::string Usage::path_of(const Command& at) {
    std::string path = at.app_->get_name();
    for (const CLI::App* up = at.app_->get_parent(); up != nullptr; up = up->get_parent())
        path = up->get_name() + " " + path;
    return path;
}

const Command& Usage::chosen() const {
    const Command* at = &root_;
    while (!at->app_->get_subcommands().empty())
        at = find(*at, at->app_->get_subcommands().back()->get_name());
    return *at;
}

bool Usage::is_known_flag_with_value(const Command& at, const std::string& word) const {
    const CLI::Option* const option = at.app_->get_option_no_throw(word);
    return option != nullptr && option->get_items_expected_min() > 0;
}

std::vector<std::string> Usage::resolve_verbs(const std::vector<std::string>& words) const {
    std::vector<std::string> out;
    const Command* at = &root_;
    bool wants_help = false;
    std::size_t i = 0;
    for (; i < words.size() && !at->subcommands_.empty(); ++i) {
        const std::string& word = words[i];
        if (looks_like_flag(word)) {
            out.push_back(word);
            if (is_known_flag_with_value(*at, word) && i + 1 < words.size())
                out.push_back(words[++i]);
            continue;
        }
        if (const Command* const verb = find(*at, word)) {
            out.push_back(word);
            at = verb;
        } else if (at->app_->get_require_subcommand_min() == 0) {
            break;  // an argument
        } else if (word == "help") {
            wants_help = true;
        } else if (word == "version" && root_.app_->get_version_ptr() != nullptr) {
            return {"--version"};
        } else {
            throw UsageError(unknown_verb(*at, word));
        }
    }
    out.insert(out.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
    if (wants_help) out.emplace_back("--help");
    return out;
}

std::string Usage::unknown_verb(const Command& at, const std::string& word) const {
    const std::string path = path_of(at);
    const std::string said = fmt::format("'{}' is not a verb of {}", printable(word), path);
    Nearest nearest{word};
    for (const auto& one : at.subcommands_) nearest.offer(one->app_->get_name());
    if (!nearest.found().empty())
        return fmt::format("{}; did you mean '{}'?", said, nearest.found());
    // A subcommand without its verb: `helio decode`.
    for (const auto& one : at.subcommands_)
        if (find(*one, word) != nullptr)
            return fmt::format("{}; did you mean '{} {}'?", said, path_of(*one), word);
    return fmt::format("{}; '{} --help' lists them{}{}", said, path,
                       at.verb_hint_.empty() ? "" : "; ", at.verb_hint_);
}

std::string Usage::unknown_flag(const Command& at, const std::string& word) const {
    const std::string name = name_of(word);
    const std::string said = fmt::format("unknown flag {}", printable(name));
    const auto hint = at.flag_hints_.find(name);
    if (hint != at.flag_hints_.end()) return said + "; " + hint->second;
    std::vector<std::string> flags = flags_of(*at.app_);
    if (at.app_->get_fallthrough())
        for (auto& flag : flags_of(*at.app_->get_parent())) flags.push_back(std::move(flag));
    Nearest nearest{name};
    // For a single letter, all are equally near.
    for (const auto& flag : flags)
        if (name.size() > 2 && flag.size() > 2) nearest.offer(flag);
    std::string found{nearest.found()};
    for (const auto& flag : flags)
        if (found.empty() && name.size() > 3 && flag.starts_with(name)) found = flag;
    if (!found.empty()) return fmt::format("{}; did you mean {}?", said, found);
    return fmt::format("{}; '{} --help' lists the flags", said, path_of(at));
}

std::string Usage::sentence(const CLI::ParseError& error) const {
    const Command& at = chosen();
    const std::string path = path_of(at);
    std::string unexpected;
    for (const CLI::App* app = at.app_; app != nullptr; app = app->get_parent())
        for (const auto& word : app->remaining()) {
            if (looks_like_flag(word)) return unknown_flag(at, word);
            unexpected = word;
        }
    if (!unexpected.empty())
        return fmt::format("unexpected argument '{}'; '{} --help' shows the usage",
                           printable(unexpected), path);
    if (at.app_->get_require_subcommand_min() > 0)
        return fmt::format("a verb is missing; '{} --help' lists them", path);
    const std::string text = error.what();
    if (error.get_name() == "RequiredError")
        return fmt::format("{}; '{} --help' shows the usage", text, path);
    if (error.get_name() == "ArgumentMismatch" && text.ends_with(" missing"))
        return fmt::format("{} needs a value; '{} --help' shows the usage",
                           text.substr(0, text.find(':')), path);
    return text;
}

}  // namespace helio::cli
