// SASL (RFC 4422) for clients, by Cyrus SASL: which mechanism, and what it says in each step. It
// knows no messages; open() carries its data to the daemon and back. Where the library was built
// without it, make() says so.
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
// Asked at most once, and only when a mechanism wants it: GSSAPI has tickets.
using AskCredentials = std::function<std::optional<Credentials>()>;

class Sasl {
 public:
    struct Options {
        std::string host = "localhost";  // as it is in tickets
        bool encrypts = false;           // over TCP nothing less will do
        AskCredentials ask;
    };
    static Result<std::unique_ptr<Sasl>, std::string> make(Options options);
    virtual ~Sasl() = default;

    // Nothing is not the same as empty.
    using Data = std::optional<std::string>;
    struct First {
        std::string mechanism;
        Data data;
    };
    // The best of these, which a space stands between.
    virtual Result<First, std::string> start(const std::string& mechanisms) = 0;
    // What the daemon said → what it is answered.
    virtual Result<Data, std::string> step(const Data& from_daemon) = 0;
    // Whether this side has had its last word.
    virtual bool complete() const = 0;
    // Once complete: encryption, if it was agreed to. It refers to this.
    virtual std::unique_ptr<transport::Layer> layer() = 0;
};

}  // namespace helio::virt
