// Failure: why a call, a stream or a connection failed: the daemon's error (VirtError), or the lack
// of an answer.
#pragma once

#include <string>

#include "helio/virt/wire/error.h"
#include "helio/xdr/program.h"

namespace helio::virt {

struct Failure {
    // `refused`: the daemon answered with `error`. Any other outcome is about the connection; then
    // a message in `error` has details.
    xdr::CallError call;
    VirtError error;

    bool is(int code) const { return call.outcome == xdr::Outcome::refused && error.code == code; }
    // The daemon lacks this procedure, or its driver the function: libvirt's tools then try an
    // older one.
    bool is_unsupported() const;
};

// "Domain not found: no domain with matching name 'x'", "timed out"
std::string to_text(const Failure& failure);

}  // namespace helio::virt
