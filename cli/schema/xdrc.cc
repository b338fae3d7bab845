// helio-xdrc: only `helio gen`, without the parts that need generated code. The build runs it.
#include "cli/command.h"

int main(int argc, char** argv) {
    helio::cli::Program program{
        "helio-xdrc", "helio-xdrc: the schema compiler as a separate program, for builds"};
    int exit_code = 0;
    helio::cli::add_gen(program.command(), exit_code);
    return program.run(argc, argv, exit_code);
}
