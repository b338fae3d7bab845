// helio completion: what Tab offers in bash, zsh and fish, generated from the program's verbs and
// flags. All three scripts work alike. The words before the cursor are walked to find the command,
// its "path" ("helio xdr decode"); then the word before the cursor decides: after a flag with a
// value its values or files are offered, otherwise flags, subcommands and files.
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/common.h"

namespace helio::cli {
namespace {

// A command with the words that lead to it: "helio virt list".
struct Node {
    std::string path;
    const CommandInfo* command;
};

void collect(const CommandInfo& command, const std::string& before, std::vector<Node>& out) {
    const std::string path = before.empty() ? command.name : before + " " + command.name;
    out.push_back({path, &command});
    for (const auto& one : command.subcommands) collect(one, path, out);
}

// For single quotes in bash and zsh.
std::string quoted(std::string_view text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

// The first line: descriptions are shown on one line.
std::string brief(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

std::string joined(const std::vector<std::string>& words) {
    return fmt::format("{}", fmt::join(words, " "));
}

std::vector<std::string> flags_of(const CommandInfo& command) {
    std::vector<std::string> out;
    for (const auto& one : command.options)
        if (!one.argument) out.insert(out.end(), one.names.begin(), one.names.end());
    out.emplace_back("--help");
    return out;
}

// Everything that may come next without a flag, except files.
std::vector<std::string> words_of(const CommandInfo& command) {
    std::vector<std::string> out;
    for (const auto& one : command.subcommands) out.push_back(one.name);
    for (const auto& one : command.options)
        if (one.argument) out.insert(out.end(), one.values.begin(), one.values.end());
    return out;
}

// Cases of a shell's `case "$path $word"`: subcommands lengthen the path.
std::string path_cases(const std::vector<Node>& nodes, std::string_view variable) {
    std::string out;
    for (const auto& [path, command] : nodes)
        if (path.find(' ') != path.npos)
            out += fmt::format("        {0}) {1}={0} ;;\n", quoted(path), variable);
    return out;
}

// Cases of `case "$path $word_before"`: each flag with a value, and what to do then.
template <class Values, class Files>
std::string value_cases(const std::vector<Node>& nodes, Values offer, Files offer_files) {
    std::string out;
    for (const auto& [path, command] : nodes)
        for (const auto& one : command->options) {
            if (one.argument || !one.takes_value) continue;
            std::string names;
            for (const auto& name : one.names)
                names += (names.empty() ? "" : " | ") + quoted(path + " " + name);
            out += fmt::format("    {}) {}; return ;;\n", names,
                               one.values.empty() ? offer_files() : offer(joined(one.values)));
        }
    return out;
}

std::string bash_script(const std::vector<Node>& nodes) {
    std::string words;
    for (const auto& [path, command] : nodes)
        words +=
            fmt::format("    {}) flags={} words={} ;;\n", quoted(path),
                        quoted(joined(flags_of(*command))), quoted(joined(words_of(*command))));
    const auto values = [](const std::string& some) {
        return fmt::format("mapfile -t COMPREPLY < <(compgen -W {} -- \"$word\")", quoted(some));
    };
    return fmt::format(
        "# bash completion for helio; made by `helio completion bash`.\n"
        "_helio() {{\n"
        "    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}}\n"
        "    local path=helio flags words i\n"
        "    COMPREPLY=()\n"
        "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
        "        case \"$path ${{COMP_WORDS[i]}}\" in\n{}"
        "        esac\n"
        "    done\n"
        "    case \"$path $before\" in\n{}"
        "    esac\n"
        "    case $path in\n{}"
        "    esac\n"
        "    [[ $word == -* ]] && words=$flags\n"
        "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
        "}}\n"
        "complete -o default -F _helio helio\n",
        path_cases(nodes, "path"), value_cases(nodes, values, [] { return ":"; }), words);
}

// "name:description", as _describe expects it.
std::string zsh_item(const std::string& name, std::string_view help) {
    std::string escaped;
    for (const char c : name) escaped += c == ':' ? std::string("\\:") : std::string(1, c);
    return quoted(escaped + ":" + brief(help));
}

std::string zsh_script(const std::vector<Node>& nodes) {
    std::string cases;
    for (const auto& [path, command] : nodes) {
        std::string flags, words;
        for (const auto& one : command->options)
            for (const auto& name : one.names)
                if (!one.argument) flags += " " + zsh_item(name, one.help);
        flags += " " + zsh_item("--help", "Print this help message and exit");
        for (const auto& one : command->subcommands) words += " " + zsh_item(one.name, one.help);
        for (const auto& one : command->options)
            if (one.argument)
                for (const auto& value : one.values) words += " " + zsh_item(value, one.help);
        cases +=
            fmt::format("    {}) flags=({} ) words_here=({} ) ;;\n", quoted(path), flags, words);
    }
    const auto values = [](const std::string& some) { return "compadd -- " + some; };
    return fmt::format(
        "#compdef helio\n"
        "# zsh completion for helio; made by `helio completion zsh`.\n"
        "_helio() {{\n"
        "    local verb=helio word\n"
        "    local -a flags words_here\n"
        "    for word in ${{words[2,CURRENT-1]}}; do\n"
        "        case \"$verb $word\" in\n{}"
        "        esac\n"
        "    done\n"
        "    case \"$verb ${{words[CURRENT-1]}}\" in\n{}"
        "    esac\n"
        "    case $verb in\n{}"
        "    esac\n"
        "    if [[ $PREFIX == -* ]]; then\n"
        "        _describe -o option flags\n"
        "    elif (( $#words_here )); then\n"
        "        _describe command words_here\n"
        "    else\n"
        "        _files\n"
        "    fi\n"
        "}}\n"
        "if [[ $funcstack[1] == _helio ]]; then _helio \"$@\"; else compdef _helio helio; fi\n",
        path_cases(nodes, "verb"), value_cases(nodes, values, [] { return "_files"; }), cases);
}

// Between single quotes, fish treats backslash and quote as escapes.
std::string fish_quoted(std::string_view text) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\') out += '\\';
        out += c;
    }
    return out + "'";
}

std::string fish_option(const OptionInfo& option) {
    std::string out;
    for (const auto& name : option.names)
        out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (option.takes_value) out += " -r";
    if (!option.values.empty()) out += " -f -a " + fish_quoted(joined(option.values));
    return out + " -d " + fish_quoted(brief(option.help));
}

std::string fish_script(const std::vector<Node>& nodes) {
    std::string cases, lines;
    for (const auto& [path, command] : nodes) {
        if (path.find(' ') != path.npos)
            cases += fmt::format("            case {0}\n                set path {0}\n",
                                 fish_quoted(path));
        const std::string here =
            fmt::format("complete -c helio -n {}",
                        fish_quoted(fmt::format("test (__helio_path) = \"{}\"", path)));
        for (const auto& one : command->subcommands)
            lines +=
                fmt::format("{} -f -a {} -d {}\n", here, one.name, fish_quoted(brief(one.help)));
        for (const auto& one : command->options) {
            if (!one.argument)
                lines += here + fish_option(one) + "\n";
            else if (!one.values.empty())
                lines += fmt::format("{} -f -a {}\n", here, fish_quoted(joined(one.values)));
        }
        lines += here + " -l help -d 'Print this help message and exit'\n";
    }
    return fmt::format(
        "# fish completion for helio; made by `helio completion fish`.\n"
        "function __helio_path\n"
        "    set -l path helio\n"
        "    for word in (commandline -opc)[2..-1]\n"
        "        switch \"$path $word\"\n{}"
        "        end\n"
        "    end\n"
        "    echo $path\n"
        "end\n\n{}",
        cases, lines);
}

}  // namespace

void add_completion(Command& app, int& exit_code) {
    auto shell = std::make_shared<std::string>();
    auto* const verb = app.add_subcommand(
        "completion", "Print a script that completes helio's arguments in a shell");
    verb->add_option("SHELL", *shell, "the shell")->required()->one_of({"bash", "zsh", "fish"});
    verb->footer(R"(Examples:
  source <(helio completion bash)                                        in this shell
  helio completion fish > ~/.config/fish/completions/helio.fish           in every fish
  helio completion zsh > ~/.zfunc/_helio    with ~/.zfunc in $fpath, in every zsh

The packages install these scripts where the shells look for them.)");
    verb->callback([shell, &app, &exit_code] {
        const CommandInfo program = app.describe();
        std::vector<Node> nodes;
        collect(program, "", nodes);
        const std::string text = *shell == "bash"  ? bash_script(nodes)
                                 : *shell == "zsh" ? zsh_script(nodes)
                                                   : fish_script(nodes);
        std::fputs(text.c_str(), stdout);
        exit_code = kDone;
    });
}

}  // namespace helio::cli
