// NFS 4.1 with calls that no good client makes, and calls sent again whose replies were lost.
// TestServer checks the status of each operation against RFC 8881 §15.2.
#include <gtest/gtest.h>

#include "testing/nfs/server.h"

namespace helio::nfs::v4_bad_inputs_test {
namespace {

using namespace nfs4;
using Operation = nfs_argop4;

struct BadInputsV4 : ::testing::Test {
    TestServer server;
    sessionid4 session{};
    std::uint32_t next = 1;
    std::uint32_t xid = 0;
    clientid4 client = 0;
    Bytes file;
    stateid4 opened{};
    Bytes message;  // the last one

    static Operation op(nfs_opnum4 number) { return Operation::of(number); }
    Operation put() const { return Operation::of_opputfh({file}); }
    Operation sequence(bool cache = true) const {
        return Operation::of_opsequence({session, next, 0, 0, cache});
    }
    CompoundReply raw(const std::vector<Operation>& operations, std::uint32_t minor = 1,
                      std::string_view tag = {}) {
        message = compose_compound(server.credential, ++xid, operations, minor, tag);
        return CompoundReply{server.send(message)};
    }
    CompoundReply send(std::vector<Operation> operations, bool cache = true) {
        operations.insert(operations.begin(), sequence(cache));
        ++next;
        return raw(operations);
    }
    CompoundReply introduce(std::string_view name) {
        EXCHANGE_ID4args who{};
        who.eia_clientowner.co_ownerid = as_bytes(name);
        who.eia_state_protect = state_protect4_a::of(SP4_NONE);
        return raw({Operation::of_opexchange_id(who)});
    }
    CompoundReply create_session(clientid4 whose, std::uint32_t sequence_id,
                                 const channel_attrs4& fore) {
        CREATE_SESSION4args args{};
        args.csa_clientid = whose;
        args.csa_sequence = sequence_id;
        args.csa_fore_chan_attrs = fore;
        args.csa_back_chan_attrs = fore;
        return raw({Operation::of_opcreate_session(args)});
    }
    static OPEN4args open_args(std::string_view name) {
        OPEN4args args{};
        args.share_access = OPEN4_SHARE_ACCESS_BOTH;
        args.owner = {0, as_bytes("process")};
        args.openhow = openflag4::of_how(createhow4::of_createattrs(UNCHECKED4, fattr4{}));
        args.claim = open_claim4::of_file(name);
        return args;
    }
    Operation lock(std::string_view owner, offset4 from, length4 length) const {
        LOCK4args args{};
        args.locktype = WRITE_LT;
        args.offset = from;
        args.length = length;
        args.locker = locker4::of_open_owner({0, opened, 0, {0, as_bytes(owner)}});
        return Operation::of_oplock(args);
    }
    void SetUp() override {
        const auto known = introduce("test");
        const auto& id = known.results().resarray[0].opexchange_id().eir_resok4();
        client = id.eir_clientid;
        const auto made =
            create_session(client, id.eir_sequenceid, {0, 1 << 20, 1 << 20, 4096, 16, 4, {}});
        ASSERT_EQ(made.status(), NFS4_OK);
        session = made.results().resarray[0].opcreate_session().csr_resok4().csr_sessionid;
        const auto done =
            send({op(OP_PUTROOTFH), Operation::of_opopen(open_args("file")), op(OP_GETFH)});
        ASSERT_EQ(done.status(), NFS4_OK);
        opened = done.results().resarray[2].opopen().resok4().stateid;
        const ByteView handle = done.results().resarray[3].opgetfh().resok4().object;
        file = {handle.begin(), handle.end()};
    }
    // The server still serves this client.
    void TearDown() override { EXPECT_EQ(send({put(), op(OP_GETFH)}).status(), NFS4_OK); }
};

// CVE-2025-40210.
TEST_F(BadInputsV4, CompoundsOfAnyLength) {
    EXPECT_EQ(raw({}).status(), NFS4_OK);
    for (const std::size_t count : {100, 10'000, 1'000'000}) {
        std::vector<Operation> many(count, op(OP_PUTROOTFH));
        EXPECT_EQ(raw(many).status(), NFS4ERR_OP_NOT_IN_SESSION);
        many[0] = sequence();
        EXPECT_EQ(raw(many).results().resarray.size(), 1u) << count;
    }
    // 0xffffffff, of which two are there.
    raw({sequence(), op(OP_PUTROOTFH)});
    ++next;
    const std::size_t at = message.size() - 4 - 36 - 4;
    ASSERT_EQ(xdr::load_u32(message.data() + at), 2u);
    xdr::store_u32(message.data() + at, 0xffff'ffff);
    EXPECT_EQ(CompoundReply{server.send(message)}.results().resarray.size(), 1u);
}

TEST_F(BadInputsV4, MinorVersionsAndTheirOperations) {
    for (const std::uint32_t minor : {0u, 3u, 0xffff'ffffu})
        EXPECT_EQ(raw({sequence()}, minor).status(), NFS4ERR_MINOR_VERS_MISMATCH);
    EXPECT_EQ(send({op(OP_ILLEGAL)}).status(), NFS4ERR_OP_ILLEGAL);
    EXPECT_EQ(send({Operation::of_opseek({})}).status(), NFS4ERR_OP_ILLEGAL) << "of version 2";
    EXPECT_EQ(send({Operation::of_oprenew({})}).status(), NFS4ERR_NOTSUPP) << "of version 0";
}

TEST_F(BadInputsV4, LongTags) {
    const std::string tag(1 << 20, 't');
    const auto done = raw({sequence()}, 1, tag);
    ASSERT_EQ(done.outcome(), xdr::Outcome::success);
    EXPECT_EQ(done.results().tag, tag);
    if (done.status() == NFS4_OK) ++next;
}

TEST_F(BadInputsV4, SessionsOfAnySize) {
    const auto known = introduce("another");
    const auto& id = known.results().resarray[0].opexchange_id().eir_resok4();
    EXPECT_EQ(create_session(id.eir_clientid, 1, {}).status(), NFS4ERR_TOOSMALL);
    constexpr std::uint32_t most = 0xffff'ffff;
    const auto made = create_session(id.eir_clientid, 1, {most, most, most, most, most, most, {}});
    ASSERT_EQ(made.status(), NFS4_OK);
    const auto& got =
        made.results().resarray[0].opcreate_session().csr_resok4().csr_fore_chan_attrs;
    EXPECT_LE(got.ca_maxrequestsize, 2u << 20);
    EXPECT_LE(got.ca_maxresponsesize_cached, 4096u);
    EXPECT_LE(got.ca_maxoperations, 1024u);
    EXPECT_LE(got.ca_maxrequests, 1024u);
}

TEST_F(BadInputsV4, ManyIntroductions) {
    for (int i = 0; i < 100'000; ++i)
        ASSERT_EQ(introduce("client " + std::to_string(i)).status(), NFS4_OK);
}

TEST_F(BadInputsV4, BitmapsOfAnyLength) {
    for (const std::size_t words : {0, 1, 8, 1000}) {
        const std::vector<std::uint32_t> bits(words, 0x8000'0000);  // most of them unknown
        const bitmap4 wanted{bits.data(), bits.size()};
        EXPECT_EQ(send({put(), Operation::of_opgetattr({wanted})}).status(), NFS4_OK) << words;
    }
    // 2^32 - 1 words, of which none is there.
    send({put(), Operation::of_opgetattr({})});
    xdr::store_u32(message.data() + message.size() - 4, 0xffff'ffff);
    EXPECT_NE(CompoundReply{server.send(message)}.outcome(), xdr::Outcome::silent);
}

TEST_F(BadInputsV4, AccessListsOfAnyLength) {
    const Bytes values(100'000 * 20, std::byte{1});
    const std::uint32_t acl = 1u << FATTR4_ACL;
    const auto done = send({put(), Operation::of_opsetattr({opened, {{&acl, 1}, values}})});
    // It is also longer than this session's calls may be.
    EXPECT_EQ(done.status(), NFS4ERR_REQ_TOO_BIG);
    --next;
    const auto shorter = ByteView{values}.first(100'000);
    EXPECT_EQ(send({put(), Operation::of_opsetattr({opened, {{&acl, 1}, shorter}})}).status(),
              NFS4ERR_ATTRNOTSUPP);
}

TEST_F(BadInputsV4, StateidsThatAreNone) {
    stateid4 ones{UINT32_MAX, {}};
    ones.other.fill(std::byte{0xff});
    stateid4 future = opened;
    future.seqid += 9;
    stateid4 made_up{1, {}};
    made_up.other.fill(std::byte{0x5a});
    for (const stateid4& id : {stateid4{}, ones, future, made_up}) {
        EXPECT_EQ(send({put(), Operation::of_opclose({0, id})}).status(), NFS4ERR_BAD_STATEID);
        EXPECT_EQ(send({put(), Operation::of_opopen_downgrade({id, 0, 1, 0})}).status(),
                  NFS4ERR_BAD_STATEID);
        EXPECT_EQ(send({put(), Operation::of_oplocku({WRITE_LT, 0, id, 0, 1})}).status(),
                  NFS4ERR_BAD_STATEID);
        EXPECT_EQ(send({Operation::of_opfree_stateid({id})}).status(), NFS4ERR_BAD_STATEID);
        EXPECT_EQ(send({put(), Operation::of_opdelegreturn({id})}).status(), NFS4ERR_BAD_STATEID);
    }
    for (const stateid4& id : {future, made_up})
        EXPECT_EQ(send({put(), Operation::of_opread({id, 0, 1})}).status(), NFS4ERR_BAD_STATEID);
    WRITE4args write{};
    write.data = as_bytes("x");
    for (const stateid4& id : {stateid4{}, ones}) {
        write.stateid = id;
        EXPECT_EQ(send({put(), Operation::of_opwrite(write)}).status(), NFS4_OK);
    }
}

// Each operation with a file that is not of its kind. The fuzzer found SETATTR of a directory's
// size answered NFS4ERR_ISDIR.
TEST_F(BadInputsV4, EveryOperationOnEveryKindOfFile) {
    const std::uint32_t size_word[] = {1u << FATTR4_SIZE};
    const std::byte size_value[8]{};
    SETATTR4args resize{};
    resize.obj_attributes = {{size_word, 1}, size_value};
    LOCK4args lock_args{};
    lock_args.locktype = READ_LT;
    lock_args.length = 1;
    lock_args.locker = locker4::of_open_owner({0, opened, 0, {0, as_bytes("l")}});
    WRITE4args write{};
    write.data = as_bytes("x");
    OPEN4args by_handle = open_args("");
    by_handle.openhow = openflag4::of(OPEN4_NOCREATE);
    by_handle.claim = open_claim4::of(CLAIM_FH);
    const Operation all[] = {
        Operation::of_opread({{}, 0, 1}),
        Operation::of_opwrite(write),
        Operation::of_opcommit({0, 0}),
        Operation::of_opsetattr(resize),
        Operation::of_oplock(lock_args),
        Operation::of_oplockt({READ_LT, 0, 1, {0, as_bytes("l")}}),
        Operation::of_oplocku({READ_LT, 0, opened, 0, 1}),
        Operation::of_opclose({0, opened}),
        Operation::of_opopen_downgrade({opened, 0, 1, 0}),
        Operation::of_opopen(by_handle),
        Operation::of_opopen(open_args("inside")),
        op(OP_READLINK),
        Operation::of_opreaddir({0, {}, 1000, 1000, {}}),
        Operation::of_oplookup({"inside"}),
        op(OP_LOOKUPP),
        Operation::of_opremove({"inside"}),
        Operation::of_opsecinfo({"inside"}),
        Operation::of_opcreate({createtype4::of(NF4DIR), "made", {}}),
        Operation::of_oprename({"inside", "elsewhere"}),
        Operation::of_oplink({"linked"}),
        Operation::of_opaccess({0x3f}),
    };
    std::vector<Bytes> files{file};
    for (const createtype4& kind : {createtype4::of(NF4DIR), createtype4::of(NF4FIFO),
                                    createtype4::of(NF4SOCK), createtype4::of_linkdata("text")}) {
        const std::string name = std::to_string(files.size());
        const auto made =
            send({op(OP_PUTROOTFH), Operation::of_opcreate({kind, name, {}}), op(OP_GETFH)});
        ASSERT_EQ(made.status(), NFS4_OK);
        const ByteView handle = made.results().resarray[3].opgetfh().resok4().object;
        files.emplace_back(handle.begin(), handle.end());
    }
    for (const Bytes& current : files)
        for (const Bytes& saved : files)
            for (const Operation& operation : all)
                EXPECT_EQ(send({Operation::of_opputfh({saved}), op(OP_SAVEFH),
                                Operation::of_opputfh({current}), operation})
                              .results()
                              .resarray.size(),
                          5u);
    EXPECT_EQ(send({Operation::of_opputfh({files[1]}), Operation::of_opsetattr(resize)}).status(),
              NFS4ERR_WRONG_TYPE);
}

TEST_F(BadInputsV4, ClaimsAndShares) {
    OPEN4args args = open_args("file");
    args.openhow = openflag4::of(OPEN4_NOCREATE);
    args.claim = open_claim4::of_delegate_type(OPEN_DELEGATE_NONE);
    EXPECT_EQ(send({put(), Operation::of_opopen(args)}).status(), NFS4ERR_NO_GRACE);
    args.claim = open_claim4::of_oc_delegate_stateid({});
    EXPECT_EQ(send({put(), Operation::of_opopen(args)}).status(), NFS4ERR_BAD_STATEID);
    args.claim = open_claim4::of(CLAIM_DELEG_PREV_FH);
    EXPECT_EQ(send({put(), Operation::of_opopen(args)}).status(), NFS4ERR_NOTSUPP);
    args.claim = open_claim4::of(CLAIM_FH);
    for (const std::uint32_t access : {0u, 4u, 0xffu})
        EXPECT_EQ((args.share_access = access, send({put(), Operation::of_opopen(args)}).status()),
                  NFS4ERR_INVAL)
            << access;
    args.share_access = OPEN4_SHARE_ACCESS_READ;
    args.share_deny = 4;
    EXPECT_EQ(send({put(), Operation::of_opopen(args)}).status(), NFS4ERR_INVAL);
}

TEST_F(BadInputsV4, LockRanges) {
    EXPECT_EQ(send({put(), lock("a", 0, 0)}).status(), NFS4ERR_INVAL);
    EXPECT_EQ(send({put(), lock("a", 2, UINT64_MAX - 1)}).status(), NFS4ERR_INVAL) << "overflow";
    EXPECT_EQ(send({put(), lock("a", 1, UINT64_MAX)}).status(), NFS4_OK) << "to the end";
    EXPECT_EQ(send({put(), lock("a", UINT64_MAX - 1, 1)}).status(), NFS4_OK);
    EXPECT_EQ(send({put(), lock("a", UINT64_MAX, 1)}).status(), NFS4ERR_INVAL) << "overflow";
}

// CVE-2026-31402: the owner did not fit where the reply was kept.
TEST_F(BadInputsV4, LongLockOwnersAreDeniedAndReplayed) {
    const std::string owner(1024, 'o');
    ASSERT_EQ(send({put(), lock(owner, 0, 10)}).status(), NFS4_OK);
    const auto denied = send({put(), lock("b", 0, 10)});
    ASSERT_EQ(denied.status(), NFS4ERR_DENIED);
    EXPECT_EQ(as_text(denied.results().resarray[2].oplock().denied().owner.owner), owner);
    EXPECT_EQ(server.send(message), denied.bytes());
}

TEST_F(BadInputsV4, AboveTheRoot) {
    EXPECT_EQ(send({op(OP_PUTROOTFH), op(OP_LOOKUPP)}).status(), NFS4ERR_NOENT);
}

// Every cut is answered by the operation that it meets, or is not a call at all; nothing executes
// twice, and the server goes on.
TEST_F(BadInputsV4, EveryOperationCutAtEveryByte) {
    WRITE4args write{};
    write.stateid = opened;
    write.data = as_bytes("hello");
    const std::uint32_t size = 1u << FATTR4_SIZE;
    const std::vector<Operation> all{put(),
                                     Operation::of_opopen(open_args("other")),
                                     put(),
                                     Operation::of_opwrite(write),
                                     Operation::of_opread({opened, 0, 1}),
                                     Operation::of_opgetattr({{&size, 1}}),
                                     lock("cut", 0, 1),
                                     Operation::of_oplockt({WRITE_LT, 0, 1, {0, as_bytes("t")}}),
                                     Operation::of_opremove({"name"})};
    for (std::size_t which = 0; which < all.size(); ++which) {
        send({put(), all[which]});
        const Bytes whole = message;
        for (std::size_t left = whole.size() - 1; left > whole.size() - 40; --left) {
            Bytes cut{whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(left)};
            const CompoundReply reply{server.send(cut)};
            if (reply.outcome() == xdr::Outcome::garbage_arguments) continue;
            ASSERT_EQ(reply.outcome(), xdr::Outcome::success) << which << " cut to " << left;
            EXPECT_NE(reply.status(), NFS4_OK) << which << " cut to " << left;
        }
    }
}

// ---- Calls sent again: executed once, answered with the same bytes ----

TEST_F(BadInputsV4, RetriesAreExecutedOnce) {
    const auto expect_once = [&](const char* name, std::vector<Operation> operations) {
        const auto first = send(std::move(operations));
        ASSERT_EQ(first.status(), NFS4_OK) << name;
        // TestServer has a new connection for each message.
        for (int again = 0; again < 3; ++again)
            EXPECT_EQ(server.send(message), first.bytes()) << name;
    };
    CREATE4args directory{};
    directory.objtype = createtype4::of(NF4DIR);
    directory.objname = "directory";
    expect_once("CREATE", {op(OP_PUTROOTFH), Operation::of_opcreate(directory)});
    expect_once("LINK", {put(), op(OP_SAVEFH), op(OP_PUTROOTFH), Operation::of_oplink({"link"})});
    expect_once("RENAME", {op(OP_PUTROOTFH), op(OP_SAVEFH), op(OP_PUTROOTFH),
                           Operation::of_oprename({"link", "moved"})});
    expect_once("REMOVE", {op(OP_PUTROOTFH), Operation::of_opremove({"moved"})});
    OPEN4args guarded = open_args("guarded");
    guarded.openhow = openflag4::of_how(createhow4::of_createattrs(GUARDED4, fattr4{}));
    expect_once("OPEN", {op(OP_PUTROOTFH), Operation::of_opopen(guarded)});
    expect_once("LOCK", {put(), lock("a", 0, 10)});
    WRITE4args write{};
    write.stateid = opened;
    write.data = as_bytes("x");
    expect_once("WRITE", {put(), Operation::of_opwrite(write)});
    expect_once("CLOSE", {put(), Operation::of_opclose({0, opened})});
}

TEST_F(BadInputsV4, RetriesThatAreNone) {
    ASSERT_EQ(send({put(), op(OP_GETFH)}).status(), NFS4_OK);
    --next;
    EXPECT_EQ(raw({sequence(), op(OP_PUTROOTFH)}).status(), NFS4ERR_SEQ_FALSE_RETRY);
    ++next;
    ASSERT_EQ(send({put(), op(OP_GETFH)}, false).status(), NFS4_OK);
    EXPECT_EQ(CompoundReply{server.send(message)}.status(), NFS4ERR_RETRY_UNCACHED_REP);
}

}  // namespace
}  // namespace helio::nfs::v4_bad_inputs_test
