// Relay: accepts libvirt's clients and gives each its own connection to the daemon, all on one
// event loop. RelaySession decides what passes between the two; this moves the bytes.
// Back-pressure: while one side does not take its data, the other is not read.
//
//     relay::Procedures procedures{builtin::parse_together(builtin::kLibvirtCallSchemas).schema};
//     auto policy = relay::Policy::make(procedures, {.rules = …});
//     relay::Relay relay{loop, **policy, observer, {.daemons = {where}}};
//     relay.listen(transport::Endpoint::unix_path("/tmp/l.sock"), 0600);
//     loop.run();
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "helio/base/fd.h"
#include "helio/rpc/memory.h"
#include "helio/transport/loop/event_loop.h"
#include "helio/transport/socket/listener.h"
#include "helio/transport/socket/socket.h"
#include "helio/transport/stream/receive_buffer.h"
#include "helio/virt/relay/policy.h"
#include "helio/virt/relay/session.h"

namespace helio::virt::relay {

// Concurrent clients, each with two descriptors; libvirtd's max_clients is 5,000. At the limit, a
// new client takes the place of the oldest that has not opened a daemon's host, so that clients
// which connect and send nothing keep nobody out. If there is none, the new client is disconnected.
inline constexpr std::size_t kRelayClientsMax = 1000;
// The same for a process with few descriptors: beyond it, the kernel would refuse new clients, even
// in place of silent ones. A client's two connections need two descriptors, its recording two more.
inline constexpr std::size_t kRelayClientDescriptors = 2;
std::size_t relay_clients_max(std::size_t descriptor_limit,
                              std::size_t per_client = kRelayClientDescriptors);
// Unsent data for one side before the other is no longer read; a message may be larger.
inline constexpr std::size_t kRelayUnsentBytesMax = 1u << 20;

struct RelayClient {
    std::uint64_t number = 0;  // from 1, in the order they connected
    std::string name;          // "uid 0 pid 4711", "127.0.0.1:40312"
    std::string daemon;        // "unix:/run/libvirt/libvirt-sock"; empty until connected
};

// Callbacks on the loop. Views are valid during the call.
class RelayObserver {
 public:
    virtual ~RelayObserver() = default;
    virtual void on_connect(const RelayClient& client) = 0;
    virtual void on_message(const RelayClient& client, RelaySide from, ByteView frame) = 0;
    virtual void on_call_end(const RelayClient& client, const CallRecord& call) = 0;
    virtual void on_disconnect(const RelayClient& client, std::string_view why) = 0;
};

struct RelayOptions {
    std::vector<transport::Endpoint> daemons;  // the first that answers is used
    bool show_arguments = true;                // in CallRecords
    bool watch_messages = false;               // on_message is called
    std::size_t clients_max = kRelayClientsMax;
    std::chrono::milliseconds connect_timeout{10'000};
    // How long unsent data is kept for one side after the other has gone.
    std::chrono::milliseconds linger{5'000};
};

class Pair;

class Relay final : transport::Listener::Owner, transport::EventLoop::Deferred {
 public:
    // The arguments must outlive it.
    Relay(transport::EventLoop& loop, const Policy& policy, RelayObserver& observer,
          RelayOptions options);
    ~Relay() override;

    // Returns where it listens: for port 0, with the port chosen. A Unix socket gets these access
    // rights and is removed with the relay. Throws std::runtime_error.
    transport::Endpoint listen(const transport::Endpoint& where, mode_t rights);
    // Adds a client that is already connected.
    void adopt(Fd client, std::string name, bool takes_descriptors);

    std::size_t clients() const { return pairs_.size(); }

 private:
    friend class Pair;
    void on_accepted(Fd socket, const transport::Endpoint& remote) override;
    void on_refused() override;
    void on_turn_end() override;
    void set_opened(const Pair& pair);
    void let_go(Pair& pair);

    transport::EventLoop& loop_;
    const Policy& policy_;
    RelayObserver& observer_;
    const RelayOptions options_;
    std::vector<std::unique_ptr<transport::Listener>> listeners_;
    std::vector<std::string> paths_;  // removed in the destructor
    // All pairs share these buffers: an idle one holds no memory.
    rpc::BufferPool pool_;
    transport::SharedReceiveBuffer room_{pool_};
    std::unordered_map<const Pair*, std::unique_ptr<Pair>> pairs_;
    // Pairs that have opened nothing, by number, so the oldest comes first.
    std::map<std::uint64_t, Pair*> unopened_;
    std::vector<std::unique_ptr<Pair>> gone_;  // until the end of the turn
    std::uint64_t accepted_ = 0;
};

}  // namespace helio::virt::relay
