// NFS operations, shared by all versions: which handles and names are valid, how much may be read
// and written, and edge cases. The folders of the versions translate to and from the wire; back
// ends do the work. Operations are awaited, and suspend when the file system would block.
//
// Results are filled in on failures too, as far as they are known. References and views must
// outlive the operation; they belong to the procedure that awaits it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "helio/base/task.h"
#include "helio/nfs/ops/getattr.h"
#include "helio/nfs/ops/names.h"
#include "helio/nfs/server/access.h"
#include "helio/nfs/server/request.h"
#include "helio/vfs/file_system.h"
#include "helio/vfs/open_files.h"

namespace helio::nfs::ops {

// The largest READ and WRITE: the maximum of Linux's client.
inline constexpr std::uint32_t kTransferBytesMax = 1u << 20;
// Over UDP: the maximum of Linux's client there, which still fits into a datagram.
inline constexpr std::uint32_t kDatagramTransferBytesMax = 32u << 10;
// Preferred size of a listing.
inline constexpr std::uint32_t kListingBytesPreferred = 64u << 10;

// A file that was found or made.
struct Object {
    vfs::FileId id;
    ByteView handle;  // in the request's arena
    vfs::Attributes attributes;
};

Task<vfs::Status> setattr(Request& request, ByteView file, vfs::Changes changes,
                          const std::optional<vfs::Time>& guard, vfs::Change& out);
// Through an open file, which may have lost its name.
Task<vfs::Status> setattr_open(Request& request, ByteView file, vfs::OpenFile& open,
                               vfs::Changes changes, vfs::Change& out);
Task<vfs::Status> access(Request& request, ByteView file, std::uint32_t wanted,
                         vfs::AccessOut& out);

Task<vfs::Status> lookup(Request& request, ByteView directory, std::string_view name, Object& out,
                         std::optional<vfs::Attributes>& out_directory);
Task<vfs::Status> readlink(Request& request, ByteView file, vfs::LinkText& out);

// `besides` is the number of bytes that the results have in addition to those read.
Task<vfs::Status> read(Request& request, ByteView file, std::uint64_t offset, std::uint32_t count,
                       std::size_t besides, vfs::ReadOut& out);
// `count` is the count in the call, which may differ from the size of the data.
Task<vfs::Status> write(Request& request, ByteView file, std::uint64_t offset, std::uint32_t count,
                        ByteView data, vfs::Stability stability, vfs::WriteOut& out,
                        std::uint64_t& out_verifier);
// The same through an open file (helio/vfs/open_files.h), whose rights were checked when it was
// opened. `file` is open.
Task<vfs::Status> read_open(Request& request, Access& file, vfs::OpenFile& open,
                            std::uint64_t offset, std::uint32_t count, std::size_t besides,
                            vfs::ReadOut& out);
Task<vfs::Status> write_open(Request& request, Access& file, vfs::OpenFile& open,
                             std::uint64_t offset, ByteView data, vfs::Stability stability,
                             vfs::WriteOut& out, std::uint64_t& out_verifier);
Task<vfs::Status> commit(Request& request, ByteView file, std::uint64_t offset, std::uint64_t count,
                         vfs::Change& out, std::uint64_t& out_verifier);
Task<vfs::Status> commit_open(Request& request, ByteView file, vfs::OpenFile& open,
                              std::uint64_t offset, std::uint64_t count, vfs::Change& out,
                              std::uint64_t& out_verifier);

Task<vfs::Status> create(Request& request, ByteView directory, std::string_view name,
                         vfs::NewFile how, Object& out, vfs::Change& out_directory);
// Serves MKDIR, SYMLINK and MKNOD.
Task<vfs::Status> make(Request& request, ByteView directory, std::string_view name,
                       vfs::NewNode what, Object& out, vfs::Change& out_directory);

Task<vfs::Status> remove(Request& request, ByteView directory, std::string_view name,
                         vfs::Change& out);
Task<vfs::Status> rmdir(Request& request, ByteView directory, std::string_view name,
                        vfs::Change& out);
Task<vfs::Status> rename(Request& request, ByteView from, std::string_view from_name, ByteView to,
                         std::string_view to_name, vfs::Change& out_from, vfs::Change& out_to);
Task<vfs::Status> link(Request& request, ByteView file, ByteView directory, std::string_view name,
                       std::optional<vfs::Attributes>& out_file, vfs::Change& out_directory);

// Receives the entries of a listing, and decides when the reply is full.
class Listing : public vfs::EntrySink {
 public:
    // The directory's export; set before the first entry.
    const Export* where = nullptr;
    // Entries taken so far, and the cookie of the last: a listing that had to wait continues there.
    std::size_t entries = 0;
    std::uint64_t last_cookie = 0;
};
// Serves READDIR and READDIRPLUS.
Task<vfs::Status> readdir(Request& request, ByteView directory, const vfs::ListFrom& from,
                          Listing& listing, vfs::ListOut& out);

Task<vfs::Status> fsstat(Request& request, ByteView file, vfs::Space& out,
                         std::optional<vfs::Attributes>& out_file);
// Serves FSINFO and PATHCONF.
Task<vfs::Status> fsinfo(Request& request, ByteView file, vfs::Limits& out,
                         std::optional<vfs::Attributes>& out_file);
// The largest READ and WRITE over the transport of this call.
std::uint32_t transfer_bytes_max(const rpc::Call& call);

}  // namespace helio::nfs::ops
