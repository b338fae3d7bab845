#include <algorithm>

#include "tests/vfs_conformance/model/world.h"

namespace helio::tests::model {

using vfs::Attributes;
using vfs::Changes;
using vfs::ClientForTest;
using vfs::CreateMode;
using vfs::FileId;
using vfs::FileType;
using vfs::NewFile;
using vfs::NewTime;
using vfs::Status;

std::string say(Status status) { return std::string{name_of(status)}; }

std::string say_coarsely(Status status) {
    return status == Status::not_found || status == Status::access_denied ||
                   status == Status::not_permitted
               ? "no right, or no such file"
               : say(status);
}

std::string describe(const Attributes& the, bool with_accessed) {
    std::string text = " type " + std::to_string(static_cast<int>(the.type));
    if (the.type != FileType::symlink) text += " mode " + std::to_string(the.mode);
    text += " links " + std::to_string(the.links) + " owner " + std::to_string(the.uid) + ":" +
            std::to_string(the.gid);
    if (the.type == FileType::regular || the.type == FileType::symlink)
        text += " size " + std::to_string(the.size);
    if (the.type == FileType::character_device)
        text +=
            " device " + std::to_string(the.device_major) + "," + std::to_string(the.device_minor);
    // Times set explicitly are long ago here; others are now, and differ.
    const auto time = [](const vfs::Time& when) {
        return when.seconds < 1'000'000
                   ? std::to_string(when.seconds) + "." + std::to_string(when.nanoseconds)
                   : std::string{"now"};
    };
    text += " modified " + time(the.modified);
    if (with_accessed) text += " accessed " + time(the.accessed);
    if (the.changed.seconds < 1'000'000) text += " changed long ago";
    return text;
}

std::string text_for(const Op& op) {
    return std::string(1 + op.number2, static_cast<char>('A' + op.number % 26));
}

std::string digest(std::string_view bytes) {
    return std::to_string(bytes.size()) + "#" +
           std::to_string(std::hash<std::string_view>{}(bytes));
}

namespace {

class VfsWorld final : public World {
 public:
    VfsWorld(const Backend& backend, const std::vector<Person>& people)
        : instance_(backend.make()), identities_(backend.traits.identities) {
        for (const Person& person : people)
            clients_.push_back(std::make_unique<ClientForTest>(instance_->fs(), person.uid,
                                                               person.gid, person.groups));
        finder().chmod(finder().root(), 0777);
    }

    std::string run(const Op& op) override {
        FileId where;
        if (const Status status = find(op.where, where); status != Status::ok)
            return "where: " + say(status);
        ClientForTest& c = *clients_[op.who];
        const std::string name = model::name_of(op.name);
        switch (op.kind) {
            case Kind::create_guarded:
            case Kind::create_unchecked:
            case Kind::create_truncating:
                return create(c, op, where);
            case Kind::create_exclusive:
                return create_exclusive(c, op, where);
            case Kind::make_directory:
                c.mkdir(where, name, op.mode & 01777);
                return made(c);
            case Kind::make_symlink:
                c.symlink(where, name, "target" + std::to_string(op.number));
                return made(c);
            case Kind::make_fifo:
                c.mknod(where, name, FileType::fifo, 0, 0, op.mode & 0777);
                return made(c);
            case Kind::make_socket:
                c.mknod(where, name, FileType::socket, 0, 0, op.mode & 0777);
                return made(c);
            case Kind::make_device:
                c.mknod(where, name, FileType::character_device, 1, 7, op.mode & 0777);
                return made(c);
            case Kind::remove:
                return say(c.remove(where, name));
            case Kind::remove_directory:
                return say(c.rmdir(where, name));
            case Kind::rename:
                return rename(c, op, where);
            case Kind::link:
                return link(c, op, where);
            case Kind::lookup:
                c.lookup(where, name);
                return say(c.status) + (c.status == Status::ok ? describe(c.found.attributes) : "");
            case Kind::lookup_parent:
                return lookup_parent(c, where);
            case Kind::list:
                return list(c, where, SIZE_MAX);
            case Kind::list_pieces:
                return list(c, where, 1 + op.number % 3);
            case Kind::hold:
                return hold(op, where);
            default:
                return on_file(c, op, where);
        }
    }

