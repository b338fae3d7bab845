#include "helio/serve/control/service.h"

#include <unistd.h>

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "helio/nfs/server/counters.h"
#include "helio/rpc/call.h"
#include "helio/vfs/range_locks.h"
#include "helio/xdr/wire.h"

namespace helio::serve {

using namespace helio_control;
using nfs::state::ClientId;
using nfs::state::ClientSummary;
using nfs::state::Holding;

namespace {

std::uint32_t word(std::size_t count) {
    return static_cast<std::uint32_t>(std::min<std::size_t>(count, UINT32_MAX));
}

const nfs::Export* export_of(const nfs::ExportTable& table, std::uint32_t tag) {
    const auto at = std::find_if(table.begin(), table.end(),
                                 [&](const nfs::Export& one) { return one.tag == tag; });
    return at != table.end() ? &*at : nullptr;
}

vfs::RangeLocks* locks_of(const nfs::Export* where) {
    return where != nullptr ? where->files->range_locks() : nullptr;
}

// The locks of one owner. The file's locks are locked for a page at a time.
std::size_t count_held(vfs::RangeLocks& locks, const Holding& holding) {
    constexpr std::size_t kAtATime = 1024;
    std::size_t count = 0;
    for (std::uint64_t from = 0;;) {
        const auto some = locks.held(holding.file.file, holding.lock_owner, from, kAtATime);
        count += some.size();
        if (some.size() < kAtATime || some.back().range.last == vfs::kLockToEnd) return count;
        from = some.back().range.last + 1;
    }
}

// Copies of texts that live as long as the reply. They are cut where the schema ends them, and
// empty if there is no memory.
class Keeper final {
 public:
    explicit Keeper(xdr::CallContext& call) : arena_(call.arena()) {}
    std::string_view text(std::string_view from, std::size_t size_max) {
        from = from.substr(0, size_max);
        char* const kept = from.empty() ? nullptr : arena_.make<char>(from.size());
        if (kept == nullptr) return {};
        std::copy(from.begin(), from.end(), kept);
        bytes_ += from.size();
        return {kept, from.size()};
    }
    ByteView bytes(std::string_view from, std::size_t size_max) {
        return as_bytes(text(from, size_max));
    }
    template <class Row>
    Row* rows() {
        return arena_.make<Row>(CONTROL_ROWS_MAX);
    }
    std::size_t bytes_kept() const { return bytes_; }

 private:
    xdr::Arena& arena_;
    std::size_t bytes_ = 0;
};

// A page of open files and locks while it is filled.
class Page final {
 public:
    Page(Keeper& keeper, holding_row* rows) : keeper_(keeper), rows_(rows) {}

    std::size_t room() const {
        return keeper_.bytes_kept() < kControlPageBytesMax ? CONTROL_ROWS_MAX - count_ : 0;
    }
    void add(const Holding& from, const nfs::Export* where, const vfs::HeldLock* lock) {
        holding_row& row = *new (&rows_[count_++]) holding_row{};
        row.kind = lock != nullptr ? HOLDING_LOCK : HOLDING_OPEN;
        row.client = from.position.client;
        row.owner = keeper_.bytes(from.owner, CONTROL_OWNER_MAX);
        if (where != nullptr) row.export_path = keeper_.text(where->path, CONTROL_PATH_MAX);
        const std::string path = from.handle ? from.handle->path() : "";
        if (path.size() <= CONTROL_PATH_MAX) row.path = keeper_.text(path, CONTROL_PATH_MAX);
        row.file_id = keeper_.bytes(as_text(from.file.file.view()), 64);
        row.access = from.access;
        row.deny = from.deny;
        row.type = RANGE_READ;
        if (lock == nullptr) return;
        row.type = lock->type == vfs::LockType::read ? RANGE_READ : RANGE_WRITE;
        row.offset = lock->range.first;
        row.length = lock->range.last == vfs::kLockToEnd ? UINT64_MAX
                                                         : lock->range.last - lock->range.first + 1;
    }
    // The locks of one owner from `offset` on. Returns where to continue; 0: that was all.
    std::uint64_t add_locks(const Holding& from, const nfs::Export* where, std::uint64_t offset) {
        vfs::RangeLocks* const locks = locks_of(where);
        if (locks == nullptr) return 0;
        const std::size_t most = room();
        const auto held = locks->held(from.file.file, from.lock_owner, offset, most);
        for (const vfs::HeldLock& one : held) {
            add(from, where, &one);
            if (one.range.last == vfs::kLockToEnd) return 0;
            if (room() == 0) return one.range.last + 1;
        }
        return 0;
    }
    xdr::Array<holding_row> rows() const { return {rows_, count_}; }

