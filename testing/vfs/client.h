// For tests of file systems: memory that owns its allocations, a sink that collects entries, and a
// Client with one-line calls.
#pragma once

#include <deque>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

#include "helio/vfs/file_system.h"

namespace helio::vfs {

class MemoryForTest final : public Memory {
 public:
    explicit MemoryForTest(bool sends_files = true) : sends_files_(sends_files) {}

    std::span<std::byte> take(std::size_t size) override {
        if (size > take_max) return {};
        taken += size;
        auto& piece = pieces_.emplace_back(size, std::byte{0xee});
        return piece;
    }
    ByteView borrow(ByteView bytes, std::shared_ptr<const void> owner) override {
        owners_.push_back(std::move(owner));
        return bytes;
    }
    // Files to send are read at once, so that tests can check them.
    Payload file(int descriptor, std::uint64_t offset, std::size_t size,
                 std::shared_ptr<const void> owner) override {
        if (!sends_files_ || !owner) return {};
        auto& copy = pieces_.emplace_back(size, std::byte{0xee});
        const FilePiece piece{descriptor, offset};
        if (Payload{piece, size}.copy_to(copy.data())) sent_as_file += size;
        owners_.push_back(std::move(owner));
        return ByteView{copy};
    }

    std::size_t take_max = SIZE_MAX;
    std::size_t taken = 0;
    std::size_t sent_as_file = 0;

 private:
    const bool sends_files_;
    std::deque<std::vector<std::byte>> pieces_;
    std::vector<std::shared_ptr<const void>> owners_;
};

// Owns the data that an Entry points to.
struct ListedForTest {
    std::string name;
    std::uint64_t fileid = 0;
    std::uint64_t cookie = 0;
    std::optional<FileId> id;
    std::optional<Attributes> attributes;
};

class SinkForTest final : public EntrySink {
 public:
    explicit SinkForTest(std::size_t count_max = SIZE_MAX) : count_max_(count_max) {}
    bool add(const Entry& entry) override {
        if (entries.size() >= count_max_) return false;
        auto& listed = entries.emplace_back();
        listed.name = entry.name;
        listed.fileid = entry.fileid;
        listed.cookie = entry.cookie;
        if (entry.id) listed.id = *entry.id;
        if (entry.attributes) listed.attributes = *entry.attributes;
        return true;
    }
    std::vector<ListedForTest> entries;

 private:
    const std::size_t count_max_;
};

// A caller and its operations. Each leaves its outcome in `status` and its results in the members;
// those that find or make something return its id, which is empty on failure.
class ClientForTest {
 public:
    ClientForTest(FileSystem& fs, std::uint32_t uid, std::uint32_t gid,
                  std::vector<std::uint32_t> groups = {})
        : fs_(fs), groups_(std::move(groups)) {
        caller_.uid = uid;
        caller_.gid = gid;
        caller_.groups = groups_;
    }
    ClientForTest(const ClientForTest&) = delete;
    ClientForTest& operator=(const ClientForTest&) = delete;

    const Caller& caller() const { return caller_; }
    FileSystem& fs() { return fs_; }
    FileId root() { return fs_.root(); }

