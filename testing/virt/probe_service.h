// Serves the program of probe.x, and connects to it over a VirnetSession without a socket.
// For tests and fuzz targets.
#pragma once

#include <algorithm>
#include <coroutine>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "helio/base/assert.h"
#include "helio/frame/length_word.h"
#include "helio/rpc/server/server.h"
#include "helio/virt/server/server_client.h"
#include "helio/virt/wire/programs.h"
#include "helio/virt/wire/session.h"
#include "testing/xdr/bytes.h"
#include "virt_test/probe.h"
#include "virt_test/probe_service.h"

namespace helio::virt::server::probe {

using namespace ::virt_test::probe;
using frame::VirnetHeader;
using frame::VirnetStatus;
using frame::VirnetType;
using xdr::Bytes;
using Procedure = TRY_VERSION::Procedure;

// A record of stream operations, for tests.
struct StreamDiary {
    Bytes received;
    std::vector<std::uint64_t> holes;
    int finished = 0;
    int aborted = 0;
    int destroyed = 0;
};

class ProbeEnd final : public StreamEnd {
 public:
    // Sends `size` bytes, or receives if it is negative.
    ProbeEnd(StreamDiary& diary, int size) : diary_(diary), left_(size) {}
    ~ProbeEnd() override { ++diary_.destroyed; }

    Failure take(ByteView bytes) override {
        if (left_ >= 0) return StreamEnd::take(bytes);
        if (!bytes.empty() && bytes[0] == std::byte{'!'})
            return virt_error(VIR_ERR_OPERATION_FAILED, VIR_FROM_STORAGE, "full");
        xdr::append(diary_.received, bytes);
        return {};
    }
    Failure take_hole(std::uint64_t length) override {
        diary_.holes.push_back(length);
        return {};
    }
    Failure finish() override {
        ++diary_.finished;
        return {};
    }
    void abort() override { ++diary_.aborted; }
    Piece next(std::size_t bytes_max) override {
        Piece piece;
        if (left_ < 0) return piece;
        if (left_ == 0) {
            piece.kind = Piece::Kind::end;
            return piece;
        }
        const std::size_t size = std::min(bytes_max, static_cast<std::size_t>(left_));
        bytes_.assign(size, std::byte{'d'});
        left_ -= static_cast<int>(size);
        piece.kind = Piece::Kind::bytes;
        piece.bytes = bytes_;
        return piece;
    }

 private:
    StreamDiary& diary_;
    int left_;
    Bytes bytes_;
};

class ProbeService final : public TRY_VERSION::Service {
 public:
    StreamDiary diary;
    StreamHandle last_stream;
    int creates = 0;

    std::size_t waiting() const { return waiting_.size(); }
    int let_go() {
        int count = 0;
        for (; !waiting_.empty(); ++count) {
            const auto waiter = waiting_.front();
            waiting_.erase(waiting_.begin());
            waiter.resume();
        }
        return count;
    }

    void OPEN(xdr::CallContext& call) override { client_of(call).set_open(true); }
    void CLOSE(xdr::CallContext& call) override { client_of(call).close_after_reply(); }
    void CREATE(xdr::CallContext&) override { ++creates; }
    try_bytes ECHO(xdr::CallContext&, const try_bytes& bytes) override { return bytes; }
    Task<try_bytes> WAIT_async(xdr::CallContext&, const try_bytes& bytes) override {
        co_await Park{this};
        co_return bytes;
    }
    Task<try_bytes> URGENT_WAIT_async(xdr::CallContext&, const try_bytes& bytes) override {
        co_await Park{this};
        co_return bytes;
    }
    std::int32_t URGENT_FREE(xdr::CallContext&) override { return let_go(); }
    void SPOIL(xdr::CallContext& call, const std::int32_t& code) override {
        fail_call<void>(call, virt_error(code, VIR_FROM_TEST, "as asked"));
    }
    void NUDGE(xdr::CallContext& call, const std::int32_t& count) override {
        constexpr int kEventsMax = 100;  // keeps fuzzers from spending all their time here
        for (int i = 0; i < std::min(count, kEventsMax); ++i) {
            const std::byte number{static_cast<std::uint8_t>(i)};
            client_of(call).send_event<try_bytes>(kRemoteProgram, Procedure::EVENT,
                                                  &encode_try_bytes, ByteView{&number, 1});
        }
    }
    void DOWN(xdr::CallContext& call, const std::int32_t& size) override { open(call, size); }
    void UP(xdr::CallContext& call) override { open(call, -1); }
    Task<std::int32_t> DESCRIPTORS_async(xdr::CallContext& context) override {
        VirtCall& call = virt_call_of(context);
        call.reply_descriptors = std::move(call.descriptors);
        co_return static_cast<std::int32_t>(call.reply_descriptors.size());
    }
    std::int32_t FREE(xdr::CallContext&) override { return let_go(); }
    void CUT(xdr::CallContext& call) override { client_of(call).disconnect(); }
    void LOGIN(xdr::CallContext& call) override { client_of(call).set_authenticated(); }

 private:
    struct Park {
        ProbeService* service;
        bool await_ready() const { return false; }
        void await_suspend(std::coroutine_handle<> waiter) { service->waiting_.push_back(waiter); }
        void await_resume() const {}
    };
    void open(xdr::CallContext& context, int size) {
        rpc::Call& call = rpc::call_of(context);
        auto handle = client_of(call).open_stream(call, std::make_unique<ProbeEnd>(diary, size));
        if (handle)
            last_stream = *handle;
        else
            fail_call<void>(call, virt_error(VIR_ERR_RPC, VIR_FROM_RPC, "too many"));
    }

