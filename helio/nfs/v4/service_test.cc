// COMPOUNDs as clients send them, over the back end in memory.
#include <gtest/gtest.h>

#include "helio/nfs/state/state.h"
#include "testing/nfs/server.h"

namespace helio::nfs::v4::service_test {
namespace {

using namespace nfs4;

// A client with a session; each call is a COMPOUND on slot 0.
struct NfsV4 : ::testing::Test {
    explicit NfsV4(std::chrono::seconds lease = state::kLeaseDefault)
        : server({}, Version4{recovery, 7, {}, lease}) {}

    state::NoRecovery recovery;
    TestServer server;
    NFS_V4::Client nfs = server.v4();
    sessionid4 session{};
    std::uint32_t next = 1;
    clientid4 client = 0;

    static nfs_argop4 op(nfs_opnum4 number) { return nfs_argop4::of(number); }
    static nfs_argop4 lookup(std::string_view name) { return nfs_argop4::of_oplookup({name}); }
    static nfs_argop4 put(ByteView handle) { return nfs_argop4::of_opputfh({handle}); }
    static bitmap4 bits(const std::vector<std::uint32_t>& words) {
        return {words.data(), words.size()};
    }

    nfs_argop4 sequence(bool cache = false) const {
        return nfs_argop4::of_opsequence({session, next, 0, 0, cache});
    }
    // Without SEQUENCE.
    Result<COMPOUND4res, xdr::CallError> raw(const std::vector<nfs_argop4>& operations,
                                             std::uint32_t minor = 1) {
        return nfs.COMPOUND({"tag", minor, {operations.data(), operations.size()}});
    }
    COMPOUND4res send(std::vector<nfs_argop4> operations, bool cache = false) {
        operations.insert(operations.begin(), sequence(cache));
        ++next;
        const auto done = raw(operations);
        EXPECT_TRUE(done);
        return *done;
    }
    void connect() {
        EXCHANGE_ID4args who{};
        who.eia_clientowner.co_ownerid = as_bytes("test client");
        who.eia_state_protect = state_protect4_a::of(SP4_NONE);
        const auto introduced = raw({nfs_argop4::of_opexchange_id(who)});
        ASSERT_EQ(introduced->status, NFS4_OK);
        const auto& id = introduced->resarray[0].opexchange_id().eir_resok4();
        client = id.eir_clientid;
        CREATE_SESSION4args create{};
        create.csa_clientid = client;
        create.csa_sequence = id.eir_sequenceid;
        create.csa_fore_chan_attrs = {0, 1 << 20, 1 << 20, 4096, 16, 4, {}};
        create.csa_back_chan_attrs = create.csa_fore_chan_attrs;
        const auto made = raw({nfs_argop4::of_opcreate_session(create)});
        ASSERT_EQ(made->status, NFS4_OK);
        session = made->resarray[0].opcreate_session().csr_resok4().csr_sessionid;
    }
    void SetUp() override { connect(); }

