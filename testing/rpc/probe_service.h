// Serves the probe program, and connects to it with Lines: sessions with a transport's buffers but
// without a socket. For tests and fuzz targets.
#pragma once

#include <algorithm>
#include <coroutine>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "helio/rpc/onc/onc_envelope.h"
#include "helio/rpc/server/server.h"
#include "helio/rpc/session.h"
#include "rpc_test/probe.h"
#include "rpc_test/probe_service.h"
#include "testing/frame/feeder.h"
#include "testing/xdr/bytes.h"

namespace helio::rpc::probe {

using namespace ::rpc_test::probe;
using xdr::Bytes;

// Coroutines wait here until the test releases them, in any order.
class Gate final {
 public:
    struct Awaiter {
        Gate* gate;
        std::coroutine_handle<> waiter;

        ~Awaiter() { std::erase(gate->waiting_, this); }
        bool await_ready() const { return gate->open; }
        void await_suspend(std::coroutine_handle<> who) {
            waiter = who;
            gate->waiting_.push_back(this);
        }
        void await_resume() const {}
    };
    Awaiter operator co_await() { return {this, {}}; }

    bool open = false;  // calls do not wait
    std::size_t waiting() const { return waiting_.size(); }
    void let_go(std::size_t index) {
        const std::coroutine_handle<> waiter = waiting_.at(index)->waiter;
        waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(index));
        waiter.resume();
    }
    int let_all_go() {
        int count = 0;
        for (; waiting() > 0; ++count) let_go(0);
        return count;
    }

 private:
    std::vector<Awaiter*> waiting_;
};

class Service final : public PROBE_V2::Service {
 public:
    Gate gate;
    int sum = 0;

    void NULL_(xdr::CallContext&) override {}
    std::int32_t ADD(xdr::CallContext&, const probe_pair& pair) override {
        return static_cast<std::int32_t>(static_cast<std::uint32_t>(pair.a) +
                                         static_cast<std::uint32_t>(pair.b));
    }
    probe_bytes ECHO(xdr::CallContext&, const probe_bytes& bytes) override { return bytes; }
    std::int32_t COUNT(xdr::CallContext&, const std::int32_t& step) override {
        return sum = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum) +
                                               static_cast<std::uint32_t>(step));
    }
    Task<probe_bytes> WAIT_async(xdr::CallContext&, const probe_bytes& bytes) override {
        co_await gate;
        co_return bytes;  // in place: the message stays while we wait
    }
    Task<std::int32_t> COUNT_LATER_async(xdr::CallContext& call,
                                         const std::int32_t& step) override {
        co_await gate;
        co_return COUNT(call, step);
    }
    probe_name NAME(xdr::CallContext& call, const std::uint32_t& size) override {
        return name(call, size);
    }
    Task<probe_name> NAME_LATER_async(xdr::CallContext& call, const std::uint32_t& size) override {
        co_await gate;
        co_return name(call, size);
    }
    void THROW(xdr::CallContext&) override { throw std::runtime_error("thrown\nby a procedure"); }
    Task<void> THROW_LATER_async(xdr::CallContext&) override {
        co_await gate;
        throw std::runtime_error("thrown later");
    }
    void REFUSE(xdr::CallContext& call) override { call.set_outcome(xdr::Outcome::refused); }
    void SILENT(xdr::CallContext& call, const probe_bytes&) override {
        call.set_outcome(xdr::Outcome::silent);
    }
    std::int32_t FREE(xdr::CallContext&) override { return gate.let_all_go(); }
    probe_caller WHO(xdr::CallContext& context) override {
        const Credential& who = call_of(context).credential;
        return {who.flavor, who.uid, who.gid, who.gids};
    }
    probe_bytes BLANK(xdr::CallContext& call, const std::uint32_t& size) override {
        auto* const bytes = size > kSizeMax ? nullptr : call.arena().make<std::byte>(size);
        if (bytes == nullptr) return call.end_with<probe_bytes>(xdr::Outcome::system_error);
        std::fill_n(bytes, size, std::byte{0x20});
        return ByteView{bytes, size};
    }

    Task<probe_bytes> BLANK_LATER_async(xdr::CallContext& call,
                                        const std::uint32_t& size) override {
        if (!call_of(call).promise(size)) co_return {};
        co_await gate;
        co_return BLANK(call, size);
    }

 private:
    static constexpr std::uint32_t kSizeMax =
        8u << 20;  // keeps fuzzers from spending all their time here

    static probe_name name(xdr::CallContext& call, std::uint32_t size) {
        auto* const text = size > kSizeMax ? nullptr : call.arena().make<char>(size);
        if (text == nullptr) return call.end_with<probe_name>(xdr::Outcome::system_error);
        std::fill_n(text, size, 'n');
        return std::string_view{text, size};
    }
};

