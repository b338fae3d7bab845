// The daemon over a real socket, called by our own client. tests/cli tests it with libvirt's
// clients.
#include "helio/virt/daemon/daemon.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include <fmt/format.h>

#include "helio/transport/server/server.h"
#include "helio/virt/client/client.h"
#include "helio/virt/client/events.h"
#include "helio/virt/client/stream.h"
#include "helio/virt/server/server_client.h"
#include "schema/remote_service.h"

namespace helio::virt::daemon::daemon_test {
namespace {

namespace wire = ::helio::remote;
using Remote = wire::REMOTE_PROTOCOL_VERSION;

struct Folder {
    std::string path;
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "helio-virt-XXXXXX").string();
        if (mkdtemp(name.data()) != nullptr) path = name;
    }
    ~Folder() { std::filesystem::remove_all(path); }
};

class DaemonTest : public testing::Test {
 public:
    Folder folder;
    host::Host host;
    std::unique_ptr<Daemon> daemon;
    rpc::Server programs;
    server::SessionFactory full{{}};
    server::SessionFactory looking{[] {
        server::ServerClientOptions options;
        options.read_only = true;
        return options;
    }()};
    std::unique_ptr<transport::Server> sockets;

    void serve(std::initializer_list<const char*> faults = {}) {
        DaemonOptions options;
        for (const char* const text : faults) options.faults.push_back(*parse_fault(text));
        host.add_default();
        daemon = std::make_unique<Daemon>(host, options);
        daemon->add_to(programs);
        sockets =
            std::make_unique<transport::Server>(programs, transport::ServerLimits{.threads = 2});
        sockets->listen_unix(folder.path + "/rw", &full);
        sockets->listen_unix(folder.path + "/ro", &looking);
        sockets->start();
    }
    ~DaemonTest() override {
        if (sockets) sockets->stop(std::chrono::milliseconds(0));
    }
    std::unique_ptr<Client> open(std::string_view socket = "rw") {
        auto client =
            Client::open(fmt::format("test+unix:///default?socket={}/{}", folder.path, socket));
        EXPECT_TRUE(client) << to_text(client.error());
        return client ? std::move(*client) : nullptr;
    }
};

TEST_F(DaemonTest, ListsFindsAndRefuses) {
    serve();
    const auto client = open();
    Remote::Client remote{*client};
    const auto list = remote.CONNECT_LIST_ALL_DOMAINS({.need_results = 1, .flags = 0});
    ASSERT_TRUE(list);
    ASSERT_EQ(list->domains.size(), 1U);
    EXPECT_EQ(list->domains[0].name, "test");
    EXPECT_EQ(list->domains[0].id, 1);
    EXPECT_FALSE(remote.DOMAIN_LOOKUP_BY_NAME({.name = "nobody"}));
    EXPECT_EQ(client->failure().error,
              (VirtError{VIR_ERR_NO_DOMAIN, VIR_FROM_TEST, VIR_ERR_ERROR, "Domain not found"}));
    EXPECT_FALSE(remote.DOMAIN_SUSPEND({.dom = {.name = "gone", .uuid = {}, .id = -1}}));
    EXPECT_EQ(client->failure().error.message,
              "Domain not found: no domain with matching uuid "
              "'00000000-0000-0000-0000-000000000000' (gone)");
    // The answer of a driver without the function.
    EXPECT_FALSE(remote.DOMAIN_BLOCK_COMMIT({}));
    EXPECT_EQ(client->failure().error.code, VIR_ERR_NO_SUPPORT);
}

TEST_F(DaemonTest, ALookerMayOnlyLook) {
    serve();
    const auto client = open("ro");
    Remote::Client remote{*client};
    const auto dom = remote.DOMAIN_LOOKUP_BY_NAME({.name = "test"});
    ASSERT_TRUE(dom);
    const wire::remote_nonnull_domain test{.name = "test", .uuid = dom->dom.uuid, .id = 1};
    EXPECT_FALSE(remote.DOMAIN_DESTROY({.dom = test}));
    EXPECT_EQ(client->failure().error.message,
              "operation forbidden: read only access prevents virDomainDestroy");
    EXPECT_TRUE(remote.DOMAIN_GET_XML_DESC({.dom = test, .flags = 0}));
    EXPECT_FALSE(remote.DOMAIN_GET_XML_DESC({.dom = test, .flags = 1}));
    EXPECT_EQ(client->failure().error.code, VIR_ERR_OPERATION_DENIED);
}

