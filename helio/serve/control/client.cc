#include "helio/serve/control/client.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "helio/base/text/escape.h"
#include "helio/rpc/onc/onc_envelope.h"
#include "helio/serve/config/settings.h"
#include "helio/serve/control/socket.h"

namespace helio::serve {

using namespace helio_control;

namespace {

// Where the service of the system has its state.
constexpr const char* kSystemState = "/var/lib/heliograph";
constexpr const char* kWhoMay = "only root and the user who runs the server may ask it";

std::vector<std::string> usual_directories() {
    std::vector<std::string> out;
    for (const std::string& one :
         {default_state_directory(), runtime_directory(), std::string{kSystemState}})
        if (!one.empty() && std::find(out.begin(), out.end(), one) == out.end()) out.push_back(one);
    return out;
}

// Sockets that exist. `denied`: this user may not look into the directory.
std::vector<std::string> sockets_in(const std::string& directory, bool& denied) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < kControlSocketsMax; ++i) {
        const std::string path = control_path(directory, i);
        struct stat about {};
        if (lstat(path.c_str(), &about) == 0 && S_ISSOCK(about.st_mode))
            out.push_back(path);
        else if (errno == EACCES)
            denied = true;
    }
    return out;
}

}  // namespace

ControlError ControlClient::failed(const xdr::CallError& error) const {
    const bool refused = error.outcome == xdr::Outcome::auth_error ||
                         error.outcome == xdr::Outcome::refused || error.error_number == EACCES;
    if (refused)
        return {ControlError::Kind::refused,
                fmt::format("{}: permission denied: {}", path_, kWhoMay)};
    return {ControlError::Kind::unreachable, fmt::format("{}: {}", path_, rpc::to_text(error))};
}

Result<ControlClient, ControlError> ControlClient::open(const std::string& path,
                                                        std::string& about) {
    transport::ClientOptions options;
    options.reconnect = false;
    ControlClient out{path, std::make_unique<transport::Client>(
                                std::vector{transport::Endpoint::unix_path(path)}, options)};
    const auto info = HELIO_CONTROL_V1::Client{*out.client_}.INFO();
    if (!info) return fail(out.failed(info.error()));
    out.serves_nfs4_ = info->serves_nfs4;
    about = fmt::format("pid {}, {}, exports {}", info->pid, printable(info->addresses),
                        printable(info->exports));
    return out;
}

Result<ControlClient, ControlError> ControlClient::find(const ControlTarget& target) {
    using Kind = ControlError::Kind;
    std::string about;
    if (!target.socket.empty()) return open(target.socket, about);
    const auto directories = target.state.empty() ? usual_directories() : std::vector{target.state};
    std::vector<ControlClient> found;
    std::vector<std::string> listed, denied;
    for (const std::string& directory : directories) {
        bool hidden = false;
        for (const std::string& path : sockets_in(directory, hidden)) {
            auto opened = open(path, about);
            if (opened) {
                listed.push_back(fmt::format("  --socket {}  ({})", path, about));
                found.push_back(std::move(*opened));
            } else if (opened.error().kind == Kind::refused) {
                denied.push_back(path);
            }
        }
        if (hidden) denied.push_back(directory);
    }
    if (found.size() == 1) return std::move(found.front());
    if (found.size() > 1)
        return fail(ControlError{
            Kind::several, fmt::format("{} servers are running; choose one with --socket:\n{}",
                                       found.size(), fmt::join(listed, "\n"))});
    if (!denied.empty())
        return fail(ControlError{Kind::refused, fmt::format("{}: permission denied: {}",
                                                            fmt::join(denied, ", "), kWhoMay)});
    return fail(ControlError{
        Kind::unreachable,
        fmt::format("no running helio serve found; there is no control socket of one in {}; name "
                    "its state directory with --state, or its socket with --socket",
                    fmt::join(directories, ", "))});
}

Result<void, ControlError> ControlClient::each_client(
    const std::function<void(const client_row&)>& row) {
    for (std::uint64_t after = 0;;) {
        const auto page = HELIO_CONTROL_V1::Client{*client_}.CLIENTS(after);
        if (!page) return fail(failed(page.error()));
        for (const client_row& one : page->rows) row(one);
        if (page->end || page->rows.empty()) return {};
        after = page->rows[page->rows.size() - 1].id;
    }
}

Result<void, ControlError> ControlClient::each_holding(
    const std::function<void(const holding_row&)>& row) {
    for (holding_position at{};;) {
        const auto page = HELIO_CONTROL_V1::Client{*client_}.HOLDINGS(at);
        if (!page) return fail(failed(page.error()));
        for (const holding_row& one : page->rows) row(one);
        if (page->end) return {};
        at = page->next;
    }
}

Result<bool, ControlError> ControlClient::evict(std::uint64_t client) {
    const auto done = HELIO_CONTROL_V1::Client{*client_}.EVICT(client);
    if (!done) return fail(failed(done.error()));
    return *done == EVICT_OK;
}

}  // namespace helio::serve
