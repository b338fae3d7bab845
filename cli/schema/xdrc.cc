// helio-xdrc: `helio gen` alone, without the parts that need generated code: what the build runs.
#include "cli/command.h"

int main(int argc, char** argv) {
    helio::cli::Program program{"helio-xdrc",
                                "helio-xdrc: the schema compiler by itself, for builds"};
    int exit_code = 0;
    helio::cli::add_gen(program.command(), exit_code);
    return program.run(argc, argv, exit_code);
}
