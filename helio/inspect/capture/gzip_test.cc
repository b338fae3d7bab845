#include "helio/inspect/capture/gzip.h"

#include <zlib.h>

#include <string>

#include <gtest/gtest.h>

namespace helio::inspect {
namespace {

std::string packed(std::string_view text) {
    z_stream stream{};
    EXPECT_EQ(deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 8,
                           Z_DEFAULT_STRATEGY),
              Z_OK);
    std::string out(deflateBound(&stream, text.size()) + 32, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

struct Unpacked {
    std::string text;
    std::string error;
};

Unpacked unpacked(std::string_view file, std::uint64_t size_max = kUnpackedSizeMax,
                  std::size_t piece = 7) {
    MemorySource memory{as_bytes(file)};
    GzipSource source{memory, size_max};
    Unpacked out;
    std::vector<std::byte> block(piece);
    while (const std::size_t got = source.read(block))
        out.text += as_text(std::span{block}.first(got));
    out.error = source.error();
    return out;
}

const std::string kText = "12345678 00000000 00000002 000186a3 00000003 and a few more words\n";

TEST(Gzip, ReadsWhatWasPacked) {
    const std::string file = packed(kText);
    EXPECT_TRUE(is_gzip(as_bytes(file)));
    EXPECT_FALSE(is_gzip(as_bytes(kText)));
    const Unpacked out = unpacked(file);
    EXPECT_EQ(out.text, kText);
    EXPECT_EQ(out.error, "");
}

TEST(Gzip, MembersThatFollowEachOtherAreOneFile) {
    EXPECT_EQ(unpacked(packed(kText) + packed("") + packed("more")).text, kText + "more");
    const Unpacked padded = unpacked(packed(kText) + std::string(512, '\0'));  // by tape drives
    EXPECT_EQ(padded.text, kText);
    EXPECT_EQ(padded.error, "");
}

TEST(Gzip, EveryTruncationIsNoticed) {
    const std::string file = packed(kText);
    for (std::size_t size = 1; size < file.size(); ++size) {
        const Unpacked out = unpacked(std::string_view{file}.substr(0, size));
        EXPECT_EQ(out.error, "the gzip file is truncated") << size;
        EXPECT_EQ(out.text, kText.substr(0, out.text.size())) << size;
    }
}

// A few bytes unpack to many. Found by the fuzzer: when the file was cut off and read in small
// pieces, output that needed no more input was lost.
TEST(Gzip, SmallPiecesOfATruncatedFileAreAllThere) {
    const std::string file = packed(std::string(100'000, 'x'));
    for (std::size_t size = 1; size < file.size(); ++size) {
        const std::string_view cut = std::string_view{file}.substr(0, size);
        const Unpacked large = unpacked(cut, kUnpackedSizeMax, 64u << 10);
        const Unpacked small = unpacked(cut, kUnpackedSizeMax, 257);
        EXPECT_EQ(small.text.size(), large.text.size()) << size;
        EXPECT_EQ(small.error, large.error) << size;
    }
}

TEST(Gzip, DamageIsNoticed) {
    std::string file = packed(kText);
    file[file.size() - 6] ^= 1;  // in the checksum
    EXPECT_EQ(unpacked(file).error, "the gzip file is damaged: incorrect data check");
    const Unpacked nonsense = unpacked("\x1f\x8b\x08 and no more of it");
    EXPECT_EQ(nonsense.text, "");
    EXPECT_NE(nonsense.error, "");
}

TEST(Gzip, UnpacksNoMoreThanTheLimit) {
    const std::string zeros(1u << 20, '\0');
    const std::string file = packed(zeros);
    ASSERT_LT(file.size(), zeros.size() / 500);
    const Unpacked at_limit = unpacked(file, zeros.size(), 64u << 10);
    EXPECT_EQ(at_limit.text.size(), zeros.size());
    EXPECT_EQ(at_limit.error, "");
    const Unpacked beyond = unpacked(file, zeros.size() - 1, 64u << 10);
    EXPECT_EQ(beyond.text.size(), zeros.size() - 1);
    EXPECT_NE(beyond.error.find("larger than 1048575 bytes"), std::string::npos) << beyond.error;
}

}  // namespace
}  // namespace helio::inspect
