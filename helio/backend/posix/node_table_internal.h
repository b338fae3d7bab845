// A hash table of nodes by one of their keys: open addressing, hashes beside the pointers, so that
// finding one touches one line of the table and the node itself. `Keys` says what the key of a node
// is, and hashes keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace helio::backend {

template <class NodePtr, class Keys>
class NodeTable final {
 public:
    template <class Key>
    NodePtr find(const Key& key) const {
        if (slots_.empty()) return nullptr;
        const std::uint64_t hash = Keys::hash(key);
        for (std::size_t i = hash & mask(); slots_[i].node; i = (i + 1) & mask())
            if (slots_[i].hash == hash && Keys::key(*slots_[i].node) == key) return slots_[i].node;
        return nullptr;
    }

    // The node that has the key from now on: this one, or the one that had it already.
    NodePtr insert(const NodePtr& node) {
        if (NodePtr there = find(Keys::key(*node))) return there;
        if ((count_ + 1) * 4 > slots_.size() * 3) grow();
        put(Keys::hash(Keys::key(*node)), node);
        ++count_;
        return node;
    }

    bool erase(const NodePtr& node) {
        if (slots_.empty()) return false;
        std::size_t at = Keys::hash(Keys::key(*node)) & mask();
        for (; slots_[at].node != node; at = (at + 1) & mask())
            if (!slots_[at].node) return false;
        // Those behind move up, so that no search ends before them.
        for (std::size_t next = (at + 1) & mask(); slots_[next].node; next = (next + 1) & mask()) {
            const std::size_t home = slots_[next].hash & mask();
            if (((next - home) & mask()) < ((next - at) & mask())) continue;
            slots_[at] = std::move(slots_[next]);
            at = next;
        }
        slots_[at].node = nullptr;
        --count_;
        return true;
    }

    template <class Visit>
    void for_each(Visit&& visit) const {
        for (const Slot& one : slots_)
            if (one.node) visit(one.node);
    }

 private:
    struct Slot {
        std::uint64_t hash = 0;
        NodePtr node;
    };

    std::size_t mask() const { return slots_.size() - 1; }
    void put(std::uint64_t hash, NodePtr node) {
        std::size_t i = hash & mask();
        while (slots_[i].node) i = (i + 1) & mask();
        slots_[i] = {hash, std::move(node)};
    }
    void grow() {
        std::vector<Slot> old(slots_.empty() ? 16 : slots_.size() * 2);
        old.swap(slots_);
        for (Slot& one : old)
            if (one.node) put(one.hash, std::move(one.node));
    }

    std::vector<Slot> slots_;
    std::size_t count_ = 0;
};

}  // namespace helio::backend
