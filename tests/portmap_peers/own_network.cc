#include "own_network.h"

#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace helio {

namespace {

std::string failed(const char* what) { return std::string{what} + ": " + std::strerror(errno); }

bool raise_loopback() {
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    ifreq request{};
    std::strcpy(request.ifr_name, "lo");
    request.ifr_flags = IFF_UP | IFF_RUNNING;
    const bool done = fd >= 0 && ioctl(fd, SIOCSIFFLAGS, &request) == 0;
    close(fd);
    return done;
}

}  // namespace

std::string enter_own_network() {
    if (geteuid() != 0) return "a network of one's own needs root";
    if (unshare(CLONE_NEWNET | CLONE_NEWNS) != 0) return failed("no network of our own");
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("run", "/run", "tmpfs", 0, nullptr) != 0)
        return failed("no /run of our own");
    if (!raise_loopback()) return failed("no loopback of our own");
    return {};
}

Finished run(const std::string& command) {
    Finished out;
    FILE* const pipe = popen(("timeout 30 " + command + " 2>&1").c_str(), "re");
    if (pipe == nullptr) return out;
    std::array<char, 4096> buffer{};
    while (const std::size_t size = fread(buffer.data(), 1, buffer.size(), pipe))
        out.output.append(buffer.data(), size);
    const int status = pclose(pipe);
    if (WIFEXITED(status)) out.status = WEXITSTATUS(status);
    return out;
}

Background::Background(const std::vector<std::string>& arguments) : pid_(fork()) {
    if (pid_ != 0) return;
    std::vector<char*> pointers;
    for (const std::string& one : arguments) pointers.push_back(const_cast<char*>(one.c_str()));
    pointers.push_back(nullptr);
    execvp(pointers[0], pointers.data());
    _exit(127);
}

Background::~Background() {
    if (pid_ <= 0) return;
    kill(pid_, SIGTERM);
    waitpid(pid_, nullptr, 0);
}

}  // namespace helio
