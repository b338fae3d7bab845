#include "helio/nfs/ops/ops.h"
#include "helio/nfs/server/held_file.h"
#include "helio/nfs/v4/attributes.h"
#include "helio/nfs/v4/names/crossing_internal.h"
#include "helio/nfs/v4/opens/plain_file.h"
#include "helio/nfs/v4/operations_internal.h"
#include "helio/nfs/wire/status.h"
#include "helio/nfs/wire/verifier.h"
#include "helio/vfs/open_files.h"

namespace helio::nfs::v4 {

using namespace nfs4;
using vfs::Status;

namespace {

constexpr std::uint32_t kWantMask =
    OPEN4_SHARE_ACCESS_WANT_DELEG_MASK | OPEN4_SHARE_ACCESS_WANT_SIGNAL_DELEG_WHEN_RESRC_AVAIL |
    OPEN4_SHARE_ACCESS_WANT_PUSH_DELEG_WHEN_UNCONTENDED | OPEN4_SHARE_ACCESS_WANT_DELEG_TIMESTAMPS |
    OPEN4_SHARE_ACCESS_WANT_OPEN_XOR_DELEGATION;

// What the file was before OPEN, and what OPEN did to its directory.
struct Target {
    ByteView handle;
    vfs::Change directory;
    vfs::OpenRights rights = vfs::OpenRights::checked;
    vfs::Changes set;                           // attributes that were set when it was made
    std::optional<vfs::Attributes> attributes;  // if the file was found by its name
};

const fattr4* attributes_of(const createhow4& from) {
    if (from.mode() == EXCLUSIVE4) return nullptr;
    return from.mode() == EXCLUSIVE4_1 ? &from.ch_createboth().cva_attrs : &from.createattrs();
}

bool new_file(Compound& compound, const createhow4& from, vfs::NewFile& out, nfsstat4& status) {
    status = NFS4_OK;
    switch (from.mode()) {
        case UNCHECKED4:
        case GUARDED4:
            out.mode =
                from.mode() == GUARDED4 ? vfs::CreateMode::guarded : vfs::CreateMode::unchecked;
            status = changes_in(compound, from.createattrs(), out.attributes);
            break;
        case EXCLUSIVE4:
            out.mode = vfs::CreateMode::exclusive;
            out.verifier = from_verifier(from.createverf());
            break;
        case EXCLUSIVE4_1:
            out.mode = vfs::CreateMode::exclusive;
            out.verifier = from_verifier(from.ch_createboth().cva_verf);
            status = changes_in(compound, from.ch_createboth().cva_attrs, out.attributes);
            break;
    }
    return status == NFS4_OK;
}

Task<nfsstat4> create_by_name(Compound& compound, std::string_view name, const createhow4& how,
                              Target& out) {
    vfs::NewFile what;
    nfsstat4 wire = NFS4_OK;
    if (const fattr4* const given = attributes_of(how);
        given != nullptr && compound.context().names != nullptr)
        wire = co_await learn_owners(compound, *given);
    if (wire != NFS4_OK) co_return wire;
    if (!new_file(compound, how, what, wire)) co_return wire;
    // File systems remember an exclusive verifier in the file's times, so its other attributes are
    // set afterwards.
    const vfs::Changes later =
        what.mode == vfs::CreateMode::exclusive ? what.attributes : vfs::Changes{};
    if (what.mode == vfs::CreateMode::exclusive) what.attributes = {};
    // An existing file is only emptied, as open(2) with O_CREAT | O_TRUNC does.
    ops::Object made;
    Status status =
        co_await ops::create(compound.request, compound.current(), name, what, made, out.directory);
    if (status != Status::ok) co_return to_nfs4(status);
    if (what.mode == vfs::CreateMode::exclusive) {
        vfs::Changes all = later;
        if (all.accessed.how == vfs::NewTime::How::leave)
            all.accessed = {vfs::NewTime::How::now, {}};
        if (all.modified.how == vfs::NewTime::How::leave)
            all.modified = {vfs::NewTime::How::now, {}};
        vfs::Change change;
        status = co_await ops::setattr(compound.request, made.handle, all, {}, change);
        if (status != Status::ok) co_return to_nfs4(status);
    }
    out.set = what.mode == vfs::CreateMode::exclusive ? later : what.attributes;
    out.handle = made.handle;
    out.rights = vfs::OpenRights::owner_may;
    co_return NFS4_OK;
}

Task<nfsstat4> find_by_name(Compound& compound, std::string_view name, Target& out) {
    ops::Object found;
    std::optional<vfs::Attributes> directory;
    const Status status =
        co_await ops::lookup(compound.request, compound.current(), name, found, directory);
    if (status != Status::ok) co_return to_nfs4(status);
    if (directory) {
        out.directory.before = vfs::before(*directory);
        out.directory.after = directory;
    }
    if (found.attributes.type == vfs::FileType::directory) co_return NFS4ERR_ISDIR;
    if (found.attributes.type == vfs::FileType::symlink) co_return NFS4ERR_SYMLINK;
    if (found.attributes.type != vfs::FileType::regular) co_return NFS4ERR_WRONG_TYPE;
    out.handle = found.handle;
    out.attributes = found.attributes;
    co_return NFS4_OK;
}

Task<nfsstat4> find_target(Compound& compound, const OPEN4args& args, Target& out) {
    switch (args.claim.claim()) {
        case CLAIM_NULL: {
            const std::string_view name = args.claim.file();
            if (name.empty()) co_return NFS4ERR_INVAL;
            if (name == "." || name == "..") co_return NFS4ERR_BADNAME;
            if (const nfsstat4 status =
                    check_own_name(compound, compound.current(), name, NFS4ERR_ISDIR);
                status != NFS4_OK)
                co_return status;
            if (const createhow4* const how = args.openhow.if_how())
                co_return co_await create_by_name(compound, name, *how, out);
            co_return co_await find_by_name(compound, name, out);
        }
        case CLAIM_PREVIOUS:
        case CLAIM_FH:
            out.handle = compound.current();
            if (args.claim.claim() == CLAIM_PREVIOUS) out.rights = vfs::OpenRights::owner_may;
            co_return args.openhow.opentype() == OPEN4_CREATE ? NFS4ERR_INVAL : NFS4_OK;
        case CLAIM_DELEGATE_CUR:
        case CLAIM_DELEG_CUR_FH:
            co_return NFS4ERR_BAD_STATEID;  // no delegations are given
        case CLAIM_DELEGATE_PREV:
        case CLAIM_DELEG_PREV_FH:
            co_return NFS4ERR_NOTSUPP;
    }
    co_return NFS4ERR_INVAL;
}

vfs::OpenAccess access_for(std::uint8_t bits) {
    return bits == state::kRead    ? vfs::OpenAccess::read
           : bits == state::kWrite ? vfs::OpenAccess::write
                                   : vfs::OpenAccess::both;
}

open_delegation4 no_delegation(std::uint32_t share_access) {
    const bool asked = (share_access & OPEN4_SHARE_ACCESS_WANT_DELEG_MASK) != 0;
    if (!asked) return open_delegation4::of(OPEN_DELEGATE_NONE);
    const bool unwanted =
        (share_access & OPEN4_SHARE_ACCESS_WANT_DELEG_MASK) == OPEN4_SHARE_ACCESS_WANT_NO_DELEG;
    return open_delegation4::of_od_whynone(
        open_none_delegation4::of(unwanted ? WND4_NOT_WANTED : WND4_NOT_SUPP_FTYPE));
}

}  // namespace

// §18.16. First the rules of grace and share reservations, then the file system, then the state:
// others may have come in between, so the state checks again.
Task<nfsstat4> open(Compound& compound, const OPEN4args& args, OPEN4res& out) {
    const std::uint32_t access = args.share_access & ~kWantMask;
    if (access == 0 || access > OPEN4_SHARE_ACCESS_BOTH || args.share_deny > OPEN4_SHARE_DENY_BOTH)
        co_return NFS4ERR_INVAL;
    const bool reclaim = args.claim.claim() == CLAIM_PREVIOUS;
    nfsstat4 status = compound.state().check_grace(*compound.session, reclaim, compound.now());
    if (status != NFS4_OK) co_return status;
    Target target;
    status = co_await find_target(compound, args, target);
    if (status != NFS4_OK) co_return status;

    // A COMPOUND ends with its first error, so the file may become the current one already.
    compound.go_to(target.handle);
    const bool writes = (access & state::kWrite) != 0;
    Status opened = compound.open(writes ? Intent::change : Intent::read);
    if (opened != Status::ok) co_return to_nfs4(opened);
    Access& file = compound.file();
    vfs::OpenFiles* const files = file.files().open_files();
    if (compound.is_pseudo(file.where())) co_return NFS4ERR_ISDIR;
    state::Open event{.owner = std::string{as_text(args.owner.owner)},
                      .file = compound.key(),
                      .access = static_cast<std::uint8_t>(access),
                      .deny = static_cast<std::uint8_t>(args.share_deny),
                      .reclaim = reclaim};
    status = compound.state().check_share(*compound.session, event, compound.now());
    if (status != NFS4_OK) co_return status;
    const std::uint8_t all =
        event.access | compound.state().access_of(*compound.session, event.owner, event.file);
    std::shared_ptr<vfs::OpenFile> handle;
    opened = co_await file.ask([&](const vfs::Caller& caller) {
        return files == nullptr
                   ? open_plainly(file.where().files, caller, file.id(), access_for(all),
                                  target.rights, handle)
                   : files->open(caller, file.id(), access_for(all), target.rights, handle);
    });
    if (file.finish(opened) != Status::ok)
        co_return opened == Status::invalid ? NFS4ERR_WRONG_TYPE : to_nfs4(opened);
    handle = hold(std::move(handle), file);
    if (compound.state().must_record(*compound.session)) {
        opened = co_await file.ask([&](const vfs::Caller& caller) {
            if (!caller.may_block) return Status::would_block;
            return compound.state().record(*compound.session) ? Status::ok : Status::server_fault;
        });
        if (opened != Status::ok) co_return to_nfs4(opened);
    }
    const state::OpenDone done =
        compound.state().open(*compound.session, event, std::move(handle), compound.now());
    if (done.status != NFS4_OK) co_return done.status;

    if (target.attributes) compound.note_attributes(*target.attributes);
    compound.set_stateid(done.id);
    OPEN4resok ok{};
    ok.stateid = to_wire(done.id);
    ok.cinfo = to_wire(target.directory);
    ok.rflags = OPEN4_RESULT_LOCKTYPE_POSIX;
    if (files != nullptr) ok.rflags |= OPEN4_RESULT_PRESERVE_UNLINKED;
    if (compound.state().may_call_back(*compound.session))
        ok.rflags |= OPEN4_RESULT_MAY_NOTIFY_LOCK;
    ok.attrset = bits_of(compound, target.set);
    ok.delegation = no_delegation(args.share_access);
    out = OPEN4res::of_resok4(ok);
    co_return NFS4_OK;
}

}  // namespace helio::nfs::v4
