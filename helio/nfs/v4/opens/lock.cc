// Byte-range locks: LOCK, LOCKT and LOCKU (RFC 8881 §18.10 to §18.12). The ranges are the file
// system's (vfs::RangeLocks), the owners are the state's. Nothing waits here: a client that wants
// to wait asks again, and is told when that is worth it (CB_NOTIFY_LOCK).
#include "helio/nfs/ops/ops.h"
#include "helio/nfs/server/held_file.h"
#include "helio/nfs/v4/callbacks/callbacks.h"
#include "helio/nfs/v4/operations_internal.h"
#include "helio/nfs/wire/status.h"
#include "helio/vfs/range_locks.h"

namespace helio::nfs::v4 {

using namespace nfs4;
using vfs::Status;

namespace {

// All ones mean "to the end"; otherwise offset and length must add up to no more than 64 bits
// (§18.10.3).
bool range_of(offset4 offset, length4 length, vfs::LockRange& out) {
    if (length == 0) return false;
    out.first = offset;
    out.last = length == UINT64_MAX ? vfs::kLockToEnd : offset + (length - 1);
    return length == UINT64_MAX || length <= UINT64_MAX - offset;
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

// What LOCK asks the file system for.
struct Wish {
    vfs::OpenFile& open;
    vfs::LockOwner owner;
    vfs::LockRange range;
    vfs::LockType type;
};

auto take(Access& file, const Wish& wish, vfs::LockConflict& conflict) {
    return file.ask([&file, &wish, &conflict](const vfs::Caller& caller) {
        return file.files().range_locks()->lock(caller, wish.open, wish.owner, wish.range,
                                                wish.type, conflict);
    });
}

// Locks once more if the owner in the way belongs to a client whose lease has run out, or to none.
// Locks that belong to nobody are released by a call that may have to continue on this very thread,
// so it does not wait for that: the client tries again.
Task<Status> take_from_expired(Compound& compound, Access& file, const Wish& wish,
                               vfs::LockConflict& conflict) {
    using Way = state::State::Way;
    for (bool seen_gone = false; conflict.owner;) {
        const Way way = compound.state().make_way(*conflict.owner, compound.now());
        if (way == Way::blocked || (way == Way::gone && seen_gone)) break;
        seen_gone = way == Way::gone;
        const Status status = co_await take(file, wish, conflict);
        if (status != Status::locked) co_return status;
    }
    co_return Status::locked;
}

// What the owner waits for, or has waited for.
state::LockWait wait_of(Compound& compound, const LOCK4args& args, vfs::LockOwner owner,
                        const state::FileKey& file, const vfs::LockRange& range) {
    state::LockWait out{.file = file,
                        .handle = std::string{as_text(compound.current())},
                        .range = range,
                        .type = type_of(args.locktype)};
    if (const open_to_lock_owner4* const first = args.locker.if_open_owner())
        out.owner = as_text(first->lock_owner.owner);
    else if (auto holder = compound.state().holder(owner))
        out.owner = std::move(holder->owner);
    return out;
}

// The owner will be notified, if that is possible. Then the lock has to be asked for once more: it
// may have been released before anybody waited.
bool start_waiting(Compound& compound, const LOCK4args& args, state::LockWait what,
                   const vfs::LockConflict& conflict) {
    if (args.locktype != READW_LT && args.locktype != WRITEW_LT) return false;
    what.outside = !conflict.owner;
    if (!compound.state().wait_for_lock(*compound.session, std::move(what))) return false;
    compound.context().callbacks.watch_locks();
    return true;
}

// Gives a lock back whose state ended while the file system granted it: its client was evicted, or
// closed the file meanwhile.
Task<nfsstat4> give_back(Access& file, vfs::LockOwner owner, const vfs::LockRange& range) {
    co_await file.ask([&](const vfs::Caller& caller) {
        return file.files().range_locks()->unlock(caller, file.id(), owner, range);
    });
    co_return NFS4ERR_BAD_STATEID;
}

}  // namespace

Task<nfsstat4> lock(Compound& compound, const LOCK4args& args, LOCK4res& out) {
    vfs::LockRange range;
    if (!range_of(args.offset, args.length, range)) co_return NFS4ERR_INVAL;
    nfsstat4 status = compound.state().check_grace(*compound.session, args.reclaim, compound.now());
    if (status != NFS4_OK) co_return status;
    const Status opened = compound.open(Intent::read);
    if (opened != Status::ok) co_return to_nfs4(opened);
    Access& file = compound.file();
    const state::FileKey key = compound.key();
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
    const auto refuse = [&](nfsstat4 why) {
        if (owner.created) compound.state().forget(*compound.session, owner.id);
        return why;
    };
    if (!belongs_to(owner.file, file.files())) co_return refuse(NFS4ERR_BAD_STATEID);
    if (file.files().range_locks() == nullptr) co_return refuse(NFS4ERR_NOTSUPP);
    // OPEN_DOWNGRADE leaves the file itself open for more than the client may use.
    const vfs::LockType type = type_of(args.locktype);
    if ((owner.access & (type == vfs::LockType::read ? state::kRead : state::kWrite)) == 0)
        co_return refuse(NFS4ERR_OPENMODE);
    vfs::LockConflict conflict;
    const Wish wish{*owner.file, owner.owner, range, type};
    Status locked = co_await take(file, wish, conflict);
    if (locked == Status::locked)
        locked = co_await take_from_expired(compound, file, wish, conflict);
    if (locked == Status::locked &&
        start_waiting(compound, args, wait_of(compound, args, owner.owner, key, range), conflict)) {
        locked = co_await take(file, wish, conflict);
        if (locked == Status::locked)
            locked = co_await take_from_expired(compound, file, wish, conflict);
    }
    if (locked == Status::locked) {
        out = LOCK4res::of_denied(denied(compound, conflict));
        co_return refuse(NFS4ERR_DENIED);
    }
    if (locked == Status::access_denied) co_return refuse(NFS4ERR_OPENMODE);
    if (locked != Status::ok) co_return refuse(to_nfs4(file.finish(locked)));
    file.finish(Status::ok);
    const auto now = compound.state().lock_changed(*compound.session, owner.id);
    if (!now) {
        status = co_await give_back(file, owner.owner, range);
        compound.state().unlocked(key, range);
        co_return status;
    }
    if (compound.state().has_waiters()) [[unlikely]]
        compound.state().lock_granted(*compound.session,
                                      wait_of(compound, args, owner.owner, key, range));
    compound.set_stateid(*now);
    out = LOCK4res::of_resok4({to_wire(*now)});
    co_return NFS4_OK;
}

Task<nfsstat4> lockt(Compound& compound, const LOCKT4args& args, LOCKT4res& out) {
    vfs::LockRange range;
    if (!range_of(args.offset, args.length, range)) co_return NFS4ERR_INVAL;
    // Until all locks have been reclaimed, nobody knows who holds what.
    const nfsstat4 grace = compound.state().check_grace(*compound.session, false, compound.now());
    if (grace != NFS4_OK) co_return grace;
    Status status = compound.open(Intent::read);
    if (status != Status::ok) co_return to_nfs4(status);
    Access& file = compound.file();
    vfs::OpenFiles* const files = file.files().open_files();
    if (files == nullptr || file.files().range_locks() == nullptr)
        co_return compound.is_pseudo(file.where()) ? NFS4ERR_ISDIR : NFS4ERR_NOTSUPP;
    const vfs::LockOwner owner = compound.state().lock_owner(
        *compound.session, std::string{as_text(args.owner.owner)}, compound.key());
    std::shared_ptr<vfs::OpenFile> open;
    std::optional<vfs::LockConflict> conflict;
    status = co_await file.ask([&](const vfs::Caller& caller) {
        return files->open(caller, file.id(), vfs::OpenAccess::read, vfs::OpenRights::owner_may,
                           open);
    });
    if (status == Status::ok) {
        open = hold(std::move(open), file);
        status = co_await file.ask([&](const vfs::Caller& caller) {
            return file.files().range_locks()->test(caller, *open, owner, range,
                                                    type_of(args.locktype), conflict);
        });
    }
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
    Status status = compound.open(Intent::read);
    if (status != Status::ok) co_return to_nfs4(status);
    Access& file = compound.file();
    const state::LockDone owner = compound.state().next_lock(*compound.session, id, compound.key());
    if (owner.status != NFS4_OK) co_return owner.status;
    if (!belongs_to(owner.file, file.files())) co_return NFS4ERR_BAD_STATEID;
    if (file.files().range_locks() == nullptr) co_return NFS4ERR_NOTSUPP;
    status = co_await file.ask([&](const vfs::Caller& caller) {
        return file.files().range_locks()->unlock(caller, file.id(), owner.owner, range);
    });
    if (file.finish(status) != Status::ok) co_return to_nfs4(status);
    if (compound.state().has_waiters()) [[unlikely]]
        compound.state().unlocked({file.where().tag, file.id()}, range);
    const auto now = compound.state().lock_changed(*compound.session, owner.id);
    if (!now) co_return NFS4ERR_BAD_STATEID;
    compound.set_stateid(*now);
    out = LOCKU4res::of_lock_stateid(to_wire(*now));
    co_return NFS4_OK;
}

}  // namespace helio::nfs::v4
