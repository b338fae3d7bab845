// COMPOUNDs as messages, for tests that need the bytes: to send a call again, to cut it, to send it
// over a connection of their own. The generated client (TestServer::v4) is for all other tests.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/assert.h"
#include "helio/rpc/onc/onc_envelope.h"
#include "helio/xdr/arena.h"
#include "helio/xdr/writer.h"
#include "schema/nfs4_service.h"

namespace helio::nfs {

// Without record mark.
inline std::vector<std::byte> compose_compound(const rpc::ClientCredential& who, std::uint32_t xid,
                                               std::span<const nfs4::nfs_argop4> operations,
                                               std::uint32_t minor = 1, std::string_view tag = {}) {
    xdr::Arena arena;
    xdr::Writer out{arena};
    HELIO_ASSERT(
        rpc::put_call(out, xid, nfs4::NFS_V4::program, nfs4::NFS_V4::version, 1, who) &&
        nfs4::encode_COMPOUND4args(out, {tag, minor, {operations.data(), operations.size()}}));
    return out.joined();
}

// A reply and what it says. It owns the bytes that the results refer to.
class CompoundReply final {
 public:
    CompoundReply() = default;
    explicit CompoundReply(std::vector<std::byte> message)
        : arena_(std::make_unique<xdr::Arena>()), message_(std::move(message)) {
        const auto opened = rpc::open_reply(message_, *arena_);
        if (!opened) return;
        outcome_ = opened->error ? opened->error->outcome : xdr::Outcome::garbage_reply;
        if (opened->error) return;
        xdr::Reader in{opened->results, *arena_, xdr::Mode::strict};
        if (decode_COMPOUND4res(in, results_) && in.finish()) outcome_ = xdr::Outcome::success;
    }

    // success: there are results. garbage_reply: no client could read this.
    xdr::Outcome outcome() const { return outcome_; }
    const nfs4::COMPOUND4res& results() const {
        HELIO_ASSERT(outcome_ == xdr::Outcome::success);
        return results_;
    }
    nfs4::nfsstat4 status() const { return results().status; }
    const std::vector<std::byte>& bytes() const { return message_; }

 private:
    std::unique_ptr<xdr::Arena> arena_;
    std::vector<std::byte> message_;
    xdr::Outcome outcome_ = xdr::Outcome::silent;
    nfs4::COMPOUND4res results_;
};

// "NFS4ERR_NOENT".
inline std::string text_of(nfs4::nfsstat4 status) {
    xdr::Printer out;
    print_nfsstat4(out, status);
    return out.text();
}

}  // namespace helio::nfs
