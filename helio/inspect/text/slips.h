// Slips: notes that contradict the word beside them. A note says "Program: NFS(10003)" and the
// bytes are 100003; it says 512B and the count is 4096; it says UNIX_AUTH beside flavor 0. If in
// doubt it reports nothing: a note is prose, and most of its numbers are about something else.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "helio/idl/schema.h"
#include "helio/inspect/catalogue.h"
#include "helio/inspect/meaning.h"

namespace helio::inspect {

// A word (two for a hyper) and what is known about it.
struct NotedWord {
    std::uint64_t number = 0;
    std::uint32_t size = 4;           // bytes
    const idl::Type* type = nullptr;  // resolved; null: unknown
    Sense sense = Sense::none;
    bool length = false;                   // the length word of a string, opaque or array
    const Procedure* procedure = nullptr;  // of the message
    std::string_view value;                // as shown
    std::string_view meaning;              // as shown
};

// One sentence, safe for a terminal; empty: no contradiction.
std::string slip_in(const NotedWord& word, std::string_view note);

}  // namespace helio::inspect
