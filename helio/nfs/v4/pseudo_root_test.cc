// Several exports of one server, as a client of NFS 4.1 sees them below "/".
#include <gtest/gtest.h>

#include <map>

#include "helio/vfs/read_only_file_system.h"
#include "testing/nfs/session_client.h"

namespace helio::nfs::v4::pseudo_root_test {
namespace {

using namespace nfs4;
using Operation = nfs_argop4;
using Bits = fattr4_attributes::Bits;

std::shared_ptr<vfs::FileSystem> memory() {
    return backend::make_memory_fs(TestServer::open_to_all());
}
ExportRules only_for(std::string_view network) {
    return {.allowed = {Network::parse(network).value()}};
}
ExportTable usual() {
    return {TestServer::export_of("/a", memory()), TestServer::export_of("/b/deep", memory()),
            TestServer::export_of("/fixed", memory(), {.read_only = true}),
            TestServer::export_of("/secret", memory(), only_for("192.168.0.0/16"))};
}

// A disk that has failed.
class Broken final : public vfs::ReadOnlyFileSystem {
 public:
    vfs::FileId root() const override { return {}; }
    vfs::Status attributes(const vfs::Caller&, const vfs::FileId&, vfs::Attributes&) override {
        return vfs::Status::io_error;
    }
    vfs::Status lookup(const vfs::Caller&, const vfs::FileId&, std::string_view,
                       vfs::LookupOut&) override {
        return vfs::Status::io_error;
    }
    vfs::Status read(const vfs::Caller&, const vfs::FileId&, std::uint64_t, std::uint32_t,
                     vfs::Memory&, vfs::ReadOut&) override {
        return vfs::Status::io_error;
    }
    vfs::Status list(const vfs::Caller&, const vfs::FileId&, const vfs::ListFrom&, vfs::EntrySink&,
                     vfs::ListOut&) override {
        return vfs::Status::io_error;
    }
};

struct Entry {
    std::uint64_t cookie = 0;
    fattr4_attributes values;
};

struct PseudoRoot : ::testing::Test {
    TestServer server{usual()};
    SessionClient client{server};

    static Operation root() { return SessionClient::root(); }
    static Operation op(nfs_opnum4 number) { return SessionClient::op(number); }
    static Operation put(ByteView handle) { return SessionClient::put(handle); }
    static Operation lookup(std::string_view name) { return SessionClient::lookup(name); }
    Operation open(std::string_view name, bool create = true) const {
        return Operation::of_opopen(client.open_args(name, create));
    }
    static Operation mkdir(std::string_view name) {
        return Operation::of_opcreate({createtype4::of(NF4DIR), name, {}});
    }

