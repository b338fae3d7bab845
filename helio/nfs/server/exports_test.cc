#include "helio/nfs/server/exports.h"

#include <gtest/gtest.h>

#include <thread>

#include "testing/nfs/server.h"

namespace helio::nfs::exports_test {
namespace {

using vfs::Status;

struct Fixture : ::testing::Test {
    std::vector<std::string> lines;
    Exports exports{kTestKey, [this](std::string_view line) { lines.emplace_back(line); }};
    xdr::Arena arena;
    rpc::Call call{arena};
    AuthorizedHandle authorized;

    Fixture() {
        call.peer = peer_at(10, 0, 0, 7);
        call.xid = 0x5e1f;
        call.program = 100003;
        call.version = 3;
        call.procedure = nfs3::NFS_V3::WRITE;
    }
    Handle root(std::size_t number = 0) {
        const auto table = exports.table();
        return exports.seal((*table)[number], (*table)[number].files->root());
    }
    // The guard ends here: the handle may be inspected afterwards, not used.
    Status open(const Handle& handle, Intent intent = Intent::read) {
        const Exports::TableGuard guard{exports};
        return exports.open(guard, call, handle.view(), intent, authorized);
    }
    Status find(std::string_view path, std::string& below) {
        const Exports::TableGuard guard{exports};
        std::string_view rest;
        const Status status = exports.find(guard, call, path, authorized, rest);
        below = rest;
        return status;
    }
    void set(std::initializer_list<Export> all) { ASSERT_TRUE(exports.set(all)); }
    static Export one(std::string path, ExportRules rules = {}) {
        return TestServer::export_of(std::move(path), backend::make_memory_fs(), std::move(rules));
    }
};

TEST_F(Fixture, ReadOnlyIsDeniedWithTheRule) {
    set({one("/data", {.read_only = true})});
    EXPECT_EQ(open(root(), Intent::read), Status::ok);
    EXPECT_EQ(open(root(), Intent::change), Status::read_only);
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0],
              "nfs: 10.0.0.7:801 xid 5e1f NFS3 WRITE: /data is read-only; answered NFS3ERR_ROFS");
}

TEST_F(Fixture, AddressIsCheckedOnEveryCall) {
    set({one("/", {.allowed = {Network::parse("10.1.0.0/16").value()}})});
    EXPECT_EQ(open(root()), Status::access_denied);
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_NE(lines[0].find("/ is not for 10.0.0.7; answered NFS3ERR_ACCES"), std::string::npos);
    call.peer = peer_at(10, 1, 0, 7);
    EXPECT_EQ(open(root()), Status::ok);
    // A local socket is this machine.
    call.peer.client.kind = rpc::kClientUnix;
    EXPECT_EQ(open(root()), Status::access_denied);
}

TEST_F(Fixture, DatagramsAreAnsweredWhereTheirSourceIsKnown) {
    const Network network = Network::parse("10.1.0.0/16").value();
    const struct {
        ExportRules rules;
        bool local;
        std::uint8_t second;
        Status udp;
        bool trusted;
    } rows[] = {
        {{}, false, 0, Status::access_denied, false},
        {{}, true, 0, Status::ok, true},
        {{.udp = true}, false, 0, Status::ok, true},
        {{.allowed = {network}}, false, 1, Status::ok, true},
        {{.allowed = {network}}, false, 2, Status::access_denied, false},
        {{.allowed = {network}, .udp = true}, false, 2, Status::access_denied, true},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(&row - rows);
        set({one("/", row.rules)});
        call.peer = peer_at(10, row.second, 0, 7);
        call.peer.local = row.local;
        call.peer.transport = rpc::Transport::udp;
        EXPECT_EQ(open(root()), row.udp);
        EXPECT_EQ(exports.trusts_datagrams_of(call.peer), row.trusted);
    }
    ASSERT_FALSE(lines.empty());
    EXPECT_EQ(lines[0],
              "nfs: 10.0.0.7:801 xid 5e1f NFS3 WRITE: / is not served over UDP to 10.0.0.7, which "
              "no allow rule names; --udp permits it to all clients; answered NFS3ERR_ACCES");
    // Over TCP the address is proven by the handshake.
    set({one("/")});
    call.peer = peer_at(10, 0, 0, 7);
    EXPECT_EQ(open(root()), Status::ok);
}