    std::vector<std::coroutine_handle<>> waiting_;
};

inline VirnetHeader head(std::uint32_t procedure, std::uint32_t serial = 1,
                         VirnetType type = VirnetType::call,
                         VirnetStatus status = VirnetStatus::ok) {
    return {kRemoteProgram, 1, procedure, type, serial, status};
}
inline Bytes opaque(std::string_view text) {
    Bytes out = xdr::word(static_cast<std::uint32_t>(text.size()));
    xdr::append(out, as_bytes(text));
    out.resize(padded(out.size()));
    return out;
}
inline VirnetHeader ping() {
    return {frame::kKeepaliveProgram, 1, frame::kKeepalivePing,
            VirnetType::message,      0, VirnetStatus::ok};
}

struct Heard {
    VirnetHeader header;
    Bytes payload;

    VirtError error() const {
        HELIO_ASSERT(header.status == VirnetStatus::error);
        return open_error(payload).value();
    }
};

// Splits a server's output.
inline std::vector<Heard> cut_all(Bytes& bytes) {
    std::vector<Heard> out;
    for (;;) {
        const frame::Cut cut = frame::LengthWord::cut(bytes);
        HELIO_ASSERT(cut.kind != frame::CutKind::broken);
        if (cut.kind == frame::CutKind::more) return out;
        const ByteView payload = cut.message.subspan(VirnetHeader::kSize);
        out.push_back(
            {frame::read_virnet_header(cut.message.data()), Bytes(payload.begin(), payload.end())});
        bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(cut.consumed));
    }
}

// A client of the service that also acts as the transport.
class ProbeLine final : public rpc::Session::Owner {
 public:
    ProbeLine(rpc::Worker& worker, const rpc::SessionFactory& session_factory)
        : worker_(worker), session_(session_factory.make_session(worker, *this, local_peer())) {}

    static rpc::Peer local_peer() {
        rpc::Peer peer;
        peer.transport = rpc::Transport::local;
        peer.client.kind = rpc::kClientUnix;
        return peer;
    }

    void feed(ByteView bytes) {
        xdr::append(pending_, bytes);
        resume();
    }
    // Called after calls have ended.
    void resume() {
        for (;;) {
            const rpc::BufferRef buffer = worker_.buffers().take(pending_.size() + 1);
            std::copy(pending_.begin(), pending_.end(), buffer->bytes.get());
            const auto progress = session_->receive(buffer, {buffer->bytes.get(), pending_.size()});
            pending_.erase(pending_.begin(),
                           pending_.begin() + static_cast<std::ptrdiff_t>(progress.consumed));
            broken = broken || progress.broken;
            full = progress.full;
            collect();
            if (broken || !full || !session_->may_run_more()) return;
        }
    }
    void say(const VirnetHeader& header, ByteView payload = {}) {
        feed(frame::make_virnet_message(header, payload));
    }
    // Everything that the server sends until there is no more.
    std::vector<Heard> heard() {
        collect();
        while (session_->has_more_output() && turns_max-- > 0) {
            session_->make_output();
            collect();
        }
        return cut_all(said_);
    }
    // Returns the only answer.
    Heard ask(const VirnetHeader& header, ByteView payload = {}) {
        say(header, payload);
        std::vector<Heard> all = heard();
        HELIO_ASSERT(all.size() == 1);
        return std::move(all.front());
    }
    rpc::ByteSession& session() { return *session_; }
    void go_away() { session_.reset(); }

    void output_ready() override { ++output_ready_calls; }
    std::shared_ptr<rpc::DuplicateCache::Waiter> make_waiter(const rpc::Peer&) override {
        return nullptr;
    }
    void end() override { ended = true; }
    std::shared_ptr<rpc::SessionHandle> make_handle() override { return posted_; }
    // Runs work posted by others.
    void run_posted() {
        for (const auto& work : std::exchange(posted_->work, {}))
            if (session_) work();
    }

    int output_ready_calls = 0;
    int turns_max = 10'000;
    bool ended = false;
    bool broken = false;
    bool full = false;
    std::vector<Fd> descriptors;  // that went with replies

 private:
    void collect() {
        if (!session_->has_output()) return;
        const rpc::BatchRef batch = session_->take_output();
        const std::size_t before = said_.size();
        for (const xdr::Segment& one : batch->writer->segments()) xdr::append(said_, one.bytes());
        HELIO_ASSERT(said_.size() - before == batch->bytes);
        // The bytes of descriptors belong to no message.
        for (auto one = batch->descriptors.rbegin(); one != batch->descriptors.rend(); ++one) {
            const auto at = said_.begin() + static_cast<std::ptrdiff_t>(before + one->offset);
            HELIO_ASSERT(*at == std::byte{0});
            said_.erase(at);
            descriptors.insert(descriptors.begin(), std::move(one->fd));
        }
    }

    struct Posted final : rpc::SessionHandle {
        void post(std::function<void()> one) override { work.push_back(std::move(one)); }
        std::vector<std::function<void()>> work;
    };

    rpc::Worker& worker_;
    std::shared_ptr<Posted> posted_ = std::make_shared<Posted>();
    std::unique_ptr<rpc::ByteSession> session_;
    Bytes pending_;
    Bytes said_;
};

// The server of a test, with one worker.
struct ProbeCore {
    explicit ProbeCore(ServerClientOptions options = {}) : session_factory(std::move(options)) {
        server.add(service);
        worker = std::make_unique<rpc::Worker>(server);
    }
    ProbeService service;
    rpc::Server server;
    SessionFactory session_factory;
    std::unique_ptr<rpc::Worker> worker;
};

}  // namespace helio::virt::server::probe
