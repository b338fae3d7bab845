#include "helio/backend/posix/nodes/mount_watch_internal.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>

namespace helio::backend {

namespace {

Fd open_table() { return Fd{open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)}; }

// The file systems of waits_for_others(), by name. FUSE has many names.
bool is_other(std::string_view type) {
    constexpr std::array<std::string_view, 13> kOthers = {
        "fuse", "fuseblk", "virtiofs", "nfs",   "nfs4", "smbfs", "cifs",
        "smb3", "9p",      "afs",      "ocfs2", "ceph", "lustre"};
    return type.starts_with("fuse.") ||
           std::find(kOthers.begin(), kOthers.end(), type) != kOthers.end();
}

// The table writes a space in a path as \040.
std::string unescaped(std::string_view text) {
    const auto is_octal = [](char one) { return one >= '0' && one <= '7'; };
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool escape = text[i] == '\\' && i + 3 < text.size() && is_octal(text[i + 1]) &&
                            is_octal(text[i + 2]) && is_octal(text[i + 3]);
        if (!escape) {
            out += text[i];
            continue;
        }
        out += static_cast<char>((text[i + 1] - '0') << 6 | (text[i + 2] - '0') << 3 |
                                 (text[i + 3] - '0'));
        i += 3;
    }
    return out;
}

std::string_view next_word(std::string_view& line) {
    const std::size_t space = line.find(' ');
    const std::string_view word = line.substr(0, space);
    line = space == std::string_view::npos ? std::string_view{} : line.substr(space + 1);
    return word;
}

bool is_below(std::string_view path, std::string_view directory) {
    if (directory == "/") directory = "";
    return path.size() > directory.size() && path.starts_with(directory) &&
           path[directory.size()] == '/';
}

}  // namespace

bool waits_for_others(int descriptor) {
    constexpr std::uint32_t kLustreMagic = 0x0bd00bd0;
    struct statfs about;
    if (fstatfs(descriptor, &about) != 0) return true;
    switch (static_cast<std::uint32_t>(about.f_type)) {
        case FUSE_SUPER_MAGIC:
        case NFS_SUPER_MAGIC:
        case SMB_SUPER_MAGIC:
        case CIFS_SUPER_MAGIC:
        case SMB2_SUPER_MAGIC:
        case V9FS_MAGIC:
        case AFS_FS_MAGIC:
        case OCFS2_SUPER_MAGIC:
        case CEPH_SUPER_MAGIC:
        case kLustreMagic:
            return true;
        default:
            return false;
    }
}

// A line: id, parent, device, root, mount point, options, some tags, "-", type, …
OthersMounted find_others(std::string_view mount_table, std::string_view directory) {
    auto found = OthersMounted::nowhere;
    while (!mount_table.empty()) {
        const std::size_t end = mount_table.find('\n');
        std::string_view line = mount_table.substr(0, end);
        mount_table =
            end == std::string_view::npos ? std::string_view{} : mount_table.substr(end + 1);
        for (int skipped = 0; skipped < 4; ++skipped) next_word(line);
        const std::string_view where = next_word(line);
        while (!line.empty() && next_word(line) != "-") continue;
        if (!is_other(next_word(line))) continue;
        if (is_below(unescaped(where), directory)) return OthersMounted::below;
        found = OthersMounted::elsewhere;
    }
    return found;
}

std::shared_ptr<MountWatch> MountWatch::shared() {
    static std::mutex mutex;
    static std::weak_ptr<MountWatch> last;
    const std::lock_guard lock{mutex};
    auto watch = last.lock();
    if (!watch) last = watch = std::make_shared<MountWatch>();
    return watch;
}

MountWatch::MountWatch() : read_from_(open_table()) {
    for (Watch& one : watches_) one.table = open_table();
}

// The kernel reports each change once per open file (proc_pid_mountinfo(5)), so every watch counts
// it. The lock ensures that no other thread of the watch still gets the old number after that. If
// the table cannot be watched, every call returns a new number, so the table never seems unchanged.
std::uint64_t MountWatch::generation() {
    static std::atomic<std::size_t> threads = 0;
    thread_local const std::size_t number = threads++;
    Watch& watch = watches_[number % kWatches];
    const std::lock_guard lock{watch.mutex};
    pollfd watched{watch.table.get(), POLLPRI, 0};
    if (!watch.table || poll(&watched, 1, 0) != 0) return ++generation_;
    return generation_;
}

std::string MountWatch::table() {
    const std::lock_guard lock{reading_};
    std::string text;
    if (!read_from_ || lseek(read_from_.get(), 0, SEEK_SET) != 0) return text;
    std::array<char, 4096> some;
    for (ssize_t got; (got = ::read(read_from_.get(), some.data(), some.size())) > 0;)
        text.append(some.data(), static_cast<std::size_t>(got));
    return text;
}

}  // namespace helio::backend