    std::string dump() override { return dump(finder().root(), "/"); }

 private:
    ClientForTest& finder() { return *clients_.front(); }

    Status find(const Place& place, FileId& out) {
        if (place.held >= 0) {
            const auto& held = held_[static_cast<std::size_t>(place.held)];
            if (!held) return Status::bad_handle;
            out = *held;
            finder().attributes(out);
            return finder().status;
        }
        out = finder().root();
        for (const unsigned name : place.way) {
            out = finder().lookup(out, model::name_of(name));
            if (finder().status != Status::ok) return finder().status;
        }
        return Status::ok;
    }
    bool is_directory(const FileId& id) {
        return finder().attributes(id).type == FileType::directory;
    }
    static std::string made(const ClientForTest& c) {
        return say(c.status) + (c.status == Status::ok ? describe(c.made.attributes) : "");
    }
    static std::string create(ClientForTest& c, const Op& op, const FileId& where) {
        NewFile how;
        how.mode = op.kind == Kind::create_guarded ? CreateMode::guarded : CreateMode::unchecked;
        how.attributes.mode = op.mode & 0777;
        if (op.kind == Kind::create_truncating) how.attributes.size = 0;
        c.create(where, model::name_of(op.name), how);
        // Existing objects other than files are rejected with varying errors.
        if (op.kind != Kind::create_guarded &&
            (c.status == Status::exists || c.status == Status::is_a_directory ||
             c.status == Status::invalid))
            return "not a file";
        return made(c);
    }
    // As clients do it: the creator sets the attributes at once.
    std::string create_exclusive(ClientForTest& c, const Op& op, const FileId& where) {
        const std::string name = model::name_of(op.name);
        finder().lookup(where, name);
        const bool was_there = finder().status == Status::ok;
        const FileId id = c.create_exclusive(where, name, op.number % 2);
        if (was_there && (c.status == Status::ok || c.status == Status::exists)) return "was there";
        if (c.status != Status::ok) return say(c.status);
        Changes changes;
        changes.mode = 0600;
        changes.modified.how = changes.accessed.how = NewTime::How::now;
        c.set(id, changes);
        return say(c.status) + (c.status == Status::ok ? describe(*c.change.after) : "");
    }
    std::string rename(ClientForTest& c, const Op& op, const FileId& where) {
        FileId to;
        if (const Status status = find(op.where2, to); status != Status::ok)
            return "to: " + say(status);
        const Status status =
            c.rename(where, model::name_of(op.name), to, model::name_of(op.name2));
        if (status != Status::ok && (!is_directory(where) || !is_directory(to))) return "refused";
        return say_coarsely(status);
    }
    std::string link(ClientForTest& c, const Op& op, const FileId& where) {
        FileId to;
        if (const Status status = find(op.where2, to); status != Status::ok)
            return "to: " + say(status);
        // Linux may forbid links to others' files altogether (fs.protected_hardlinks).
        if (c.caller().uid != 0 && finder().attributes(where).uid != c.caller().uid)
            return "not tried";
        c.link(where, to, model::name_of(op.name2));
        const Status status = c.status;
        // There may be several reasons then, and no order among them.
        if (status != Status::ok && (is_directory(where) || !is_directory(to))) return "refused";
        c.status = status;
        return say(c.status) + (c.status == Status::ok ? describe(*c.after) : "");
    }
    std::string lookup_parent(ClientForTest& c, const FileId& where) {
        if (where == finder().root()) return "not tried";
        c.lookup(where, "..");
        return say(c.status) + (c.status == Status::ok ? describe(c.found.attributes) : "");
    }
    static std::string list(ClientForTest& c, const FileId& where, std::size_t piece) {
        auto names = c.names(where, piece);
        std::sort(names.begin(), names.end());
        std::string text = say(c.status);
        for (const auto& name : names) text += " " + name;
        return text;
    }
    std::string hold(const Op& op, const FileId& where) {
        held_[op.number % kHeld] = where;
        return "ok";
    }

