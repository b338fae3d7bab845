// Failure: why a call, a stream or a connection came to nothing: what the daemon said (VirtError),
// or that there was no answer.
#pragma once

#include <string>

#include "helio/virt/wire/error.h"
#include "helio/xdr/program.h"

namespace helio::virt {

struct Failure {
    // `refused`: the daemon answered with `error`. Anything else is about the connection, and a
    // message in `error` then says more than the outcome does.
    xdr::CallError call;
    VirtError error;

    bool is(int code) const { return call.outcome == xdr::Outcome::refused && error.code == code; }
    // The daemon does not have this procedure, or its driver has no such function: libvirt's tools
    // try an older one then.
    bool is_unsupported() const;
};

// "Domain not found: no domain with matching name 'x'", "timed out"
std::string to_text(const Failure& failure);

}  // namespace helio::virt
