#include "tests/rpc_sockets/relay.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>

namespace wire {

namespace {
constexpr int kLookMs = 5;  // how often a relay looks whether it should end
}  // namespace

BreakingRelay::BreakingRelay(std::uint16_t server, Limits limits)
    : server_(server), limits_(limits), thread_(&BreakingRelay::run, this) {}

BreakingRelay::~BreakingRelay() {
    stopping_ = true;
    thread_.join();
}

void BreakingRelay::run() {
    while (!stopping_) {
        pollfd one{listener_.get(), POLLIN, 0};
        if (poll(&one, 1, kLookMs) != 1) continue;
        relay(listener_.accept(), limits_);
        limits_ = {};
    }
}

void BreakingRelay::relay(RawStream client, Limits limits) {
    RawStream server{server_};
    RawStream* const from[2] = {&client, &server};
    std::size_t left[2] = {limits.up, limits.down};
    while (!stopping_ && left[0] > 0 && left[1] > 0) {
        pollfd two[2] = {{client.get(), POLLIN, 0}, {server.get(), POLLIN, 0}};
        poll(two, 2, kLookMs);
        for (int i = 0; i < 2; ++i) {
            if (two[i].revents == 0) continue;
            Bytes buffer(std::min<std::size_t>(left[i], 65'536));
            const ssize_t got = recv(from[i]->get(), buffer.data(), buffer.size(), 0);
            if (got <= 0) return;
            buffer.resize(static_cast<std::size_t>(got));
            left[i] -= buffer.size();
            from[1 - i]->send(buffer);
        }
    }
    if (limits.reset && !stopping_) {
        client.reset();
        server.reset();
    }
}

LossyRelay::LossyRelay(std::uint16_t server, int up, int down)
    : server_(server), up_(up), down_(down), thread_(&LossyRelay::run, this) {}

LossyRelay::~LossyRelay() {
    stopping_ = true;
    thread_.join();
}

void LossyRelay::run() {
    std::uint16_t client = 0;
    while (!stopping_) {
        const auto got = socket_.receive(std::chrono::milliseconds(kLookMs));
        if (!got) continue;
        if (got->from == server_) {
            if (down_-- <= 0) socket_.send_to(client, got->bytes);
        } else {
            client = got->from;
            if (up_-- <= 0) socket_.send_to(server_, got->bytes);
        }
    }
}

HandServer::HandServer(int connections, std::function<void(RawStream&, int)> serve)
    : thread_([this, connections, serve = std::move(serve)] {
          for (int i = 0; i < connections; ++i) {
              RawStream stream = listener_.accept();
              serve(stream, i);
          }
      }) {}

}  // namespace wire
