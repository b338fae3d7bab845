// Access: one operation of a Request on one file. It checks the handle and the caller's rights to
// the export, calls the file system on the caller's behalf, and records the outcome.
//
//     Access file{request};
//     if (const Status status = file.open(handle, Intent::read); status != Status::ok)
//         co_return status;
//     const Status status = co_await file.ask([&](const vfs::Caller& caller) {
//         return file.files().attributes(caller, file.id(), out);
//     });
//     co_return file.finish(status);
#pragma once

#include <coroutine>
#include <optional>
#include <string_view>
#include <type_traits>

#include "helio/nfs/server/request.h"
#include "helio/transport/loop/offload.h"

namespace helio::nfs {

// Calls that may wait for one export; more have to try later. Linux's client has 64 in flight.
inline constexpr std::size_t kExportCallsWaitingMax = 1'024;
// A call with arguments up to this size and short results is not refused for lack of memory: it
// holds little compared with the cost of a connection.
inline constexpr std::size_t kShortCallMax = 4u << 10;

template <class Function>
class FileCall;

class Access final {
 public:
    explicit Access(Request& request) : request_(request) {}
    Access(const Access&) = delete;
    Access& operator=(const Access&) = delete;

    // ok, or the operation's error: a foreign handle, an export that this client may not use, or a
    // read-only one with Intent::change.
    vfs::Status open(ByteView handle, Intent intent);
    // For MOUNT: the root of the export that a path leads to, and the path below it.
    vfs::Status find(std::string_view path, std::string_view& below);

    Request& request() const { return request_; }
    const Export& where() const { return *authorized_.where; }
    vfs::FileSystem& files() const { return *authorized_.files; }
    const vfs::FileId& id() const { return authorized_.file; }
    const vfs::Caller& caller() const { return authorized_.caller; }
    // Continues with another file of the export, for the same caller.
    void move_to(const vfs::FileId& file) { authorized_.file = file; }

    // If it has to wait, its results will take this much memory.
    void promise(std::size_t bytes) { bytes_promised_ = bytes; }
    // The operation takes long: others should not have to wait for it.
    void take_long() { is_long_ = true; }
    // `co_await ask(function)`: calls function(caller), which makes one call into the file system
    // and returns its Status. It is first called here with a caller that may not block; if it would
    // block, it is called on the pool. It must capture by reference and own nothing.
    template <class Function>
    FileCall<Function> ask(Function function) {
        static_assert(std::is_trivially_destructible_v<Function>,
                      "capture by reference; see transport::offload");
        return {*this, function};
    }

    // The same for a function that has no effect, without a coroutine. would_block: ask() has to do
    // it.
    template <class Function>
    vfs::Status ask_now(Function function) {
        const bool has_pool = request_.pool() != nullptr;
        if (has_pool && must_leave_thread()) [[unlikely]]
            return vfs::Status::would_block;
        return function(caller_that(!has_pool));
    }
    // The caller as the file system sees it.
    vfs::Caller caller_that(bool may_block) const {
        vfs::Caller caller = authorized_.caller;
        caller.may_block = may_block;
        caller.may_risk_blocking = request_.table().table().size() == 1;
        return caller;
    }

    struct BytesMoved {
        std::uint64_t read = 0;
        std::uint64_t written = 0;
    };
    // How the operation ended: for the counters, and for the log if it was a denial.
    vfs::Status finish(vfs::Status status) { return finish(status, {}); }
    vfs::Status finish(vfs::Status status, const BytesMoved& bytes);

    // Whether the file system must not be called on the connection's thread.
    bool must_leave_thread() const;
    // Before it waits: false if there is no memory for what it promised, or if too many calls wait
    // for the export already.
    bool may_wait();
    std::size_t bytes_promised() const { return bytes_promised_; }
    transport::PoolOrder pool_order() const {
        return {request_.call().origin, authorized_.where->counters.get(), is_long_};
    }

 private:
    Request& request_;
    AuthorizedHandle authorized_;
    std::size_t bytes_promised_ = 0;
    bool is_long_ = false;
};

template <class Function>
class [[nodiscard]] FileCall final {
 public:
    FileCall(Access& access, Function function) : access_(access), function_(function) {}
    FileCall(const FileCall&) = delete;
    FileCall& operator=(const FileCall&) = delete;

    bool await_ready() {
        const bool has_pool = access_.request().pool() != nullptr;
        if (!has_pool || !access_.must_leave_thread()) [[likely]] {
            status_ = call(!has_pool);
            if (status_ != vfs::Status::would_block || !has_pool) [[likely]]
                return true;
        }
        if (access_.may_wait()) return false;
        status_ = vfs::Status::busy;
        return true;
    }
    void await_suspend(std::coroutine_handle<> waiter) {
        access_.request().enter_pool(access_.bytes_promised());
        offload_.emplace(*access_.request().pool(), OnPool{this}, access_.pool_order());
        offload_->await_suspend(waiter);
    }
    vfs::Status await_resume() {
        if (!offload_) [[likely]]
            return status_;
        access_.request().leave_pool();
        return offload_->await_resume();
    }

 private:
    struct OnPool {
        FileCall* self;
        vfs::Status operator()() const { return self->call(true); }
    };
    vfs::Status call(bool may_block) { return function_(access_.caller_that(may_block)); }

    Access& access_;
    Function function_;
    vfs::Status status_ = vfs::Status::would_block;
    std::optional<transport::Offload<OnPool>> offload_;
};

// SingleCall: an operation that opens one handle and makes one call into the file system,
// function(access, caller). It is awaited like a coroutine but has no frame, which saves a GETATTR
// 150 instructions (bench/rdma/overhead).
template <class Function>
class [[nodiscard]] SingleCall final {
 public:
    SingleCall(Request& request, ByteView handle, Intent intent, Function function)
        : access_(request), handle_(handle), intent_(intent), call_(access_, {this, function}) {}
    SingleCall(const SingleCall&) = delete;
    SingleCall& operator=(const SingleCall&) = delete;

    bool await_ready() {
        opened_ = access_.open(handle_, intent_);
        return opened_ != vfs::Status::ok || call_.await_ready();
    }
    void await_suspend(std::coroutine_handle<> waiter) { call_.await_suspend(waiter); }
    vfs::Status await_resume() {
        if (opened_ != vfs::Status::ok) [[unlikely]]
            return opened_;
        return access_.finish(call_.await_resume());
    }

 private:
    struct Bound {
        SingleCall* self;
        Function function;
        vfs::Status operator()(const vfs::Caller& caller) const {
            return function(self->access_, caller);
        }
    };

    Access access_;
    ByteView handle_;
    Intent intent_;
    vfs::Status opened_ = vfs::Status::ok;
    FileCall<Bound> call_;
};

}  // namespace helio::nfs
