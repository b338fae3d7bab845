// IndexTable: a hash table of names in the log of an Index, one of the parts that an Index consists
// of. A name takes ten bytes: the place of its record, tags of the file's id and of the name, and
// the bits of the id's hash that choose the slot, so that the table grows without reading records.
//
// It may take one name for another that has the same tags and is in the same part of the table:
// one in 2^32 / 3 names, and more often in parts of more than 2^16 slots, whose further bits come
// from the tag.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace helio::backend {

class IndexTable final {
 public:
    IndexTable() { resize(kSlotsMin); }
    IndexTable(const IndexTable&) = delete;
    IndexTable& operator=(const IndexTable&) = delete;

    // `hash` is that of the file's id, whose bits 16 to 47 are not used here; `binding` that of the
    // directory and the name.
    bool contains(std::uint64_t hash, std::uint16_t binding) const {
        return find(hash, binding) != kNowhere;
    }
    // The name must not be in the table. A place is at least 2.
    void insert(std::uint64_t hash, std::uint16_t binding, std::uint32_t place) {
        if ((count_ + tombs_ + 1) * 4 > slots_.size() * 3)
            resize((count_ + 1) * 2 > slots_.size() ? slots_.size() * 2 : slots_.size());
        std::size_t i = home(low_of(hash), tag_of(hash));
        while (slots_[i] > kTomb) i = next(i);
        if (slots_[i] == kTomb) --tombs_;
        slots_[i] = std::uint64_t{place} << 32 | tags_of(hash, binding);
        lows_[i] = low_of(hash);
        ++count_;
    }
    bool erase(std::uint64_t hash, std::uint16_t binding) {
        const std::size_t i = find(hash, binding);
        if (i == kNowhere) return false;
        bury(i);
        return true;
    }

    // Calls visit(place) for every name whose id probably has this hash.
    template <class Visit>
    void for_each_of(std::uint64_t hash, Visit&& visit) const {
        for (std::size_t i = home(low_of(hash), tag_of(hash)); slots_[i] != kFree; i = next(i))
            if (slots_[i] != kTomb && tag_at(i) == tag_of(hash) && lows_[i] == low_of(hash))
                visit(place_of(slots_[i]));
    }
    template <class Visit>
    void for_each(Visit&& visit) const {
        for (const std::uint64_t slot : slots_)
            if (slot > kTomb) visit(place_of(slot));
    }
    // Each name gets the place move(place); one for which that is 0 is removed.
    template <class Move>
    void move_all(Move&& move) {
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            if (slots_[i] <= kTomb) continue;
            const std::uint32_t place = move(place_of(slots_[i]));
            if (place == 0)
                bury(i);
            else
                slots_[i] = std::uint64_t{place} << 32 | static_cast<std::uint32_t>(slots_[i]);
        }
    }

    std::size_t size() const { return count_; }
    // Unlike all others, this may be called while the table is being changed.
    void prefetch(std::uint64_t hash) const {
        __builtin_prefetch(
            first_.load(std::memory_order_relaxed) +
            (position(low_of(hash), tag_of(hash)) & last_.load(std::memory_order_relaxed)));
    }

 private:
    // Slots that have no place: 0 is free, 1 was used once.
    static constexpr std::uint64_t kFree = 0;
    static constexpr std::uint64_t kTomb = 1;
    static constexpr std::size_t kSlotsMin = 32;
    static constexpr std::size_t kNowhere = SIZE_MAX;

    static std::uint16_t tag_of(std::uint64_t hash) {
        return static_cast<std::uint16_t>(hash >> 48);
    }
    static std::uint16_t low_of(std::uint64_t hash) { return static_cast<std::uint16_t>(hash); }
    static std::uint32_t tags_of(std::uint64_t hash, std::uint16_t binding) {
        return std::uint32_t{tag_of(hash)} << 16 | binding;
    }
    static std::uint32_t place_of(std::uint64_t slot) {
        return static_cast<std::uint32_t>(slot >> 32);
    }
    std::uint16_t tag_at(std::size_t i) const {
        return static_cast<std::uint16_t>(slots_[i] >> 16);
    }
    static std::size_t position(std::uint16_t low, std::uint16_t tag) {
        return std::size_t{tag} << 16 | low;
    }
    std::size_t home(std::uint16_t low, std::uint16_t tag) const {
        return position(low, tag) & (slots_.size() - 1);
    }
    std::size_t next(std::size_t i) const { return (i + 1) & (slots_.size() - 1); }

    std::size_t find(std::uint64_t hash, std::uint16_t binding) const {
        const std::uint32_t tags = tags_of(hash, binding);
        for (std::size_t i = home(low_of(hash), tag_of(hash)); slots_[i] != kFree; i = next(i))
            if (slots_[i] != kTomb && static_cast<std::uint32_t>(slots_[i]) == tags) return i;
        return kNowhere;
    }
    void bury(std::size_t i) {
        slots_[i] = kTomb;
        --count_;
        ++tombs_;
    }
    void resize(std::size_t wanted) {
        std::vector<std::uint64_t> slots(wanted, kFree);
        std::vector<std::uint16_t> lows(wanted);
        slots_.swap(slots);
        lows_.swap(lows);
        tombs_ = 0;
        for (std::size_t from = 0; from < slots.size(); ++from) {
            if (slots[from] <= kTomb) continue;
            std::size_t i = home(lows[from], static_cast<std::uint16_t>(slots[from] >> 16));
            while (slots_[i] != kFree) i = next(i);
            slots_[i] = slots[from];
            lows_[i] = lows[from];
        }
        first_.store(slots_.data(), std::memory_order_relaxed);
        last_.store(slots_.size() - 1, std::memory_order_relaxed);
    }

    // Open addressing: place (32) | id tag (16) | binding (16).
    std::vector<std::uint64_t> slots_;
    std::vector<std::uint16_t> lows_;
    std::size_t count_ = 0;
    std::size_t tombs_ = 0;
    std::atomic<const std::uint64_t*> first_;  // of slots_, for prefetch()
    std::atomic<std::size_t> last_;
};

}  // namespace helio::backend
