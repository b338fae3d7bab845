// The beginning and end of a conversation with a daemon, as coroutines: authenticating, starting
// keepalive, opening a driver, and closing.
#pragma once

#include <functional>
#include <string>

#include "helio/base/task.h"
#include "helio/virt/client/connect/sasl.h"
#include "helio/virt/client/connect/uri.h"
#include "helio/virt/client/connection.h"

namespace helio::virt {

struct OpenOptions {
    std::string name;        // "test:///default"; empty: the daemon's default
    bool read_only = false;  // the daemon refuses changes
    std::string auth;        // "none", "sasl", "polkit"; empty: the daemon's first offer
    Sasl::Options sasl;      // set `encrypts` for streams that others can read: TCP
    bool keepalive = true;
};

// Authenticates, opens, and starts keepalive if the daemon supports it. After a failure the
// connection is useless.
Task<Result<void, Failure>> open(ClientConnection& connection, OpenOptions options);

// Sends CONNECT_CLOSE and waits for the reply; the caller still closes the connection.
Task<Result<void, Failure>> say_goodbye(ClientConnection& connection);

}  // namespace helio::virt
