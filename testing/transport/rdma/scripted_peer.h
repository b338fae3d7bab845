// A scripted server: accepts RPC-over-RDMA connections on a MemoryFabric, keeps the calls that
// arrive, and answers as the test directs, correctly or not. Runs on the client's own event loop.
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>

#include <chrono>
#include <cstring>
#include <deque>
#include <functional>
#include <initializer_list>
#include <memory>
#include <numeric>
#include <vector>

#include "helio/frame/rdma_header.h"
#include "helio/frame/rdma_message.h"
#include "helio/transport/client/client.h"
#include "helio/transport/rdma/limits.h"
#include "helio/xdr/wire.h"
#include "testing/transport/rdma/memory_fabric.h"

namespace helio::transport::rdma {

using Bytes = std::vector<std::byte>;

inline Bytes words(std::initializer_list<std::uint32_t> list) {
    Bytes out(list.size() * 4);
    std::byte* at = out.data();
    for (const std::uint32_t word : list) xdr::store_u32(at, word), at += 4;
    return out;
}
inline Bytes operator+(Bytes a, const Bytes& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}
inline Bytes some_bytes(std::size_t size, std::uint8_t first = 1) {
    Bytes out(size);
    for (std::byte& one : out) one = std::byte{first++};
    return out;
}
inline Bytes copy_of(ByteView bytes) { return {bytes.begin(), bytes.end()}; }

// A call as received.
struct SeenCall {
    frame::RdmaHeader header;
    Bytes message;  // what followed the header
    std::uint32_t xid() const { return header.xid; }
};

class ScriptedPeer final : Link::Owner {
 public:
    static constexpr std::uint32_t kReceives = 128;  // more than any honest client needs

    ScriptedPeer(EventLoop& loop, MemoryFabric& fabric) : loop_(loop), fabric_(fabric) {
        sockaddr_in any{};
        any.sin_family = AF_INET;
        any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        listener_ = fabric.listen({reinterpret_cast<const sockaddr*>(&any), sizeof any},
                                  {.receives = kReceives, .works = 512},
                                  [this](std::unique_ptr<Link> link) { arrive(std::move(link)); });
    }

    Endpoint where() const { return listener_->where(); }
    const Bytes& heard_privately() const { return heard_privately_; }
    std::size_t connections() const { return connections_; }
    bool connected() const { return link_ != nullptr; }
    void hang_up() { link_.reset(); }

    // Turns the loop until `done`; fails after a timeout.
    bool wait(const std::function<bool()>& done) {
        using namespace std::chrono_literals;
        const auto end = std::chrono::steady_clock::now() + 5s;
        while (!done()) {
            loop_.turn(2ms);
            if (std::chrono::steady_clock::now() < end) continue;
            ADD_FAILURE() << "waited in vain";
            return false;
        }
        return true;
    }
    SeenCall next_call() {
        if (!wait([this] { return !calls.empty(); })) return {};
        SeenCall out = std::move(calls.front());
        calls.pop_front();
        return out;
    }
    // Turns the loop until nothing more happens.
    void settle() {
        for (int i = 0; i < 8; ++i) loop_.turn(std::chrono::milliseconds(0));
    }

    Bytes read(const frame::RdmaSegment& from) {
        Block block = link_->memory()->take(from.length);
        carry_out(Verb::read, {block.data(), from.length, block.local_key()}, from);
        return copy_of({block.data(), from.length});
    }
    void write(ByteView bytes, const frame::RdmaSegment& to) {
        Block block = link_->memory()->take(bytes.size());
        std::memcpy(block.data(), bytes.data(), bytes.size());
        carry_out(Verb::write,
                  {block.data(), static_cast<std::uint32_t>(bytes.size()), block.local_key()}, to);
    }
    void send(const Bytes& bytes) {
        Block block = link_->memory()->take(std::max<std::size_t>(bytes.size(), 1));
        std::memcpy(block.data(), bytes.data(), bytes.size());
        carry_out(Verb::send,
                  {block.data(), static_cast<std::uint32_t>(bytes.size()), block.local_key()}, {});
    }

    // RFC 5531: accepted, and these results.
    static Bytes reply(std::uint32_t xid, const Bytes& results) {
        return words({xid, 1, 0, 0, 0, 0}) + results;
    }
    // An inline reply without chunks.
    void answer(std::uint32_t xid, const Bytes& results, std::uint32_t credits = kRdmaCredits) {
        send(words({xid, 1, credits, 0, 0, 0, 0}) + reply(xid, results));
    }
    static Bytes segment(const frame::RdmaSegment& one) {
        return words({one.handle, one.length, static_cast<std::uint32_t>(one.offset >> 32),
                      static_cast<std::uint32_t>(one.offset)});
    }

    std::deque<SeenCall> calls;
    Bytes private_data = [] {
        Bytes out(frame::kRdmaPrivateDataSize);
        frame::write_rdma_private_data(
            {false, kRdmaInlineBytes, kRdmaInlineBytes},
            std::span<std::byte, frame::kRdmaPrivateDataSize>{out.data(), out.size()});
        return out;
    }();

