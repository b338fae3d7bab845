#include "helio/serve/check.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

#include "helio/serve/exposure.h"
#include "helio/serve/state.h"
#include "helio/transport/socket/socket.h"

namespace helio::serve {
namespace {

using transport::Endpoint;

class Checking final {
 public:
    explicit Checking(BusyPorts busy) : busy_(busy) {}

    // The addresses, if all is well.
    std::vector<Endpoint> addresses(std::string_view key, const Listen& where) {
        auto found = transport::resolve(where.host, where.port);
        if (found) return std::move(*found);
        result.problems.push_back(fmt::format("{}: {}", key, found.error()));
        return {};
    }
    // Sockets are kept, so that two listeners at one address are found.
    bool try_port(std::string_view key, const Endpoint& where, int type) {
        transport::Fd socket = transport::bound_socket(where, type);
        const int why = errno;
        if (socket) {
            sockets_.push_back(std::move(socket));
            return true;
        }
        if (why == EADDRINUSE && busy_ == BusyPorts::are_fine) return true;
        result.problems.push_back(fmt::format("{}: cannot listen on {} {}: {}", key,
                                              type == SOCK_DGRAM ? "udp" : "tcp",
                                              transport::to_text(where), std::strerror(why)));
        return false;
    }
    void listen(const std::vector<Listen>& listens) {
        for (std::size_t i = 0; i < listens.size(); ++i) {
            const bool is_twice =
                listens[i].port != 0 &&
                std::find(listens.begin(), listens.begin() + static_cast<std::ptrdiff_t>(i),
                          listens[i]) != listens.begin() + static_cast<std::ptrdiff_t>(i);
            if (is_twice) {
                result.problems.push_back(fmt::format("listen: {}:{} is there twice",
                                                      listens[i].host, listens[i].port));
                continue;
            }
            for (const Endpoint& where : addresses("listen", listens[i]))
                if (try_port("listen", where, SOCK_STREAM) && try_port("listen", where, SOCK_DGRAM))
                    exposure.listens.push_back(where);
        }
    }
    void state(const Settings& settings) {
        try {
            const State found =
                State::inspect(settings.state.value_or(default_state_directory()));
            if (!found.persistent())
                result.notes.push_back(fmt::format(
                    "handles would end with the server, and clients have to mount again after a "
                    "restart: {}",
                    found.problem()));
        } catch (const std::runtime_error& error) {
            result.problems.emplace_back(error.what());
        }
    }

    StartCheck result;
    Exposure exposure;

 private:
    const BusyPorts busy_;
    std::vector<transport::Fd> sockets_;
};

}  // namespace

StartCheck check_start(const Settings& settings, const Plan& plan, BusyPorts busy) {
    Checking checking{busy};
    checking.exposure.interfaces = transport::interface_addresses();
    checking.listen(settings.listen);
    if (!settings.metrics_off.value_or(false) && settings.metrics)
        for (const Endpoint& where : checking.addresses("metrics", *settings.metrics))
            checking.try_port("metrics", where, SOCK_STREAM);
    if (settings.rdma) checking.addresses("rdma", *settings.rdma);
    checking.state(settings);
    for (auto& warning : checking.exposure.warnings(plan))
        checking.result.notes.push_back("WARNING: " + std::move(warning));
    return std::move(checking.result);
}

}  // namespace helio::serve
