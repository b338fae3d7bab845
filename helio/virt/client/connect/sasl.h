// SASL (RFC 4422) for clients, by Cyrus SASL: chooses the mechanism and makes its data. It knows no
// messages; open() carries the data to the daemon and back. In a build without SASL, make() returns
// an error.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "helio/base/result.h"
#include "helio/transport/stream/layer.h"

namespace helio::virt {

struct Credentials {
    std::string user;
    std::string password;
};
// Called at most once, and only if a mechanism needs it: GSSAPI has tickets.
using AskCredentials = std::function<std::optional<Credentials>()>;

class Sasl {
 public:
    struct Options {
        std::string host = "localhost";  // as in tickets
        bool encrypts = false;           // require encryption, as over TCP
        AskCredentials ask;
    };
    static Result<std::unique_ptr<Sasl>, std::string> make(Options options);
    virtual ~Sasl() = default;

    // No data is not the same as empty data.
    using Data = std::optional<std::string>;
    struct First {
        std::string mechanism;
        Data data;
    };
    // Chooses the best of these, separated by spaces.
    virtual Result<First, std::string> start(const std::string& mechanisms) = 0;
    // The daemon's data → our answer.
    virtual Result<Data, std::string> step(const Data& from_daemon) = 0;
    // True if this side is done.
    virtual bool complete() const = 0;
    // Once complete: encryption, if it was negotiated. It refers to this.
    virtual std::unique_ptr<transport::Layer> layer() = 0;
};

}  // namespace helio::virt
