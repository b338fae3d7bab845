#include "helio/backend/memory/tree_internal.h"

namespace helio::backend {

using namespace memory;
using namespace vfs;

namespace {

// A name in a directory, found or not; the first step of all operations on names.
struct NameSlot {
    Status status = Status::ok;
    Node* node = nullptr;
};

// With the tree held alone, or shared and the directory's mutex.
NameSlot find_place(const Caller& caller, Node& directory, std::string_view name) {
    if (!directory.is_directory()) return {Status::not_a_directory};
    if (!may(caller, directory, kMayExecute)) return {Status::access_denied};
    if (name.size() > kNameBytesMax) return {Status::name_too_long};
    if (name == ".") return {Status::ok, &directory};
    if (name == "..") return {Status::ok, directory.directory->parent};
    return {Status::ok, directory.directory->find(name)};
}

// Owner and mode of a new object.
Status set_owner(const Caller& caller, const Node& directory, const Changes& changes, Node& made) {
    made.uid = caller.uid;
    const bool inherits = (directory.mode & kSetGid) != 0;
    made.gid = inherits ? directory.gid : caller.gid;
    if (!is_superuser(caller)) {
        if (changes.uid && *changes.uid != made.uid) return Status::not_permitted;
        if (changes.gid && *changes.gid != made.gid && !is_member(caller, *changes.gid))
            return Status::not_permitted;
    }
    made.uid = changes.uid.value_or(made.uid);
    made.gid = changes.gid.value_or(made.gid);
    if (made.type == FileType::symlink) {
        made.mode = 0777;
        return Status::ok;
    }
    made.mode = changes.mode.value_or(made.is_directory() ? 0700 : 0600) & 07777;
    if (!is_superuser(caller) && !is_member(caller, made.gid)) made.mode &= ~kSetGid;
    if (inherits && made.is_directory()) made.mode |= kSetGid;
    return Status::ok;
}

// Times and size of a new object, which its creator may set.
Status set_rest(const Changes& changes, Node& made, Budget& budget) {
    const Caller superuser{};
    Changes rest;
    rest.accessed = changes.accessed;
    rest.modified = changes.modified;
    if (made.is_regular()) rest.size = changes.size;
    if (const Status allowed = check_changes(superuser, made, rest); allowed != Status::ok)
        return allowed;
    const Status applied = apply_changes(superuser, made, rest, budget);
    return applied;
}

// Makes a new node, and removes it again unless it gets a name.
class UnnamedNode {
 public:
    UnnamedNode(Tree& tree, FileType type) : tree_(tree), node_(tree.add_node(type)) {}
    ~UnnamedNode() {
        if (node_) tree_.drop(*node_);
    }
    UnnamedNode(const UnnamedNode&) = delete;
    UnnamedNode& operator=(const UnnamedNode&) = delete;
    Node* node() const { return node_; }

