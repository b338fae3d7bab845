// The types of the vfs interface: file ids, callers, attributes and changes. Plain values; views
// in them live as long as the call.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include "helio/base/bytes.h"
#include "helio/base/hash.h"

namespace helio::vfs {

// The longest FileId: with the export's number and a seal it fits the 32 bytes of NFS version 2.
inline constexpr std::size_t kFileIdMax = 20;

// Identifies a file as long as it exists: the same after renames, restarts and upgrades, and never
// reused for another file. Only the file system that made it knows what it contains.
struct FileId {
    std::array<std::byte, kFileIdMax> bytes{};  // zero after size
    std::uint8_t size = 0;

    ByteView view() const { return ByteView{bytes}.first(size); }
    static FileId copy_of(ByteView view) {
        FileId id;
        id.size = static_cast<std::uint8_t>(view.size() < kFileIdMax ? view.size() : kFileIdMax);
        if (id.size > 0) std::memcpy(id.bytes.data(), view.data(), id.size);
        return id;
    }
    // All bytes count: those after size are zero. (Arrays of bytes compare them one by one.)
    bool operator==(const FileId& other) const {
        return size == other.size && std::memcmp(bytes.data(), other.bytes.data(), kFileIdMax) == 0;
    }
};

struct Time {
    std::int64_t seconds = 0;  // since 1970, UTC
    std::uint32_t nanoseconds = 0;
    auto operator<=>(const Time&) const = default;
};

enum class FileType : std::uint8_t {
    regular,
    directory,
    block_device,
    character_device,
    symlink,
    socket,
    fifo
};

struct Attributes {
    FileType type = FileType::regular;
    std::uint32_t mode = 0;  // permissions and the bits before them: 07777
    std::uint32_t links = 0;
    std::uint32_t uid = 0;
    std::uint32_t gid = 0;
    std::uint64_t size = 0;
    std::uint64_t used = 0;  // bytes on the disk
    std::uint32_t device_major = 0;
    std::uint32_t device_minor = 0;
    std::uint32_t block_size = 4096;
    std::uint64_t fsid = 0;
    std::uint64_t fileid = 0;
    Time accessed;
    Time modified;
    Time changed;
    std::uint64_t change = 0;  // see FileSystem::change_kind()
};

// What Attributes::change contains. Clients trust their cache while it stays the same;
// change_attr_type of RFC 7862 tells them how reliable it is.
enum class ChangeKind : std::uint8_t {
    absent,    // always 0
    counter,   // incremented by every change of data or attributes
    from_time  // derived from the change time: changes within one clock tick look like one
};
// The change attribute of a file system that has only the change time.
inline std::uint64_t change_from(const Time& changed) {
    return (static_cast<std::uint64_t>(changed.seconds) << 30) + changed.nanoseconds;
}

struct NewTime {
    enum class How : std::uint8_t { leave, now, set };
    How how = How::leave;
    Time time;  // with set
};

// Attributes to change; those that are absent stay.
struct Changes {
    std::optional<std::uint32_t> mode;
    std::optional<std::uint32_t> uid;
    std::optional<std::uint32_t> gid;
    std::optional<std::uint64_t> size;
    NewTime accessed;
    NewTime modified;
};

// The state of an object before an operation and after it, if known. Clients compare the former
// with what they remember, and keep their caches if it is the same (RFC 1813 §2.6, wcc_data).
// Filled in on failures too.
struct Before {
    std::uint64_t size = 0;
    Time modified;
    Time changed;
    std::uint64_t change = 0;  // as in Attributes
    bool operator==(const Before&) const = default;
};
struct Change {
    std::optional<Before> before;
    std::optional<Attributes> after;
    // No other change happened between the two (change_info4 of RFC 8881). Cannot be promised where
    // programs outside the server can change the file.
    bool atomic = false;
};
inline Before before(const Attributes& now) {
    return {now.size, now.modified, now.changed, now.change};
}

// The user that an operation is done for, after squashing: uid 0 is the superuser.
struct Caller {
    std::uint32_t uid = 0;
    std::uint32_t gid = 0;
    std::span<const std::uint32_t> groups;
    // False on a thread that also serves others: an operation that would have to wait for a disk
    // then does nothing and returns would_block, and is repeated where waiting is allowed.
    bool may_block = true;
    // If it may not block: only clients of the same file system would have to wait with it.
    // Operations that rarely block may be done at once, such as a small write to the page cache.
    bool may_risk_blocking = false;
};

// Bits of access(): those of RFC 1813 §3.3.4, by the same names.
namespace access {
inline constexpr std::uint32_t kRead = 1;
inline constexpr std::uint32_t kLookup = 2;
inline constexpr std::uint32_t kModify = 4;
inline constexpr std::uint32_t kExtend = 8;
inline constexpr std::uint32_t kDelete = 16;
inline constexpr std::uint32_t kExecute = 32;
}  // namespace access

}  // namespace helio::vfs

template <>
struct std::hash<helio::vfs::FileId> {
    // Ids hold inode numbers and random generations, so mixing their words is enough. Nobody
    // outside can choose them, since they are sealed.
    std::size_t operator()(const helio::vfs::FileId& id) const noexcept {
        static_assert(helio::vfs::kFileIdMax == 20);
        std::uint64_t first, second;
        std::uint32_t third;
        std::memcpy(&first, id.bytes.data(), 8);
        std::memcpy(&second, id.bytes.data() + 8, 8);
        std::memcpy(&third, id.bytes.data() + 16, 4);
        std::uint64_t sum = first * helio::kGoldenRatio + second;
        sum = ((sum ^ (sum >> 32)) + third) * 0xd6e8feb86659fd93u;
        return sum ^ (sum >> 32);
    }
};
