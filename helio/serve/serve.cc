#include "helio/serve/serve.h"

#include <cstdio>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "helio/base/system/descriptor_limit.h"
#include "helio/serve/announce.h"
#include "helio/serve/config/config_file.h"
#include "helio/serve/server_internal.h"
#include "helio/serve/startup_signals.h"

namespace helio::serve {
namespace {

void complain(std::string_view line) { fmt::print(stderr, "helio: {}\n", line); }

}  // namespace

sigset_t served_signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int one : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, one);
    return set;
}

std::optional<Settings> gather_settings(const Request& request,
                                        const std::function<void(std::string_view)>& tell) {
    Settings settings;
    if (!request.config.empty()) {
        auto read = read_config(request.config, *request.backends);
        if (!read) {
            for (const auto& problem : read.error()) tell(to_text(request.config, problem));
            return std::nullopt;
        }
        settings = std::move(*read);
    }
    settings = settings.overlaid_with(request.flags);
    if (settings.listen.empty()) settings.listen.emplace_back();
    return settings;
}

int serve(const Request& request) {
    const auto settings = gather_settings(request, complain);
    if (!settings) return 1;
    auto plan = make_plan(*settings, *request.backends);
    if (!plan) {
        complain(plan.error());
        return 1;
    }
    if (request.check) {
        fmt::print("{}", to_text(*plan));
        return 0;
    }
    transport::Server::block_signals();
    raise_descriptor_limit();
    std::optional<Running> running;
    {
        const StartupSignals interruptible{served_signals()};
        running.emplace(request, *settings, std::move(*plan));
    }
    // Who reads that it is ready may send a signal that ends it as it should end.
    running->start();
    running->wait();
    running->stop();
    return 0;
}

}  // namespace helio::serve
