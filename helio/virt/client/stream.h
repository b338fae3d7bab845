// ClientStream: data beside the calls: a volume's content, a console, a screenshot. It is the
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
// Back-pressure: write() waits while much is unsent, and the connection (including calls) is not
// read while much is unread. Destroying an open stream aborts it.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>

#include "helio/base/task.h"
#include "helio/virt/client/connection.h"
#include "helio/virt/client/signal.h"

namespace helio::virt {

// Unread data of one stream before the socket is no longer read: thirty packets.
inline constexpr std::size_t kStreamUnreadBytesMax = 8u << 20;
// Unsent data before write() waits: a few packets, so that calls get their turn.
inline constexpr std::size_t kStreamUnsentBytesMax = 1u << 20;

struct StreamPiece {
    enum class Kind : std::uint8_t { data, hole, end };
    Kind kind = Kind::end;
    ByteView data;           // valid until the next read()
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

    // Call once: the call that opens the stream.
    xdr::AsyncCall::Owner begin(const xdr::VersionInfo& version,
                                const xdr::ProcedureInfo& procedure) override;
    xdr::AsyncCall::Owner begin(std::uint32_t program, std::uint32_t version,
                                std::uint32_t procedure);

    // The next data, a hole, or the end, which repeats. Without a timeout it waits until the
    // connection ends. One reader and one writer at a time.
    Task<Result<StreamPiece, Failure>> read(Timeout timeout = {});
    // Writes all of it; done when it is queued. The bytes must stay valid until then.
    Task<Result<void, Failure>> write(ByteView bytes, Timeout timeout = {});
    Task<Result<void, Failure>> write_hole(std::uint64_t length, Timeout timeout = {});
    // Ends writing and reading; the daemon confirms. Data that arrives meanwhile is dropped. Uses
    // the call timeout.
    Task<Result<void, Failure>> finish();
    // Ends both directions at once.
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
    rpc::BufferRef reading_;  // holds the last piece
    std::size_t unread_ = 0;
    bool full_ = false;
    bool ended_ = false;
    Signal readable_;  // also signals the confirmation
    Signal writable_;
    Failure failure_;
};

}  // namespace helio::virt
