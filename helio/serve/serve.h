// Serve: the NFS server as a program: settings in, a process that serves until it is told to stop.
// The command line is in cli/serve.cc, the protocol in helio/nfs; here is what lies between:
// listening, confinement, metrics, reload, signals.
#pragma once

#include <string>

#include "helio/serve/config/backends.h"
#include "helio/serve/config/settings.h"

namespace helio::serve {

struct Request {
    Settings flags;      // what the command line says; it goes before the file
    std::string config;  // a TOML file, read again on SIGHUP; empty: none
    bool check = false;  // say what would be served, and end
    std::string version;
    const vfs::BackendTable* backends = &linked_backends();  // for the sources of exports
};

// Until SIGTERM or SIGINT. Returns the exit code: 0, or 1 with reasons on stderr for settings that
// are wrong. Throws std::runtime_error with a sentence when it cannot start. Call it from the main
// thread before any other exists: signals and confinement are inherited by those it makes.
int serve(const Request& request);

}  // namespace helio::serve
