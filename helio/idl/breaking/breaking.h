// What changed between two versions of a schema, and whom it breaks. Types are compared by the
// bytes they put on the wire, not by their names: a renamed struct, or a typedef written out,
// changes code and no byte.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/text/json_writer.h"
#include "helio/idl/schema.h"

namespace helio::idl {

enum class Impact : std::uint8_t {
    compatible,  // old and new peers and old and new code get along
    source,      // the bytes are the same, but code written against the old schema must change
    wire,        // an old and a new peer misunderstand or refuse each other
};

// Whose messages are refused or misread, for changes of Impact::wire.
enum class Direction : std::uint8_t {
    none,
    old_to_new,  // what an old peer sends, a new one does not take
    new_to_old,  // what a new peer sends, an old one does not take
    both,
};

struct Change {
    Impact impact = Impact::compatible;
    Direction direction = Direction::none;
    std::string rule;     // stable and short, for scripts: "field-type-changed"
    std::string subject;  // "struct READ3args, field count"
    std::string message;  // "type changed from unsigned int to unsigned hyper"
    std::string reason;   // whom it breaks and how; may be empty
    bool in_before = false;
    bool in_after = false;
    Location before;  // where it stands in the old schema, if in_before
    Location after;   // and in the new one, if in_after
};

// In the order of the new schema, what was removed last. Terminates on recursive types; the time is
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

// Do values of these two types take the same bytes, and does each side take every value of the
// other?
bool same_wire(const Type& before, const Type& after);

}  // namespace helio::idl
