#include "helio/vfs/read_only_file_system.h"

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace helio::vfs::read_only_file_system_test {
namespace {

// One file, mode 0540 of user 1 and group 2. Its id is empty; any other id is stale.
class OneFile final : public ReadOnlyFileSystem {
    FileId root() const override { return {}; }
    Status attributes(const Caller&, const FileId& file, Attributes& out) override {
        if (file != root()) return Status::stale;
        out.mode = 0540;
        out.uid = 1;
        out.gid = 2;
        out.size = 7;
        return Status::ok;
    }
    Status lookup(const Caller&, const FileId&, std::string_view, LookupOut&) override {
        return Status::not_a_directory;
    }
    Status read(const Caller&, const FileId&, std::uint64_t, std::uint32_t, Memory&,
                ReadOut&) override {
        return Status::io_error;
    }
    Status list(const Caller&, const FileId&, const ListFrom&, EntrySink&, ListOut&) override {
        return Status::not_a_directory;
    }
};

std::uint32_t granted_to(const Caller& caller) {
    OneFile files;
    FileSystem& all = files;
    AccessOut out;
    EXPECT_EQ(all.access(caller, {}, 63, out), Status::ok);
    EXPECT_EQ(out.after.value().size, 7u);
    return out.granted;
}

TEST(ReadOnlyFileSystem, GrantsWhatTheModeSays) {
    const std::uint32_t groups[] = {9, 2};
    EXPECT_EQ(granted_to({.uid = 1, .gid = 5, .groups = {}}), access::kRead | access::kExecute);
    EXPECT_EQ(granted_to({.uid = 3, .gid = 2, .groups = {}}), access::kRead);
    EXPECT_EQ(granted_to({.uid = 3, .gid = 5, .groups = groups}), access::kRead);
    EXPECT_EQ(granted_to({.uid = 3, .gid = 5, .groups = {}}), 0u);
    EXPECT_EQ(granted_to({.uid = 0, .gid = 0, .groups = {}}), access::kRead | access::kExecute);
}

TEST(ReadOnlyFileSystem, RefusesChangesAndShowsTheFile) {
    OneFile files;
    FileSystem& all = files;
    const Caller root;
    Change change, other;
    WriteOut written;
    CreateOut made;
    EXPECT_EQ(all.set_attributes(root, {}, {}, {}, change), Status::read_only);
    EXPECT_EQ(change.after.value().size, 7u);
    EXPECT_EQ(change.before.value().size, 7u);
    EXPECT_EQ(all.write(root, {}, 0, {}, Stability::file, written), Status::read_only);
    EXPECT_EQ(written.file.after.value().size, 7u);
    EXPECT_EQ(all.create(root, {}, "a", {}, made), Status::read_only);
    EXPECT_EQ(all.make(root, {}, "a", {}, made), Status::read_only);
    EXPECT_EQ(made.directory.after.value().size, 7u);
    EXPECT_EQ(all.remove(root, {}, "a", change), Status::read_only);
    EXPECT_EQ(all.remove_directory(root, {}, "a", change), Status::read_only);
    EXPECT_EQ(all.rename(root, {}, "a", {}, "b", change, other), Status::read_only);
    EXPECT_EQ(other.after.value().size, 7u);
    std::optional<Attributes> file;
    EXPECT_EQ(all.link(root, {}, {}, "b", file, change), Status::read_only);
    EXPECT_EQ(all.commit(root, {}, 0, 0, change), Status::ok);
}

TEST(ReadOnlyFileSystem, AnIdThatIsGoneStaysStale) {
    OneFile files;
    FileSystem& all = files;
    const FileId gone{{std::byte{1}}, 1};
    AccessOut out;
    Change change;
    Space space;
    EXPECT_EQ(all.access({}, gone, 63, out), Status::stale);
    EXPECT_FALSE(out.after);
    EXPECT_EQ(all.set_attributes({}, gone, {}, {}, change), Status::stale);
    EXPECT_EQ(all.commit({}, gone, 0, 0, change), Status::stale);
    EXPECT_EQ(all.space({}, gone, space), Status::stale);
}

class Room final : public Memory {
 public:
    explicit Room(std::size_t size) : bytes_(size) {}
    std::span<std::byte> take(std::size_t size) override {
        return size <= bytes_.size() ? std::span{bytes_}.first(size) : std::span<std::byte>{};
    }
    ByteView borrow(ByteView bytes, std::shared_ptr<const void>) override { return bytes; }
    Payload file(int, std::uint64_t, std::size_t, std::shared_ptr<const void>) override {
        return {};
    }

 private:
    std::vector<std::byte> bytes_;
};

TEST(ReadFrom, GivesTheBytesThatAreThere) {
    const std::string text = "0123456789";
    struct Case {
        std::uint64_t offset;
        std::uint32_t count;
        std::size_t size;
        bool end;
    };
    for (const Case& one :
         {Case{0, 4, 4, false}, Case{6, 4, 4, true}, Case{8, 9, 2, true}, Case{10, 1, 0, true},
          Case{UINT64_MAX, 1, 0, true}, Case{3, 0, 0, false}}) {
        Room room{64};
        ReadOut out;
        ASSERT_EQ(read_from(std::as_bytes(std::span{text}), one.offset, one.count, room, out),
                  Status::ok);
        EXPECT_EQ(out.data.size(), one.size) << one.offset;
        EXPECT_EQ(out.end, one.end) << one.offset;
    }
}

TEST(ReadFrom, FailsWithoutMemory) {
    Room none{0};
    ReadOut out;
    EXPECT_EQ(read_from(std::as_bytes(std::span{"text"}), 0, 4, none, out), Status::server_fault);
}

}  // namespace
}  // namespace helio::vfs::read_only_file_system_test
