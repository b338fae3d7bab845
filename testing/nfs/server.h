// A server of NFS and MOUNT without sockets, over file systems in memory. The test chooses the
// caller, its address and its credential.
#pragma once

#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "helio/backend/memory/memory_fs.h"
#include "helio/nfs/server/programs.h"
#include "helio/rpc/onc/onc_envelope.h"
#include "helio/rpc/session.h"
#include "helio/xdr/wire.h"
#include "schema/mount_service.h"
#include "schema/nfs2_service.h"
#include "schema/nfs3_service.h"
#include "schema/nfs4_service.h"
#include "testing/nfs/allowed_statuses.h"
#include "testing/nfs/compounds.h"

namespace helio::nfs {

using Bytes = std::vector<std::byte>;

inline rpc::Peer peer_at(int a, int b, int c, int d,
                         rpc::Transport transport = rpc::Transport::tcp) {
    rpc::Peer out;
    out.client.kind = rpc::kClientInternet;
    out.client.bytes[10] = out.client.bytes[11] = std::byte{0xff};
    const int parts[] = {a, b, c, d};
    for (std::size_t i = 0; i < 4; ++i) out.client.bytes[12 + i] = static_cast<std::byte>(parts[i]);
    out.port = 801;
    out.transport = transport;
    return out;
}

inline constexpr HandleKey kTestKey{0x0123456789abcdef, 0xfedcba9876543210};

class TestServer final : public xdr::Channel, rpc::Session::Owner, rpc::Observer {
 public:
    // May be changed between calls.
    rpc::Peer peer = peer_at(10, 0, 0, 7);
    rpc::ClientCredential credential = rpc::ClientCredential::sys(1000, 1000, {}, "test");
    Bytes arguments;                 // of the last call, with its header
    Bytes reply;                     // the last one, as received
    std::vector<std::string> lines;  // of the log

    explicit TestServer(ExportTable table = {}) : TestServer(std::move(table), std::nullopt) {}
    // Without `version4`, nothing outlives the server, and time passes as usual.
    TestServer(ExportTable table, const std::optional<Version4>& version4)
        : programs(exports, version4.value_or(Version4{recovery, 7})) {
        if (table.empty()) table.push_back(export_of("/", backend::make_memory_fs(open_to_all())));
        const auto set = exports.set(std::move(table));
        HELIO_ASSERT(set.has_value());
        programs.add_to(server);
        worker.emplace(server);
    }

    static backend::MemoryOptions open_to_all() {
        backend::MemoryOptions options;
        options.root_mode = 0777;
        return options;
    }
    static Export export_of(std::string path, std::shared_ptr<vfs::FileSystem> files,
                            ExportRules rules = {}) {
        Export out;
        out.path = std::move(path);
        out.source = "memory:";
        out.rules = std::move(rules);
        out.files = std::move(files);
        return out;
    }
    void as(std::uint32_t uid, std::uint32_t gid, const std::vector<std::uint32_t>& gids = {}) {
        credential = rpc::ClientCredential::sys(uid, gid, gids, "test");
    }

    nfs3::NFS_V3::Client v3() { return nfs3::NFS_V3::Client{*this}; }
    nfs4::NFS_V4::Client v4() { return nfs4::NFS_V4::Client{*this}; }
    nfs2::NFS_VERSION::Client v2() { return nfs2::NFS_VERSION::Client{*this}; }
    mount::MOUNT_V3::Client mount3() { return mount::MOUNT_V3::Client{*this}; }
    // The root of an export.
    Handle root(std::size_t number = 0) const {
        const auto table = exports.table();
        return exports.seal((*table)[number], (*table)[number].files->root());
    }

    // Sends a message without record mark; returns the reply's bytes, or none.
    Bytes send(const Bytes& message) {
        const bool stream = peer.transport != rpc::Transport::udp;
        const std::size_t mark = stream ? 4 : 0;
        const rpc::BufferRef buffer = worker->buffers().take(message.size() + mark);
        std::byte* const at = buffer->bytes.get();
        if (stream) xdr::store_u32(at, 0x80000000u | static_cast<std::uint32_t>(message.size()));
        if (!message.empty()) std::memcpy(at + mark, message.data(), message.size());
        rpc::BatchRef batch;
        if (stream) {
            rpc::StreamSession session{*worker, *this, server.make_envelope(), peer};
            session.receive(buffer, {at, message.size() + mark});
            batch = session.take_output();
        } else {
            rpc::DatagramSession session{*worker, *this, server.make_envelope()};
            session.receive(buffer, {at, message.size()}, peer);
            batch = session.take_output();
        }
        if (!batch || batch->bytes == 0) return {};
        Bytes out = batch->writer->joined();
        out.erase(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(mark));
        observe(message, out);
        return out;
    }

    // ---- xdr::Channel ----
    xdr::Writer& begin(const xdr::VersionInfo& version,
                       const xdr::ProcedureInfo& procedure) override {
        arena_.reset();
        xdr::Writer& out = writer_.emplace(arena_);
        HELIO_ASSERT(rpc::put_call(out, ++xid_, version.program, version.version, procedure.number,
                                   credential));
        return out;
    }
    xdr::Reader* exchange() override {
        arguments = writer_->joined();
        reply = send(arguments);
        if (reply.empty()) return error_ = {xdr::Outcome::silent, {}, {}, 0}, nullptr;
        const auto opened = rpc::open_reply(reply, arena_);
        if (!opened || opened->xid != xid_)
            return error_ = {xdr::Outcome::garbage_reply, {}, {}, 0}, nullptr;
        if (opened->error) return error_ = *opened->error, nullptr;
        return &results_.emplace(opened->results, arena_, xdr::Mode::strict);
    }
    xdr::CallError why() const override { return error_; }

    state::NoRecovery recovery;
    Exports exports{kTestKey, [this](std::string_view line) { lines.emplace_back(line); }};
    Programs programs;
    rpc::Server server{options()};
    std::optional<rpc::Worker> worker;

 private:
    rpc::ServerOptions options() {
        rpc::ServerOptions out;
        out.duplicates.entries_max = 64;  // made anew in each test: small is fast
        out.observer = this;
        return out;
    }
    // Every status of version 4 has to be one that the operation may return.
    static void observe(const Bytes& message, const Bytes& answer) {
        const bool compound = message.size() >= 24 &&
                              xdr::load_u32(message.data() + 12) == nfs4::NFS_V4::program &&
                              xdr::load_u32(message.data() + 16) == nfs4::NFS_V4::version &&
                              xdr::load_u32(message.data() + 20) == 1;
        if (!compound) return;
        const CompoundReply decoded{answer};
        if (decoded.outcome() != xdr::Outcome::success) return;
        const std::string wrong = disallowed_status(decoded.results());
        if (!wrong.empty()) std::fprintf(stderr, "%s (RFC 8881 §15.2)\n", wrong.c_str());
        HELIO_ASSERT(wrong.empty());
    }
    void output_ready() override {}
    std::shared_ptr<rpc::DuplicateCache::Waiter> make_waiter(const rpc::Peer&) override {
        return nullptr;
    }
    void on_call(const rpc::Trace&) override {}

    xdr::Arena arena_;
    std::optional<xdr::Writer> writer_;
    std::optional<xdr::Reader> results_;
    xdr::CallError error_;
    std::uint32_t xid_ = 0;
};

}  // namespace helio::nfs
