// Layout: properties that follow from a schema's types alone: which contain themselves, and how
// many bytes they take.
#pragma once

#include "helio/idl/diagnostics.h"
#include "helio/idl/schema.h"

namespace helio::idl {

// Reports types that contain themselves by value, and removes typedefs that refer to themselves, so
// that resolve() terminates for every type. Uses no other property of the types.
void check_containment(Schema& schema, Diagnostics& diagnostics);

// Fills wire_min, wire_max, recursive and list_node of every type. Reports types nested too deeply,
// and fields and elements that take no bytes.
void lay_out(Schema& schema, Diagnostics& diagnostics);

}  // namespace helio::idl
