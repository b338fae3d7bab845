// The command line of `helio`: verbs, and the flags and arguments of each. Functions are named as
// in CLI11, which does the parsing; its headers take seconds to compile, so only command.cc
// includes them.
//
// Each verb has its own file in this folder: its flags, how they are bound, and one call into a
// library. It adds itself to the app; its callback sets the exit code: 0 yes, 1 no, 2 misuse, 3
// could not reach the server, 4 the server refused. Answers go to stdout, diagnostics to stderr.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace helio::cli {

// Returns what is wrong with the text, or nothing.
using Check = std::function<std::string(const std::string& text)>;

std::string check_existing_file(const std::string& path);

// The contents of a command line, for completions and manual pages.
struct OptionInfo {
    std::vector<std::string> names;  // "-w", "--write"; for an argument its only name
    bool argument = false;           // given by position, without a name before it
    bool takes_value = false;
    bool required = false;
    bool many = false;                // takes several values, one after the other
    std::string type;                 // "FILE", "UINT"; as in --help
    std::vector<std::string> values;  // the allowed values, if they are restricted
    std::string default_value;
    std::string help;
};
struct CommandInfo {
    std::string name;
    std::string help;    // one sentence
    std::string footer;  // examples and other remarks
    std::vector<OptionInfo> options;
    std::vector<CommandInfo> subcommands;
};

// A flag or an argument. The Command owns it.
class Option final {
 public:
    explicit Option(CLI::Option* option) : option_(option) {}

    Option* required();
    Option* excludes(const Option* other);
    Option* needs(const Option* other);
    // Shown in --help instead of TEXT or UINT.
    Option* type_name(std::string name);
    // --help shows the current value of the variable as the default.
    Option* capture_default_str();
    // Values may be joined by this character.
    Option* delimiter(char character);
    // With false, a flag that may be repeated takes one value each time.
    Option* allow_extra_args(bool allow);

    Option* check(Check check, std::string name = {});
    Option* existing_file();
    Option* range(std::uint32_t min, std::uint32_t max);
    Option* range(std::uint64_t min, std::uint64_t max);
    Option* range(double min, double max);
    Option* one_of(std::initializer_list<const char*> values);

    OptionInfo describe() const;

 private:
    CLI::Option* option_;
    std::vector<std::string> values_;
};

class Command final {
 public:
    explicit Command(CLI::App* app) : app_(app) {}

    Command* add_subcommand(std::string name, std::string help);
    // For strings, numbers and lists of strings; command.cc lists the types.
    template <class T>
    Option* add_option(std::string name, T& value, std::string help = {});
    // `--name{text}` stores the text when the flag is given without a value.
    template <class T>
    Option* add_flag(std::string name, T& value, std::string help = {});
    Option* add_flag_callback(std::string name, std::function<void()> callback, std::string help);

    void footer(std::string text);
    void callback(std::function<void()> run);
    void require_subcommand();
    // Flags of this command may also be given after the name of a subcommand that was added so far.
    void let_subcommands_fall_through();
    // Takes any arguments.
    void prefix_command();
    // The message for a flag that users try but this command does not have, such as "use --ro".
    void hint_flag(std::string name, std::string hint);
    // The message for a verb that this command does not have, if none is similar.
    void hint_verb(std::string hint);

    // After parsing: how often the flag was given, and whether a subcommand was given.
    std::size_t count(const std::string& name) const;
    bool has_subcommand() const;

    // Everything that has been added so far.
    CommandInfo describe() const;

 private:
    friend class Usage;

    Option* keep(CLI::Option* option);

    CLI::App* app_;
    std::map<std::string, std::string> flag_hints_;
    std::string verb_hint_;
    std::vector<std::unique_ptr<Command>> subcommands_;
    std::vector<std::unique_ptr<Option>> options_;
};

// A program: parses its arguments, runs the callback, and prints errors after the program's name.
class Program final {
 public:
    Program(std::string name, std::string description, std::string version = {});
    ~Program();

    Command& command() { return command_; }
    // Returns the callback's exit code if the arguments are right.
    int run(int argc, char** argv, const int& exit_code);

 private:
    std::unique_ptr<CLI::App> app_;
    Command command_;
};

// Reports a missing argument, for callbacks that detect it themselves.
[[noreturn]] void throw_required(const std::string& name);

void add_breaking(Command& app, int& exit_code);
void add_call(Command& app, int& exit_code);
void add_clients(Command& app, int& exit_code);
void add_completion(Command& app, int& exit_code);
void add_describe(Command& app, int& exit_code);
void add_explain(Command& app, int& exit_code);
void add_fmt(Command& app, int& exit_code);
void add_gen(Command& app, int& exit_code);
void add_lint(Command& app, int& exit_code);
void add_load(Command& app, int& exit_code);
void add_list(Command& app, int& exit_code);
void add_locks(Command& app, int& exit_code);
void add_man(Command& app, int& exit_code);
void add_ping(Command& app, int& exit_code);
void add_serve(Command& app, int& exit_code);
void add_template(Command& app, int& exit_code);
void add_virt(Command& app, int& exit_code);
void add_xdr(Command& app, int& exit_code);

}  // namespace helio::cli
