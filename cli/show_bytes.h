// ShowBytes: prints every word of a call and its reply with its field, on standard error. The
// header (RFC 5531 §9) is decoded by our own schema, arguments and results by the procedure's.
#pragma once

#include <cstdint>
#include <memory>

#include "helio/base/bytes.h"
#include "helio/idl/schema.h"
#include "helio/transport/client/client.h"

namespace helio::cli {

class ShowBytes final {
 public:
    // Both types must outlive it.
    ShowBytes(const idl::Type& arguments, const idl::Type& results)
        : arguments_(arguments), results_(results) {}
    // A whole message, without a record mark.
    void message(transport::Direction direction, ByteView bytes);

 private:
    const idl::Type& arguments_;
    const idl::Type& results_;
    std::unique_ptr<const idl::Schema> rpc_;  // parsed with the first message
};

}  // namespace helio::cli
