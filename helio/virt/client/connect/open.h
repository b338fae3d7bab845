// The first and last words of a conversation with a daemon, as coroutines: who we are, whether it
// answers keepalive, and which driver it shall open.
#pragma once

#include <functional>
#include <string>

#include "helio/base/task.h"
#include "helio/virt/client/connect/sasl.h"
#include "helio/virt/client/connect/uri.h"
#include "helio/virt/client/connection.h"

namespace helio::virt {

struct OpenOptions {
    std::string name;        // "test:///default"; empty: whatever the daemon has
    bool read_only = false;  // the daemon refuses what would change anything
    std::string auth;        // "none", "sasl", "polkit"; empty: the first that the daemon offers
    Sasl::Options sasl;      // its `encrypts` for streams that others can read: TCP
    bool keepalive = true;
};

// Authenticates, opens, and starts keepalive if the daemon has it. After a failure the connection
// is of no further use.
Task<Result<void, Failure>> open(ClientConnection& connection, OpenOptions options);

// Tells the daemon and waits for its word; the connection is still to be closed.
Task<Result<void, Failure>> say_goodbye(ClientConnection& connection);

}  // namespace helio::virt
