#include "helio/xdr/error.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace helio::xdr::error_test {
namespace {

constexpr Fault kFaults[] = {
    Fault::none,           Fault::truncated,        Fault::too_long,     Fault::bad_enum,
    Fault::bad_bool,       Fault::bad_discriminant, Fault::out_of_range, Fault::bad_padding,
    Fault::trailing_bytes, Fault::unknown_bit,      Fault::too_deep,     Fault::out_of_memory,
};

TEST(Error, EveryFaultHasANameOfItsOwn) {
    std::set<std::string_view> names;
    for (const Fault fault : kFaults) {
        EXPECT_NE(name(fault), "unknown fault") << static_cast<int>(fault);
        EXPECT_TRUE(names.insert(name(fault)).second) << name(fault);
    }
    // One past the last: a new fault must be added to the list above.
    EXPECT_EQ(name(static_cast<Fault>(std::size(kFaults))), "unknown fault");
}

TEST(Error, SaysWherePlusWhatCamePlusWhatWasAllowed) {
    struct Row {
        DecodeError error;
        const char* text;
    };
    const Row rows[] = {
        {{}, "no fault at byte 0"},
        {{12, Fault::truncated, 8, 3}, "truncated at byte 12: 8 more bytes needed, 3 there"},
        {{40, Fault::too_long, 72, 64}, "too long at byte 40: 72, the limit is 64"},
        {{4, Fault::too_long, 0xffffffff, 255}, "too long at byte 4: 4294967295, the limit is 255"},
        {{0, Fault::bad_enum, 8, 0}, "not a value of the enumeration at byte 0: 8"},
        {{0, Fault::bad_enum, 0xffffffff, 0}, "not a value of the enumeration at byte 0: -1"},
        {{16, Fault::bad_bool, 2, 1}, "not a boolean at byte 16: 2, allowed are 0 and 1"},
        {{4, Fault::bad_discriminant, 5, 0}, "no arm of the union at byte 4: 5"},
        {{8, Fault::out_of_range, 0xffffff7f, 0}, "out of the type's range at byte 8: -129"},
        {{7, Fault::bad_padding, 0, 0}, "padding is not zero at byte 7"},
        {{40, Fault::trailing_bytes, 1, 0}, "bytes behind the value at byte 40: 1 of them"},
        {{0, Fault::unknown_bit, 94, 0}, "a bit without a meaning at byte 0: bit 94"},
        {{512, Fault::too_deep, 129, 128}, "nested too deep at byte 512: the limit is 128 levels"},
        {{4, Fault::out_of_memory, 9, 64}, "too large to decode at byte 4: the limit is 64 KiB"},
    };
    for (const Row& row : rows) EXPECT_EQ(to_string(row.error), row.text);
}

TEST(Error, ComparesWhole) {
    const DecodeError error{1, Fault::too_long, 2, 3};
    EXPECT_EQ(error, (DecodeError{1, Fault::too_long, 2, 3}));
    EXPECT_NE(error, (DecodeError{0, Fault::too_long, 2, 3}));
    EXPECT_NE(error, (DecodeError{1, Fault::truncated, 2, 3}));
    EXPECT_NE(error, (DecodeError{1, Fault::too_long, 0, 3}));
    EXPECT_NE(error, (DecodeError{1, Fault::too_long, 2, 0}));
}

}  // namespace
}  // namespace helio::xdr::error_test
