#include "helio/backend/posix/nodes/index_internal.h"

#include <algorithm>
#include <cstring>

#include "helio/base/hash.h"

namespace helio::backend {

namespace {

// Names noted together: a batch of a listing.
constexpr std::size_t kTogether = 128;

// Need not be strong: nobody gains by a collision, because the index's answers are checked.
std::uint64_t mixed(std::uint64_t hash, ByteView bytes) {
    std::size_t at = 0;
    for (; at + 8 <= bytes.size(); at += 8) {
        std::uint64_t word;
        std::memcpy(&word, bytes.data() + at, 8);
        hash = folded_product(hash ^ word);
    }
    std::uint64_t last = bytes.size();
    for (; at < bytes.size(); ++at) last = last << 8 | std::to_integer<std::uint64_t>(bytes[at]);
    return folded_product(hash ^ last);
}

std::uint64_t hash_of(const vfs::FileId& id) { return std::hash<vfs::FileId>{}(id); }
std::uint16_t binding_of(const vfs::FileId& parent, std::string_view name) {
    return static_cast<std::uint16_t>(Index::name_hash(parent, name) >> 16);
}

}  // namespace

// Where the records of an old log are in the new one.
struct Index::Moves {
    IndexLog::Position begun;               // records after it moved together, by `shift`
    std::vector<std::uint32_t> old_places;  // sorted
    std::vector<std::uint32_t> new_places;  // 0: lost
    std::unique_ptr<IndexLog::Rewriting> rewriting;
    std::int64_t shift = 0;
    IndexLog::File file;

