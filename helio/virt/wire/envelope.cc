#include "helio/virt/wire/envelope.h"

#include <fmt/format.h>

#include "helio/base/assert.h"
#include "helio/xdr/wire.h"

namespace helio::virt {

namespace {

// nullptr: not from a session.
const VirtCall* extra_of(const rpc::Call& call) {
    return static_cast<const VirtCall*>(call.extra.get());
}

bool carries_descriptors(const rpc::Call& call) {
    const VirtCall* const extra = extra_of(call);
    return extra != nullptr && !extra->reply_descriptors.empty();
}

VirnetHeader reply_header(const rpc::Call& call, VirnetStatus status) {
    return {call.program, call.version, call.procedure, VirnetType::reply, call.xid, status};
}

bool put_error_reply(xdr::Writer& out, const rpc::Call& call, const VirtError& error) {
    return frame::put_virnet_header(out, reply_header(call, VirnetStatus::error)) &&
           put_error(out, error);
}

}  // namespace

// The session passes only calls to the server core; those that announce descriptors have room for
// their number.
rpc::Refusal VirnetEnvelope::open(ByteView message, rpc::Call& call, ByteView& arguments) {
    call.extra = std::move(next_call_);
    if (message.size() < VirnetHeader::kSize) return {rpc::Refusal::Kind::ignore};
    const VirnetHeader header = frame::read_virnet_header(message.data());
    const bool with_fds = header.type == VirnetType::call_with_fds;
    if (header.type != VirnetType::call && !with_fds) return {rpc::Refusal::Kind::ignore};
    call.program = header.program;
    call.version = header.version;
    call.procedure = header.procedure;
    call.xid = header.serial;
    arguments = message.subspan(VirnetHeader::kSize);
    if (with_fds) {
        if (arguments.size() < 4) return {rpc::Refusal::Kind::garbage_arguments};
        arguments = arguments.subspan(4);
    }
    return {};
}

std::size_t VirnetEnvelope::reply_overhead(const rpc::Call& call) const {
    return VirnetHeader::kSize + (carries_descriptors(call) ? 4 : 0);
}

bool VirnetEnvelope::begin_reply(xdr::Writer& out, rpc::Call& call) {
    const VirtCall* const extra = extra_of(call);
    if (extra != nullptr && extra->has_error()) return put_error_reply(out, call, *extra->error);
    VirnetHeader header = reply_header(call, VirnetStatus::ok);
    if (!carries_descriptors(call)) [[likely]]
        return frame::put_virnet_header(out, header);
    header.type = VirnetType::reply_with_fds;
    if (!frame::put_virnet_header(out, header) || !out.ready(4)) return false;
    std::byte* const at = out.at();
    xdr::store_u32(at, static_cast<std::uint32_t>(extra->reply_descriptors.size()));
    return out.end(at + 4);
}

bool VirnetEnvelope::put_refusal(xdr::Writer& out, rpc::Call& call, const rpc::Refusal& refusal) {
    return put_error_reply(out, call, virt_error_of(call, refusal));
}

std::string VirnetEnvelope::answer_to(const rpc::Call& call, const rpc::Refusal& refusal) const {
    const VirtError error = virt_error_of(call, refusal);
    return fmt::format("error {}, {}", error.code, error.message);
}

namespace {

// A procedure in the schema that the service lacks: libvirt's error for a driver without the
// function. If the procedure has no API function, the client should assume an older server.
VirtError unavailable_error(const rpc::Call& call) {
    const xdr::ProcedureNote* const api = call.info != nullptr ? call.info->note("api") : nullptr;
    if (api != nullptr && call.info->note("event") == nullptr)
        return virt_error(VIR_ERR_NO_SUPPORT, domain_of_function(api->argument), api->argument);
    return virt_error(
        VIR_ERR_RPC, VIR_FROM_RPC,
        fmt::format("unknown procedure: {}", static_cast<std::int32_t>(call.procedure)));
}

}  // namespace

VirtError virt_error_of(const rpc::Call& call, const rpc::Refusal& refusal) {
    using Kind = rpc::Refusal::Kind;
    switch (refusal.kind) {
        case Kind::program_unavailable:
        case Kind::version_mismatch:
            return virt_error(
                VIR_ERR_RPC, VIR_FROM_RPC,
                fmt::format("Cannot find program {} version {}", call.program, call.version));
        case Kind::procedure_unavailable:
            return unavailable_error(call);
        case Kind::garbage_arguments:
            return virt_error(VIR_ERR_RPC, VIR_FROM_RPC, "Unable to decode message payload");
        case Kind::auth_error:
            return virt_error(VIR_ERR_ACCESS_DENIED, VIR_FROM_RPC, {});
        default:
            break;
    }
    return virt_error(VIR_ERR_RPC, VIR_FROM_RPC, "Unable to encode message payload");
}

}  // namespace helio::virt