    // Everything in a directory, with calls of at most `maxcount` bytes.
    std::map<std::string, Entry> list(const std::vector<Operation>& to, count4 maxcount = 4096) {
        static const Bits kWanted{FATTR4_FSID, FATTR4_FILEID, FATTR4_MOUNTED_ON_FILEID, FATTR4_TYPE,
                                  FATTR4_RDATTR_ERROR};
        const auto words = kWanted.words();
        std::map<std::string, Entry> out;
        READDIR4args args{};
        args.maxcount = maxcount;
        args.attr_request = {words.data(), words.size()};
        for (bool eof = false; !eof;) {
            std::vector<Operation> operations = to;
            operations.push_back(Operation::of_opreaddir(args));
            const auto done = client.send(operations);
            EXPECT_EQ(done.status(), NFS4_OK) << text_of(done.status());
            if (done.status() != NFS4_OK) return out;
            const auto& page = done[operations.size() - 1].opreaddir().resok4();
            args.cookieverf = page.cookieverf;
            eof = page.reply.eof;
            for (const entry4* one = page.reply.entries; one != nullptr; one = one->nextentry) {
                const bool fresh =
                    out.emplace(one->name, Entry{one->cookie, SessionClient::values_of(one->attrs)})
                        .second;
                EXPECT_TRUE(fresh) << one->name << " is listed twice";
                EXPECT_GT(one->cookie, args.cookie);
                args.cookie = one->cookie;
            }
        }
        return out;
    }
    std::string names(const std::vector<Operation>& to, count4 maxcount = 4096) {
        std::string out;
        for (const auto& [name, entry] : list(to, maxcount)) out += (out.empty() ? "" : " ") + name;
        return out;
    }
};

TEST_F(PseudoRoot, ListsTheExportsOfTheClient) {
    EXPECT_EQ(names({root()}), "a b fixed");
    EXPECT_EQ(names({root(), lookup("b")}), "deep");
    EXPECT_EQ(names({root(), lookup("a")}), "");
    server.peer = peer_at(192, 168, 0, 7);
    EXPECT_EQ(names({root()}), "a b fixed secret");
}

TEST_F(PseudoRoot, APageHoldsAsManyNamesAsFit) { EXPECT_EQ(names({root()}, 130), "a b fixed"); }

TEST_F(PseudoRoot, NamesLeadToTheRootsOfExports) {
    const auto view = [](const Bytes& bytes) { return ByteView{bytes}; };
    const Handle a = server.root(0);
    EXPECT_TRUE(xdr::same(view(client.handle({root(), lookup("a")})), a.view()));
    const Handle deep = server.root(1);
    EXPECT_TRUE(xdr::same(view(client.handle({root(), lookup("b"), lookup("deep")})), deep.view()));
    EXPECT_EQ(client.status_of({root(), lookup("secret")}), NFS4ERR_NOENT);
    EXPECT_EQ(client.status_of({root(), lookup("missing")}), NFS4ERR_NOENT);
    EXPECT_EQ(client.status_of({root(), lookup("b"), lookup("a")}), NFS4ERR_NOENT);
}

TEST_F(PseudoRoot, ParentsLeadBack) {
    const Bytes top = client.handle({root()});
    EXPECT_EQ(client.handle({root(), lookup("a"), op(OP_LOOKUPP)}), top);
    EXPECT_EQ(client.handle({root(), lookup("b"), op(OP_LOOKUPP)}), top);
    EXPECT_EQ(client.handle({root(), lookup("b"), lookup("deep"), op(OP_LOOKUPP)}),
              client.handle({root(), lookup("b")}));
    EXPECT_EQ(client.status_of({root(), op(OP_LOOKUPP)}), NFS4ERR_NOENT);
    const auto parent = Operation::of_opsecinfo_no_name({SECINFO_STYLE4_PARENT});
    EXPECT_EQ(client.status_of({root(), parent}), NFS4ERR_NOENT);
    EXPECT_EQ(client.status_of({root(), lookup("a"), parent}), NFS4_OK);
}

// Linux mounts an export where the fsid changes, and finds the directory beneath by
// mounted_on_fileid.
TEST_F(PseudoRoot, EveryExportIsAFileSystem) {
    const Bits wanted{FATTR4_FSID, FATTR4_FILEID, FATTR4_MOUNTED_ON_FILEID};
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> seen;
    const auto listed = list({root()});
    for (const auto& [name, entry] : listed) {
        const auto direct = client.attributes({root(), lookup(name)}, wanted);
        EXPECT_EQ(direct.fsid.major_, entry.values.fsid.major_) << name;
        EXPECT_EQ(direct.fsid.minor_, entry.values.fsid.minor_) << name;
        EXPECT_EQ(direct.fileid, entry.values.fileid) << name;
        EXPECT_EQ(direct.mounted_on_fileid, entry.values.mounted_on_fileid) << name;
        EXPECT_EQ(entry.values.type, NF4DIR);
        EXPECT_EQ(entry.values.rdattr_error, NFS4_OK);
        EXPECT_NE(direct.mounted_on_fileid, 0u);
        EXPECT_TRUE(seen.emplace(std::pair{direct.fsid.major_, direct.fsid.minor_}, name).second);
    }
    const auto top = client.attributes({root()}, wanted);
    EXPECT_EQ(top.fileid, top.mounted_on_fileid);
    EXPECT_NE(top.fileid, 0u);
    // "b" is a directory of the pseudo root, "a" an export that is mounted there.
    const auto fsid = [](const fattr4_attributes& of) {
        return std::pair{of.fsid.major_, of.fsid.minor_};
    };
    EXPECT_EQ(fsid(top), fsid(listed.at("b").values));
    EXPECT_NE(fsid(top), fsid(listed.at("a").values));
    EXPECT_NE(listed.at("a").values.fileid, listed.at("a").values.mounted_on_fileid);
    EXPECT_EQ(listed.at("b").values.fileid, listed.at("b").values.mounted_on_fileid);
}

TEST_F(PseudoRoot, OneFileSystemTwiceIsTwoForClients) {
    const auto files = memory();
    ASSERT_TRUE(server.exports.set({TestServer::export_of("/one", files),
                                    TestServer::export_of("/two", files, {.read_only = true})}));
    const Bits wanted{FATTR4_FSID};
    const auto one = client.attributes({root(), lookup("one")}, wanted);
    const auto two = client.attributes({root(), lookup("two")}, wanted);
    EXPECT_EQ(one.fsid.major_, two.fsid.major_);
    EXPECT_NE(one.fsid.minor_, two.fsid.minor_);
}

TEST_F(PseudoRoot, NothingCanBeChangedThere) {
    const Bytes top = client.handle({root()});
    const std::vector<std::uint32_t> mode{0, 1u << (FATTR4_MODE - 32)};
    const std::byte value[4] = {};
    SETATTR4args attributes{};
    attributes.obj_attributes = {{mode.data(), mode.size()}, value};
    WRITE4args write{};
    write.data = as_bytes("x");
    for (const Operation& change :
         {open("new"), mkdir("new"), Operation::of_opremove({"b"}), Operation::of_opremove({"no"}),
          Operation::of_opsetattr(attributes), Operation::of_opwrite(write)})
        EXPECT_EQ(client.status_of({root(), change}), NFS4ERR_ROFS) << change.argop();
    EXPECT_EQ(client.status_of({root(), mkdir("a")}), NFS4ERR_EXIST);
    EXPECT_EQ(client.status_of({root(), open("a")}), NFS4ERR_ISDIR);
    EXPECT_EQ(client.status_of({root(), open("a", false)}), NFS4ERR_ISDIR);
    EXPECT_EQ(client.status_of({root(), open("none", false)}), NFS4ERR_NOENT);
    EXPECT_EQ(client.status_of({root(), op(OP_SAVEFH), Operation::of_oprename({"a", "c"})}),
              NFS4ERR_ROFS);
    EXPECT_EQ(client.status_of({root(), op(OP_SAVEFH), Operation::of_oplink({"c"})}), NFS4ERR_ROFS);
    EXPECT_EQ(client.status_of({put(top), Operation::of_opcommit({0, 0})}), NFS4ERR_ISDIR);
    EXPECT_EQ(client.status_of({put(top), Operation::of_opread({{}, 0, 1})}), NFS4ERR_ISDIR);
    EXPECT_EQ(client.status_of({put(top), op(OP_READLINK)}), NFS4ERR_WRONG_TYPE);
    const auto done = client.send({root(), Operation::of_opaccess({0x3f})});
    EXPECT_EQ(done[1].opaccess().resok4().access, ACCESS4_READ | ACCESS4_LOOKUP);
}

TEST_F(PseudoRoot, ExportsAreSeparateFileSystems) {
    ASSERT_EQ(client.status_of({root(), lookup("a"), open("f")}), NFS4_OK);
    const auto across = [&](const Operation& operation, std::vector<Operation> from,
                            std::vector<Operation> to) {
        from.push_back(op(OP_SAVEFH));
        from.insert(from.end(), to.begin(), to.end());
        from.push_back(operation);
        return client.status_of(from);
    };
    const auto rename = Operation::of_oprename({"f", "g"});
    const auto link = Operation::of_oplink({"g"});
    const std::vector<Operation> a{root(), lookup("a")};
    const std::vector<Operation> deep{root(), lookup("b"), lookup("deep")};
    EXPECT_EQ(across(rename, a, deep), NFS4ERR_XDEV);
    EXPECT_EQ(across(link, {root(), lookup("a"), lookup("f")}, deep), NFS4ERR_XDEV);
    EXPECT_EQ(across(rename, a, {root(), lookup("fixed")}), NFS4ERR_ROFS);
    EXPECT_EQ(across(rename, a, {root()}), NFS4ERR_ROFS);
    EXPECT_EQ(across(rename, a, a), NFS4_OK);
    EXPECT_EQ(client.status_of({root(), lookup("fixed"), open("f")}), NFS4ERR_ROFS);
}

TEST_F(PseudoRoot, SecinfoOfANameThatLeadsToAnExport) {
    const auto done = client.send({root(), Operation::of_opsecinfo({"a"})});
    ASSERT_EQ(done.status(), NFS4_OK);
    EXPECT_EQ(done[1].opsecinfo().resok4().size(), 2u);
    EXPECT_EQ(client.status_of({root(), Operation::of_opsecinfo({"a"}), op(OP_GETFH)}),
              NFS4ERR_NOFILEHANDLE);
    EXPECT_EQ(client.status_of({root(), Operation::of_opsecinfo({"secret"})}), NFS4ERR_NOENT);
}

// A client with an allowed address lends its handle to one without.
TEST_F(PseudoRoot, ClientsWithoutAnExportAreDenied) {
    const auto attributes = Operation::of_opgetattr({});
    const Handle secret = server.root(3);
    EXPECT_EQ(client.status_of({put(secret.view()), attributes}), NFS4ERR_ACCESS);
    EXPECT_EQ(client.status_of({put(secret.view()), op(OP_LOOKUPP)}), NFS4ERR_ACCESS);
    ASSERT_TRUE(server.exports.set({TestServer::export_of("/x/y", memory(), only_for("1.2.3.4"))}));
    server.lines.clear();
    EXPECT_EQ(client.status_of({root()}), NFS4_OK);
    EXPECT_EQ(client.status_of({root(), attributes}), NFS4ERR_ACCESS);
    ASSERT_FALSE(server.lines.empty());
    EXPECT_NE(server.lines[0].find("no export is for 10.0.0.7; answered NFS4ERR_ACCESS"),
              std::string::npos)
        << server.lines[0];
    EXPECT_EQ(client.status_of({root(), lookup("x")}), NFS4ERR_ACCESS);
    server.peer = peer_at(1, 2, 3, 4);
    EXPECT_EQ(names({root(), lookup("x")}), "y");
}

TEST_F(PseudoRoot, HandlesOutliveAChangeOfTheExports) {
    const Bits wanted{FATTR4_CHANGE};
    const Bytes top = client.handle({root()});
    const Bytes b = client.handle({root(), lookup("b")});
    const auto before = client.attributes({put(top)}, wanted);
    ASSERT_TRUE(server.exports.set({TestServer::export_of("/c", memory())}));
    EXPECT_EQ(client.handle({root()}), top);
    EXPECT_EQ(names({put(top)}), "c");
    EXPECT_GT(client.attributes({put(top)}, wanted).change, before.change);
    EXPECT_EQ(client.status_of({put(b), Operation::of_opgetattr({})}), NFS4ERR_STALE);
    EXPECT_EQ(client.status_of({put(b), lookup("deep")}), NFS4ERR_STALE);
    EXPECT_EQ(client.status_of({put(b), op(OP_LOOKUPP)}), NFS4ERR_STALE);
    // A root of its own now, but the old handle still leads to the names.
    ASSERT_TRUE(server.exports.set(
        {TestServer::export_of("/", memory()), TestServer::export_of("/c", memory())}));
    EXPECT_NE(client.handle({root()}), top);
    EXPECT_EQ(names({put(top)}), "c");
}

TEST_F(PseudoRoot, AListingEndsWhenTheExportsChange) {
    READDIR4args args{};
    args.maxcount = 60;
    const auto first = client.send({root(), Operation::of_opreaddir(args)});
    ASSERT_EQ(first.status(), NFS4_OK);
    const auto& page = first[1].opreaddir().resok4();
    ASSERT_FALSE(page.reply.eof);
    args.cookie = page.reply.entries->cookie;
    args.cookieverf = page.cookieverf;
    EXPECT_EQ(client.status_of({root(), Operation::of_opreaddir(args)}), NFS4_OK);
    ASSERT_TRUE(server.exports.set(usual()));
    EXPECT_EQ(client.status_of({root(), Operation::of_opreaddir(args)}), NFS4ERR_NOT_SAME);
}

// §18.23.3: an attribute that cannot be read is told by rdattr_error, if the client asks for it.
TEST_F(PseudoRoot, ABrokenExportIsListed) {
    ASSERT_TRUE(server.exports.set({TestServer::export_of("/bad", std::make_shared<Broken>()),
                                    TestServer::export_of("/good", memory())}));
    const auto listed = list({root()});
    ASSERT_EQ(listed.size(), 2u);
    const auto& bad = listed.at("bad").values;
    EXPECT_EQ(bad.rdattr_error, NFS4ERR_IO);
    EXPECT_EQ(bad.present, (Bits{FATTR4_RDATTR_ERROR, FATTR4_MOUNTED_ON_FILEID}));
    EXPECT_NE(bad.mounted_on_fileid, 0u);
    EXPECT_EQ(listed.at("good").values.rdattr_error, NFS4_OK);
    READDIR4args args{};
    args.maxcount = 4096;
    EXPECT_EQ(client.status_of({root(), Operation::of_opreaddir(args)}), NFS4_OK) << "names alone";
    const std::vector<std::uint32_t> type{1u << FATTR4_TYPE};
    args.attr_request = {type.data(), type.size()};
    EXPECT_EQ(client.status_of({root(), Operation::of_opreaddir(args)}), NFS4ERR_IO);
    EXPECT_EQ(client.status_of({root(), lookup("bad"), Operation::of_opgetattr({})}), NFS4ERR_IO);
}

// The names of exports hide files, and the directory of the outer export shows them first.
TEST_F(PseudoRoot, AnExportInsideAnother) {
    ASSERT_TRUE(server.exports.set({TestServer::export_of("/", memory())}));
    for (const std::string_view name : {"data", "file"})
        ASSERT_EQ(client.status_of({root(), open(name)}), NFS4_OK);
    const auto outer = (*server.exports.table())[0].files;
    ASSERT_TRUE(server.exports.set({TestServer::export_of("/", outer),
                                    TestServer::export_of("/data", memory()),
                                    TestServer::export_of("/x/y", memory())}));
    EXPECT_EQ(names({root()}), "data file x");
    for (const count4 maxcount : {130u, 200u, 300u})
        EXPECT_EQ(names({root()}, maxcount), "data file x") << maxcount;
    const auto listed = list({root()});
    EXPECT_EQ(listed.at("data").values.type, NF4DIR);
    EXPECT_EQ(listed.at("file").values.type, NF4REG);
    EXPECT_EQ(client.status_of({root(), lookup("data"), open("inner")}), NFS4_OK);
    EXPECT_EQ(names({root(), lookup("data")}), "inner");
    const Bytes top = client.handle({root()});
    EXPECT_EQ(client.handle({root(), lookup("data"), op(OP_LOOKUPP)}), top);
    EXPECT_EQ(client.handle({root(), lookup("x"), op(OP_LOOKUPP)}), top);
    // The name cannot be given to a file, nor taken away.
    EXPECT_EQ(client.status_of({root(), mkdir("x")}), NFS4ERR_EXIST);
    EXPECT_EQ(client.status_of({root(), open("x")}), NFS4ERR_ISDIR);
    EXPECT_EQ(client.status_of({root(), open("data", false)}), NFS4ERR_ISDIR);
    EXPECT_EQ(client.status_of({root(), Operation::of_opremove({"data"})}), NFS4ERR_ROFS);
    for (const auto& [from, to] : {std::pair{"file", "data"}, std::pair{"data", "other"}})
        EXPECT_EQ(client.status_of({root(), op(OP_SAVEFH), Operation::of_oprename({from, to})}),
                  NFS4ERR_ROFS);
    EXPECT_EQ(client.status_of(
                  {root(), lookup("file"), op(OP_SAVEFH), root(), Operation::of_oplink({"data"})}),
              NFS4ERR_EXIST);
    // The outer export is as before for everything else.
    EXPECT_EQ(client.status_of({root(), Operation::of_opremove({"file"})}), NFS4_OK);
}

// Crossing needs the right to search, and listing the right to read, as for any directory.
TEST_F(PseudoRoot, TheOuterExportsRightsApply) {
    backend::MemoryOptions closed;
    closed.root_mode = 0700;
    ASSERT_TRUE(server.exports.set({TestServer::export_of("/", backend::make_memory_fs(closed)),
                                    TestServer::export_of("/data", memory())}));
    EXPECT_EQ(client.status_of({root(), lookup("data")}), NFS4ERR_ACCESS);
    EXPECT_EQ(client.status_of({root(), Operation::of_opsecinfo({"data"})}), NFS4ERR_ACCESS);
    READDIR4args args{};
    args.maxcount = 4096;
    EXPECT_EQ(client.status_of({root(), Operation::of_opreaddir(args)}), NFS4ERR_ACCESS);
}

// The pseudo root is no export: not for MOUNT, not for version 3, not for statistics.
TEST_F(PseudoRoot, OtherVersionsDoNotSeeIt) {
    const Bytes top = client.handle({root()});
    const auto list = server.mount3().EXPORT();
    ASSERT_TRUE(list);
    for (const auto* one = *list; one != nullptr; one = one->ex_next)
        EXPECT_NE(one->ex_dir, "pseudo root");
    EXPECT_EQ(server.mount3().MNT("/")->fhs_status(), mount::MNT3ERR_NOENT);
    EXPECT_EQ(server.mount3().MNT("/b")->fhs_status(), mount::MNT3ERR_NOENT);
    EXPECT_EQ(server.v3().GETATTR({{top}})->status(), nfs3::NFS3ERR_STALE);
    EXPECT_EQ(server.exports.export_counts().size(), 4u);
    EXPECT_EQ(server.exports.table()->size(), 4u);
}

TEST_F(PseudoRoot, OneExportWithANameIsBelowTheRoot) {
    ASSERT_TRUE(server.exports.set({TestServer::export_of("/only", memory())}));
    EXPECT_EQ(names({root()}), "only");
    EXPECT_EQ(client.status_of({root(), lookup("only"), open("f")}), NFS4_OK);
}

}  // namespace
}  // namespace helio::nfs::v4::pseudo_root_test
