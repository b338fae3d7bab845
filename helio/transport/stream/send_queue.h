// SendQueue: a stream's output, in order: entries of its owner (Outgoing), and copied bytes
// (write). send() gives the socket as much as one system call takes: memory is gathered, pieces of
// files go by sendfile, descriptors with their byte. With a Layer, everything is encoded first, and
// the stream keeps the encoded bytes until they are sent.
//
//     bytes() is the sum of what the entries have left and of what is encoded
//     only the first entry has begun
//     with a layer, no entry has descriptors
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "helio/base/bytes.h"
#include "helio/base/fd.h"
#include "helio/rpc/memory.h"
#include "helio/transport/socket/network.h"
#include "helio/transport/stream/layer.h"
#include "helio/transport/stream/outgoing.h"

namespace helio::transport {

class SendQueue final {
 public:
    // The pool outlives it.
    explicit SendQueue(rpc::BufferPool& pool);
    ~SendQueue();
    SendQueue(const SendQueue&) = delete;
    SendQueue& operator=(const SendQueue&) = delete;

    bool empty() const { return bytes_ == 0; }
    // Not sent yet.
    std::size_t bytes() const { return bytes_; }

    void push(Outgoing& entry) {
        queue_.push_back(entry);
        bytes_ += entry.size_;
        tail_ = nullptr;
        if (!entry.is_simple_) check(entry);
    }
    // Copies. False: no memory.
    [[nodiscard]] bool write(ByteView bytes);
    // With its own zero byte.
    [[nodiscard]] bool write(Fd descriptor);
    // False if part of it has been sent: the rest has to follow.
    [[nodiscard]] bool take_back(Outgoing& entry);
    // Copies the rest of a partly sent entry, which is then free. False: no memory; it stays
    // queued.
    [[nodiscard]] bool copy_rest(Outgoing& entry);

    // From now on everything goes through this layer. The queue must be empty. The layer outlives
    // the queue.
    void set_layer(Layer& layer);

    // One system call. Returns how many bytes it took, or -1 and errno. The queue must not be
    // empty.
    ssize_t send(Network& network, int socket);

    // Nothing more is sent. The owner's entries are no longer queued; the first may be partly sent.
    void clear();

    void check_invariants();

 private:
    class Chunk;
    struct Encoded {
        Layer& layer;
        std::vector<std::byte> plain;
        std::vector<std::byte> wire;
        std::size_t sent = 0;  // of wire
    };

    ssize_t send_next(Network& network, int socket);
    ssize_t send_gathered(Network& network, int socket);
    static ssize_t send_file(Network& network, int socket, const Outgoing& entry);
    ssize_t send_encoded(Network& network, int socket);
    bool encode_some();
    void advance(std::size_t bytes);
    static void advance(Outgoing& entry, std::size_t bytes);
    void check(Outgoing& entry) const;
    Chunk* chunk_for(std::size_t size);
    void add(Chunk& chunk, ByteView bytes);
    void recycle(Chunk& chunk);

    rpc::BufferPool& pool_;
    OutgoingQueue queue_;
    std::size_t bytes_ = 0;
    bool advancing_ = false;
    std::unique_ptr<Encoded> encoded_;
    std::vector<std::unique_ptr<Chunk>> chunks_;  // those that are queued
    Chunk* tail_ = nullptr;                       // the last entry, if that is a chunk
};

}  // namespace helio::transport
