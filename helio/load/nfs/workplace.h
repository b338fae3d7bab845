// Workplace: a directory of the run's own in an export, with files of known content and names, made
// before the run by plain calls that wait and removed behind it. Whoever runs load on it reads
// handles and figures from here; nothing changes while the load runs.
//
// Everything that goes wrong here ends the program's work: it throws Failure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "helio/load/nfs/content.h"
#include "helio/transport/client/client.h"
#include "schema/nfs3.h"

namespace helio::load::nfs {

// A sentence, and what it is to the shell.
class Failure final : public std::runtime_error {
 public:
    enum class Kind : std::uint8_t { unreachable, refused, wrong };
    Failure(Kind what, const std::string& sentence) : runtime_error(sentence), kind(what) {}
    const Kind kind;
};

// A file handle with memory of its own.
class Handle final {
 public:
    Handle() = default;
    explicit Handle(ByteView bytes);
    nfs3::nfs_fh3 wire() const { return {ByteView{bytes_.data(), size_}}; }

 private:
    std::array<std::byte, nfs3::NFS3_FHSIZE> bytes_{};
    std::size_t size_ = 0;
};

// Where NFS and MOUNT are spoken, and how.
struct Place {
    std::string name;  // as the user wrote it
    std::vector<transport::Endpoint> nfs;
    std::vector<transport::Endpoint> mount;
    std::string path;
    transport::ClientOptions client;
    // What MOUNT is spoken over, instead of `client`'s: empty means sockets.
    std::shared_ptr<transport::rdma::Fabric> mount_fabric;
};

// What is made: nothing of what is 0.
struct Furniture {
    std::uint32_t files = 0;           // small ones, to be asked for
    std::uint32_t read_files = 0;      // with content
    std::uint32_t write_files = 0;     // empty, to be written to
    std::uint64_t data_bytes = 0;      // of each of those
    std::uint32_t entries = 0;         // of the directory that is listed
    std::uint32_t transfer_bytes = 0;  // of the READs and WRITEs to come
};

struct File {
    Handle handle;
    std::string name;
    std::uint64_t fileid = 0;
    std::uint64_t size = 0;
};

// What is there once it is furnished: plain values, which whoever makes the calls reads.
struct Rooms {
    Handle root;
    Handle files_directory;
    Handle made_directory;  // empty, for files that come and go
    Handle list_directory;
    std::uint32_t entries = 0;  // of that one: entry_name(0) and so on
    std::vector<File> files;
    std::vector<File> read_files;
    std::vector<File> write_files;
    std::uint64_t data_bytes = 0;  // of each of those two
};

class Workplace final {
 public:
    // Mounts and furnishes.
    Workplace(const Place& place, const Furniture& furniture, const Content& content);
    // Removes what is there as far as it can.
    ~Workplace();
    Workplace(const Workplace&) = delete;
    Workplace& operator=(const Workplace&) = delete;

    const Rooms& rooms() const { return rooms_; }

    // Whether `size` bytes at `offset` of a write file are the content that was written there.
    bool holds(std::uint32_t write_file, std::uint64_t offset, std::uint32_t size);
    // Removes everything, and says so when it cannot.
    void remove();

 private:
    void ask_limits();
    void furnish();
    Handle make_directory(const Handle& parent, const std::string& name);
    File make_file(const Handle& parent, const std::string& name, std::uint64_t size);
    void fill(const File& file, std::uint32_t number);
    std::vector<std::string> names_in(const Handle& directory);
    void remove_directory(const Handle& parent, const std::string& name, const Handle& directory);

    const Place place_;
    const Furniture furniture_;
    const Content& content_;
    transport::Client client_;
    std::uint32_t write_bytes_ = 0;  // of one call
    std::string name_;
    Handle directory_;  // the whole of it, by name_
    Rooms rooms_;
    bool made_ = false;
};

// The first handle of an export, by MOUNT version 3.
Handle mount_export(const Place& place);
// From there down a path with '/' between names.
Handle walk(transport::Client& client, const Handle& root, const std::string& path);

}  // namespace helio::load::nfs