    Attributes attributes(const FileId& file) {
        Attributes out;
        status = fs_.attributes(caller_, file, out);
        return out;
    }
    Status set(const FileId& file, const Changes& changes,
               const std::optional<Time>& guard = std::nullopt) {
        change = {};
        return status = fs_.set_attributes(caller_, file, changes, guard, change);
    }
    Status chmod(const FileId& file, std::uint32_t mode) {
        Changes changes;
        changes.mode = mode;
        return set(file, changes);
    }
    Status chown(const FileId& file, std::optional<std::uint32_t> uid,
                 std::optional<std::uint32_t> gid) {
        Changes changes;
        changes.uid = uid;
        changes.gid = gid;
        return set(file, changes);
    }
    Status truncate(const FileId& file, std::uint64_t size) {
        Changes changes;
        changes.size = size;
        return set(file, changes);
    }
    FileId lookup(const FileId& directory, std::string_view name) {
        found = {};
        status = fs_.lookup(caller_, directory, name, found);
        return status == Status::ok ? found.id : FileId{};
    }
    std::uint32_t access(const FileId& file, std::uint32_t wanted = 63) {
        AccessOut out;
        status = fs_.access(caller_, file, wanted, out);
        after = out.after;
        return out.granted;
    }
    std::string read_link(const FileId& file) {
        MemoryForTest memory;
        LinkText out;
        status = fs_.read_link(caller_, file, memory, out);
        after = out.after;
        return std::string{out.text};
    }
    std::string read(const FileId& file, std::uint64_t offset = 0, std::uint32_t count = 1u << 20,
                     bool sends_files = true) {
        MemoryForTest memory(sends_files);
        ReadOut out;
        status = fs_.read(caller_, file, offset, count, memory, out);
        after = out.after;
        end = out.end;
        return std::string{as_text(out.data)};
    }
    Status write(const FileId& file, std::uint64_t offset, std::string_view data,
                 Stability stability = Stability::unstable) {
        written = {};
        status = fs_.write(caller_, file, offset, as_bytes(data), stability, written);
        change = written.file;
        return status;
    }
    FileId create(const FileId& directory, std::string_view name, const NewFile& how) {
        made = {};
        status = fs_.create(caller_, directory, name, how, made);
        change = made.directory;
        return status == Status::ok ? made.id : FileId{};
    }
    FileId create(const FileId& directory, std::string_view name, std::uint32_t mode = 0644,
                  CreateMode how = CreateMode::guarded) {
        NewFile file;
        file.mode = how;
        file.attributes.mode = mode;
        return create(directory, name, file);
    }
    FileId create_exclusive(const FileId& directory, std::string_view name,
                            std::uint64_t verifier) {
        NewFile file;
        file.mode = CreateMode::exclusive;
        file.verifier = verifier;
        return create(directory, name, file);
    }
    FileId make(const FileId& directory, std::string_view name, const NewNode& what) {
        made = {};
        status = fs_.make(caller_, directory, name, what, made);
        change = made.directory;
        return status == Status::ok ? made.id : FileId{};
    }
    FileId mkdir(const FileId& directory, std::string_view name, std::uint32_t mode = 0755) {
        NewNode what;
        what.attributes.mode = mode;
        return make(directory, name, what);
    }
    FileId symlink(const FileId& directory, std::string_view name, std::string_view target) {
        NewNode what;
        what.type = FileType::symlink;
        what.target = target;
        return make(directory, name, what);
    }
    FileId mknod(const FileId& directory, std::string_view name, FileType type,
                 std::uint32_t major = 0, std::uint32_t minor = 0, std::uint32_t mode = 0644) {
        NewNode what;
        what.type = type;
        what.attributes.mode = mode;
        what.device_major = major;
        what.device_minor = minor;
        return make(directory, name, what);
    }
    Status remove(const FileId& directory, std::string_view name) {
        change = {};
        return status = fs_.remove(caller_, directory, name, change);
    }
    Status rmdir(const FileId& directory, std::string_view name) {
        change = {};
        return status = fs_.remove_directory(caller_, directory, name, change);
    }
    Status rename(const FileId& from, std::string_view from_name, const FileId& to,
                  std::string_view to_name) {
        change = {};
        change_to = {};
        return status = fs_.rename(caller_, from, from_name, to, to_name, change, change_to);
    }
    Status link(const FileId& file, const FileId& directory, std::string_view name) {
        change = {};
        after = {};
        return status = fs_.link(caller_, file, directory, name, after, change);
    }
    // At most count_max entries after the cookie.
    std::vector<ListedForTest> list(const FileId& directory, std::uint64_t cookie = 0,
                                    std::size_t count_max = SIZE_MAX, bool details = false,
                                    std::uint64_t verifier = 0) {
        SinkForTest sink(count_max);
        listed = {};
        status =
            fs_.list(caller_, directory,
                     {.cookie = cookie, .verifier = verifier, .details = details}, sink, listed);
        return std::move(sink.entries);
    }
    // All names but "." and "..", read piece by piece.
    std::vector<std::string> names(const FileId& directory, std::size_t piece = SIZE_MAX) {
        std::vector<std::string> names;
        std::uint64_t cookie = 0;
        std::uint64_t verifier = 0;
        do {
            for (auto& entry : list(directory, cookie, piece, false, verifier)) {
                cookie = entry.cookie;
                if (entry.name != "." && entry.name != "..") names.push_back(std::move(entry.name));
            }
            verifier = listed.verifier;
        } while (status == Status::ok && !listed.end);
        return names;
    }
    Space space() {
        Space out;
        status = fs_.space(caller_, root(), out);
        return out;
    }
    Status commit(const FileId& file, std::uint64_t offset = 0, std::uint64_t count = 0) {
        change = {};
        return status = fs_.commit(caller_, file, offset, count, change);
    }

    Status status = Status::ok;
    Change change;     // of the file, or of the directory; of a rename's first
    Change change_to;  // of a rename's second
    std::optional<Attributes> after;
    bool end = false;
    LookupOut found;
    CreateOut made;
    WriteOut written;
    ListOut listed;

 private:
    FileSystem& fs_;
    const std::vector<std::uint32_t> groups_;
    Caller caller_;
};

// GoogleTest prints words instead of numbers.
inline void PrintTo(Status status, std::ostream* out) { *out << name_of(status); }

}  // namespace helio::vfs
