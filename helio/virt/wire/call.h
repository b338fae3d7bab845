// VirtCall: additions of libvirt's calls to those of ONC RPC: the client that makes them,
// descriptors, and errors with a text. VirnetEnvelope attaches it to each call.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "helio/base/assert.h"
#include "helio/base/fd.h"
#include "helio/rpc/call.h"
#include "helio/virt/wire/error.h"

namespace helio::virt {

class VirnetHandler;

// Whether the reply of a call has results.
enum class CallResult : std::uint8_t { ok, failed };

class VirtCall final : public rpc::CallExtra {
 public:
    bool has_error() const override { return error.has_value(); }
    // Resets it for the connection's next call.
    void clear() {
        error.reset();
        descriptors.clear();
        reply_descriptors.clear();
    }

    // A waiting call holds it, and may find that the client has disconnected meanwhile.
    std::shared_ptr<VirnetHandler> connection;
    std::optional<VirtError> error;
    std::vector<Fd> descriptors;  // received with the call
    // Sent with the reply. They are announced before the results, so a procedure that has any must
    // wait first (`call.wait`), and its async function fills this in.
    std::vector<Fd> reply_descriptors;
};

// For services that use libvirt's protocol.
inline VirtCall& virt_call_of(xdr::CallContext& context) {
    rpc::CallExtra* const extra = rpc::call_of(context).extra.get();
    HELIO_ASSERT(extra != nullptr);  // otherwise it is served over another protocol
    return static_cast<VirtCall&>(*extra);
}

// A failed procedure returns this: the caller gets the error.
template <class T>
T fail_call(xdr::CallContext& call, VirtError why) {
    virt_call_of(call).error = std::move(why);
    return call.end_with<T>(xdr::Outcome::refused);
}

}  // namespace helio::virt
