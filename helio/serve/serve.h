// Serve: the NFS server as a program. It takes settings and serves until it is stopped. The command
// line is in cli/serve.cc, the protocol in helio/nfs; this is everything between: listening,
// confinement, metrics, reload, signals.
#pragma once

#include <string>

#include "helio/serve/config/backends.h"
#include "helio/serve/config/settings.h"

namespace helio::serve {

struct Request {
    Settings flags;            // from the command line; they override the file
    std::string config;        // a TOML file, read again on SIGHUP; empty: none
    bool check = false;        // print what would be served, and exit
    bool check_ports = false;  // also that ports are free
    std::string version;
    const vfs::BackendTable* backends = &linked_backends();  // for the sources of exports
};

// Serves until SIGTERM or SIGINT. Returns the exit code: 0, or 1 with reasons on stderr if the
// settings are wrong. Throws std::runtime_error with a sentence if it cannot start. Call it from
// the main thread before any other exists: the threads it creates inherit signals and confinement.
int serve(const Request& request);

}  // namespace helio::serve
