#include "helio/nfs/wire/handle.h"

#include <cstring>
#include <memory>
#include <string_view>

#include "helio/base/siphash.h"

namespace helio::nfs {

namespace {
// The first byte: format in the upper three bits, size of the FileId in the lower five.
constexpr unsigned kFormat = 1;
constexpr std::size_t kHead = 4;
constexpr std::size_t kSeal = 8;
static_assert(kHead + vfs::kFileIdMax + kSeal == kHandleMax);
static_assert(vfs::kFileIdMax < 32);

// The seal in native byte order: a handle returns to the machine that made it, or to a similar one.
std::uint64_t seal_of(const HandleKey& key, const std::byte* bytes, std::size_t sealed) {
    return siphash24(key.first, key.second, {bytes, sealed});
}
// Handles whose seals a thread has recently verified; clients use the same files again and again.
// Comparing a handle with one of these costs a tenth of computing its seal. The seal, which is as
// good as random, is the index.
struct KnownSeals {
    struct Known {
        HandleKey key;
        std::array<std::byte, kHandleMax> handle{};
        std::size_t size = 0;
    };
    static constexpr std::size_t kCount = 1024;
    std::array<Known, kCount> all{};

    Known& at(std::uint64_t seal) { return all[seal % kCount]; }
};

bool is_sealed(const HandleKey& key, ByteView handle, std::size_t sealed) {
    thread_local const auto known = std::make_unique<KnownSeals>();
    std::uint64_t seal;
    std::memcpy(&seal, handle.data() + sealed, kSeal);
    KnownSeals::Known& last = known->at(seal);
    const std::size_t size = sealed + kSeal;
    if (last.size == size && std::memcmp(last.handle.data(), handle.data(), size) == 0 &&
        last.key.first == key.first && last.key.second == key.second)
        return true;
    // The comparison need not be constant-time: an attacker would have to try 2^64 handles over the
    // network.
    if (seal != seal_of(key, handle.data(), sealed)) return false;
    last.key = key;
    last.size = size;
    std::memcpy(last.handle.data(), handle.data(), size);
    return true;
}

}  // namespace

// The text begins with no format of a handle, so that this is nobody's seal.
std::uint64_t public_id_of(const HandleKey& key) {
    constexpr std::string_view kText = "server identity";
    static_assert(static_cast<unsigned char>(kText[0]) >> 5 != kFormat);
    return siphash24(key.first, key.second, as_bytes(kText));
}

// Called for every entry of a listing. The hashed words are assembled in registers: loading words
// from bytes that were just stored stalls for longer than the hash takes.
Handle seal_handle(const HandleKey& key, std::uint32_t export_tag, const vfs::FileId& file) {
    Handle handle;
    const std::uint32_t head = kFormat << 5 | file.size | export_tag << 8;
    const std::byte* const id = file.bytes.data();  // zero after its size
    static_assert(vfs::kFileIdMax == 20);
    const std::array<std::uint64_t, 3> words = {load_little(id) << 32 | head, load_little(id + 4),
                                                load_little(id + 12)};
    const std::size_t sealed = kHead + file.size;
    const std::uint64_t seal = siphash24_words(key.first, key.second, words.data(), sealed);
    for (unsigned i = 0; i < kHead; ++i) handle.bytes[i] = static_cast<std::byte>(head >> (8 * i));
    std::memcpy(handle.bytes.data() + kHead, id, vfs::kFileIdMax);
    std::memcpy(handle.bytes.data() + sealed, &seal, kSeal);
    handle.size = static_cast<std::uint8_t>(sealed + kSeal);
    return handle;
}

vfs::Result<OpenedHandle> open_handle(const HandleKey& key, ByteView handle) {
    if (handle.size() < kHead + kSeal || handle.size() > kHandleMax)
        return fail(vfs::Status::bad_handle);
    const auto first = std::to_integer<unsigned>(handle[0]);
    const std::size_t size = first & 31;
    if (first >> 5 != kFormat || size > vfs::kFileIdMax || handle.size() < kHead + size + kSeal)
        return fail(vfs::Status::bad_handle);
    const std::size_t sealed = kHead + size;
    if (!is_sealed(key, handle, sealed)) return fail(vfs::Status::bad_handle);
    for (const std::byte one : handle.subspan(sealed + kSeal))
        if (one != std::byte{0}) return fail(vfs::Status::bad_handle);
    OpenedHandle opened;
    opened.export_tag = std::to_integer<std::uint32_t>(handle[1]) |
                        std::to_integer<std::uint32_t>(handle[2]) << 8 |
                        std::to_integer<std::uint32_t>(handle[3]) << 16;
    opened.file = vfs::FileId::copy_of(handle.subspan(kHead, size));
    return opened;
}

}  // namespace helio::nfs
