// FileSystem: what a back end provides. About twenty operations on files known by FileId,
// independent of any protocol; helio/nfs maps them to NFS. Called from many threads at once.
//
// FileId is 0 to kFileIdMax bytes, and the back end chooses them. An id of 0 bytes is legal, for
// example for the only object of a file system. An id must never come to mean another file, and
// must mean the same file after a restart if handles are to survive it. The server seals ids, so an
// operation sees only ids that this file system gave out. If the file is gone, the operation
// returns stale.
//
// Attributes::fsid is the same number for all files of a file system, and differs between the file
// systems of one server. It should survive restarts. Clients take a change of fsid below a mount
// for another mounted file system, and two exports with the same fsid for the same file system.
// Attributes::fileid is the inode number: unique within the file system, and not 0. NFS version 2
// folds both to 32 bits.
//
// Operations return a Status and fill `out`. If an operation succeeds, everything in `out` that is
// not std::optional must be set. If it fails, nothing has to be set, and a back end that knows
// attributes should set them anyway: clients that get optional attributes make fewer calls.
//
// Names are bytes: they have been checked to be neither empty nor ".", "..", nor to contain "/" or
// NUL (lookup alone is asked for "." and ".."), and are at most 255 bytes long. The back end
// enforces the caller's permissions.
//
// An operation that would have to wait while Caller::may_block is false does nothing and returns
// would_block; it is then called again on a thread that may wait.
//
// Functions that are not pure virtual are optional. A back end that does not override one does not
// have that feature, and no protocol advertises it. Each optional part has its own header.
// ReadOnlyFileSystem (helio/vfs/read_only_file_system.h) answers everything that only a writable
// file system needs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "helio/base/payload.h"
#include "helio/vfs/status.h"
#include "helio/vfs/types.h"

