#include "helio/nfs/server/export_tree.h"

#include <algorithm>

#include "helio/nfs/server/pseudo_fs.h"

namespace helio::nfs {

ExportTree::ExportTree(const ExportTable& table, std::shared_ptr<ExportCounters> counters,
                       const vfs::Time& changed)
    : table_(table), changed_(changed) {
    add("/", {}, nullptr);
    for (const Export& one : table) {
        Node& node = node_of(one.path);
        node.where = &one;
        roots_.push_back({&node, one.files->root()});
    }
    std::vector<vfs::FileId> directories;
    for (Node& node : nodes_) {
        directories.push_back(node.id);
        std::ranges::sort(node.children, {}, &Node::name);
    }
    pseudo_.path = "pseudo root";
    pseudo_.source = "none";
    pseudo_.rules.read_only = true;
    pseudo_.files = std::make_shared<PseudoFs>(directories, changed);
    pseudo_.tag = kPseudoTag;
    pseudo_.counters = std::move(counters);
}

ExportTree::Node& ExportTree::add(std::string_view path, std::string_view name,
                                  const Node* parent) {
    Node& made = nodes_.emplace_back();
    made.name = name;
    made.parent = parent;
    made.id = pseudo_id(path);
    made.fileid = pseudo_fileid(made.id);
    by_id_[made.id] = &made;
    return made;
}

// Makes the nodes on the way. Paths are normalized: "/" or "/a/b".
ExportTree::Node& ExportTree::node_of(std::string_view path) {
    Node* at = &nodes_.front();
    for (std::size_t begin = 1; begin < path.size();) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        const auto known = by_id_.find(pseudo_id(path.substr(0, end)));
        if (known != by_id_.end()) {
            at = known->second;
        } else {
            Node& made = add(path.substr(0, end), path.substr(begin, end - begin), at);
            at->children.push_back(&made);
            at = &made;
        }
        begin = end + 1;
    }
    return *at;
}

const ExportTree::Node* ExportTree::find(const Export& where, const vfs::FileId& directory) const {
    if (is_pseudo(where)) {
        const auto found = by_id_.find(directory);
        return found == by_id_.end() ? nullptr : found->second;
    }
    const ExportRoot& root = roots_[static_cast<std::size_t>(&where - table_.data())];
    return root.id == directory ? root.node : nullptr;
}

const ExportTree::Node* ExportTree::child(const Node& node, std::string_view name,
                                          const rpc::Peer& peer) {
    const auto found = std::ranges::lower_bound(
        node.children, name, {}, [](const Node* one) { return std::string_view{one->name}; });
    if (found == node.children.end() || (*found)->name != name) return nullptr;
    return is_visible(**found, peer) ? *found : nullptr;
}

// Without recursion: the depth of a tree is not bounded.
bool ExportTree::is_visible(const Node& node, const rpc::Peer& peer) {
    std::vector<const Node*> open{&node};
    while (!open.empty()) {
        const Node& next = *open.back();
        open.pop_back();
        if (next.where != nullptr && Exports::allows(*next.where, peer)) return true;
        open.insert(open.end(), next.children.begin(), next.children.end());
    }
    return false;
}

ExportTree::Place ExportTree::place(const Node& node, const rpc::Peer& peer) const {
    if (node.where != nullptr && Exports::allows(*node.where, peer))
        return {node.where, roots_[static_cast<std::size_t>(node.where - table_.data())].id};
    return {&pseudo_, node.id};
}

}  // namespace helio::nfs
