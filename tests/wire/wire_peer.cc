// wire_peer [--inherited]: peer.x served by us in a process of its own, on any free port of this
// machine or on the sockets of LISTEN_FDS. Prints `listening PORT`; SIGTERM ends it.
#include <cstdio>
#include <exception>
#include <string_view>

#include "tests/wire/peer_server.h"

int main(int count, char** words) try {
    using namespace wire;
    transport::Server::block_signals();
    PeerState state;
    PeerV1 v1{state};
    PeerV2 v2{state};
    rpc::Server programs;
    programs.add(v1);
    programs.add(v2);
    transport::Server server{programs, {.threads = 2}};
    if (count == 2 && std::string_view{words[1]} == "--inherited")
        std::printf("listening on %zu inherited\n", server.listen_inherited());
    else
        std::printf("listening %u\n", server.listen("127.0.0.1", 0));
    std::fflush(stdout);
    server.start();
    server.wait_for_signal();
} catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 2;
}
