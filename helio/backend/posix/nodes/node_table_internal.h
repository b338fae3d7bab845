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
    // `hash` is the key's, here and below.
    template <class Key>
    NodePtr find(const Key& key, std::uint64_t hash) const {
        for (std::size_t i = hash & mask_; slots_[i].node; i = (i + 1) & mask_)
            if (slots_[i].hash == hash && Keys::key(*slots_[i].node) == key) return slots_[i].node;
        return nullptr;
    }

    // The node that has the key from now on: this one, or the one that had it already.
    NodePtr insert(const NodePtr& node, std::uint64_t hash) {
        if (NodePtr there = find(Keys::key(*node), hash)) return there;
        if ((count_ + 1) * 4 > slots_.size() * 3) grow();
        put(hash, node);
        ++count_;
        return node;
    }

    bool erase(const NodePtr& node, std::uint64_t hash) {
        std::size_t at = hash & mask_;
        for (; slots_[at].node != node; at = (at + 1) & mask_)
            if (!slots_[at].node) return false;
        // Those behind move up, so that no search ends before them.
        for (std::size_t next = (at + 1) & mask_; slots_[next].node; next = (next + 1) & mask_) {
            const std::size_t home = slots_[next].hash & mask_;
            if (((next - home) & mask_) < ((next - at) & mask_)) continue;
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

    void put(std::uint64_t hash, NodePtr node) {
        std::size_t i = hash & mask_;
        while (slots_[i].node) i = (i + 1) & mask_;
        slots_[i] = {hash, std::move(node)};
    }
    void grow() {
        std::vector<Slot> old(slots_.size() * 2);
        old.swap(slots_);
        mask_ = slots_.size() - 1;
        for (Slot& one : old)
            if (one.node) put(one.hash, std::move(one.node));
    }

    std::vector<Slot> slots_ = std::vector<Slot>(16);
    std::size_t mask_ = 15;
    std::size_t count_ = 0;
};

}  // namespace helio::backend
