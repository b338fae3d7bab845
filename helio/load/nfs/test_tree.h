// TestTree: a directory with files of known names and contents in an export, created before a run
// by plain blocking calls and removed after it. The callers of the run read handles and sizes from
// it; it does not change while they run.
//
// Throws Failure, which ends the run, if anything goes wrong.
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

// A sentence, and the exit status for it.
class Failure final : public std::runtime_error {
 public:
    enum class Kind : std::uint8_t { unreachable, refused, wrong };
    Failure(Kind what, const std::string& sentence) : runtime_error(sentence), kind(what) {}
    const Kind kind;
};

// A file handle that owns its bytes.
class Handle final {
 public:
    Handle() = default;
    explicit Handle(ByteView bytes);
    nfs3::nfs_fh3 wire() const { return {ByteView{bytes_.data(), size_}}; }

 private:
    std::array<std::byte, nfs3::NFS3_FHSIZE> bytes_{};
    std::size_t size_ = 0;
};

// An export: where its NFS and MOUNT servers are, and how to call them.
struct ExportTarget {
    std::string name;  // as the user wrote it
    std::vector<transport::Endpoint> nfs;
    std::vector<transport::Endpoint> mount;
    std::string path;
    transport::ClientOptions client;
    // For MOUNT, instead of the fabric of `client`; empty means sockets.
    std::shared_ptr<transport::rdma::Fabric> mount_fabric;
};

// How much to create of each kind.
struct TestTreePlan {
    std::uint32_t files = 0;           // small, for GETATTR, LOOKUP and ACCESS
    std::uint32_t read_files = 0;      // with content
    std::uint32_t write_files = 0;     // empty, for WRITE
    std::uint64_t data_bytes = 0;      // of each read and write file
    std::uint32_t entries = 0;         // of the directory that is listed
    std::uint32_t transfer_bytes = 0;  // of the READs and WRITEs to come
};

struct File {
    Handle handle;
    std::string name;
    std::uint64_t fileid = 0;
    std::uint64_t size = 0;
};

// Everything that was created, as plain values.
struct TestFiles {
    Handle root;
    Handle files_directory;
    Handle made_directory;  // empty, for CREATE and REMOVE
    Handle list_directory;
    std::uint32_t entries = 0;  // of list_directory: entry_name(0) and so on
    std::vector<File> files;
    std::vector<File> read_files;
    std::vector<File> write_files;
    std::uint64_t data_bytes = 0;  // of each read and write file
};

class TestTree final {
 public:
    // Mounts the export and creates the tree.
    TestTree(const ExportTarget& target, const TestTreePlan& plan, const Content& content);
    // Removes as much as it can.
    ~TestTree();
    TestTree(const TestTree&) = delete;
    TestTree& operator=(const TestTree&) = delete;

    const TestFiles& test_files() const { return test_files_; }

    // Whether `size` bytes at `offset` of a write file are the content that was written there.
    bool holds(std::uint32_t write_file, std::uint64_t offset, std::uint32_t size);
    // Removes everything; throws Failure when it cannot.
    void remove();

 private:
    void ask_limits();
    void create();
    Handle make_directory(const Handle& parent, const std::string& name);
    File make_file(const Handle& parent, const std::string& name, std::uint64_t size);
    void fill(const File& file, std::uint32_t number);
    std::vector<std::string> names_in(const Handle& directory);
    void remove_directory(const Handle& parent, const std::string& name, const Handle& directory);

    const ExportTarget target_;
    const TestTreePlan plan_;
    const Content& content_;
    transport::Client client_;
    std::uint32_t write_bytes_ = 0;  // of one call
    std::string name_;
    Handle directory_;  // the tree, called name_
    TestFiles test_files_;
    bool made_ = false;
};

// The root handle of an export, by MOUNT version 3.
Handle mount_export(const ExportTarget& target);
// The file at `path` below `root`.
Handle walk(transport::Client& client, const Handle& root, const std::string& path);

}  // namespace helio::load::nfs
