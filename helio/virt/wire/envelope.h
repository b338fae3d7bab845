// VirnetEnvelope: libvirt's header (frame/virnet_header.h) around calls and replies. No I/O.
//
// There is no credential: the connection identifies the caller. A reply repeats all fields except
// type and status; one with status ERROR carries a VirtError (error.h).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "helio/base/bytes.h"
#include "helio/frame/virnet_header.h"
#include "helio/rpc/envelope.h"
#include "helio/virt/wire/call.h"
#include "helio/virt/wire/error.h"

namespace helio::virt {

using frame::VirnetHeader;
using frame::VirnetStatus;
using frame::VirnetType;

class VirnetEnvelope final : public rpc::Envelope {
 public:
    // Attached to the next message that open() sees.
    void set_next_call(std::unique_ptr<VirtCall> next) { next_call_ = std::move(next); }

    rpc::Refusal open(ByteView message, rpc::Call& call, ByteView& arguments) override;
    bool begin_reply(xdr::Writer& out, rpc::Call& call) override;
    bool put_refusal(xdr::Writer& out, rpc::Call& call, const rpc::Refusal& refusal) override;
    std::size_t reply_overhead(const rpc::Call& call) const override;
    bool answers_procedure_zero() const override { return false; }
    std::string answer_to(const rpc::Call& call, const rpc::Refusal& refusal) const override;

 private:
    std::unique_ptr<VirtCall> next_call_;
};

// libvirt's error for a refusal by the server core: "unknown procedure: 999".
VirtError virt_error_of(const rpc::Call& call, const rpc::Refusal& refusal);

}  // namespace helio::virt
