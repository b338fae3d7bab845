// The file handle that clients get. It has at most 32 bytes, so that NFS version 2 can carry it
// too, and is sealed with a keyed SipHash-2-4 so that it cannot be forged.
//
//      0            1 … 3       4 … 4+n-1    4+n … 12+n-1
//     ┌────────────┬───────────┬────────────┬────────────┐
//     │ format | n │ export    │ FileId     │ seal       │     version 2: zeros up to 32
//     └────────────┴───────────┴────────────┴────────────┘
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "helio/base/bytes.h"
#include "helio/vfs/status.h"
#include "helio/vfs/types.h"

namespace helio::nfs {

inline constexpr std::size_t kHandleMax = 32;

struct HandleKey {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
};

// A number that belongs to the key and does not reveal it: how clients of version 4 recognise the
// server.
std::uint64_t public_id_of(const HandleKey& key);

struct Handle {
    std::array<std::byte, kHandleMax> bytes{};  // zero after size: version 2 uses all 32
    std::uint8_t size = 0;
    ByteView view() const { return ByteView{bytes}.first(size); }
};

// The size of a file's handle.
inline std::size_t handle_bytes(const vfs::FileId& file) { return 4 + file.size + 8; }
Handle seal_handle(const HandleKey& key, std::uint32_t export_tag, const vfs::FileId& file);

struct OpenedHandle {
    std::uint32_t export_tag = 0;
    vfs::FileId file;
};
// bad_handle: not made by us. Zeros after the seal, which version 2 adds, are ignored.
vfs::Result<OpenedHandle> open_handle(const HandleKey& key, ByteView handle);

}  // namespace helio::nfs
