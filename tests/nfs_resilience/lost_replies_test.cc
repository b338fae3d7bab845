// Clients whose replies are lost. A call that changes names, attributes or data is sent, its reply
// does not arrive, and it is sent again with the same xid: while the first still runs or after it,
// over the same connection, a new one, or UDP. It takes effect once, and the retransmission gets
// the bytes of the first reply. A call that only looks the same, from another address, is separate.
// Also: what a client has to repeat after the server died.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <functional>
#include <thread>

#include "helio/transport/client/client.h"
#include "schema/nfs3_service.h"
#include "testing/nfs/would_block_fs.h"
#include "testing/patience.h"
#include "tests/nfs_resilience/plug.h"
#include "tests/nfs_resilience/socket_server.h"
#include "tests/rpc_sockets/raw_socket.h"
#include "tests/vfs_conformance/backends.h"

namespace helio::tests::lost_replies_test {
namespace {

using namespace nfs3;
using namespace std::chrono_literals;
using wire::RawDatagrams;
using wire::RawStream;

Bytes copy(ByteView view) { return {view.begin(), view.end()}; }

// Calls as bytes that are not sent yet.
class Composer final : public xdr::Channel {
 public:
    Bytes message;
    std::uint32_t xid = 0x7e570000;

    xdr::Writer& begin(const xdr::VersionInfo& version,
                       const xdr::ProcedureInfo& procedure) override {
        arena_.reset();
        xdr::Writer& out = writer_.emplace(arena_);
        HELIO_ASSERT(rpc::put_call(out, ++xid, version.program, version.version, procedure.number,
                                   as_oneself().credential));
        return out;
    }
    xdr::Reader* exchange() override {
        message = writer_->joined();
        return nullptr;
    }
    xdr::CallError why() const override { return {xdr::Outcome::silent, {}, {}, 0}; }

