// Shared by the views of one call: endpoints, outcome, faults.
#pragma once

#include <optional>
#include <string>

#include "helio/inspect/exchange.h"
#include "helio/reflect/field_plan.h"
#include "helio/reflect/tree.h"

namespace helio::inspect {

// Appends "10.0.0.1:854", like to_string.
void append_endpoint(std::string& out, const Endpoint& endpoint);

// The status at the beginning of the results, if there is one.
std::optional<reflect::FieldPlan::Found> status_of(const Exchange& exchange);
// Its name in the schema, or null.
const idl::Enumerator* name_of_status(const reflect::FieldPlan::Found& status);

// "after offset: truncated at byte 12: …": the place and the fault.
std::string fault_of(const reflect::Tree& tree);

}  // namespace helio::inspect