 private:
    Keeper& keeper_;
    holding_row* const rows_;
    std::size_t count_ = 0;
};

}  // namespace

// The mode of the socket keeps others out already; this holds if somebody changes that.
bool ControlService::is_allowed(xdr::CallContext& context) const {
    const rpc::Call& call = rpc::call_of(context);
    if (call.peer.client.kind != rpc::kClientUnix) return false;
    const uid_t uid = xdr::load_u32(call.peer.client.bytes.data());
    if (uid == 0 || uid == parts_.user) return true;
    parts_.log(fmt::format("control: uid {} asked, but only uid {} and root may; refused it", uid,
                           parts_.user));
    return false;
}

void ControlService::NULL_(xdr::CallContext&) {}

server_info ControlService::INFO(xdr::CallContext& call) {
    if (!is_allowed(call)) return call.end_with<server_info>(xdr::Outcome::refused);
    Keeper keep{call};
    std::vector<std::string> paths;
    for (const nfs::Export& one : *parts_.exports.table()) paths.push_back(one.path);
    server_info out{};
    out.version = keep.text(parts_.version, CONTROL_TEXT_MAX);
    out.pid = static_cast<std::uint32_t>(getpid());
    out.addresses = keep.text(parts_.addresses, CONTROL_TEXT_MAX);
    out.exports = keep.text(fmt::format("{}", fmt::join(paths, ", ")), CONTROL_PATH_MAX);
    out.serves_nfs4 = parts_.state != nullptr;
    out.in_grace = parts_.state != nullptr && parts_.state->in_grace(parts_.now());
    return out;
}

// Byte ranges that a client has locked. The state is locked for a page at a time.
std::size_t ControlService::locks_of(const nfs::ExportTable& table, ClientId client) const {
    std::size_t count = 0;
    Holding::Position at{.client = client};
    for (;;) {
        const auto some = parts_.state->holdings(at, CONTROL_ROWS_MAX);
        for (const Holding& one : some) {
            if (one.position.client != client) return count;
            at = one.position;
            if (!one.is_lock()) continue;
            if (vfs::RangeLocks* const locks =
                    serve::locks_of(export_of(table, one.file.export_tag)))
                count += count_held(*locks, one);
        }
        if (some.size() < CONTROL_ROWS_MAX) return count;
    }
}

clients_page ControlService::CLIENTS(xdr::CallContext& call, const client_id& after) {
    if (!is_allowed(call)) return call.end_with<clients_page>(xdr::Outcome::refused);
    if (parts_.state == nullptr) return {.rows = {}, .end = true};
    Keeper keep{call};
    client_row* const rows = keep.rows<client_row>();
    if (rows == nullptr) return call.end_with<clients_page>(xdr::Outcome::system_error);
    using namespace std::chrono;
    const auto table = parts_.exports.table();
    const auto found = parts_.state->clients(parts_.now(), after, CONTROL_ROWS_MAX);
    std::size_t count = 0;
    for (; count < found.size() && keep.bytes_kept() < kControlPageBytesMax; ++count) {
        const ClientSummary& one = found[count];
        const std::size_t locks = one.lock_owners > 0 ? locks_of(*table, one.id) : 0;
        new (&rows[count]) client_row{
            .id = one.id,
            .owner = keep.bytes(one.owner, CONTROL_OWNER_MAX),
            .implementation = keep.text(one.facts.implementation, CONTROL_TEXT_MAX),
            .address = keep.text(one.facts.address, CONTROL_TEXT_MAX),
            .minor_version = one.facts.minor_version,
            .sessions = word(one.sessions),
            .opens = word(one.opens),
            .locks = word(locks),
            .silent_s = word(static_cast<std::size_t>(duration_cast<seconds>(one.silent).count())),
            .lease_s = static_cast<std::uint32_t>(parts_.state->lease().count()),
            .expired = one.expired,
            .back_channel = one.has_back_channel};
    }
    return {.rows = {rows, count}, .end = count == found.size() && count < CONTROL_ROWS_MAX};
}

holdings_page ControlService::HOLDINGS(xdr::CallContext& call, const holding_position& from) {
    if (!is_allowed(call)) return call.end_with<holdings_page>(xdr::Outcome::refused);
    holdings_page out{};
    out.next = from;
    out.end = true;
    if (parts_.state == nullptr) return out;
    Keeper keep{call};
    holding_row* const rows = keep.rows<holding_row>();
    if (rows == nullptr) return call.end_with<holdings_page>(xdr::Outcome::system_error);
    Page page{keep, rows};
    const auto table = parts_.exports.table();
    Holding::Position at{from.client, from.open, from.lock};
    // In the middle of an owner's locks: its row comes again, unless it is gone.
    const Holding::Position continued = at;
    const bool inside = from.offset != 0 && at.lock != 0;
    if (inside) --at.lock;
    while (page.room() > 0) {
        const auto some = parts_.state->holdings(at, CONTROL_ROWS_MAX);
        for (const Holding& one : some) {
            const nfs::Export* const where = export_of(*table, one.file.export_tag);
            std::uint64_t offset = inside && one.position == continued ? from.offset : 0;
            if (one.is_lock())
                offset = page.add_locks(one, where, offset);
            else
                page.add(one, where, nullptr);
            at = one.position;
            out.next = {at.client, at.open, at.lock, offset};
            if (offset != 0 || page.room() == 0) break;
        }
        if (some.empty()) break;
    }
    out.end = page.room() > 0 && out.next.offset == 0;
    out.rows = page.rows();
    return out;
}

evict_status ControlService::EVICT(xdr::CallContext& call, const client_id& id) {
    if (!is_allowed(call)) return call.end_with<evict_status>(xdr::Outcome::refused);
    if (parts_.state == nullptr) return EVICT_UNKNOWN;
    // For the log: afterwards nobody knows it any more.
    const auto found = parts_.state->clients(parts_.now(), id != 0 ? id - 1 : 0, id != 0 ? 1 : 0);
    if (found.empty() || found[0].id != id || !parts_.state->evict(id)) return EVICT_UNKNOWN;
    const rpc::Call& from = rpc::call_of(call);
    parts_.log(fmt::format(
        "control: uid {} evicted client {:016x} {} at {}: {} open files, {} owners of locks",
        xdr::load_u32(from.peer.client.bytes.data()), id, nfs::quoted(found[0].owner),
        found[0].facts.address, found[0].opens, found[0].lock_owners));
    return EVICT_OK;
}

std::size_t count_locks(const nfs::ExportTable& table) {
    std::set<const vfs::RangeLocks*> seen;
    std::size_t count = 0;
    for (const nfs::Export& one : table)
        if (const vfs::RangeLocks* const locks = one.files->range_locks())
            if (seen.insert(locks).second) count += locks->count();
    return count;
}

}  // namespace helio::serve
