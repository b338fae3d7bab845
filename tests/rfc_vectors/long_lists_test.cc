// A million entries in the replies that are lists: READDIR, READDIRPLUS, EXPORT, DUMP. Code that
// decodes, compares, prints or encodes them recursively overflows its stack, which is 256 KiB here.
#include <gtest/gtest.h>

#include <string>

#include "testing/xdr/small_stack.h"
#include "tests/rfc_vectors/both_readers.h"

namespace helio::vectors::long_lists_test {
namespace {

using xdr::append;
using xdr::Arena;
using xdr::Bytes;
using xdr::DecodeError;
using xdr::Fault;
using xdr::hex;
using xdr::Mode;
using xdr::on_small_stack;

constexpr std::size_t kBlock = 1000;
constexpr std::size_t kCount = 1000 * kBlock;

struct List {
    const char* name;
    const char* schema;
    const char* type;
    const char* before;
    const char* entry;   // with its presence word
    const char* behind;  // the last presence word, and the rest
};

constexpr List kLists[] = {
    {"READDIR", "nfs3", "READDIR3res",
     "00000000 00000000 0000000000000000",  // NFS3_OK, no attributes, verifier
     "00000001 0000000000000007 00000001 61000000 0000000000000008",  // fileid, name, cookie
     "00000000 00000001"},                                            // eof
    {"READDIRPLUS", "nfs3", "READDIRPLUS3res", "00000000 00000000 0000000000000000",
     "00000001 0000000000000007 00000000 0000000000000008 00000000 00000000", "00000000 00000001"},
    {"EXPORT", "mount", "exports", "", "00000001 00000001 2f000000 00000000", "00000000"},
    {"EXPORT_groups", "mount", "exports", "00000001 00000001 2f000000",
     "00000001 00000001 2a000000", "00000000 00000000"},
    {"DUMP", "mount", "mountlist", "", "00000001 00000001 68000000 00000000", "00000000"},
    {"read_list", "rpcrdma", "rpc_rdma_header", "",
     "00000001 00000000 00000000 00000000 0000000000000000", "00000000 00000000 00000000"},
};
std::ostream& operator<<(std::ostream& out, const List& list) { return out << list.name; }

Bytes bytes_of(const List& list) {
    Bytes out = hex(list.before);
    const Bytes entry = hex(list.entry), behind = hex(list.behind);
    out.reserve(out.size() + entry.size() * kCount + behind.size());
    // Many at a time: under sanitizers and without an optimiser a call for each is most of the
    // test.
    Bytes block;
    for (std::size_t i = 0; i < kBlock; ++i) append(block, entry);
    for (std::size_t i = 0; i < kCount / kBlock; ++i) append(out, block);
    append(out, behind);
    return out;
}

class LongLists : public testing::TestWithParam<List> {
 protected:
    BothReaders readers_{GetParam().schema, GetParam().type};
};

TEST_P(LongLists, AreDecodedAndEncodedInALoop) {
    const Bytes bytes = bytes_of(GetParam());
    on_small_stack([&] {
        Arena arena;
        xdr::Reader in{bytes, arena, Mode::strict};
        xdr::Writer out{arena};
        ASSERT_TRUE(readers_.codec().recode(in, out) && in.finish()) << to_string(in.error());
        EXPECT_TRUE(out.joined() == bytes);
    });
}

TEST_P(LongLists, AreComparedAndPrintedInALoop) {
    const Bytes bytes = bytes_of(GetParam());
    on_small_stack([&] {
        Arena of_one, of_other, of_shown;  // each may take its limit
        xdr::Reader one{bytes, of_one}, other{bytes, of_other}, shown{bytes, of_shown};
        EXPECT_TRUE(readers_.codec().same(one, other));
        EXPECT_LT(readers_.codec().print(shown).size(), 64u << 10) << "a log line has an end";
    });
}

TEST_P(LongLists, AreReflectedInALoop) {
    const Bytes bytes = bytes_of(GetParam());
    on_small_stack([&] { EXPECT_EQ(readers_.reflective(bytes, Mode::strict), DecodeError{}); });
}

// The last entry announces another one that is missing.
TEST_P(LongLists, EndWhereTheBytesDo) {
    Bytes bytes = hex(GetParam().before);
    for (std::size_t i = 0; i < 1000; ++i) append(bytes, hex(GetParam().entry));
    const auto end = static_cast<std::uint32_t>(bytes.size());
    Arena arena;
    for (const DecodeError& error :
         {readers_.typed(bytes, Mode::lenient, arena), readers_.reflective(bytes, Mode::lenient)}) {
        EXPECT_EQ(error.fault, Fault::truncated);
        EXPECT_EQ(error.offset, end);
    }
}

TEST_P(LongLists, AreLimitedByTheArena) {
    const Bytes bytes = bytes_of(GetParam());
    Arena arena{1 << 20};
    const DecodeError error = readers_.typed(bytes, Mode::lenient, arena);
    EXPECT_EQ(error.fault, Fault::out_of_memory);
    EXPECT_EQ(error.limit, 1024u);
    EXPECT_LE(arena.bytes_held(), std::size_t{1} << 20);
}

INSTANTIATE_TEST_SUITE_P(All, LongLists, testing::ValuesIn(kLists),
                         [](const auto& one) { return std::string{one.param.name}; });

}  // namespace
}  // namespace helio::vectors::long_lists_test