namespace helio::vfs {

// From this size on a READ is best answered without a copy: by a piece of the file, or by bytes
// that stay where they are. Below it the copy costs less than a second system call, or a shared
// owner.
inline constexpr std::size_t kReadByReferenceMin = 32u << 10;

// Memory for the bytes that a read returns. It stays until the reply has been sent.
class Memory {
 public:
    virtual ~Memory() = default;
    // `size` bytes to fill; empty when there is no memory.
    virtual std::span<std::byte> take(std::size_t size) = 0;
    // Bytes that lie elsewhere and stay while `owner` lives.
    virtual ByteView borrow(ByteView bytes, std::shared_ptr<const void> owner) = 0;
    // `size` bytes of an open file, to be sent from there without passing through this process.
    // The descriptor stays open while `owner` lives. Empty when the reply cannot be sent that way:
    // read the bytes instead.
    virtual Payload file(int descriptor, std::uint64_t offset, std::size_t size,
                         std::shared_ptr<const void> owner) = 0;
};

// The result of FileSystem::lookup.
struct LookupOut {
    FileId id;
    Attributes attributes;
    std::optional<Attributes> directory;  // of the directory that was searched
};

// The result of FileSystem::create and FileSystem::make: the new file, and what happened to its
// directory.
struct CreateOut {
    FileId id;
    Attributes attributes;
    Change directory;
};

// The result of FileSystem::read. The data comes from the Memory that the operation was given.
struct ReadOut {
    Payload data;
    bool end = false;  // no byte comes after these
    std::optional<Attributes> after;
};

// The result of FileSystem::access.
struct AccessOut {
    std::uint32_t granted = 0;  // bits of helio::vfs::access
    std::optional<Attributes> after;
};

// The result of FileSystem::read_link. The text comes from the Memory that the operation was given.
struct LinkText {
    std::string_view text;
    std::optional<Attributes> after;
};

// How durable written bytes must be when the operation returns: RFC 1813 §3.3.7, stable_how.
enum class Stability : std::uint8_t {
    unstable,  // they may be lost if the server stops before a commit
    data,      // on the disk, with the metadata needed to find them
    file       // on the disk, with all attributes
};

// The result of FileSystem::write.
struct WriteOut {
    std::uint32_t count = 0;                    // bytes written; fewer than given is allowed
    Stability stability = Stability::unstable;  // at least what was asked for
    Change file;
};

// What FileSystem::create does if the name is taken: RFC 1813 §3.3.8, createmode3.
enum class CreateMode : std::uint8_t {
    unchecked,  // use the existing file, and set its size if the attributes have one
    guarded,    // fail with exists
    exclusive   // fail with exists, unless the file was created with the same verifier
};

// What FileSystem::create makes.
struct NewFile {
    CreateMode mode = CreateMode::unchecked;
    std::uint64_t verifier = 0;  // of CreateMode::exclusive: a repeated call succeeds again
    Changes attributes;          // empty with CreateMode::exclusive
};

// What FileSystem::make makes.
struct NewNode {
    FileType type = FileType::directory;  // anything but regular
    Changes attributes;
    std::string_view target;         // of a symbolic link
    std::uint32_t device_major = 0;  // of a device
    std::uint32_t device_minor = 0;
};

// One entry of a directory. Everything it refers to has to live only until EntrySink::add returns.
struct Entry {
    std::string_view name;
    std::uint64_t fileid = 0;
    std::uint64_t cookie = 0;  // continues after this entry; not 0, and below 2^63
    // Without ListFrom::details both are ignored, and need not be set. With details they may be
    // null if they are not known: clients then look up the name.
    const FileId* id = nullptr;
    const Attributes* attributes = nullptr;
};
// Takes the entries of a listing.
class EntrySink {
 public:
    virtual ~EntrySink() = default;
    // False if there is no room for this entry. The listing then ends.
    virtual bool add(const Entry& entry) = 0;
};
// Where a listing begins, and what it is for.
struct ListFrom {
    std::uint64_t cookie = 0;    // of the last entry that the client has; 0 is the beginning
    std::uint64_t verifier = 0;  // ListOut::verifier of the listing that the cookie came from
    bool details = false;        // whether ids and attributes of the entries are wanted
    // Hints, so that no more entries are looked up than fit: roughly how many bytes the sink takes,
    // and how many an entry takes besides its name.
    std::size_t room = SIZE_MAX;
    std::size_t entry_size = 0;
};
// The result of FileSystem::list.
struct ListOut {
    bool end = false;            // the last entry of the directory has been added
    std::uint64_t verifier = 0;  // comes back with cookies of this listing, unchanged
    std::optional<Attributes> directory;
};

// The result of FileSystem::space.
struct Space {
    std::uint64_t bytes_total = 0;
    std::uint64_t bytes_free = 0;
    std::uint64_t bytes_available = 0;  // to users other than the superuser
    std::uint64_t files_total = 0;
    std::uint64_t files_free = 0;
    std::uint64_t files_available = 0;
    std::uint32_t block_size = 4096;
};

// What a file system can do, the same for all of its files.
struct Limits {
    std::uint64_t file_size_max = INT64_MAX;
    std::uint32_t name_size_max = 255;
    std::uint32_t links_max = 32'000;
    Time time_step{0, 1};
    bool hard_links = true;
    bool symlinks = true;
    bool names_cut = false;        // names that are too long are shortened instead of refused
    bool chown_restricted = true;  // only the superuser can give files away
    bool case_insensitive = false;
    bool case_preserving = true;
};

class AccessLists;         // helio/vfs/access_lists.h
class Cloning;             // helio/vfs/copying.h
class Copying;             // helio/vfs/copying.h
class ExtendedAttributes;  // helio/vfs/extended_attributes.h
class Holes;               // helio/vfs/holes.h
class OpenFiles;           // helio/vfs/open_files.h
class RangeLocks;          // helio/vfs/range_locks.h

class FileSystem {
 public:
    virtual ~FileSystem() = default;

    // The directory that is exported. The same for the whole life of the file system.
    virtual FileId root() const = 0;
    // Changes with every start, and whenever unstable writes may have been lost.
    virtual std::uint64_t write_verifier() const = 0;
    // Whether a thread that works here takes on the caller's identity, and keeps it afterwards.
    virtual bool acts_as_caller() const { return false; }
    // Whether any operation may have to wait and cannot tell beforehand, for example for another
    // machine. The server then runs all of them on the pool, and tries none on a connection's
    // thread first.
    virtual bool always_blocks() const { return false; }

    // What Attributes::change contains.
    virtual ChangeKind change_kind() const { return ChangeKind::absent; }
    // Optional parts, or null. They live as long as the file system, and the answer never changes.
    // Locks, holes, copying and cloning work on open files, so a back end with one of them also has
    // open_files().
    virtual OpenFiles* open_files() { return nullptr; }
    virtual RangeLocks* range_locks() { return nullptr; }
    virtual Holes* holes() { return nullptr; }
    virtual Copying* copying() { return nullptr; }
    virtual Cloning* cloning() { return nullptr; }
    virtual ExtendedAttributes* extended_attributes() { return nullptr; }
    virtual AccessLists* access_lists() { return nullptr; }

