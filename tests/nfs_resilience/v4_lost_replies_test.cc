// Clients of NFS 4.1 whose replies are lost, over sockets. Each operation that changes something is
// executed once, however often its call arrives: on the same connection, on new ones, or while the
// first still runs. To prove it, its effect is undone between the tries; no retry brings it back.
// Every status is one that RFC 8881 §15.2 allows.
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "helio/backend/memory/memory_fs.h"
#include "testing/nfs/allowed_statuses.h"
#include "testing/nfs/compounds.h"
#include "testing/nfs/server.h"
#include "testing/nfs/would_block_fs.h"
#include "tests/nfs_resilience/plug.h"
#include "tests/nfs_resilience/socket_server.h"
#include "tests/rpc_sockets/raw_socket.h"

namespace helio::tests::v4_lost_replies_test {
namespace {

using namespace nfs4;
using nfs::CompoundReply;
using wire::RawStream;
using Operation = nfs_argop4;
using Operations = std::vector<Operation>;

constexpr std::uint32_t kModeWords[] = {0, 2};  // FATTR4_MODE is bit 33
const bitmap4 kModeOnly{kModeWords, 2};

Operation op(nfs_opnum4 number) { return Operation::of(number); }

CompoundReply call_over(RawStream& stream, const Bytes& message) {
    EXPECT_TRUE(stream.send(wire::record(message)));
    CompoundReply reply{stream.receive().value_or(Bytes{})};
    EXPECT_EQ(reply.outcome(), xdr::Outcome::success);
    EXPECT_EQ(nfs::disallowed_status(reply.results()), "");
    return reply;
}

// The call that is sent again has slot 0; everything else has slot 1.
struct Scene {
    explicit Scene(bool waits = false)
        : waiting(std::make_shared<nfs::Reluctant>(
              backend::make_memory_fs(nfs::TestServer::open_to_all()), waits ? 1 : UINT_MAX)),
          server(waiting, 1, false),
          stream(server.port) {
        introduce();
        session =
            create_session(1).results().resarray[0].opcreate_session().csr_resok4().csr_sessionid;
        const auto done = must({op(OP_PUTROOTFH), open("file", UNCHECKED4), op(OP_GETFH)});
        opened = done.results().resarray[2].opopen().resok4().stateid;
        const ByteView handle = done.results().resarray[3].opgetfh().resok4().object;
        file.assign(handle.begin(), handle.end());
        locked = lock_stateid(must({put(), lock("holder", 0)}));
        idle = lock_stateid(must({put(), lock("idle", 500)}));
        idle = must({put(), unlock(idle, 500)}).results().resarray[2].oplocku().lock_stateid();
    }

    // ---- Calls ----
    Bytes compose(const Operations& operations, std::uint32_t uid = geteuid()) {
        return nfs::compose_compound(rpc::ClientCredential::sys(uid, uid, {}, "test"), ++xid,
                                     operations);
    }
    Bytes in_slot(std::uint32_t slot, std::uint32_t sequence, Operations operations,
                  bool cache = true, std::uint32_t uid = geteuid()) {
        operations.insert(operations.begin(),
                          Operation::of_opsequence({session, sequence, slot, slot, cache}));
        return compose(operations, uid);
    }
    CompoundReply other(const Operations& operations) {
        return call_over(stream, in_slot(1, ++others, operations));
    }
    CompoundReply must(const Operations& operations) {
        CompoundReply reply = other(operations);
        EXPECT_EQ(nfs::text_of(reply.status()), "NFS4_OK");
        return reply;
    }
    CompoundReply introduce() {
        EXCHANGE_ID4args who{};
        who.eia_clientowner.co_ownerid = as_bytes("client");
        who.eia_state_protect = state_protect4_a::of(SP4_NONE);
        last = compose({Operation::of_opexchange_id(who)});
        CompoundReply reply = call_over(stream, last);
        client = reply.results().resarray[0].opexchange_id().eir_resok4().eir_clientid;
        return reply;
    }
    CompoundReply create_session(std::uint32_t number) {
        CREATE_SESSION4args args{};
        args.csa_clientid = client;
        args.csa_sequence = number;
        args.csa_fore_chan_attrs = {0, 1 << 20, 1 << 20, 4096, 16, 4, {}};
        args.csa_back_chan_attrs = args.csa_fore_chan_attrs;
        last = compose({Operation::of_opcreate_session(args)});
        return call_over(stream, last);
    }

