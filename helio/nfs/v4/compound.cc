#include "helio/nfs/v4/compound.h"

#include <algorithm>

#include "helio/nfs/server/export_tree.h"
#include "helio/nfs/wire/status.h"

namespace helio::nfs::v4 {

using namespace nfs4;

bool Compound::go_to(ByteView handle) {
    if (handle.empty() || handle.size() > kHandleMax) return false;
    Handle next;  // the handle may be a view of the current one
    std::copy(handle.begin(), handle.end(), next.bytes.begin());
    next.size = static_cast<std::uint8_t>(handle.size());
    current_ = next;
    is_open_ = false;
    current_stateid_.reset();
    return true;
}

vfs::Status Compound::open(Intent intent) {
    if (is_open_ && (intent == opened_for_ || intent == Intent::read)) return vfs::Status::ok;
    const vfs::Status status = file_.open(current(), intent);
    is_open_ = status == vfs::Status::ok;
    opened_for_ = intent;
    file_.promise(0);
    return status;
}

std::size_t result_bytes(nfs_opnum4 operation) {
    constexpr std::size_t number_and_status = 8;
    switch (operation) {
        case OP_SEQUENCE:
            return number_and_status + 36;
        case OP_PUTFH:
        case OP_PUTROOTFH:
        case OP_PUTPUBFH:
        case OP_SAVEFH:
        case OP_RESTOREFH:
            return number_and_status;
        case OP_READ:  // end of file, size
        case OP_ACCESS:
            return number_and_status + 8;
        case OP_READLINK:  // size
            return number_and_status + 4;
        case OP_READDIR:  // verifier, end of list, end of directory
            return number_and_status + 16;
        default:
            return 704;  // GETATTR of everything takes about 400, and 250 more for long owners
    }
}

std::size_t Compound::room() const {
    std::size_t most = request.call().results_bytes_max();
    if (session != nullptr) {
        // The session's limit is one for the whole reply (§18.36.3). A slot keeps only what the
        // COMPOUND returns.
        const std::size_t of_session = session->fore().response_bytes_max;
        const std::size_t header = request.call().reply_overhead();
        most = std::min(most, of_session > header ? of_session - header : 0);
        if (cache_reply) most = std::min<std::size_t>(most, session->fore().cached_bytes_max);
    }
    const std::size_t taken = results_bytes_ + set_aside;
    return most > taken ? (most - taken) & ~std::size_t{3} : 0;
}

bool Compound::resolve(const stateid4& from, state::StateId& out) const {
    out = from_wire(from);
    if (!out.is_current()) return true;
    if (!current_stateid_) return false;
    out = *current_stateid_;
    return true;
}

state::Found Compound::find(const stateid4& stateid, std::uint8_t wanted) {
    state::StateId id;
    if (!resolve(stateid, id)) return {.status = NFS4ERR_BAD_STATEID};
    const vfs::Status status = open(wanted == state::kRead ? Intent::read : Intent::change);
    if (status != vfs::Status::ok) return {.status = to_nfs4(status)};
    if (const nfsstat4 grace = check_stateless(id, wanted); grace != NFS4_OK)
        return {.status = grace};
    return state().find(*session, id, key(), wanted);
}

nfsstat4 Compound::check_stateless(const state::StateId& id, std::uint8_t wanted) {
    const bool may_conflict = id.is_anonymous() || (id.is_bypass() && wanted != state::kRead);
    return may_conflict ? state().check_grace(*session, false, now()) : NFS4_OK;
}

bool Compound::is_pseudo(const Export& where) const {
    return request.table().tree().is_pseudo(where);
}

std::shared_ptr<vfs::OpenFile> Compound::any_open() {
    return open(Intent::read) == vfs::Status::ok ? state().any_open(key()) : nullptr;
}

stateid4 to_wire(const state::StateId& id) { return {.seqid = id.seqid, .other = id.other}; }
state::StateId from_wire(const stateid4& id) { return {.seqid = id.seqid, .other = id.other}; }

change_info4 to_wire(const vfs::Change& change) {
    return {.atomic = change.atomic && change.before && change.after,
            .before = change.before ? change.before->change : 0,
            .after = change.after ? change.after->change : 0};
}

}  // namespace helio::nfs::v4
