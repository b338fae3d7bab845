#include "helio/nfs/v4/opens/plain_file.h"

namespace helio::nfs::v4 {

using vfs::Caller;
using vfs::Status;

namespace {

class PlainFile final : public vfs::OpenFile {
 public:
    PlainFile(std::shared_ptr<vfs::FileSystem> files, const vfs::FileId& id, vfs::OpenAccess access)
        : files_(std::move(files)), id_(id), access_(access) {}

    const vfs::FileId& id() const override { return id_; }
    vfs::OpenAccess access() const override { return access_; }
    bool closes_at_once() const override { return true; }

    Status attributes(const Caller& caller, vfs::Attributes& out) override {
        return files_->attributes(caller, id_, out);
    }
    Status set_attributes(const Caller& caller, const vfs::Changes& changes,
                          const std::optional<vfs::Time>& guard, vfs::Change& out) override {
        if (changes.size && !vfs::writes(access_)) return Status::access_denied;
        return files_->set_attributes(caller, id_, changes, guard, out);
    }
    Status read(const Caller& caller, std::uint64_t offset, std::uint32_t count,
                vfs::Memory& memory, vfs::ReadOut& out) override {
        if (!vfs::reads(access_)) return Status::access_denied;
        return files_->read(caller, id_, offset, count, memory, out);
    }
    Status write(const Caller& caller, std::uint64_t offset, ByteView data,
                 vfs::Stability stability, vfs::WriteOut& out) override {
        if (!vfs::writes(access_)) return Status::access_denied;
        return files_->write(caller, id_, offset, data, stability, out);
    }
    Status commit(const Caller& caller, std::uint64_t offset, std::uint64_t count,
                  vfs::Change& out) override {
        return files_->commit(caller, id_, offset, count, out);
    }

 private:
    const std::shared_ptr<vfs::FileSystem> files_;
    const vfs::FileId id_;
    const vfs::OpenAccess access_;
};

bool are_enough(std::uint32_t granted, vfs::OpenAccess access) {
    // A client runs a program by reading it.
    const bool may_read = (granted & (vfs::access::kRead | vfs::access::kExecute)) != 0;
    const bool may_write = (granted & vfs::access::kModify) != 0;
    return (may_read || !vfs::reads(access)) && (may_write || !vfs::writes(access));
}

}  // namespace

Status open_plainly(const std::shared_ptr<vfs::FileSystem>& files, const Caller& caller,
                    const vfs::FileId& id, vfs::OpenAccess access, vfs::OpenRights rights,
                    std::shared_ptr<vfs::OpenFile>& out) {
    vfs::Attributes attributes;
    Status status = files->attributes(caller, id, attributes);
    if (status != Status::ok) return status;
    if (attributes.type == vfs::FileType::directory) return Status::is_a_directory;
    if (attributes.type != vfs::FileType::regular) return Status::invalid;
    const bool is_owner = rights == vfs::OpenRights::owner_may && attributes.uid == caller.uid;
    if (!is_owner) {
        constexpr std::uint32_t kWanted =
            vfs::access::kRead | vfs::access::kModify | vfs::access::kExecute;
        vfs::AccessOut found;
        status = files->access(caller, id, kWanted, found);
        if (status != Status::ok) return status;
        if (!are_enough(found.granted, access)) return Status::access_denied;
    }
    out = std::make_shared<PlainFile>(files, id, access);
    return Status::ok;
}

}  // namespace helio::nfs::v4
