// Fixtures for tests of optional parts: open files, and suites that are skipped if a file system
// does not have the part.
#pragma once

#include "helio/vfs/open_files.h"
#include "tests/vfs_conformance/fixture.h"

namespace helio::tests {

using vfs::OpenAccess;
using vfs::OpenFile;
using vfs::OpenRights;

// An open file and its caller. Each operation leaves its result in `status`.
class OpenedForTest {
 public:
    OpenedForTest(ClientForTest& client, const FileId& id, OpenAccess access = OpenAccess::both,
                  OpenRights rights = OpenRights::checked)
        : client_(client) {
        vfs::OpenFiles* const files = client.fs().open_files();
        status =
            files ? files->open(client.caller(), id, access, rights, file_) : Status::not_supported;
    }

    OpenFile& operator*() const { return *file_; }
    explicit operator bool() const { return file_ != nullptr; }
    void close() { file_.reset(); }

    std::string read(std::uint64_t offset = 0, std::uint32_t count = 1u << 20) {
        vfs::MemoryForTest memory;
        vfs::ReadOut out;
        status = file_->read(client_.caller(), offset, count, memory, out);
        end = out.end;
        after = out.after;
        return std::string{as_text(out.data)};
    }
    Status write(std::uint64_t offset, std::string_view data,
                 Stability stability = Stability::unstable) {
        written = {};
        status = file_->write(client_.caller(), offset, as_bytes(data), stability, written);
        change = written.file;
        return status;
    }
    Attributes attributes() {
        Attributes out;
        status = file_->attributes(client_.caller(), out);
        return out;
    }
    Status set(const Changes& changes, const std::optional<Time>& guard = std::nullopt) {
        change = {};
        return status = file_->set_attributes(client_.caller(), changes, guard, change);
    }
    Status truncate(std::uint64_t size) {
        Changes changes;
        changes.size = size;
        return set(changes);
    }
    Status commit() {
        change = {};
        return status = file_->commit(client_.caller(), 0, 0, change);
    }

    Status status = Status::ok;
    bool end = false;
    std::optional<Attributes> after;
    Change change;
    vfs::WriteOut written;

 private:
    ClientForTest& client_;
    std::shared_ptr<OpenFile> file_;
};

// Vfs or VfsRights, for file systems that have a part: VfsWith<&FileSystem::holes>.
template <auto Part, class Base = Vfs>
class VfsWith : public Base {
 protected:
    void SetUp() override {
        Base::SetUp();
        if (!(this->fs().*Part)()) GTEST_SKIP() << "this file system does not have this part";
    }
    auto& part() { return *(this->fs().*Part)(); }
};

#define HELIO_OVER_ALL_BACKENDS(Suite)                                  \
    INSTANTIATE_TEST_SUITE_P(All, Suite, testing::ValuesIn(backends()), \
                             [](const auto& the) { return the.param.name; })

}  // namespace helio::tests