TEST_F(Fixture, Squash) {
    const std::array<std::uint32_t, 3> gids{5, 0, 7};
    struct Case {
        Squash squash;
        std::uint32_t flavor, uid, gid;
        std::uint32_t to_uid, to_gid;
        std::vector<std::uint32_t> to_gids;
    };
    constexpr std::uint32_t kNone = UINT32_MAX;
    const Case cases[] = {
        {Squash::none, 1, 0, 0, 0, 0, {5, 0, 7}},
        {Squash::none, 1, 1000, 100, 1000, 100, {5, 0, 7}},
        {Squash::none, 0, 0, 0, 99, 98, {}},  // AUTH_NONE is anonymous
        {Squash::none, 1, kNone, 100, 99, 98, {}},
        {Squash::none, 1, 1000, kNone, 1000, 98, {5, 0, 7}},
        {Squash::root, 1, 0, 0, 99, 98, {}},
        {Squash::root, 1, 0, 100, 99, 98, {}},
        {Squash::root, 1, 1000, 0, 1000, 98, {5, 7}},
        {Squash::root, 1, 1000, 100, 1000, 100, {5, 7}},
        {Squash::all, 1, 1000, 100, 99, 98, {}},
        {Squash::all, 1, 0, 0, 99, 98, {}},
    };
    for (const Case& c : cases) {
        set({one("/", {.squash = c.squash, .anonymous_uid = 99, .anonymous_gid = 98})});
        call.credential = {c.flavor, c.uid, c.gid, gids, "m"};
        ASSERT_EQ(open(root()), Status::ok);
        const std::string what = std::to_string(&c - cases);
        EXPECT_EQ(authorized.caller.uid, c.to_uid) << what;
        EXPECT_EQ(authorized.caller.gid, c.to_gid) << what;
        EXPECT_EQ(std::vector<std::uint32_t>(authorized.caller.groups.begin(),
                                             authorized.caller.groups.end()),
                  c.to_gids)
            << what;
    }
}

TEST_F(Fixture, HandlesAreOfOneExport) {
    const auto files = backend::make_memory_fs();
    set({TestServer::export_of("/a", files), TestServer::export_of("/b", files)});
    ASSERT_EQ(open(root(0)), Status::ok);
    EXPECT_EQ(authorized.where->path, "/a");
    ASSERT_EQ(open(root(1)), Status::ok);
    EXPECT_EQ(authorized.where->path, "/b");
    const Handle gone = root(1);
    set({TestServer::export_of("/a", files)});
    EXPECT_EQ(open(gone), Status::stale);
    EXPECT_EQ(lines.size(), 1u);
    Handle forged = root(0);
    forged.bytes[6] ^= std::byte{1};
    EXPECT_EQ(open(forged), Status::bad_handle);
    EXPECT_EQ(lines.size(), 2u);
}

TEST_F(Fixture, TagsSurviveARestart) {
    const auto files = backend::make_memory_fs();
    set({TestServer::export_of("/a", files)});
    const Handle before = root();
    Exports again{kTestKey, {}};
    ASSERT_TRUE(again.set({TestServer::export_of("/x", backend::make_memory_fs()),
                           TestServer::export_of("/a", files)}));
    const Exports::TableGuard guard{again};
    EXPECT_EQ(again.open(guard, call, before.view(), Intent::read, authorized), Status::ok);
    EXPECT_EQ(authorized.where->path, "/a");
}

TEST_F(Fixture, TableIsExchangedUnderVisits) {
    const auto files = backend::make_memory_fs();
    std::weak_ptr<vfs::FileSystem> old;
    {
        auto first = backend::make_memory_fs();
        old = first;
        set({TestServer::export_of("/a", std::move(first))});
    }
    {
        const Exports::TableGuard guard{exports};
        set({TestServer::export_of("/b", files)});
        EXPECT_EQ(guard.table().front().path, "/a");
        EXPECT_FALSE(old.expired());
        const Exports::TableGuard second{exports};  // nested: it has no slot
        EXPECT_EQ(second.table().front().path, "/b");
    }
    EXPECT_TRUE(old.expired()) << "the last guard lets it go";
}

TEST_F(Fixture, ManyThreadsVisitWhileTablesChange) {
    const auto files = backend::make_memory_fs();
    set({TestServer::export_of("/a", files)});
    std::atomic<bool> stop = false;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            while (!stop) {
                const Exports::TableGuard guard{exports};
                if (guard.table().size() != 1 || guard.table().front().path[0] != '/') std::abort();
            }
        });
    for (int i = 0; i < 2000; ++i) set({TestServer::export_of("/" + std::to_string(i), files)});
    stop = true;
    for (auto& one : threads) one.join();
}

TEST_F(Fixture, RefusesTablesThatCannotBe) {
    const auto files = backend::make_memory_fs();
    const auto twice =
        exports.set({TestServer::export_of("/a", files), TestServer::export_of("a/", files)});
    ASSERT_FALSE(twice);
    EXPECT_EQ(twice.error(), "/a is exported twice");
    EXPECT_TRUE(exports.table()->empty()) << "the old table stays";
    ExportTable many;
    for (std::size_t i = 0; i < kExportTableMax; ++i)
        many.push_back(TestServer::export_of("/" + std::to_string(i), files));
    // Some tags of so many are alike: 24 bits. That is not what is counted here.
    (void)exports.set(many);
    many.push_back(TestServer::export_of("/one more", files));
    const auto beyond = exports.set(many);
    ASSERT_FALSE(beyond);
    EXPECT_EQ(beyond.error(), "4097 exports; the limit is 4096");
}

