// Compares two versions of a schema: what changed, and what the change breaks. Types are compared
// by their bytes on the wire, not by their names: renaming a struct, or writing out a typedef,
// changes code but not a byte.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/text/json_writer.h"
#include "helio/idl/schema.h"

namespace helio::idl {

enum class Impact : std::uint8_t {
    compatible,  // old and new peers, and old and new code, work together
    source,      // the bytes are the same, but code written against the old schema must change
    wire,        // an old and a new peer misunderstand or reject each other
};

// For Impact::wire: whose messages are rejected or misread.
enum class Direction : std::uint8_t {
    none,
    old_to_new,  // a new peer does not accept what an old one sends
    new_to_old,  // an old peer does not accept what a new one sends
    both,
};

struct Change {
    Impact impact = Impact::compatible;
    Direction direction = Direction::none;
    std::string rule;     // stable and short, for scripts: "field-type-changed"
    std::string subject;  // "struct READ3args, field count"
    std::string message;  // "type changed from unsigned int to unsigned hyper"
    std::string reason;   // what it breaks and how; may be empty
    bool in_before = false;
    bool in_after = false;
    Location before;  // its place in the old schema, if in_before
    Location after;   // its place in the new schema, if in_after
};

// In the order of the new schema; removals come last. Terminates on recursive types; the time is
// bounded by definitions × depth of the comparison.
std::vector<Change> compare(const Schema& before, const Schema& after);

// new.x:220:5: wire-breaking: struct READ3args, field count: type changed from unsigned int to
// unsigned hyper (was nfs3.x:212:5)
//     reason
std::string render(const Change& change, const Schema& before, const Schema& after);

// The same as a JSON object: impact, direction, rule, subject, message, reason, before and after,
// the last two {file, line, column} or null.
void put_json(JsonWriter& json, const Change& change, const Schema& before, const Schema& after);

std::string_view word(Impact impact);        // "wire-breaking", "source-breaking", "compatible"
std::string_view word(Direction direction);  // "none", "old-to-new", "new-to-old", "both"

// A type as a reader of the .x would write it without a field's name: "opaque<64>", "entry3 *".
std::string spell(const Type& type);

// Do both types have the same encoding, and does each side accept every value of the other?
bool same_wire(const Type& before, const Type& after);

}  // namespace helio::idl
