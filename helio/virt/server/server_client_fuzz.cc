// A libvirt connection fed any bytes: calls, streams, keepalive, descriptors. It must not crash,
// must send only complete messages, and must serve the next client.
//
// The input is a list of pieces: action, size, and bytes. Some are sent unchanged; others become a
// message of some type and procedure, because few random bytes get past the header.
#include <fcntl.h>

#include <cstdint>
#include <optional>

#include "helio/base/assert.h"
#include "testing/virt/probe_service.h"

using namespace helio;
using namespace helio::virt::server;
using namespace helio::virt::server::probe;

namespace {

// Few serials, so that packets find their streams.
VirnetHeader header_of(std::uint8_t what, std::uint8_t more) {
    VirnetHeader header = head(more % 24, what >> 5);
    header.type = static_cast<VirnetType>(what % 8);
    if (header.type == VirnetType::stream || header.type == VirnetType::stream_hole)
        header.status = static_cast<VirnetStatus>(more >> 6);
    return header;
}

// A fuzzed stream may have gigabytes: read some of it.
void listen(ProbeLine& line) {
    line.turns_max = 2;
    for (const Heard& one : line.heard())
        if (one.header.status == VirnetStatus::error)
            HELIO_ASSERT(virt::open_error(one.payload).has_value());
}

void take_part(std::uint8_t action, std::uint8_t what, ByteView bytes, ProbeCore& core,
               std::optional<ProbeLine>& line) {
    const auto more = bytes.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(bytes[0]);
    const ByteView rest = bytes.subspan(bytes.empty() ? 0 : 1);
    switch (action % 8) {
        case 0:
            line->feed(bytes);
            break;
        case 1:
        case 2:
        case 3:
            line->say(header_of(what, more), rest);
            break;
        case 4:
            core.service.let_go();
            line->resume();
            break;
        case 5: {
            std::vector<Fd> descriptors;
            for (int i = 0; i < what % 4; ++i) descriptors.emplace_back(dup(0));
            if (!line->session().take_descriptors(std::move(descriptors))) line->broken = true;
            break;
        }
        case 6:
            line->say(ping());
            (void)line->session().on_tick(rpc::Worker::Clock::now() + std::chrono::seconds(what));
            break;
        case 7:
            listen(*line);
            if (what % 8 == 0) line->broken = true;
            break;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    ServerClientOptions options;
    options.limits.calls_queued = 3;
    options.on_begin = [](ServerClient& one) { one.start_keepalive(); };
    if (size > 0 && data[0] % 4 == 0) options.read_only = true;
    Workers workers{2, 1};
    ClientList clients;
    if (size > 0 && data[0] % 2 == 0) options.workers = &workers;
    options.clients = &clients;
    ProbeCore core{options};
    std::optional<ProbeLine> line{std::in_place, *core.worker, core.session_factory};
    line->say(head(Procedure::OPEN));
    while (size >= 3) {
        const std::size_t length = std::min<std::size_t>(data[2], size - 3);
        take_part(data[0], data[1], {reinterpret_cast<const std::byte*>(data) + 3, length}, core,
                  line);
        if (line->broken || line->ended) {
            line.emplace(*core.worker, core.session_factory);
            line->say(head(Procedure::OPEN));
        }
        data += 3 + length;
        size -= 3 + length;
    }
    listen(*line);
    line.reset();
    core.service.let_go();
    HELIO_ASSERT(core.worker->calls_waiting() == 0);
    HELIO_ASSERT(workers.figures().busy_low + workers.figures().busy_high == 0);
    HELIO_ASSERT(clients.figures().clients == 0);

    ProbeLine next{*core.worker, core.session_factory};
    HELIO_ASSERT(next.ask(ping()).header.procedure == frame::kKeepalivePong);
    return 0;
}
