#include "helio/nfs/request.h"

#include <fmt/format.h>

#include "schema/nfs3_service.h"

namespace helio::nfs {

using vfs::Status;

Request::Request(const Exports& exports, rpc::Call& call, Where where)
    : exports_(exports), call_(call), where_(where) {
    if (where == Where::elsewhere) own_ = std::make_shared<xdr::Arena>();
}

std::string_view Request::keep(std::string_view text) {
    char* const out = arena().make<char>(text.size());
    if (out == nullptr) return {};
    text.copy(out, text.size());
    return {out, text.size()};
}

ByteView Request::keep_handle(const Export& where, const vfs::FileId& file) {
    Handle* const out = arena().make<Handle>();
    if (out == nullptr) return {};
    *out = exports_.seal(where, file);
    return out->view();
}

Status Request::open(ByteView handle, Intent intent, Door& out) {
    const Status status = exports_.open(*visit_, call_, handle, intent, out);
    out.caller.may_block = where_ != Where::at_once;
    if (out.where != nullptr) export_ = out.where;
    if (status != Status::ok) return status_ = status;
    if (keeps_away(out)) return status_ = Status::would_block;
    return status;
}

// Linux lets a device of RDMA be used under the credentials alone that it was opened with. A
// connection's thread that took on a caller's could not send the reply: threads of the pool work
// for it.
bool Request::keeps_away(const Door& door) const {
    return where_ == Where::at_once && call_.peer.transport == rpc::Transport::rdma &&
           door.files->acts_as_caller();
}

Status Request::find(std::string_view path, Door& out, std::string_view& below) {
    const Status status = exports_.find(*visit_, call_, path, out, below);
    out.caller.may_block = where_ != Where::at_once;
    if (status == Status::ok && keeps_away(out)) return status_ = Status::would_block;
    return status;
}

// Why the file system said no: the one thing that is not in its permissions is who asked.
Status Request::finish(const Door& door, Status status) {
    status_ = status;
    if (status != Status::access_denied && status != Status::not_permitted) [[likely]]
        return status;
    const rpc::Credential& who = call_.credential;
    const vfs::Caller& as = door.caller;
    std::string squashed;
    if (!who.is_sys())
        squashed = ", as whom callers without AUTH_SYS are served";
    else if (who.uid != as.uid || who.gid != as.gid)
        squashed = fmt::format(", squashed from uid {} gid {}", who.uid, who.gid);
    exports_.deny(call_, status,
                  fmt::format("the files of {} do not allow it to uid {} gid {}{}",
                              door.where->path, as.uid, as.gid, squashed));
    return status;
}

bool Request::is_nfs() const { return call_.program == nfs3::NFS_V3::program; }

void Request::end() {
    // Run once more, it is counted then; of MOUNT the server core counts.
    if (!must_wait() && is_nfs())
        exports_.count(call_, export_, status_, bytes_read_, bytes_written_);
    visit_.reset();
}

void Request::hand_over() {
    if (own_) call_.hold(std::move(own_));
    for (auto& one : held_) call_.hold(std::move(one));
    held_.clear();
}

std::span<std::byte> Request::take(std::size_t size) {
    if (call_.payloads) {
        std::shared_ptr<const void> owner;
        const std::span<std::byte> room = call_.payloads->take_payload(size, owner);
        if (!room.empty()) {
            borrow({room.data(), room.size()}, std::move(owner));
            return room;
        }
    }
    std::byte* const out = arena().make<std::byte>(size);
    if (out == nullptr) return {};
    return {out, size};
}

ByteView Request::borrow(ByteView bytes, std::shared_ptr<const void> owner) {
    if (where_ == Where::elsewhere)
        held_.push_back(std::move(owner));
    else
        call_.hold(std::move(owner));
    return bytes;
}

// What came to the pool was not in memory. Sending it from the file would let the connection's
// thread wait for the disk; here one can.
Payload Request::file(int descriptor, std::uint64_t offset, std::size_t size,
                      std::shared_ptr<const void> owner) {
    if (where_ == Where::elsewhere) return {};
    return call_.file_payload(descriptor, offset, size, std::move(owner));
}

}  // namespace helio::nfs
