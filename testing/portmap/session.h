// A client's channel directly into a session of the server core, without sockets. The test chooses
// caller and transport.
#pragma once

#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "helio/rpc/onc/onc_envelope.h"
#include "helio/rpc/session.h"
#include "helio/xdr/program.h"
#include "helio/xdr/wire.h"

namespace helio::portmap {

// 127.0.0.1 in the form in which peers carry IPv4.
inline std::array<std::byte, 16> ipv4(int a, int b, int c, int d) {
    std::array<std::byte, 16> out{};
    out[10] = out[11] = std::byte{0xff};
    out[12] = static_cast<std::byte>(a);
    out[13] = static_cast<std::byte>(b);
    out[14] = static_cast<std::byte>(c);
    out[15] = static_cast<std::byte>(d);
    return out;
}

inline rpc::Peer remote_peer(rpc::Transport transport) {
    rpc::Peer out;
    out.client = {ipv4(192, 0, 2, 77), rpc::kClientInternet};
    out.port = 801;
    out.transport = transport;
    out.here = ipv4(192, 0, 2, 1);
    return out;
}

inline rpc::Peer loopback_peer(rpc::Transport transport) {
    rpc::Peer out = remote_peer(transport);
    out.client.bytes = out.here = ipv4(127, 0, 0, 1);
    out.local = true;
    return out;
}

inline rpc::Peer unix_peer(std::uint8_t uid) {
    rpc::Peer out;
    out.client.kind = rpc::kClientUnix;
    out.client.bytes[3] = std::byte{uid};
    out.transport = rpc::Transport::local;
    out.local = true;
    return out;
}

class SessionChannel final : public xdr::Channel, rpc::Session::Owner {
 public:
    rpc::Peer peer;                // may be changed between calls
    std::vector<std::byte> reply;  // the last one, as received

    SessionChannel(rpc::Worker& worker, const rpc::Peer& caller) : peer(caller), worker_(worker) {}

    xdr::Writer& begin(const xdr::VersionInfo& version,
                       const xdr::ProcedureInfo& procedure) override {
        arena_.reset();
        xdr::Writer& out = arguments_.emplace(arena_);
        if (!rpc::put_call(out, ++xid_, version.program, version.version, procedure.number, {}))
            error_ = {xdr::Outcome::garbage_arguments, {}, {}, 0};
        return out;
    }
    xdr::Reader* exchange() override {
        reply = send(arguments_->joined());
        if (reply.empty()) return error_ = {xdr::Outcome::silent, {}, {}, 0}, nullptr;
        const auto opened = rpc::open_reply(reply, arena_);
        if (!opened || opened->xid != xid_)
            return error_ = {xdr::Outcome::garbage_reply, {}, {}, 0}, nullptr;
        if (opened->error) return error_ = *opened->error, nullptr;
        return &results_.emplace(opened->results, arena_, xdr::Mode::strict);
    }
    xdr::CallError why() const override { return error_; }

    // Sends a message without record mark; returns the reply's bytes, or none.
    std::vector<std::byte> send(const std::vector<std::byte>& message) {
        const bool stream = peer.transport != rpc::Transport::udp;
        const std::size_t mark = stream ? 4 : 0;
        const rpc::BufferRef buffer = worker_.buffers().take(message.size() + mark);
        std::byte* const at = buffer->bytes.get();
        if (stream) xdr::store_u32(at, 0x80000000u | static_cast<std::uint32_t>(message.size()));
        if (!message.empty()) std::memcpy(at + mark, message.data(), message.size());
        rpc::BatchRef batch;
        if (stream) {
            rpc::StreamSession session{worker_, *this, worker_.server().make_envelope(), peer};
            session.receive(buffer, {at, message.size() + mark});
            batch = session.take_output();
        } else {
            rpc::DatagramSession session{worker_, *this, worker_.server().make_envelope()};
            session.receive(buffer, {at, message.size()}, peer);
            batch = session.take_output();
        }
        if (!batch || batch->bytes == 0) return {};
        auto out = batch->writer->joined();
        out.erase(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(mark));
        return out;
    }

 private:
    void output_ready() override {}
    std::shared_ptr<rpc::DuplicateCache::Waiter> make_waiter(const rpc::Peer&) override {
        return nullptr;
    }

    rpc::Worker& worker_;
    xdr::Arena arena_;
    std::optional<xdr::Writer> arguments_;
    std::optional<xdr::Reader> results_;
    xdr::CallError error_;
    static inline std::uint32_t xid_ = 0;  // shared by all channels, as is the duplicate cache
};

}  // namespace helio::portmap
