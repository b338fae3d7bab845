#include "helio/nfs/v4/service_internal.h"

#include <algorithm>
#include <array>
#include <new>

#include "helio/base/siphash.h"
#include "helio/nfs/v4/compound.h"
#include "helio/nfs/v4/operations_internal.h"
#include "schema/nfs4_service.h"

namespace helio::nfs::v4 {

using namespace nfs4;

namespace {

// What an operation needs to have come before it.
enum class Needs : std::uint8_t {
    nothing,  // it is outside of sessions, and then has to be alone
    session,
    file,  // a session and a current file
};

// One operation, with the types of its arguments and its result taken off.
struct Row {
    nfs_opnum4 number{};
    Needs needs = Needs::file;
    nfsstat4 (*now)(Compound&, const nfs_argop4&, nfs_resop4&) = nullptr;
    Task<nfsstat4> (*task)(Compound&, const nfs_argop4&, nfs_resop4&) = nullptr;
    void (*fail)(nfs_resop4&, nfsstat4) = nullptr;
};

// A result that is only a status: the discriminant, or the first field.
template <class Result>
Result failed(nfsstat4 status) {
    if constexpr (requires { Result::of(status); })
        return Result::of(status);
    else
        return Result{status};
}

template <nfs_opnum4 Number, auto Function, auto Argument, auto Emplace>
constexpr Row row(Needs needs) {
    constexpr auto call = [](Compound& compound, const nfs_argop4& from, nfs_resop4& to) {
        auto& out = (to.*Emplace)(Number);
        if constexpr (std::is_null_pointer_v<decltype(Argument)>)
            return Function(compound, out);
        else
            return Function(compound, (from.*Argument)(), out);
    };
    Row out{.number = Number, .needs = needs};
    using Returned =
        std::invoke_result_t<decltype(call), Compound&, const nfs_argop4&, nfs_resop4&>;
    if constexpr (std::is_same_v<Returned, nfsstat4>)
        out.now = call;
    else
        out.task = call;
    out.fail = [](nfs_resop4& to, nfsstat4 status) {
        auto& result = (to.*Emplace)(Number);
        result = failed<std::remove_reference_t<decltype(result)>>(status);
    };
    return out;
}

// Operations that this server does not have, such as layouts: NFS4ERR_NOTSUPP.
template <nfs_opnum4 Number, auto Emplace>
constexpr Row unsupported() {
    Row out{.number = Number, .needs = Needs::session};
    out.now = [](Compound&, const nfs_argop4&, nfs_resop4&) { return NFS4ERR_NOTSUPP; };
    out.fail = [](nfs_resop4& to, nfsstat4 status) {
        auto& result = (to.*Emplace)(Number);
        result = failed<std::remove_reference_t<decltype(result)>>(status);
    };
    return out;
}

using A = nfs_argop4;
using R = nfs_resop4;

constexpr Row kRows[] = {
    row<OP_ACCESS, access, &A::opaccess, &R::emplace_opaccess>(Needs::file),
    row<OP_CLOSE, close, &A::opclose, &R::emplace_opclose>(Needs::file),
    row<OP_COMMIT, commit, &A::opcommit, &R::emplace_opcommit>(Needs::file),
    row<OP_CREATE, create, &A::opcreate, &R::emplace_opcreate>(Needs::file),
    unsupported<OP_DELEGPURGE, &R::emplace_opdelegpurge>(),
    row<OP_DELEGRETURN, delegreturn, &A::opdelegreturn, &R::emplace_opdelegreturn>(Needs::file),
    row<OP_GETATTR, getattr, &A::opgetattr, &R::emplace_opgetattr>(Needs::file),
    row<OP_GETFH, getfh, nullptr, &R::emplace_opgetfh>(Needs::file),
    row<OP_LINK, link, &A::oplink, &R::emplace_oplink>(Needs::file),
    row<OP_LOCK, lock, &A::oplock, &R::emplace_oplock>(Needs::file),
    row<OP_LOCKT, lockt, &A::oplockt, &R::emplace_oplockt>(Needs::file),
    row<OP_LOCKU, locku, &A::oplocku, &R::emplace_oplocku>(Needs::file),
    row<OP_LOOKUP, lookup, &A::oplookup, &R::emplace_oplookup>(Needs::file),
    row<OP_LOOKUPP, lookupp, nullptr, &R::emplace_oplookupp>(Needs::file),
    row<OP_NVERIFY, nverify, &A::opnverify, &R::emplace_opnverify>(Needs::file),
    row<OP_OPEN, open, &A::opopen, &R::emplace_opopen>(Needs::file),
    unsupported<OP_OPENATTR, &R::emplace_opopenattr>(),
    // Of minor version 0 alone (RFC 8881 §19).
    unsupported<OP_OPEN_CONFIRM, &R::emplace_opopen_confirm>(),
    row<OP_OPEN_DOWNGRADE, open_downgrade, &A::opopen_downgrade, &R::emplace_opopen_downgrade>(
        Needs::file),
    row<OP_PUTFH, putfh, &A::opputfh, &R::emplace_opputfh>(Needs::session),
    row<OP_PUTPUBFH, putpubfh, nullptr, &R::emplace_opputpubfh>(Needs::session),
    row<OP_PUTROOTFH, putrootfh, nullptr, &R::emplace_opputrootfh>(Needs::session),
    row<OP_READ, read, &A::opread, &R::emplace_opread>(Needs::file),
    row<OP_READDIR, readdir, &A::opreaddir, &R::emplace_opreaddir>(Needs::file),
    row<OP_READLINK, readlink, nullptr, &R::emplace_opreadlink>(Needs::file),
    row<OP_REMOVE, remove, &A::opremove, &R::emplace_opremove>(Needs::file),
    row<OP_RENAME, rename, &A::oprename, &R::emplace_oprename>(Needs::file),
    unsupported<OP_RENEW, &R::emplace_oprenew>(),
    row<OP_RESTOREFH, restorefh, nullptr, &R::emplace_oprestorefh>(Needs::session),
    row<OP_SAVEFH, savefh, nullptr, &R::emplace_opsavefh>(Needs::file),
    row<OP_SECINFO, secinfo, &A::opsecinfo, &R::emplace_opsecinfo>(Needs::file),
    row<OP_SETATTR, setattr, &A::opsetattr, &R::emplace_opsetattr>(Needs::file),
    unsupported<OP_SETCLIENTID, &R::emplace_opsetclientid>(),
    unsupported<OP_SETCLIENTID_CONFIRM, &R::emplace_opsetclientid_confirm>(),
    row<OP_VERIFY, verify, &A::opverify, &R::emplace_opverify>(Needs::file),
    row<OP_WRITE, write, &A::opwrite, &R::emplace_opwrite>(Needs::file),
    unsupported<OP_RELEASE_LOCKOWNER, &R::emplace_oprelease_lockowner>(),
    row<OP_BACKCHANNEL_CTL, backchannel_ctl, &A::opbackchannel_ctl, &R::emplace_opbackchannel_ctl>(
        Needs::session),
    row<OP_BIND_CONN_TO_SESSION, bind_conn_to_session, &A::opbind_conn_to_session,
        &R::emplace_opbind_conn_to_session>(Needs::nothing),
    row<OP_EXCHANGE_ID, exchange_id, &A::opexchange_id, &R::emplace_opexchange_id>(Needs::nothing),
    row<OP_CREATE_SESSION, create_session, &A::opcreate_session, &R::emplace_opcreate_session>(
        Needs::nothing),
    row<OP_DESTROY_SESSION, destroy_session, &A::opdestroy_session, &R::emplace_opdestroy_session>(
        Needs::nothing),
    row<OP_FREE_STATEID, free_stateid, &A::opfree_stateid, &R::emplace_opfree_stateid>(
        Needs::session),
    unsupported<OP_GET_DIR_DELEGATION, &R::emplace_opget_dir_delegation>(),
    unsupported<OP_GETDEVICEINFO, &R::emplace_opgetdeviceinfo>(),
    unsupported<OP_GETDEVICELIST, &R::emplace_opgetdevicelist>(),
    unsupported<OP_LAYOUTCOMMIT, &R::emplace_oplayoutcommit>(),
    unsupported<OP_LAYOUTGET, &R::emplace_oplayoutget>(),
    unsupported<OP_LAYOUTRETURN, &R::emplace_oplayoutreturn>(),
    row<OP_SECINFO_NO_NAME, secinfo_no_name, &A::opsecinfo_no_name, &R::emplace_opsecinfo_no_name>(
        Needs::file),
    row<OP_SEQUENCE, sequence, &A::opsequence, &R::emplace_opsequence>(Needs::nothing),
    unsupported<OP_SET_SSV, &R::emplace_opset_ssv>(),
    row<OP_TEST_STATEID, test_stateid, &A::optest_stateid, &R::emplace_optest_stateid>(
        Needs::session),
    unsupported<OP_WANT_DELEGATION, &R::emplace_opwant_delegation>(),
    row<OP_DESTROY_CLIENTID, destroy_clientid, &A::opdestroy_clientid,
        &R::emplace_opdestroy_clientid>(Needs::nothing),
    row<OP_RECLAIM_COMPLETE, reclaim_complete, &A::opreclaim_complete,
        &R::emplace_opreclaim_complete>(Needs::session),
    unsupported<OP_ALLOCATE, &R::emplace_opallocate>(),
    unsupported<OP_COPY, &R::emplace_opcopy>(),
    unsupported<OP_COPY_NOTIFY, &R::emplace_opcopy_notify>(),
    unsupported<OP_DEALLOCATE, &R::emplace_opdeallocate>(),
    unsupported<OP_IO_ADVISE, &R::emplace_opio_advise>(),
    unsupported<OP_LAYOUTERROR, &R::emplace_oplayouterror>(),
    unsupported<OP_LAYOUTSTATS, &R::emplace_oplayoutstats>(),
    unsupported<OP_OFFLOAD_CANCEL, &R::emplace_opoffload_cancel>(),
    unsupported<OP_OFFLOAD_STATUS, &R::emplace_opoffload_status>(),
    unsupported<OP_READ_PLUS, &R::emplace_opread_plus>(),
    unsupported<OP_SEEK, &R::emplace_opseek>(),
    unsupported<OP_WRITE_SAME, &R::emplace_opwrite_same>(),
    unsupported<OP_CLONE, &R::emplace_opclone>(),
    unsupported<OP_GETXATTR, &R::emplace_opgetxattr>(),
    unsupported<OP_SETXATTR, &R::emplace_opsetxattr>(),
    unsupported<OP_LISTXATTRS, &R::emplace_oplistxattrs>(),
    unsupported<OP_REMOVEXATTR, &R::emplace_opremovexattr>(),
};
// Numbers are dense, so that the place in the table is the number.
static_assert(kRows[0].number == OP_ACCESS && kRows[OP_WRITE - OP_ACCESS].number == OP_WRITE &&
              kRows[OP_REMOVEXATTR - OP_ACCESS].number == OP_REMOVEXATTR);

// Minor version 2 begins here; 1 does not have these (RFC 7862 §15).
constexpr std::uint32_t kFirstOfMinor2 = OP_ALLOCATE;

const Row* row_of(std::uint32_t number, std::uint32_t minor_version) {
    if (number < OP_ACCESS || number - OP_ACCESS >= std::size(kRows)) return nullptr;
    if (number >= kFirstOfMinor2 && minor_version < 2) return nullptr;
    return &kRows[number - OP_ACCESS];
}

// An operation of the call, or why it could not be read.
struct Decoded {
    nfs_argop4 operation;
    std::uint32_t number;
    nfsstat4 fault;
};

struct Decoder {
    std::string_view tag;
    std::uint32_t minor_version = 0;
    std::uint32_t count = 0;
    Decoded* operations = nullptr;
    std::uint32_t decoded =
        0;  // up to the first that cannot be read, or the most that any session allows