Task<std::string> watch(ClientConnection& connection, Client& other) {
    Events events{connection};
    if (!co_await events.subscribe(kEventLifecycle)) co_return "no subscription";
    Remote::Client remote{other};
    const auto dom = remote.DOMAIN_LOOKUP_BY_NAME({.name = "test"});
    if (!dom) co_return "no domain";
    const wire::remote_nonnull_domain test{.name = "test", .uuid = dom->dom.uuid, .id = 1};
    (void)remote.DOMAIN_SUSPEND({.dom = test});
    (void)remote.DOMAIN_DESTROY({.dom = test});
    std::string said;
    for (int i = 0; i < 2; ++i) {
        const auto event = co_await events.next();
        if (!event) co_return to_text(event.error());
        const auto change = lifecycle_of(*event);
        if (!change) co_return "another event";
        said += fmt::format("{} {}/{} ", change->domain.name, change->event, change->detail);
    }
    co_return said;
}

TEST_F(DaemonTest, TellsWhatHappens) {
    serve();
    const auto watcher = open(), other = open();
    EXPECT_EQ(watcher->run(watch(watcher->connection(), *other)), "test 3/0 test 5/1 ");
}

Task<std::string> download(ClientConnection& connection,
                           wire::remote_storage_vol_download_args args) {
    ClientStream stream{connection};
    const auto opened = co_await Remote::AsyncClient{stream}.STORAGE_VOL_DOWNLOAD(args);
    if (!opened) co_return to_text(connection.failure(opened.error()));
    std::string all;
    std::uint64_t holes = 0;
    while (true) {
        const auto piece = co_await stream.read();
        if (!piece) co_return to_text(piece.error());
        if (piece->kind == StreamPiece::Kind::end) break;
        if (piece->kind == StreamPiece::Kind::hole) {
            all.append(static_cast<std::size_t>(piece->hole), '\0');
            ++holes;
        }
        all += as_text(piece->data);
    }
    if (!co_await stream.finish()) co_return "no end";
    co_return fmt::format("{} holes, {} bytes, {}", holes, all.size(),
                          std::hash<std::string>()(all));
}

Task<std::string> upload(ClientConnection& connection, wire::remote_storage_vol_upload_args args,
                         std::string content) {
    ClientStream stream{connection};
    const auto opened = co_await Remote::AsyncClient{stream}.STORAGE_VOL_UPLOAD(args);
    if (!opened) co_return to_text(connection.failure(opened.error()));
    if (const auto done = co_await stream.write(as_bytes(content)); !done)
        co_return to_text(done.error());
    if (const auto done = co_await stream.finish(); !done) co_return to_text(done.error());
    co_return "done";
}

TEST_F(DaemonTest, VolumesGoUpAndDown) {
    serve();
    const auto pool = host.pool_by_name("default-pool")->uuid;
    const auto key =
        host.create_volume(pool, "<volume><name>v</name><capacity>3000000</capacity></volume>");
    ASSERT_TRUE(key);
    const wire::remote_nonnull_storage_vol volume{
        .pool = "default-pool", .name = "v", .key = key->key};
    std::string content(3'000'000, '\0');
    for (std::size_t i = 1'000'000; i < 2'000'000; ++i) content[i] = static_cast<char>(i * 31 >> 3);
    const auto client = open();
    ClientConnection& connection = client->connection();
    EXPECT_EQ(client->run(upload(connection,
                                 {.vol = volume, .offset = 1'000'000, .length = 0, .flags = 0},
                                 content.substr(1'000'000, 1'000'000))),
              "done");
    const auto hash = std::hash<std::string>()(content);
    EXPECT_EQ(client->run(download(connection, {.vol = volume})),
              fmt::format("0 holes, 3000000 bytes, {}", hash));
    EXPECT_EQ(client->run(download(connection, {.vol = volume, .flags = 1})),
              fmt::format("2 holes, 3000000 bytes, {}", hash));
    EXPECT_EQ(client->run(download(connection, {.vol = volume, .offset = 1'000'000, .length = 10})),
              fmt::format("0 holes, 10 bytes, {}",
                          std::hash<std::string>()(content.substr(1'000'000, 10))));
    EXPECT_EQ(
        client->run(download(connection, {.vol = volume, .offset = 3'000'001})),
        "invalid argument: the volume has 3000000 bytes, and offset 3000001 is beyond its end");
    EXPECT_EQ(client->run(upload(connection, {.vol = volume, .length = 10}, "eleven bytes")),
              "cannot write to stream: No space left on device");
}

