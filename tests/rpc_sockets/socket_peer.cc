// Serves or calls peer.x in a separate process.
//
//     socket_peer                       serves it on any free local port: `listening PORT`
//     socket_peer --inherited           serves it on the sockets of LISTEN_FDS
//     socket_peer --talk PORT tcp|udp   calls it: NULL, ADD, ECHO of several sizes; `N calls`
//
// SIGTERM ends a server.
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include "tests/rpc_sockets/peer_server.h"

namespace wire {
namespace {

void serve(bool inherited) {
    transport::Server::block_signals();
    PeerState state;
    PeerV1 v1{state};
    PeerV2 v2{state};
    rpc::Server programs;
    programs.add(v1);
    programs.add(v2);
    transport::Server server{programs, {.threads = 2}};
    if (inherited)
        std::printf("listening on %zu inherited\n", server.listen_inherited());
    else
        std::printf("listening %u\n", server.listen("127.0.0.1", 0));
    std::fflush(stdout);
    server.start();
    server.wait_for_signal();
}

int talk(const std::string& port, bool udp) {
    transport::ClientOptions options;
    options.udp = udp;
    options.credential = rpc::ClientCredential::of_this_process();
    auto client = transport::Client::connect("127.0.0.1:" + port, options);
    PEER_V2::Client peer{client};
    int good = 0;
    if (peer.NULL_()) ++good;
    if (peer.ADD({2, 3}).value_or(0) == 5) ++good;
    for (const std::size_t size : {0u, 1u, 5u, 1000u, udp ? 8'000u : 200'000u}) {
        const std::vector<std::byte> bytes(size, std::byte{'x'});
        const auto echo = peer.ECHO(bytes);
        if (echo && echo->size() == size) ++good;
    }
    if (peer.WHO()) ++good;
    std::printf("%d calls\n", good);
    return 0;
}

}  // namespace
}  // namespace wire

int main(int count, char** words) try {
    const std::string_view first = count > 1 ? words[1] : "";
    if (first == "--talk" && count == 4)
        return wire::talk(words[2], std::string_view{words[3]} == "udp");
    wire::serve(first == "--inherited");
} catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 2;
}
