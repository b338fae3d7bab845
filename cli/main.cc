// helio: one binary, one verb per job.
#include <cstdio>
#include <exception>

#include "cli/command.h"

#ifndef HELIO_VERSION
#define HELIO_VERSION "unknown"
#endif

int main(int argc, char** argv) {
    using namespace helio::cli;
    CLI::App app{
        "helio: the ONC RPC stack. One XDR schema (.x) gives types, codecs, services,\n"
        "and, with no compiling, decoders, JSON and calls for any message."};
    app.name("helio");
    app.set_version_flag("--version", HELIO_VERSION);
    app.require_subcommand(1);
    int exit_code = 0;
    add_serve(app, exit_code);
    add_gen(app, exit_code);
    add_xdr(app, exit_code);
    add_explain(app, exit_code);
    add_fmt(app, exit_code);
    add_lint(app, exit_code);
    add_breaking(app, exit_code);
    add_list(app, exit_code);
    add_describe(app, exit_code);
    add_template(app, exit_code);
    add_call(app, exit_code);
    add_ping(app, exit_code);
    add_load(app, exit_code);
    add_virt(app, exit_code);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "helio: %s\n", error.what());
        return 2;
    }
    return exit_code;
}
