// ClientStream: bytes beside the calls: a volume's content, a console, a screenshot. It is the
// channel of the one call that opens it:
//
//     virt::ClientStream stream{connection};
//     auto opened = co_await REMOTE_PROTOCOL_VERSION::AsyncClient{stream}.STORAGE_VOL_DOWNLOAD(…);
//     for (;;) {
//         const auto piece = co_await stream.read();
//         if (!piece) co_return fail(piece.error());
//         if (piece->kind == virt::StreamPiece::Kind::end) break;
//         …
//     }
//     co_await stream.finish();
//
// Back-pressure: write() waits while much is on its way, and when much has come that nobody has
// read the connection is not read, calls included. Destroying a stream that is open aborts it.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>

#include "helio/base/task.h"
#include "helio/virt/client/connection.h"
#include "helio/virt/client/signal.h"

namespace helio::virt {

// What may wait in one stream for its reader before the socket is left unread: thirty packets.
inline constexpr std::size_t kStreamUnreadBytesMax = 8u << 20;
// What may be on its way out before write() waits: a few packets, so that calls get their turn.
inline constexpr std::size_t kStreamUnsentBytesMax = 1u << 20;

struct StreamPiece {
    enum class Kind : std::uint8_t { data, hole, end };
    Kind kind = Kind::end;
    ByteView data;           // until the next read()
    std::uint64_t hole = 0;  // bytes that read as zero
};

class ClientStream final : public xdr::AsyncChannel {
 public:
    using Timeout = std::optional<std::chrono::milliseconds>;

    explicit ClientStream(ClientConnection& connection)
        : connection_(connection), readable_(connection.loop()), writable_(connection.loop()) {}
    ~ClientStream() override;
    ClientStream(const ClientStream&) = delete;
    ClientStream& operator=(const ClientStream&) = delete;

    // Once: the call that opens it.
    xdr::AsyncCall::Owner begin(const xdr::VersionInfo& version,
                                const xdr::ProcedureInfo& procedure) override;
    xdr::AsyncCall::Owner begin(std::uint32_t program, std::uint32_t version,
                                std::uint32_t procedure);

    // The next bytes, hole, or the end, which stays the end. Without a timeout it waits as long as
    // the connection lives. One reader and one writer at a time.
    Task<Result<StreamPiece, Failure>> read(Timeout timeout = {});
    // All of it, in as many packets as it takes; done when it is queued. The bytes stay until then.
    Task<Result<void, Failure>> write(ByteView bytes, Timeout timeout = {});
    Task<Result<void, Failure>> write_hole(std::uint64_t length, Timeout timeout = {});
    // Nothing more is written, or wanted: the other side confirms. What comes meanwhile is dropped.
    // In the time of a call.
    Task<Result<void, Failure>> finish();
    // At once, both ways.
    void abort();

 private:
    friend class ClientConnection;
    enum class State : std::uint8_t { unused, open, finishing, finished, failed };
    struct Queued {
        StreamPiece piece;
        rpc::BufferRef buffer;
    };

    void take(const rpc::BufferRef& buffer, const frame::VirnetHeader& header, ByteView payload);
    void add_piece(StreamPiece piece, rpc::BufferRef buffer);
    void drop_pieces();
    void fail_with(Failure failure);
    void count_unread(std::size_t more, std::size_t less);
    void send(frame::VirnetType type, frame::VirnetStatus status, ByteView payload);
    Task<Result<void, Failure>> room(Timeout timeout);

    ClientConnection& connection_;
    State state_ = State::unused;
    std::uint32_t program_ = 0;
    std::uint32_t version_ = 0;
    std::uint32_t procedure_ = 0;
    std::uint32_t serial_ = 0;
    std::deque<Queued> pieces_;
    rpc::BufferRef reading_;  // what the last piece lies in
    std::size_t unread_ = 0;
    bool full_ = false;
    bool ended_ = false;
    Signal readable_;  // also the confirmation
    Signal writable_;
    Failure failure_;
};

}  // namespace helio::virt