    bool read(xdr::Reader& in);
};

bool take_word(xdr::Reader& in, std::uint32_t& out) {
    if (!in.ready(4)) return false;
    out = xdr::load_u32(in.at());
    return in.end(in.at() + 4);
}

// All operations are decoded before the first executes: data that RDMA carried apart is only there
// until then. The memory that this takes is bounded by the number of operations that a session
// allows, not by what the call says.
bool Decoder::read(xdr::Reader& in) {
    if (!decode_utf8str_cs(in, tag) || !take_word(in, minor_version) || !take_word(in, count))
        return false;
    const std::uint32_t most = std::min(count, state::kOperationsMax);
    operations = in.arena().make<Decoded>(most);
    if (operations == nullptr) return false;
    for (; decoded < most; ++decoded) {
        Decoded& one = operations[decoded];
        one.number = OP_ILLEGAL;
        one.fault = NFS4ERR_BADXDR;
        if (in.rest().size() < 4) return ++decoded, true;
        one.number = xdr::load_u32(in.at());
        if (row_of(one.number, minor_version) == nullptr) {
            one.fault = NFS4ERR_OP_ILLEGAL;
            return ++decoded, true;
        }
        if (!decode_nfs_argop4(in, one.operation)) return ++decoded, true;
        one.fault = NFS4_OK;
    }
    return true;
}

// The reply to a COMPOUND: results, or the bytes of a reply that was sent before.
struct Reply {
    COMPOUND4res results;
    xdr::Array<std::byte> replayed;
};

bool encode_reply(xdr::Writer& out, const Reply& reply) {
    if (!reply.replayed.empty()) return out.append({reply.replayed.data(), reply.replayed.size()});
    return encode_COMPOUND4res(out, reply.results);
}

// May this operation stand here? RFC 8881 §2.10.6.1 and §15.1.
nfsstat4 check_place(const Compound& compound, const Row& row, std::uint32_t index) {
    if (row.number == OP_SEQUENCE) return index == 0 ? NFS4_OK : NFS4ERR_SEQUENCE_POS;
    if (compound.session == nullptr) {
        if (row.needs != Needs::nothing) return NFS4ERR_OP_NOT_IN_SESSION;
        if (compound.operations != 1) return NFS4ERR_NOT_ONLY_OP;
        return NFS4_OK;
    }
    // They may follow SEQUENCE, except for the one that binds connections.
    if (row.number == OP_BIND_CONN_TO_SESSION) return NFS4ERR_NOT_ONLY_OP;
    if (row.needs == Needs::file && compound.current().empty()) return NFS4ERR_NOFILEHANDLE;
    return NFS4_OK;
}

void finish_slot(Compound& compound, const COMPOUND4res& results) {
    if (compound.session == nullptr) return;
    if (!compound.cache_reply) return compound.state().finish(*compound.session, compound.slot, {});
    xdr::Writer encoded{compound.request.call().arena()};
    std::vector<std::byte> bytes;
    if (encode_COMPOUND4res(encoded, results)) bytes = encoded.joined();
    if (bytes.size() > compound.session->fore().cached_bytes_max) bytes.clear();
    compound.state().finish(*compound.session, compound.slot, bytes);
}

Task<Reply> run(const Context& context, rpc::Call& call, Decoder decoder,
                std::uint64_t fingerprint) {
    Compound compound{context, call};
    compound.operations = decoder.count;
    compound.fingerprint = fingerprint;
    compound.request_bytes = call.message.size();
    compound.minor_version = decoder.minor_version;
    COMPOUND4res results{.status = NFS4_OK, .tag = decoder.tag, .resarray = {}};
    if (decoder.minor_version < 1 || decoder.minor_version > 2) {
        results.status = NFS4ERR_MINOR_VERS_MISMATCH;
        co_return Reply{results, {}};
    }
    nfs_resop4* const resops = call.arena().make<nfs_resop4>(decoder.decoded);
    if (resops == nullptr) co_return call.end_with<Reply>(xdr::Outcome::system_error);
    std::uint32_t done = 0;
    for (; done < decoder.decoded && results.status == NFS4_OK; ++done) {
        const Decoded& one = decoder.operations[done];
        nfs_resop4& out = *new (&resops[done]) nfs_resop4{};
        const Row* const row = row_of(one.number, decoder.minor_version);
        if (row == nullptr) {
            results.status = one.fault;
            out.emplace_opillegal(OP_ILLEGAL).status = one.fault;
            continue;
        }
        nfsstat4 status = one.fault;
        if (status == NFS4_OK)
            status = compound.uncached_retry ? NFS4ERR_RETRY_UNCACHED_REP
                                             : check_place(compound, *row, done);
        if (status == NFS4_OK && row->now != nullptr)
            status = row->now(compound, one.operation, out);
        else if (status == NFS4_OK)
            status = co_await row->task(compound, one.operation, out);
        if (status != NFS4_OK && status != NFS4ERR_DENIED) row->fail(out, status);
        results.status = status;
        if (compound.replay) {
            std::byte* const kept = call.arena().make<std::byte>(compound.replay->size());
            if (kept == nullptr) co_return call.end_with<Reply>(xdr::Outcome::system_error);
            std::copy(compound.replay->begin(), compound.replay->end(), kept);
            co_return Reply{{}, {kept, compound.replay->size()}};
        }
    }
    results.resarray = {resops, done};
    finish_slot(compound, results);
    co_return Reply{results, {}};
}

class Service final : public xdr::ServiceBase {
 public:
    explicit Service(const Context& context) : context_(context) {}
    const xdr::VersionInfo& info() const override { return kInfo; }
    void* service() override { return this; }

