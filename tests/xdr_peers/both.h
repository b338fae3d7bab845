// Both sides of constructs.x, once for all tests: the peer process, and our schema and codecs.
#pragma once

#include <string>
#include <string_view>

#include "helio/idl/parse.h"
#include "tests/xdr_peers/peer.h"

namespace xdr_peers {

Peer& peer();
const helio::idl::Schema& schema();
const helio::idl::Type& type_named(std::string_view name);

// Our typed code's result for these bytes: decoded strictly and encoded again, as hexadecimal
// digits, or the failure. In the peer's format: "ok HEX", "left N", "refused".
std::string our_echo(std::string_view type, helio::ByteView bytes);

// The same through the reflective decoder and JSON.
std::string reflective_echo(const helio::idl::Type& type, helio::ByteView bytes);

}  // namespace xdr_peers
