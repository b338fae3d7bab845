#include "tests/xdr_peers/peer.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <system_error>

namespace xdr_peers {
namespace {

void check(int error, const char* what) {
    if (error != 0) throw std::system_error(error, std::generic_category(), what);
}

int digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

}  // namespace

std::string to_hex(helio::ByteView bytes) {
    if (bytes.empty()) return "-";
    std::string hex;
    hex.reserve(2 * bytes.size());
    for (const std::byte byte : bytes) {
        const auto value = std::to_integer<unsigned>(byte);
        hex += "0123456789abcdef"[value >> 4];
        hex += "0123456789abcdef"[value & 15];
    }
    return hex;
}

Bytes from_hex(std::string_view hex) {
    Bytes bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
        bytes.push_back(static_cast<std::byte>(digit(hex[i]) << 4 | digit(hex[i + 1])));
    return bytes;
}

Peer::Peer(const std::string& program) {
    // A peer that crashed shall fail the test that made it crash, not end the whole run.
    std::signal(SIGPIPE, SIG_IGN);
    std::array<int, 2> down{};
    std::array<int, 2> up{};
    check(pipe(down.data()) == 0 ? 0 : errno, "pipe");
    check(pipe(up.data()) == 0 ? 0 : errno, "pipe");

    posix_spawn_file_actions_t actions;
    check(posix_spawn_file_actions_init(&actions), "posix_spawn_file_actions_init");
    posix_spawn_file_actions_adddup2(&actions, down[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, up[1], STDOUT_FILENO);
    for (const int fd : {down[0], down[1], up[0], up[1]})
        posix_spawn_file_actions_addclose(&actions, fd);
    std::string name = program;
    std::array<char*, 2> arguments = {name.data(), nullptr};
    const int error =
        posix_spawn(&process_, name.c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(down[0]);
    close(up[1]);
    to_ = fdopen(down[1], "w");
    from_ = fdopen(up[0], "r");
    check(error, program.c_str());
}

Peer::~Peer() {
    std::fclose(to_);  // end of input ends the peer
    std::fclose(from_);
    if (process_ > 0) waitpid(process_, nullptr, 0);
}

std::string Peer::ask(std::string_view question) {
    std::fwrite(question.data(), 1, question.size(), to_);
    std::fputc('\n', to_);
    std::fflush(to_);
    char* line = nullptr;
    std::size_t capacity = 0;
    const ssize_t size = getline(&line, &capacity, from_);
    std::string answer =
        size > 0 ? std::string(line, static_cast<std::size_t>(size) - 1) : std::string("gone");
    std::free(line);
    return answer;
}

std::vector<std::string> Peer::ask_words(std::string_view question) {
    std::istringstream words(ask(question));
    std::vector<std::string> list;
    std::string word;
    words >> word;  // "ok"
    while (words >> word) list.push_back(word);
    return list;
}

std::vector<std::string> Peer::types() { return ask_words("types"); }

std::vector<Native> Peer::natives() {
    std::vector<Native> list;
    for (const std::string& word : ask_words("natives")) {
        const std::size_t colon = word.find(':');
        list.push_back({word.substr(0, colon), word.substr(colon + 1)});
    }
    return list;
}

std::string Peer::echo(std::string_view type, helio::ByteView bytes) {
    return ask("echo " + std::string(type) + " " + to_hex(bytes));
}

Bytes Peer::native(std::string_view name) {
    const std::string answer = ask("native " + std::string(name));
    if (!answer.starts_with("ok ")) throw std::runtime_error(std::string(name) + ": " + answer);
    return from_hex(std::string_view(answer).substr(3));
}

}  // namespace xdr_peers
