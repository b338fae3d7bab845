#include "helio/backend/memory/tree_internal.h"

namespace helio::backend {

using namespace memory;
using namespace vfs;

namespace {

struct Move {
    Node& from;
    Node& to;
    Node& node;
    Node* replaced;  // null: the new name is free
};

Status check_names(const Caller& caller, const Node& directory, std::string_view name) {
    if (!directory.is_directory()) return Status::not_a_directory;
    if (!may(caller, directory, kMayExecute)) return Status::access_denied;
    return name.size() > kNameBytesMax ? Status::name_too_long : Status::ok;
}

// Checks in the same order as Linux, so that it gives the same reason if there are two.
Status check_move(const Caller& caller, const Tree& tree, const Move& move) {
    const bool is_directory = move.node.is_directory();
    if (is_directory && tree.is_within(move.to, move.node)) return Status::invalid;
    if (move.replaced && move.replaced->is_directory() && tree.is_within(move.from, *move.replaced))
        return Status::not_empty;
    if (!may(caller, move.from, kMayWrite)) return Status::access_denied;
    if (!may_take_away(caller, move.from, move.node)) return Status::not_permitted;
    if (!may(caller, move.to, kMayWrite)) return Status::access_denied;
    if (move.replaced) {
        if (!may_take_away(caller, move.to, *move.replaced)) return Status::not_permitted;
        if (is_directory && !move.replaced->is_directory()) return Status::not_a_directory;
        if (!is_directory && move.replaced->is_directory()) return Status::is_a_directory;
    }
    // Its ".." changes, which requires permission to write to it.
    if (is_directory && &move.from != &move.to && !may(caller, move.node, kMayWrite))
        return Status::access_denied;
    if (move.replaced && is_directory && !move.replaced->directory->entries.empty())
        return Status::not_empty;
    return Status::ok;
}

}  // namespace

Status MemoryFs::rename(const Caller& caller, const FileId& from, std::string_view from_name,
                        const FileId& to, std::string_view to_name, Change& out_from,
                        Change& out_to) {
    const std::unique_lock hold(tree_->lock);
    Node* source = tree_->find(from);
    Node* target = tree_->find(to);
    std::optional<ChangeRecorder> recorded_from;
    std::optional<ChangeRecorder> recorded_to;
    if (source) recorded_from.emplace(*tree_, *source, out_from);
    if (target) recorded_to.emplace(*tree_, *target, out_to);
    if (!source || !target) return Status::stale;
    if (const Status names = check_names(caller, *source, from_name); names != Status::ok)
        return names;
    if (const Status names = check_names(caller, *target, to_name); names != Status::ok)
        return names;
    Node* node = source->directory->find(from_name);
    if (!node) return Status::not_found;
    const Move move{*source, *target, *node, target->directory->find(to_name)};
    // Two names of one file: by POSIX nothing happens, and the old name stays.
    if (move.replaced == node) return Status::ok;
    if (const Status allowed = check_move(caller, *tree_, move); allowed != Status::ok)
        return allowed;

    // In this order, since a replaced name must keep its place in listings.
    if (move.replaced) {
        const auto at = target->directory->entries.find(to_name);
        const std::uint64_t cookie = at->second.cookie;
        tree_->remove_name(*target, to_name, *move.replaced);
        target->directory->add_at(cookie, to_name, *node);
    } else {
        target->directory->add(to_name, *node);
    }
    source->directory->remove(from_name);
    if (node->is_directory()) {
        node->directory->parent = target;
        --source->links;
        ++target->links;
    }
    source->touch_contents();
    if (source != target) target->touch_contents();
    node->touch_attributes();
    return Status::ok;
}

}  // namespace helio::backend
