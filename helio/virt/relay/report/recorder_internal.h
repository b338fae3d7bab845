// Recorder: writes the bytes of each connection to one file per direction, for `helio explain`.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "helio/virt/relay/relay.h"

namespace helio::virt::relay {

class Recorder final {
 public:
    using Problem = std::function<void(std::string_view)>;

    // Creates the folder. Throws std::runtime_error on failure.
    Recorder(std::string folder, Problem on_problem);
    void begin(const RelayClient& client);
    void append(const RelayClient& client, RelaySide from, ByteView frame);
    void end(const RelayClient& client) { open_.erase(client.number); }

 private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    using File = std::unique_ptr<std::FILE, Close>;
    struct Files {
        File client_to_server, server_to_client;  // nullptr: it could not be opened
    };
    File open_file(const RelayClient& client, std::string_view direction);

    std::string folder_;
    Problem on_problem_;
    std::string began_;  // part of each file's name
    std::map<std::uint64_t, Files> open_;
};

}  // namespace helio::virt::relay
