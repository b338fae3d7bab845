// Request: one call of NFS or MOUNT while it runs. A procedure is a coroutine with its own Request.
// It runs on the thread of its connection from beginning to end. Only calls into a file system that
// would have to wait are made on the pool (Access::ask), and the procedure continues when they have
// returned. It never runs twice.
//
//     Task<GETATTR3res> getattr(const ServiceContext& service, rpc::Call& call, GETATTR3args args)
//     {
//         Request request{service, call};
//         vfs::Attributes attributes;
//         const Status status = co_await ops::getattr(request, args.object.data, attributes);
//         …
//     }
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "helio/base/task.h"
#include "helio/nfs/server/exports.h"
#include "helio/rpc/call.h"
#include "helio/transport/loop/offload.h"
#include "helio/vfs/file_system.h"
#include "helio/xdr/arena.h"

namespace helio::nfs {

// Shared by the services of a server.
struct ServiceContext {
    const Exports& exports;
    transport::Pool* pool;  // nullptr: file systems may block the thread that calls them
};

// How a call ended, for its counters.
struct CallOutcome {
    const Export* where = nullptr;  // nullptr: its handle was invalid
    vfs::Status status = vfs::Status::ok;
    std::uint64_t bytes_read = 0;
    std::uint64_t bytes_written = 0;
};

class Request final : public vfs::Memory {
 public:
    Request(const ServiceContext& service, rpc::Call& call)
        : service_(service), call_(call), table_(service.exports) {}
    ~Request() override;  // counts the call, unless destroyed while it waits
    Request(const Request&) = delete;
    Request& operator=(const Request&) = delete;

    const Exports& exports() const { return service_.exports; }
    const Exports::TableGuard& table() const { return table_; }
    rpc::Call& call() const { return call_; }
    transport::Pool* pool() const { return service_.pool; }

    // Memory for results. While a file system works on the pool, this is the request's own memory:
    // the call's arena belongs to the connection's thread.
    xdr::Arena& arena() { return on_pool_ ? *pool_arena_ : call_.arena(); }
    // Copies that live as long as the reply; empty if there is no memory.
    std::string_view keep(std::string_view text);
    ByteView keep_handle(const Export& where, const vfs::FileId& file);

    // For Access: an operation has ended. The status of the last one counts, and the bytes of all:
    // a COMPOUND may write and then ask for attributes.
    void set_outcome(const CallOutcome& outcome) {
        outcome_.where = outcome.where;
        outcome_.status = outcome.status;
        outcome_.bytes_read += outcome.bytes_read;
        outcome_.bytes_written += outcome.bytes_written;
    }

    // Called around a call on the pool, both on the connection's thread. The memory for its results
    // is counted from the beginning.
    void enter_pool(std::size_t results_bytes);
    void leave_pool();

    // vfs::Memory
    std::span<std::byte> take(std::size_t size) override;
    ByteView borrow(ByteView bytes, std::shared_ptr<const void> owner) override;
    Payload file(int descriptor, std::uint64_t offset, std::size_t size,
                 std::shared_ptr<const void> owner) override;

 private:
    const ServiceContext& service_;
    rpc::Call& call_;
    Exports::TableGuard table_;
    CallOutcome outcome_;
    bool on_pool_ = false;
    std::shared_ptr<xdr::Arena> pool_arena_;
    std::vector<std::shared_ptr<const void>> held_;  // by results that were made on the pool
};

}  // namespace helio::nfs
