// The whole server core fed any bytes, as a stream and as datagrams: it must not crash, and must
// answer with complete messages that a client understands.
//
// The input is a list of pieces: action, size, and bytes. Some are sent unchanged; others become a
// call's procedure and arguments, because few random bytes get past the header.
#include <cstdint>
#include <optional>
#include <vector>

#include "helio/base/assert.h"
#include "testing/rpc/probe_service.h"
#include "testing/rpc/toy_flavor.h"

using namespace helio;
using namespace helio::rpc;
using namespace helio::rpc::probe;

namespace {

void check(const std::vector<Bytes>& replies) {
    for (const Bytes& reply : replies) {
        xdr::Arena arena;
        const auto opened = open_reply(reply, arena);
        HELIO_ASSERT(opened.has_value());
        HELIO_ASSERT(!opened->error || opened->error->outcome != xdr::Outcome::garbage_reply);
    }
}

// xid and procedure are small, so that they repeat.
Bytes call_with(std::uint8_t what, ByteView arguments) {
    static const auto sys = ClientCredential::sys(1, 2, {3}, "fuzz");
    xdr::Arena arena;
    xdr::Writer out{arena};
    HELIO_ASSERT(put_call(out, what >> 5, 0x20000200, 2, what & 31,
                          what % 3 == 0 ? sys : ClientCredential::none()));
    Bytes bytes = out.joined();
    xdr::append(bytes, arguments);
    return bytes;
}

// A call under a flavor that wraps arguments and results; contexts and sequence numbers are small,
// so that they are used again.
Bytes toy_call_with(std::uint8_t what, ByteView arguments) {
    toy::ProtectedCall said;
    said.xid = what >> 5;
    said.control = static_cast<toy::Control>(arguments.empty() ? what % 3 : toy::kData);
    said.sequence = what & 15;
    said.protection = static_cast<toy::Protection>(what % 4);  // 3: there is no such protection
    if (arguments.size() > 0) said.procedure = std::to_integer<std::uint32_t>(arguments[0]) & 31;
    if (arguments.size() > 1) {
        said.context = std::to_integer<std::uint32_t>(arguments[1]) & 3;
        said.arguments.assign(arguments.begin() + 2, arguments.end());
        said.arguments.resize(padded(said.arguments.size()));
    }
    return toy::message_of(said);
}

void take_part(std::uint8_t action, std::uint8_t what, ByteView bytes, Core& core,
               std::optional<StreamLine>& stream, DatagramLine& datagrams) {
    switch (action % 9) {
        case 0:
            stream->feed(bytes);
            break;
        case 1:
            stream->say(bytes);
            break;
        case 2:
        case 3:
            stream->say(call_with(what, bytes));
            break;
        case 4:
            datagrams.say(bytes);
            break;
        case 5:
            datagrams.say(call_with(what, bytes));
            break;
        case 6:
            if (core.service.gate.waiting() > 0)
                core.service.gate.let_go(what % core.service.gate.waiting());
            stream->resume();
            break;
        case 7:
            check(stream->heard());
            check(datagrams.heard());
            if (what % 4 == 0 || stream->broken()) stream.emplace(core, what % 16);
            break;
        case 8:
            stream->say(toy_call_with(what, bytes));
            break;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::size_t log_bytes = 0;
    ServerOptions options = Core::small();
    options.records = {.record_bytes = 1u << 20, .fragments = 8};
    options.calls_in_flight_max = 4;
    options.flavors = {std::make_shared<toy::Toy>()};
    options.log = [&](std::string_view line) { log_bytes += line.size(); };
    Core core{options};
    DatagramLine datagrams{core};
    std::optional<StreamLine> stream{std::in_place, core};
    while (size >= 3) {
        const std::size_t length = std::min<std::size_t>(data[2], size - 3);
        take_part(data[0], data[1], {reinterpret_cast<const std::byte*>(data) + 3, length}, core,
                  stream, datagrams);
        data += 3 + length;
        size -= 3 + length;
    }
    check(stream->heard());
    check(datagrams.heard());
    return 0;
}