Task<std::string> console(ClientConnection& connection, host::Host& host, host::Uuid uuid) {
    ClientStream stream{connection};
    wire::remote_nonnull_domain domain{.name = "test", .uuid = {}, .id = 1};
    std::memcpy(domain.uuid.data(), uuid.bytes.data(), uuid.bytes.size());
    const auto opened = co_await Remote::AsyncClient{stream}.DOMAIN_OPEN_CONSOLE({.dom = domain});
    if (!opened) co_return to_text(connection.failure(opened.error()));
    (void)co_await stream.write(as_bytes("typed"));
    std::string all;
    bool ended = false;
    while (true) {
        const auto piece = co_await stream.read();
        if (!piece) co_return to_text(piece.error());
        if (piece->kind == StreamPiece::Kind::end) break;
        all += as_text(piece->data);
        if (all.ends_with("typed") && !std::exchange(ended, true)) (void)host.destroy_domain(uuid);
    }
    co_return all.substr(0, 8) + "…" + all.substr(all.size() - 5);
}

TEST_F(DaemonTest, AConsoleEchoesUntilItsDomainStops) {
    serve();
    const auto client = open();
    EXPECT_EQ(client->run(console(client->connection(), host, host.domain_by_name("test")->uuid)),
              "test on …typed");
}

TEST_F(DaemonTest, FaultsHappenAsOrdered) {
    serve({"NodeGetInfo:error=38/18 disk is gone,", "ConnectGetHostname:delay=30ms,times=1",
           "NodeGetFreeMemory:disconnect"});
    const auto client = open();
    Remote::Client remote{*client};
    EXPECT_FALSE(remote.NODE_GET_INFO());
    EXPECT_EQ(client->failure().error, (VirtError{38, 18, VIR_ERR_ERROR, "disk is gone,"}));
    const auto before = std::chrono::steady_clock::now();
    const auto name = remote.CONNECT_GET_HOSTNAME();
    ASSERT_TRUE(name);
    EXPECT_EQ(name->hostname, "heliograph");
    EXPECT_GE(std::chrono::steady_clock::now() - before, std::chrono::milliseconds(30));
    EXPECT_FALSE(remote.NODE_GET_FREE_MEMORY());
    EXPECT_EQ(client->failure().call.outcome, xdr::Outcome::unreachable);
    EXPECT_TRUE(open());
}

TEST_F(DaemonTest, AFaultOfNoProcedureIsRefused) {
    DaemonOptions options;
    options.faults.push_back(*parse_fault("DomainExplode:hang"));
    EXPECT_THROW(Daemon(host, options), std::runtime_error);
}

TEST_F(DaemonTest, StatisticsOfThousands) {
    serve();
    for (int i = 0; i < 5000; ++i)
        ASSERT_TRUE(host.define_domain(fmt::format(
            "<domain type='test'><name>d{}</name><memory>1024</memory><os><type>hvm</type></os>"
            "</domain>",
            i)));
    const auto client = open();
    Remote::Client remote{*client};
    const auto list = remote.CONNECT_LIST_ALL_DOMAINS({.need_results = 1, .flags = 0});
    ASSERT_TRUE(list) << to_text(client->failure());
    EXPECT_EQ(list->domains.size(), 5001U);
    const auto stats = remote.CONNECT_GET_ALL_DOMAIN_STATS({.doms = {}, .stats = 0, .flags = 0});
    ASSERT_TRUE(stats) << to_text(client->failure());
    ASSERT_EQ(stats->retStats.size(), 5001U);
    const wire::remote_domain_stats_record& last = stats->retStats[5000];
    EXPECT_EQ(last.dom.name, "test");
    EXPECT_EQ(last.params[0].field, "state.state");
}

}  // namespace
}  // namespace helio::virt::daemon::daemon_test
