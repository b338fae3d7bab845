#include "cli/command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <limits>
#include <type_traits>
#include <utility>

#include "cli/usage_internal.h"

namespace helio::cli {
namespace {

// The parser's own message about an argument that is not a number names neither the flag nor the
// text.
template <class T>
void check_number(CLI::Option& option) {
    const auto check = [](std::string& text) {
        T number{};
        if (CLI::detail::lexical_cast(text, number)) return std::string{};
        return "'" + text + "' is not a " + (std::is_integral_v<T> ? "whole " : "") + "number" +
               (std::is_unsigned_v<T>
                    ? " from 0 to " + std::to_string(std::numeric_limits<T>::max())
                    : "");
    };
    option.check(CLI::Validator{check, ""});
}

}  // namespace

std::string check_existing_file(const std::string& path) { return CLI::ExistingFile(path); }

void throw_required(const std::string& name) { throw CLI::RequiredError(name); }

// ---- Option ----

Option* Option::required() {
    option_->required();
    return this;
}

Option* Option::excludes(const Option* other) {
    option_->excludes(other->option_);
    return this;
}

Option* Option::needs(const Option* other) {
    option_->needs(other->option_);
    return this;
}

Option* Option::type_name(std::string name) {
    option_->type_name(std::move(name));
    return this;
}

Option* Option::capture_default_str() {
    option_->capture_default_str();
    return this;
}

Option* Option::delimiter(char character) {
    option_->delimiter(character);
    return this;
}

Option* Option::allow_extra_args(bool allow) {
    option_->allow_extra_args(allow);
    return this;
}

Option* Option::check(Check check, std::string name) {
    option_->check(CLI::Validator{
        [check = std::move(check)](std::string& text) { return check(text); }, std::move(name)});
    return this;
}

Option* Option::existing_file() {
    option_->check(CLI::ExistingFile);
    return this;
}

Option* Option::range(std::uint32_t min, std::uint32_t max) {
    option_->check(CLI::Range(min, max));
    return this;
}

Option* Option::range(std::uint64_t min, std::uint64_t max) {
    option_->check(CLI::Range(min, max));
    return this;
}

Option* Option::range(double min, double max) {
    option_->check(CLI::Range(min, max));
    return this;
}

Option* Option::one_of(std::initializer_list<const char*> values) {
    values_.assign(values.begin(), values.end());
    option_->check(CLI::IsMember(values_));
    return this;
}

OptionInfo Option::describe() const {
    OptionInfo info;
    for (const auto& name : option_->get_snames()) info.names.push_back("-" + name);
    for (const auto& name : option_->get_lnames()) info.names.push_back("--" + name);
    info.argument = info.names.empty();
    if (info.argument) info.names.push_back(option_->get_name(true));
    info.takes_value = option_->get_items_expected_max() > 0;
    info.required = option_->get_required();
    info.many = option_->get_items_expected_max() > 1 && option_->get_allow_extra_args();
    info.type = option_->get_type_name();
    info.values = values_;
    info.default_value = option_->get_default_str();
    info.help = option_->get_description();
    return info;
}

// ---- Command ----

Command* Command::add_subcommand(std::string name, std::string help) {
    CLI::App* const app = app_->add_subcommand(std::move(name), std::move(help));
    return subcommands_.emplace_back(std::make_unique<Command>(app)).get();
}

Option* Command::keep(CLI::Option* option) {
    return options_.emplace_back(std::make_unique<Option>(option)).get();
}

template <class T>
Option* Command::add_option(std::string name, T& value, std::string help) {
    CLI::Option* const option = app_->add_option(std::move(name), value, std::move(help));
    if constexpr (std::is_arithmetic_v<T>) check_number<T>(*option);
    return keep(option);
}

template <class T>
Option* Command::add_flag(std::string name, T& value, std::string help) {
    return keep(app_->add_flag(std::move(name), value, std::move(help)));
}

Option* Command::add_flag_callback(std::string name, std::function<void()> callback,
                                   std::string help) {
    return keep(app_->add_flag_callback(std::move(name), std::move(callback), std::move(help)));
}

void Command::footer(std::string text) { app_->footer(std::move(text)); }
void Command::callback(std::function<void()> run) { app_->callback(std::move(run)); }
void Command::require_subcommand() { app_->require_subcommand(1); }
void Command::let_subcommands_fall_through() {
    for (CLI::App* const one : app_->get_subcommands({})) one->fallthrough();
}
void Command::prefix_command() { app_->prefix_command(); }
void Command::hint_flag(std::string name, std::string hint) {
    flag_hints_.emplace(std::move(name), std::move(hint));
}
void Command::hint_verb(std::string hint) { verb_hint_ = std::move(hint); }

std::size_t Command::count(const std::string& name) const { return app_->count(name); }
bool Command::has_subcommand() const { return !app_->get_subcommands().empty(); }

CommandInfo Command::describe() const {
    CommandInfo info{app_->get_name(), app_->get_description(), app_->get_footer(), {}, {}};
    for (const auto& one : options_) info.options.push_back(one->describe());
    for (const auto& one : subcommands_) info.subcommands.push_back(one->describe());
    return info;
}

template Option* Command::add_flag(std::string, bool&, std::string);
template Option* Command::add_flag(std::string, std::string&, std::string);
template Option* Command::add_option(std::string, double&, std::string);
template Option* Command::add_option(std::string, int&, std::string);
template Option* Command::add_option(std::string, std::string&, std::string);
template Option* Command::add_option(std::string, std::uint16_t&, std::string);
template Option* Command::add_option(std::string, std::uint32_t&, std::string);
template Option* Command::add_option(std::string, std::uint64_t&, std::string);
template Option* Command::add_option(std::string, std::vector<std::string>&, std::string);

// ---- Program ----

Program::Program(std::string name, std::string description, std::string version)
    : app_(std::make_unique<CLI::App>(std::move(description))), command_(app_.get()) {
    app_->name(std::move(name));
    if (!version.empty()) app_->set_version_flag("-V,--version", std::move(version));
    app_->require_subcommand(1);
}

Program::~Program() = default;

int Program::run(int argc, char** argv, const int& exit_code) {
    const Usage usage{command_};
    const auto complain = [this](const std::string& sentence) {
        std::fflush(stdout);
        std::fprintf(stderr, "%s: %s\n", app_->get_name().c_str(), sentence.c_str());
        return 2;
    };
    try {
        auto words = usage.resolve_verbs({argv + 1, argv + argc});
        std::reverse(words.begin(), words.end());  // the parser takes them from the end
        app_->parse(std::move(words));
    } catch (const CLI::ParseError& error) {
        const bool was_answered = error.get_exit_code() == 0;  // --help, --version
        return was_answered ? app_->exit(error) : complain(usage.sentence(error));
    } catch (const std::exception& error) {
        return complain(error.what());
    }
    return exit_code;
}

}  // namespace helio::cli
