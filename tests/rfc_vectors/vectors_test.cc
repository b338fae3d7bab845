// Every vector through both readers: whole, cut at every byte, with a byte more, and with every
// word made wrong.
#include "tests/rfc_vectors/vectors.h"

#include <gtest/gtest.h>

#include <ostream>

#include "helio/xdr/wire.h"
#include "tests/rfc_vectors/both_readers.h"

namespace helio::vectors::vectors_test {

std::ostream& operator<<(std::ostream& out, const Vector& vector) { return out << vector.name; }

namespace {

using xdr::Arena;
using xdr::DecodeError;
using xdr::Fault;
using xdr::Mode;
using xdr::to_hex;

class Vectors : public testing::TestWithParam<Vector> {
 protected:
    const Bytes& bytes() const { return GetParam().bytes; }

    void expect_both(const Bytes& input, Mode mode, const DecodeError& expected) {
        arena_.reset();
        const DecodeError typed = readers_.typed(input, mode, arena_);
        EXPECT_EQ(typed.fault, expected.fault) << to_string(typed);
        EXPECT_EQ(typed.offset, expected.offset) << to_string(typed);
        const DecodeError reflective = readers_.reflective(input, mode);
        EXPECT_EQ(reflective.fault, expected.fault) << to_string(reflective);
        EXPECT_EQ(reflective.offset, expected.offset) << to_string(reflective);
    }

    BothReaders readers_{GetParam().schema, GetParam().type};
    Arena arena_;
};

TEST_P(Vectors, AreAcceptedAndComeBackTheSame) {
    for (const Mode mode : kModes) expect_both(bytes(), mode, {});
    EXPECT_EQ(to_hex(readers_.recoded(bytes())), to_hex(bytes()));
    EXPECT_EQ(to_hex(readers_.through_json(bytes())), to_hex(bytes()));
}

TEST_P(Vectors, AreRefusedWhenCutAnywhere) {
    for (std::size_t size = 0; size < bytes().size(); ++size) {
        SCOPED_TRACE(testing::Message() << "prefix of " << size << " bytes");
        const Bytes prefix{bytes().begin(), bytes().begin() + static_cast<std::ptrdiff_t>(size)};
        const DecodeError at_the_cut{static_cast<std::uint32_t>(size), Fault::truncated, 0, 0};
        for (const Mode mode : kModes) expect_both(prefix, mode, at_the_cut);
    }
}

TEST_P(Vectors, AreRefusedWithOneByteMoreOnlyWhenStrict) {
    for (unsigned last = 0; last < 256; ++last) {
        Bytes longer = bytes();
        longer.push_back(static_cast<std::byte>(last));
        const auto end = static_cast<std::uint32_t>(bytes().size());
        expect_both(longer, Mode::strict, {end, Fault::trailing_bytes, 1, 0});
        expect_both(longer, Mode::lenient, {});
    }
}

TEST_P(Vectors, AreRefusedWithAWordThatIsNoValue) {
    for (const GuardedWord& word : GetParam().guarded) {
        for (const std::uint32_t wrong : {word.bad, 0x7fffffffu, 0x80000000u, 0xffffffffu}) {
            SCOPED_TRACE(testing::Message() << wrong << " at byte " << word.offset);
            Bytes input = bytes();
            xdr::store_u32(input.data() + word.offset, wrong);
            for (const Mode mode : kModes)
                expect_both(input, mode, {word.offset, word.fault, 0, 0});
        }
    }
}

// For any change of a word, the readers agree; and values that the strict ones accept are
// re-encoded unchanged, so no word is ignored.
TEST_P(Vectors, AreReadAlikeWhateverAWordBecomes) {
    for (std::size_t offset = 0; offset < bytes().size(); offset += 4) {
        const std::uint32_t was = xdr::load_u32(bytes().data() + offset);
        for (const std::uint32_t becomes :
             {0u,          1u,          2u,          3u,         4u,          5u,
              8u,          17u,         65u,         256u,       401u,        was + 1,
              was - 1,     ~was,        was ^ 0x80,  was << 8,   0x3fffffffu, 0x40000000u,
              0x7fffffffu, 0x80000000u, 0xfffffffcu, 0xffffffffu}) {
            SCOPED_TRACE(testing::Message() << becomes << " at byte " << offset);
            Bytes input = bytes();
            xdr::store_u32(input.data() + offset, becomes);
            for (const Mode mode : kModes) {
                arena_.reset();
                const DecodeError error = readers_.typed(input, mode, arena_);
                expect_both(input, mode, error);
                if (mode == Mode::lenient || error.fault != Fault::none) continue;
                EXPECT_EQ(readers_.recoded(input), input);
                EXPECT_EQ(readers_.through_json(input), input);
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, Vectors, testing::ValuesIn(all()),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace helio::vectors::vectors_test
