#include "helio/backend/posix/parts/acl_bytes_internal.h"

namespace helio::backend {

namespace {

constexpr std::uint32_t kVersion = 2;
constexpr std::uint32_t kNobody = UINT32_MAX;
constexpr std::size_t kHeadBytes = 4;
constexpr std::size_t kEntryBytes = 8;
// Indexed by vfs::AclTag.
constexpr std::uint16_t kTags[] = {0x01, 0x02, 0x04, 0x08, 0x10, 0x20};

void put(std::vector<std::byte>& out, std::uint32_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) out.push_back(static_cast<std::byte>(value >> 8 * i));
}

std::uint32_t get(ByteView bytes) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i)
        value |= std::to_integer<std::uint32_t>(bytes[i]) << 8 * i;
    return value;
}

bool is_named(vfs::AclTag tag) { return tag == vfs::AclTag::user || tag == vfs::AclTag::group; }

}  // namespace

std::vector<std::byte> to_acl_bytes(const vfs::Acl& list) {
    std::vector<std::byte> out;
    out.reserve(kHeadBytes + list.size() * kEntryBytes);
    put(out, kVersion, 4);
    for (const vfs::AclEntry& entry : list) {
        put(out, kTags[static_cast<std::size_t>(entry.tag)], 2);
        put(out, entry.rights, 2);
        put(out, is_named(entry.tag) ? entry.id : kNobody, 4);
    }
    return out;
}

std::optional<vfs::Acl> from_acl_bytes(ByteView bytes) {
    if (bytes.size() < kHeadBytes || (bytes.size() - kHeadBytes) % kEntryBytes != 0 ||
        get(bytes.first(kHeadBytes)) != kVersion)
        return std::nullopt;
    vfs::Acl list;
    for (bytes = bytes.subspan(kHeadBytes); !bytes.empty(); bytes = bytes.subspan(kEntryBytes)) {
        const std::uint32_t tag = get(bytes.first(2));
        const std::uint32_t rights = get(bytes.subspan(2, 2));
        std::size_t which = 0;
        while (which < std::size(kTags) && kTags[which] != tag) ++which;
        if (which == std::size(kTags) || rights > 7) return std::nullopt;
        list.push_back({static_cast<vfs::AclTag>(which), get(bytes.subspan(4, 4)),
                        static_cast<std::uint8_t>(rights)});
    }
    if (!vfs::make_valid(list)) return std::nullopt;
    return list;
}

}  // namespace helio::backend
