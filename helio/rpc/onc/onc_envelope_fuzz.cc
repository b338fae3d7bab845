// Any bytes as a call to a server and as a reply to a client: accepted arguments are inside them,
// refusals can be answered, and a client understands that answer.
#include <cstdint>
#include <vector>

#include "helio/base/assert.h"
#include "helio/rpc/onc/onc_envelope.h"

using namespace helio;
using namespace helio::rpc;

namespace {

void check_within(ByteView inner, ByteView outer) {
    HELIO_ASSERT(inner.empty() || (inner.data() >= outer.data() &&
                                   inner.data() + inner.size() == outer.data() + outer.size()));
}

void serve(ByteView message) {
    OncEnvelope envelope;
    xdr::Arena arena;
    Call call{arena};
    ByteView arguments;
    const Refusal refusal = envelope.open(message, call, arguments);
    if (refusal.kind == Refusal::Kind::ignore || refusal.kind == Refusal::Kind::reply) return;
    check_within(arguments, message);
    if (!refusal) {
        HELIO_ASSERT(call.credential.flavor == AUTH_NONE || call.credential.flavor == AUTH_SYS);
        HELIO_ASSERT(call.credential.gids.size() <= 16 && call.credential.machine.size() <= 255);
    }
    xdr::Arena reply_arena;
    xdr::Writer out{reply_arena};
    HELIO_ASSERT(refusal ? envelope.put_refusal(out, call, refusal)
                         : envelope.begin_reply(out, call));
    const std::vector<std::byte> reply = out.joined();
    const auto opened = open_reply(reply, reply_arena);
    HELIO_ASSERT(opened.has_value() && opened->xid == call.xid);
    HELIO_ASSERT(opened->error.has_value() == static_cast<bool>(refusal));
    HELIO_ASSERT(!opened->error || opened->error->outcome != xdr::Outcome::garbage_reply);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ByteView message{reinterpret_cast<const std::byte*>(data), size};
    serve(message);
    xdr::Arena arena;
    if (const auto opened = open_reply(message, arena)) {
        check_within(opened->results, message);
        HELIO_ASSERT(!opened->error || !to_text(*opened->error).empty());
    }
    return 0;
}
