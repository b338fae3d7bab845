// ExportTree: the exports of a table as one tree of directories, as NFS 4 clients see them (RFC
// 8881 §7). Every path of an export is a node, and so is every path above one. For a client that
// may use the node's export, the node is the root of that export; for others it is a directory of
// the pseudo root (PseudoFs). A client sees a node if it may use an export at or below it, and
// never learns of the others.
//
// A tree belongs to the table it was made from: Exports owns both, and replaces them together.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "helio/nfs/server/exports.h"

namespace helio::nfs {

// In handles of the pseudo root, where those of other files have Export::tag.
inline constexpr std::uint32_t kPseudoTag = 0xffffff;

class ExportTree final {
 public:
    struct Node {
        std::string name;               // empty: the root
        const Node* parent = nullptr;   // null: the root
        const Export* where = nullptr;  // the export with this path, or null
        vfs::FileId id;                 // of its directory in the pseudo root
        std::uint64_t fileid = 0;
        std::vector<const Node*> children;  // by name
    };
    // A directory that stands for a node.
    struct Place {
        const Export* where = nullptr;
        vfs::FileId id;
    };

    // `table` stays where it is while this lives. `changed`: see PseudoFs.
    ExportTree(const ExportTable& table, std::shared_ptr<ExportCounters> counters,
               const vfs::Time& changed);
    ExportTree(const ExportTree&) = delete;
    ExportTree& operator=(const ExportTree&) = delete;

    const Node& root() const { return nodes_.front(); }
    // The pseudo root as an export. It is not in the table.
    const Export& pseudo() const { return pseudo_; }
    bool is_pseudo(const Export& where) const { return &where == &pseudo_; }
    const vfs::Time& changed() const { return changed_; }
    // False: nothing but the root, so that no name can lead to another export.
    bool has_crossings() const { return nodes_.size() > 1; }

    // The node that a directory stands for, or null.
    const Node* find(const Export& where, const vfs::FileId& directory) const;
    // The node of a name in a node, if the client sees it, or null.
    static const Node* child(const Node& node, std::string_view name, const rpc::Peer& peer);
    // Whether the client may use an export at or below the node.
    static bool is_visible(const Node& node, const rpc::Peer& peer);
    // The directory that stands for the node, for this client.
    Place place(const Node& node, const rpc::Peer& peer) const;

 private:
    Node& node_of(std::string_view path);
    Node& add(std::string_view path, std::string_view name, const Node* parent);

    struct ExportRoot {
        const Node* node = nullptr;
        vfs::FileId id;
    };
    const ExportTable& table_;
    vfs::Time changed_;
    std::deque<Node> nodes_;         // the root first
    std::vector<ExportRoot> roots_;  // in the order of the table
    std::unordered_map<vfs::FileId, Node*> by_id_;
    Export pseudo_;
};

}  // namespace helio::nfs
