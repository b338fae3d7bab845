// The JSON that findings of lint and breaking share.
#pragma once

#include "helio/base/text/json_writer.h"
#include "helio/idl/source.h"

namespace helio::idl {

// "file": …, "line": …, "column": …: members of the object that is open.
void put_place(JsonWriter& json, Location where, const SourceSet& sources);

}  // namespace helio::idl
