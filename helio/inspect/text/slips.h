// Slips: where what people wrote beside a word is not what the word says. A note says "Program:
// NFS(10003)" and the bytes are 100003; it says 512B and the count is 4096; it says UNIX_AUTH
// beside flavor 0. Careful rather than eager: a note is prose, and most numbers in it are about
// something else.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "helio/idl/schema.h"
#include "helio/inspect/catalogue.h"
#include "helio/inspect/meaning.h"

namespace helio::inspect {

// A word, or two of a hyper, with what is known of it.
struct NotedWord {
    std::uint64_t number = 0;
    std::uint32_t size = 4;           // bytes
    const idl::Type* type = nullptr;  // resolved; null: nobody knows what it is
    Sense sense = Sense::none;
    bool length = false;                   // the length word of a string, opaque or array
    const Procedure* procedure = nullptr;  // of the message
    std::string_view value;                // as shown
    std::string_view meaning;              // as shown
};

// One sentence, safe for a terminal; empty: nothing to say.
std::string slip_in(const NotedWord& word, std::string_view note);

}  // namespace helio::inspect
