// The server side of SASL (RFC 4422), with Cyrus SASL and passwords from a file that saslpasswd2
// writes. It negotiates no encryption, because it is used on AF_UNIX sockets only. It does not know
// libvirt's messages.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "helio/base/result.h"

namespace helio::virt::daemon {

// Steps of one login. SCRAM takes three.
inline constexpr unsigned kSaslStepsMax = 32;

// One client that logs in.
class SaslLogin {
 public:
    using Data = std::optional<std::string>;  // missing data differs from empty data
    struct SaslReply {
        bool complete = false;
        Data data;
    };
    virtual ~SaslLogin() = default;
    // "SCRAM-SHA-256,…"
    virtual const std::string& mechanisms() const = 0;
    // The error is for the log; clients are only told that authentication failed.
    virtual Result<SaslReply, std::string> start(const std::string& mechanism,
                                                 const Data& data) = 0;
    virtual Result<SaslReply, std::string> step(const Data& data) = 0;
    // Once complete.
    virtual std::string user() const = 0;
};

// Call this once, before the first login. The file cannot be changed later. Returns the error, if
// any.
std::optional<std::string> start_sasl(const std::string& password_file);
Result<std::unique_ptr<SaslLogin>, std::string> begin_login();

}  // namespace helio::virt::daemon
