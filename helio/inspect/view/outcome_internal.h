// What the views of one call say alike: who, how it ended, where bytes do not fit.
#pragma once

#include <optional>
#include <string>

#include "helio/inspect/exchange.h"
#include "helio/reflect/field_plan.h"
#include "helio/reflect/tree.h"

namespace helio::inspect {

// "10.0.0.1:854", as to_string says it, at the end of a string.
void append_endpoint(std::string& out, const Endpoint& endpoint);

// The status that results begin with; nothing when there are none, or they have none.
std::optional<reflect::FieldPlan::Found> status_of(const Exchange& exchange);
// Its name in the schema; null: it has none.
const idl::Enumerator* name_of_status(const reflect::FieldPlan::Found& status);

// "after offset: truncated at byte 12: …": the place and the fault.
std::string fault_of(const reflect::Tree& tree);

}  // namespace helio::inspect
