// helio gen: generates C++ from a .x file.
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include "cli/command.h"
#include "helio/gen/write_files.h"

namespace helio::cli {

namespace {

struct GenFlags {
    std::vector<std::string> schemas;
    std::string output_directory = ".";
    std::string name_space;
    std::string include_prefix;
    bool quiet = false;
};

std::vector<std::string> split_namespace(std::string text) {
    std::vector<std::string> parts;
    for (std::size_t at; (at = text.find("::")) != std::string::npos; text.erase(0, at + 2))
        parts.push_back(text.substr(0, at));
    if (!text.empty()) parts.push_back(text);
    return parts;
}

int run(const GenFlags& flags) {
    int exit_code = 0;
    for (const auto& schema : flags.schemas) {
        try {
            std::string warnings;
            const auto files =
                gen::write_files({schema,
                                  flags.output_directory,
                                  {split_namespace(flags.name_space), flags.include_prefix}},
                                 warnings);
            std::fputs(warnings.c_str(), stderr);
            if (!flags.quiet)
                for (const auto& file : files) std::printf("%s\n", file.c_str());
        } catch (const gen::SchemaError& error) {
            std::fputs(error.what(), stderr);
            exit_code = 1;
        }
    }
    return exit_code;
}

}  // namespace

void add_gen(Command& app, int& exit_code) {
    auto flags = std::make_shared<GenFlags>();
    auto* const verb =
        app.add_subcommand("gen", "Compile .x files to C++: types, codecs, services, client stubs");
    verb->add_option("schema", flags->schemas, ".x files")->required()->existing_file();
    verb->add_option("--out", flags->output_directory, "Directory for the generated files")
        ->capture_default_str();
    verb->add_option("--namespace", flags->name_space,
                     "Enclosing C++ namespace; the schema's name is appended")
        ->check([](const std::string& text) -> std::string {
            for (const char c : text)
                if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != ':')
                    return "not a C++ namespace";
            return {};
        });
    verb->add_option("--include-prefix", flags->include_prefix,
                     "Prefix of #include paths between generated files: \"schema/\"");
    verb->add_flag("--quiet", flags->quiet, "Do not list the files written");
    verb->footer(
        "Example:\n  helio gen schema/nfs3.x --out gen/schema --namespace helio --include-prefix "
        "schema/");
    verb->callback([flags, &exit_code] { exit_code = run(*flags); });
}

}  // namespace helio::cli