    // Type, mode, size, times and number of a file.
    virtual Status attributes(const Caller& caller, const FileId& file, Attributes& out) = 0;
    // Changes mode, owner, size or times. With a guard, only if the file's change time still has
    // that value; otherwise it returns guard_mismatch.
    virtual Status set_attributes(const Caller& caller, const FileId& file, const Changes& changes,
                                  const std::optional<Time>& guard, Change& out) = 0;
    // The file that a name in a directory stands for, also for "." and "..". ".." of the root is
    // the root.
    virtual Status lookup(const Caller& caller, const FileId& directory, std::string_view name,
                          LookupOut& out) = 0;
    // Which of the wanted rights (bits of helio::vfs::access) the caller has. ok with fewer rights,
    // or none, is an answer, not a failure. For an id whose file is gone it returns stale, and need
    // not set `after`.
    virtual Status access(const Caller& caller, const FileId& file, std::uint32_t wanted,
                          AccessOut& out) = 0;
    // The target of a symbolic link; invalid for other files.
    virtual Status read_link(const Caller& caller, const FileId& file, Memory& memory,
                             LinkText& out) = 0;
    // At most `count` bytes of a file from `offset` on. Fewer are allowed: the client asks again.
    // Past the end there are none, with `end` set.
    virtual Status read(const Caller& caller, const FileId& file, std::uint64_t offset,
                        std::uint32_t count, Memory& memory, ReadOut& out) = 0;
    // Writes bytes, and makes the file longer if need be.
    virtual Status write(const Caller& caller, const FileId& file, std::uint64_t offset,
                         ByteView data, Stability stability, WriteOut& out) = 0;
    // Makes a regular file, or returns the one that exists, as NewFile::mode says.
    virtual Status create(const Caller& caller, const FileId& directory, std::string_view name,
                          const NewFile& how, CreateOut& out) = 0;
    // Makes a directory, a symbolic link, a device, a socket or a FIFO.
    virtual Status make(const Caller& caller, const FileId& directory, std::string_view name,
                        const NewNode& what, CreateOut& out) = 0;
    // Removes a name of a file that is not a directory.
    virtual Status remove(const Caller& caller, const FileId& directory, std::string_view name,
                          Change& out) = 0;
    // Removes an empty directory.
    virtual Status remove_directory(const Caller& caller, const FileId& directory,
                                    std::string_view name, Change& out) = 0;
    // Gives a file another name or directory. Replaces an existing file of that name, or an empty
    // directory if a directory is renamed.
    virtual Status rename(const Caller& caller, const FileId& from, std::string_view from_name,
                          const FileId& to, std::string_view to_name, Change& out_from,
                          Change& out_to) = 0;
    // Gives a file one more name.
    virtual Status link(const Caller& caller, const FileId& file, const FileId& directory,
                        std::string_view name, std::optional<Attributes>& out_file,
                        Change& out_directory) = 0;
    // Adds entries to the sink in the file system's order, "." and ".." among them, from a cookie
    // on until the sink is full. It may stop early, but not before the first entry. Cookies stay
    // valid while other entries come and go. Entry says what has to be set.
    //
    // Unlike other operations, a listing that returns would_block may have done part of its work:
    // entries that the sink accepted count. To continue, call it again on a thread that may block,
    // with the same sink and the last cookie that the sink accepted. (Starting over with the
    // original cookie and a new sink works too, but repeats work.)
    virtual Status list(const Caller& caller, const FileId& directory, const ListFrom& from,
                        EntrySink& sink, ListOut& out) = 0;
    // How large and how full the file system is that the file is on.
    virtual Status space(const Caller& caller, const FileId& file, Space& out) = 0;
    // Largest sizes, and features. Never changes.
    virtual Limits limits() const = 0;
    // Everything written to the file is on the disk when this returns ok. `count` 0 means up to the
    // end. A back end may write more than the bytes named.
    virtual Status commit(const Caller& caller, const FileId& file, std::uint64_t offset,
                          std::uint64_t count, Change& out) = 0;
};

}  // namespace helio::vfs
