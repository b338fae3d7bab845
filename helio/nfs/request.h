// Request: one run of a procedure's body, which is written once and may run twice: at once on the
// connection's thread, where it must not wait, and if it would have to, once more on a thread of
// the pool. It knows where the results' memory comes from and on whose behalf files are used.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "helio/nfs/exports.h"
#include "helio/rpc/call.h"
#include "helio/vfs/file_system.h"
#include "helio/xdr/arena.h"

namespace helio::nfs {

enum class Where : std::uint8_t {
    at_once,   // on the connection's thread; what would have to wait says so
    here,      // on the connection's thread, and may wait: there is no pool
    elsewhere  // on a thread of the pool
};

class Request final : public vfs::Memory {
 public:
    Request(const Exports& exports, rpc::Call& call, Where where);
    Request(const Request&) = delete;
    Request& operator=(const Request&) = delete;

    const Exports& exports() const { return exports_; }
    const rpc::Call& call() const { return call_; }
    // Of what results point into. On the pool it is the request's own: the call's belongs to the
    // thread of the connection.
    xdr::Arena& arena() { return own_ ? *own_ : call_.arena(); }
    // Copies that live as long as the reply; empty when there is no memory.
    std::string_view keep(std::string_view text);
    ByteView keep_handle(const Export& where, const vfs::FileId& file);

    // Before the body and after it, on the thread that runs it.
    void begin() { visit_.emplace(exports_); }
    void end();
    // On the call's own thread: what the results need is the call's from now on.
    void hand_over();

    // The door behind a handle.
    vfs::Status open(ByteView handle, Intent intent, Door& out);
    vfs::Status find(std::string_view path, Door& out, std::string_view& below);
    // How the operation ended: for counters, for the log if it was a denial.
    vfs::Status finish(const Door& door, vfs::Status status);
    void count_bytes(std::uint64_t read, std::uint64_t written) {
        bytes_read_ += read;
        bytes_written_ += written;
    }
    // The body gave up because it would have had to wait; its result is worth nothing.
    bool must_wait() const { return status_ == vfs::Status::would_block; }
    // Version 2 has no word for "try later": it does not answer, and is asked again.
    bool stays_silent() const {
        return status_ == vfs::Status::busy && call_.version == 2 && is_nfs();
    }
    const ExportTable& table() const { return visit_->table(); }

    // vfs::Memory
    std::span<std::byte> take(std::size_t size) override;
    ByteView borrow(ByteView bytes, std::shared_ptr<const void> owner) override;
    Payload file(int descriptor, std::uint64_t offset, std::size_t size,
                 std::shared_ptr<const void> owner) override;

 private:
    bool is_nfs() const;
    bool keeps_away(const Door& door) const;

    const Exports& exports_;
    rpc::Call& call_;
    const Where where_;
    std::optional<Exports::Visit> visit_;
    std::shared_ptr<xdr::Arena> own_;
    std::vector<std::shared_ptr<const void>> held_;

    const Export* export_ = nullptr;
    vfs::Status status_ = vfs::Status::ok;
    std::uint64_t bytes_read_ = 0;
    std::uint64_t bytes_written_ = 0;
};

}  // namespace helio::nfs
