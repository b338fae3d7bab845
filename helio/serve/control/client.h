// ControlClient: finds a running server by its control socket and asks it. For `helio clients` and
// `helio locks`.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "helio/base/result.h"
#include "helio/transport/client/client.h"
#include "schema/helio_control_service.h"

namespace helio::serve {

// Which server. Both empty: the one that is found in the usual places.
struct ControlTarget {
    std::string socket = {};  // --socket
    std::string state = {};   // --state: the server's state directory
};

struct ControlError {
    enum class Kind : std::uint8_t { unreachable, refused, several } kind = Kind::unreachable;
    std::string text = {};  // one sentence, or several lines that list servers
};

class ControlClient final {
 public:
    static Result<ControlClient, ControlError> find(const ControlTarget& target);

    const std::string& path() const { return path_; }
    bool serves_nfs4() const { return serves_nfs4_; }
    // Rows are views, for the duration of the call.
    Result<void, ControlError> each_client(
        const std::function<void(const helio_control::client_row&)>& row);
    Result<void, ControlError> each_holding(
        const std::function<void(const helio_control::holding_row&)>& row);
    // False: there is no such client.
    Result<bool, ControlError> evict(std::uint64_t client);

 private:
    ControlClient(std::string path, std::unique_ptr<transport::Client> client)
        : path_(std::move(path)), client_(std::move(client)) {}
    static Result<ControlClient, ControlError> open(const std::string& path, std::string& about);
    ControlError failed(const xdr::CallError& error) const;

    std::string path_;
    std::unique_ptr<transport::Client> client_;
    bool serves_nfs4_ = false;
};

}  // namespace helio::serve
