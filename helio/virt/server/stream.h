// Streams of the server: a volume's bytes going up or down, a console. A service says what the
// server's end of it does (StreamEnd) and hands that to ServerClient::open_stream; packets, flow
// control and the closing words are done here. All on the connection's thread.
//
//     client                          server
//     CALL StorageVolDownload   →     open_stream(call, end)
//                               ←     REPLY, then STREAM CONTINUE … as next() gives
//                               ←     STREAM CONTINUE, empty: next() said end
//     STREAM OK                 →     finish()
//                               ←     STREAM OK
//
// Either side may end it early with STREAM ERROR; the client's is answered by OK.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "helio/virt/wire/call.h"
#include "helio/virt/wire/envelope.h"
#include "helio/virt/wire/error.h"

namespace helio::virt {
class VirnetSession;
}

namespace helio::virt::server {

// Streams a connection may have open; libvirtd has no number, each of its streams costs a thread's
// attention.
inline constexpr std::size_t kStreamsOpenMax = 64;
// Bytes of stream packets made in one go, before the connection's calls are looked at again.
inline constexpr std::size_t kStreamOutputMax = 1u << 20;

// What the server does at its end of a stream. It is destroyed when the stream is over, and abort()
// is called before that unless finish() was.
class StreamEnd {
 public:
    using Failure = std::optional<VirtError>;
    virtual ~StreamEnd() = default;

    // The client sent bytes, or a hole of this many. An error ends the stream.
    virtual Failure take(ByteView bytes);
    virtual Failure take_hole(std::uint64_t length);
    // The client has said all it wants, or read all it wants.
    virtual Failure finish() { return {}; }
    // The client gave up, or is gone.
    virtual void abort() {}

    // What goes to the client next.
    struct Piece {
        enum class Kind : std::uint8_t {
            nothing,  // not now: Stream::wake() says when to ask again
            bytes,    // at most as many as were asked for; used before the next call
            hole,     // `length` zeros
            end,      // of the data; the stream stays until the client closes it
            error,
        };
        Kind kind = Kind::nothing;
        ByteView bytes;
        std::uint64_t length = 0;
        VirtError error;
    };
    virtual Piece next(std::size_t bytes_max);
};

class Streams;

// A way back to an open stream for whoever has something for the client: a console's guest. Does
// nothing once the stream is over.
class StreamHandle final {
 public:
    StreamHandle() = default;
    // StreamEnd::next has something again. On the connection's thread.
    void wake() const;
    // Ends it from the server's side: a guest that was destroyed.
    void fail(const VirtError& why) const;
    bool is_open() const;

 private:
    friend class Streams;
    StreamHandle(std::weak_ptr<Streams*> owner, std::uint32_t serial)
        : owner_(std::move(owner)), serial_(serial) {}
    std::weak_ptr<Streams*> owner_;
    std::uint32_t serial_ = 0;
};

// The open streams of one connection, by the serial of the call that opened each.
class Streams final {
 public:
    Streams();
    ~Streams();
    Streams(const Streams&) = delete;
    Streams& operator=(const Streams&) = delete;

    void set_session(VirnetSession* session) { session_ = session; }
    // Nothing when there are too many, or one with this serial.
    std::optional<StreamHandle> open(const frame::VirnetHeader& call,
                                     std::unique_ptr<StreamEnd> end);
    // The call that opened one is answered: it may begin, or never was.
    void call_completed(std::uint32_t serial, CallResult result);
    void receive(const frame::VirnetHeader& header, ByteView payload);
    bool has_output() const;
    void make_output();
    void abort_all();
    std::size_t size() const { return open_.size(); }

 private:
    friend class StreamHandle;
    struct Stream {
        frame::VirnetHeader header;  // of its packets
        std::unique_ptr<StreamEnd> end;
        bool started = false;              // the opening call is answered
        bool asks = true;                  // next() may have something
        bool at_end = false;               // next() said so
        std::optional<VirtError> failure;  // StreamHandle::fail
    };
    using Open = std::map<std::uint32_t, Stream>;

    static bool has_output(const Stream& stream) {
        return stream.failure || (stream.started && stream.asks && !stream.at_end);
    }
    void make_one(Open::iterator at, std::size_t& budget);
    void take(Open::iterator at, const frame::VirnetHeader& header, ByteView payload);
    void finish(Open::iterator at);
    void abort(Open::iterator at);
    void close_with_error(Open::iterator at, const VirtError& why);
    void send(const Stream& stream, frame::VirnetType type, frame::VirnetStatus status,
              ByteView payload);

    VirnetSession* session_ = nullptr;
    Open open_;
    std::uint32_t last_served_ = 0;  // streams take turns
    std::shared_ptr<Streams*> self_;
};

}  // namespace helio::virt::server
