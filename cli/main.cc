// helio: one binary, one verb per job.
#include "cli/command.h"

#ifndef HELIO_VERSION
#define HELIO_VERSION "unknown"
#endif

int main(int argc, char** argv) {
    using namespace helio::cli;
    Program program{
        "helio",
        "helio: an NFS server and tools for ONC RPC. It generates C++ from XDR schemas (.x),\n"
        "and decodes, calls and load-tests any program from its schema alone.",
        HELIO_VERSION};
    int exit_code = 0;
    for (const auto add_verb :
         {add_serve, add_clients, add_locks, add_gen, add_xdr, add_explain, add_fmt, add_lint,
          add_breaking, add_list, add_describe, add_template, add_call, add_ping, add_load,
          add_virt, add_completion, add_man})
        add_verb(program.command(), exit_code);
    return program.run(argc, argv, exit_code);
}
