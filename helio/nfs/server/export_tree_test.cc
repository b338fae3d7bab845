#include "helio/nfs/server/export_tree.h"

#include <gtest/gtest.h>

#include "helio/nfs/server/pseudo_fs.h"
#include "testing/nfs/server.h"

namespace helio::nfs::export_tree_test {
namespace {

using vfs::Status;

struct ExportTrees : ::testing::Test {
    ExportTable table;
    const rpc::Peer guest = peer_at(10, 0, 0, 7);
    const rpc::Peer stranger = peer_at(192, 168, 0, 1);

    void add(std::string path, ExportRules rules = {}) {
        table.push_back(
            TestServer::export_of(std::move(path), backend::make_memory_fs(), std::move(rules)));
    }
    static ExportRules for_guests() { return {.allowed = {Network::parse("10.0.0.0/8").value()}}; }
    std::unique_ptr<ExportTree> tree(const vfs::Time& changed = {1, 2}) const {
        return std::make_unique<ExportTree>(table, std::make_shared<ExportCounters>(), changed);
    }
    // "a b": the names of a node.
    static std::string names(const ExportTree::Node& node, const rpc::Peer& peer) {
        std::string out;
        for (const ExportTree::Node* const child : node.children)
            if (ExportTree::is_visible(*child, peer)) out += (out.empty() ? "" : " ") + child->name;
        return out;
    }
};

TEST_F(ExportTrees, EveryPathAboveAnExportIsANode) {
    add("/srv/b");
    add("/srv/a/deep");
    add("/zoo");
    const auto made = tree();
    const auto& root = made->root();
    EXPECT_EQ(names(root, guest), "srv zoo");
    const auto* const srv = ExportTree::child(root, "srv", guest);
    ASSERT_NE(srv, nullptr);
    EXPECT_EQ(names(*srv, guest), "a b");
    EXPECT_EQ(srv->parent, &root);
    EXPECT_EQ(srv->where, nullptr);
    const auto* const b = ExportTree::child(*srv, "b", guest);
    ASSERT_NE(b, nullptr);
    EXPECT_EQ(b->where, &table[0]);
    EXPECT_EQ(made->place(*b, guest).where, &table[0]);
    EXPECT_EQ(made->place(*b, guest).id, table[0].files->root());
    EXPECT_EQ(made->find(table[0], table[0].files->root()), b);
    EXPECT_EQ(made->find(table[0], vfs::FileId{}), nullptr);
    EXPECT_EQ(made->place(*srv, guest).where, &made->pseudo());
    EXPECT_EQ(made->find(made->pseudo(), srv->id), srv);
    EXPECT_EQ(ExportTree::child(root, "sr", guest), nullptr);
    EXPECT_EQ(ExportTree::child(root, "", guest), nullptr);
}

TEST_F(ExportTrees, AnExportCalledSlashIsTheRoot) {
    add("/");
    const auto alone = tree();
    EXPECT_FALSE(alone->has_crossings());
    EXPECT_EQ(alone->place(alone->root(), guest).where, &table[0]);
    EXPECT_EQ(alone->find(table[0], table[0].files->root()), &alone->root());
    table.clear();
    const auto empty = tree();
    EXPECT_EQ(empty->place(empty->root(), guest).where, &empty->pseudo());
    EXPECT_FALSE(ExportTree::is_visible(empty->root(), guest));
}

TEST_F(ExportTrees, ClientsSeeWhatLeadsToTheirExports) {
    add("/", for_guests());
    add("/open/all");
    add("/open/guests", for_guests());
    add("/closed/guests", for_guests());
    const auto made = tree();
    EXPECT_EQ(names(made->root(), guest), "closed open");
    EXPECT_EQ(names(made->root(), stranger), "open");
    EXPECT_EQ(ExportTree::child(made->root(), "closed", stranger), nullptr);
    // The same node is an export for one client, and a directory for the other.
    EXPECT_EQ(made->place(made->root(), guest).where, &table[0]);
    EXPECT_EQ(made->place(made->root(), stranger).where, &made->pseudo());
    const auto* const open = ExportTree::child(made->root(), "open", stranger);
    ASSERT_NE(open, nullptr);
    EXPECT_EQ(names(*open, stranger), "all");
}

// They are in handles and in clients' caches.
TEST_F(ExportTrees, IdsFollowFromThePath) {
    add("/srv/a");
    const auto before = tree();
    const auto* const srv = ExportTree::child(before->root(), "srv", guest);
    table.clear();
    add("/b");
    add("/srv/c");
    const auto after = tree({3, 4});
    EXPECT_EQ(after->root().id, before->root().id);
    const auto* const same = after->find(after->pseudo(), srv->id);
    ASSERT_NE(same, nullptr);
    EXPECT_EQ(same->name, "srv");
    EXPECT_EQ(same->fileid, srv->fileid);
    EXPECT_NE(pseudo_id("/srv"), pseudo_id("/srv/c"));
    for (const char* const path : {"/", "/srv", "/srv/c", "/b"})
        EXPECT_NE(pseudo_fileid(pseudo_id(path)), 0u);
}

TEST_F(ExportTrees, DirectoriesAreReadOnlyAndChangeWithTheTable) {
    add("/srv/a");
    const auto made = tree({7, 8});
    vfs::FileSystem& files = *made->pseudo().files;
    const vfs::Caller caller{.uid = 1000, .gid = 1000, .groups = {}};
    vfs::Attributes got;
    ASSERT_EQ(files.attributes(caller, files.root(), got), Status::ok);
    EXPECT_EQ(got.type, vfs::FileType::directory);
    EXPECT_EQ(got.mode, 0555u);
    EXPECT_EQ(got.change, vfs::change_from({7, 8}));
    EXPECT_EQ(files.attributes(caller, pseudo_id("/gone"), got), Status::stale);
    vfs::LookupOut found;
    EXPECT_EQ(files.lookup(caller, files.root(), "srv", found), Status::not_found);
    EXPECT_EQ(files.lookup(caller, pseudo_id("/gone"), "x", found), Status::stale);
    vfs::Change change;
    EXPECT_EQ(files.set_attributes(caller, files.root(), {}, {}, change), Status::read_only);
    EXPECT_EQ(files.commit(caller, files.root(), 0, 0, change), Status::is_a_directory);
}

}  // namespace
}  // namespace helio::nfs::export_tree_test
