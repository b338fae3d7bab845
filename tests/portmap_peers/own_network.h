// A network and a /run for this process alone, so that port 111 and /run/rpcbind.sock are free.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace helio {

// Call it once per process, before it has threads. Returns why it failed; empty if it succeeded.
std::string enter_own_network();

struct Finished {
    int status = -1;     // its exit status; -1 when it could not be run or was killed
    std::string output;  // stdout and stderr
};
// Waits at most half a minute.
Finished run(const std::string& command);

// A program in the background; ended with the object.
class Background final {
 public:
    explicit Background(const std::vector<std::string>& arguments);
    ~Background();
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;

 private:
    pid_t pid_ = -1;
};

}  // namespace helio
