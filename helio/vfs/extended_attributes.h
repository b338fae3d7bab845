// Extended attributes, an optional part of a FileSystem: named values that users attach to files
// (RFC 8276). Names are in the "user." namespace, without that prefix; system namespaces are not
// accessible. Only regular files and directories have them. Reading a value requires read
// permission for the file, changing one write permission.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "helio/vfs/file_system.h"

namespace helio::vfs {

// Linux's XATTR_NAME_MAX without "user.".
inline constexpr std::size_t kAttributeNameBytesMax = 250;
// XATTR_SIZE_MAX. Many file systems allow less.
inline constexpr std::size_t kAttributeValueBytesMax = 64u << 10;
// XATTR_LIST_MAX: all names of a file, each with its NUL, as listxattr(2) returns them.
inline constexpr std::size_t kAttributeNamesBytesMax = 64u << 10;

enum class AttributeSet : std::uint8_t {
    either,
    create,  // fails with exists
    replace  // fails with no_attribute
};

class ExtendedAttributes {
 public:
    virtual ~ExtendedAttributes() = default;
    virtual Status get(const Caller& caller, const FileId& file, std::string_view name,
                       std::vector<std::byte>& value) = 0;
    // attribute_too_big, or no_space if the file system has no room for it.
    virtual Status set(const Caller& caller, const FileId& file, std::string_view name,
                       ByteView value, AttributeSet how, Change& out) = 0;
    virtual Status remove(const Caller& caller, const FileId& file, std::string_view name,
                          Change& out) = 0;
    // All names. The order is stable while none is added or removed.
    virtual Status list(const Caller& caller, const FileId& file,
                        std::vector<std::string>& names) = 0;
};

// invalid: empty, or contains a NUL.
inline Status check_attribute_name(std::string_view name) {
    if (name.empty() || name.find('\0') != std::string_view::npos) return Status::invalid;
    return name.size() > kAttributeNameBytesMax ? Status::name_too_long : Status::ok;
}

}  // namespace helio::vfs