 private:
    xdr::Arena arena_;
    std::optional<xdr::Writer> writer_;
};

// From an address of this machine that is not the usual one.
RawStream connect_from(std::uint32_t host, std::uint16_t port) {
    transport::Fd fd{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(host);
    EXPECT_EQ(bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    EXPECT_EQ(connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return RawStream{std::move(fd)};
}

nfsstat3 status_in(const Bytes& reply) {
    return reply.size() < 28 ? NFS3ERR_SERVERFAULT
                             : static_cast<nfsstat3>(xdr::load_u32(reply.data() + 24));
}

// A server with files for all cases: "file", "empty" (a directory), and the root.
struct Scene {
    Scene(Instance& instance, bool reluctant)
        : files(std::shared_ptr<void>{}, &instance.fs()),
          server(reluctant ? std::make_shared<nfs::Reluctant>(files, 1) : files, 1, true) {
        file = made(nfs.CREATE({{dir(), "file"}, createhow3::of_obj_attributes(GUARDED, {})}));
        made(nfs.CREATE({{dir(), "other"}, createhow3::of_obj_attributes(GUARDED, {})}));
        made(nfs.MKDIR({{dir(), "empty"}, {}}));
    }

    template <class Answer>
    static Bytes made(const Answer& answer) {
        EXPECT_TRUE(answer && answer->has_resok());
        return copy(answer->resok().obj->data);
    }
    nfs_fh3 dir() const { return {root}; }
    nfsstat3 lookup(std::string_view name) { return nfs.LOOKUP({{dir(), name}})->status(); }
    fattr3 attributes(ByteView of) { return nfs.GETATTR({{of}})->resok().obj_attributes; }
    // File system clocks have steps; after this a change of "file" gets a new time.
    nfstime3 settled_time() {
        const nfstime3 now = attributes(file).ctime;
        const Bytes other = copy(nfs.LOOKUP({{dir(), "other"}})->resok().object.data);
        sattr3 touch;
        touch.mtime.set(SET_TO_SERVER_TIME);
        do EXPECT_EQ(nfs.SETATTR({{other}, touch, {}})->status(), NFS3_OK);
        while (attributes(other).ctime == now);
        return now;
    }
    using Counters = rpc::DuplicateCache::Counters;
    // Until the duplicate cache's counters say so.
    void wait_until(const std::function<bool(const Counters&)>& so) {
        const auto end = std::chrono::steady_clock::now() + kTestPatience;
        while (!so(server.rpc.duplicates().counters())) {
            ASSERT_LT(std::chrono::steady_clock::now(), end);
            std::this_thread::sleep_for(1ms);
        }
    }

    std::shared_ptr<vfs::FileSystem> files;
    SocketServer server;
    Bytes root = server.root();
    transport::Client client = transport::Client::connect(server.where(), as_oneself());
    NFS_V3::Client nfs{client};
    Bytes file;
};

using Composed = NFS_V3::Client;

// A call, the state after it took effect once, and the status if it runs a second time.
struct Case {
    const char* name;
    std::function<void(Scene&, Composed)> compose;
    std::function<bool(Scene&)> took_effect;
    nfsstat3 second;
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

const createverf3 kVerifier = {std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4},
                               std::byte{5}, std::byte{6}, std::byte{7}, std::byte{8}};

sattr3 mode_of(std::uint32_t mode) {
    sattr3 out;
    out.mode = mode;
    return out;
}

const Case kCases[] = {
    {"create_guarded",
     [](Scene& s, Composed to) {
         (void)to.CREATE({{s.dir(), "new"}, createhow3::of_obj_attributes(GUARDED, {})});
     },
     [](Scene& s) { return s.lookup("new") == NFS3_OK; }, NFS3ERR_EXIST},
    {"create_exclusive",
     [](Scene& s, Composed to) {
         (void)to.CREATE({{s.dir(), "new"}, createhow3::of_verf(kVerifier)});
     },
     // A client with the right verifier is the creator (RFC 1813 §3.3.8).
     [](Scene& s) { return s.lookup("new") == NFS3_OK; }, NFS3_OK},
    {"mkdir",
     [](Scene& s, Composed to) {
         (void)to.MKDIR({{s.dir(), "new"}, mode_of(0755)});
     },
     [](Scene& s) { return s.lookup("new") == NFS3_OK; }, NFS3ERR_EXIST},
    {"symlink",
     [](Scene& s, Composed to) {
         (void)to.SYMLINK({{s.dir(), "new"}, {{}, "text"}});
     },
     [](Scene& s) { return s.lookup("new") == NFS3_OK; }, NFS3ERR_EXIST},
    {"mknod",
     [](Scene& s, Composed to) {
         (void)to.MKNOD({{s.dir(), "new"}, mknoddata3::of_pipe_attributes(NF3FIFO, {})});
     },
     [](Scene& s) { return s.lookup("new") == NFS3_OK; }, NFS3ERR_EXIST},
    {"remove",
     [](Scene& s, Composed to) {
         (void)to.REMOVE({{s.dir(), "file"}});
     },
     [](Scene& s) { return s.lookup("file") == NFS3ERR_NOENT; }, NFS3ERR_NOENT},
    {"rmdir",
     [](Scene& s, Composed to) {
         (void)to.RMDIR({{s.dir(), "empty"}});
     },
     [](Scene& s) { return s.lookup("empty") == NFS3ERR_NOENT; }, NFS3ERR_NOENT},
    {"rename",
     [](Scene& s, Composed to) {
         (void)to.RENAME({{s.dir(), "file"}, {s.dir(), "moved"}});
     },
     [](Scene& s) { return s.lookup("file") == NFS3ERR_NOENT && s.lookup("moved") == NFS3_OK; },
     NFS3ERR_NOENT},
    {"link",
     [](Scene& s, Composed to) {
         (void)to.LINK({{s.file}, {s.dir(), "new"}});
     },
     [](Scene& s) { return s.attributes(s.file).nlink == 2; }, NFS3ERR_EXIST},
    {"setattr_guarded",
     [](Scene& s, Composed to) {
         (void)to.SETATTR({{s.file}, mode_of(0640), s.settled_time()});
     },
     [](Scene& s) { return s.attributes(s.file).mode == 0640; }, NFS3ERR_NOT_SYNC},
    {"write",
     [](Scene& s, Composed to) {
         (void)to.WRITE({{s.file}, 0, 5, FILE_SYNC, as_bytes("hello")});
     },
     [](Scene& s) {
         return as_text(s.nfs.READ({{s.file}, 0, 10})->resok().data.bytes()) == "hello";
     },
     NFS3_OK},
};

class LostReplies : public ::testing::TestWithParam<std::tuple<Backend, Case>> {
 protected:
    const Case& what() const { return std::get<1>(GetParam()); }
    void set_up(bool reluctant) {
        instance = std::get<0>(GetParam()).make();
        scene.emplace(*instance, reluctant);
        what().compose(*scene, Composed{composer});
        call = wire::record(composer.message);
        before = scene->server.rpc.duplicates().counters();
    }
    // The server's reply, which every retransmission must get.
    void expect_first_answer(const std::optional<Bytes>& reply) {
        // A call's waiter is notified before observers of the server.
        scene->wait_until([this](const Scene::Counters&) {
            return !scene->server.replies_to(composer.xid).empty();
        });
        const auto said = scene->server.replies_to(composer.xid);
        ASSERT_EQ(said.size(), 1u) << "run once";
        EXPECT_EQ(status_in(said[0]), NFS3_OK);
        ASSERT_TRUE(reply.has_value());
        EXPECT_EQ(*reply, said[0]);
        EXPECT_TRUE(what().took_effect(*scene));
    }
    void wait_until_done() {
        scene->wait_until([this](const Scene::Counters& now) {
            return now.fresh == before.fresh + 1 && now.running == 0;
        });
    }
    void wait_until_running() {
        scene->wait_until([](const Scene::Counters& now) { return now.running == 1; });
    }
    void wait_until_repeated(std::uint64_t times) {
        scene->wait_until([&](const Scene::Counters& now) {
            return now.while_running == before.while_running + times;
        });
    }
    std::uint16_t port() const { return scene->server.port; }

    std::unique_ptr<Instance> instance;
    std::optional<Scene> scene;
    Composer composer;
    Bytes call;
    Scene::Counters before;
};

TEST_P(LostReplies, SentAgainWhenDone) {
    set_up(false);
    RawStream stream{port()};
    stream.send(call);
    const auto first = stream.receive();
    stream.send(call);
    expect_first_answer(first);
    expect_first_answer(stream.receive());
}

TEST_P(LostReplies, SentAgainWhenDoneOverANewConnection) {
    set_up(false);
    {
        RawStream lost{port()};
        lost.send(call);
    }  // closed before it can be answered
    wait_until_done();
    {
        RawStream lost{port()};
        lost.send(call);
        lost.reset();
    }
    RawStream stream{port()};
    stream.send(call);
    expect_first_answer(stream.receive());
}

TEST_P(LostReplies, SentAgainWhileItRuns) {
    set_up(true);
    RawStream stream{port()};
    {
        const Plug plug{scene->server};
        stream.send(call);
        wait_until_running();
        stream.send(call);
        stream.send(call);
        wait_until_repeated(2);
    }
    expect_first_answer(stream.receive());
    stream.send(call);
    expect_first_answer(stream.receive());
}

TEST_P(LostReplies, SentAgainWhileItRunsOverANewConnection) {
    set_up(true);
    RawStream second{port()}, third{port()};
    {
        const Plug plug{scene->server};
        {
            RawStream lost{port()};
            lost.send(call);
            wait_until_running();
        }
        second.send(call);
        third.send(call);
        wait_until_repeated(2);
    }
    expect_first_answer(second.receive());
    expect_first_answer(third.receive());
}

TEST_P(LostReplies, DatagramsSentAgain) {
    set_up(false);
    RawDatagrams first, second;
    first.send_to(port(), composer.message);
    wait_until_done();
    first.send_to(port(), composer.message);
    second.send_to(port(), composer.message);
    for (RawDatagrams* const one : {&first, &second, &first}) {
        const auto reply = one->receive();
        ASSERT_TRUE(reply);
        expect_first_answer(reply->bytes);
    }
}

// The answer goes to where the call first came from; another port gets it with its next try.
TEST_P(LostReplies, DatagramsSentAgainWhileItRuns) {
    set_up(true);
    RawDatagrams first, second;
    {
        const Plug plug{scene->server};
        first.send_to(port(), composer.message);
        wait_until_running();
        first.send_to(port(), composer.message);
        second.send_to(port(), composer.message);
        wait_until_repeated(2);
    }
    auto reply = first.receive();
    ASSERT_TRUE(reply);
    expect_first_answer(reply->bytes);
    second.send_to(port(), composer.message);
    reply = second.receive();
    ASSERT_TRUE(reply);
    expect_first_answer(reply->bytes);
}

TEST_P(LostReplies, AnotherClientIsAnsweredForItself) {
    set_up(false);
    RawStream mine{port()};
    mine.send(call);
    expect_first_answer(mine.receive());
    RawStream other = connect_from(INADDR_LOOPBACK + 1, port());
    other.send(call);
    const auto reply = other.receive();
    ASSERT_TRUE(reply);
    EXPECT_EQ(status_in(*reply), what().second);
    const auto said = scene->server.replies_to(composer.xid);
    ASSERT_EQ(said.size(), 2u);
    EXPECT_EQ(*reply, said[1]);
    // And each its own, from then on.
    mine.send(call);
    EXPECT_EQ(*mine.receive(), said[0]);
    other.send(call);
    EXPECT_EQ(*other.receive(), said[1]);
}

INSTANTIATE_TEST_SUITE_P(All, LostReplies,
                         ::testing::Combine(::testing::ValuesIn(backends()),
                                            ::testing::ValuesIn(kCases)),
                         [](const auto& one) {
                             return std::get<0>(one.param).name + "_" + std::get<1>(one.param).name;
                         });

// ---- The server dies, with its duplicate cache ----

class Restarted : public ::testing::TestWithParam<Backend> {
 protected:
    void SetUp() override {
        if (!GetParam().traits.survives_restart) GTEST_SKIP() << "its files end with the server";
        instance = GetParam().make();
        scene.emplace(*instance, false);
    }
    // The same files, with a server that remembers nothing else.
    struct After {
        explicit After(Instance& instance)
            : server({std::shared_ptr<void>{}, &instance.fs()}, 1, false) {}
        SocketServer server;
        Bytes root = server.root();
        transport::Client client = transport::Client::connect(server.where(), as_oneself());
        NFS_V3::Client nfs{client};
    };
    void die() {
        scene.reset();
        instance->restart();
        after.emplace(*instance);
    }

    std::unique_ptr<Instance> instance;
    std::optional<Scene> scene;
    std::optional<After> after;
};

TEST_P(Restarted, ExclusiveCreateIsStillKnown) {
    const CREATE3args call{{scene->dir(), "new"}, createhow3::of_verf(kVerifier)};
    const Bytes root = scene->root;
    const Bytes handle = Scene::made(scene->nfs.CREATE(call));
    die();
    EXPECT_EQ(after->root, root);
    const CREATE3args again{{{root}, "new"}, createhow3::of_verf(kVerifier)};
    EXPECT_EQ(Scene::made(after->nfs.CREATE(again)), handle);
    createverf3 other = kVerifier;
    other[7] = std::byte{0x55};
    const CREATE3args by_another{{{root}, "new"}, createhow3::of_verf(other)};
    EXPECT_EQ(after->nfs.CREATE(by_another)->status(), NFS3ERR_EXIST);
    EXPECT_EQ(after->nfs.GETATTR({{handle}})->status(), NFS3_OK);
}

// The client's next step, SETATTR, makes it an ordinary file.
TEST_P(Restarted, ExclusiveCreateEndsWithTheFirstSetattr) {
    const Bytes root = scene->root;
    const Bytes handle =
        Scene::made(scene->nfs.CREATE({{{root}, "new"}, createhow3::of_verf(kVerifier)}));
    sattr3 times = mode_of(0644);
    times.atime.set(SET_TO_SERVER_TIME);
    times.mtime.set(SET_TO_SERVER_TIME);
    ASSERT_EQ(scene->nfs.SETATTR({{handle}, times, {}})->status(), NFS3_OK);
    die();
    const CREATE3args again{{{root}, "new"}, createhow3::of_verf(kVerifier)};
    EXPECT_EQ(after->nfs.CREATE(again)->status(), NFS3ERR_EXIST);
}

TEST_P(Restarted, UnstableWritesAreToldByTheirVerifier) {
    const Bytes file = scene->file;
    const auto first = scene->nfs.WRITE({{file}, 0, 5, UNSTABLE, as_bytes("hello")});
    ASSERT_TRUE(first && first->has_resok());
    const writeverf3 before = first->resok().verf;
    const auto second = scene->nfs.WRITE({{file}, 5, 5, UNSTABLE, as_bytes("world")});
    EXPECT_EQ(second->resok().verf, before);
    die();
    const auto committed = after->nfs.COMMIT({{file}, 0, 0});
    ASSERT_TRUE(committed && committed->has_resok());
    EXPECT_NE(committed->resok().verf, before) << "the client has to send its writes again";
    const auto again = after->nfs.WRITE({{file}, 0, 5, FILE_SYNC, as_bytes("hello")});
    EXPECT_EQ(again->resok().verf, committed->resok().verf);
}

INSTANTIATE_TEST_SUITE_P(All, Restarted, ::testing::ValuesIn(backends()),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace helio::tests::lost_replies_test