class ServiceV4 final : public PROBE_V4::Service {
    std::int32_t ADD(xdr::CallContext&, const probe_pair&) override { return 4; }
};
class ServiceV5 final : public PROBE_V5::Service {
    std::int32_t PROBE_ADD(xdr::CallContext&, const probe_pair&) override { return 5; }
};

// The server of a test, with one worker.
struct Core {
    explicit Core(ServerOptions options = small()) : server(std::move(options)) {
        server.add(service);
        server.add(service_v4);
        server.add(service_v5);
        worker = std::make_unique<Worker>(server);
    }
    static ServerOptions small() {
        ServerOptions options;
        options.duplicates.entries_max = 64;
        return options;
    }

    Service service;
    ServiceV4 service_v4;
    ServiceV5 service_v5;
    Server server;
    std::unique_ptr<Worker> worker;
};

inline Peer peer_at(std::uint8_t last, Transport transport = Transport::tcp) {
    Peer peer;
    peer.client.kind = kClientInternet;
    peer.client.bytes[10] = peer.client.bytes[11] = std::byte{0xff};
    peer.client.bytes[12] = std::byte{10};
    peer.client.bytes[15] = std::byte{last};
    peer.port = 801;
    peer.transport = transport;
    return peer;
}

// A peer that talks to the server over a session.
class Line : public Session::Owner {
 public:
    virtual void say(ByteView message) = 0;
    // Replies that were ready since the last time, without frames.
    virtual std::vector<Bytes> heard() = 0;
    virtual Session& session() = 0;

    // Retransmissions of calls that still run are answered here.
    struct Waiter final : DuplicateCache::Waiter {
        std::vector<Bytes> answers;
        void answer(const CachedReply& reply) override {
            answers.emplace_back(reply.bytes().begin(), reply.bytes().end());
        }
    };
    std::shared_ptr<Waiter> waiter = std::make_shared<Waiter>();
    int waiters_made = 0;
    int output_ready_calls = 0;

    void output_ready() override { ++output_ready_calls; }
    std::shared_ptr<DuplicateCache::Waiter> make_waiter(const Peer&) override {
        ++waiters_made;
        return waiter;
    }
};

inline Bytes joined(std::span<const xdr::Segment> segments) {
    Bytes out;
    for (const xdr::Segment& one : segments) xdr::append(out, one.bytes());
    return out;
}

// RecordMark × Onc.
class StreamLine final : public Line {
 public:
    explicit StreamLine(Core& core, std::uint8_t client = 7)
        : worker_(*core.worker),
          session_(worker_, *this, core.server.make_envelope(), peer_at(client)) {}

    static Bytes record(ByteView message) {
        Bytes out = xdr::word(0x80000000u | static_cast<std::uint32_t>(message.size()));
        xdr::append(out, message);
        return out;
    }
    void say(ByteView message) override { feed(record(message)); }
    // Feeds bytes; those not consumed are passed again in another buffer.
    void feed(ByteView bytes) {
        xdr::append(pending_, bytes);
        // Respects `wanted`: do not call with fewer bytes.
        while (!broken_ && pending_.size() >= std::max<std::size_t>(wanted_, 1)) {
            const BufferRef buffer = worker_.buffers().take(pending_.size());
            std::copy(pending_.begin(), pending_.end(), buffer->bytes.get());
            const auto progress = session_.receive(buffer, {buffer->bytes.get(), pending_.size()});
            pending_.erase(pending_.begin(),
                           pending_.begin() + static_cast<std::ptrdiff_t>(progress.consumed));
            broken_ = progress.broken;
            wanted_ = progress.wanted;
            if (progress.yields) continue;  // on a slow machine its turn may end at any time
            full_ = progress.full;
            if (full_) HELIO_ASSERT(!pending_.empty());
            if (!full_) break;
            if (!session_.has_output()) break;  // calls must end first
            collect();
        }
    }
    // After calls have ended.
    void resume() { feed({}); }
    std::vector<Bytes> heard() override {
        collect();
        HELIO_ASSERT(replies_.pending() == 0);  // whole records only
        std::vector<Bytes> out{replies_.messages().begin() + static_cast<std::ptrdiff_t>(seen_),
                               replies_.messages().end()};
        seen_ = replies_.messages().size();
        return out;
    }
    StreamSession& session() override { return session_; }
    bool broken() const { return broken_; }
    bool full() const { return full_; }
    std::size_t batches() const { return batches_; }

