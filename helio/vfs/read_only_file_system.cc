#include "helio/vfs/read_only_file_system.h"

#include <algorithm>
#include <cstring>

namespace helio::vfs {
namespace {

constexpr std::uint32_t kMayRead = 4;
constexpr std::uint32_t kMayExecute = 1;

// The rights of the caller among the mode's nine bits.
std::uint32_t rights_of(const Caller& caller, const Attributes& file) {
    if (caller.uid == 0) {
        // The superuser may do everything except running a file that nobody may run.
        const bool runs = file.type == FileType::directory || (file.mode & 0111) != 0;
        return kMayRead | (runs ? kMayExecute : 0);
    }
    if (caller.uid == file.uid) return file.mode >> 6;
    const auto& groups = caller.groups;
    const bool member =
        caller.gid == file.gid || std::find(groups.begin(), groups.end(), file.gid) != groups.end();
    return member ? file.mode >> 3 : file.mode;
}

}  // namespace

Status ReadOnlyFileSystem::access(const Caller& caller, const FileId& file, std::uint32_t wanted,
                                  AccessOut& out) {
    Attributes now;
    if (const Status status = attributes(caller, file, now); status != Status::ok) return status;
    out.after = now;
    const std::uint32_t rights = rights_of(caller, now);
    if ((rights & kMayRead) != 0) out.granted |= access::kRead;
    if ((rights & kMayExecute) != 0)
        out.granted |= now.type == FileType::directory ? access::kLookup : access::kExecute;
    out.granted &= wanted;
    return Status::ok;
}

Status ReadOnlyFileSystem::read_link(const Caller& caller, const FileId& file, Memory&,
                                     LinkText& out) {
    Attributes now;
    if (const Status status = attributes(caller, file, now); status != Status::ok) return status;
    out.after = now;
    return Status::invalid;
}

Status ReadOnlyFileSystem::space(const Caller& caller, const FileId& file, Space& out) {
    out = {};
    Attributes now;
    return attributes(caller, file, now);
}

Status ReadOnlyFileSystem::commit(const Caller& caller, const FileId& file, std::uint64_t,
                                  std::uint64_t, Change& out) {
    const Status status = refuse(caller, file, out);
    return status == Status::read_only ? Status::ok : status;
}

Status ReadOnlyFileSystem::refuse(const Caller& caller, const FileId& file, Change& out) {
    Attributes now;
    if (const Status status = attributes(caller, file, now); status != Status::ok) return status;
    out.before = before(now);
    out.after = now;
    return Status::read_only;
}

Status ReadOnlyFileSystem::set_attributes(const Caller& caller, const FileId& file, const Changes&,
                                          const std::optional<Time>&, Change& out) {
    return refuse(caller, file, out);
}

Status ReadOnlyFileSystem::write(const Caller& caller, const FileId& file, std::uint64_t, ByteView,
                                 Stability, WriteOut& out) {
    return refuse(caller, file, out.file);
}

Status ReadOnlyFileSystem::create(const Caller& caller, const FileId& directory, std::string_view,
                                  const NewFile&, CreateOut& out) {
    return refuse(caller, directory, out.directory);
}

Status ReadOnlyFileSystem::make(const Caller& caller, const FileId& directory, std::string_view,
                                const NewNode&, CreateOut& out) {
    return refuse(caller, directory, out.directory);
}

Status ReadOnlyFileSystem::remove(const Caller& caller, const FileId& directory, std::string_view,
                                  Change& out) {
    return refuse(caller, directory, out);
}

Status ReadOnlyFileSystem::remove_directory(const Caller& caller, const FileId& directory,
                                            std::string_view, Change& out) {
    return refuse(caller, directory, out);
}

Status ReadOnlyFileSystem::rename(const Caller& caller, const FileId& from, std::string_view,
                                  const FileId& to, std::string_view, Change& out_from,
                                  Change& out_to) {
    refuse(caller, to, out_to);
    return refuse(caller, from, out_from);
}

Status ReadOnlyFileSystem::link(const Caller& caller, const FileId&, const FileId& directory,
                                std::string_view, std::optional<Attributes>&,
                                Change& out_directory) {
    return refuse(caller, directory, out_directory);
}

Status read_from(ByteView content, std::uint64_t offset, std::uint32_t count, Memory& memory,
                 ReadOut& out) {
    const ByteView rest = content.subspan(std::min<std::uint64_t>(offset, content.size()));
    const ByteView wanted = rest.first(std::min<std::size_t>(count, rest.size()));
    out.end = wanted.size() == rest.size();
    if (wanted.empty()) return Status::ok;
    const std::span<std::byte> copy = memory.take(wanted.size());
    if (copy.size() < wanted.size()) return Status::server_fault;
    std::memcpy(copy.data(), wanted.data(), wanted.size());
    out.data = ByteView{copy.first(wanted.size())};
    return Status::ok;
}

}  // namespace helio::vfs
