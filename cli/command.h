// The verbs of `helio`. Each has a file of its own in this folder, which reads: its flags, how they
// are bound, what runs. The work itself is in a library. A verb adds itself to the app; its
// callback leaves the exit code: 0 yes, 1 no, 2 misuse, 3 could not reach the server, 4 the server
// refused. Answers go to stdout, diagnostics to stderr.
#pragma once

#include <CLI/CLI.hpp>

namespace helio::cli {

void add_breaking(CLI::App& app, int& exit_code);
void add_call(CLI::App& app, int& exit_code);
void add_describe(CLI::App& app, int& exit_code);
void add_explain(CLI::App& app, int& exit_code);
void add_fmt(CLI::App& app, int& exit_code);
void add_gen(CLI::App& app, int& exit_code);
void add_lint(CLI::App& app, int& exit_code);
void add_load(CLI::App& app, int& exit_code);
void add_list(CLI::App& app, int& exit_code);
void add_ping(CLI::App& app, int& exit_code);
void add_serve(CLI::App& app, int& exit_code);
void add_template(CLI::App& app, int& exit_code);
void add_virt(CLI::App& app, int& exit_code);
void add_xdr(CLI::App& app, int& exit_code);

}  // namespace helio::cli
