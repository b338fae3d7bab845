// SASL (RFC 4422) on the daemon's side, by Cyrus SASL, with passwords from a file that saslpasswd2
// makes. For AF_UNIX, where nobody listens in: no encryption is negotiated. It knows no messages.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "helio/base/result.h"

namespace helio::virt::daemon {

// Steps of one login; SCRAM takes three.
inline constexpr unsigned kSaslStepsMax = 32;

// One client that logs in.
class SaslLogin {
 public:
    using Data = std::optional<std::string>;  // nothing is not the same as empty
    struct SaslReply {
        bool complete = false;
        Data data;
    };
    virtual ~SaslLogin() = default;
    // "SCRAM-SHA-256,…"
    virtual const std::string& mechanisms() const = 0;
    // What went wrong is for the log; a client is told only that something did.
    virtual Result<SaslReply, std::string> start(const std::string& mechanism,
                                                 const Data& data) = 0;
    virtual Result<SaslReply, std::string> step(const Data& data) = 0;
    // Once complete.
    virtual std::string user() const = 0;
};

// Once, before the first login; the file stays the same for the life of the process. What is wrong,
// or nothing.
std::optional<std::string> start_sasl(const std::string& password_file);
Result<std::unique_ptr<SaslLogin>, std::string> begin_login();

}  // namespace helio::virt::daemon
