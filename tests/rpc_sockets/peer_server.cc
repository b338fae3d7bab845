#include "tests/rpc_sockets/peer_server.h"

#include <algorithm>
#include <utility>

namespace wire {

using transport::EventLoop;

namespace {

std::int32_t sum(const peer_pair& pair) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(pair.a) +
                                     static_cast<std::uint32_t>(pair.b));
}

struct Running {
    explicit Running(PeerState& of) : state(of) { ++state.running; }
    ~Running() { --state.running; }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    PeerState& state;
};

Task<void> wait(PeerState& state, std::chrono::milliseconds time) {
    const Running mine{state};
    co_await EventLoop::current()->sleep(time);
}

Task<std::int32_t> count_later(PeerState& state) {
    const int count = ++state.count;
    co_await wait(state, std::chrono::milliseconds(state.count_ms));
    co_return count;
}

}  // namespace

std::int32_t PeerV1::ADD(xdr::CallContext&, const peer_pair& pair) { return sum(pair); }
std::int32_t PeerV2::ADD(xdr::CallContext&, const peer_pair& pair) { return sum(pair); }

std::int32_t PeerV1::COUNT(xdr::CallContext& call) {
    return state_.count_ms > 0 ? call.wait<std::int32_t>() : ++state_.count;
}
std::int32_t PeerV2::COUNT(xdr::CallContext& call) {
    return state_.count_ms > 0 ? call.wait<std::int32_t>() : ++state_.count;
}
Task<std::int32_t> PeerV1::COUNT_async(xdr::CallContext&) { return count_later(state_); }
Task<std::int32_t> PeerV2::COUNT_async(xdr::CallContext&) { return count_later(state_); }

Task<void> PeerV1::SLOW_async(xdr::CallContext&, const std::uint32_t& ms) {
    return wait(state_, std::chrono::milliseconds(ms));
}
Task<void> PeerV2::SLOW_async(xdr::CallContext&, const std::uint32_t& ms) {
    return wait(state_, std::chrono::milliseconds(ms));
}

peer_sample PeerV2::TURN(xdr::CallContext& call, const peer_sample& sample) {
    peer_sample turned = sample;
    auto* const numbers = call.arena().make<std::int32_t>(sample.numbers.size());
    if (numbers == nullptr) return call.end_with<peer_sample>(xdr::Outcome::system_error);
    std::reverse_copy(sample.numbers.begin(), sample.numbers.end(), numbers);
    turned.numbers = {numbers, sample.numbers.size()};
    turned.ratio = -sample.ratio;
    return turned;
}

peer_caller PeerV2::WHO(xdr::CallContext& call) {
    const rpc::Credential& caller = rpc::call_of(call).credential;
    return {static_cast<std::int32_t>(caller.flavor), caller.uid, caller.gid, caller.gids};
}

TestServer::TestServer(transport::ServerLimits limits, rpc::ServerOptions options,
                       const std::string& host)
    : programs(std::move(options)), server((programs.add(v1), programs.add(v2), programs), limits) {
    port = server.listen(host, 0);
    server.start();
}

std::string null_call_fails(std::uint16_t port) {
    transport::ClientOptions options;
    options.call_timeout = std::chrono::seconds(5);
    auto client = transport::Client::connect("127.0.0.1:" + std::to_string(port), options);
    const auto reply = PEER_V1::Client{client}.NULL_();
    return reply ? "" : rpc::to_text(reply.error());
}

}  // namespace wire