    std::string on_file(ClientForTest& c, const Op& op, const FileId& file) {
        const Attributes now = finder().attributes(file);
        switch (op.kind) {
            case Kind::read: {
                const std::string text = c.read(file, op.number, read_count(op));
                return say(c.status) + " " + digest(text) + (c.end ? " end" : "");
            }
            case Kind::write:
                return say(c.write(file, op.number, text_for(op)));
            case Kind::write_far:
                return say(c.write(file, kFar + op.number, text_for(op)));
            case Kind::truncate:
                return say(c.truncate(file, truncate_size(op)));
            case Kind::access:
                return say(Status::ok) + " " + std::to_string(c.access(file) & ~16u);
            case Kind::read_link: {
                const std::string text = c.read_link(file);
                return say(c.status) + " " + text;
            }
            case Kind::commit:
                return now.type == FileType::regular ? say(c.commit(file)) : "not tried";
            default:
                return set(c, op, file, now);
        }
    }

    std::string set(ClientForTest& c, const Op& op, const FileId& file,
                    const Attributes& now) const {
        if (now.type == FileType::symlink && op.kind != Kind::set_owner &&
            op.kind != Kind::set_group && op.kind != Kind::set_times)
            return "not tried";
        Changes changes;
        std::optional<vfs::Time> guard;
        switch (op.kind) {
            case Kind::set_owner:
                changes.uid = op.number % 2 == 0 ? 1001 : 1002;
                break;
            case Kind::set_group:
                changes.gid = 2001 + op.number % 3;
                break;
            case Kind::set_times:
                changes.modified = {NewTime::How::set, {static_cast<std::int64_t>(op.number), 5}};
                changes.accessed = {NewTime::How::set, {static_cast<std::int64_t>(op.number2), 6}};
                break;
            case Kind::set_now:
                changes.modified.how = changes.accessed.how = NewTime::How::now;
                break;
            case Kind::set_guarded:
                guard = now.changed;
                break;
            case Kind::set_guarded_wrong:
                guard = vfs::Time{1, 1};
                break;
            default:
                break;
        }
        if (op.kind == Kind::set_mode || guard) changes.mode = op.mode;
        // If everybody is the server's user, that is no change.
        if (!identities_ && (changes.uid == now.uid || changes.gid == now.gid)) return "not tried";
        c.set(file, changes, guard);
        return say(c.status) + (c.status == Status::ok
                                    ? describe(*c.change.after, op.kind == Kind::set_times)
                                    : "");
    }

    std::string dump(const FileId& directory, const std::string& path) {
        std::string text;
        ClientForTest& c = finder();
        auto entries = c.list(directory, 0, SIZE_MAX, true);
        if (c.status != Status::ok) return path + " " + say(c.status) + "\n";
        std::sort(entries.begin(), entries.end(),
                  [](const auto& left, const auto& right) { return left.name < right.name; });
        for (const auto& entry : entries) {
            if (entry.name == "." || entry.name == "..") continue;
            const FileId id = c.lookup(directory, entry.name);
            if (c.status != Status::ok) {
                text += path + entry.name + " " + say(c.status) + "\n";
                continue;
            }
            const Attributes now = c.found.attributes;
            text += path + entry.name + describe(now);
            if (now.type == FileType::symlink) text += " -> " + c.read_link(id);
            if (now.type == FileType::regular) {
                const std::string bytes = c.read(id);
                text += " " + (c.status == Status::ok ? digest(bytes) : say(c.status));
            }
            text += "\n";
            if (now.type == FileType::directory) text += dump(id, path + entry.name + "/");
        }
        return text;
    }

    std::unique_ptr<Instance> instance_;
    const bool identities_;
    std::vector<std::unique_ptr<ClientForTest>> clients_;
    std::array<std::optional<FileId>, kHeld> held_;
};

}  // namespace

std::unique_ptr<World> make_vfs_world(const Backend& backend, const std::vector<Person>& people) {
    return std::make_unique<VfsWorld>(backend, people);
}

}  // namespace helio::tests::model
