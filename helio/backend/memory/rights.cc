#include <algorithm>

#include "helio/backend/memory/tree_internal.h"

namespace helio::backend::memory {

using namespace vfs;

bool is_member(const Caller& caller, std::uint32_t gid) {
    return caller.gid == gid ||
           std::find(caller.groups.begin(), caller.groups.end(), gid) != caller.groups.end();
}

bool may(const Caller& caller, const Node& node, std::uint32_t rights) {
    if (is_superuser(caller)) {
        // Everything except executing a file that nobody may execute.
        return (rights & kMayExecute) == 0 || node.is_directory() || (node.mode & 0111) != 0;
    }
    if (const Acl* list = node.access_list())
        return grants(*list, caller, node.uid, node.gid, static_cast<std::uint8_t>(rights));
    std::uint32_t granted = node.mode;
    if (caller.uid == node.uid)
        granted >>= 6;
    else if (is_member(caller, node.gid))
        granted >>= 3;
    return (rights & ~granted) == 0;
}

bool may_write_data(const Caller& caller, const Node& node) {
    return caller.uid == node.uid || may(caller, node, kMayWrite);
}

bool may_read_data(const Caller& caller, const Node& node) {
    return caller.uid == node.uid || may(caller, node, kMayRead) || may(caller, node, kMayExecute);
}

bool may_take_away(const Caller& caller, const Node& directory, const Node& node) {
    return (directory.mode & kSticky) == 0 || is_superuser(caller) || caller.uid == node.uid ||
           caller.uid == directory.uid;
}

void drop_privileges(Node& node) {
    if (node.is_directory()) return;
    node.mode &= ~kSetUid;
    // Without the group's execute permission the bit means something else: mandatory locks.
    if ((node.mode & kGroupExecute) != 0) node.mode &= ~kSetGid;
}

Status inherit_lists(const Node& directory, Node& made, Budget& budget) {
    if (!directory.extras || directory.extras->inherited.empty()) return Status::ok;
    if (made.type == FileType::symlink) return Status::ok;
    const Acl& inherited = directory.extras->inherited;
    Acl access = inherit(inherited, made.mode);
    const std::uint32_t mode = (made.mode & ~0777u) | mode_of(access);
    if (is_minimal(access)) access.clear();
    const Acl below = made.is_directory() ? inherited : Acl{};
    const Status room = made.resize_extras(0, bytes_of(access) + bytes_of(below), budget);
    if (room != Status::ok) return room;
    made.mode = mode;
    if (!made.extras) return Status::ok;
    made.extras->access = std::move(access);
    made.extras->inherited = below;
    return Status::ok;
}

namespace {

Status check_times(const Caller& caller, const Node& node, const Changes& changes) {
    const bool is_owner = is_superuser(caller) || caller.uid == node.uid;
    for (const NewTime* time : {&changes.accessed, &changes.modified}) {
        if (time->how == NewTime::How::set) {
            if (time->time.nanoseconds >= 1'000'000'000) return Status::invalid;
            if (!is_owner) return Status::not_permitted;
        } else if (time->how == NewTime::How::now) {
            if (!is_owner && !may(caller, node, kMayWrite)) return Status::access_denied;
        }
    }
    return Status::ok;
}

Status check_size(const Caller& caller, const Node& node, std::uint64_t size) {
    if (node.is_directory()) return Status::is_a_directory;
    if (!node.is_regular()) return Status::invalid;
    if (!may_write_data(caller, node)) return Status::access_denied;
    if (size > kFileBytesMax) return Status::too_big;
    return Status::ok;
}

void apply_time(const NewTime& change, Time now, Time& time) {
    if (change.how == NewTime::How::now) time = now;
    if (change.how == NewTime::How::set) time = change.time;
}

}  // namespace

Status check_changes(const Caller& caller, const Node& node, const Changes& changes) {
    const bool is_owner = is_superuser(caller) || caller.uid == node.uid;
    if (changes.size) {
        if (const Status size = check_size(caller, node, *changes.size); size != Status::ok)
            return size;
    }
    if ((changes.mode || changes.uid || changes.gid) && !is_owner) return Status::not_permitted;
    if (!is_superuser(caller)) {
        if (changes.uid && *changes.uid != node.uid) return Status::not_permitted;
        if (changes.gid && *changes.gid != node.gid && !is_member(caller, *changes.gid))
            return Status::not_permitted;
    }
    return check_times(caller, node, changes);
}

Status apply_changes(const Caller& caller, Node& node, const Changes& changes, Budget& budget) {
    // First everything that can fail.
    if (changes.size) {
        if (const Status size = node.content.resize(*changes.size, budget); size != Status::ok)
            return size;
        if (!is_superuser(caller)) drop_privileges(node);
    }
    if (changes.uid || changes.gid) {
        node.uid = changes.uid.value_or(node.uid);
        node.gid = changes.gid.value_or(node.gid);
        drop_privileges(node);
    }
    // The mode of a symbolic link cannot be set; ignore it, as other servers do, since clients send
    // it.
    if (changes.mode && node.type != FileType::symlink) {
        node.mode = *changes.mode & 07777;
        if (!is_superuser(caller) && !is_member(caller, node.gid)) node.mode &= ~kSetGid;
        if (node.access_list()) apply_mode(node.extras->access, node.mode);
    }
    const bool times =
        changes.accessed.how != NewTime::How::leave || changes.modified.how != NewTime::How::leave;
    if (!changes.size && !changes.mode && !changes.uid && !changes.gid && !times) return Status::ok;
    if (changes.size)
        node.touch_contents();
    else
        node.touch_attributes();
    apply_time(changes.accessed, node.changed, node.accessed);
    apply_time(changes.modified, node.changed, node.modified);
    return Status::ok;
}

}  // namespace helio::backend::memory
