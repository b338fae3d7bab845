// An OpenFile with only an id and an access: enough for lock tests.
#pragma once

#include "helio/vfs/open_files.h"

namespace helio::vfs {

class OpenFileForTest final : public OpenFile {
 public:
    explicit OpenFileForTest(std::string_view id, OpenAccess access = OpenAccess::both)
        : id_(FileId::copy_of(as_bytes(id))), access_(access) {}

    const FileId& id() const override { return id_; }
    OpenAccess access() const override { return access_; }
    Status attributes(const Caller&, Attributes&) override { return Status::not_supported; }
    Status set_attributes(const Caller&, const Changes&, const std::optional<Time>&,
                          Change&) override {
        return Status::not_supported;
    }
    Status read(const Caller&, std::uint64_t, std::uint32_t, Memory&, ReadOut&) override {
        return Status::not_supported;
    }
    Status write(const Caller&, std::uint64_t, ByteView, Stability, WriteOut&) override {
        return Status::not_supported;
    }
    Status commit(const Caller&, std::uint64_t, std::uint64_t, Change&) override {
        return Status::not_supported;
    }

 private:
    const FileId id_;
    const OpenAccess access_;
};

}  // namespace helio::vfs