    // ---- Operations ----
    Operation put() const { return Operation::of_opputfh({file}); }
    Operation open(std::string_view name, createmode4 mode, std::uint32_t access = 3) const {
        OPEN4args args{};
        args.share_access = access;
        args.owner = {0, as_bytes("process")};
        args.openhow = openflag4::of_how(
            mode == EXCLUSIVE4_1 ? createhow4::of_ch_createboth({{std::byte{7}}, fattr4{}})
                                 : createhow4::of_createattrs(mode, fattr4{}));
        args.claim = open_claim4::of_file(name);
        return Operation::of_opopen(args);
    }
    Operation lock(std::string_view owner, offset4 from) const {
        LOCK4args args{};
        args.locktype = WRITE_LT;
        args.offset = from;
        args.length = 10;
        args.locker = locker4::of_open_owner({0, opened, 0, {0, as_bytes(owner)}});
        return Operation::of_oplock(args);
    }
    static Operation unlock(const stateid4& id, offset4 from) {
        return Operation::of_oplocku({WRITE_LT, 0, id, from, 10});
    }
    Operation write(std::string_view text) const {
        WRITE4args args{};
        args.stateid = opened;
        args.stable = FILE_SYNC4;
        args.data = as_bytes(text);
        return Operation::of_opwrite(args);
    }
    Operation set_mode(std::uint32_t mode) {
        fattr4_attributes values;
        values.present = {fattr4_attributes::bit::mode};
        values.mode = mode;
        SETATTR4args args{};
        args.obj_attributes.attrmask = kModeOnly;
        HELIO_ASSERT(pack_fattr4_attributes(arena, values, args.obj_attributes.attr_vals));
        return Operation::of_opsetattr(args);
    }
    static Operation make(createtype4 what) { return Operation::of_opcreate({what, "new", {}}); }
    static Operations in_root(Operation operation) { return {op(OP_PUTROOTFH), operation}; }
    static Operations rename(std::string_view from, std::string_view to) {
        return {op(OP_PUTROOTFH), op(OP_SAVEFH), Operation::of_oprename({from, to})};
    }

    // ---- What is there ----
    static stateid4 lock_stateid(const CompoundReply& reply) {
        return reply.results().resarray[2].oplock().resok4().lock_stateid;
    }
    bool exists(std::string_view name) {
        return other(in_root(Operation::of_oplookup({name}))).status() == NFS4_OK;
    }
    bool is_locked(offset4 from) {
        return other({put(), Operation::of_oplockt({WRITE_LT, from, 10, {0, as_bytes("probe")}})})
                   .status() == NFS4ERR_DENIED;
    }
    std::string content() {
        const auto reply = must({put(), Operation::of_opread({opened, 0, 100})});
        return std::string{as_text(reply.results().resarray[2].opread().resok4().data.bytes())};
    }
    std::uint32_t mode() {
        const auto reply = must({put(), Operation::of_opgetattr({kModeOnly})});
        return xdr::load_u32(
            reply.results().resarray[2].opgetattr().resok4().obj_attributes.attr_vals.data());
    }