    OPEN4args open_args(std::string_view name, bool create,
                        std::uint32_t access = OPEN4_SHARE_ACCESS_BOTH) {
        OPEN4args args{};
        args.share_access = access;
        args.owner = {client, as_bytes("process")};
        args.openhow = create ? openflag4::of_how(createhow4::of_createattrs(UNCHECKED4, fattr4{}))
                              : openflag4::of(OPEN4_NOCREATE);
        args.claim = open_claim4::of_file(name);
        return args;
    }
    // Creates and opens; the stateid and the handle.
    std::pair<stateid4, Bytes> create(std::string_view name) {
        const auto done =
            send({op(OP_PUTROOTFH), nfs_argop4::of_opopen(open_args(name, true)), op(OP_GETFH)});
        EXPECT_EQ(done.status, NFS4_OK);
        const ByteView handle = done.resarray[3].opgetfh().resok4().object;
        return {done.resarray[2].opopen().resok4().stateid, Bytes{handle.begin(), handle.end()}};
    }
    // A file with zeros before this place.
    std::pair<stateid4, Bytes> create_with_end_at(offset4 place) {
        auto made = create("f");
        WRITE4args write{};
        write.stateid = made.first;
        write.offset = place;
        write.data = as_bytes("end");
        EXPECT_EQ(send({put(made.second), nfs_argop4::of_opwrite(write)}).status, NFS4_OK);
        return made;
    }
};

TEST_F(NfsV4, TheTagAndEveryResultComeBack) {
    const auto done = send({op(OP_PUTROOTFH), op(OP_GETFH)});
    EXPECT_EQ(done.status, NFS4_OK);
    EXPECT_EQ(done.tag, "tag");
    ASSERT_EQ(done.resarray.size(), 3u);
    EXPECT_EQ(done.resarray[0].resop(), OP_SEQUENCE);
    const Handle root = server.root();
    EXPECT_TRUE(xdr::same(done.resarray[2].opgetfh().resok4().object, root.view()));
}

TEST_F(NfsV4, TheFirstFailureEndsTheCompound) {
    const auto done = send({op(OP_PUTROOTFH), lookup("missing"), op(OP_GETFH)});
    EXPECT_EQ(done.status, NFS4ERR_NOENT);
    ASSERT_EQ(done.resarray.size(), 3u);
    EXPECT_EQ(done.resarray[2].oplookup().status, NFS4ERR_NOENT);
}

TEST_F(NfsV4, OperationsHaveTheirPlace) {
    EXPECT_EQ(raw({op(OP_PUTROOTFH)})->status, NFS4ERR_OP_NOT_IN_SESSION);
    EXPECT_EQ(raw({op(OP_PUTROOTFH)}, 0)->status, NFS4ERR_MINOR_VERS_MISMATCH);
    EXPECT_EQ(raw({op(OP_PUTROOTFH)}, 3)->status, NFS4ERR_MINOR_VERS_MISMATCH);
    EXPECT_EQ(send({op(OP_GETFH)}).status, NFS4ERR_NOFILEHANDLE);
    EXPECT_EQ(send({op(OP_RESTOREFH)}).status, NFS4ERR_NOFILEHANDLE);
    EXPECT_EQ(send({sequence()}).status, NFS4ERR_SEQUENCE_POS);
    const auto two = raw({nfs_argop4::of_opdestroy_session({session}), op(OP_PUTROOTFH)});
    EXPECT_EQ(two->status, NFS4ERR_NOT_ONLY_OP);
    EXPECT_EQ(send({op(OP_PUTROOTFH), nfs_argop4::of_opopenattr({false})}).status, NFS4ERR_NOTSUPP);
    EXPECT_EQ(send({op(OP_PUTROOTFH), lookup("")}).status, NFS4ERR_INVAL);
    EXPECT_EQ(send({op(OP_PUTROOTFH), lookup("..")}).status, NFS4ERR_BADNAME);
    EXPECT_EQ(send({op(OP_PUTROOTFH), op(OP_LOOKUPP)}).status, NFS4ERR_NOENT);
}

TEST_F(NfsV4, AnUnknownOperationIsIllegalAndWhatCameBeforeItWasDone) {
    // SEQUENCE, PUTROOTFH, and the number 9999.
    const std::vector<nfs_argop4> good{sequence(), op(OP_PUTROOTFH), op(OP_PUTROOTFH)};
    ASSERT_TRUE(raw(good));
    Bytes message = server.arguments;
    xdr::store_u32(message.data() + message.size() - 4, 9999);
    // The slot has moved on: make it the next call.
    const std::size_t at = message.size() - 4 - 4 - 4 - 4 - 4 - 4;
    ASSERT_EQ(xdr::load_u32(message.data() + at), next);
    xdr::store_u32(message.data() + at, next + 1);
    const Bytes reply = server.send(message);
    xdr::Arena arena;
    const auto opened = rpc::open_reply(reply, arena);
    ASSERT_TRUE(opened && !opened->error);
    xdr::Reader in{opened->results, arena, xdr::Mode::strict};
    COMPOUND4res results;
    ASSERT_TRUE(decode_COMPOUND4res(in, results) && in.finish());
    EXPECT_EQ(results.status, NFS4ERR_OP_ILLEGAL);
    ASSERT_EQ(results.resarray.size(), 3u);
    EXPECT_EQ(results.resarray[2].opillegal().status, NFS4ERR_OP_ILLEGAL);
    EXPECT_EQ(results.resarray[1].opputrootfh().status, NFS4_OK);
}

TEST_F(NfsV4, ARetryIsAnsweredFromTheSlot) {
    create("f");
    EXPECT_EQ(send({op(OP_PUTROOTFH), nfs_argop4::of_opremove({"f"})}, true).status, NFS4_OK);
    const Bytes first = server.arguments;
    const Bytes removed = server.reply;
    EXPECT_EQ(server.send(first), removed);  // executed again it would be NFS4ERR_NOENT
    EXPECT_EQ(send({op(OP_PUTROOTFH)}).status, NFS4_OK);
    EXPECT_NE(server.send(first), removed);  // it has been overtaken
    --next;
    EXPECT_EQ(raw({sequence(), op(OP_PUTROOTFH)})->status, NFS4ERR_RETRY_UNCACHED_REP);
    EXPECT_EQ(raw({sequence(), op(OP_PUTPUBFH)})->status, NFS4ERR_SEQ_FALSE_RETRY);
}

TEST_F(NfsV4, OpenReadWriteClose) {
    const auto [stateid, file] = create("f");
    WRITE4args write{};
    write.stateid = stateid;
    write.stable = FILE_SYNC4;
    write.data = as_bytes("hello");
    EXPECT_EQ(send({put(file), nfs_argop4::of_opwrite(write)}).status, NFS4_OK);
    const auto got = send({put(file), nfs_argop4::of_opread({stateid, 1, 100})});
    ASSERT_EQ(got.status, NFS4_OK);
    EXPECT_EQ(as_text(got.resarray[2].opread().resok4().data.bytes()), "ello");
    EXPECT_TRUE(got.resarray[2].opread().resok4().eof);
    EXPECT_EQ(send({put(file), nfs_argop4::of_opclose({0, stateid})}).status, NFS4_OK);
    EXPECT_EQ(send({put(file), nfs_argop4::of_opread({stateid, 0, 1})}).status,
              NFS4ERR_BAD_STATEID);
}

// Clients ask for as much as fits beside the operations around READ. Less would cost them a second
// call each time.
TEST_F(NfsV4, AReadFillsTheReplyThatTheSessionAllows) {
    const auto [stateid, file] = create_with_end_at(2u << 20);
    ASSERT_EQ(send({put(file), nfs_argop4::of_opread({stateid, 0, 1u << 20})}).status, NFS4_OK);
    EXPECT_LE(server.reply.size(), 1u << 20);  // ca_maxresponsesize
    EXPECT_GT(server.reply.size() + 8, 1u << 20);
}

// A reply that the slot shall keep is not longer than the session allows (§2.10.6.4), so that every
// retry gets it.
TEST_F(NfsV4, DataFitsTheSlotThatKeepsIt) {
    const auto [stateid, file] = create_with_end_at(1u << 20);
    const nfs_argop4 read = nfs_argop4::of_opread({stateid, 0, 1u << 20});
    ASSERT_EQ(send({put(file), read}, true).status, NFS4_OK);
    EXPECT_GT(server.reply.size(), 3900u);
    const Bytes first = server.reply;
    --next;
    send({put(file), read}, true);
    EXPECT_TRUE(
        std::equal(first.begin() + 4, first.end(), server.reply.begin() + 4));  // not the xid
    // GETATTR might take all that the slot keeps.
    std::vector<nfs_argop4> many(6, nfs_argop4::of_opgetattr({}));
    many.insert(many.begin(), put(file));
    many.push_back(read);
    EXPECT_EQ(send(many, true).status, NFS4ERR_REP_TOO_BIG_TO_CACHE);
}

// LOOKUP and OPEN have just read them, but WRITE has changed them since.
TEST_F(NfsV4, AttributesAreThoseAfterTheOperationBefore) {
    const auto [stateid, file] = create_with_end_at(100);
    const std::vector<std::uint32_t> size{1u << FATTR4_SIZE};
    const nfs_argop4 attributes = nfs_argop4::of_opgetattr({bits(size)});
    const auto size_after = [&](std::vector<nfs_argop4> operations) {
        operations.insert(operations.begin(), op(OP_PUTROOTFH));
        operations.push_back(attributes);
        const auto done = send(operations);
        EXPECT_EQ(done.status, NFS4_OK);
        const std::size_t last = done.resarray.size() - 1;
        return xdr::load_u64(
            done.resarray[last].opgetattr().resok4().obj_attributes.attr_vals.data());
    };
    const nfs_argop4 open = nfs_argop4::of_opopen(open_args("f", false));
    const nfs_argop4 access = nfs_argop4::of_opaccess({ACCESS4_READ});
    WRITE4args write{};
    write.stateid = stateid;
    write.stateid.seqid = 0;  // the newest: OPEN below counts it up
    write.offset = 200;
    write.data = as_bytes("more");
    EXPECT_EQ(size_after({lookup("f")}), 103u);
    EXPECT_EQ(size_after({lookup("f"), nfs_argop4::of_opwrite(write)}), 204u);
    EXPECT_EQ(size_after({open, op(OP_GETFH), access}), 204u);
    write.offset = 300;
    EXPECT_EQ(size_after({open, attributes, nfs_argop4::of_opwrite(write)}), 304u);
    EXPECT_NE(size_after({lookup("f"), op(OP_PUTROOTFH)}), 304u) << "those of another file";
}

TEST_F(NfsV4, BytesOfAllOperationsAreCounted) {
    const auto [stateid, file] = create("f");
    WRITE4args write{};
    write.stateid = stateid;
    write.data = as_bytes("hello");
    const nfs_argop4 attributes = nfs_argop4::of_opgetattr({});
    EXPECT_EQ(send({put(file), nfs_argop4::of_opwrite(write), attributes}).status, NFS4_OK);
    EXPECT_EQ(send({put(file), nfs_argop4::of_opread({stateid, 0, 3}), attributes}).status,
              NFS4_OK);
    const auto counts = server.exports.export_counts().front();
    EXPECT_EQ(counts.bytes_written, 5u);
    EXPECT_EQ(counts.bytes_read, 3u);
}

TEST_F(NfsV4, IsNotServedOverUdp) {
    server.peer = peer_at(127, 0, 0, 1, rpc::Transport::udp);
    const auto done = raw({op(OP_PUTROOTFH)});
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().outcome, xdr::Outcome::version_mismatch);
    EXPECT_EQ(std::get<xdr::CallError::VersionRange>(done.error().reason).high, 3u);
    server.peer = peer_at(127, 0, 0, 1);
    EXPECT_EQ(send({op(OP_PUTROOTFH)}).status, NFS4_OK);
}

TEST_F(NfsV4, AnOpenFileOutlivesItsName) {
    const auto [stateid, file] = create("f");
    EXPECT_EQ(send({op(OP_PUTROOTFH), nfs_argop4::of_opremove({"f"})}).status, NFS4_OK);
    const std::vector<std::uint32_t> size{1u << FATTR4_SIZE};
    EXPECT_EQ(send({put(file), nfs_argop4::of_opgetattr({bits(size)})}).status, NFS4_OK);
    EXPECT_EQ(send({put(file), nfs_argop4::of_opread({stateid, 0, 1})}).status, NFS4_OK);
    EXPECT_EQ(send({put(file), nfs_argop4::of_opclose({0, stateid})}).status, NFS4_OK);
    EXPECT_EQ(send({put(file), nfs_argop4::of_opgetattr({bits(size)})}).status, NFS4ERR_STALE);
}

TEST_F(NfsV4, AttributesAreThoseAskedFor) {
    const auto [stateid, file] = create("f");
    const std::vector<std::uint32_t> wanted{
        1u << FATTR4_TYPE | 1u << FATTR4_SIZE | 1u << FATTR4_ACL, 1u << (FATTR4_OWNER - 32)};
    const auto done = send({put(file), nfs_argop4::of_opgetattr({bits(wanted)})});
    ASSERT_EQ(done.status, NFS4_OK);
    const fattr4& got = done.resarray[2].opgetattr().resok4().obj_attributes;
    xdr::Arena arena;
    xdr::Reader in{got.attr_vals, arena, xdr::Mode::strict};
    fattr4_attributes values;
    ASSERT_TRUE(decode_fattr4_attributes(in, got.attrmask, values));
    EXPECT_EQ(values.present, (fattr4_attributes::Bits{FATTR4_TYPE, FATTR4_SIZE, FATTR4_OWNER}));
    EXPECT_EQ(values.type, NF4REG);
    EXPECT_EQ(values.size, 0u);
    EXPECT_EQ(values.owner, "1000");
    const std::vector<std::uint32_t> write_only{0, 1u << (FATTR4_TIME_MODIFY_SET - 32)};
    EXPECT_EQ(send({put(file), nfs_argop4::of_opgetattr({bits(write_only)})}).status,
              NFS4ERR_INVAL);
}

struct NfsV4WithLease : NfsV4 {
    NfsV4WithLease() : NfsV4(std::chrono::seconds{25}) {}
};

TEST_F(NfsV4WithLease, ClientsAreTold) {
    const auto done = send({op(OP_PUTROOTFH), nfs_argop4::of_opgetattr({bits({1u << 10})})});
    ASSERT_EQ(done.status, NFS4_OK);
    const ByteView values = done.resarray[2].opgetattr().resok4().obj_attributes.attr_vals;
    ASSERT_EQ(values.size(), 4u);
    EXPECT_EQ(xdr::load_u32(values.data()), 25u);
}

TEST_F(NfsV4, LocksOfTwoOwnersConflict) {
    const auto [stateid, file] = create("f");
    const auto lock = [&, id = stateid](std::string_view owner, offset4 from, length4 length) {
        LOCK4args args{};
        args.locktype = WRITE_LT;
        args.offset = from;
        args.length = length;
        args.locker = locker4::of_open_owner({0, id, 0, {client, as_bytes(owner)}});
        return nfs_argop4::of_oplock(args);
    };
    const auto first = send({put(file), lock("a", 0, 10)});
    ASSERT_EQ(first.status, NFS4_OK);
    const stateid4 held = first.resarray[2].oplock().resok4().lock_stateid;
    const auto second = send({put(file), lock("b", 5, UINT64_MAX)});
    ASSERT_EQ(second.status, NFS4ERR_DENIED);
    const LOCK4denied& why = second.resarray[2].oplock().denied();
    EXPECT_EQ(as_text(why.owner.owner), "a");
    EXPECT_EQ(why.offset, 0u);
    EXPECT_EQ(why.length, 10u);
    EXPECT_EQ(send({put(file), lock("b", 1, 0)}).status, NFS4ERR_INVAL);
    EXPECT_EQ(send({put(file), nfs_argop4::of_oplocku({WRITE_LT, 0, held, 0, UINT64_MAX})}).status,
              NFS4_OK);
    EXPECT_EQ(send({put(file), lock("b", 5, UINT64_MAX)}).status, NFS4_OK);
}

// Whatever is cut off, the server answers with a status, and goes on.
TEST_F(NfsV4, EveryCutOfACompoundIsAnswered) {
    const auto [stateid, file] = create("f");
    WRITE4args write{};
    write.stateid = stateid;
    write.data = as_bytes("hello");
    ASSERT_EQ(send({put(file), nfs_argop4::of_opwrite(write), op(OP_GETFH)}).status, NFS4_OK);
    const Bytes message = server.arguments;
    for (std::size_t size = 0; size < message.size(); ++size)
        (void)server.send({message.begin(), message.begin() + static_cast<std::ptrdiff_t>(size)});
    EXPECT_EQ(send({op(OP_PUTROOTFH)}).resarray[0].resop(), OP_SEQUENCE);
}

}  // namespace
}  // namespace helio::nfs::v4::service_test