    std::uint32_t operator()(std::uint32_t place) const {
        if (place >= begun.size / 8) return static_cast<std::uint32_t>(place + shift);
        const auto at = std::lower_bound(old_places.begin(), old_places.end(), place);
        return new_places[static_cast<std::size_t>(at - old_places.begin())];
    }
};

Index::Index(const std::string& path, const vfs::FileId& root) : log_(path, root) {
    log_.load(
        [this](const IndexRecord& record, std::uint32_t place) { return load_one(record, place); });
    for (Part& part : parts_) part.file = log_.file();
}

Index::~Index() = default;

std::size_t Index::load_one(const IndexRecord& record, std::uint32_t place) {
    const std::uint64_t hash = hash_of(record.id);
    const std::uint16_t binding = binding_of(record.parent, record.name);
    IndexTable& names = parts_[part_of(hash)].names;
    const bool known = names.erase(hash, binding);
    if (known) --count_;
    if (record.binding == IndexRecord::Binding::gone) return 2 * record.size;
    names.insert(hash, binding, place);
    ++count_;
    return known ? record.size : 0;
}

std::uint64_t Index::name_hash(const vfs::FileId& parent, std::string_view name) {
    return mixed(std::hash<vfs::FileId>{}(parent), as_bytes(name));
}

void Index::note(const vfs::FileId& id, std::uint64_t inode, const vfs::FileId& parent,
                 std::string_view name) {
    const std::uint64_t hash = hash_of(id);
    const std::uint16_t binding = binding_of(parent, name);
    Part& part = parts_[part_of(hash)];
    {
        const std::shared_lock lock{part.mutex};
        if (part.names.contains(hash, binding)) return;
    }
    const auto lock = lock_to_change(part);
    note_new(part, hash, binding, {&id, inode, name}, parent);
}

void Index::note_found(const vfs::FileId& id, std::uint64_t inode, const vfs::FileId& parent,
                       std::string_view name) {
    const auto is_this = [&](const Place& one) { return one.parent == parent && one.name == name; };
    if (std::ranges::any_of(places(id), is_this)) return;
    const std::uint64_t hash = hash_of(id);
    const std::uint16_t binding = binding_of(parent, name);
    Part& part = parts_[part_of(hash)];
    const auto lock = lock_to_change(part);
    if (part.names.erase(hash, binding)) --count_;  // of another name, which is outdated
    note_new(part, hash, binding, {&id, inode, name}, parent);
}

void Index::note_all(const vfs::FileId& parent, std::span<const SeenName> seen) {
    while (!seen.empty()) {
        const std::size_t count = std::min(seen.size(), kTogether);
        note_batch(parent, seen.first(count));
        seen = seen.subspan(count);
    }
}

// Sorts the names by part first, so that each lock is taken once. A large table is not in the
// processor's caches, so its lines are prefetched.
void Index::note_batch(const vfs::FileId& parent, std::span<const SeenName> seen) {
    std::array<std::uint64_t, kTogether> hashes;
    std::array<std::uint16_t, kTogether> bindings;
    std::array<std::uint16_t, kTogether> order;
    std::array<std::uint16_t, kParts + 1> ends{};
    for (std::size_t i = 0; i < seen.size(); ++i) {
        hashes[i] = hash_of(*seen[i].id);
        bindings[i] = binding_of(parent, seen[i].name);
        const std::size_t part = part_of(hashes[i]);
        parts_[part].names.prefetch(hashes[i]);
        ++ends[part + 1];
    }
    for (std::size_t part = 0; part < kParts; ++part) ends[part + 1] += ends[part];
    for (std::size_t i = 0; i < seen.size(); ++i)
        order[ends[part_of(hashes[i])]++] = static_cast<std::uint16_t>(i);
    // ends[p] is now the end of part p in `order`.
    for (std::size_t number = 0, at = 0; number < kParts; ++number) {
        if (at == ends[number]) continue;
        Part& part = parts_[number];
        const std::size_t begin = at;
        std::size_t fresh = begin;  // new names are moved to the front
        {
            const std::shared_lock lock{part.mutex};
            for (; at < ends[number]; ++at)
                if (!part.names.contains(hashes[order[at]], bindings[order[at]]))
                    order[fresh++] = order[at];
        }
        if (fresh == begin) continue;
        const auto lock = lock_to_change(part);
        for (std::size_t i = begin; i < fresh; ++i)
            note_new(part, hashes[order[i]], bindings[order[i]], seen[order[i]], parent);
    }
}

// Requires the part's lock, even while the record is appended: the last record of a name must be
// the one in the table.
void Index::note_new(Part& part, std::uint64_t hash, std::uint16_t binding, const SeenName& seen,
                     const vfs::FileId& parent) {
    if (part.names.contains(hash, binding) || size() >= kIndexEntriesMax) return;
    IndexRecord record;
    record.id = *seen.id;
    record.parent = parent;
    record.inode = seen.inode;
    record.name = seen.name;
    record.encode();
    const auto place = log_.append(record, 0);
    if (!place) return;
    part.names.insert(hash, binding, *place);
    ++count_;
}

void Index::forget(const vfs::FileId& id, const vfs::FileId& parent, std::string_view name) {
    const std::uint64_t hash = hash_of(id);
    const std::uint16_t binding = binding_of(parent, name);
    Part& part = parts_[part_of(hash)];
    const auto lock = lock_to_change(part);
    if (!part.names.erase(hash, binding)) return;
    --count_;
    IndexRecord record;
    record.id = id;
    record.parent = parent;
    record.name = name;
    record.binding = IndexRecord::Binding::gone;
    record.encode();
    static_cast<void>(log_.append(record, 2 * record.size));
}

std::vector<Index::Place> Index::places(const vfs::FileId& id) {
    const std::uint64_t hash = hash_of(id);
    std::vector<std::uint32_t> candidates;
    Part& part = parts_[part_of(hash)];
    IndexLog::File file;
    {
        const std::shared_lock lock{part.mutex};
        part.names.for_each_of(hash, [&](std::uint32_t place) { candidates.push_back(place); });
        if (candidates.empty()) return {};
        file = part.file;
    }
    std::sort(candidates.rbegin(), candidates.rend());
    std::vector<Place> found;
    IndexRecord record;
    for (const std::uint32_t place : candidates)
        if (IndexLog::read(*file, place, record) && record.id == id)
            found.push_back({record.parent, record.inode, std::string(record.name)});
    return found;
}

std::unique_lock<std::shared_mutex> Index::lock_to_change(Part& part) {
    std::unique_lock lock{part.mutex};
    if (part.moves) make_moves(part);
    return lock;
}

void Index::make_moves(Part& part) {
    const std::size_t before = part.names.size();
    part.names.move_all(*part.moves);
    count_ -= before - part.names.size();
    part.file = part.moves->file;
    part.moves = nullptr;
}

void Index::tidy() {
    const std::lock_guard alone{tidying_};
    if (!log_.is_worth_rewriting()) return;
    const auto moves = rewrite();
    if (!moves || !adopt_rewritten(moves)) return;
    for (Part& part : parts_) static_cast<void>(lock_to_change(part));
}

// Copies valid records into a new log. Records appended meanwhile are added later, including those
// that make copied ones outdated.
std::shared_ptr<Index::Moves> Index::rewrite() {
    auto moves = std::make_shared<Moves>();
    moves->begun = log_.position();
    auto& old_places = moves->old_places;
    for (Part& part : parts_) {
        const std::shared_lock lock{part.mutex};
        part.names.for_each([&](std::uint32_t place) {
            if (place < moves->begun.size / 8) old_places.push_back(place);
        });
    }
    std::sort(old_places.begin(), old_places.end());
    moves->rewriting = log_.rewrite(moves->begun);
    if (!moves->rewriting) return nullptr;
    moves->new_places.reserve(old_places.size());
    for (const std::uint32_t place : old_places)
        moves->new_places.push_back(moves->rewriting->copy(place).value_or(0));
    return moves->rewriting->finish() ? moves : nullptr;
}

// No record is appended while all parts are locked.
bool Index::adopt_rewritten(const std::shared_ptr<Moves>& moves) {
    std::array<std::unique_lock<std::shared_mutex>, kParts> locks;
    for (std::size_t i = 0; i < kParts; ++i) locks[i] = lock_to_change(parts_[i]);
    const auto shift = log_.replace_with(*moves->rewriting);
    if (!shift) return false;
    moves->shift = *shift;
    moves->file = log_.file();
    for (Part& part : parts_) part.moves = moves;
    return true;
}

}  // namespace helio::backend