 private:
    static xdr::Outcome serve_null(void*, xdr::CallContext&, xdr::Reader&, xdr::Writer&) {
        return xdr::Outcome::success;
    }
    static xdr::Outcome serve_compound(void* service, xdr::CallContext& call, xdr::Reader& in,
                                       xdr::Writer& out);

    // Sessions, not the duplicate request cache, make calls execute once: to RPC a COMPOUND is
    // idempotent.
    static constexpr xdr::ProcedureInfo kProcedures[] = {
        {.number = 0,
         .name = "NFSPROC4_NULL",
         .short_name = "NULL",
         .idempotent = true,
         .notes = {},
         .serve = serve_null,
         .results_max = 0},
        {.number = 1,
         .name = "NFSPROC4_COMPOUND",
         .short_name = "COMPOUND",
         .idempotent = true,
         .notes = {},
         .serve = serve_compound,
         .bulk_results = true},
    };
    static constexpr xdr::VersionInfo kInfo{.program = NFS_V4::program,
                                            .version = NFS_V4::version,
                                            .program_name = "NFS4_PROGRAM",
                                            .version_name = "NFS_V4",
                                            .procedures = kProcedures};

    const Context& context_;
};

xdr::Outcome Service::serve_compound(void* service, xdr::CallContext& context, xdr::Reader& in,
                                     xdr::Writer& out) {
    auto& self = *static_cast<Service*>(service);
    rpc::Call& call = rpc::call_of(context);
    // Tells a retry from another call in its place: by its beginning, where all that matters is.
    const ByteView body = in.rest();
    const std::uint64_t fingerprint =
        siphash13(0, body.size(), body.first(std::min<std::size_t>(body.size(), 512)));
    Decoder decoder;
    if (!decoder.read(in)) return xdr::Outcome::garbage_arguments;
    const Reply reply = context.run(run(self.context_, call, decoder, fingerprint));
    if (context.outcome() == xdr::Outcome::success)
        return encode_reply(out, reply) ? xdr::Outcome::success : xdr::Outcome::system_error;
    if (!context.waits()) return context.outcome();
    context.later().set_finish(xdr::finish_frame<encode_reply, Reply>);
    return xdr::Outcome::suspended;
}

}  // namespace

std::unique_ptr<xdr::ServiceBase> make_service(const Context& context) {
    return std::make_unique<Service>(context);
}

}  // namespace helio::nfs::v4
