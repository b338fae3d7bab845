// helio-xdrc: `helio gen` alone, without the parts that need generated code: what the build runs.
#include <cstdio>
#include <exception>

#include "cli/command.h"

int main(int argc, char** argv) {
    CLI::App app{"helio-xdrc: the schema compiler by itself, for builds"};
    app.require_subcommand(1);
    int exit_code = 0;
    helio::cli::add_gen(app, exit_code);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "helio-xdrc: %s\n", error.what());
        return 2;
    }
    return exit_code;
}
