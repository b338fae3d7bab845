// ReadOnlyFileSystem: a FileSystem that nobody can change, for files that come from somewhere else:
// an archive, a database, a program. A derived class provides five operations: root, attributes,
// lookup, read and list. It checks no permissions unless it wants to; access() answers by the mode
// that attributes() shows. docs/file-systems.md walks through an example.
#pragma once

#include "helio/vfs/file_system.h"

namespace helio::vfs {

class ReadOnlyFileSystem : public FileSystem {
 public:
    // Nothing is ever written, so nothing can be lost.
    std::uint64_t write_verifier() const override { return 0; }

    // By mode, owner and group of the file. Rights to change it are never granted.
    Status access(const Caller& caller, const FileId& file, std::uint32_t wanted,
                  AccessOut& out) override;
    // invalid: there are no symbolic links. Override it if attributes() shows some.
    Status read_link(const Caller& caller, const FileId& file, Memory& memory,
                     LinkText& out) override;
    // No free space. Sizes are unknown, and reported as 0.
    Status space(const Caller& caller, const FileId& file, Space& out) override;
    Limits limits() const override { return {}; }
    // ok: there is nothing that is not on the disk.
    Status commit(const Caller& caller, const FileId& file, std::uint64_t offset,
                  std::uint64_t count, Change& out) override;

    // read_only, all of them.
    Status set_attributes(const Caller& caller, const FileId& file, const Changes& changes,
                          const std::optional<Time>& guard, Change& out) final;
    Status write(const Caller& caller, const FileId& file, std::uint64_t offset, ByteView data,
                 Stability stability, WriteOut& out) final;
    Status create(const Caller& caller, const FileId& directory, std::string_view name,
                  const NewFile& how, CreateOut& out) final;
    Status make(const Caller& caller, const FileId& directory, std::string_view name,
                const NewNode& what, CreateOut& out) final;
    Status remove(const Caller& caller, const FileId& directory, std::string_view name,
                  Change& out) final;
    Status remove_directory(const Caller& caller, const FileId& directory, std::string_view name,
                            Change& out) final;
    Status rename(const Caller& caller, const FileId& from, std::string_view from_name,
                  const FileId& to, std::string_view to_name, Change& out_from,
                  Change& out_to) final;
    Status link(const Caller& caller, const FileId& file, const FileId& directory,
                std::string_view name, std::optional<Attributes>& out_file,
                Change& out_directory) final;

 private:
    // read_only, with the attributes of the file.
    Status refuse(const Caller& caller, const FileId& file, Change& out);
};

// Returns bytes for ReadOut::data: a copy of the part of `content` that a read asked for. `content`
// need not stay valid.
Status read_from(ByteView content, std::uint64_t offset, std::uint32_t count, Memory& memory,
                 ReadOut& out);

}  // namespace helio::vfs
