// Procedures over real connections, on file systems that never, sometimes or always have to wait:
// they continue where they waited, and every call into the file system is made once.
#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <thread>

#include "helio/transport/client/client.h"
#include "helio/transport/server/server.h"
#include "testing/nfs/server.h"
#include "testing/nfs/would_block_fs.h"

namespace helio::nfs::waiting_test {
namespace {

using namespace nfs3;

struct Served {
    std::shared_ptr<Reluctant> files;
    Exports exports{kTestKey, {}};
    transport::Pool pool{3};
    Programs programs{exports, pool};
    rpc::Server server;
    std::optional<transport::Server> transport;
    std::string where;

    explicit Served(unsigned one_in, const std::function<void(Reluctant&)>& set_up = {},
                    std::size_t memory_bytes_max = 0)
        : files(std::make_shared<Reluctant>(backend::make_memory_fs(TestServer::open_to_all()),
                                            one_in)) {
        if (set_up) set_up(*files);
        HELIO_ASSERT(exports.set({TestServer::export_of("/", files)}).has_value());
        programs.add_to(server);
        transport.emplace(
            server, transport::ServerLimits{.threads = 2, .memory_bytes_max = memory_bytes_max});
        where = "127.0.0.1:" + std::to_string(transport->listen("127.0.0.1", 0));
        transport->start();
    }
    ~Served() { transport->stop(); }
    transport::Client client(bool udp = false) const {
        transport::ClientOptions options;
        options.credential = rpc::ClientCredential::sys(1000, 1000, {}, "test");
        options.udp = udp;
        return transport::Client::connect(where, options);
    }
};

Bytes copy(ByteView view) { return {view.begin(), view.end()}; }

// Calls every procedure in its usual order; the pool does what the loop would.
void use_everything(transport::Client& client, const std::string& prefix) {
    NFS_V3::Client nfs{client};
    const auto mounted = mount::MOUNT_V3::Client{client}.MNT("/");
    ASSERT_TRUE(mounted && mounted->has_mountinfo());
    const Bytes root_bytes = copy(mounted->mountinfo().fhandle);
    const nfs_fh3 root{root_bytes};
    ASSERT_EQ(nfs.GETATTR({root})->status(), NFS3_OK);
    ASSERT_EQ(nfs.FSINFO({root})->status(), NFS3_OK);
    ASSERT_EQ(nfs.FSSTAT({root})->status(), NFS3_OK);
    ASSERT_EQ(nfs.PATHCONF({root})->status(), NFS3_OK);
    sattr3 open;
    open.mode = 0755;
    const auto directory = nfs.MKDIR({{root, prefix}, open});
    ASSERT_TRUE(directory && directory->has_resok());
    const Bytes inside = copy(directory->resok().obj->data);
    for (int i = 0; i < 50; ++i) {
        const std::string name = "f" + std::to_string(i);
        const auto made =
            nfs.CREATE({{{inside}, name}, createhow3::of_obj_attributes(GUARDED, {})});
        ASSERT_TRUE(made && made->has_resok());
        const Bytes file = copy(made->resok().obj->data);
        const std::string text(static_cast<std::size_t>(i) * 1777, static_cast<char>('a' + i % 26));
        const auto size = static_cast<std::uint32_t>(text.size());
        const auto written = nfs.WRITE({{file}, 0, size, FILE_SYNC, as_bytes(text)});
        ASSERT_TRUE(written && written->has_resok());
        ASSERT_EQ(written->resok().count, size);
        const auto got = nfs.READ({{file}, 0, 1u << 20});
        ASSERT_TRUE(got && got->has_resok());
        ASSERT_EQ(as_text(got->resok().data), text);
        ASSERT_EQ(nfs.COMMIT({{file}, 0, 0})->status(), NFS3_OK);
        ASSERT_EQ(nfs.ACCESS({{file}, 0x3f})->status(), NFS3_OK);
        ASSERT_EQ(nfs.LOOKUP({{{inside}, name}})->status(), NFS3_OK);
    }
    std::size_t seen = 0;
    READDIRPLUS3args args{{inside}, 0, {}, 2000, 2000};
    for (bool end = false; !end;) {
        const auto page = nfs.READDIRPLUS(args);
        ASSERT_TRUE(page && page->has_resok());
        for (auto* one = page->resok().reply.entries; one != nullptr; one = one->nextentry) {
            ++seen;
            args.cookie = one->cookie;
        }
        args.cookieverf = page->resok().cookieverf;
        end = page->resok().reply.eof;
    }
    EXPECT_EQ(seen, 52u);
    ASSERT_EQ(nfs.SYMLINK({{{inside}, "l"}, {{}, "f1"}})->status(), NFS3_OK);
    const Bytes link = copy(nfs.LOOKUP({{{inside}, "l"}})->resok().object.data);
    ASSERT_EQ(nfs.READLINK({{link}})->resok().data, "f1");
    ASSERT_EQ(nfs.RENAME({{{inside}, "f1"}, {{inside}, "g1"}})->status(), NFS3_OK);
    ASSERT_EQ(nfs.REMOVE({{{inside}, "g1"}})->status(), NFS3_OK);
    ASSERT_EQ(nfs.SETATTR({{inside}, open, {}})->status(), NFS3_OK);
    ASSERT_EQ(nfs.RMDIR({{root, prefix}})->status(), NFS3ERR_NOTEMPTY);
}

void nfs2_lists_the_same(transport::Client& client, const Served& served) {
    const Handle root = served.exports.seal((*served.exports.table())[0], served.files->root());
    nfs2::fhandle directory{};
    std::copy(root.bytes.begin(), root.bytes.end(), directory.begin());
    const auto listed = nfs2::NFS_VERSION::Client{client}.READDIR({directory, {}, 4000});
    ASSERT_TRUE(listed && listed->has_readdirok());
    std::vector<std::string> names;
    for (auto* one = listed->readdirok().entries; one != nullptr; one = one->nextentry)
        names.emplace_back(one->name);
    std::sort(names.begin(), names.end());
    EXPECT_EQ(names, (std::vector<std::string>{".", "..", "d"}));
}

TEST(Waiting, NotAtAll) {
    Served served{UINT32_MAX};
    auto client = served.client();
    use_everything(client, "d");
    EXPECT_EQ(served.files->waited, 0u);
}

TEST(Waiting, EveryCallIntoTheFileSystem) {
    Served served{1};
    auto client = served.client();
    use_everything(client, "tcp");
    EXPECT_GT(served.files->waited, 300u);
    auto datagrams = served.client(true);
    nfs3::NFS_V3::Client nfs{datagrams};
    const Handle root = served.exports.seal((*served.exports.table())[0], served.files->root());
    EXPECT_EQ(nfs.GETATTR({{root.view()}})->status(), NFS3_OK);
}

TEST(Waiting, AFileSystemThatAlwaysBlocksIsNeverTriedAtOnce) {
    Served served{1, [](Reluctant& files) { files.blocks = true; }};
    auto client = served.client();
    use_everything(client, "d");
    EXPECT_EQ(served.files->asked_at_once, 0u);
}

// The entries that were listed before the wait are kept, and the rest follows them.
TEST(Waiting, InTheMiddleOfAListing) {
    for (const std::size_t before : {std::size_t{0}, std::size_t{1}, std::size_t{7}}) {
        Served served{UINT32_MAX,
                      [before](Reluctant& files) { files.entries_before_wait = before; }};
        auto client = served.client();
        use_everything(client, "d");
        EXPECT_GT(served.files->waited, 0u);
        // 52 names listed once; a page that is full gives back the one that did not fit.
        EXPECT_EQ(served.files->entries_given, 52u) << before;
        nfs2_lists_the_same(client, served);
    }
}

TEST(Waiting, ManyClientsWhileTheTableChanges) {
    Served served{3};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&served, i] {
            auto client = served.client();
            use_everything(client, "d" + std::to_string(i));
        });
    for (int i = 0; i < 20; ++i) {
        ASSERT_TRUE(served.exports.set({TestServer::export_of("/", served.files)}));
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    for (auto& one : threads) one.join();
    EXPECT_GT(served.files->waited, 300u);
    const auto counts = served.exports.export_counts().front();
    EXPECT_EQ(counts.procedures[NFS_V3::CREATE].calls, 200u) << "each counted once";
}

Handle root_of(const Served& served, std::size_t number) {
    const auto table = served.exports.table();
    return served.exports.seal((*table)[number], (*table)[number].files->root());
}

TEST(Waiting, ResultsThatThereIsNoMemoryForAreToBeAskedForLater) {
    Served served{1, {}, 1u << 20};
    auto client = served.client();
    NFS_V3::Client nfs{client};
    const Handle root = root_of(served, 0);
    const auto made =
        nfs.CREATE({{{root.view()}, "f"}, createhow3::of_obj_attributes(GUARDED, {})});
    ASSERT_TRUE(made && made->has_resok());
    const Bytes file = copy(made->resok().obj->data);
    EXPECT_EQ(nfs.READ({{file}, 0, 1u << 20})->status(), NFS3ERR_JUKEBOX);
    EXPECT_EQ(nfs.READ({{file}, 0, 64u << 10})->status(), NFS3_OK);
    EXPECT_EQ(nfs.READDIR({{root.view()}, 0, {}, 1u << 20})->status(), NFS3ERR_JUKEBOX);
    EXPECT_EQ(nfs.READDIR({{root.view()}, 0, {}, 64u << 10})->status(), NFS3_OK);
}

// A disk that does not answer occupies some threads of the pool, never all of them.
TEST(Waiting, AnExportThatHangsStopsOnlyItself) {
    std::promise<void> end;
    const std::shared_future<void> ended = end.get_future().share();
    Served served{1, [&](Reluctant& files) {
                      files.refuse = [ended](const vfs::Caller& caller) {
                          if (!caller.may_block) return vfs::Status::would_block;
                          ended.wait();
                          return vfs::Status::ok;
                      };
                  }};
    const auto other =
        std::make_shared<Reluctant>(backend::make_memory_fs(TestServer::open_to_all()), 1);
    ASSERT_TRUE(served.exports.set(
        {TestServer::export_of("/", served.files), TestServer::export_of("/other", other)}));
    const Handle hanging = root_of(served, 0), good = root_of(served, 1);
    std::vector<std::thread> threads;
    for (int i = 0; i < 6; ++i)
        threads.emplace_back([&] {
            auto client = served.client();
            EXPECT_EQ((NFS_V3::Client{client}.GETATTR({{hanging.view()}})->status()), NFS3_OK);
        });
    const void* const group = (*served.exports.table())[0].counters.get();
    while (served.pool.jobs_of(group) < 6)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    auto client = served.client();
    EXPECT_EQ((NFS_V3::Client{client}.GETATTR({{good.view()}})->status()), NFS3_OK);
    EXPECT_EQ(served.pool.jobs_of(group), 6u);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    EXPECT_GT(served.pool.longest_of(group).count(), 0);
    end.set_value();
    for (auto& one : threads) one.join();
    while (served.pool.jobs_of(group) > 0) std::this_thread::yield();
}

}  // namespace
}  // namespace helio::nfs::waiting_test
