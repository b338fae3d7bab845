// The console of a simulated domain: it prints a greeting and echoes its input until the domain
// stops. Shared by its stream and the client's list of consoles; used on the client's thread.
#pragma once

#include <memory>
#include <string>

#include "helio/virt/host/types.h"
#include "helio/virt/server/stream.h"

namespace helio::virt::daemon {

// Output that the client has not read yet.
inline constexpr std::size_t kConsoleBytesMax = 1 << 20;

class Console final {
 public:
    Console(const host::Uuid& domain, std::string greeting)
        : domain_(domain), waiting_(std::move(greeting)) {}

    const host::Uuid& domain() const { return domain_; }
    void set_stream(server::StreamHandle stream) { stream_ = std::move(stream); }
    // The domain has stopped.
    void end();

    // False if the client does not read its output.
    bool type(ByteView bytes);
    server::StreamEnd::Piece next(std::size_t bytes_max);

 private:
    host::Uuid domain_;
    server::StreamHandle stream_;
    std::string waiting_;
    std::string sending_;  // the last piece is a view of it
    bool ended_ = false;
};

// The daemon's end of a console's stream.
class ConsoleStream final : public server::StreamEnd {
 public:
    explicit ConsoleStream(std::shared_ptr<Console> console) : console_(std::move(console)) {}
    Failure take(ByteView bytes) override;
    Piece next(std::size_t bytes_max) override { return console_->next(bytes_max); }

 private:
    std::shared_ptr<Console> console_;
};

}  // namespace helio::virt::daemon
