#include "helio/serve/check.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

#include "helio/serve/exposure.h"
#include "helio/serve/state/state.h"
#include "helio/transport/socket/socket.h"

namespace helio::serve {
namespace {

using transport::Endpoint;

class Checking final {
 public:
    explicit Checking(BusyPorts busy) : busy_(busy) {}

    // The addresses, if there is no problem.
    std::vector<Endpoint> addresses(std::string_view key, const Listen& where) {
        auto found = transport::resolve(where.host, where.port);
        if (found) return std::move(*found);
        result.problems.push_back(fmt::format("{}: {}", key, found.error()));
        return {};
    }
    bool try_port(std::string_view key, const Endpoint& where, int type) {
        const transport::BindOptions options{.is_ipv6_only = is_beside_ipv4(where)};
        const transport::Fd socket = transport::bound_socket(where, type, options);
        const int why = errno;
        if (socket || (why == EADDRINUSE && busy_ == BusyPorts::are_fine)) return true;
        result.problems.push_back(fmt::format("{}: cannot listen on {} {}: {}", key,
                                              type == SOCK_DGRAM ? "udp" : "tcp",
                                              transport::to_text(where), std::strerror(why)));
        return false;
    }
    void listen(const std::vector<Listen>& listens) {
        for (const Listen& one : listens)
            for (const Endpoint& where : addresses("listen", one)) {
                if (overlaps(where)) continue;
                if (try_port("listen", where, SOCK_STREAM) && try_port("listen", where, SOCK_DGRAM))
                    exposure.listens.push_back(where);
            }
    }
    void state(const Settings& settings) {
        try {
            const State found = State::inspect(settings.state.value_or(default_state_directory()));
            if (!found.persistent())
                result.notes.push_back(
                    fmt::format("file handles would become invalid when the server stops, and "
                                "clients would have to mount again: {}",
                                found.problem()));
        } catch (const std::runtime_error& error) {
            result.problems.emplace_back(error.what());
        }
    }

    StartCheck result;
    Exposure exposure;

 private:
    // [::] beside 0.0.0.0 is for IPv6 only, as in transport::Server.
    bool is_beside_ipv4(const Endpoint& where) const {
        const auto is_its_wildcard = [&](const Endpoint& one) {
            return one.is_ipv4() && one.is_wildcard() && one.port() == where.port();
        };
        return where.is_ipv6() && where.is_wildcard() &&
               std::ranges::any_of(exposure.listens, is_its_wildcard);
    }
    // Whether it overlaps an earlier address, which is a problem even if the port is free.
    bool overlaps(const Endpoint& where) {
        if (where.port() == 0 || is_beside_ipv4(where)) return false;
        for (const Endpoint& one : exposure.listens) {
            if (one.port() != where.port()) continue;
            const bool covered = one.is_wildcard() && (one.is_ipv6() || where.is_ipv4());
            const bool covers = where.is_wildcard() && (where.is_ipv6() || one.is_ipv4());
            if (!covered && !covers && !(one == where)) continue;
            result.problems.push_back(fmt::format(
                "listen: {} and {} overlap", transport::to_text(one), transport::to_text(where)));
            return true;
        }
        return false;
    }

    const BusyPorts busy_;
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
