#include "helio/backend/memory/tree_internal.h"

namespace helio::backend {

using namespace memory;
using namespace vfs;

namespace {

constexpr std::uint64_t kSelfCookie = 1;
constexpr std::uint64_t kParentCookie = 2;

class Lister {
 public:
    Lister(const Tree& tree, bool details, EntrySink& sink)
        : tree_(tree), details_(details), sink_(sink) {}

    bool add(std::string_view name, std::uint64_t cookie, const Node& node) {
        Entry entry{name, node.number, cookie};
        FileId id;
        Attributes attributes;
        if (details_) {
            id = tree_.id_of(node);
            attributes = tree_.snapshot(node);
            entry.id = &id;
            entry.attributes = &attributes;
        }
        return sink_.add(entry);
    }

 private:
    const Tree& tree_;
    const bool details_;
    EntrySink& sink_;
};

}  // namespace

Status MemoryFs::list(const Caller& caller, const FileId& directory, const ListFrom& from,
                      EntrySink& sink, ListOut& out) {
    const std::shared_lock hold(tree_->lock);
    Node* where = tree_->find(directory);
    if (!where) return Status::stale;
    bool details = from.details;
    {
        const std::lock_guard hold_node(where->mutex);
        out.directory = tree_->describe(*where);
        if (!where->is_directory()) return Status::not_a_directory;
        if (!may(caller, *where, kMayRead)) return Status::access_denied;
        // Without search permission, names can be read, but nothing else.
        if (!may(caller, *where, kMayExecute)) details = false;
        where->touch_accessed();
        out.directory = tree_->describe(*where);
    }
    out.verifier = 0;  // cookies never go stale
    out.end = false;
    Lister lister(*tree_, details, sink);
    if (from.cookie < kSelfCookie && !lister.add(".", kSelfCookie, *where)) return Status::ok;
    if (from.cookie < kParentCookie && !lister.add("..", kParentCookie, *where->directory->parent))
        return Status::ok;
    const auto& entries = where->directory->by_cookie;
    for (auto at = entries.upper_bound(from.cookie); at != entries.end(); ++at) {
        if (!lister.add(at->second->first, at->first, *at->second->second.node)) return Status::ok;
    }
    out.end = true;
    return Status::ok;
}

}  // namespace helio::backend
