// A hand-written RPC-over-RDMA client that sends whatever a test wants, and an NFS server over the
// in-process fabric for it.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "helio/frame/rdma_header.h"
#include "helio/frame/rdma_message.h"
#include "helio/nfs/server/programs.h"
#include "helio/rpc/onc/onc_envelope.h"
#include "helio/transport/loop/offload.h"
#include "helio/transport/rdma/limits.h"
#include "helio/transport/server/server.h"
#include "schema/nfs3_service.h"
#include "testing/patience.h"
#include "testing/transport/rdma/memory_fabric.h"

namespace helio::tests {

using Bytes = std::vector<std::byte>;
using transport::rdma::MemoryFabric;

// RFC 1813's numbers.
inline constexpr std::uint32_t kGetattr = 1;
inline constexpr std::uint32_t kReadlink = 5;
inline constexpr std::uint32_t kRead = 6;
inline constexpr std::uint32_t kWrite = 7;
inline constexpr std::uint32_t kCreate = 8;
inline constexpr std::uint32_t kSymlink = 10;
inline constexpr std::uint32_t kRemove = 12;
inline constexpr std::uint32_t kReaddir = 16;

Bytes pattern(std::size_t size, unsigned seed = 1);
// Consecutive big-endian words.
Bytes words(std::initializer_list<std::uint32_t> list);

// NFS, all versions, over the fabric; one thread.
class RdmaServer final {
 public:
    explicit RdmaServer(std::shared_ptr<vfs::FileSystem> files, bool with_pool = false);
    ~RdmaServer();

    nfs3::nfs_fh3 root() const { return {root_}; }
    std::string log() const;
    // Waits until every connection has ended; then none of the server's registered memory may be
    // lent.
    bool all_given_back();

    MemoryFabric fabric;
    std::optional<transport::Server> server;
    transport::Endpoint where;
    std::uint16_t tcp_port = 0;

 private:
    mutable std::mutex mutex_;
    std::string log_;
    nfs::Exports exports_;
    std::optional<transport::Pool> pool_;
    nfs::state::NoRecovery recovery_;
    std::optional<nfs::Programs> programs_;
    rpc::Server rpc_;
    Bytes root_;
};

class RdmaPeer final : transport::rdma::Link::Owner {
 public:
    struct Options {
        std::optional<frame::RdmaPrivateData> says = frame::RdmaPrivateData{false, 4096, 4096};
        std::uint32_t receives = 80;
        std::chrono::seconds patience = kTestPatience;
    };
    RdmaPeer(transport::rdma::Fabric& fabric, const transport::Endpoint& where, Options options);
    RdmaPeer(transport::rdma::Fabric& fabric, const transport::Endpoint& where)
        : RdmaPeer(fabric, where, Options{}) {}
    ~RdmaPeer() override;

    // Memory that the server may read and write.
    transport::rdma::Block room(std::size_t size);
    static frame::RdmaSegment segment(const transport::rdma::Block& block, std::size_t offset,
                                      std::size_t size);

    void send(const Bytes& bytes);
    // The next message; empty if the link is lost, or nothing comes.
    Bytes receive();
    // True when it ends soon.
    bool ends();
    bool lost() const { return lost_; }

    // A header and what follows it.
    static Bytes message(const frame::RdmaCallHeader& header, const Bytes& inline_bytes);
    // An NFS call with AUTH_SYS; `arguments` writes the procedure's arguments.
    static Bytes call(std::uint32_t xid, std::uint32_t procedure,
                      const std::function<bool(xdr::Writer&)>& arguments,
                      const xdr::VersionInfo& program = nfs3::NFS_V3::info());
    // Sends, receives, and removes the reply's header.
    Bytes exchange(const frame::RdmaCallHeader& header, const Bytes& inline_bytes);
    frame::RdmaHeader replied;  // the header of the last one

 private:
    void on_ready() override;
    void on_connected() override { connected_ = true; }
    void on_completions(std::span<const transport::rdma::Completion> completions) override;
    void on_lost(int error_number, std::string_view why) override;
    void post_receive(std::uint64_t index);
    bool run_until(const std::function<bool()>& done);

    Options options_;
    transport::EventLoop loop_;
    std::unique_ptr<transport::rdma::Link> link_;
    std::shared_ptr<transport::rdma::MemoryPool> memory_;
    transport::rdma::Block receives_;
    std::deque<Bytes> received_;
    int sends_under_way_ = 0;
    bool connected_ = false;
    bool lost_ = false;
};

// Results of a reply's message; `bulk` is what came in write chunks.
template <class T>
T results(const Bytes& message, bool (*decode)(xdr::Reader&, T&), xdr::Arena& arena,
          std::span<const ByteView> bulk = {}) {
    T out{};
    const auto opened = rpc::open_reply(message, arena);
    EXPECT_TRUE(opened && !opened->error) << "a reply of " << message.size() << " bytes";
    if (!opened || opened->error) return out;
    xdr::Reader in{opened->results, arena, xdr::Mode::strict};
    in.take_bulk_from(bulk);
    EXPECT_TRUE(decode(in, out) && in.finish()) << to_string(in.error());
    return out;
}

}  // namespace helio::tests
