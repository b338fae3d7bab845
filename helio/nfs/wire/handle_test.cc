#include "helio/nfs/wire/handle.h"

#include <gtest/gtest.h>

#include <vector>

namespace helio::nfs::handle_test {
namespace {

constexpr HandleKey kKey{0x0011223344556677, 0x8899aabbccddeeff};

vfs::FileId id_of(std::size_t size) {
    vfs::FileId id;
    id.size = static_cast<std::uint8_t>(size);
    for (std::size_t i = 0; i < size; ++i) id.bytes[i] = static_cast<std::byte>(i * 7 + 1);
    return id;
}

TEST(Handle, OpensWhatItSealed) {
    for (std::size_t size = 0; size <= vfs::kFileIdMax; ++size) {
        const Handle handle = seal_handle(kKey, 0xabcdef, id_of(size));
        EXPECT_EQ(handle.size, handle_bytes(id_of(size)));
        const auto opened = open_handle(kKey, handle.view());
        ASSERT_TRUE(opened) << size;
        EXPECT_EQ(opened->export_tag, 0xabcdefu);
        EXPECT_EQ(opened->file, id_of(size));
        // As version 2 carries it.
        const auto padded = open_handle(kKey, handle.bytes);
        ASSERT_TRUE(padded) << size;
        EXPECT_EQ(padded->file, id_of(size));
    }
}

TEST(Handle, RefusesEveryBitFlip) {
    for (const std::size_t size : {std::size_t{0}, std::size_t{8}, vfs::kFileIdMax}) {
        const Handle good = seal_handle(kKey, 1, id_of(size));
        for (std::size_t bit = 0; bit < kHandleMax * 8; ++bit) {
            auto bytes = good.bytes;
            bytes[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
            EXPECT_FALSE(open_handle(kKey, bytes)) << size << " bit " << bit;
            if (bit < good.size * 8u) {
                EXPECT_FALSE(open_handle(kKey, ByteView{bytes}.first(good.size))) << bit;
            }
        }
    }
}

TEST(Handle, RefusesEveryOtherLength) {
    const Handle good = seal_handle(kKey, 1, id_of(8));
    std::vector<std::byte> bytes(65);
    std::copy(good.bytes.begin(), good.bytes.end(), bytes.begin());
    for (std::size_t size = 0; size <= 65; ++size)
        EXPECT_EQ(open_handle(kKey, ByteView{bytes}.first(size)).has_value(),
                  size >= good.size && size <= kHandleMax)
            << size;
}

TEST(Handle, IsWorthNothingUnderAnotherKey) {
    const Handle handle = seal_handle(kKey, 1, id_of(16));
    EXPECT_FALSE(open_handle({kKey.first ^ 1, kKey.second}, handle.view()));
    EXPECT_FALSE(open_handle({kKey.first, kKey.second ^ 1}, handle.view()));
}

TEST(Handle, PublicIdBelongsToTheKeyAndDoesNotContainIt) {
    const std::uint64_t id = public_id_of(kKey);
    EXPECT_EQ(public_id_of(kKey), id);
    EXPECT_NE(public_id_of({kKey.first ^ 1, kKey.second}), id);
    EXPECT_NE(public_id_of({kKey.first, kKey.second ^ 1}), id);
    for (const std::uint64_t half : {kKey.first, kKey.second}) EXPECT_NE(id, half);
}

}  // namespace
}  // namespace helio::nfs::handle_test
