#include "helio/nfs/server/exports.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <mutex>

#include "helio/base/siphash.h"
#include "helio/base/text/escape.h"
#include "helio/nfs/server/call_names.h"
#include "helio/nfs/server/export_tree.h"
#include "helio/rpc/server/server.h"

namespace helio::nfs {

using vfs::Status;

namespace {

// Names in a log line are cut to this many bytes.
constexpr std::size_t kQuotedMax = 80;
// chown(2) and setfsuid(2) treat it as "unchanged", so it cannot be a user.
constexpr std::uint32_t kNoId = UINT32_MAX;

constexpr std::array<std::byte, 16> kLoopback = {
    std::byte{0},   std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0},   std::byte{0},
    std::byte{0},   std::byte{0}, std::byte{0}, std::byte{0}, std::byte{255}, std::byte{255},
    std::byte{127}, std::byte{0}, std::byte{0}, std::byte{1}};

// 24 bits that are in handles, so they must not change over restarts.
std::uint32_t tag_of(const HandleKey& key, const Export& one) {
    const vfs::FileId root = one.files->root();
    std::string text = one.path;
    text += '\0';
    text += as_text(root.view());
    return siphash24(key.first, key.second, as_bytes(text)) & 0xffffff;
}

// The user that the call acts as, by the export's rules. AUTH_NONE is anonymous.
void squash(const ExportRules& rules, const rpc::Credential& credential, AuthorizedHandle& out) {
    vfs::Caller& caller = out.caller;
    const bool nobody = !credential.is_sys() || rules.squash == Squash::all ||
                        (rules.squash == Squash::root && credential.uid == 0) ||
                        credential.uid == kNoId;
    if (nobody) {
        caller.uid = rules.anonymous_uid;
        caller.gid = rules.anonymous_gid;
        caller.groups = {};
        return;
    }
    const auto odd = [&](std::uint32_t gid) {
        return gid == kNoId || (gid == 0 && rules.squash == Squash::root);
    };
    caller.uid = credential.uid;
    caller.gid = odd(credential.gid) ? rules.anonymous_gid : credential.gid;
    caller.groups = {credential.gids.data(), credential.gids.size()};
    if (!std::any_of(caller.groups.begin(), caller.groups.end(), odd)) [[likely]]
        return;
    // The superuser's group is squashed too, in any position.
    std::size_t count = 0;
    for (const std::uint32_t gid : caller.groups)
        if (!odd(gid) && count < kGroupsMax) out.groups[count++] = gid;
    caller.groups = {out.groups.data(), count};
}

}  // namespace

std::string normalized_path(std::string_view path) {
    std::string out;
    for (std::size_t at = 0; at < path.size();) {
        const std::size_t end = std::min(path.find('/', at), path.size());
        const std::string_view name = path.substr(at, end - at);
        if (!name.empty() && name != ".") out.append("/").append(name);
        at = end + 1;
    }
    return out.empty() ? "/" : out;
}

std::string quoted(std::string_view name) {
    std::string out = "\"";
    append_escaped(out, name.substr(0, kQuotedMax));
    return out + (name.size() > kQuotedMax ? "\"…" : "\"");
}

// A table and its tree, which never change.
struct Exports::Snapshot {
    Snapshot(ExportTable exports, std::shared_ptr<ExportCounters> counters,
             const vfs::Time& changed)
        : table(std::move(exports)), tree(table, std::move(counters), changed) {}

    ExportTable table;
    ExportTree tree;
};

struct Exports::Impl {
    HandleKey key;
    std::function<void(const LogEvent&)> log;
    ClientCounters clients;

    // Of the pseudo root: calls of NFS 4 alone, which are not shown as an export's.
    std::shared_ptr<ExportCounters> pseudo_counters = std::make_shared<ExportCounters>();

    // The snapshot that a guard on a thread is using. A snapshot is freed when it is not the
    // current one and in none of the slots.
    struct alignas(64) Slot {
        std::atomic<const Snapshot*> snapshot = nullptr;
    };
    std::array<Slot, kThreadsCountedMax> slots;
    std::atomic<const Snapshot*> current = nullptr;
    std::atomic<bool> retired = false;  // snapshots wait to be freed
    std::mutex snapshots_mutex;
    std::vector<std::shared_ptr<const Snapshot>> snapshots;  // the current one last

