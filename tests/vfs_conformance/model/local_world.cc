#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include <dirent.h>
#include <fcntl.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "tests/vfs_conformance/model/world.h"

namespace helio::tests::model {

using vfs::FileType;
using vfs::Status;

namespace {

class Fd {
 public:
    explicit Fd(int fd = -1) : fd_(fd) {}
    Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Fd& operator=(Fd&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~Fd() {
        if (fd_ >= 0) close(fd_);
    }
    int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }
    // A path that reopens an O_PATH descriptor.
    std::string link() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
    int fd_;
};

// A thread that executes one task at a time: identities belong to threads.
class Servant {
 public:
    Servant() : thread_([this] { work(); }) {}
    ~Servant() {
        tell(nullptr);
        thread_.join();
    }
    void tell(std::function<void()> what) {
        std::unique_lock hold(mutex_);
        what_ = std::move(what);
        told_ = true;
        changed_.notify_all();
        changed_.wait(hold, [this] { return !told_; });
    }

 private:
    void work() {
        for (bool more = true; more;) {
            std::unique_lock hold(mutex_);
            changed_.wait(hold, [this] { return told_; });
            more = what_ != nullptr;
            if (more) what_();
            told_ = false;
            changed_.notify_all();
        }
    }
    std::mutex mutex_;
    std::condition_variable changed_;
    std::function<void()> what_;
    bool told_ = false;
    std::thread thread_;
};

void become(std::uint32_t uid, std::uint32_t gid, const std::vector<std::uint32_t>& groups) {
    static_cast<void>(syscall(SYS_setgroups, groups.size(), groups.data()));
    setfsgid(gid);
    setfsuid(uid);
}

vfs::Attributes to_attributes(const struct stat& the) {
    vfs::Attributes out;
    switch (the.st_mode & S_IFMT) {
        case S_IFREG:
            out.type = FileType::regular;
            break;
        case S_IFDIR:
            out.type = FileType::directory;
            break;
        case S_IFLNK:
            out.type = FileType::symlink;
            break;
        case S_IFIFO:
            out.type = FileType::fifo;
            break;
        case S_IFSOCK:
            out.type = FileType::socket;
            break;
        case S_IFCHR:
            out.type = FileType::character_device;
            break;
        default:
            out.type = FileType::block_device;
            break;
    }
    out.mode = the.st_mode & 07777;
    out.links = static_cast<std::uint32_t>(the.st_nlink);
    out.uid = the.st_uid;
    out.gid = the.st_gid;
    out.size = static_cast<std::uint64_t>(the.st_size);
    out.device_major = major(the.st_rdev);
    out.device_minor = minor(the.st_rdev);
    out.accessed = {the.st_atim.tv_sec, static_cast<std::uint32_t>(the.st_atim.tv_nsec)};
    out.modified = {the.st_mtim.tv_sec, static_cast<std::uint32_t>(the.st_mtim.tv_nsec)};
    out.changed = {the.st_ctim.tv_sec, static_cast<std::uint32_t>(the.st_ctim.tv_nsec)};
    return out;
}

std::string said() { return say(vfs::status_of(errno)); }

std::string stat_of(int fd, bool with_accessed = false) {
    struct stat now {};
    if (fstat(fd, &now) != 0) return said();
    return say(Status::ok) + describe(to_attributes(now), with_accessed);
}

std::string stat_of(const Fd& where, const std::string& name) {
    struct stat now {};
    if (fstatat(where.get(), name.c_str(), &now, AT_SYMLINK_NOFOLLOW) != 0) return said();
    return say(Status::ok) + describe(to_attributes(now));
}

std::string read_all(int fd, std::uint64_t offset, std::size_t count) {
    std::string text(count, '\0');
    const ssize_t got = pread(fd, text.data(), count, static_cast<off_t>(offset));
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return text;
}

class LocalWorld final : public World {
 public:
    LocalWorld(const std::vector<Person>& people, bool switches)
        : people_(people), switches_(switches) {
        servant_.tell([this] {
            as_self();
            umask(0);
            root_ = Fd{open(directory_.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
            chmod(directory_.path().c_str(), 0777);
        });
    }

    std::string run(const Op& op) override {
        std::string said_what;
        servant_.tell([&] {
            as_self();
            said_what = run_here(op);
            as_self();
        });
        return said_what;
    }
    std::string dump() override {
        std::string text;
        servant_.tell([&] { text = dump(root_, "/"); });
        return text;
    }

 private:
    void as_self() const { become(geteuid(), getegid(), {}); }
    void as(const Op& op) const {
        const Person& person = people_[op.who];
        if (switches_) become(person.uid, person.gid, person.groups);
    }

    std::string find(const Place& place, Fd& out) {
        if (place.held >= 0) {
            const Fd& held = held_[static_cast<std::size_t>(place.held)];
            if (!held) return say(Status::bad_handle);
            out = Fd{fcntl(held.get(), F_DUPFD_CLOEXEC, 0)};
        } else {
            out = Fd{fcntl(root_.get(), F_DUPFD_CLOEXEC, 0)};
            for (const unsigned name : place.way) {
                out = Fd{openat(out.get(), model::name_of(name).c_str(),
                                O_PATH | O_NOFOLLOW | O_CLOEXEC)};
                if (!out) return said();
            }
        }
        struct stat now {};
        if (fstat(out.get(), &now) != 0) return said();
        return now.st_nlink == 0 ? say(Status::stale) : "";
    }

    std::string run_here(const Op& op) {
        Fd where;
        if (const std::string wrong = find(op.where, where); !wrong.empty())
            return "where: " + wrong;
        const std::string name = model::name_of(op.name);
        const char* const text = name.c_str();
        const mode_t mode = op.mode & 0777;
        struct stat now {};
        fstat(where.get(), &now);
        switch (op.kind) {
            case Kind::rename:
            case Kind::link:
                return two_places(op, where, now);
            case Kind::hold:
                held_[op.number % kHeld] = std::move(where);
                return "ok";
            case Kind::list:
            case Kind::list_pieces:
                return list(op, where, now);
            default:
                break;
        }
        as(op);
        const auto made = [&](int result) { return result == 0 ? stat_of(where, name) : said(); };
        switch (op.kind) {
            case Kind::create_guarded:
            case Kind::create_unchecked:
            case Kind::create_truncating:
            case Kind::create_exclusive:
                return create(op, where);
            case Kind::make_directory:
                return made(mkdirat(where.get(), text, op.mode & 01777));
            case Kind::make_symlink:
                return made(
                    symlinkat(("target" + std::to_string(op.number)).c_str(), where.get(), text));
            case Kind::make_fifo:
                return made(mknodat(where.get(), text, S_IFIFO | mode, 0));
            case Kind::make_socket:
                return made(mknodat(where.get(), text, S_IFSOCK | mode, 0));
            case Kind::make_device:
                return made(mknodat(where.get(), text, S_IFCHR | mode, makedev(1, 7)));
            case Kind::remove:
                return unlinkat(where.get(), text, 0) == 0 ? "ok" : said();
            case Kind::remove_directory:
                return unlinkat(where.get(), text, AT_REMOVEDIR) == 0 ? "ok" : said();
            case Kind::lookup:
                return stat_of(where, name);
            case Kind::lookup_parent:
                return is_root(now) ? "not tried" : stat_of(where, "..");
            default:
                return on_file(op, where, now);
        }
    }

    bool is_root(const struct stat& now) const {
        struct stat root {};
        fstat(root_.get(), &root);
        return root.st_ino == now.st_ino;
    }

    std::string create(const Op& op, const Fd& where) {
        const std::string name = model::name_of(op.name);
        const bool exclusive = op.kind == Kind::create_exclusive;
        const Fd fresh{openat(where.get(), name.c_str(),
                              O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC,
                              exclusive ? 0600 : op.mode & 0777)};
        if (fresh) return stat_of(fresh.get());
        if (errno != EEXIST) return said();
        if (op.kind == Kind::create_guarded) return said();
        if (exclusive) return "was there";
        as_self();
        const Fd there{openat(where.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC)};
        struct stat now {};
        if (fstat(there.get(), &now) != 0) return said();
        if (!S_ISREG(now.st_mode)) return "not a file";
        if (op.kind == Kind::create_truncating) {
            Fd opened;
            if (!open_data(op, there, now, O_WRONLY, opened)) return said();
            as(op);
            if (ftruncate(opened.get(), 0) != 0) return said();
        }
        return stat_of(there.get());
    }

    // The owner may, whatever the mode: see vfs.
    bool open_data(const Op& op, const Fd& file, const struct stat& now, int how, Fd& out) const {
        if (people_[op.who].uid == now.st_uid)
            as_self();
        else
            as(op);
        out = Fd{open(file.link().c_str(), how | O_CLOEXEC)};
        if (!out && errno == EACCES && how == O_RDONLY &&
            syscall(SYS_faccessat2, file.get(), "", X_OK, AT_EMPTY_PATH | AT_EACCESS) == 0) {
            as_self();
            out = Fd{open(file.link().c_str(), how | O_CLOEXEC)};
        } else if (!out) {
            errno = EACCES;
        }
        return static_cast<bool>(out);
    }

    std::string two_places(const Op& op, const Fd& where, const struct stat& now) {
        Fd to;
        if (const std::string wrong = find(op.where2, to); !wrong.empty()) return "to: " + wrong;
        const std::string name2 = model::name_of(op.name2);
        const Person& person = people_[op.who];
        struct stat there {};
        fstat(to.get(), &there);
        as(op);
        if (op.kind == Kind::rename) {
            if (!S_ISDIR(now.st_mode) || !S_ISDIR(there.st_mode)) return "refused";
            const int result =
                renameat(where.get(), model::name_of(op.name).c_str(), to.get(), name2.c_str());
            return say_coarsely(result == 0 ? Status::ok : vfs::status_of(errno));
        }
        if (person.uid != 0 && now.st_uid != person.uid) return "not tried";
        if (S_ISDIR(now.st_mode) || !S_ISDIR(there.st_mode)) return "refused";
        const int result =
            linkat(AT_FDCWD, where.link().c_str(), to.get(), name2.c_str(), AT_SYMLINK_FOLLOW);
        return result == 0 ? stat_of(where.get()) : said();
    }

    std::string list(const Op& op, const Fd& where, const struct stat& now) const {
        if (!S_ISDIR(now.st_mode)) return say(Status::not_a_directory);
        as(op);
        const int fd = open(where.link().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0) return said();
        std::string text = "ok";
        for (const auto& name : names_of(fd)) text += " " + name;
        return text;
    }

    static std::vector<std::string> names_of(int fd) {
        std::vector<std::string> names;
        DIR* const stream = fdopendir(fd);
        while (const dirent* entry = readdir(stream)) {
            const std::string name = entry->d_name;
            if (name != "." && name != "..") names.push_back(name);
        }
        closedir(stream);
        std::sort(names.begin(), names.end());
        return names;
    }

    std::string on_file(const Op& op, const Fd& file, const struct stat& now) {
        switch (op.kind) {
            case Kind::read:
            case Kind::write:
            case Kind::write_far:
            case Kind::truncate:
                return on_data(op, file, now);
            case Kind::access:
                return access(file, now);
            case Kind::read_link: {
                if (!S_ISLNK(now.st_mode)) return say(Status::invalid) + " ";
                char text[100];
                const ssize_t size = readlinkat(file.get(), "", text, sizeof text);
                return "ok " + std::string(text, static_cast<std::size_t>(size));
            }
            case Kind::commit:
                return S_ISREG(now.st_mode) ? "ok" : "not tried";
            default:
                return set(op, file, now);
        }
    }

    std::string on_data(const Op& op, const Fd& file, const struct stat& now) {
        const std::string rest = op.kind == Kind::read ? " " + digest("") : "";
        if (S_ISDIR(now.st_mode)) return say(Status::is_a_directory) + rest;
        if (!S_ISREG(now.st_mode)) return say(Status::invalid) + rest;
        Fd opened;
        if (!open_data(op, file, now, op.kind == Kind::read ? O_RDONLY : O_WRONLY, opened))
            return said() + rest;
        as(op);
        const std::string text = text_for(op);
        switch (op.kind) {
            case Kind::read: {
                const std::uint32_t count = read_count(op);
                const bool end = op.number + count >= static_cast<std::uint64_t>(now.st_size);
                return "ok " + digest(read_all(opened.get(), op.number, count)) +
                       (end ? " end" : "");
            }
            case Kind::truncate:
                return ftruncate(opened.get(), static_cast<off_t>(truncate_size(op))) == 0 ? "ok"
                                                                                           : said();
            default: {
                const std::uint64_t offset = op.number + (op.kind == Kind::write_far ? kFar : 0);
                return pwrite(opened.get(), text.data(), text.size(), static_cast<off_t>(offset)) ==
                               static_cast<ssize_t>(text.size())
                           ? "ok"
                           : said();
            }
        }
    }

    static std::string access(const Fd& file, const struct stat& now) {
        const auto may = [&](int what) {
            return syscall(SYS_faccessat2, file.get(), "", what, AT_EMPTY_PATH | AT_EACCESS) == 0;
        };
        using namespace vfs::access;
        std::uint32_t granted = may(R_OK) ? kRead : 0;
        if (S_ISDIR(now.st_mode)) {
            if (may(X_OK)) granted |= kLookup;
            if (may(X_OK) && may(W_OK)) granted |= kModify | kExtend;
        } else {
            if (may(W_OK)) granted |= kModify | kExtend;
            if (may(X_OK)) granted |= kExecute;
        }
        return "ok " + std::to_string(granted);
    }

    std::string set(const Op& op, const Fd& file, const struct stat& now) const {
        if (S_ISLNK(now.st_mode) && op.kind != Kind::set_owner && op.kind != Kind::set_group &&
            op.kind != Kind::set_times)
            return "not tried";
        int result = 0;
        constexpr auto kNobody = static_cast<uid_t>(-1);
        const uid_t owner = op.number % 2 == 0 ? 1001 : 1002;
        const auto group = static_cast<gid_t>(2001 + op.number % 3);
        switch (op.kind) {
            case Kind::set_owner:
                if (now.st_uid == owner && !switches_) return "not tried";
                result = fchownat(file.get(), "", owner, kNobody, AT_EMPTY_PATH);
                break;
            case Kind::set_group:
                if (now.st_gid == group && !switches_) return "not tried";
                result = fchownat(file.get(), "", kNobody, group, AT_EMPTY_PATH);
                break;
            case Kind::set_times: {
                const timespec times[2] = {{static_cast<time_t>(op.number2), 6},
                                           {static_cast<time_t>(op.number), 5}};
                result = utimensat(file.get(), "", times, AT_EMPTY_PATH);
                break;
            }
            case Kind::set_now:
                result = utimensat(file.get(), "", nullptr, AT_EMPTY_PATH);
                break;
            case Kind::set_guarded_wrong:
                return say(Status::guard_mismatch);
            default:
                result = chmod(file.link().c_str(), op.mode);
                break;
        }
        if (result != 0) return said();
        return stat_of(file.get(), op.kind == Kind::set_times);
    }

    static std::string dump(const Fd& directory, const std::string& path) {
        std::string text;
        const int fd = open(directory.link().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0) return path + " " + said() + "\n";
        for (const auto& name : names_of(fd)) {
            const Fd file{openat(directory.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC)};
            if (!file) {
                text += path + name + " " + said() + "\n";
                continue;
            }
            struct stat now {};
            fstat(file.get(), &now);
            text += path + name + describe(to_attributes(now));
            if (S_ISLNK(now.st_mode)) {
                char target[100];
                const ssize_t size = readlinkat(file.get(), "", target, sizeof target);
                text += " -> " + std::string(target, static_cast<std::size_t>(size));
            }
            if (S_ISREG(now.st_mode)) {
                const Fd opened{open(file.link().c_str(), O_RDONLY | O_CLOEXEC)};
                text += " " + (opened ? digest(read_all(opened.get(), 0, 1u << 20)) : said());
            }
            text += "\n";
            if (S_ISDIR(now.st_mode)) text += dump(file, path + name + "/");
        }
        return text;
    }

    TemporaryDirectory directory_;
    const std::vector<Person> people_;
    const bool switches_;
    Fd root_;
    std::array<Fd, kHeld> held_;
    Servant servant_;
};

}  // namespace

std::unique_ptr<World> make_local_world(const std::vector<Person>& people, bool switches) {
    return std::make_unique<LocalWorld>(people, switches);
}

}  // namespace helio::tests::model
