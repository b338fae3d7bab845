#include "helio/serve/serve.h"

#include <cstdio>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "helio/base/system/descriptor_limit.h"
#include "helio/serve/announce.h"
#include "helio/serve/check.h"
#include "helio/serve/config/config_file.h"
#include "helio/serve/server_internal.h"
#include "helio/serve/startup_signals.h"

namespace helio::serve {
namespace {

void complain(std::string_view line) { fmt::print(stderr, "helio: {}\n", line); }

// Exit code.
int check(const Request& request, const Settings& settings, const Plan& plan) {
    const auto found = check_start(
        settings, plan, request.check_ports ? BusyPorts::are_problems : BusyPorts::are_fine);
    for (const auto& problem : found.problems) complain(problem);
    if (!found.problems.empty()) return 1;
    fmt::print("{}", to_text(plan));
    for (const auto& note : found.notes) fmt::print("\n{}\n", note);
    return 0;
}

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

void tell_plan_problems(const Request& request, const std::vector<ConfigProblem>& problems,
                        const std::function<void(std::string_view)>& tell) {
    for (const auto& problem : problems)
        tell(problem.line != 0 ? to_text(request.config, problem) : problem.reason);
}

int serve(const Request& request) {
    const auto settings = gather_settings(request, complain);
    if (!settings) return 1;
    auto plan = make_plan(*settings, *request.backends);
    if (!plan) {
        tell_plan_problems(request, plan.error(), complain);
        return 1;
    }
    if (request.check) return check(request, *settings, *plan);
    transport::Server::block_signals();
    raise_descriptor_limit();
    std::optional<Running> running;
    {
        const StartupSignals interruptible{served_signals()};
        running.emplace(request, *settings, std::move(*plan));
    }
    // From now on anyone who sees that it is ready may send a signal, which must end it properly.
    running->start();
    running->wait();
    running->stop();
    return 0;
}

}  // namespace helio::serve
