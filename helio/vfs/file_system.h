// FileSystem: what a back end provides. About twenty operations on files known by FileId,
// independent of any protocol; helio/nfs maps them to NFS. Called from many threads at once.
//
// Operations return a Status and fill `out`, whose attributes are set on failures too, as far as
// they are known. Names are bytes: they have been checked to be neither empty nor ".", "..", nor to
// contain "/" or NUL (lookup alone is asked for "." and ".."), and are at most 255 bytes long.
// The back end enforces the caller's permissions.
//
// Functions that are not pure virtual are optional. A back end that does not override one does not
// have that feature, and no protocol advertises it. Each optional part has its own header.
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

// Memory for the bytes a read gives: it stays until the reply has been sent.
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

struct LookupOut {
    FileId id;
    Attributes attributes;
    std::optional<Attributes> directory;  // where it was looked for
};

struct CreateOut {
    FileId id;
    Attributes attributes;
    Change directory;
};

struct ReadOut {
    Payload data;
    bool end = false;  // no byte comes after these
    std::optional<Attributes> after;
};

struct AccessOut {
    std::uint32_t granted = 0;
    std::optional<Attributes> after;
};

struct LinkText {
    std::string_view text;
    std::optional<Attributes> after;
};

// How long bytes written must last when the answer is given: RFC 1813 §3.3.7, stable_how.
enum class Stability : std::uint8_t {
    unstable,  // until the server dies
    data,      // on the disk, with what it takes to find them
    file       // and all attributes
};

struct WriteOut {
    std::uint32_t count = 0;
    Stability stability = Stability::unstable;
    Change file;
};

enum class CreateMode : std::uint8_t { unchecked, guarded, exclusive };

struct NewFile {
    CreateMode mode = CreateMode::unchecked;
    std::uint64_t verifier = 0;  // exclusive: who created it; a second time with the same succeeds
    Changes attributes;          // not with exclusive
};

struct NewNode {
    FileType type = FileType::directory;  // anything but regular
    Changes attributes;
    std::string_view target;         // of a symbolic link
    std::uint32_t device_major = 0;  // of a device
    std::uint32_t device_minor = 0;
};

struct Entry {
    std::string_view name;
    std::uint64_t fileid = 0;
    std::uint64_t cookie = 0;                // to read on after this one
    const FileId* id = nullptr;              // if asked for, and known
    const Attributes* attributes = nullptr;  // if asked for, and known
};
class EntrySink {
 public:
    virtual ~EntrySink() = default;
    // False: it has no room for this one, and wants no more.
    virtual bool add(const Entry& entry) = 0;
};
struct ListFrom {
    std::uint64_t cookie = 0;  // 0: the beginning
    std::uint64_t verifier = 0;
    bool details = false;  // ids and attributes of the entries
    // Hints, so that no more entries are looked up than fit: roughly how many bytes the sink takes,
    // and how many an entry takes besides its name.
    std::size_t room = SIZE_MAX;
    std::size_t entry_size = 0;
};
struct ListOut {
    bool end = false;
    std::uint64_t verifier = 0;
    std::optional<Attributes> directory;
};

struct Space {
    std::uint64_t bytes_total = 0;
    std::uint64_t bytes_free = 0;
    std::uint64_t bytes_available = 0;  // to others than the superuser
    std::uint64_t files_total = 0;
    std::uint64_t files_free = 0;
    std::uint64_t files_available = 0;
    std::uint32_t block_size = 4096;
};

struct Limits {
    std::uint64_t file_size_max = INT64_MAX;
    std::uint32_t name_size_max = 255;
    std::uint32_t links_max = 32'000;
    Time time_step{0, 1};
    bool hard_links = true;
    bool symlinks = true;
    bool names_cut = false;        // too long names are shortened instead of refused
    bool chown_restricted = true;  // only the superuser gives files away
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

    virtual Status attributes(const Caller& caller, const FileId& file, Attributes& out) = 0;
    // With a guard only if the file's change time is still that.
    virtual Status set_attributes(const Caller& caller, const FileId& file, const Changes& changes,
                                  const std::optional<Time>& guard, Change& out) = 0;
    virtual Status lookup(const Caller& caller, const FileId& directory, std::string_view name,
                          LookupOut& out) = 0;
    virtual Status access(const Caller& caller, const FileId& file, std::uint32_t wanted,
                          AccessOut& out) = 0;
    virtual Status read_link(const Caller& caller, const FileId& file, Memory& memory,
                             LinkText& out) = 0;
    virtual Status read(const Caller& caller, const FileId& file, std::uint64_t offset,
                        std::uint32_t count, Memory& memory, ReadOut& out) = 0;
    virtual Status write(const Caller& caller, const FileId& file, std::uint64_t offset,
                         ByteView data, Stability stability, WriteOut& out) = 0;
    virtual Status create(const Caller& caller, const FileId& directory, std::string_view name,
                          const NewFile& how, CreateOut& out) = 0;
    virtual Status make(const Caller& caller, const FileId& directory, std::string_view name,
                        const NewNode& what, CreateOut& out) = 0;
    virtual Status remove(const Caller& caller, const FileId& directory, std::string_view name,
                          Change& out) = 0;
    virtual Status remove_directory(const Caller& caller, const FileId& directory,
                                    std::string_view name, Change& out) = 0;
    virtual Status rename(const Caller& caller, const FileId& from, std::string_view from_name,
                          const FileId& to, std::string_view to_name, Change& out_from,
                          Change& out_to) = 0;
    virtual Status link(const Caller& caller, const FileId& file, const FileId& directory,
                        std::string_view name, std::optional<Attributes>& out_file,
                        Change& out_directory) = 0;
    // Entries in the file system's order, "." and ".." among them, from a cookie on until the sink
    // is full. It may stop early, but not before the first entry. Cookies stay valid while other
    // entries come and go.
    //
    // Unlike other operations, a listing that returns would_block may have done part of its work:
    // entries that the sink accepted count. To continue, call it again on a thread that may block,
    // with the same sink and the last cookie that the sink accepted. (Starting over with the
    // original cookie and a new sink works too, but repeats work.)
    virtual Status list(const Caller& caller, const FileId& directory, const ListFrom& from,
                        EntrySink& sink, ListOut& out) = 0;
    virtual Status space(const Caller& caller, const FileId& file, Space& out) = 0;
    virtual Limits limits() const = 0;
    // Everything written to the file is on the disk when this returns ok.
    virtual Status commit(const Caller& caller, const FileId& file, std::uint64_t offset,
                          std::uint64_t count, Change& out) = 0;
};

}  // namespace helio::vfs
