// The values that a run of `helio load nfs` works with: an export, its files and their handles.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "helio/transport/client/client.h"
#include "schema/nfs4.h"

namespace helio::load::nfs {

// A sentence, and the exit status for it.
class Failure final : public std::runtime_error {
 public:
    enum class Kind : std::uint8_t { unreachable, refused, wrong };
    Failure(Kind what, const std::string& sentence) : runtime_error(sentence), kind(what) {}
    const Kind kind;
};

enum class Version : std::uint8_t { v3, v4_1, v4_2 };

// A file handle that owns its bytes.
class Handle final {
 public:
    Handle() = default;
    explicit Handle(ByteView bytes);
    ByteView bytes() const { return {bytes_.data(), size_}; }

 private:
    std::array<std::byte, nfs4::NFS4_FHSIZE> bytes_{};  // version 3 has shorter ones
    std::size_t size_ = 0;
};

// An export: where its NFS and MOUNT servers are, and how to call them.
struct ExportTarget {
    std::string name;  // as the user wrote it
    Version version = Version::v3;
    std::vector<transport::Endpoint> nfs;
    std::vector<transport::Endpoint> mount;  // version 3 only
    std::string path;
    transport::ClientOptions client;
    // For MOUNT, instead of the fabric of `client`; empty means sockets.
    std::shared_ptr<transport::rdma::Fabric> mount_fabric;
};

struct File {
    Handle handle;
    std::string name;
    std::uint64_t fileid = 0;
    std::uint64_t size = 0;
    nfs4::stateid4 opened{};  // version 4: while the run has it open
};

// Everything that was created, as plain values.
struct TestFiles {
    Handle root;
    Handle files_directory;
    Handle data_directory;
    Handle made_directory;  // empty, for CREATE and REMOVE
    Handle list_directory;
    std::uint32_t entries = 0;  // of list_directory: entry_name(0) and so on
    std::vector<File> files;
    std::vector<File> read_files;
    std::vector<File> write_files;
    std::uint64_t data_bytes = 0;      // of each read and write file
    std::uint32_t locks_per_file = 0;  // held in each of `files`, at the even offsets from 0
};

}  // namespace helio::load::nfs
