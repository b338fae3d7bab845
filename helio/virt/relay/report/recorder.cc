#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "helio/virt/relay/report/recorder_internal.h"

namespace helio::virt::relay {

Recorder::Recorder(std::string folder, Problem on_problem)
    : folder_(std::move(folder)), on_problem_(std::move(on_problem)) {
    if (mkdir(folder_.c_str(), S_IRWXU) != 0 && errno != EEXIST)
        throw std::runtime_error(fmt::format("{}: {}", folder_, std::strerror(errno)));
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y%m%dT%H%M%S", &parts);
    began_ = text;
}

Recorder::File Recorder::open_file(const RelayClient& client, std::string_view direction) {
    const std::string path =
        fmt::format("{}/{}-{:04}.{}.bin", folder_, began_, client.number, direction);
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    File file{fd < 0 ? nullptr : fdopen(fd, "w")};
    if (!file) on_problem_(fmt::format("{}: {}", path, std::strerror(errno)));
    return file;
}

void Recorder::begin(const RelayClient& client) {
    open_[client.number] = {open_file(client, "c2s"), open_file(client, "s2c")};
}

void Recorder::append(const RelayClient& client, RelaySide from, ByteView frame) {
    const Files& files = open_[client.number];
    const File& file = from == RelaySide::client ? files.client_to_server : files.server_to_client;
    if (file && std::fwrite(frame.data(), 1, frame.size(), file.get()) != frame.size())
        on_problem_(fmt::format("{}: {}", folder_, std::strerror(errno)));
}

}  // namespace helio::virt::relay