 private:
    Tree& tree_;
    Node* const node_;
};

// CREATE of a name that exists.
Status open_existing(const Caller& caller, const NewFile& how, Node& node, Budget& budget) {
    if (how.mode == CreateMode::guarded) return Status::exists;
    if (how.mode == CreateMode::exclusive)
        return node.verifier == how.verifier ? Status::ok : Status::exists;
    if (node.is_directory()) return Status::is_a_directory;
    if (!node.is_regular()) return Status::exists;
    // For existing files only the size applies: that is O_TRUNC.
    Changes size;
    size.size = how.attributes.size;
    if (const Status allowed = check_changes(caller, node, size); allowed != Status::ok)
        return allowed;
    return apply_changes(caller, node, size, budget);
}

}  // namespace

Status MemoryFs::lookup(const Caller& caller, const FileId& directory, std::string_view name,
                        LookupOut& out) {
    const std::shared_lock hold(tree_->lock);
    Node* where = tree_->find(directory);
    if (!where) return Status::stale;
    NameSlot place;
    {
        const std::lock_guard hold_node(where->mutex);
        out.directory = tree_->describe(*where);
        place = find_place(caller, *where, name);
    }
    if (place.status != Status::ok) return place.status;
    if (!place.node) return Status::not_found;
    out.id = tree_->id_of(*place.node);
    out.attributes = tree_->snapshot(*place.node);
    return Status::ok;
}

Status MemoryFs::create(const Caller& caller, const FileId& directory, std::string_view name,
                        const NewFile& how, CreateOut& out) {
    const std::unique_lock hold(tree_->lock);
    Node* where = tree_->find(directory);
    if (!where) return Status::stale;
    const ChangeRecorder recorded(*tree_, *where, out.directory);
    const NameSlot place = find_place(caller, *where, name);
    if (place.status != Status::ok) return place.status;
    if (place.node) {
        const Status opened = open_existing(caller, how, *place.node, tree_->budget);
        if (opened != Status::ok) return opened;
        out.id = tree_->id_of(*place.node);
        out.attributes = tree_->describe(*place.node);
        return Status::ok;
    }
    if (!may(caller, *where, kMayWrite)) return Status::access_denied;
    const UnnamedNode made(*tree_, FileType::regular);
    if (!made.node()) return Status::no_space;
    const bool exclusive = how.mode == CreateMode::exclusive;
    const Changes attributes = exclusive ? Changes{} : how.attributes;
    if (exclusive) made.node()->verifier = how.verifier;
    if (const Status owned = set_owner(caller, *where, attributes, *made.node());
        owned != Status::ok)
        return owned;
    if (const Status lists = inherit_lists(*where, *made.node(), tree_->budget);
        lists != Status::ok)
        return lists;
    if (const Status set = set_rest(attributes, *made.node(), tree_->budget); set != Status::ok)
        return set;
    tree_->add_name(*where, name, *made.node());
    out.id = tree_->id_of(*made.node());
    out.attributes = tree_->describe(*made.node());
    return Status::ok;
}

namespace {

Status fill_node(const Caller& caller, const NewNode& what, Tree& tree, Node& node) {
    switch (what.type) {
        case FileType::directory:
            node.directory = std::make_unique<Directory>(nullptr, tree.hash);
            return Status::ok;
        case FileType::symlink:
            // Like symlink(2).
            if (what.target.empty()) return Status::not_found;
            if (what.target.find('\0') != std::string_view::npos) return Status::invalid;
            if (what.target.size() > kTargetBytesMax) return Status::name_too_long;
            if (what.target.size() > kTargetBytesFree && !tree.budget.take(kBlockBytes))
                return Status::no_space;
            node.target = what.target;
            return Status::ok;
        case FileType::block_device:
        case FileType::character_device:
            if (!is_superuser(caller)) return Status::not_permitted;
            node.device_major = what.device_major;
            node.device_minor = what.device_minor;
            return Status::ok;
        case FileType::socket:
        case FileType::fifo:
            return Status::ok;
        case FileType::regular:
            break;
    }
    return Status::bad_type;
}

}  // namespace

Status MemoryFs::make(const Caller& caller, const FileId& directory, std::string_view name,
                      const NewNode& what, CreateOut& out) {
    const std::unique_lock hold(tree_->lock);
    Node* where = tree_->find(directory);
    if (!where) return Status::stale;
    const ChangeRecorder recorded(*tree_, *where, out.directory);
    const NameSlot place = find_place(caller, *where, name);
    if (place.status != Status::ok) return place.status;
    if (place.node) return Status::exists;
    if (!may(caller, *where, kMayWrite)) return Status::access_denied;
    const UnnamedNode made(*tree_, what.type);
    if (!made.node()) return Status::no_space;
    Node& node = *made.node();
    if (const Status owned = set_owner(caller, *where, what.attributes, node); owned != Status::ok)
        return owned;
    if (const Status lists = inherit_lists(*where, node, tree_->budget); lists != Status::ok)
        return lists;
    if (const Status set = set_rest(what.attributes, node, tree_->budget); set != Status::ok)
        return set;
    if (const Status filled = fill_node(caller, what, *tree_, node); filled != Status::ok)
        return filled;
    tree_->add_name(*where, name, node);
    out.id = tree_->id_of(node);
    out.attributes = tree_->describe(node);
    return Status::ok;
}

Status MemoryFs::remove(const Caller& caller, const FileId& directory, std::string_view name,
                        Change& out) {
    const std::unique_lock hold(tree_->lock);
    Node* where = tree_->find(directory);
    if (!where) return Status::stale;
    const ChangeRecorder recorded(*tree_, *where, out);
    const NameSlot place = find_place(caller, *where, name);
    if (place.status != Status::ok) return place.status;
    if (!place.node) return Status::not_found;
    if (!may(caller, *where, kMayWrite)) return Status::access_denied;
    if (!may_take_away(caller, *where, *place.node)) return Status::not_permitted;
    if (place.node->is_directory()) return Status::is_a_directory;
    tree_->remove_name(*where, name, *place.node);
    return Status::ok;
}

Status MemoryFs::remove_directory(const Caller& caller, const FileId& directory,
                                  std::string_view name, Change& out) {
    const std::unique_lock hold(tree_->lock);
    Node* where = tree_->find(directory);
    if (!where) return Status::stale;
    const ChangeRecorder recorded(*tree_, *where, out);
    const NameSlot place = find_place(caller, *where, name);
    if (place.status != Status::ok) return place.status;
    if (!place.node) return Status::not_found;
    if (!may(caller, *where, kMayWrite)) return Status::access_denied;
    if (!may_take_away(caller, *where, *place.node)) return Status::not_permitted;
    if (!place.node->is_directory()) return Status::not_a_directory;
    if (!place.node->directory->entries.empty()) return Status::not_empty;
    tree_->remove_name(*where, name, *place.node);
    return Status::ok;
}

Status MemoryFs::link(const Caller& caller, const FileId& file, const FileId& directory,
                      std::string_view name, std::optional<Attributes>& out_file,
                      Change& out_directory) {
    const std::unique_lock hold(tree_->lock);
    Node* node = tree_->find(file);
    Node* where = tree_->find(directory);
    if (node) out_file = tree_->describe(*node);
    if (!where) return Status::stale;
    const ChangeRecorder recorded(*tree_, *where, out_directory);
    if (!node) return Status::stale;
    const NameSlot place = find_place(caller, *where, name);
    if (place.status != Status::ok) return place.status;
    if (place.node) return Status::exists;
    if (!may(caller, *where, kMayWrite)) return Status::access_denied;
    if (node->is_directory()) return Status::not_permitted;
    if (node->links >= kLinksMax) return Status::too_many_links;
    if (tree_->names >= tree_->files_max) return Status::no_space;
    tree_->add_name(*where, name, *node);
    node->touch_attributes();
    out_file = tree_->describe(*node);
    return Status::ok;
}

}  // namespace helio::backend
