#include "helio/nfs/v4/callbacks/callbacks.h"

#include <cerrno>
#include <list>
#include <utility>

#include "helio/base/bytes.h"
#include "helio/base/task.h"
#include "helio/nfs/server/held_file.h"

namespace helio::nfs::v4 {

using namespace nfs4;
using namespace nfs4_cb;
using state::CallbackEnd;

namespace {

// Calls the program that the client named instead of the schema's.
class NamedProgram final : public xdr::AsyncChannel {
 public:
    NamedProgram(xdr::AsyncChannel& channel, std::uint32_t program)
        : channel_(channel), program_(program) {}
    xdr::AsyncCall::Owner begin(const xdr::VersionInfo& version,
                                const xdr::ProcedureInfo& procedure) override {
        xdr::VersionInfo named = version;
        named.program = program_;
        return channel_.begin(named, procedure);
    }

 private:
    xdr::AsyncChannel& channel_;
    std::uint32_t program_;
};

}  // namespace

struct Callbacks::Sending {
    Callbacks* owner = nullptr;
    std::shared_ptr<CallbackConnection> connection = {};
    state::Callback callback;
    Task<void> task = {};
    bool is_running = true;  // otherwise it waits for the reply
    std::list<Sending>::iterator self = {};
};

// A connection that may carry callbacks. Only its own thread uses it.
struct Callbacks::CallbackConnection {
    std::shared_ptr<rpc::BackChannel> channel;
    std::shared_ptr<rpc::SessionHandle> handle;  // constant: any thread may post to it
    std::list<Sending> sending = {};
};

Callbacks::Callbacks(state::State& state, const Exports& exports,
                     std::function<state::Instant()> now)
    : state_(state), exports_(exports), now_(std::move(now)) {}
Callbacks::~Callbacks() = default;

// ---- Connections ----

state::ConnectionId Callbacks::connection_of(const rpc::Call& call) {
    std::shared_ptr<rpc::BackChannel> channel = call.back_channel();
    if (channel == nullptr) return 0;
    state::ConnectionId number = 0;
    {
        const std::lock_guard lock{mutex_};
        const auto [at, added] = numbers_.try_emplace(channel.get(), next_number_);
        if (!added) return at->second;
        number = next_number_++;
        auto handle = channel->handle();
        connections_.emplace(number, std::make_shared<CallbackConnection>(
                                         CallbackConnection{channel, std::move(handle)}));
    }
    channel->on_close([this, number] { close(number); });
    return number;
}

// Also when the server stops: then nobody resumes what waits for a reply, so it is dropped here.
// A callback that is just being sent ends by itself.
void Callbacks::close(state::ConnectionId number) {
    std::shared_ptr<CallbackConnection> connection;
    {
        const std::lock_guard lock{mutex_};
        const auto at = connections_.find(number);
        if (at == connections_.end()) return;
        connection = std::move(at->second);
        connections_.erase(at);
        numbers_.erase(connection->channel.get());
    }
    state_.connection_closed(number);
    for (auto at = connection->sending.begin(); at != connection->sending.end();)
        at = at->is_running ? std::next(at) : connection->sending.erase(at);
    send_all();
}

// ---- Sending ----

void Callbacks::send_all() {
    while (state_.has_callbacks()) {
        for (state::Callback& one : state_.take_callbacks()) {
            std::shared_ptr<rpc::SessionHandle> handle;
            {
                const std::lock_guard lock{mutex_};
                if (const auto at = connections_.find(one.connection); at != connections_.end())
                    handle = at->second->handle;
            }
            // Without a connection, close() has told the state, or is about to.
            if (handle != nullptr)
                handle->post([this, callback = std::move(one)] { begin(callback); });
        }
    }
}

// On the connection's thread.
void Callbacks::begin(const state::Callback& callback) {
    std::shared_ptr<CallbackConnection> connection;
    {
        const std::lock_guard lock{mutex_};
        if (const auto at = connections_.find(callback.connection); at != connections_.end())
            connection = at->second;
    }
    if (connection == nullptr) return;
    Sending& one = connection->sending.emplace_back(Sending{this, connection, callback});
    one.self = std::prev(connection->sending.end());
    one.task = send(connection->channel, one);
    one.task.start(erase, &one);
}

void Callbacks::erase(void* sending) {
    Sending& one = *static_cast<Sending*>(sending);
    Callbacks& owner = *one.owner;
    const std::shared_ptr<CallbackConnection> connection = one.connection;
    connection->sending.erase(one.self);
    owner.send_all();
}

Task<void> Callbacks::send(std::shared_ptr<rpc::BackChannel> channel, Sending& one) {
    const state::Callback& callback = one.callback;
    CB_SEQUENCE4args sequence{};
    sequence.csa_sessionid = callback.session;
    sequence.csa_sequenceid = callback.sequence;
    sequence.csa_slotid = callback.slot;
    sequence.csa_highest_slotid = callback.highest_slot;
    CB_NOTIFY_LOCK4args notice{};
    notice.cnla_fh = as_bytes(callback.notice.handle);
    notice.cnla_lock_owner = {callback.notice.client, as_bytes(callback.notice.owner)};
    const nfs_cb_argop4 operations[] = {nfs_cb_argop4::of_opcbsequence(sequence),
                                        nfs_cb_argop4::of_opcbnotify_lock(notice)};
    // Other sessions may share the connection.
    channel->set_credential(callback.target.credential);
    channel->set_call_timeout(kCallbackTimeout);
    NamedProgram program{*channel, callback.target.program};
    NFS_CB::AsyncClient client{program};
    auto call = client.COMPOUND({{}, callback.target.minor_version, 0, {operations, 2}});
    one.is_running = false;
    const auto reply = co_await call;
    one.is_running = true;
    CallbackEnd end;
    if (reply)
        end = end_of(callback, **reply);
    else if (reply.error().error_number == EBUSY)
        end.kind = CallbackEnd::Kind::not_sent;
    state_.callback_ended(callback, end);
}

CallbackEnd end_of(const state::Callback& callback, const CB_COMPOUND4res& reply) {
    const CallbackEnd failed{};
    if (reply.resarray.empty()) {
        // Nothing was executed, not even CB_SEQUENCE.
        if (reply.status == NFS4_OK) return failed;
        return {.kind = CallbackEnd::Kind::answered, .status = reply.status};
    }
    const CB_SEQUENCE4res* const first = reply.resarray[0].if_opcbsequence();
    if (first == nullptr) return failed;
    const CB_SEQUENCE4resok* const ok = first->if_csr_resok4();
    if (ok == nullptr) return {.kind = CallbackEnd::Kind::answered, .status = first->csr_status()};
    if (ok->csr_sessionid != callback.session || ok->csr_sequenceid != callback.sequence ||
        ok->csr_slotid != callback.slot)
        return failed;
    return {.kind = CallbackEnd::Kind::answered,
            .status = NFS4_OK,
            .target_highest_slot = ok->csr_target_highest_slotid};
}

// ---- Locks of programs outside the server ----

void Callbacks::use(transport::ServerTimers& timers) {
    const std::lock_guard lock{mutex_};
    timers_ = &timers;
}

void Callbacks::watch_locks() {
    const std::lock_guard lock{mutex_};
    if (timers_ != nullptr && !timer_)
        timer_ = timers_->every(kLockRound, [this] { look_at_locks(); });
}

void Callbacks::look_at_locks() {
    if (state_.has_waiters()) {
        for (const state::OutsideWait& one : state_.outside_waits())
            if (is_free(one)) state_.outside_freed(one.what);
        state_.next_round(now_());
    }
    // Also what an eviction outside of a COMPOUND has made free.
    send_all();
}

// A file system that may hang is not asked on a thread that serves others: its clients try.
bool Callbacks::is_free(const state::OutsideWait& wait) const {
    const auto table = exports_.table();
    for (const Export& one : *table) {
        if (one.tag != wait.what.file.export_tag) continue;
        vfs::RangeLocks* const locks = one.files->range_locks();
        if (locks == nullptr) return false;
        if (one.files->always_blocks() || !belongs_to(wait.file, *one.files)) return true;
        std::optional<vfs::LockConflict> conflict;
        vfs::Caller caller;
        caller.may_block = false;
        const vfs::Status status =
            locks->test(caller, *wait.file, wait.owner, wait.what.range, wait.what.type, conflict);
        return status == vfs::Status::ok && !conflict;
    }
    return false;
}

}  // namespace helio::nfs::v4
