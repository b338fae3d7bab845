#include "helio/nfs/ops/names.h"

#include "helio/base/assert.h"

namespace helio::nfs::ops {

using vfs::Status;

namespace {

// "." and ".." can be looked up; other operations on them fail as on Unix (RFC 1813 §3.3.13 and
// §3.3.14 require it for RMDIR and RENAME).
Status check_dots(std::string_view name, NameFor what) {
    switch (what) {
        case NameFor::lookup:
            return Status::ok;
        case NameFor::make:
            return Status::exists;
        case NameFor::remove:
            return Status::is_a_directory;
        case NameFor::remove_directory:
            return name == "." ? Status::invalid : Status::exists;
        case NameFor::rename:
            return Status::invalid;
    }
    HELIO_ASSERT(false);
    return Status::invalid;
}

constexpr std::uint32_t kNoId = UINT32_MAX;  // chown(2) would leave the owner unchanged
constexpr std::uint32_t kModeBits = 07777;
constexpr std::uint32_t kNanosecondsEnd = 1'000'000'000;

}  // namespace

Status check_name(std::string_view name, NameFor what) {
    if (name.size() > kNameBytesMax) return Status::name_too_long;
    if (name.empty()) return Status::access_denied;
    if (name.find('/') != name.npos || name.find('\0') != name.npos) return Status::access_denied;
    if (name == "." || name == "..") return check_dots(name, what);
    return Status::ok;
}

Status check_link_text(std::string_view text) {
    if (text.size() > kLinkTextBytesMax) return Status::name_too_long;
    if (text.empty() || text.find('\0') != text.npos) return Status::invalid;
    return Status::ok;
}

Status check_changes(vfs::Changes& changes) {
    for (const vfs::NewTime* const time : {&changes.accessed, &changes.modified})
        if (time->how == vfs::NewTime::How::set && time->time.nanoseconds >= kNanosecondsEnd)
            return Status::invalid;
    if (changes.uid == kNoId || changes.gid == kNoId) return Status::invalid;
    if (changes.size && *changes.size > INT64_MAX) return Status::too_big;
    if (changes.mode) *changes.mode &= kModeBits;
    return Status::ok;
}

}  // namespace helio::nfs::ops
