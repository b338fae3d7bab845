// FileClient: one export through blocking calls, for what happens before and after the measured
// time. One implementation per version of NFS. Everything throws Failure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "helio/load/nfs/calls.h"
#include "helio/load/nfs/files.h"

namespace helio::load::nfs {

class FileClient {
 public:
    virtual ~FileClient() = default;

    virtual const Handle& root() const = 0;  // of the export
    struct TransferLimits {
        std::uint32_t read_bytes = 0;
        std::uint32_t write_bytes = 0;
    };
    virtual TransferLimits limits() = 0;

    virtual Handle look_up(const Handle& directory, const std::string& name) = 0;
    virtual Handle make_directory(const Handle& parent, const std::string& name) = 0;
    virtual File make_file(const Handle& parent, const std::string& name, std::uint64_t size) = 0;
    virtual void remove_file(const Handle& parent, const std::string& name) = 0;
    virtual void remove_directory(const Handle& parent, const std::string& name) = 0;

    // Returns how much was written.
    virtual std::uint32_t write(const File& file, std::uint64_t offset, ByteView data) = 0;
    virtual void commit(const File& file) = 0;
    // Valid until the next call.
    virtual ByteView read(const File& file, std::uint64_t offset, std::uint32_t size) = 0;

    // The next part of a listing.
    enum class WithAttributes : std::uint8_t { no, yes };
    struct Place {
        std::uint64_t cookie = 0;
        Verifier verifier{};
        bool end = false;
    };
    struct Entry {
        std::string name;
        bool has_attributes = false;
    };
    virtual std::vector<Entry> list(const Handle& directory, Place& place,
                                    std::uint32_t reply_bytes, WithAttributes attributes) = 0;

    // State, which version 3 does not have.
    virtual void open(File&) {}
    virtual void close(File&) {}
    // Locks of one byte at the even offsets from 0 of every file; the files are open.
    virtual void hold_locks(const std::vector<File>&, std::uint32_t) {}
    virtual void release_locks() {}
    // Call it often: it renews the lease when that is due.
    virtual void renew() {}

    // For one thread's slots in a run; it may use the client until release(). end_run() comes after
    // the last.
    virtual std::unique_ptr<Calls> make_calls(std::size_t slots) = 0;
    virtual void end_run() {}

    // Tells the server that the client leaves.
    virtual void leave() = 0;
};

// Mounts the export, or begins a session.
std::unique_ptr<FileClient> connect(const ExportTarget& target);
// The file at `path` below `root`.
Handle walk(FileClient& client, const Handle& root, const std::string& path);

}  // namespace helio::load::nfs