 private:
    void collect() {
        if (!session_.has_output()) return;
        ++batches_;
        const std::size_t announced = session_.output_bytes();
        const BatchRef batch = session_.take_output();
        const Bytes bytes = joined(batch->writer->segments());
        HELIO_ASSERT(bytes.size() == announced);
        HELIO_ASSERT(replies_.feed(bytes));
    }

    Worker& worker_;
    StreamSession session_;
    Bytes pending_;
    std::size_t wanted_ = 0;
    bool broken_ = false;
    bool full_ = false;
    std::size_t batches_ = 0;
    frame::Feeder replies_{{.record_bytes = 64u << 20}};
    std::size_t seen_ = 0;
};

// Datagram × Onc.
class DatagramLine final : public Line {
 public:
    explicit DatagramLine(Core& core, std::uint8_t client = 7)
        : worker_(*core.worker),
          session_(worker_, *this, core.server.make_envelope()),
          client_(client) {}

    void say(ByteView message) override {
        const BufferRef buffer = worker_.buffers().take(message.size());
        std::copy(message.begin(), message.end(), buffer->bytes.get());
        session_.receive(buffer, {buffer->bytes.get(), message.size()},
                         peer_at(client_, Transport::udp));
    }
    std::vector<Bytes> heard() override {
        std::vector<Bytes> out;
        if (!session_.has_output()) return out;
        const auto datagrams = session_.take_datagrams();
        const BatchRef batch = session_.take_output();
        const Bytes bytes = joined(batch->writer->segments());
        ByteView rest = bytes;
        for (const auto& one : datagrams) {
            HELIO_ASSERT(one.peer.client == peer_at(client_).client && one.size <= rest.size());
            out.emplace_back(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(one.size));
            rest = rest.subspan(one.size);
        }
        HELIO_ASSERT(rest.empty());
        return out;
    }
    DatagramSession& session() override { return session_; }

 private:
    Worker& worker_;
    DatagramSession session_;
    std::uint8_t client_;
};

// ---- Messages, by hand: hexadecimal digits ----

inline std::string word(std::uint32_t value) { return xdr::to_hex(xdr::word(value)); }

inline std::string call(std::uint32_t xid, std::uint32_t procedure,
                        const std::string& arguments = {}, std::uint32_t version = 2,
                        std::uint32_t program = 0x20000200) {
    return word(xid) + "00000000" + "00000002" + word(program) + word(version) + word(procedure) +
           "0000000000000000" + "0000000000000000" + arguments;
}
// An accepted reply: the part after MSG_ACCEPTED and an empty verifier.
inline std::string accepted(std::uint32_t xid, const std::string& status) {
    return word(xid) + "00000001" + "00000000" + "0000000000000000" + status;
}
inline std::string success(std::uint32_t xid, const std::string& results = {}) {
    return accepted(xid, "00000000" + results);
}
inline std::string denied(std::uint32_t xid, const std::string& why) {
    return word(xid) + "00000001" + "00000001" + why;
}
inline const std::string kSystemError = "00000005";

inline std::vector<std::string> texts(const std::vector<Bytes>& messages) {
    std::vector<std::string> out;
    for (const Bytes& one : messages) out.push_back(xdr::to_hex(one));
    return out;
}

}  // namespace helio::rpc::probe