    std::mutex log_mutex;
    std::chrono::steady_clock::time_point log_second;
    std::uint32_t log_lines = 0;

    void let_go();
};

// A file system may be destroyed with its table: do that outside the lock.
void Exports::Impl::let_go() {
    std::vector<std::shared_ptr<const Snapshot>> gone;
    const std::lock_guard lock{snapshots_mutex};
    const auto last = snapshots.back();
    const auto unused = [&](const std::shared_ptr<const Snapshot>& one) {
        return one != last && std::none_of(slots.begin(), slots.end(), [&](const Slot& slot) {
                   return slot.snapshot.load() == one.get();
               });
    };
    const auto end = std::stable_partition(snapshots.begin(), snapshots.end(),
                                           [&](const auto& one) { return !unused(one); });
    gone.assign(std::make_move_iterator(end), std::make_move_iterator(snapshots.end()));
    snapshots.erase(end, snapshots.end());
    retired.store(snapshots.size() > 1, std::memory_order_relaxed);
}

namespace {

// Later than before, so that clients notice every change.
vfs::Time time_after(const vfs::Time& before) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
    const vfs::Time time{seconds.count(), static_cast<std::uint32_t>(
                                              std::chrono::nanoseconds(now - seconds).count())};
    if (time > before) return time;
    constexpr std::uint32_t kLastNanosecond = 999'999'999;
    if (before.nanoseconds == kLastNanosecond) return {before.seconds + 1, 0};
    return {before.seconds, before.nanoseconds + 1};
}

}  // namespace

Exports::Exports(const HandleKey& key, std::function<void(const LogEvent&)> log)
    : impl_(std::make_unique<Impl>()) {
    impl_->key = key;
    impl_->log = std::move(log);
    impl_->snapshots.push_back(
        std::make_shared<const Snapshot>(ExportTable{}, impl_->pseudo_counters, vfs::Time{}));
    impl_->current = impl_->snapshots.back().get();
}

Exports::~Exports() = default;

Exports::TableGuard::TableGuard(const Exports& exports) : impl_(*exports.impl_) {
    const std::size_t thread = thread_number();
    if (thread < kThreadsCountedMax &&
        impl_.slots[thread].snapshot.load(std::memory_order_relaxed) == nullptr) [[likely]] {
        slot_ = &impl_.slots[thread].snapshot;
        // A thread that retires a snapshot reads the slots after it has changed the current one, so
        // at least one of the two threads sees the other.
        do {
            snapshot_ = impl_.current.load();
            slot_->store(snapshot_);
        } while (impl_.current.load() != snapshot_);
    } else {
        held_ = exports.snapshot();
        snapshot_ = held_.get();
    }
    table_ = &snapshot_->table;
}

const ExportTree& Exports::TableGuard::tree() const { return snapshot_->tree; }

Exports::TableGuard::~TableGuard() {
    if (slot_ == nullptr) return;
    slot_->store(nullptr, std::memory_order_release);
    if (impl_.retired.load(std::memory_order_relaxed)) [[unlikely]]
        impl_.let_go();
}

void Exports::TableGuard::keep() {
    if (slot_ == nullptr) return;
    {
        const std::lock_guard lock{impl_.snapshots_mutex};
        const auto is_ours = [this](const auto& one) { return one.get() == snapshot_; };
        held_ = *std::find_if(impl_.snapshots.begin(), impl_.snapshots.end(), is_ours);
    }
    std::exchange(slot_, nullptr)->store(nullptr, std::memory_order_release);
}

Result<void, std::string> Exports::set(ExportTable table) {
    if (table.size() > kExportTableMax)
        return fail(fmt::format("{} exports; the limit is {}", table.size(), kExportTableMax));
    const auto before = snapshot();
    for (Export& one : table) {
        one.path = normalized_path(one.path);
        one.tag = tag_of(impl_->key, one);
        one.counters = nullptr;
        for (const Export& old : before->table)
            if (old.path == one.path && old.files == one.files) one.counters = old.counters;
        if (!one.counters) one.counters = std::make_shared<ExportCounters>();
    }
    for (std::size_t i = 0; i < table.size(); ++i) {
        const Export& b = table[i];
        if (b.tag == kPseudoTag)
            return fail(
                fmt::format("the handles of {} would look like those of the pseudo root of "
                            "NFS 4: give it another name",
                            b.path));
        for (std::size_t j = 0; j < i; ++j) {
            const Export& a = table[j];
            if (a.path == b.path) return fail(fmt::format("{} is exported twice", a.path));
            if (a.tag == b.tag)
                return fail(
                    fmt::format("the handles of {} and {} would look alike: give one of "
                                "them another name",
                                a.path, b.path));
        }
    }
    auto next = std::make_shared<const Snapshot>(std::move(table), impl_->pseudo_counters,
                                                 time_after(before->tree.changed()));
    {
        const std::lock_guard lock{impl_->snapshots_mutex};
        impl_->snapshots.push_back(std::move(next));
        impl_->current.store(impl_->snapshots.back().get());
    }
    impl_->let_go();
    return {};
}

