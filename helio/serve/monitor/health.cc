#include "helio/serve/monitor/health.h"

#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "helio/base/text/json_writer.h"
#include "helio/serve/log.h"
#include "helio/transport/client/client.h"
#include "schema/nfs3.h"
#include "schema/nfs3_service.h"

namespace helio::serve {
namespace {

using Clock = std::chrono::steady_clock;

transport::ClientOptions options() {
    transport::ClientOptions out;
    out.call_timeout = kHealthTimeout;
    out.reconnect = false;
    return out;
}

template <class Ask>
HealthReport::Check timed(std::string what, Ask ask) {
    HealthReport::Check check;
    check.what = std::move(what);
    const auto begin = Clock::now();
    try {
        check.problem = ask();
    } catch (const std::exception& error) {
        check.problem = error.what();
    }
    check.milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    return check;
}

}  // namespace

bool HealthReport::well() const {
    return std::all_of(checks.begin(), checks.end(),
                       [](const Check& one) { return one.problem.empty(); });
}

std::string to_json(const HealthReport& report) {
    std::string text;
    JsonWriter json{text};
    json.open('{');
    json.member("status", report.well() ? "ok" : "failing");
    json.member("version", report.version);
    json.member("pid", report.pid);
    json.key("exports");
    json.open('[');
    for (const auto& one : report.exports) {
        json.element();
        json.open('{');
        json.member("export", one.path);
        json.member("source", one.source);
        json.close('}');
    }
    json.close(']');
    if (report.state) {
        const nfs::state::Totals& all = report.state->totals;
        json.key("nfs4");
        json.open('{');
        json.member("clients", all.clients);
        json.member("expired", all.expired);
        json.member("sessions", all.sessions);
        json.member("opens", all.opens);
        json.member("locks", report.state->locks);
        json.member("in_grace", all.in_grace);
        json.close('}');
    }
    json.key("checks");
    json.open('[');
    for (const auto& one : report.checks) {
        json.new_line();
        json.element();
        json.open('{');
        json.member("check", one.what);
        json.member("ok", one.problem.empty());
        json.member("ms", one.milliseconds, 3);
        if (!one.problem.empty()) json.member("problem", one.problem);
        json.close('}');
    }
    json.new_line();
    json.close(']');
    json.close('}');
    return text + '\n';
}

HealthReport::Check Health::knock(const transport::Endpoint& door) const {
    return timed("listen " + transport::to_text(door), [&]() -> std::string {
        transport::Client client{{transport::to_loopback(door)}, options()};
        const auto reply = nfs3::NFS_V3::Client{client}.NULL_();
        return reply ? "" : rpc::to_text(reply.error());
    });
}

HealthReport::Check Health::ask(const nfs::Export& one) const {
    return timed("export " + one.path, [&]() -> std::string {
        if (const auto longest = pool_.longest_of(one.counters.get()); longest >= kHungAfter)
            return fmt::format("the file system has not answered for {} s", longest.count() / 1000);
        transport::Client client{server_.connect_in_process(), options()};
        const nfs::Handle handle = exports_.seal(one, one.files->root());
        nfs3::GETATTR3args arguments;
        arguments.object.data = handle.view();
        const auto reply = nfs3::NFS_V3::Client{client}.GETATTR(arguments);
        if (!reply) return rpc::to_text(reply.error());
        // A denial is also an answer: the export may not be meant for this machine.
        if (reply->status() == nfs3::NFS3_OK || reply->status() == nfs3::NFS3ERR_ACCES) return "";
        return fmt::format("GETATTR of the root directory: {}", nfs3::to_string(reply->status()));
    });
}

const HealthReport& Health::look() {
    if (!last_.checks.empty() && Clock::now() - when_ < kHealthAge) return last_;
    HealthReport report;
    report.version = version_;
    report.pid = getpid();
    for (const auto& door : server_.endpoints(rpc::Transport::tcp))
        report.checks.push_back(knock(door));
    const auto table = exports_.table();
    for (const auto& one : *table) report.exports.push_back({one.path, one.source});
    for (const auto& one : *table) {
        report.checks.push_back(ask(one));
        // One dead disk is enough; checking a hundred would take minutes.
        if (!report.checks.back().problem.empty()) break;
    }
    last_ = std::move(report);
    when_ = Clock::now();
    return last_;
}

bool Health::alive() {
    try {
        transport::Client client{server_.connect_in_process(), options()};
        return nfs3::NFS_V3::Client{client}.NULL_().has_value();
    } catch (const std::exception&) {
        return false;
    }
}

}  // namespace helio::serve
