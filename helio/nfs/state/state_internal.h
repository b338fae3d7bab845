// What State keeps for each client, open file and lock owner.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "helio/nfs/state/state.h"

namespace helio::nfs::state {

// An owner's locks on a file.
struct State::LockState {
    StateId id;
    OpenState* open = nullptr;
    std::string owner;
    vfs::LockOwner number = 0;
    std::list<LockState>::iterator self;  // in OpenState::locks
};

// An owner's open of a file; several OPENs are one state.
struct State::OpenState {
    StateId id;
    Client* client = nullptr;
    std::string owner;
    FileState* file = nullptr;
    std::uint8_t access = 0;
    std::uint8_t deny = 0;
    std::shared_ptr<vfs::OpenFile> handle;
    std::list<LockState> locks;
    std::list<OpenState>::iterator self;  // in Client::opens
};

struct State::FileState {
    FileKey key;
    std::vector<OpenState*> opens;
};

struct Client {
    ClientId id = 0;
    ClientOwner owner;
    ClientFacts facts;
    Principal principal;
    bool confirmed = false;
    std::uint32_t create_sequence = 1;  // that the next CREATE_SESSION must have
    std::optional<CreateSessionDone> last_create;
    std::vector<std::shared_ptr<Session>> sessions;
    Instant renewed{};
    bool expiry_noticed = false;  // those that wait for its locks know that it is silent
    bool reclaim_complete = false;
    bool recorded = false;  // in Recovery, since it opened a file
    std::list<State::OpenState> opens;
    std::size_t lock_count = 0;
};

// The number inside a stateid, by which its state is found.
inline std::uint64_t key_of(const StateId& id) {
    std::uint64_t key = 0;
    std::memcpy(&key, id.other.data() + 4, sizeof key);
    return key;
}

}  // namespace helio::nfs::state
