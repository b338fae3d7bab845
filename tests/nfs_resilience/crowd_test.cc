// Eight clients at once in the same directories, for HELIO_CROWD_SECONDS (1) over each back end.
// Whatever they do to each other, each client's knowledge must hold; at the end everything is
// removed, nothing is left, and the server has not grown.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "helio/backend/posix/posix_fs.h"
#include "schema/nfs3_service.h"
#include "tests/nfs_resilience/crowd.h"
#include "tests/nfs_resilience/socket_server.h"
#include "tests/rpc_sockets/child.h"
#include "tests/vfs_conformance/backends.h"

namespace helio::tests::crowd_test {
namespace {

using namespace nfs3;
using Clock = std::chrono::steady_clock;

constexpr unsigned kGuests = 8;
// After a first third of the time: replies that the duplicate cache keeps (16 MiB and its entries),
// and what threads and the heap keep of the busiest moment.
constexpr std::size_t kGrowthMax = 48u << 20;

std::chrono::milliseconds time_to_run() {
    const char* const text = std::getenv("HELIO_CROWD_SECONDS");
    return std::chrono::seconds(text != nullptr ? std::atoi(text) : 1);
}

std::size_t resident_bytes() {
    std::ifstream statm{"/proc/self/statm"};
    std::size_t all = 0, resident = 0;
    statm >> all >> resident;
    return resident * static_cast<std::size_t>(getpagesize());
}

std::size_t open_descriptors() {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& one : std::filesystem::directory_iterator("/proc/self/fd"))
        ++count;
    return count;
}

// Prepares everything, and removes it.
struct Host {
    explicit Host(SocketServer& server)
        : root(server.root()), client(transport::Client::connect(server.where(), as_oneself())) {}

    static Bytes copy(ByteView view) { return {view.begin(), view.end()}; }
    Bytes directory(std::string_view name) {
        sattr3 open;
        open.mode = 0777;
        const auto made = nfs.MKDIR({{{root}, name}, open});
        EXPECT_TRUE(made && made->has_resok()) << name;
        return copy(made->resok().obj->data);
    }
    Bytes file(ByteView where, std::string_view name, std::string_view content) {
        sattr3 open;
        open.mode = 0666;
        const auto made =
            nfs.CREATE({{{where}, name}, createhow3::of_obj_attributes(GUARDED, open)});
        EXPECT_TRUE(made && made->has_resok()) << name;
        const Bytes handle = copy(made->resok().obj->data);
        const auto size = static_cast<std::uint32_t>(content.size());
        const auto written = nfs.WRITE({{handle}, 0, size, UNSTABLE, as_bytes(content)});
        EXPECT_TRUE(written && written->has_resok()) << name;
        return handle;
    }
    std::vector<std::string> names(ByteView where) {
        std::vector<std::string> out;
        READDIR3args args{{where}, 0, {}, 8'192};
        for (;;) {
            const auto got = nfs.READDIR(args);
            if (!got || !got->has_resok()) return ADD_FAILURE() << "READDIR", out;
            for (const entry3* one = got->resok().reply.entries; one; one = one->nextentry) {
                if (one->name != "." && one->name != "..") out.emplace_back(one->name);
                args.cookie = one->cookie;
            }
            args.cookieverf = got->resok().cookieverf;
            if (got->resok().reply.eof) return out;
        }
    }
    void remove_directory(std::string_view name, ByteView handle) {
        for (const std::string& one : names(handle)) {
            EXPECT_EQ(nfs.REMOVE({{{handle}, one}})->status(), NFS3_OK) << name << "/" << one;
        }
        EXPECT_EQ(nfs.RMDIR({{{root}, name}})->status(), NFS3_OK) << name;
        EXPECT_EQ(nfs.GETATTR({{handle}})->status(), NFS3ERR_STALE) << name;
    }
    void set_up(Stage& stage) {
        stage.shared = {directory("shared-0"), directory("shared-1")};
        stage.listed = directory("listed");
        stage.contest = directory("contest");
        stage.locks = directory("locks");
        for (std::size_t i = 0; i < kStayingFiles; ++i) {
            const std::string name = "stays-" + std::to_string(i);
            stage.staying[name] = file(stage.listed, name, label_of(name));
        }
        stage.counter = file(stage.locks, "counter", std::string(8, '\0'));
        file(stage.locks, "free", "");
        file(stage.locks, "common", label_of("common"));
    }
    std::uint64_t bytes_in_use() {
        const auto got = nfs.FSSTAT({{root}});
        return got->resok().tbytes - got->resok().fbytes;
    }

    Bytes root;
    transport::Client client;
    NFS_V3::Client nfs{client};
};

// What all of them together know.
void check_counts(Host& host, Stage& stage) {
    std::size_t first = 0;
    for (const auto& winners : stage.winners) {
        EXPECT_LE(winners, 1) << "created twice: first-" << first;
        const auto found = host.nfs.LOOKUP({{{stage.contest}, "first-" + std::to_string(first)}});
        ASSERT_EQ(found->status(), winners == 1 ? NFS3_OK : NFS3ERR_NOENT) << "first-" << first;
        ++first;
        if (winners == 0) break;
    }
    for (std::size_t i = 0; i < kContestedNames; ++i) {
        const auto found = host.nfs.LOOKUP({{{stage.contest}, "contested-" + std::to_string(i)}});
        EXPECT_EQ(stage.balance[i], found->status() == NFS3_OK ? 1 : 0) << "contested-" << i;
    }
    const auto count = host.nfs.READ({{stage.counter}, 0, 8});
    ASSERT_TRUE(count && count->has_resok());
    EXPECT_EQ(xdr::load_u64(count->resok().data.bytes().data()), stage.counted);
    EXPECT_EQ(host.names(stage.listed).size(), kStayingFiles);
    EXPECT_TRUE(host.names(stage.shared[0]).empty());
    EXPECT_TRUE(host.names(stage.shared[1]).empty());
}

// So few files stay open that nearly each one has to be found again, while others move it.
class FewOpenFiles final : public Instance {
 public:
    explicit FewOpenFiles(bool kernel_handles) {
        std::filesystem::create_directory(directory_.path() + "/export");
        backend::PosixOptions options;
        options.directory = directory_.path() + "/export";
        options.index_file = directory_.path() + "/index";
        options.kernel_handles = kernel_handles;
        options.open_files_max = 16;
        files_ = backend::make_posix_fs(options);
    }
    vfs::FileSystem& fs() override { return *files_; }

