#include "helio/nfs/v4/operation_table_internal.h"

#include <type_traits>

#include "helio/nfs/v4/operations_internal.h"

namespace helio::nfs::v4 {

using namespace nfs4;

namespace {

// A result that is only a status: the discriminant, or the first field.
template <class Result>
Result failed(nfsstat4 status) {
    if constexpr (requires { Result::of(status); })
        return Result::of(status);
    else
        return Result{status};
}

// An operation that gives up when it may have to wait: bool (…, nfsstat4& status).
template <class Function>
inline constexpr bool may_give_up = false;
template <class... Arguments>
inline constexpr bool may_give_up<bool (*)(Arguments...)> = true;

template <nfs_opnum4 Number, auto Function, auto Argument, auto Emplace, class... More>
auto call(Compound& compound, const nfs_argop4& from, nfs_resop4& to, More&... more) {
    auto& out = (to.*Emplace)(Number);
    if constexpr (std::is_null_pointer_v<decltype(Argument)>)
        return Function(compound, out, more...);
    else
        return Function(compound, (from.*Argument)(), out, more...);
}

// `Function` is one of the forms in operations_internal.h: it returns a status, a Task of one, or
// whether it did not have to wait.
template <nfs_opnum4 Number, auto Function, auto Argument, auto Emplace>
constexpr Row row(Needs needs) {
    Row out{.number = Number, .needs = needs};
    if constexpr (may_give_up<decltype(Function)>) {
        out.now = call<Number, Function, Argument, Emplace, nfsstat4>;
    } else {
        constexpr auto function = call<Number, Function, Argument, Emplace>;
        using Returned =
            std::invoke_result_t<decltype(function), Compound&, const nfs_argop4&, nfs_resop4&>;
        if constexpr (std::is_same_v<Returned, Task<nfsstat4>>)
            out.task = function;
        else
            out.now = [](Compound& compound, const nfs_argop4& from, nfs_resop4& to,
                         nfsstat4& status) {
                status = function(compound, from, to);
                return true;
            };
    }
    out.fail = [](nfs_resop4& to, nfsstat4 status) {
        auto& result = (to.*Emplace)(Number);
        result = failed<std::remove_reference_t<decltype(result)>>(status);
    };
    return out;
}

// An operation that seldom waits, as two functions.
constexpr Row either(Row now, const Row& task) {
    now.task = task.task;
    return now;
}

// Operations that this server does not have, such as layouts: NFS4ERR_NOTSUPP.
template <nfs_opnum4 Number, auto Emplace>
constexpr Row unsupported() {
    Row out{.number = Number, .needs = Needs::session};
    out.now = [](Compound&, const nfs_argop4&, nfs_resop4&, nfsstat4& status) {
        status = NFS4ERR_NOTSUPP;
        return true;
    };
    out.fail = [](nfs_resop4& to, nfsstat4 status) {
        auto& result = (to.*Emplace)(Number);
        result = failed<std::remove_reference_t<decltype(result)>>(status);
    };
    return out;
}

using A = nfs_argop4;
using R = nfs_resop4;

constexpr std::array<Row, kRowCount> kTable = {{
    row<OP_ACCESS, access, &A::opaccess, &R::emplace_opaccess>(Needs::file),
    row<OP_CLOSE, close, &A::opclose, &R::emplace_opclose>(Needs::file),
    row<OP_COMMIT, commit, &A::opcommit, &R::emplace_opcommit>(Needs::file),
    row<OP_CREATE, create, &A::opcreate, &R::emplace_opcreate>(Needs::file),
    unsupported<OP_DELEGPURGE, &R::emplace_opdelegpurge>(),
    row<OP_DELEGRETURN, delegreturn, &A::opdelegreturn, &R::emplace_opdelegreturn>(Needs::file),
    either(row<OP_GETATTR, getattr_now, &A::opgetattr, &R::emplace_opgetattr>(Needs::file),
           row<OP_GETATTR, getattr, &A::opgetattr, &R::emplace_opgetattr>(Needs::file)),
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
}};

constexpr bool is_in_order() {
    for (std::size_t i = 0; i < kRowCount; ++i)
        if (static_cast<std::size_t>(kTable[i].number) != kFirstOperation + i) return false;
    return true;
}
static_assert(is_in_order());

}  // namespace

constinit const std::array<Row, kRowCount> kRows = kTable;

}  // namespace helio::nfs::v4