    std::shared_ptr<nfs::Reluctant> waiting;
    SocketServer server;
    RawStream stream;
    xdr::Arena arena;
    std::uint32_t xid = 0, others = 0;
    clientid4 client = 0;
    sessionid4 session{};
    Bytes file, last;
    stateid4 opened{}, locked{}, idle{};
    CompoundReply first;  // of the call that is sent again
};

// A call, how to undo it, and whether it is still undone.
struct Case {
    const char* name;
    bool waits;  // it may wait for the file system
    std::function<Operations(Scene&)> operations;
    std::function<void(Scene&)> undo;
    std::function<bool(Scene&)> undone;
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

void remove_new(Scene& s) { s.must(Scene::in_root(Operation::of_opremove({"new"}))); }
bool no_new(Scene& s) { return !s.exists("new"); }
void nothing(Scene&) {}

const Case kCases[] = {
    {"open_guarded", true, [](Scene& s) { return Scene::in_root(s.open("new", GUARDED4)); },
     remove_new, no_new},
    {"open_exclusive", true, [](Scene& s) { return Scene::in_root(s.open("new", EXCLUSIVE4_1)); },
     remove_new, no_new},
    {"create_directory", true,
     [](Scene&) { return Scene::in_root(Scene::make(createtype4::of(NF4DIR))); }, remove_new,
     no_new},
    {"create_symlink", true,
     [](Scene&) { return Scene::in_root(Scene::make(createtype4::of_linkdata("text"))); },
     remove_new, no_new},
    {"remove", true, [](Scene&) { return Scene::in_root(Operation::of_opremove({"file"})); },
     [](Scene& s) { s.must(Scene::in_root(s.open("file", GUARDED4))); },
     [](Scene& s) { return s.exists("file"); }},
    {"rename", true, [](Scene&) { return Scene::rename("file", "new"); },
     [](Scene& s) { s.must(Scene::rename("new", "file")); },
     [](Scene& s) { return s.exists("file") && no_new(s); }},
    {"link", true,
     [](Scene& s) {
         return Operations{s.put(), op(OP_SAVEFH), op(OP_PUTROOTFH), Operation::of_oplink({"new"})};
     },
     remove_new, no_new},
    {"setattr", true,
     [](Scene& s) {
         return Operations{s.put(), s.set_mode(0600)};
     },
     [](Scene& s) {
         s.must({s.put(), s.set_mode(0640)});
     },
     [](Scene& s) { return s.mode() == 0640; }},
    {"write", false,
     [](Scene& s) {
         return Operations{s.put(), s.write("first")};
     },
     [](Scene& s) {
         s.must({s.put(), s.write("later")});
     },
     [](Scene& s) { return s.content() == "later"; }},
    {"lock", false,
     [](Scene& s) {
         return Operations{s.put(), s.lock("new", 100)};
     },
     [](Scene& s) {
         s.must({s.put(), Scene::unlock(Scene::lock_stateid(s.first), 100)});
     },
     [](Scene& s) { return !s.is_locked(100); }},
    {"unlock", false,
     [](Scene& s) {
         return Operations{s.put(), Scene::unlock(s.locked, 0)};
     },
     [](Scene& s) {
         s.must({s.put(), s.lock("holder", 0)});
     },
     [](Scene& s) { return s.is_locked(0); }},
    {"downgrade", false,
     [](Scene& s) {
         return Operations{s.put(), Operation::of_opopen_downgrade({s.opened, 0, 1, 0})};
     },
     [](Scene& s) {
         const auto done = s.must(Scene::in_root(s.open("file", UNCHECKED4)));
         s.opened = done.results().resarray[2].opopen().resok4().stateid;
     },
     [](Scene& s) {
         return s.other({s.put(), s.write("x")}).status() == NFS4_OK;
     }},
    {"close", false,
     [](Scene& s) {
         return Operations{s.put(), Operation::of_opclose({0, s.opened})};
     },
     [](Scene& s) {
         const auto done = s.must(Scene::in_root(s.open("file", UNCHECKED4)));
         s.opened = done.results().resarray[2].opopen().resok4().stateid;
     },
     [](Scene& s) {
         return s.other({s.put(), s.write("x")}).status() == NFS4_OK;
     }},
    // A second execution would fail, so that nothing has to be undone.
    {"free_stateid", false,
     [](Scene& s) { return Operations{Operation::of_opfree_stateid({s.idle})}; }, nothing,
     [](Scene& s) {
         return s.other({Operation::of_opfree_stateid({s.idle})}).status() == NFS4ERR_BAD_STATEID;
     }},
    {"reclaim_complete", false,
     [](Scene&) { return Operations{Operation::of_opreclaim_complete({false})}; }, nothing,
     [](Scene& s) {
         return s.other({Operation::of_opreclaim_complete({false})}).status() ==
                NFS4ERR_COMPLETE_ALREADY;
     }},
};

class LostRepliesV4 : public ::testing::TestWithParam<Case> {
 protected:
    void set_up(bool waits = false, bool cache = true) {
        scene.emplace(waits);
        call = scene->in_slot(0, 1, GetParam().operations(*scene), cache);
    }
    void expect_once(CompoundReply first) {
        Scene& s = *scene;
        s.first = std::move(first);
        ASSERT_EQ(nfs::text_of(s.first.status()), "NFS4_OK");
        GetParam().undo(s);
        RawStream another{s.server.port};
        for (RawStream* const stream : {&s.stream, &another, &s.stream})
            EXPECT_EQ(call_over(*stream, call).bytes(), s.first.bytes());
        EXPECT_TRUE(GetParam().undone(s)) << "executed again";
    }
    std::optional<Scene> scene;
    Bytes call;
};

TEST_P(LostRepliesV4, SentAgainWhenDone) {
    set_up();
    expect_once(call_over(scene->stream, call));
}

// Whether the server had begun, was running or had finished when the connection closed.
TEST_P(LostRepliesV4, SentAgainAfterTheConnectionWasLost) {
    set_up();
    RawStream{scene->server.port}.send(wire::record(call));
    {
        RawStream lost{scene->server.port};
        lost.send(wire::record(call));
        lost.reset();
    }
    CompoundReply reply;
    do {
        RawStream stream{scene->server.port};
        reply = call_over(stream, call);
    } while (reply.status() == NFS4ERR_DELAY);
    expect_once(std::move(reply));
}

TEST_P(LostRepliesV4, SentAgainWhileItRuns) {
    if (!GetParam().waits) GTEST_SKIP() << "it never waits";
    set_up(true);
    RawStream first{scene->server.port}, second{scene->server.port};
    {
        const Plug plug{scene->server};
        const std::uint64_t before = scene->waiting->waited;
        first.send(wire::record(call));
        ASSERT_TRUE(wire::eventually([&] { return scene->waiting->waited > before; }));
        EXPECT_EQ(call_over(second, call).status(), NFS4ERR_DELAY);
        EXPECT_EQ(call_over(first, call).status(), NFS4ERR_DELAY);
    }
    expect_once(CompoundReply{first.receive().value_or(Bytes{})});
}

// The client said that it would not ask again. It gets no answer, but does no harm.
TEST_P(LostRepliesV4, SentAgainThoughItWasNotToBeCached) {
    set_up(false, false);
    scene->first = call_over(scene->stream, call);
    ASSERT_EQ(scene->first.status(), NFS4_OK);
    GetParam().undo(*scene);
    RawStream another{scene->server.port};
    EXPECT_EQ(call_over(another, call).status(), NFS4ERR_RETRY_UNCACHED_REP);
    EXPECT_TRUE(GetParam().undone(*scene)) << "executed again";
}

INSTANTIATE_TEST_SUITE_P(All, LostRepliesV4, ::testing::ValuesIn(kCases),
                         [](const auto& one) { return one.param.name; });

TEST(WrongSequencesV4, ChangeNothing) {
    Scene s;
    const Operations remove = Scene::in_root(Operation::of_opremove({"file"}));
    for (std::uint32_t number = 1; number <= 3; ++number)
        EXPECT_EQ(call_over(s.stream, s.in_slot(0, number, {op(OP_PUTROOTFH)})).status(), NFS4_OK);
    const Bytes good = s.in_slot(0, 4, Scene::rename("file", "new"));
    const Bytes answer = call_over(s.stream, good).bytes();

    const auto status = [&](std::uint32_t slot, std::uint32_t number, const Operations& what,
                            std::uint32_t uid = geteuid()) {
        return nfs::text_of(call_over(s.stream, s.in_slot(slot, number, what, true, uid)).status());
    };
    s.must(Scene::rename("new", "file"));
    for (const std::uint32_t number : {0u, 1u, 3u, 6u, 0x8000'0000u, UINT32_MAX})
        EXPECT_EQ(status(0, number, remove), "NFS4ERR_SEQ_MISORDERED") << number;
    for (const std::uint32_t slot : {4u, 5u, 1000u, UINT32_MAX})
        EXPECT_EQ(status(slot, 1, remove), "NFS4ERR_BADSLOT") << slot;
    for (const std::uint32_t number : {0u, 2u, UINT32_MAX})
        EXPECT_EQ(status(2, number, remove), "NFS4ERR_SEQ_MISORDERED") << "of a slot never used";
    EXPECT_EQ(status(0, 4, remove), "NFS4ERR_SEQ_FALSE_RETRY");
    // The answer belongs to the user who asked (RFC 8881 §2.10.6.1.3.1).
    EXPECT_EQ(status(0, 4, Scene::rename("file", "new"), 1234), "NFS4ERR_SEQ_FALSE_RETRY");
    EXPECT_EQ(call_over(s.stream, good).bytes(), answer);
    EXPECT_TRUE(s.exists("file") && !s.exists("new"));
    EXPECT_EQ(status(0, 5, remove), "NFS4_OK");
}

TEST(LostSessionsV4, AreMadeAndDestroyedOnce) {
    Scene s;
    const auto again = [&] {
        RawStream another{s.server.port};
        return call_over(another, s.last);
    };
    const CompoundReply known = s.introduce();
    EXPECT_EQ(again().bytes(), known.bytes());
    const CompoundReply made = s.create_session(2);
    ASSERT_EQ(made.status(), NFS4_OK);
    EXPECT_EQ(again().bytes(), made.bytes());
    for (const std::uint32_t number : {0u, 1u, 4u, UINT32_MAX})
        EXPECT_EQ(s.create_session(number).status(), NFS4ERR_SEQ_MISORDERED) << number;
    s.last = s.compose({Operation::of_opdestroy_session(
        {made.results().resarray[0].opcreate_session().csr_resok4().csr_sessionid})});
    EXPECT_EQ(call_over(s.stream, s.last).status(), NFS4_OK);
    EXPECT_EQ(again().status(), NFS4ERR_BADSESSION);
    s.must({s.put(), s.write("the first session is still there")});

    s.must({s.put(), Operation::of_opclose({0, s.opened})});
    s.last = s.compose({Operation::of_opdestroy_session({s.session})});
    EXPECT_EQ(call_over(s.stream, s.last).status(), NFS4_OK);
    s.last = s.compose({Operation::of_opdestroy_clientid({s.client})});
    EXPECT_EQ(call_over(s.stream, s.last).status(), NFS4_OK);
    EXPECT_EQ(again().status(), NFS4ERR_STALE_CLIENTID);
}

}  // namespace
}  // namespace helio::tests::v4_lost_replies_test