 private:
    TemporaryDirectory directory_;
    std::shared_ptr<vfs::FileSystem> files_;
};

std::vector<Backend> all_backends() {
    std::vector<Backend> out = backends();
    Traits traits;
    traits.identities = false;
    out.push_back({"posix_few_open", traits, [] { return std::make_unique<FewOpenFiles>(true); }});
    out.push_back(
        {"posix_few_open_index", traits, [] { return std::make_unique<FewOpenFiles>(false); }});
    return out;
}

class NfsCrowd : public ::testing::TestWithParam<Backend> {};

TEST_P(NfsCrowd, EverybodyIsRight) {
    const auto instance = GetParam().make();
    SocketServer server{{std::shared_ptr<void>{}, &instance->fs()}, 2, false};
    Host host{server};
    const std::uint64_t in_use = host.bytes_in_use();
    Stage stage;
    host.set_up(stage);
    if (HasFailure()) return;

    std::vector<std::unique_ptr<Guest>> guests;
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < kGuests; ++i) {
        const std::uint32_t uid = GetParam().traits.identities ? 1001 + i : geteuid();
        const Guest::Who who{i, uid, i % 4 == 2};
        guests.push_back(i % 4 == 3 ? make_guest_of_version_2(stage, server.where(), who)
                                    : make_guest_of_version_3(stage, server.where(), who));
    }
    for (const auto& guest : guests) threads.emplace_back([&guest] { guest->run(); });
    const auto time = time_to_run();
    const auto until = [&stage](Clock::time_point end) {
        while (Clock::now() < end && !stage.stopping)
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
    };
    const auto begin = Clock::now();
    until(begin + time / 3);
    const std::size_t warm = resident_bytes();
    until(begin + time);
    stage.stopping = true;
    for (std::thread& one : threads) one.join();
    EXPECT_EQ(stage.failures(), "");
    if (HasFailure()) return;

    const std::size_t grown = resident_bytes();
    std::printf("%s: %lu steps; resident %zu KiB, then %zu KiB; %zu descriptors\n",
                GetParam().name.c_str(), static_cast<unsigned long>(stage.steps.load()), warm >> 10,
                grown >> 10, open_descriptors());
    if (!wire::kSanitized) {
        EXPECT_LT(grown, warm + kGrowthMax);
    }
    check_counts(host, stage);
    host.remove_directory("shared-0", stage.shared[0]);
    host.remove_directory("shared-1", stage.shared[1]);
    host.remove_directory("listed", stage.listed);
    host.remove_directory("contest", stage.contest);
    host.remove_directory("locks", stage.locks);
    EXPECT_TRUE(host.names(host.root).empty());
    // Other programs use the disk too.
    if (GetParam().name == "memory") {
        EXPECT_EQ(host.bytes_in_use(), in_use);
    }
    EXPECT_TRUE(host.nfs.NULL_());
}

INSTANTIATE_TEST_SUITE_P(All, NfsCrowd, ::testing::ValuesIn(all_backends()),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace helio::tests::crowd_test
