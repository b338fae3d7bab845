// DecodeError: why bytes do not fit a type, or a value does not fit the wire. It is sixteen bytes
// and allocates nothing; the text is made only if somebody prints it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace helio::xdr {

enum class Fault : std::uint8_t {
    none,
    truncated,         // the bytes end before the value does; offset is where they end
    too_long,          // a length or count over its bound; offset is that of the length word
    bad_enum,          // not one of the enumeration's values
    bad_bool,          // a bool or presence word that is neither 0 nor 1
    bad_discriminant,  // selects no arm of the union
    out_of_range,      // a char or short (four bytes on the wire) whose value does not fit
    bad_padding,     // strict reading only: padding that is not zero; offset is that of the padding
    trailing_bytes,  // strict reading only: bytes after the value
    unknown_bit,     // a bitmap selects a value that the schema does not have; got is its number
    too_deep,        // recursion past the depth limit
    out_of_memory,   // the arena's limit is reached; limit is that limit, in KiB
};

struct DecodeError {
    std::uint32_t offset = 0;  // in bytes, from the start of what was read or written
    Fault fault = Fault::none;
    std::uint32_t got =
        0;  // the offending word; for `truncated`, the bytes needed there (saturating)
    std::uint32_t limit = 0;  // what was allowed; for `truncated`, the bytes that were there
    friend bool operator==(const DecodeError&, const DecodeError&) = default;
};
static_assert(sizeof(DecodeError) == 16);

std::string_view name(Fault fault);

// "too long at byte 40: 72, the limit is 64"
std::string to_string(const DecodeError& error);

}  // namespace helio::xdr
