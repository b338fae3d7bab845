// The console of a simulated domain: it greets, and gives back what is typed. Ends when the domain
// does. Shared by its stream and the client's list of consoles; on the client's thread.
#pragma once

#include <memory>
#include <string>

#include "helio/virt/host/types.h"
#include "helio/virt/server/stream.h"

namespace helio::virt::daemon {

// Typed bytes that wait for the client to take them back.
inline constexpr std::size_t kConsoleBytesMax = 1 << 20;

class Console final {
 public:
    Console(const host::Uuid& domain, std::string greeting)
        : domain_(domain), waiting_(std::move(greeting)) {}

    const host::Uuid& domain() const { return domain_; }
    void set_stream(server::StreamHandle stream) { stream_ = std::move(stream); }
    // The domain has stopped.
    void end();

    // False: it holds more than it may.
    bool type(ByteView bytes);
    server::StreamEnd::Piece next(std::size_t bytes_max);

 private:
    host::Uuid domain_;
    server::StreamHandle stream_;
    std::string waiting_;
    std::string sending_;  // what the last piece points at
    bool ended_ = false;
};

// The end of a stream that belongs to it.
class ConsoleStream final : public server::StreamEnd {
 public:
    explicit ConsoleStream(std::shared_ptr<Console> console) : console_(std::move(console)) {}
    Failure take(ByteView bytes) override;
    Piece next(std::size_t bytes_max) override { return console_->next(bytes_max); }

 private:
    std::shared_ptr<Console> console_;
};

}  // namespace helio::virt::daemon
