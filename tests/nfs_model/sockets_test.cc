// The events of the model through sockets. Several worlds share a server with two threads: each has
// its own clients, files and connections, so that its model knows every answer, while the server
// handles all of them at once.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <thread>

#include "helio/nfs/server/programs.h"
#include "helio/transport/loop/offload.h"
#include "helio/transport/server/server.h"
#include "testing/nfs/server.h"
#include "testing/vfs/client.h"
#include "tests/nfs_model/direct_subject.h"
#include "tests/nfs_model/runs.h"
#include "tests/rpc_sockets/raw_socket.h"

namespace helio::tests::model::sockets_test {
namespace {

constexpr unsigned kWorlds = 4;
constexpr std::size_t kEvents = 1500;

std::string name_of(unsigned world, unsigned file) { return fmt::format("{}-{}", world, file); }

struct SharedServer {
    SharedServer() {
        vfs::ClientForTest root{*files, 0, 0};
        for (unsigned world = 0; world < kWorlds; ++world)
            for (unsigned i = 0; i < kFiles; ++i)
                EXPECT_EQ(root.chmod(root.create(root.root(), name_of(world, i)), 0666),
                          vfs::Status::ok);
        nfs::ExportRules rules;
        rules.squash = nfs::Squash::none;
        nfs::ExportTable table;
        table.push_back(nfs::TestServer::export_of("/", files, rules));
        EXPECT_TRUE(exports.set(std::move(table)).has_value());
        programs.add_to(rpc);
        sockets.emplace(rpc, transport::ServerLimits{.threads = 2});
        port = sockets->listen("127.0.0.1", 0);
        sockets->start();
    }

    std::shared_ptr<vfs::FileSystem> files =
        backend::make_memory_fs(nfs::TestServer::open_to_all());
    Records records;
    nfs::Exports exports{nfs::kTestKey, [](std::string_view) {}};
    transport::Pool pool{2};
    // Time stands still: however slow the machine is, no lease runs out.
    nfs::Programs programs{exports, pool, nfs::Version4{records, 7, [] { return Seconds{1000}; }}};
    rpc::Server rpc;
    std::optional<transport::Server> sockets;
    std::uint16_t port = 0;
};

class SocketSubject final : public Subject {
 public:
    SocketSubject(SharedServer& server, unsigned world) : server_(server), world_(world) {
        for (unsigned i = 0; i < 3; ++i) connections_.emplace_back(server.port);
    }
    Bytes call(unsigned connection, const Bytes& message) override {
        wire::RawStream& stream = connections_[connection];
        if (!stream.send(wire::record(message))) return {};
        return stream.receive().value_or(Bytes{});
    }
    Bytes handle(unsigned file) override {
        vfs::ClientForTest root{*server_.files, 0, 0};
        const auto table = server_.exports.table();
        const nfs::Handle handle =
            server_.exports.seal((*table)[0], root.lookup(root.root(), name_of(world_, file)));
        return {handle.view().begin(), handle.view().end()};
    }

 private:
    SharedServer& server_;
    const unsigned world_;
    std::vector<wire::RawStream> connections_;
};

TEST(NfsModelSockets, SeveralWorldsAtOnce) {
    SharedServer server;
    std::vector<std::string> failures(kWorlds);
    std::vector<std::thread> threads;
    for (unsigned world = 0; world < kWorlds; ++world)
        threads.emplace_back([&, world] {
            SocketSubject subject{server, world};
            Driver driver{subject, fmt::format("world {}", world)};
            std::optional<std::string> wrong;
            for (const Event& event : random_events(world + 1, kEvents))
                if ((wrong = driver.apply(event))) break;
            if (!wrong) wrong = driver.audit();
            if (wrong)
                failures[world] = fmt::format("{}\n{}", *wrong, fmt::join(driver.trace, "\n"));
        });
    for (std::thread& one : threads) one.join();
    for (unsigned world = 0; world < kWorlds; ++world)
        EXPECT_EQ(failures[world], "") << "world " << world;
}

}  // namespace
}  // namespace helio::tests::model::sockets_test
