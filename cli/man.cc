// helio man: manual pages in roff, generated from the same verbs, flags and texts as --help:
// helio(1), and helio-VERB(1) for each verb. Subcommands of a verb (helio virt list) are sections
// of its page.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/common.h"

namespace helio::cli {
namespace {

// Text that roff prints unchanged: hyphens that can be copied, and no line that begins a request.
std::string roff(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const bool line_begins = out.empty() || out.back() == '\n';
        if (line_begins && (c == '.' || c == '\'')) out += "\\&";
        if (c == '\\')
            out += "\\e";
        else if (c == '-')
            out += "\\-";
        else
            out += c;
    }
    return out;
}

std::string value_of(const OptionInfo& option) {
    if (!option.takes_value) return {};
    if (!option.values.empty()) return fmt::format(" {}", fmt::join(option.values, "|"));
    return " " + (option.type.empty() ? std::string("VALUE") : option.type);
}

std::string describe_option(const OptionInfo& option) {
    std::string names;
    for (const auto& name : option.names)
        names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", roff(name));
    const std::string value = option.argument ? std::string{} : value_of(option);
    std::string text = fmt::format(".TP\n{}\\fI{}\\fR\n{}", names, roff(value), roff(option.help));
    if (option.argument && !option.values.empty())
        text += roff(fmt::format(": {}", fmt::join(option.values, ", ")));
    if (!option.default_value.empty())
        text += roff(fmt::format(" (default: {})", option.default_value));
    return text + "\n";
}

std::string synopsis(const CommandInfo& command, const std::string& path) {
    std::string line = fmt::format("\\fB{}\\fR", roff(path));
    bool flags = false;
    for (const auto& one : command.options) flags = flags || !one.argument;
    if (flags) line += " [\\fIOPTIONS\\fR]";
    for (const auto& one : command.options) {
        if (!one.argument) continue;
        const std::string name =
            fmt::format("\\fI{}\\fR{}", roff(one.names.front()), one.many ? "..." : "");
        line += one.required ? " " + name : " [" + name + "]";
    }
    if (!command.subcommands.empty()) line += " \\fICOMMAND\\fR";
    return line + "\n";
}

std::string options(const CommandInfo& command, bool arguments) {
    std::string text;
    for (const auto& one : command.options)
        if (one.argument == arguments) text += describe_option(one);
    return text;
}

// Footers are laid out by hand, as --help shows them.
std::string footer(const CommandInfo& command) {
    return command.footer.empty() ? "" : fmt::format(".nf\n{}\n.fi\n", roff(command.footer));
}

// A subcommand as a section, and those below it.
std::string section(const CommandInfo& command, const std::string& path) {
    std::string text = fmt::format(".SS \"{}\"\n{}.PP\n{}\n", roff(path), synopsis(command, path),
                                   roff(command.help));
    text += options(command, true) + options(command, false);
    if (!command.footer.empty()) text += ".PP\n" + footer(command);
    for (const auto& one : command.subcommands) text += section(one, path + " " + one.name);
    return text;
}

std::string page(const std::string& name, const std::string& version, std::string_view brief,
                 const std::string& body) {
    std::string title = name;
    for (char& c : title) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return fmt::format(".TH {} 1 \"\" \"helio {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n{}",
                       roff(title), version, roff(name), roff(brief), body);
}

struct Manual {
    CommandInfo program;
    std::string version;

    std::string verb_page(const CommandInfo& verb) const {
        const std::string path = program.name + " " + verb.name;
        std::string body = ".SH SYNOPSIS\n" + synopsis(verb, path);
        body += fmt::format(".SH DESCRIPTION\n{}\n", roff(verb.help));
        if (const auto some = options(verb, true); !some.empty()) body += ".SH ARGUMENTS\n" + some;
        body += ".SH OPTIONS\n" + options(verb, false) +
                ".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nPrint a short help text.\n";
        if (!verb.subcommands.empty()) body += ".SH COMMANDS\n";
        for (const auto& one : verb.subcommands) body += section(one, path + " " + one.name);
        if (!verb.footer.empty()) body += ".SH NOTES\n" + footer(verb);
        body += fmt::format(".SH \"SEE ALSO\"\n\\fB{}\\fR(1)\n", program.name);
        return page(program.name + "-" + verb.name, version, verb.help, body);
    }

    std::string program_page() const {
        std::string body = fmt::format(
            ".SH SYNOPSIS\n\\fB{}\\fR \\fICOMMAND\\fR [\\fIARGUMENTS\\fR]\n", program.name);
        body += fmt::format(".SH DESCRIPTION\n{}\n.SH COMMANDS\n", roff(program.help));
        for (const auto& one : program.subcommands)
            body += fmt::format(".TP\n\\fB{}\\fR\n{}. See \\fB{}\\-{}\\fR(1).\n", one.name,
                                roff(one.help), program.name, one.name);
        body += R"(.SH "EXIT STATUS"
0: success. 1: a negative result, such as an invalid file. 2: wrong usage. 3: the server cannot be reached.
4: the server refused the call.
)";
        return page(program.name, version, "NFS server and tools for ONC RPC and XDR", body);
    }

    const CommandInfo& verb(const std::string& name) const {
        for (const auto& one : program.subcommands)
            if (one.name == name) return one;
        throw std::runtime_error(
            fmt::format("helio has no verb '{}'; helio --help lists them", name));
    }
};

void write_page(const std::filesystem::path& file, const std::string& text) {
    std::ofstream out{file, std::ios::binary};
    out << text;
    if (!out.flush()) throw std::runtime_error("cannot write " + file.string());
}

void write_all(const Manual& manual, const std::string& directory) {
    namespace fs = std::filesystem;
    fs::create_directories(directory);
    write_page(fs::path(directory) / "helio.1", manual.program_page());
    for (const auto& one : manual.program.subcommands)
        write_page(fs::path(directory) / fmt::format("helio-{}.1", one.name),
                   manual.verb_page(one));
}

}  // namespace

void add_man(Command& app, int& exit_code) {
    struct Flags {
        std::string verb;
        std::string directory;
    };
    auto flags = std::make_shared<Flags>();
    auto* const verb = app.add_subcommand("man", "Print a manual page");
    auto* const name =
        verb->add_option("VERB", flags->verb, "verb to describe. Default: helio itself");
    verb->add_option("--out", flags->directory, "write all pages to this directory")
        ->type_name("DIR")
        ->excludes(name);
    verb->footer(R"(Examples:
  helio man serve | man -l -
  helio man --out ~/.local/share/man/man1

The pages are in roff. The packages install them, so `man helio-serve` works.)");
    verb->callback([flags, &app, &exit_code] {
        const Manual manual{app.describe(), HELIO_VERSION};
        if (!flags->directory.empty())
            write_all(manual, flags->directory);
        else
            std::fputs((flags->verb.empty() ? manual.program_page()
                                            : manual.verb_page(manual.verb(flags->verb)))
                           .c_str(),
                       stdout);
        exit_code = kDone;
    });
}

}  // namespace helio::cli
