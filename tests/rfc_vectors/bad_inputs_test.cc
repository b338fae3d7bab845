// Inputs that broke other implementations, one test for each kind of mistake. Both readers must
// reject them alike, allocate nothing for a claim, and continue unaffected.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "schema/nfs3.h"
#include "tests/rfc_vectors/both_readers.h"

namespace helio::vectors::bad_inputs_test {
namespace {

using xdr::append;
using xdr::append_u32;
using xdr::Arena;
using xdr::Bytes;
using xdr::DecodeError;
using xdr::Fault;
using xdr::hex;
using xdr::Mode;
using xdr::word;

std::string told(const DecodeError& error) {
    return std::string{name(error.fault)} + " at byte " + std::to_string(error.offset);
}

// The verdict of both readers, which must agree: "no fault at byte 0" if accepted.
std::string verdict(const BothReaders& readers, ByteView bytes, Mode mode) {
    Arena arena;
    const std::string typed = told(readers.typed(bytes, mode, arena));
    const std::string reflective = told(readers.reflective(bytes, mode));
    return typed == reflective ? typed : "typed: " + typed + ", reflective: " + reflective;
}
constexpr const char* kAccepted = "no fault at byte 0";

// A variable-length part of a type: the bytes before its length word, and what an element must
// have.
struct Variable {
    const char* schema;
    const char* type;
    const char* before;  // fixed words before the length
    std::uint32_t bound;
    std::size_t element;  // bytes
    const char* behind;   // the rest of the value, when the length is `bound`
};

constexpr Variable kBounded[] = {
    {"authsys", "authsys_parms", "00000000", 255, 1, "00000000 00000000 00000000"},  // machinename
    {"authsys", "authsys_parms", "00000000 00000000 00000000 00000000", 16, 4, ""},  // gids
    {"rpc", "opaque_auth", "00000001", 400, 1, ""},
    {"nfs3", "nfs_fh3", "", 64, 1, ""},
    {"nfs3", "READ3args", "", 64, 1, "0000000000000000 00000000"},
    {"mount", "dirpath", "", 1024, 1, ""},
    {"mount", "name", "", 255, 1, ""},
    {"mount", "fhandle3", "", 64, 1, ""},
    {"mount", "mountres3", "00000000", 64, 1, "00000000"},
    {"nlm", "netobj", "", 1024, 1, ""},
    {"nlm", "nlm4_notify", "", 1025, 1, "00000000"},
};
constexpr Variable kUnbounded[] = {
    {"nfs3", "filename3", "", 0xffffffff, 1, ""},
    {"nfs3", "diropargs3", "00000000", 0xffffffff, 1, ""},
    {"nfs3", "WRITE3args", "00000000 0000000000000000 00000000 00000000", 0xffffffff, 1, ""},
    {"mount", "mountres3", "00000000 00000000", 0xffffffff, 4, ""},  // auth_flavors
    {"rpcrdma", "xdr_write_chunk", "", 0xffffffff, 16, ""},
};

Bytes with_count(const Variable& one, std::uint32_t count, std::size_t present) {
    Bytes bytes = hex(one.before);
    append_u32(bytes, count);
    bytes.resize(bytes.size() + present * one.element, std::byte{0x61});
    bytes.resize(padded(bytes.size()));
    append(bytes, hex(one.behind));
    return bytes;
}

std::uint32_t length_offset(const Variable& one) {
    return static_cast<std::uint32_t>(hex(one.before).size());
}

TEST(BadInputs, ABoundExceededByOneWithTheBytesPresent) {
    for (const Variable& one : kBounded) {
        SCOPED_TRACE(one.type);
        const BothReaders readers{one.schema, one.type};
        for (const Mode mode : kModes) {
            EXPECT_EQ(verdict(readers, with_count(one, 0, 0), mode), kAccepted);
            EXPECT_EQ(verdict(readers, with_count(one, one.bound, one.bound), mode), kAccepted);
            EXPECT_EQ(verdict(readers, with_count(one, one.bound + 1, one.bound + 1), mode),
                      told({length_offset(one), Fault::too_long, 0, 0}));
        }
    }
}

// Counts whose size in bytes wraps in 32 bits, or which are negative as an int.
TEST(BadInputs, CountsThatWrapOrAreNegative) {
    constexpr std::uint32_t kCounts[] = {0x10000000, 0x1fffffff, 0x3fffffff, 0x40000000,
                                         0x40000001, 0x7fffffff, 0x80000000, 0x80000001,
                                         0xbfffffff, 0xfffffffc, 0xfffffffd, 0xffffffff};
    for (const std::uint32_t count : kCounts) {
        for (const Variable& one : kBounded) {
            SCOPED_TRACE(testing::Message() << one.type << " of " << count);
            Arena arena;
            const BothReaders readers{one.schema, one.type};
            const Bytes bytes = with_count(one, count, 2);
            const std::string expected = told({length_offset(one), Fault::too_long, 0, 0});
            for (const Mode mode : kModes) EXPECT_EQ(verdict(readers, bytes, mode), expected);
            readers.typed(bytes, Mode::lenient, arena);
            EXPECT_EQ(arena.bytes_held(), 0u);
        }
        for (const Variable& one : kUnbounded) {
            SCOPED_TRACE(testing::Message() << one.type << " of " << count);
            Arena arena;
            const BothReaders readers{one.schema, one.type};
            const Bytes bytes = with_count(one, count, 2);
            const auto end = static_cast<std::uint32_t>(bytes.size());
            for (const Mode mode : kModes)
                EXPECT_EQ(verdict(readers, bytes, mode), told({end, Fault::truncated, 0, 0}));
            readers.typed(bytes, Mode::lenient, arena);
            EXPECT_EQ(arena.bytes_held(), 0u);
        }
    }
}

TEST(BadInputs, LengthsBeyondTheBytesLeaveMemoryFlat) {
    for (const Variable& one : kUnbounded) {
        const BothReaders readers{one.schema, one.type};
        const Bytes bytes = with_count(one, 0x3fffffff, 2);
        Arena arena, written;
        xdr::Writer out{written};
        for (int i = 0; i < 1'000'000; ++i) {
            xdr::Reader in{bytes, arena};
            if (readers.codec().recode(in, out)) FAIL() << one.type;
        }
        EXPECT_EQ(arena.bytes_held(), 0u) << one.type;
    }
}

// Valid entries first, then an invalid one: the call's arena frees those decoded.
TEST(BadInputs, FailureHalfWayLeavesMemoryFlat) {
    Bytes bytes;
    for (int i = 0; i < 100; ++i) append(bytes, hex("00000001 00000001 61000000 00000000"));
    append(bytes, hex("00000001 00000401"));  // a path of 1025 bytes
    const BothReaders readers{"mount", "exports"};
    Arena arena;
    ASSERT_EQ(readers.typed(bytes, Mode::lenient, arena),
              (DecodeError{1604, Fault::too_long, 1025, 1024}));
    const std::size_t held = arena.bytes_held();
    Arena written;
    xdr::Writer out{written};
    for (int i = 0; i < 100'000; ++i) {
        arena.reset();
        xdr::Reader in{bytes, arena};
        if (readers.codec().recode(in, out)) FAIL();
    }
    EXPECT_EQ(arena.bytes_held(), held);
}

// ---- Strings ----

// XDR strings are counted: characters that a file system or terminal may reject pass unchanged.
TEST(BadInputs, NamesAreKeptAsTheyCame) {
    using namespace std::string_view_literals;
    const std::string longest(65536, 'x');
    for (const std::string_view name :
         {""sv, "."sv, ".."sv, "/"sv, "../../etc/passwd"sv, "a\0b"sv, "\0"sv, "\0\0\0\0"sv,
          "\xff\xfe"sv, "\xc0\xaf"sv, "%s%n"sv, "line\nfeed"sv, "\x1b[2J"sv,
          std::string_view{longest}.substr(0, 255), std::string_view{longest}.substr(0, 256),
          std::string_view{longest}.substr(0, 1024), std::string_view{longest}}) {
        Bytes bytes = hex("00000000");  // dir: a handle of no bytes
        append_u32(bytes, static_cast<std::uint32_t>(name.size()));
        append(bytes, as_bytes(name));
        bytes.resize(padded(bytes.size()));

        Arena arena;
        xdr::Reader in{bytes, arena, Mode::strict};
        nfs3::diropargs3 arguments;
        ASSERT_TRUE(decode_diropargs3(in, arguments) && in.finish());
        EXPECT_EQ(arguments.name, name);
        const BothReaders readers{"nfs3", "diropargs3"};
        EXPECT_EQ(readers.recoded(bytes), bytes);
        EXPECT_EQ(readers.through_json(bytes), bytes);
    }
}

// ---- Padding and what follows ----

TEST(BadInputs, PaddingThatIsNotZero) {
    const BothReaders readers{"nfs3", "diropargs3"};
    const Bytes good = hex("00000005 0102030405 000000 00000002 6162 0000");
    ASSERT_EQ(verdict(readers, good, Mode::strict), kAccepted);
    for (const std::uint32_t offset : {9u, 10u, 11u, 18u, 19u}) {
        for (const unsigned value : {0x01u, 0x20u, 0x80u, 0xffu}) {
            Bytes bytes = good;
            bytes[offset] = static_cast<std::byte>(value);
            const std::uint32_t padding_begins = offset < 12 ? 9 : 18;
            EXPECT_EQ(verdict(readers, bytes, Mode::lenient), kAccepted);
            EXPECT_EQ(verdict(readers, bytes, Mode::strict),
                      told({padding_begins, Fault::bad_padding, 0, 0}));
        }
    }
}

TEST(BadInputs, PaddingThatIsMissingAtTheEnd) {
    const BothReaders readers{"mount", "dirpath"};
    for (const Mode mode : kModes) {
        EXPECT_EQ(verdict(readers, hex("00000001 61"), mode), "truncated at byte 5");
        EXPECT_EQ(verdict(readers, hex("00000002 6162"), mode), "truncated at byte 6");
        EXPECT_EQ(verdict(readers, hex("00000003 616263"), mode), "truncated at byte 7");
        EXPECT_EQ(verdict(readers, hex("00000005 6162636465 0000"), mode), "truncated at byte 11");
        EXPECT_EQ(verdict(readers, hex("00000004 61626364"), mode), kAccepted);
    }
}

TEST(BadInputs, GarbageBehindTheArguments) {
    const BothReaders readers{"nfs3", "GETATTR3args"};
    for (const std::size_t garbage : {1u, 3u, 4u, 8u, 4096u, 1u << 20}) {
        Bytes bytes = hex("00000001 01000000");
        bytes.resize(8 + garbage, std::byte{0xaa});
        EXPECT_EQ(verdict(readers, bytes, Mode::lenient), kAccepted);
        EXPECT_EQ(verdict(readers, bytes, Mode::strict), told({8, Fault::trailing_bytes, 0, 0}));
        Arena arena;
        xdr::Reader in{bytes, arena};
        nfs3::GETATTR3args arguments;
        ASSERT_TRUE(decode_GETATTR3args(in, arguments));
        EXPECT_EQ(in.rest().size(), garbage) << "what was not read can still be counted";
    }
}

// ---- Words with few values ----

TEST(BadInputs, WordsOutOfRange) {
    struct Row {
        const char* schema;
        const char* type;
        const char* before;
        const char* behind;
        std::vector<std::uint32_t> allowed;
        Fault fault;
    };
    const std::string zeros(80 * 2, '0');
    const Row rows[] = {
        // Enumerations that are closed.
        {"nfs3", "ftype3", "", "", {1, 2, 3, 4, 5, 6, 7}, Fault::bad_enum},
        {"nfs3", "fattr3", "", zeros.c_str(), {1, 2, 3, 4, 5, 6, 7}, Fault::bad_enum},
        {"nfs3", "time_how", "", "", {0, 1, 2}, Fault::bad_enum},
        {"nlm",
         "nlm_share",
         "00000000 00000000 00000000",
         "00000000",
         {0, 1, 2, 3},
         Fault::bad_enum},
        {"rpc", "msg_type", "", "", {0, 1}, Fault::bad_enum},
        // Unions switched by such an enumeration: no default arm accepts an invalid value.
        {"nfs3", "set_atime", "", "0000000000000000", {2}, Fault::bad_enum},
        {"rpc", "rejected_reply", "", "0000000000000000", {0}, Fault::bad_enum},
        // Booleans.
        {"nlm",
         "nlm4_holder",
         "",
         "00000000 00000000 0000000000000000 0000000000000000",
         {0, 1},
         Fault::bad_bool},
        {"nfs3", "dirlist3", "00000000", "", {0, 1}, Fault::bad_bool},
        // Unions switched by a bool; `default: void` means FALSE, not 2.
        {"nfs3", "set_mode3", "", "", {0}, Fault::bad_bool},
        {"nfs3", "post_op_attr", "", "", {0}, Fault::bad_bool},
        {"nfs3", "post_op_fh3", "", "", {0}, Fault::bad_bool},
        // Presence words, of a list's first entry and of the next.
        {"mount", "exports", "", "", {0}, Fault::bad_bool},
        {"mount", "mountlist", "00000001 00000000 00000000", "", {0}, Fault::bad_bool},
        {"nfs3", "dirlist3", "", "00000000", {0}, Fault::bad_bool},
        {"rpcrdma", "rpc_rdma_header", "00000000 00000000", "", {0}, Fault::bad_bool},
    };
    for (const Row& row : rows) {
        const BothReaders readers{row.schema, row.type};
        const auto at = static_cast<std::uint32_t>(hex(row.before).size());
        const auto with = [&row](std::uint32_t value) {
            Bytes bytes = hex(row.before);
            append_u32(bytes, value);
            append(bytes, hex(row.behind));
            return bytes;
        };
        for (const std::uint32_t value : row.allowed)
            EXPECT_EQ(verdict(readers, with(value), Mode::strict), kAccepted) << row.type << value;
        for (const std::uint32_t value :
             {2u, 3u, 4u, 8u, 9u, 256u, 0x01000000u, 0x7fffffffu, 0x80000000u, 0xffffffffu}) {
            if (std::ranges::find(row.allowed, value) != row.allowed.end()) continue;
            if (row.fault == Fault::bad_enum && value < 4) continue;  // a value of some of them
            for (const Mode mode : kModes)
                EXPECT_EQ(verdict(readers, with(value), mode), told({at, row.fault, 0, 0}))
                    << row.type << " of " << value;
        }
    }
}

// `default: void` accepts every other value and nothing after it.
TEST(BadInputs, VoidDefaultArms) {
    struct Row {
        const char* schema;
        const char* type;
    };
    // fhstatus is switched by a plain unsigned int, the others by enumerations that are open.
    for (const Row& row :
         {Row{"mount", "fhstatus"}, Row{"mount", "mountres3"}, Row{"nfs3", "GETATTR3res"},
          Row{"nlm", "nlm4_testrply"}, Row{"rpc", "accepted_reply_data"}}) {
        SCOPED_TRACE(row.type);
        const BothReaders readers{row.schema, row.type};
        for (const std::uint32_t value :
             {13u, 70u, 10'006u, 0x7fffffffu, 0x80000000u, 0xffffffffu}) {
            const Bytes bytes = word(value);
            EXPECT_EQ(verdict(readers, bytes, Mode::strict), kAccepted) << value;
            EXPECT_EQ(readers.recoded(bytes), bytes);
            EXPECT_EQ(readers.through_json(bytes), bytes);
            Bytes more = bytes;
            append_u32(more, 0);
            EXPECT_EQ(verdict(readers, more, Mode::strict), told({4, Fault::trailing_bytes, 0, 0}));
            EXPECT_EQ(verdict(readers, ByteView{bytes}.first(3), Mode::strict),
                      told({3, Fault::truncated, 0, 0}));
        }
    }
}

}  // namespace
}  // namespace helio::vectors::bad_inputs_test
