// TestTree: a directory with files of known names and contents in an export, created before a run
// by plain blocking calls and removed after it. The callers of the run read handles and sizes from
// it; it does not change while they run.
//
// Throws Failure, which ends the run, if anything goes wrong.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "helio/load/nfs/content.h"
#include "helio/load/nfs/file_client.h"
#include "helio/load/nfs/files.h"

namespace helio::load::nfs {

// Locks that a run holds while it measures: as many as the state of one client may need.
inline constexpr std::uint32_t kLocksMax = 100'000;

// How much to create of each kind.
struct TestTreePlan {
    std::uint32_t files = 0;           // small, for GETATTR, LOOKUP, ACCESS, OPEN and LOCK
    std::uint32_t read_files = 0;      // with content
    std::uint32_t write_files = 0;     // empty, for WRITE
    std::uint64_t data_bytes = 0;      // of each read and write file
    std::uint32_t entries = 0;         // of the directory that is listed
    std::uint32_t transfer_bytes = 0;  // of the READs and WRITEs to come
    bool open_files = false;           // keep `files` open, for LOCK
    std::uint32_t locks = 0;           // held in `files`
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
    FileClient& client() { return *client_; }

    // Whether `size` bytes at `offset` of a write file are the content that was written there.
    bool holds(std::uint32_t write_file, std::uint64_t offset, std::uint32_t size);
    // Removes everything; throws Failure when it cannot.
    void remove();

 private:
    void ask_limits();
    void create();
    void create_data(const Handle& directory);
    void hold_locks();
    void close_all();
    void fill(const File& file, std::uint32_t number);
    std::vector<std::string> names_in(const Handle& directory);
    void remove_directory(const Handle& parent, const std::string& name, const Handle& directory);

    const ExportTarget target_;
    const TestTreePlan plan_;
    const Content& content_;
    const std::unique_ptr<FileClient> client_;
    std::uint32_t write_bytes_ = 0;  // of one call
    std::string name_;
    Handle directory_;  // the tree, called name_
    TestFiles test_files_;
    bool connected_ = true;
    bool made_ = false;
};

}  // namespace helio::load::nfs
