#include "helio/nfs/v4/compound.h"

#include <algorithm>

#include "helio/nfs/wire/status.h"

namespace helio::nfs::v4 {

using namespace nfs4;

bool Compound::go_to(ByteView handle) {
    if (handle.empty() || handle.size() > kHandleMax) return false;
    Handle next;  // the handle may be a view of the current one
    std::copy(handle.begin(), handle.end(), next.bytes.begin());
    next.size = static_cast<std::uint8_t>(handle.size());
    current_ = next;
    current_stateid_.reset();
    return true;
}

std::size_t Compound::room() const {
    std::size_t most = request.call().results_bytes_max();
    if (session != nullptr) most = std::min<std::size_t>(most, session->fore().response_bytes_max);
    const std::size_t taken = results_bytes_ + operations * kResultBytes;
    return most > taken ? (most - taken) & ~std::size_t{3} : 0;
}

bool Compound::resolve(const stateid4& from, state::StateId& out) const {
    out = from_wire(from);
    if (!out.is_current()) return true;
    if (!current_stateid_) return false;
    out = *current_stateid_;
    return true;
}

nfsstat4 Compound::key_of_current(Intent intent, state::FileKey& out) {
    Access file{request};
    if (const vfs::Status status = file.open(current(), intent); status != vfs::Status::ok)
        return to_nfs4(status);
    out = {file.where().tag, file.id()};
    return NFS4_OK;
}

state::Found Compound::find(const stateid4& stateid, std::uint8_t wanted, Access& file) {
    state::StateId id;
    if (!resolve(stateid, id)) return {.status = NFS4ERR_BAD_STATEID};
    const vfs::Status status =
        file.open(current(), wanted == state::kRead ? Intent::read : Intent::change);
    if (status != vfs::Status::ok) return {.status = to_nfs4(status)};
    return state().find(*session, id, {file.where().tag, file.id()}, wanted);
}

std::shared_ptr<vfs::OpenFile> Compound::any_open() {
    state::FileKey key;
    if (key_of_current(Intent::read, key) != NFS4_OK) return nullptr;
    return state().any_open(key);
}

stateid4 to_wire(const state::StateId& id) { return {.seqid = id.seqid, .other = id.other}; }
state::StateId from_wire(const stateid4& id) { return {.seqid = id.seqid, .other = id.other}; }

change_info4 to_wire(const vfs::Change& change) {
    return {.atomic = change.atomic && change.before && change.after,
            .before = change.before ? change.before->change : 0,
            .after = change.after ? change.after->change : 0};
}

}  // namespace helio::nfs::v4
