// Server: a process's programs and everything its connections share: the table, the duplicate
// request cache, counters, limits. It knows neither sockets nor message headers. Add programs
// before the first Worker exists; from then on it is read-only and thread-safe.
//
// Worker: one thread's memory and counters for serving calls. `serve` takes one message of a
// session from envelope to reply; suspended calls resume on their own.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "helio/base/clock.h"
#include "helio/base/text/log_event.h"
#include "helio/frame/record_mark.h"
#include "helio/rpc/call.h"
#include "helio/rpc/envelope.h"
#include "helio/rpc/memory.h"
#include "helio/rpc/onc/onc_envelope.h"
#include "helio/rpc/server/duplicate_cache.h"
#include "helio/rpc/server/statistics.h"
#include "helio/xdr/program.h"

namespace helio::rpc {

class Session;

// Waiting calls of one connection; Linux's NFS client has about 64 in flight.
inline constexpr std::size_t kCallsInFlightMax = 256;
// Arguments and results that the waiting calls of one connection may have together: eight of the
// largest READs or WRITEs keep a disk busy. Further calls wait in the socket.
inline constexpr std::size_t kWaitingBytesMax = 8u << 20;
// How long the calls of one connection may run before it is the turn of others.
inline constexpr std::chrono::milliseconds kTurnMax{1};
// Replies are sent when this much has gathered, before more calls of the connection are run: short
// calls may have long answers.
inline constexpr std::size_t kBatchBytesMax = 1u << 20;
// They are also sent when their memory has grown to this: a few bytes of list items decode into
// many.
inline constexpr std::size_t kBatchMemoryMax = 16u << 20;
// Refusals that a thread logs per second; the others are only counted.
inline constexpr std::uint32_t kLogLinesPerSecondMax = 10;

// An answered call with its bytes, for observers. These are views: copy what you keep.
struct Trace {
    const Call& call;
    std::span<const xdr::Segment> reply;  // the message, without frame; empty if there is none
    CallOutcome outcome;
    std::chrono::nanoseconds took;
};

// Called by every worker on its own thread, between calls: must be quick and thread-safe.
class Observer {
 public:
    virtual ~Observer() = default;
    virtual void on_call(const Trace& trace) = 0;
};

struct ServerOptions {
    frame::RecordLimits records;
    DuplicateCache::Limits duplicates;
    std::size_t calls_in_flight_max = kCallsInFlightMax;
    AuthFlavors flavors;  // besides AUTH_NONE and AUTH_SYS
    // Whether replies over UDP to this address may be longer than the calls. Without it all may.
    // Called from any thread.
    std::function<bool(const Peer&)> trusts_datagrams_of;
    Observer* observer = nullptr;
    // One line per refused call or broken connection. Called from any thread.
    std::function<void(const LogEvent&)> log;
    // Programs that clients try on their own and do without. Calls to them that are refused because
    // the program is not served go to `log_probe` instead, which may be absent.
    std::vector<std::uint32_t> probed_programs;
    std::function<void(const LogEvent&)> log_probe;
};

// What a program may be called over.
enum class Carriers : std::uint8_t {
    all,
    connections  // not UDP
};

class Server final {
 public:
    struct Entry {
        const xdr::VersionInfo* info;
        void* service;
        std::size_t index;  // in the statistics
        Carriers carriers = Carriers::all;

        bool is_served_over(Transport transport) const {
            return carriers == Carriers::all || transport != Transport::udp;
        }
    };

    explicit Server(ServerOptions options = {});
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    // The service is called by every worker at once and must outlive the server.
    void add(xdr::ServiceBase& service, Carriers carriers = Carriers::all);

    const ServerOptions& options() const { return options_; }
    std::span<const Entry> programs() const { return entries_; }
    // nullptr: not served over this transport; the refusal tells whether the program is, and in
    // which versions.
    const Entry* find(std::uint32_t program, std::uint32_t version, Transport transport,
                      Refusal& refusal) const;

    // For a session: the header of RFC 5531, with the server's security flavors.
    std::shared_ptr<Envelope> make_envelope() const {
        return std::make_shared<OncEnvelope>(options_.flavors);
    }

    DuplicateCache& duplicates() { return duplicates_; }
    // Made with the first call of it; programs added later are not counted.
    Statistics& statistics();

