// What State keeps for each client, open file and lock owner.
#pragma once

#include <array>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "helio/nfs/state/state.h"

namespace helio::nfs::state {

// An owner's locks on a file. Several opens of the file may share them, with a state each.
struct State::LockState {
    StateId id;
    OpenState* open = nullptr;
    std::string owner;
    vfs::LockOwner number = 0;
    LockState* next_of_owner = nullptr;   // the first is in the tables of owners
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
    std::size_t place = 0;                // in FileState::opens
};

// Clients, and owners of one client, can be many: what is done for each call must not walk `opens`.
struct State::FileState {
    FileKey key;
    std::vector<OpenState*> opens;
    // How many of them have each bit of access, and of deny.
    std::array<std::int64_t, 2> access{};
    std::array<std::int64_t, 2> deny{};

    // `by` is 1 for an open that comes, -1 for one that goes.
    void count(std::uint8_t its_access, std::uint8_t its_deny, int by) {
        for (unsigned bit = 0; bit < 2; ++bit) {
            access[bit] += (its_access >> bit & 1) * by;
            deny[bit] += (its_deny >> bit & 1) * by;
        }
    }
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
