// VirtCall: what libvirt's calls have besides those of ONC RPC: the client that makes them,
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
    // For the next call of the connection.
    void clear() {
        error.reset();
        descriptors.clear();
        reply_descriptors.clear();
    }

    // A call that waits holds it, and may find that the client has gone meanwhile.
    std::shared_ptr<VirnetHandler> connection;
    std::optional<VirtError> error;
    std::vector<Fd> descriptors;  // that came with the call
    // To go with the reply. They are announced before the results, so a procedure that has any
    // waits first (`call.wait`), and its async function fills this in.
    std::vector<Fd> reply_descriptors;
};

// For services that are served over libvirt's protocol.
inline VirtCall& virt_call_of(xdr::CallContext& context) {
    rpc::CallExtra* const extra = rpc::call_of(context).extra.get();
    HELIO_ASSERT(extra != nullptr);  // or the program is served over another protocol
    return static_cast<VirtCall&>(*extra);
}

// What a procedure returns that failed: the caller is told why.
template <class T>
T fail_call(xdr::CallContext& call, VirtError why) {
    virt_call_of(call).error = std::move(why);
    return call.end_with<T>(xdr::Outcome::refused);
}

}  // namespace helio::virt
