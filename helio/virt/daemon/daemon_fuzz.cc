// The remote program fed any arguments and any stream packets: the daemon must not crash, its
// answers must be complete messages, and the next client must be served.
//
// The input is a list of pieces: procedure (two bytes), what precedes the arguments, a size, and
// the bytes. An existing domain, pool or volume may precede them, because otherwise few calls would
// get past the lookup.
#include <cstdint>
#include <optional>

#include "helio/base/assert.h"
#include "helio/virt/daemon/daemon.h"
#include "helio/virt/wire/programs.h"
#include "schema/remote.h"
#include "testing/virt/probe_service.h"

namespace {

using namespace helio;
using namespace helio::virt;
using helio::frame::VirnetHeader;
using helio::virt::server::probe::Heard;
using helio::virt::server::probe::ProbeLine;
using Bytes = std::vector<std::byte>;

void put_text(Bytes& to, std::string_view text) {
    for (int shift = 24; shift >= 0; shift -= 8)
        to.push_back(static_cast<std::byte>(text.size() >> shift));
    const ByteView bytes = as_bytes(text);
    to.insert(to.end(), bytes.begin(), bytes.end());
    to.resize(to.size() + padded(text.size()) - text.size());
}

void put_uuid(Bytes& to, std::string_view text) {
    const host::Uuid uuid = *host::uuid_from_text(text);
    const ByteView bytes = std::as_bytes(std::span(uuid.bytes));
    to.insert(to.end(), bytes.begin(), bytes.end());
}

Bytes arguments(std::uint8_t before, ByteView bytes) {
    Bytes all;
    switch (before % 8) {
        case 1:
        case 2:
            put_text(all, "test");
            put_uuid(all, "6695eb01-f6a4-8304-79aa-97f2502e193f");
            all.resize(all.size() + 4);
            break;
        case 3:
            put_text(all, "default");
            put_uuid(all, "dd8fe884-6c02-601e-7551-cca97df1c5df");
            break;
        case 4:
            put_text(all, "default-pool");
            put_uuid(all, "dfe224cb-28fb-8dd0-c4b2-64eb3f0f4566");
            break;
        case 5:
            put_text(all, "default-pool");
            put_text(all, "v");
            put_text(all, "/default-pool/v");
            break;
        default:
            break;
    }
    all.insert(all.end(), bytes.begin(), bytes.end());
    return all;
}

// An upload may request gigabytes of zeros: some of it is enough.
void hear(ProbeLine& line) {
    line.turns_max = 2;
    for (const Heard& one : line.heard())
        if (one.header.status == frame::VirnetStatus::error &&
            one.header.type == frame::VirnetType::reply)
            HELIO_ASSERT(open_error(one.payload).has_value());
}

VirnetHeader call_of(std::uint32_t procedure, std::uint32_t serial = 1) {
    return {.program = kRemoteProgram,
            .version = 1,
            .procedure = procedure,
            .type = frame::VirnetType::call,
            .serial = serial,
            .status = frame::VirnetStatus::ok};
}

void open(ProbeLine& line) {
    constexpr std::uint32_t kConnectOpen = 1;
    line.say(call_of(kConnectOpen), Bytes(8));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    host::HostOptions options;
    options.content_bytes_max = 1 << 20;
    host::Host host(options);
    host.add_default();
    (void)host.create_volume(host.pool_by_name("default-pool")->uuid,
                             "<volume><name>v</name><capacity>70000</capacity></volume>");
    daemon::Daemon daemon(host);
    rpc::Server programs;
    daemon.add_to(programs);
    rpc::Worker worker(programs);
    const server::SessionFactory session_factory{{}};
    std::optional<ProbeLine> line{std::in_place, worker, session_factory};
    open(*line);
    while (size >= 4) {
        const std::uint8_t before = data[2];
        const std::size_t length = std::min<std::size_t>(data[3], size - 4);
        VirnetHeader header = call_of((data[0] * 256u + data[1]) % 460, before >> 6);
        if (before % 8 >= 6) {
            header.type =
                before % 8 == 6 ? frame::VirnetType::stream : frame::VirnetType::stream_hole;
            header.status = static_cast<frame::VirnetStatus>((before >> 3) % 3);
        }
        const ByteView body{reinterpret_cast<const std::byte*>(data) + 4, length};
        line->say(header, arguments(before, body));
        hear(*line);
        if (line->broken || line->ended) {
            line.emplace(worker, session_factory);
            open(*line);
        }
        data += 4 + length;
        size -= 4 + length;
    }
    ProbeLine next{worker, session_factory};
    open(next);
    (void)next.heard();
    constexpr std::uint32_t kGetHostname = 59;
    HELIO_ASSERT(next.ask(call_of(kGetHostname)).header.status == frame::VirnetStatus::ok);
    return 0;
}
