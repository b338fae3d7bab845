// The byte layout of a FileId. file_handle_internal.h explains the two forms.
//
//     1 | handle type | kernel file handle         if there is one of at most 18 bytes
//     2 | 0 | device tag (2) | inode (8) | generation (8)
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "helio/vfs/types.h"

namespace helio::backend {

inline constexpr std::byte kKernelForm{1};
inline constexpr std::byte kInodeForm{2};
inline constexpr std::size_t kKernelHandleMax = vfs::kFileIdMax - 2;

inline vfs::FileId kernel_id(std::uint8_t type, ByteView handle) {
    vfs::FileId id;
    id.bytes[0] = kKernelForm;
    id.bytes[1] = std::byte{type};
    std::memcpy(id.bytes.data() + 2, handle.data(), handle.size());
    id.size = static_cast<std::uint8_t>(2 + handle.size());
    return id;
}

inline vfs::FileId inode_id(std::uint16_t device_tag, std::uint64_t inode,
                            std::uint64_t generation) {
    vfs::FileId id;
    id.bytes[0] = kInodeForm;
    std::memcpy(id.bytes.data() + 2, &device_tag, 2);
    std::memcpy(id.bytes.data() + 4, &inode, 8);
    std::memcpy(id.bytes.data() + 12, &generation, 8);
    id.size = 20;
    return id;
}

// FILEID_INO32_GEN, used by ext4, xfs and others: the low 32 bits of the inode number and a 32-bit
// generation.
inline constexpr std::uint8_t kInode32Generation = 1;
inline bool is_inode32_generation(const vfs::FileId& id) {
    return id.bytes[0] == kKernelForm && id.bytes[1] == std::byte{kInode32Generation} &&
           id.size == 2 + 8;
}

// The lower half of the inode number of the file with this id, if the id tells it.
inline std::optional<std::uint32_t> inode_of(const vfs::FileId& id) {
    std::uint32_t inode;
    if (id.bytes[0] == kInodeForm) {
        std::uint64_t whole;
        std::memcpy(&whole, id.bytes.data() + 4, 8);
        return static_cast<std::uint32_t>(whole);
    }
    if (!is_inode32_generation(id)) return std::nullopt;
    std::memcpy(&inode, id.bytes.data() + 2, 4);
    return inode;
}

}  // namespace helio::backend