 private:
    void arrive(std::unique_ptr<Link> link) {
        link_ = std::move(link);
        ++connections_;
        under_way_ = 0;
        link_->attach(loop_, *this);
        heard_privately_ = copy_of(link_->private_data());
        room_ = link_->memory()->take(kReceives * kRdmaInlineBytes);
        for (std::uint32_t i = 0; i < kReceives; ++i) post_receive(i);
        link_->establish(private_data);
    }
    void post_receive(std::uint64_t index) {
        static_cast<void>(link_->post_receive(
            index, {room_.data() + index * kRdmaInlineBytes, kRdmaInlineBytes, room_.local_key()}));
    }
    void on_ready() override {}
    void on_connected() override {}
    void on_completions(std::span<const Completion> completions) override {
        for (const Completion& one : completions) {
            if (one.verb != Verb::receive) --under_way_;
            if (one.verb != Verb::receive || !one.ok) continue;
            const ByteView bytes{room_.data() + one.id * kRdmaInlineBytes, one.bytes};
            SeenCall call;
            EXPECT_TRUE(frame::read_rdma_header(bytes, call.header));
            call.message = copy_of(bytes.subspan(call.header.size));
            calls.push_back(std::move(call));
            post_receive(one.id);
        }
    }
    void on_lost(int, std::string_view) override {
        link_.reset();
        under_way_ = 0;
    }
    void carry_out(Verb verb, const Piece& piece, const frame::RdmaSegment& remote) {
        ASSERT_NE(link_, nullptr);
        Work work;
        work.verb = verb;
        work.pieces = {&piece, 1};
        work.remote_key = remote.handle;
        work.remote_address = remote.offset;
        ++under_way_;
        EXPECT_TRUE(link_->post({&work, 1}));
        wait([this] { return under_way_ == 0; });
    }

    EventLoop& loop_;
    MemoryFabric& fabric_;
    Block room_;
    std::unique_ptr<Listener> listener_;
    std::unique_ptr<Link> link_;
    Bytes heard_privately_;
    std::size_t connections_ = 0;
    int under_way_ = 0;
};

// A client, and the peer it is connected to.
class WithScriptedPeer : public testing::Test {
 protected:
    static constexpr std::uint32_t kBound = 8u << 20;

    ClientConnection& connection() {
        if (!connection_) {
            options.fabric = fabric;
            connection_.emplace(loop, std::vector<Endpoint>{peer.where()}, options);
        }
        return *connection_;
    }
    // A call with arguments that are encoded already.
    xdr::AsyncCall::Owner begin(const Bytes& arguments = {}, bool idempotent = false) {
        auto call = connection().begin(77, 1, 5, idempotent);
        EXPECT_TRUE(call->arguments().append(arguments));
        call->send();
        return call;
    }
    // A call of a procedure that the schema describes; not sent yet.
    xdr::AsyncCall::Owner begin_described(bool idempotent, bool bulk_results,
                                          std::uint32_t results_max) {
        xdr::ProcedureInfo info;
        info.number = 6;
        info.idempotent = idempotent;
        info.bulk_results = bulk_results;
        info.results_max = results_max;
        return connection().begin(kVersion, info);
    }
    // A word, then data marked @bulk, then a word.
    xdr::AsyncCall::Owner begin_with_bulk(ByteView data, bool idempotent = false) {
        auto call = begin_described(idempotent, false, 8);
        put_bulk(call->arguments(), data);
        call->send();
        return call;
    }
    static void put_bulk(xdr::Writer& out, ByteView data) {
        ASSERT_TRUE(out.append(words({11})) && out.ready(4));
        ASSERT_TRUE((out.end(out.bulk<kBound, 0>(out.at(), data))));
        ASSERT_TRUE(out.append(words({12})));
    }
    // A call whose results have bulk data.
    xdr::AsyncCall::Owner begin_reading(std::uint32_t results_max = 16) {
        auto call = begin_described(true, true, results_max);
        call->send();
        return call;
    }
    bool finish(const xdr::AsyncCall::Owner& call) {
        return peer.wait([&] { return call->finished(); });
    }
    Bytes results(const xdr::AsyncCall::Owner& call) {
        if (!finish(call) || call->results() == nullptr) {
            ADD_FAILURE() << "no results: outcome " << static_cast<int>(call->why().outcome);
            return {};
        }
        return copy_of(call->results()->rest());
    }
    // The first answer brings credits.
    void say_hello() {
        const auto call = begin();
        peer.answer(peer.next_call().xid(), {});
        ASSERT_TRUE(finish(call));
        ASSERT_NE(call->results(), nullptr);
    }
    std::size_t blocks_lent() { return fabric->memory(MemoryFabric::Side::asking)->blocks_lent(); }

    static constexpr xdr::VersionInfo kVersion{77, 1, "TEST", "V1", {}};
    EventLoop loop;
    std::shared_ptr<MemoryFabric> fabric = std::make_shared<MemoryFabric>();
    ScriptedPeer peer{loop, *fabric};
    ClientOptions options;

 private:
    std::optional<ClientConnection> connection_;
};

}  // namespace helio::transport::rdma
