// rpcgen + libtirpc at the other end of a real socket: its server of peer.x as an object that lives
// as long as a test, its client as a function. tirpc_peer_{server,client}.c has the checks.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace rpc_peers {

// The server's process; it is killed when the object is destroyed, and when the process that made
// it ends.
class TirpcServer final {
 public:
    // Throws std::runtime_error when it does not start.
    TirpcServer();
    ~TirpcServer();
    TirpcServer(const TirpcServer&) = delete;
    TirpcServer& operator=(const TirpcServer&) = delete;

    std::uint16_t tcp_port() const { return tcp_port_; }
    std::uint16_t udp_port() const { return udp_port_; }

 private:
    pid_t process_ = -1;
    int output_ = -1;
    std::uint16_t tcp_port_ = 0;
    std::uint16_t udp_port_ = 0;
};

struct ClientRun {
    int status = -1;   // the client's exit status; -1: a signal ended it
    int passed = 0;    // lines `ok …`
    std::string text;  // all it printed
};

// Calls a server of peer.x on this machine, over "tcp" or "udp". Blocks until the client is done:
// the server must run on another thread, or in another process.
ClientRun run_tirpc_client(std::string_view host, std::uint16_t port, std::string_view transport);

}  // namespace rpc_peers