std::shared_ptr<const Exports::Snapshot> Exports::snapshot() const {
    const std::lock_guard lock{impl_->snapshots_mutex};
    return impl_->snapshots.back();
}

std::shared_ptr<const ExportTable> Exports::table() const {
    const auto now = snapshot();
    return {now, &now->table};
}

bool Exports::allows(const Export& where, const rpc::Peer& peer) {
    if (where.rules.allowed.empty()) return true;
    // A local socket counts as this machine.
    const auto& address = peer.client.kind == rpc::kClientInternet ? peer.client.bytes : kLoopback;
    return std::any_of(where.rules.allowed.begin(), where.rules.allowed.end(),
                       [&](const Network& one) { return one.contains(address); });
}

namespace {

bool trusts_datagrams(const Export& where, const rpc::Peer& peer) {
    return peer.local || where.rules.udp ||
           (!where.rules.allowed.empty() && Exports::allows(where, peer));
}

}  // namespace

bool Exports::trusts_datagrams_of(const rpc::Peer& peer) const {
    const TableGuard guard{*this};
    return peer.local || std::ranges::any_of(guard.table(), [&](const Export& one) {
               return trusts_datagrams(one, peer);
           });
}

// The pseudo root is only for NFS 4: clients of other versions mount each export by itself.
const Export* Exports::export_of(const TableGuard& guard, const rpc::Call& call,
                                 std::uint32_t tag) const {
    for (const Export& one : guard.table())
        if (one.tag == tag) return &one;
    const bool pseudo = tag == kPseudoTag && call.version == 4;
    return pseudo ? &guard.tree().pseudo() : nullptr;
}

Status Exports::check_client(const TableGuard& guard, const rpc::Call& call, const Export& where,
                             const vfs::FileId& file) const {
    if (where.tag == kPseudoTag) [[unlikely]] {
        const ExportTree::Node* const node = guard.tree().find(where, file);
        if (node == nullptr || ExportTree::is_visible(*node, call.peer)) return Status::ok;
        deny(call, Status::access_denied,
             fmt::format("no export is for {}", client_text(call.peer.client)));
        return Status::access_denied;
    }
    if (!allows(where, call.peer)) {
        deny(call, Status::access_denied,
             fmt::format("{} is not for {}", where.path, client_text(call.peer.client)), &where);
        return Status::access_denied;
    }
    if (call.peer.transport == rpc::Transport::udp && !trusts_datagrams(where, call.peer))
        [[unlikely]] {
        deny(
            call, Status::access_denied,
            fmt::format("{} is not served over UDP to {}, which no allow rule names; --udp permits "
                        "it to all clients",
                        where.path, client_text(call.peer.client)),
            &where);
        return Status::access_denied;
    }
    return Status::ok;
}

Status Exports::open(const TableGuard& guard, const rpc::Call& call, ByteView handle, Intent intent,
                     AuthorizedHandle& out) const {
    const auto opened = open_handle(impl_->key, handle);
    if (!opened) {
        deny(call, opened.error(),
             fmt::format("a handle of {} bytes is not of our making", handle.size()));
        return opened.error();
    }
    const Export* const where = export_of(guard, call, opened->export_tag);
    if (where == nullptr) {
        deny(call, Status::stale,
             fmt::format("the handle's export {:06x} is not there any more", opened->export_tag));
        return Status::stale;
    }
    out.where = where;
    if (const Status status = check_client(guard, call, *where, opened->file); status != Status::ok)
        return status;
    if (intent == Intent::change && where->rules.read_only) {
        deny(call, Status::read_only, fmt::format("{} is read-only", where->path), where);
        return Status::read_only;
    }
    out.files = where->files.get();
    out.file = opened->file;
    squash(where->rules, call.credential, out);
    return Status::ok;
}

