// Byte-range locks: LOCK, LOCKT and LOCKU (RFC 8881 §18.10 to §18.12). The ranges are the file
// system's (vfs::RangeLocks), the owners are the state's. Nothing waits here: a client that wants
// to wait asks again.
#include "helio/nfs/ops/ops.h"
#include "helio/nfs/v4/operations_internal.h"
#include "helio/nfs/wire/status.h"
#include "helio/vfs/range_locks.h"

namespace helio::nfs::v4 {

using namespace nfs4;
using vfs::Status;

namespace {

// All ones mean "to the end"; otherwise the range must end within 64 bits (§18.10.3).
bool range_of(offset4 offset, length4 length, vfs::LockRange& out) {
    if (length == 0) return false;
    out.first = offset;
    out.last = length == UINT64_MAX ? vfs::kLockToEnd : offset + (length - 1);
    return length == UINT64_MAX || out.last >= offset;
}
length4 length_of(const vfs::LockRange& range) {
    return range.last == vfs::kLockToEnd ? UINT64_MAX : range.last - range.first + 1;
}
vfs::LockType type_of(nfs_lock_type4 type) {
    return type == READ_LT || type == READW_LT ? vfs::LockType::read : vfs::LockType::write;
}

LOCK4denied denied(Compound& compound, const vfs::LockConflict& conflict) {
    LOCK4denied out{};
    out.offset = conflict.range.first;
    out.length = length_of(conflict.range);
    out.locktype = conflict.type == vfs::LockType::read ? READ_LT : WRITE_LT;
    if (conflict.owner)
        if (const auto holder = compound.state().holder(*conflict.owner)) {
            out.owner.clientid = holder->client;
            out.owner.owner = as_bytes(compound.request.keep(holder->owner));
        }
    return out;
}

// Locks, once more if the owner in the way belongs to a client whose lease has run out.
Task<Status> take(Compound& compound, Access& file, vfs::OpenFile& open, vfs::LockOwner owner,
                  const vfs::LockRange& range, vfs::LockType type, vfs::LockConflict& conflict) {
    for (;;) {
        const Status status = co_await file.ask([&](const vfs::Caller& caller) {
            return file.files().range_locks()->lock(caller, open, owner, range, type, conflict);
        });
        const bool again = status == Status::locked && conflict.owner &&
                           compound.state().make_way(*conflict.owner, compound.now());
        if (!again) co_return status;
    }
}

}  // namespace

Task<nfsstat4> lock(Compound& compound, const LOCK4args& args, LOCK4res& out) {
    vfs::LockRange range;
    if (!range_of(args.offset, args.length, range)) co_return NFS4ERR_INVAL;
    nfsstat4 status = compound.state().check_grace(*compound.session, args.reclaim, compound.now());
    if (status != NFS4_OK) co_return status;
    Access file{compound.request};
    const Status opened = file.open(compound.current(), Intent::read);
    if (opened != Status::ok) co_return to_nfs4(opened);
    if (file.files().range_locks() == nullptr) co_return NFS4ERR_NOTSUPP;
    const state::FileKey key{file.where().tag, file.id()};
    state::LockDone owner;
    state::StateId id;
    if (const open_to_lock_owner4* const first = args.locker.if_open_owner()) {
        if (!compound.resolve(first->open_stateid, id)) co_return NFS4ERR_BAD_STATEID;
        owner = compound.state().first_lock(*compound.session, id,
                                            std::string{as_text(first->lock_owner.owner)}, key);
    } else {
        if (!compound.resolve(args.locker.lock_owner().lock_stateid, id))
            co_return NFS4ERR_BAD_STATEID;
        owner = compound.state().next_lock(*compound.session, id, key);
    }
    if (owner.status != NFS4_OK) co_return owner.status;
    vfs::LockConflict conflict;
    const Status locked = co_await take(compound, file, *owner.file, owner.owner, range,
                                        type_of(args.locktype), conflict);
    if (locked != Status::ok) {
        if (owner.created) compound.state().forget(*compound.session, owner.id);
        if (locked != Status::locked)
            co_return locked == Status::access_denied ? NFS4ERR_OPENMODE
                                                      : to_nfs4(file.finish(locked));
        out = LOCK4res::of_denied(denied(compound, conflict));
        co_return NFS4ERR_DENIED;
    }
    file.finish(Status::ok);
    const state::StateId now = compound.state().lock_changed(*compound.session, owner.id);
    compound.set_stateid(now);
    out = LOCK4res::of_resok4({to_wire(now)});
    co_return NFS4_OK;
}

Task<nfsstat4> lockt(Compound& compound, const LOCKT4args& args, LOCKT4res& out) {
    vfs::LockRange range;
    if (!range_of(args.offset, args.length, range)) co_return NFS4ERR_INVAL;
    Access file{compound.request};
    Status status = file.open(compound.current(), Intent::read);
    if (status != Status::ok) co_return to_nfs4(status);
    vfs::OpenFiles* const files = file.files().open_files();
    if (files == nullptr || file.files().range_locks() == nullptr) co_return NFS4ERR_NOTSUPP;
    const vfs::LockOwner owner = compound.state().lock_owner(
        *compound.session, std::string{as_text(args.owner.owner)}, {file.where().tag, file.id()});
    std::shared_ptr<vfs::OpenFile> open;
    std::optional<vfs::LockConflict> conflict;
    status = co_await file.ask([&](const vfs::Caller& caller) {
        return files->open(caller, file.id(), vfs::OpenAccess::read, vfs::OpenRights::owner_may,
                           open);
    });
    if (status == Status::ok)
        status = co_await file.ask([&](const vfs::Caller& caller) {
            return file.files().range_locks()->test(caller, *open, owner, range,
                                                    type_of(args.locktype), conflict);
        });
    if (status != Status::ok) co_return to_nfs4(file.finish(status));
    file.finish(Status::ok);
    if (!conflict) {
        out = LOCKT4res::of(NFS4_OK);
        co_return NFS4_OK;
    }
    out = LOCKT4res::of_denied(denied(compound, *conflict));
    co_return NFS4ERR_DENIED;
}

Task<nfsstat4> locku(Compound& compound, const LOCKU4args& args, LOCKU4res& out) {
    vfs::LockRange range;
    if (!range_of(args.offset, args.length, range)) co_return NFS4ERR_INVAL;
    state::StateId id;
    if (!compound.resolve(args.lock_stateid, id)) co_return NFS4ERR_BAD_STATEID;
    Access file{compound.request};
    Status status = file.open(compound.current(), Intent::read);
    if (status != Status::ok) co_return to_nfs4(status);
    if (file.files().range_locks() == nullptr) co_return NFS4ERR_NOTSUPP;
    const state::LockDone owner =
        compound.state().next_lock(*compound.session, id, {file.where().tag, file.id()});
    if (owner.status != NFS4_OK) co_return owner.status;
    status = co_await file.ask([&](const vfs::Caller& caller) {
        return file.files().range_locks()->unlock(caller, file.id(), owner.owner, range);
    });
    if (file.finish(status) != Status::ok) co_return to_nfs4(status);
    const state::StateId now = compound.state().lock_changed(*compound.session, owner.id);
    compound.set_stateid(now);
    out = LOCKU4res::of_lock_stateid(to_wire(now));
    co_return NFS4_OK;
}

}  // namespace helio::nfs::v4
