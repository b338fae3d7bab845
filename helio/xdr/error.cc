#include "helio/xdr/error.h"

#include <fmt/format.h>

namespace helio::xdr {

std::string_view name(Fault fault) {
    switch (fault) {
        case Fault::none:
            return "no fault";
        case Fault::truncated:
            return "truncated";
        case Fault::too_long:
            return "too long";
        case Fault::bad_enum:
            return "not a value of the enumeration";
        case Fault::bad_bool:
            return "not a boolean";
        case Fault::bad_discriminant:
            return "no arm of the union";
        case Fault::out_of_range:
            return "out of the type's range";
        case Fault::bad_padding:
            return "padding is not zero";
        case Fault::trailing_bytes:
            return "bytes behind the value";
        case Fault::unknown_bit:
            return "a bit without a meaning";
        case Fault::too_deep:
            return "nested too deep";
        case Fault::out_of_memory:
            return "too large to decode";
    }
    return "unknown fault";
}

std::string to_string(const DecodeError& error) {
    const auto place = fmt::format("{} at byte {}", name(error.fault), error.offset);
    switch (error.fault) {
        case Fault::truncated:
            return fmt::format("{}: {} more bytes needed, {} there", place, error.got, error.limit);
        case Fault::too_long:
            return fmt::format("{}: {}, the limit is {}", place, error.got, error.limit);
        case Fault::bad_bool:
            return fmt::format("{}: {}, allowed are 0 and 1", place, error.got);
        case Fault::bad_enum:
        case Fault::out_of_range:
        case Fault::bad_discriminant:
            return fmt::format("{}: {}", place, static_cast<std::int32_t>(error.got));
        case Fault::trailing_bytes:
            return fmt::format("{}: {} of them", place, error.got);
        case Fault::unknown_bit:
            return fmt::format("{}: bit {}", place, error.got);
        case Fault::too_deep:
            return fmt::format("{}: the limit is {} levels", place, error.limit);
        case Fault::out_of_memory:
            return fmt::format("{}: the limit is {} KiB", place, error.limit);
        case Fault::none:
        case Fault::bad_padding:
            return place;
    }
    return place;
}

}  // namespace helio::xdr
