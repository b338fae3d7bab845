// Exchange: an xdr::Channel without a network. An operation is a function that makes one call of a
// generated client; it runs once to get the bytes of the call, and a second time, with the bytes of
// the reply, to check the results. In between the bytes may travel in any way.
#pragma once

#include <optional>
#include <vector>

#include "helio/base/assert.h"
#include "helio/base/bytes.h"
#include "helio/rpc/onc/onc_envelope.h"
#include "helio/rpc/server/duplicate_cache.h"
#include "helio/xdr/program.h"
#include "helio/xdr/reader.h"
#include "helio/xdr/writer.h"

namespace helio::simulation {

using Bytes = std::vector<std::byte>;

inline Bytes copy(ByteView view) { return {view.begin(), view.end()}; }

class Exchange final : public xdr::Channel {
 public:
    // For the next call. Views in results live until then.
    void compose(std::uint32_t xid) { xid_ = xid, reply_ = std::nullopt; }
    void open(ByteView reply) { reply_ = reply; }

    const Bytes& message() const { return message_; }
    // Every copy of the call must get the same reply.
    bool is_remembered() const { return is_remembered_; }

    xdr::Writer& begin(const xdr::VersionInfo& version,
                       const xdr::ProcedureInfo& procedure) override {
        arena_.reset();
        is_remembered_ = rpc::is_remembered(procedure);
        xdr::Writer& out = writer_.emplace(arena_);
        HELIO_ASSERT(rpc::put_call(out, xid_, version.program, version.version, procedure.number,
                                   credential_));
        return out;
    }
    xdr::Reader* exchange() override {
        if (!reply_) {
            message_ = writer_->joined();
            return nullptr;
        }
        const auto opened = rpc::open_reply(*reply_, arena_);
        if (!opened) return error_ = {xdr::Outcome::garbage_reply, {}, {}, 0}, nullptr;
        if (opened->error) return error_ = *opened->error, nullptr;
        return &results_.emplace(opened->results, arena_, xdr::Mode::strict);
    }
    xdr::CallError why() const override { return error_; }

 private:
    const rpc::ClientCredential credential_ =
        rpc::ClientCredential::sys(1000, 1000, {}, "simulation");
    std::uint32_t xid_ = 0;
    std::optional<ByteView> reply_;
    Bytes message_;
    bool is_remembered_ = false;
    xdr::Arena arena_;
    std::optional<xdr::Writer> writer_;
    std::optional<xdr::Reader> results_;
    xdr::CallError error_{xdr::Outcome::silent, {}, {}, 0};
};

}  // namespace helio::simulation
