// Server-side streams: the upload or download of a volume, a console. A service implements the
// server's end (StreamEnd) and passes it to ServerClient::open_stream; the classes here handle
// packets, flow control and closing. All on the connection's thread.
//
//     client                          server
//     CALL StorageVolDownload   →     open_stream(call, end)
//                               ←     REPLY, then STREAM CONTINUE … as next() gives
//                               ←     STREAM CONTINUE, empty: next() said end
//     STREAM OK                 →     finish()
//                               ←     STREAM OK
//
// Either side may end it early with STREAM ERROR; the client's is answered with OK.
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

// Open streams of one connection; libvirtd has no limit, but each of its streams costs a thread.
inline constexpr std::size_t kStreamsOpenMax = 64;
// Bytes of stream packets made at once, before the connection's calls are served again.
inline constexpr std::size_t kStreamOutputMax = 1u << 20;

// The server's end of a stream. Destroyed when the stream ends; abort() is called before unless
// finish() was.
class StreamEnd {
 public:
    using Failure = std::optional<VirtError>;
    virtual ~StreamEnd() = default;

    // The client sent bytes, or a hole of this length. An error ends the stream.
    virtual Failure take(ByteView bytes);
    virtual Failure take_hole(std::uint64_t length);
    // The client has sent or read everything it wants.
    virtual Failure finish() { return {}; }
    // The client aborted or disconnected.
    virtual void abort() {}

    // The next data for the client.
    struct Piece {
        enum class Kind : std::uint8_t {
            nothing,  // none now: Stream::wake() says when to ask again
            bytes,    // at most as many as asked for; used before the next call
            hole,     // `length` zeros
            end,      // of the data; the stream stays open until the client closes it
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

// A reference to an open stream, for code that has data for the client: a console's guest. Does
// nothing once the stream has ended.
class StreamHandle final {
 public:
    StreamHandle() = default;
    // StreamEnd::next has data again. On the connection's thread.
    void wake() const;
    // Ends it from the server's side: the guest was destroyed.
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
    // Nothing if there are too many, or one with this serial.
    std::optional<StreamHandle> open(const frame::VirnetHeader& call,
                                     std::unique_ptr<StreamEnd> end);
    // The call that opened a stream is answered: the stream may begin, or was never opened.
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
        bool asks = true;                  // next() may have data
        bool at_end = false;               // next() returned the end
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