 private:
    ServerOptions options_;
    std::vector<Entry> entries_;
    DuplicateCache duplicates_;
    std::mutex statistics_mutex_;
    std::unique_ptr<Statistics> statistics_;
};

class Worker final {
 public:
    using Clock = helio::Clock;

    // The memory of its calls and replies counts in `budget`, if there is one, which must outlive
    // it.
    explicit Worker(Server& server, MemoryBudget* budget = nullptr);
    // All sessions must have ended; calls that still wait must not be resumed any more.
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    Server& server() { return server_; }
    BufferPool& buffers() { return buffers_; }
    BatchPool& batches() { return batches_; }
    std::size_t calls_waiting() const { return waiting_; }

    // Serves one message of the session. It is in `buffer`, and stays there while that is held. The
    // reply is in session.outgoing() when this returns, or comes later, or never.
    void serve(Session& session, ByteView message, const BufferRef& buffer, const Peer& peer);
    // The time is read once per batch and again after each call. Call this before the first.
    void look_at_the_clock() { now_ = Clock::now(); }
    // The time when it was last read.
    Clock::time_point now() const { return now_; }

    // For sessions and transports: a line for the log, within the limit.
    void log(std::string_view line);
    bool logs() const { return static_cast<bool>(server_.options().log); }

 private:
    friend class Session;
    struct ActiveCall;
    struct Frame;

    // The life of a call: take, run (or suspend and resume), complete, recycle. Calls that end
    // without results reach complete() through end_with_outcome() or refuse().
    ActiveCall* take();
    void run(ActiveCall& active, Session& session, const Server::Entry& entry, ByteView arguments,
             const BufferRef& buffer);
    void answer_by_flavor(ActiveCall& active, Session& session);
    void suspend(ActiveCall& active, Session& session, const BufferRef& buffer);
    void resume(ActiveCall& active);
    void resume_ended(Session& session);
    void refuse(ActiveCall& active, Session& session, const Refusal& refusal,
                CallStatistics& statistics);
    void end_with_outcome(ActiveCall& active, Session* session, xdr::Outcome outcome,
                          std::string_view why = {});
    void write_refusal(ActiveCall& active, Session* session, const Refusal& refusal);
    void complete(ActiveCall& active, Session* session, CallOutcome outcome, bool answered,
                  std::size_t bytes_out);
    void recycle(ActiveCall& active);

    // The batch for its reply.
    Batch& batch_of(Session* session);
    bool open_frame(ActiveCall& active, const Session* session, xdr::Writer& out);
    bool begin_reply(ActiveCall& active, Session* session);
    xdr::Outcome end_reply(ActiveCall& active, xdr::Writer& out);
    bool is_duplicate(ActiveCall& active, Session& session, ByteView arguments);
    void replay(ActiveCall& active, Session& session, const CachedReply& results);
    void publish(ActiveCall& active, Session* session, bool answered, CallOutcome outcome);
    std::vector<xdr::Segment> plain_results(const ActiveCall& active, Session* session);

    // Lines logged in the current second.
    struct LogBudget {
        Clock::time_point second;
        std::uint32_t lines = 0;
    };
    void log_within(LogBudget& budget, const std::function<void(const LogEvent&)>& sink,
                    const LogEvent& event);
    bool is_probe(const Call& call, const Refusal& refusal) const;
    void log_refusal(const ActiveCall& active, const Refusal& refusal);
    void log_failure(const ActiveCall& active, const Refusal& refusal, const xdr::Writer& out,
                     std::string_view why, std::size_t reply_size);

    Server& server_;
    const Server::Entry* last_entry_ = nullptr;
    ThreadStatistics& statistics_;
    BufferPool buffers_;
    BatchPool batches_;
    BatchRef nowhere_;  // for replies of calls whose session has ended, for the duplicate cache
    std::vector<std::unique_ptr<ActiveCall>> calls_;
    ActiveCall* free_ = nullptr;          // linked by next
    std::vector<xdr::Segment> segments_;  // scratch
    Clock::time_point now_;
    std::size_t waiting_ = 0;
    LogBudget log_budget_;
    LogBudget probe_budget_;  // its own: probes must not keep other lines out
};

}  // namespace helio::rpc
