// peer.x served by us, for any client: our own, libtirpc's, raw sockets. PeerState is shared by the
// services of one server; TestServer is such a server on free local ports.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

#include "helio/rpc/server/server.h"
#include "helio/transport/client/client.h"
#include "helio/transport/server/server.h"
#include "rpc_peers/peer_service.h"

namespace wire {

using namespace rpc_peers::peer;
namespace rpc = helio::rpc;
namespace transport = helio::transport;
namespace xdr = helio::xdr;
using helio::ByteView;
using helio::Task;

struct PeerState {
    std::atomic<int> count = 0;     // calls of COUNT
    std::atomic<int> count_ms = 0;  // how long each of them takes
    std::atomic<int> running = 0;   // SLOW and COUNT that wait now
};

class PeerV1 final : public PEER_V1::Service {
 public:
    explicit PeerV1(PeerState& state) : state_(state) {}

 private:
    void NULL_(xdr::CallContext&) override {}
    std::int32_t ADD(xdr::CallContext&, const peer_pair& pair) override;
    peer_bytes ECHO(xdr::CallContext&, const peer_bytes& bytes) override { return bytes; }
    std::int32_t COUNT(xdr::CallContext& call) override;
    Task<std::int32_t> COUNT_async(xdr::CallContext& call) override;
    Task<void> SLOW_async(xdr::CallContext& call, const std::uint32_t& ms) override;
    PeerState& state_;
};

class PeerV2 final : public PEER_V2::Service {
 public:
    explicit PeerV2(PeerState& state) : state_(state) {}

 private:
    void NULL_(xdr::CallContext&) override {}
    std::int32_t ADD(xdr::CallContext&, const peer_pair& pair) override;
    peer_bytes ECHO(xdr::CallContext&, const peer_bytes& bytes) override { return bytes; }
    std::int32_t COUNT(xdr::CallContext& call) override;
    Task<std::int32_t> COUNT_async(xdr::CallContext& call) override;
    Task<void> SLOW_async(xdr::CallContext& call, const std::uint32_t& ms) override;
    peer_sample TURN(xdr::CallContext& call, const peer_sample& sample) override;
    peer_caller WHO(xdr::CallContext& call) override;
    PeerState& state_;
};

// Both versions on 127.0.0.1, TCP and UDP on one port, by default.
struct TestServer {
    explicit TestServer(transport::ServerLimits limits = {.threads = 2},
                        rpc::ServerOptions options = {}, const std::string& host = "127.0.0.1");
    std::string where() const { return "127.0.0.1:" + std::to_string(port); }
    // Clients make it hold nothing: what is left is memory that each thread always has.
    bool holds_nothing() const {
        return server.counters().memory_bytes <= server.threads() * (1u << 20);
    }

    PeerState state;
    PeerV1 v1{state};
    PeerV2 v2{state};
    rpc::Server programs;
    transport::Server server;
    std::uint16_t port = 0;
};

// Empty if a server at 127.0.0.1 answers NULL over TCP; otherwise what went wrong.
std::string null_call_fails(std::uint16_t port);

}  // namespace wire
