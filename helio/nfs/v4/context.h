// What all COMPOUNDs of a server share.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "helio/nfs/server/request.h"
#include "helio/nfs/server/user_names.h"
#include "helio/nfs/state/state.h"

namespace helio::nfs::v4 {

class Callbacks;

struct Context {
    const ServiceContext& shared;
    state::State& state;
    std::uint64_t server_id = 0;  // the same after restarts: clients trunk and reclaim by it
    std::function<state::Instant()> now;
    Callbacks& callbacks;
    UserNames* names = nullptr;  // null: users and groups are numbers
};

}  // namespace helio::nfs::v4
