// The part of JSON output that lint and breaking share.
#pragma once

#include "helio/base/text/json_writer.h"
#include "helio/idl/source.h"

namespace helio::idl {

// Adds the members "file": …, "line": …, "column": … to the open object.
void put_place(JsonWriter& json, Location where, const SourceSet& sources);

}  // namespace helio::idl