namespace {

// True if `path` is at or below `base`, both without redundant slashes.
bool leads_to(std::string_view path, std::string_view base, std::string_view& below) {
    if (base == "/") {
        below = path.substr(1);
        return true;
    }
    if (path.substr(0, base.size()) != base) return false;
    if (path.size() > base.size() && path[base.size()] != '/') return false;
    below = path.size() > base.size() ? path.substr(base.size() + 1) : std::string_view{};
    return true;
}

}  // namespace

Status Exports::find(const TableGuard& guard, const rpc::Call& call, std::string_view path,
                     AuthorizedHandle& out, std::string_view& below) const {
    while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
    const Export* best = nullptr;
    if (path.empty() || path.front() != '/') {
        deny(call, Status::not_found, fmt::format("{} is no path", quoted(path)));
        return Status::not_found;
    }
    for (const Export& one : guard.table()) {
        std::string_view rest;
        if (!leads_to(path, one.path, rest)) continue;
        if (best != nullptr && best->path.size() > one.path.size()) continue;
        best = &one;
        below = rest;
    }
    // A single export needs no name.
    if (best == nullptr && path == "/" && guard.table().size() == 1) {
        best = &guard.table().front();
        below = {};
    }
    if (best == nullptr) {
        deny(call, Status::not_found, fmt::format("{} is not exported", quoted(path)));
        return Status::not_found;
    }
    if (!allows(*best, call.peer)) {
        deny(call, Status::access_denied,
             fmt::format("{} is not for {}", best->path, client_text(call.peer.client)), best);
        return Status::access_denied;
    }
    out.where = best;
    out.files = best->files.get();
    out.file = best->files->root();
    squash(best->rules, call.credential, out);
    return Status::ok;
}

Handle Exports::seal(const Export& where, const vfs::FileId& file) const {
    return seal_handle(impl_->key, where.tag, file);
}

void Exports::deny(const rpc::Call& call, Status status, std::string_view why,
                   const Export* where) const {
    if (!impl_->log) return;
    const std::lock_guard lock{impl_->log_mutex};
    const auto now = std::chrono::steady_clock::now();
    if (now - impl_->log_second >= std::chrono::seconds(1)) {
        if (impl_->log_lines > rpc::kLogLinesPerSecondMax) {
            const std::uint64_t left_out = impl_->log_lines - rpc::kLogLinesPerSecondMax;
            const LogField field{"left_out", left_out};
            impl_->log({fmt::format("nfs: {} more lines like these were left out", left_out),
                        {&field, 1}});
        }
        impl_->log_second = now;
        impl_->log_lines = 0;
    }
    if (++impl_->log_lines > rpc::kLogLinesPerSecondMax) return;
    const std::string client = rpc::to_text(call.peer);
    const std::string xid = fmt::format("{:#010x}", call.xid);
    const std::string procedure = procedure_name(call);
    const std::string_view status_name = wire_name(call, status);
    std::vector<LogField> fields{{"client", client},
                                 {"xid", xid},
                                 {"procedure", procedure},
                                 {"status", status_name},
                                 {"reason", why}};
    if (call.credential.is_sys()) {
        fields.push_back({"uid", std::uint64_t{call.credential.uid}});
        fields.push_back({"gid", std::uint64_t{call.credential.gid}});
    }
    if (where != nullptr) fields.push_back({"export", where->path});
    impl_->log({fmt::format("nfs: {} xid {:x} {}: {}; answered {}", client, call.xid, procedure,
                            why, status_name),
                fields});
}

void Exports::count(const rpc::Call& call, const Export* where, Status status,
                    std::uint64_t bytes_read, std::uint64_t bytes_written) const {
    const bool error = status != Status::ok;
    if (where != nullptr)
        where->counters->count(call.version, call.procedure, error, bytes_read, bytes_written);
    impl_->clients.count(call.peer.client, error, bytes_read, bytes_written);
}

std::vector<ExportCounts> Exports::export_counts() const {
    std::vector<ExportCounts> out;
    for (const auto now = table(); const Export& one : *now) {
        out.push_back(one.counters->counts());
        out.back().path = one.path;
    }
    return out;
}

std::vector<ClientCounts> Exports::client_counts() const { return impl_->clients.counts(); }

}  // namespace helio::nfs
