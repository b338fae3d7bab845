// A hostile daemon: any bytes into a connection with calls, a stream and events.
#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "helio/base/fd.h"
#include "helio/virt/client/connection.h"
#include "helio/virt/client/events.h"
#include "helio/virt/client/stream.h"
#include "helio/virt/wire/programs.h"

namespace {

using namespace helio;

Task<void> read_all(virt::ClientStream& stream) {
    for (;;) {
        const auto piece = co_await stream.read();
        if (!piece || piece->kind == virt::StreamPiece::Kind::end) co_return;
    }
}

Task<void> read_events(virt::Events& events) {
    for (;;) {
        const auto event = co_await events.next();
        if (!event) co_return;
        static_cast<void>(virt::lifecycle_of(*event));
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) return 0;
    const Fd daemon{ends[0]};
    transport::EventLoop loop;
    virt::ClientConnection connection{loop, Fd{ends[1]}};
    virt::Events events{connection};
    Task<void> listening = read_events(events);
    listening.start([](void*) {}, nullptr);
    // Serial 1 belongs to a stream, 2 and 3 are calls.
    virt::ClientStream stream{connection};
    auto opening = stream.begin(virt::kRemoteProgram, 1, 209);
    opening->send();
    Task<void> reading = read_all(stream);
    reading.start([](void*) {}, nullptr);
    auto first = connection.begin(virt::kRemoteProgram, 1, 59);
    first->send();
    auto second = connection.begin(virt::kRemoteProgram, 1, 6);
    second->send();
    // In two parts: the split must not change how messages are understood.
    const std::size_t half = size > 0 ? data[0] % size : 0;
    for (const auto& [begin, end] : {std::pair{std::size_t{0}, half}, std::pair{half, size}}) {
        if (end > begin && ::send(daemon.get(), data + begin, end - begin, MSG_NOSIGNAL) < 0) break;
        loop.turn(std::chrono::milliseconds(0));
    }
    loop.turn(std::chrono::milliseconds(0));
    static_cast<void>(connection.failure(first->why()));
    return 0;
}
