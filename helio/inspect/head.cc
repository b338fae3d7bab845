#include "helio/inspect/head.h"

#include "helio/inspect/catalogue.h"
#include "helio/xdr/wire.h"

namespace helio::inspect {
namespace {

constexpr std::uint32_t kAuthBytesMax = 400;  // RFC 5531 §8.2

std::uint32_t word(ByteView bytes, std::size_t index) {
    return xdr::load_u32(bytes.data() + 4 * index);
}

// Skips the opaque_auth at `at`. False: incomplete or too long.
bool pass_auth(ByteView bytes, std::size_t& at) {
    if (bytes.size() < at + 8) return false;
    const std::uint32_t size = xdr::load_u32(bytes.data() + at + 4);
    if (size > kAuthBytesMax || bytes.size() - at - 8 < padded(size)) return false;
    at += 8 + padded(size);
    return true;
}

void read_call(ByteView bytes, Head& head) {
    head.program = word(bytes, 3);
    head.version = word(bytes, 4);
    head.procedure = word(bytes, 5);
    if (bytes.size() < 32) return;
    head.flavor = word(bytes, 6);
    head.credential_size = word(bytes, 7);
    head.credential_at = 32;
    std::size_t at = 24;
    if (!pass_auth(bytes, at) || !pass_auth(bytes, at)) return;
    head.complete = true;
    head.body = static_cast<std::uint32_t>(at);
}

void read_accepted(ByteView bytes, Head& head) {
    std::size_t at = 12;
    if (!pass_auth(bytes, at) || bytes.size() < at + 4) return;
    const std::uint32_t stat = xdr::load_u32(bytes.data() + at);
    at += 4;
    if (stat > 5) return;
    head.verdict = static_cast<Verdict>(static_cast<std::uint32_t>(Verdict::success) + stat);
    if (head.verdict == Verdict::prog_mismatch) {
        if (bytes.size() < at + 8) return;
        head.low = xdr::load_u32(bytes.data() + at);
        head.high = xdr::load_u32(bytes.data() + at + 4);
        at += 8;
    }
    head.complete = true;
    head.body = static_cast<std::uint32_t>(at);
}

void read_denied(ByteView bytes, Head& head) {
    if (bytes.size() < 20) return;
    const bool mismatch = word(bytes, 3) == 0;
    if (mismatch && bytes.size() < 24) return;
    head.verdict = mismatch ? Verdict::rpc_mismatch : Verdict::auth_error;
    head.low = word(bytes, 4);
    if (mismatch) head.high = word(bytes, 5);
    head.complete = true;
    head.body = mismatch ? 24 : 20;
}

// AUTH_NONE to AUTH_TLS, and RFC 2623's pseudo flavors, which some peers send.
bool flavor_in_use(std::uint32_t flavor) {
    return flavor <= 7 || (flavor >= 390000 && flavor < 390100);
}

// A plausible opaque_auth: its flavor and length. Every flavor but AUTH_NONE and AUTH_SHORT has a
// body.
bool auth_in_use(ByteView bytes, std::size_t index) {
    if (bytes.size() < 4 * index + 8) return true;  // cut: may be plausible
    const std::uint32_t size = word(bytes, index + 1);
    return flavor_in_use(word(bytes, index)) && size <= kAuthBytesMax;
}

bool plausible_call(ByteView bytes, std::uint64_t size, const Catalogue& known) {
    if (size < kCallHeadMin || bytes.size() < 24 || word(bytes, 2) != kRpcVersion) return false;
    const std::uint32_t program = word(bytes, 3);
    // Real programs have small version and procedure numbers; an unknown program needs a complete
    // header to be believed.
    if (word(bytes, 4) > 0xffff || word(bytes, 5) > 0xffff) return false;
    if (!auth_in_use(bytes, 6)) return false;
    Head head;
    read_call(bytes, head);
    if (known.knows_program(program)) return head.complete || bytes.size() < size;
    return head.complete && program != 0 && head.body <= size;
}

bool plausible_reply(ByteView bytes, std::uint64_t size) {
    if (size < kDeniedHeadMin || bytes.size() < kDeniedHeadMin) return false;
    const std::uint32_t stat = word(bytes, 2);
    if (stat == 0) {
        if (size < kReplyHeadMin || !auth_in_use(bytes, 3)) return false;
        Head head;
        read_accepted(bytes, head);
        if (!head.complete) return bytes.size() < size && word(bytes, 3) != 0;
        return head.verdict == Verdict::success || head.body == size;
    }
    if (stat != 1) return false;
    const std::uint32_t reject = word(bytes, 3);
    if (reject == 0) return size == 24;
    return reject == 1 && size == 20 && word(bytes, 4) >= 1 && word(bytes, 4) <= 14;
}

}  // namespace

const char* name(Verdict verdict) {
    switch (verdict) {
        case Verdict::none:
            return "no reply status";
        case Verdict::success:
            return "SUCCESS";
        case Verdict::prog_unavail:
            return "PROG_UNAVAIL";
        case Verdict::prog_mismatch:
            return "PROG_MISMATCH";
        case Verdict::proc_unavail:
            return "PROC_UNAVAIL";
        case Verdict::garbage_args:
            return "GARBAGE_ARGS";
        case Verdict::system_err:
            return "SYSTEM_ERR";
        case Verdict::rpc_mismatch:
            return "RPC_MISMATCH";
        case Verdict::auth_error:
            return "AUTH_ERROR";
        case Verdict::failed:
            return "ERROR";
    }
    return "";
}

bool read_head(ByteView bytes, Head& head) {
    if (!begins_message(bytes)) return false;
    head = {};
    head.xid = word(bytes, 0);
    head.call = word(bytes, 1) == kCallWord;
    if (head.call)
        read_call(bytes, head);
    else if (word(bytes, 2) == 0)
        read_accepted(bytes, head);
    else
        read_denied(bytes, head);
    return true;
}

bool read_virnet_head(ByteView bytes, Head& head, VirnetType& type) {
    constexpr std::uint32_t kOk = 0;
    constexpr std::uint32_t kError = 1;
    constexpr std::uint32_t kContinue = 2;
    if (bytes.size() < kVirnetHeadSize || word(bytes, 3) > 6 || word(bytes, 5) > kContinue)
        return false;
    head = {};
    head.program = word(bytes, 0);
    head.version = word(bytes, 1);
    head.procedure = word(bytes, 2);
    type = static_cast<VirnetType>(word(bytes, 3));
    head.xid = word(bytes, 4);
    const bool with_fds = type == VirnetType::call_with_fds || type == VirnetType::reply_with_fds;
    head.call = type == VirnetType::call || type == VirnetType::call_with_fds;
    head.complete = true;
    head.body = kVirnetHeadSize + (with_fds ? 4 : 0);  // how many descriptors follow
    if (!head.call) {
        head.verdict = word(bytes, 5) == kError ? Verdict::failed
                       : word(bytes, 5) == kOk  ? Verdict::success
                                                : Verdict::none;
    }
    return true;
}

bool plausible(ByteView bytes, std::uint64_t size, const Catalogue& known) {
    if (bytes.size() < 12 || size % 4 != 0) return false;
    switch (word(bytes, 1)) {
        case kCallWord:
            return plausible_call(bytes, size, known);
        case kReplyWord:
            return plausible_reply(bytes, size);
        default:
            return false;
    }
}

}  // namespace helio::inspect
