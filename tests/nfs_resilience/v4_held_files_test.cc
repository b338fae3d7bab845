// Open files of clients when closing them takes long, and when their file system is replaced or
// goes: nobody else waits, and nothing is used that is gone.
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <latch>
#include <optional>
#include <thread>

#include "helio/backend/memory/memory_fs.h"
#include "helio/base/fd.h"
#include "helio/nfs/server/held_file.h"
#include "helio/nfs/server/programs.h"
#include "helio/transport/server/server.h"
#include "helio/vfs/range_locks.h"
#include "testing/nfs/callback_client.h"
#include "testing/nfs/server.h"
#include "testing/nfs/would_block_fs.h"

namespace helio::nfs::v4_held_files_test {
namespace {

using namespace nfs4;
using namespace std::chrono_literals;
using Operation = nfs_argop4;

// Like the file that it wraps, but closing it waits.
class SlowToClose final : public vfs::OpenFile {
 public:
    SlowToClose(std::shared_ptr<vfs::OpenFile> inner, std::latch& may_close)
        : inner_(std::move(inner)), may_close_(may_close) {}
    ~SlowToClose() override { may_close_.wait(); }
    const vfs::FileId& id() const override { return inner_->id(); }
    vfs::OpenAccess access() const override { return inner_->access(); }
    vfs::Status attributes(const vfs::Caller& caller, vfs::Attributes& out) override {
        return inner_->attributes(caller, out);
    }
    vfs::Status set_attributes(const vfs::Caller& caller, const vfs::Changes& changes,
                               const std::optional<vfs::Time>& guard, vfs::Change& out) override {
        return inner_->set_attributes(caller, changes, guard, out);
    }
    vfs::Status read(const vfs::Caller& caller, std::uint64_t offset, std::uint32_t count,
                     vfs::Memory& memory, vfs::ReadOut& out) override {
        return inner_->read(caller, offset, count, memory, out);
    }
    vfs::Status write(const vfs::Caller& caller, std::uint64_t offset, ByteView data,
                      vfs::Stability stability, vfs::WriteOut& out) override {
        return inner_->write(caller, offset, data, stability, out);
    }
    vfs::Status commit(const vfs::Caller& caller, std::uint64_t offset, std::uint64_t count,
                       vfs::Change& out) override {
        return inner_->commit(caller, offset, count, out);
    }

 private:
    const std::shared_ptr<vfs::OpenFile> inner_;
    std::latch& may_close_;
};

class SlowFiles final : public vfs::OpenFiles {
 public:
    SlowFiles(vfs::OpenFiles& inner, std::latch& may_close)
        : inner_(inner), may_close_(may_close) {}
    vfs::Status open(const vfs::Caller& caller, const vfs::FileId& file, vfs::OpenAccess access,
                     vfs::OpenRights rights, std::shared_ptr<vfs::OpenFile>& out) override {
        const vfs::Status status = inner_.open(caller, file, access, rights, out);
        if (status == vfs::Status::ok)
            out = std::make_shared<SlowToClose>(std::move(out), may_close_);
        return status;
    }

 private:
    vfs::OpenFiles& inner_;
    std::latch& may_close_;
};

class SlowLocks final : public vfs::RangeLocks {
 public:
    SlowLocks(vfs::RangeLocks& inner, std::latch& may_release)
        : inner_(inner), may_release_(may_release) {}
    vfs::Status test(const vfs::Caller& caller, vfs::OpenFile& file, vfs::LockOwner owner,
                     const vfs::LockRange& range, vfs::LockType type,
                     std::optional<vfs::LockConflict>& conflict) override {
        return inner_.test(caller, file, owner, range, type, conflict);
    }
    vfs::Status lock(const vfs::Caller& caller, vfs::OpenFile& file, vfs::LockOwner owner,
                     const vfs::LockRange& range, vfs::LockType type,
                     vfs::LockConflict& conflict) override {
        return inner_.lock(caller, file, owner, range, type, conflict);
    }
    vfs::Status unlock(const vfs::Caller& caller, const vfs::FileId& file, vfs::LockOwner owner,
                       const vfs::LockRange& range) override {
        return inner_.unlock(caller, file, owner, range);
    }
    void release(const vfs::FileId& file, vfs::LockOwner owner) override {
        may_release_.wait();
        inner_.release(file, owner);
    }
    std::vector<vfs::HeldLock> held(const vfs::FileId& file, vfs::LockOwner owner,
                                    std::uint64_t from, std::size_t count_max) override {
        return inner_.held(file, owner, from, count_max);
    }
    std::size_t count() const override { return inner_.count(); }

 private:
    vfs::RangeLocks& inner_;
    std::latch& may_release_;
};

// A server of one thread with "/", which is slow to close and to unlock until `may_close`, and
// "/other".
struct HeldFiles : ::testing::Test {
    std::latch may_close{1};
    std::shared_ptr<vfs::FileSystem> memory = backend::make_memory_fs(TestServer::open_to_all());
    std::shared_ptr<vfs::FileSystem> other = backend::make_memory_fs(TestServer::open_to_all());
    SlowFiles slow_files{*memory->open_files(), may_close};
    SlowLocks slow_locks{*memory->range_locks(), may_close};
    state::NoRecovery recovery;
    Exports exports{kTestKey, [](std::string_view) {}};
    transport::Pool pool{2};
    Programs programs{exports, pool, Version4{recovery, 7}};
    rpc::Server rpc;
    std::optional<transport::Server> server;
    std::uint16_t port = 0;

