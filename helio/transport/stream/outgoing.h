// Outgoing: complete messages to send through a Stream, as a gather list: a batch of replies, one
// call, some bytes. It is a node of a queue and lives in its sender, so that queueing does not
// allocate. Entries never interleave: each is sent completely before the next one begins.
//
//     class Call : public Outgoing { void on_sent() override { … } … };
//     call.set_message(writer.segments(), writer.size());
//     stream.send(call);      // queued
//     stream.flush();         // as much as the socket takes
//
// The segments, and everything they point to, must not change while the entry is queued.
#pragma once

#include <cstddef>
#include <span>

#include "helio/base/assert.h"
#include "helio/rpc/memory.h"
#include "helio/xdr/writer.h"

namespace helio::transport {

// A link of a circular list; its head is one too.
class OutgoingLink {
 public:
    OutgoingLink() = default;
    OutgoingLink(const OutgoingLink&) = delete;
    OutgoingLink& operator=(const OutgoingLink&) = delete;

 protected:
    ~OutgoingLink() = default;

 private:
    friend class Outgoing;
    friend class OutgoingQueue;
    OutgoingLink* next_ = nullptr;  // while it is not in a list
    OutgoingLink* previous_ = nullptr;
};

class Outgoing : private OutgoingLink {
 public:
    bool is_queued() const { return next_ != nullptr; }
    // Some of it has gone to the socket, and not all.
    bool has_begun() const { return sent_ > 0; }
    std::size_t unsent() const { return size_ - sent_; }

 protected:
    virtual ~Outgoing() { HELIO_ASSERT(!is_queued()); }

    // Sets the message: all segments, `size` bytes in total. Each descriptor travels with the byte
    // at its offset (AF_UNIX). Must not be queued.
    void set_message(std::span<const xdr::Segment> segments, std::size_t size,
                     std::span<rpc::Batch::Descriptor> descriptors = {}) {
        HELIO_ASSERT(!segments.empty() && size > 0);
        segments_ = segments;
        if (!descriptors.empty() || !descriptors_.empty()) descriptors_ = descriptors;
        is_simple_ =
            segments.size() == 1 && descriptors.empty() && !segments.front().data.is_file();
        size_ = size;
        sent_ = skip_ = 0;
    }

    // Everything has gone to the socket, or to the stream's Layer, and the entry is no longer
    // queued. It may queue this entry and others again, but must not close the stream or take
    // entries back.
    virtual void on_sent() = 0;

 private:
    friend class OutgoingQueue;
    friend class SendQueue;

    // For a simple one.
    ByteView rest() const { return segments_.front().bytes().subspan(skip_); }

    bool is_simple_ = false;                         // one piece of memory, and nothing with it
    std::span<const xdr::Segment> segments_;         // not wholly sent
    std::span<rpc::Batch::Descriptor> descriptors_;  // not sent
    std::size_t size_ = 0;
    std::size_t sent_ = 0;
    std::size_t skip_ = 0;  // sent of the first segment
};

class OutgoingQueue final {
 public:
    OutgoingQueue() { head_.next_ = head_.previous_ = &head_; }
    ~OutgoingQueue() { clear(); }
    OutgoingQueue(const OutgoingQueue&) = delete;
    OutgoingQueue& operator=(const OutgoingQueue&) = delete;

    bool empty() const { return head_.next_ == &head_; }
    Outgoing* first() { return entry(head_.next_); }
    Outgoing* last() { return entry(head_.previous_); }
    Outgoing* after(const Outgoing& one) { return entry(one.next_); }

    void push_back(Outgoing& one) { insert_before(head_, one); }
    // From whichever queue it is in.
    static void remove(Outgoing& one) {
        one.next_->previous_ = one.previous_;
        one.previous_->next_ = one.next_;
        one.next_ = nullptr;
    }
    // Puts another entry in its place.
    static void replace(Outgoing& one, Outgoing& by) {
        insert_before(one, by);
        remove(one);
    }
    // The remaining entries are no longer queued.
    void clear() {
        while (Outgoing* const one = first()) remove(*one);
    }

 private:
    struct Head final : OutgoingLink {};
    Outgoing* entry(OutgoingLink* link) {
        return link == &head_ ? nullptr : static_cast<Outgoing*>(link);
    }
    static void insert_before(OutgoingLink& place, Outgoing& one) {
        HELIO_ASSERT(!one.is_queued());
        one.next_ = &place;
        one.previous_ = place.previous_;
        place.previous_->next_ = &one;
        place.previous_ = &one;
    }

    Head head_;
};

}  // namespace helio::transport
