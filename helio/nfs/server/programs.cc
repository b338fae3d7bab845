#include "helio/nfs/server/programs.h"

#include <algorithm>
#include <chrono>
#include <random>

#include "helio/nfs/mount/services_internal.h"
#include "helio/nfs/server/held_file.h"
#include "helio/nfs/v2/service_internal.h"
#include "helio/nfs/v3/service_internal.h"
#include "helio/nfs/v4/callbacks/callbacks.h"
#include "helio/nfs/v4/service_internal.h"

namespace helio::nfs {

struct Programs::Services {
    ServiceContext context;
    v2::Context context_v2{context, {}};
    mnt::Context context_mount{context, {}};
    std::unique_ptr<xdr::ServiceBase> nfs3 = v3::make_service(context);
    std::unique_ptr<xdr::ServiceBase> nfs2 = v2::make_service(context_v2);
    std::unique_ptr<xdr::ServiceBase> mount3 = mnt::make_mount_v3(context_mount);
    std::unique_ptr<xdr::ServiceBase> mount2 = mnt::make_mount_v2(context_mount);
    std::unique_ptr<xdr::ServiceBase> mount1 = mnt::make_mount_v1(context_mount);

    // Of version 4.
    std::unique_ptr<state::State> state;
    std::unique_ptr<v4::Callbacks> callbacks;
    std::unique_ptr<v4::Context> context_v4;
    std::unique_ptr<xdr::ServiceBase> nfs4;

    Services(const ServiceContext& shared, const Version4* version4) : context(shared) {
        if (version4 != nullptr) start(*version4);
    }

    static const Export* export_of(const ExportTable& table, std::uint32_t tag) {
        const auto at = std::ranges::find(table, tag, &Export::tag);
        return at != table.end() ? &*at : nullptr;
    }
    // The thread must not wait for the file system.
    void release(const Export& where, const vfs::FileId& file, vfs::LockOwner owner,
                 state::State::When when) {
        vfs::RangeLocks* const locks = where.files->range_locks();
        if (locks == nullptr) return;
        const bool may_wait = when == state::State::When::soon || where.files->always_blocks();
        if (context.pool == nullptr || !may_wait) return locks->release(file, owner);
        context.pool->run_detached(
            [files = where.files, locks, file, owner] { locks->release(file, owner); },
            {.client = nullptr, .group = where.counters.get()});
    }
    static state::Instant now() { return std::chrono::steady_clock::now().time_since_epoch(); }
    void start(const Version4& version4) {
        const auto clock = version4.now ? version4.now : std::function{now};
        std::random_device random;
        state =
            std::make_unique<state::State>(version4.recovery, random(), clock(), version4.lease);
        state->on_release(
            [this](const state::FileKey& file, vfs::LockOwner owner, state::State::When when) {
                const auto table = context.exports.table();
                if (const Export* const where = export_of(*table, file.export_tag))
                    release(*where, file.file, owner, when);
            });
        callbacks = std::make_unique<v4::Callbacks>(*state, context.exports, clock);
        context_v4 = std::make_unique<v4::Context>(
            v4::Context{context, *state, version4.server_id, clock, *callbacks, version4.names});
        nfs4 = v4::make_service(*context_v4);
    }
};

Programs::Programs(const Exports& exports, transport::Pool* pool, const Version4* version4)
    : services_(std::make_unique<Services>(ServiceContext{exports, pool}, version4)) {}
Programs::Programs(const Exports& exports, transport::Pool& pool, const Version4& version4)
    : Programs(exports, &pool, &version4) {}
Programs::Programs(const Exports& exports, transport::Pool& pool) : Programs(exports, &pool) {}
Programs::Programs(const Exports& exports) : Programs(exports, nullptr) {}
Programs::Programs(const Exports& exports, const Version4& version4)
    : Programs(exports, nullptr, &version4) {}
Programs::~Programs() = default;

void Programs::use_timers(transport::ServerTimers& timers) {
    if (services_->callbacks) services_->callbacks->use(timers);
}

void Programs::drop_stale_opens() {
    if (!services_->state) return;
    const auto table = services_->context.exports.table();
    services_->state->drop_opens([&](const state::FileKey& file, const auto& open) {
        const Export* const where = Services::export_of(*table, file.export_tag);
        return where == nullptr || !belongs_to(open, *where->files);
    });
}

void Programs::drop_all_opens() {
    if (services_->state)
        services_->state->drop_opens([](const auto&, const auto&) { return true; });
}

CallbackCounts Programs::callback_counts() const {
    if (!services_->state) return {};
    const state::CallbackCounts counts = services_->state->callback_counts();
    return {counts.sent, counts.answered, counts.failed, counts.lock_waiters};
}

state::State* Programs::state() const { return services_->state.get(); }
std::chrono::nanoseconds Programs::now() const {
    return services_->context_v4 ? services_->context_v4->now() : Services::now();
}

void Programs::add_to(rpc::Server& server, Served served) {
    // RFC 8881 §2.9.1: version 4 needs a transport with congestion control.
    if (services_->nfs4) server.add(*services_->nfs4, rpc::Carriers::connections);
    if (served.three) server.add(*services_->nfs3);
    if (served.two) server.add(*services_->nfs2);
    if (served.three) server.add(*services_->mount3);
    if (served.two) server.add(*services_->mount2);
    if (served.two) server.add(*services_->mount1);
}

}  // namespace helio::nfs
