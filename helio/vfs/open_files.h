// Open files, an optional part of a FileSystem: what protocols with OPEN and CLOSE are built on
// (RFC 8881 §18.16). Operations by FileId check rights every time and fail once the last name of
// the file is gone. An OpenFile has its rights checked once, at open, and keeps the file alive
// until it is closed.
//
// Only regular files can be opened. Share reservations are up to the server, which knows all opens.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "helio/vfs/file_system.h"

namespace helio::vfs {

enum class OpenAccess : std::uint8_t { read = 1, write = 2, both = 3 };
inline bool reads(OpenAccess access) { return access != OpenAccess::write; }
inline bool writes(OpenAccess access) { return access != OpenAccess::read; }

enum class OpenRights : std::uint8_t {
    // The caller must have the rights. Execute permission is enough for reading, since a client
    // runs a program by reading it.
    checked,
    // As above, but the owner may open the file whatever its mode says. Use it for a client that
    // has just created the file (open(2) with O_CREAT grants access that the new mode forbids), and
    // for one that reclaims an open after a restart of the server.
    owner_may
};

// Owned by the caller that opened it, which also keeps the FileSystem alive. May be used from any
// number of threads at once. The destructor closes the file.
class OpenFile {
 public:
    virtual ~OpenFile() = default;
    // Whether the destructor returns at once. If it may wait, for example for a disk because the
    // file has no name left, it is to be run where waiting is allowed.
    virtual bool closes_at_once() const { return false; }

    virtual const FileId& id() const = 0;
    virtual OpenAccess access() const = 0;
    // Where the file is now, for people: "docs/a.txt", below the root of the file system. Empty if
    // the back end cannot tell, or if the file has lost the name that it was opened by.
    virtual std::string path() const { return {}; }

    virtual Status attributes(const Caller& caller, Attributes& out) = 0;
    // Changing the size requires an open for writing. All else is as in FileSystem::set_attributes.
    virtual Status set_attributes(const Caller& caller, const Changes& changes,
                                  const std::optional<Time>& guard, Change& out) = 0;
    // access_denied if the file was not opened for that; otherwise as in FileSystem. The attributes
    // after a read may be missing.
    virtual Status read(const Caller& caller, std::uint64_t offset, std::uint32_t count,
                        Memory& memory, ReadOut& out) = 0;
    virtual Status write(const Caller& caller, std::uint64_t offset, ByteView data,
                         Stability stability, WriteOut& out) = 0;
    virtual Status commit(const Caller& caller, std::uint64_t offset, std::uint64_t count,
                          Change& out) = 0;
};

class OpenFiles {
 public:
    virtual ~OpenFiles() = default;
    // is_a_directory or invalid: not a regular file. busy: too many files are open.
    virtual Status open(const Caller& caller, const FileId& file, OpenAccess access,
                        OpenRights rights, std::shared_ptr<OpenFile>& out) = 0;
};

}  // namespace helio::vfs
