#include <sys/xattr.h>

#include <cerrno>
#include <cstring>

#include "helio/backend/posix/parts/parts_internal.h"

namespace helio::backend {

using vfs::Status;

namespace {

constexpr std::string_view kPrefix = "user.";

std::string full_name(std::string_view name) { return std::string{kPrefix} + std::string{name}; }

}  // namespace

Status get_attribute(const std::string& path, const char* name, std::vector<std::byte>& value) {
    for (;;) {
        const ssize_t size = getxattr(path.c_str(), name, nullptr, 0);
        if (size < 0) return vfs::status_of(errno);
        value.resize(static_cast<std::size_t>(size));
        if (size == 0) return Status::ok;
        const ssize_t got = getxattr(path.c_str(), name, value.data(), value.size());
        if (got < 0 && errno == ERANGE) continue;  // it has grown
        if (got < 0) return vfs::status_of(errno);
        value.resize(static_cast<std::size_t>(got));
        return Status::ok;
    }
}

Status PosixAttributes::get(const vfs::Caller& caller, const vfs::FileId& file,
                            std::string_view name, std::vector<std::byte>& value) {
    if (const Status good = vfs::check_attribute_name(name); good != Status::ok) return good;
    NodePtr node;
    struct stat found;
    Status status = fs_.open(caller, file, node);
    if (status == Status::ok) status = fs_.look(*node, found);
    if (status != Status::ok) return status;
    return get_attribute(link_of(node->path.get()), full_name(name).c_str(), value);
}

template <class Call>
Status PosixAttributes::change(const vfs::Caller& caller, const vfs::FileId& file, vfs::Change& out,
                               const Call& call) {
    if (!caller.may_block) return Status::would_block;
    NodePtr node;
    struct stat found;
    Status status = fs_.open(caller, file, node);
    if (status != Status::ok) return status;
    const std::lock_guard lock{fs_.lock_of(*node)};
    status = fs_.look(*node, found);
    if (status != Status::ok) return status;
    out.before = to_before(found);
    status = call(link_of(node->path.get())) == 0 ? Status::ok : vfs::status_of(errno);
    if (status == Status::ok) status = sync_if_asked(fs_, *node);
    fs_.note_after(*node, out.after);
    return status;
}

Status PosixAttributes::set(const vfs::Caller& caller, const vfs::FileId& file,
                            std::string_view name, ByteView value, vfs::AttributeSet how,
                            vfs::Change& out) {
    if (const Status good = vfs::check_attribute_name(name); good != Status::ok) return good;
    if (value.size() > vfs::kAttributeValueBytesMax) return Status::attribute_too_big;
    const int flags = how == vfs::AttributeSet::create    ? XATTR_CREATE
                      : how == vfs::AttributeSet::replace ? XATTR_REPLACE
                                                          : 0;
    return change(caller, file, out, [&](const std::string& path) {
        return setxattr(path.c_str(), full_name(name).c_str(), value.data(), value.size(), flags);
    });
}

Status PosixAttributes::remove(const vfs::Caller& caller, const vfs::FileId& file,
                               std::string_view name, vfs::Change& out) {
    if (const Status good = vfs::check_attribute_name(name); good != Status::ok) return good;
    return change(caller, file, out, [&](const std::string& path) {
        return removexattr(path.c_str(), full_name(name).c_str());
    });
}

Status PosixAttributes::list(const vfs::Caller& caller, const vfs::FileId& file,
                             std::vector<std::string>& names) {
    NodePtr node;
    struct stat found;
    Status status = fs_.open(caller, file, node);
    if (status == Status::ok) status = fs_.look(*node, found);
    if (status != Status::ok) return status;
    names.clear();
    std::vector<char> all(vfs::kAttributeNamesBytesMax);
    const ssize_t size = listxattr(link_of(node->path.get()).c_str(), all.data(), all.size());
    if (size < 0) return vfs::status_of(errno);
    for (const char* at = all.data(); at < all.data() + size; at += std::strlen(at) + 1) {
        const std::string_view name = at;
        if (name.starts_with(kPrefix)) names.emplace_back(name.substr(kPrefix.size()));
    }
    return Status::ok;
}

}  // namespace helio::backend