    HeldFiles() {
        export_files(slow());
        programs.add_to(rpc);
        server.emplace(rpc, transport::ServerLimits{.threads = 1});
        port = server->listen("127.0.0.1", 0);
        server->start();
    }
    std::shared_ptr<Reluctant> slow() {
        auto files = std::make_shared<Reluctant>(memory, UINT_MAX);
        files->blocks = true;
        files->its_open_files = &slow_files;
        files->its_range_locks = &slow_locks;
        return files;
    }
    void export_files(std::shared_ptr<vfs::FileSystem> files) {
        ASSERT_TRUE(exports
                        .set({TestServer::export_of("/", std::move(files)),
                              TestServer::export_of("/other", other)})
                        .has_value());
    }
    CallbackClient client(std::string_view name) {
        Fd socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
        sockaddr_in to{};
        to.sin_family = AF_INET;
        to.sin_port = htons(port);
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        HELIO_ASSERT(::connect(socket.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) == 0);
        CallbackClient out{std::move(socket), [] { std::this_thread::sleep_for(1ms); }};
        out.start(name);
        return out;
    }
    nfsstat4 write(CallbackClient& client) {
        WRITE4args args{};
        args.stateid = client.opened;
        args.data = as_bytes("text");
        return client.send({Operation::of_opputfh({client.file}), Operation::of_opwrite(args)})
            .status();
    }
    ~HeldFiles() override {
        may_close.count_down(may_close.try_wait() ? 0 : 1);
        server->stop();
    }
};

TEST_F(HeldFiles, NobodyWaitsUntilTheyAreClosed) {
    CallbackClient first = client("first"), second = client("second");
    const auto found = second.send(
        {Operation::of(OP_PUTROOTFH), Operation::of_oplookup({"other"}), Operation::of(OP_GETFH)});
    const ByteView elsewhere = found.results().resarray[3].opgetfh().resok4().object;
    ASSERT_EQ(first.lock("a", WRITE_LT), NFS4_OK);
    EXPECT_EQ(first.close_file(), NFS4_OK);
    EXPECT_EQ(
        second.send({Operation::of_opputfh({elsewhere}), Operation::of_opgetattr({})}).status(),
        NFS4_OK);
    EXPECT_EQ(memory->range_locks()->count(), 1u);
    may_close.count_down();
    while (pool.jobs_of(exports.table()->front().counters.get()) > 0)
        std::this_thread::sleep_for(1ms);
    EXPECT_EQ(memory->range_locks()->count(), 0u);
    EXPECT_EQ(second.lock("b", WRITE_LT), NFS4_OK);
}

// For instance because its settings were changed and the configuration was read again.
TEST_F(HeldFiles, AnotherFileSystemInItsPlaceEndsThem) {
    may_close.count_down();
    CallbackClient one = client("one");
    ASSERT_EQ(one.lock("a", WRITE_LT), NFS4_OK);
    EXPECT_EQ(write(one), NFS4_OK);
    const std::weak_ptr<vfs::FileSystem> before = exports.table()->front().files;
    export_files(slow());
    // A call that comes now finds a file of the old one.
    EXPECT_EQ(one.unlock(), NFS4ERR_BAD_STATEID);
    EXPECT_EQ(one.lock("b", WRITE_LT), NFS4ERR_BAD_STATEID);
    programs.drop_stale_opens();
    EXPECT_EQ(write(one), NFS4ERR_BAD_STATEID);
    while (!before.expired()) std::this_thread::sleep_for(1ms);
    one.open();
    EXPECT_EQ(write(one), NFS4_OK);
    EXPECT_EQ(one.lock("a", WRITE_LT), NFS4_OK);
    programs.drop_stale_opens();
    EXPECT_EQ(write(one), NFS4_OK);
}

TEST_F(HeldFiles, TheyKeepAFileSystemThatIsNotExportedAnyMore) {
    may_close.count_down();
    CallbackClient one = client("one");
    const std::weak_ptr<vfs::FileSystem> before = exports.table()->front().files;
    ASSERT_TRUE(exports.set({TestServer::export_of("/other", other)}).has_value());
    EXPECT_EQ(write(one), NFS4ERR_STALE);
    EXPECT_FALSE(before.expired());
    programs.drop_stale_opens();
    while (!before.expired()) std::this_thread::sleep_for(1ms);
}

TEST_F(HeldFiles, AreAllClosedBeforeTheServerEnds) {
    CallbackClient one = client("one");
    const void* const group = exports.table()->front().counters.get();
    server->stop();
    programs.drop_all_opens();
    EXPECT_EQ(pool.jobs_of(group), 1u);
    may_close.count_down();
    EXPECT_TRUE(pool.wait_until_idle(kTestPatience));
}

}  // namespace
}  // namespace helio::nfs::v4_held_files_test
