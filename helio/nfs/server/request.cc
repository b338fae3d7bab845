#include "helio/nfs/server/request.h"

#include "schema/nfs3_service.h"

namespace helio::nfs {

Request::~Request() {
    // The server core counts MOUNT.
    const bool is_nfs = call_.program == nfs3::NFS_V3::program;
    if (is_nfs && !on_pool_) [[likely]]
        exports().count(call_, outcome_.where, outcome_.status, outcome_.bytes_read,
                        outcome_.bytes_written);
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
    *out = exports().seal(where, file);
    return out->view();
}

void Request::enter_pool(std::size_t results_bytes) {
    table_.keep();
    if (!pool_arena_) {
        pool_arena_ = std::make_shared<xdr::Arena>(xdr::kArenaBytesMax, call_.arena().budget());
        call_.hold(pool_arena_);
    }
    pool_arena_->reserve(results_bytes);
    on_pool_ = true;
}

void Request::leave_pool() {
    on_pool_ = false;
    pool_arena_->end_reservation();
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
    if (on_pool_)
        held_.push_back(std::move(owner));
    else
        call_.hold(std::move(owner));
    return bytes;
}

// Data read on the pool was not in memory. Sending it from the file would make the connection's
// thread wait for the disk, so read it here, where waiting is allowed.
Payload Request::file(int descriptor, std::uint64_t offset, std::size_t size,
                      std::shared_ptr<const void> owner) {
    if (on_pool_) return {};
    return call_.file_payload(descriptor, offset, size, std::move(owner));
}

}  // namespace helio::nfs
