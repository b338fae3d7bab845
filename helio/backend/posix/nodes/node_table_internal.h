// NodeTable: a hash table of nodes by one of their keys. Hashes are stored beside the pointers, so
// that a lookup touches one cache line of the table and the node itself, and growing touches no
// node. `Keys` defines a node's key and its hash.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <boost/unordered/unordered_flat_set.hpp>

namespace helio::backend {

template <class NodePtr, class Keys>
class NodeTable final {
 public:
    // `hash` is the hash of the key, here and below.
    template <class Key>
    NodePtr find(const Key& key, std::uint64_t hash) const {
        const auto found = entries_.find(Wanted<Key>{key, hash});
        return found == entries_.end() ? nullptr : found->node;
    }

    // Returns the node that has the key from now on: this one, or the one that had it already.
    NodePtr insert(const NodePtr& node, std::uint64_t hash) {
        return entries_.insert(Entry{hash, node}).first->node;
    }

    bool erase(const NodePtr& node, std::uint64_t hash) {
        const auto& key = Keys::key(*node);
        const auto found = entries_.find(Wanted<std::decay_t<decltype(key)>>{key, hash});
        if (found == entries_.end() || found->node != node) return false;
        entries_.erase(found);
        return true;
    }

    template <class Visit>
    void for_each(Visit&& visit) const {
        for (const Entry& one : entries_) visit(one.node);
    }

 private:
    struct Entry {
        std::uint64_t hash = 0;
        NodePtr node;
    };
    template <class Key>
    struct Wanted {
        const Key& key;
        std::uint64_t hash = 0;
    };
    struct Hash {
        using is_transparent = void;
        using is_avalanching = void;
        // The upper bits, by which the table places its entries, chose the shard: all of a table's
        // have the same.
        template <class One>
        std::size_t operator()(const One& one) const {
            return std::rotl(one.hash, 32);
        }
    };
    struct Equal {
        using is_transparent = void;
        bool operator()(const Entry& one, const Entry& other) const {
            return one.hash == other.hash && Keys::key(*one.node) == Keys::key(*other.node);
        }
        template <class Key>
        bool operator()(const Wanted<Key>& wanted, const Entry& one) const {
            return one.hash == wanted.hash && Keys::key(*one.node) == wanted.key;
        }
        template <class Key>
        bool operator()(const Entry& one, const Wanted<Key>& wanted) const {
            return (*this)(wanted, one);
        }
    };

    boost::unordered_flat_set<Entry, Hash, Equal> entries_;
};

}  // namespace helio::backend
