// A client of NFS 4.1 with one session, for tests that care about files and names and not about
// sessions. Each call is a COMPOUND on slot 0, with SEQUENCE in front.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "testing/nfs/server.h"

namespace helio::nfs {

class SessionClient final {
 public:
    using Operation = nfs4::nfs_argop4;
    using Values = nfs4::fattr4_attributes;

    explicit SessionClient(TestServer& server) : server_(server) { connect(); }

    static Operation op(nfs4::nfs_opnum4 number) { return Operation::of(number); }
    static Operation root() { return op(nfs4::OP_PUTROOTFH); }
    static Operation put(ByteView handle) { return Operation::of_opputfh({handle}); }
    static Operation lookup(std::string_view name) { return Operation::of_oplookup({name}); }

    // The results, without SEQUENCE's.
    struct Reply {
        CompoundReply whole;
        nfs4::nfsstat4 status() const { return whole.status(); }
        const nfs4::nfs_resop4& operator[](std::size_t index) const {
            return whole.results().resarray[index + 1];
        }
    };
    Reply send(std::vector<Operation> operations) {
        operations.insert(operations.begin(),
                          Operation::of_opsequence({session_, next_++, 0, 0, false}));
        return {raw(operations)};
    }
    nfs4::nfsstat4 status_of(std::vector<Operation> operations) {
        return send(std::move(operations)).status();
    }
    // The handle that some operations lead to. Empty: they failed.
    Bytes handle(std::vector<Operation> operations) {
        operations.push_back(op(nfs4::OP_GETFH));
        const std::size_t last = operations.size() - 1;
        const Reply done = send(std::move(operations));
        if (done.status() != nfs4::NFS4_OK) return {};
        const ByteView got = done[last].opgetfh().resok4().object;
        return {got.begin(), got.end()};
    }
    // Attributes that are numbers; the views in them are dead.
    Values attributes(std::vector<Operation> operations, const Values::Bits& wanted) {
        const auto words = wanted.words();
        operations.push_back(Operation::of_opgetattr({{words.data(), words.size()}}));
        const std::size_t last = operations.size() - 1;
        const Reply done = send(std::move(operations));
        if (done.status() != nfs4::NFS4_OK) return {};
        return values_of(done[last].opgetattr().resok4().obj_attributes);
    }
    static Values values_of(const nfs4::fattr4& from) {
        xdr::Arena arena;
        xdr::Reader in{from.attr_vals, arena, xdr::Mode::strict};
        Values out;
        HELIO_ASSERT(decode_fattr4_attributes(in, from.attrmask, out));
        return out;
    }
    // Opens or creates a file in the current directory, for reading and writing.
    nfs4::OPEN4args open_args(std::string_view name, bool create) const {
        nfs4::OPEN4args args{};
        args.share_access = nfs4::OPEN4_SHARE_ACCESS_BOTH;
        args.owner = {client_, as_bytes("process")};
        args.openhow = create ? nfs4::openflag4::of_how(nfs4::createhow4::of_createattrs(
                                    nfs4::UNCHECKED4, nfs4::fattr4{}))
                              : nfs4::openflag4::of(nfs4::OPEN4_NOCREATE);
        args.claim = nfs4::open_claim4::of_file(name);
        return args;
    }

 private:
    CompoundReply raw(const std::vector<Operation>& operations) {
        return CompoundReply{
            server_.send(compose_compound(server_.credential, ++xid_, operations))};
    }
    void connect() {
        nfs4::EXCHANGE_ID4args who{};
        who.eia_clientowner.co_ownerid = as_bytes("test client");
        who.eia_state_protect = nfs4::state_protect4_a::of(nfs4::SP4_NONE);
        const auto introduced = raw({Operation::of_opexchange_id(who)});
        const auto& id = introduced.results().resarray[0].opexchange_id().eir_resok4();
        client_ = id.eir_clientid;
        nfs4::CREATE_SESSION4args create{};
        create.csa_clientid = client_;
        create.csa_sequence = id.eir_sequenceid;
        create.csa_fore_chan_attrs = {0, 1 << 20, 1 << 20, 4096, 16, 4, {}};
        create.csa_back_chan_attrs = create.csa_fore_chan_attrs;
        const auto made = raw({Operation::of_opcreate_session(create)});
        session_ = made.results().resarray[0].opcreate_session().csr_resok4().csr_sessionid;
    }

    TestServer& server_;
    nfs4::sessionid4 session_{};
    nfs4::clientid4 client_ = 0;
    std::uint32_t next_ = 1;
    std::uint32_t xid_ = 1u << 30;
};

}  // namespace helio::nfs