TEST_F(Fixture, FindsTheLongestPath) {
    set({one("/"), one("/data"), one("/data/deep")});
    std::string below;
    const auto where = [&](std::string_view path) {
        EXPECT_EQ(find(path, below), Status::ok) << path;
        return authorized.where->path + " " + below;
    };
    EXPECT_EQ(where("/"), "/ ");
    EXPECT_EQ(where("/data"), "/data ");
    EXPECT_EQ(where("/data/"), "/data ");
    EXPECT_EQ(where("/data/x/y"), "/data x/y");
    EXPECT_EQ(where("/data/deep/z"), "/data/deep z");
    EXPECT_EQ(where("/database"), "/ database");
}

TEST_F(Fixture, OneExportNeedsNoName) {
    std::string below;
    set({one("/data")});
    EXPECT_EQ(find("/", below), Status::ok);
    EXPECT_EQ(find("/data", below), Status::ok);
    EXPECT_EQ(find("/dat", below), Status::not_found);
    EXPECT_EQ(find("", below), Status::not_found);
    set({one("/data"), one("/more")});
    EXPECT_EQ(find("/", below), Status::not_found);
}

TEST_F(Fixture, LogIsBoundedAndPrintable) {
    set({one("/data")});
    std::string below;
    EXPECT_EQ(find("/\x1b[31m\n%s" + std::string(500, 'x'), below), Status::not_found);
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0].find_first_of("\x1b\n"), std::string::npos);
    EXPECT_LT(lines[0].size(), 250u);
    EXPECT_NE(lines[0].find("\\x1b[31m\\n%s"), std::string::npos);
    for (int i = 0; i < 1000; ++i) find("/no", below);
    EXPECT_LT(lines.size(), 1000u);
}

TEST_F(Fixture, CountersStayWithTheExport) {
    const auto files = backend::make_memory_fs();
    set({TestServer::export_of("/a", files)});
    {
        const auto table = exports.table();
        exports.count(call, &table->front(), Status::ok, 0, 4096);
        exports.count(call, &table->front(), Status::no_space, 0, 0);
        exports.count(call, nullptr, Status::bad_handle, 0, 0);
    }
    set({TestServer::export_of("/a", files, {.read_only = true}), one("/b")});
    const auto counts = exports.export_counts();
    ASSERT_EQ(counts.size(), 2u);
    EXPECT_EQ(counts[0].path, "/a");
    EXPECT_EQ(counts[0].bytes_written, 4096u);
    ASSERT_EQ(counts[0].procedures.size(), kProceduresAll);
    const ProcedureCount& write = counts[0].procedures[nfs3::NFS_V3::WRITE];
    EXPECT_EQ(write.procedure, "WRITE");
    EXPECT_EQ(write.calls, 2u);
    EXPECT_EQ(write.errors, 1u);
    EXPECT_EQ(counts[1].bytes_written, 0u);
    const auto clients = exports.client_counts();
    ASSERT_EQ(clients.size(), 1u);
    EXPECT_EQ(clients[0].client, "10.0.0.7");
    EXPECT_EQ(clients[0].calls, 3u);
    EXPECT_EQ(clients[0].errors, 2u);
}

// More threads than have counters of their own, in two generations.
TEST_F(Fixture, CallsOfAllThreadsAddUp) {
    constexpr std::size_t kThreads = kThreadsCountedMax + 8;
    for (int round = 0; round < 2; ++round) {
        std::vector<std::thread> threads;
        for (std::size_t i = 0; i < kThreads; ++i)
            threads.emplace_back([&] {
                for (int n = 0; n < 500; ++n)
                    exports.count(call, nullptr, n % 2 == 0 ? Status::ok : Status::stale, 3, 5);
            });
        for (std::thread& one : threads) one.join();
    }
    const auto clients = exports.client_counts();
    ASSERT_EQ(clients.size(), 1u);
    EXPECT_EQ(clients[0].calls, 2 * kThreads * 500);
    EXPECT_EQ(clients[0].errors, kThreads * 500);
    EXPECT_EQ(clients[0].bytes_read, 3 * clients[0].calls);
    EXPECT_EQ(clients[0].bytes_written, 5 * clients[0].calls);
}

TEST_F(Fixture, ClientsBeyondTheBoundAreOthers) {
    for (std::size_t i = 0; i < kClientsCountedMax + 10; ++i) {
        call.peer = peer_at(10, 1, static_cast<int>(i / 256), static_cast<int>(i % 256));
        exports.count(call, nullptr, Status::ok, 1, 0);
    }
    const auto clients = exports.client_counts();
    ASSERT_EQ(clients.size(), kClientsCountedMax + 1);
    EXPECT_EQ(clients.back().client, "others");
    EXPECT_EQ(clients.back().calls, 10u);
    EXPECT_EQ(clients.back().bytes_read, 10u);
}

}  // namespace
}  // namespace helio::nfs::exports_test
