#include "tests/nfs_over_rdma/rdma_peer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "helio/rpc/onc/onc_envelope.h"
#include "helio/xdr/wire.h"

namespace helio::tests {

using namespace std::chrono_literals;
using transport::rdma::Block;
using transport::rdma::Completion;
using transport::rdma::Piece;
using transport::rdma::Purpose;
using transport::rdma::Verb;
using transport::rdma::Work;

namespace {
constexpr std::size_t kReceiveSize = 4096;
constexpr nfs::HandleKey kKey{0x1122334455667788, 0x99aabbccddeeff00};
}  // namespace

Bytes pattern(std::size_t size, unsigned seed) {
    Bytes out(size);
    for (std::size_t i = 0; i < size; ++i)
        out[i] = static_cast<std::byte>(i * 7 + i / 251 + seed * 31);
    return out;
}

Bytes words(std::initializer_list<std::uint32_t> list) {
    Bytes out(list.size() * 4);
    std::size_t at = 0;
    for (const std::uint32_t word : list)
        xdr::store_u32(out.data() + std::exchange(at, at + 4), word);
    return out;
}

RdmaServer::RdmaServer(std::shared_ptr<vfs::FileSystem> files, bool with_pool)
    : exports_(kKey, [](std::string_view) {}), rpc_([this] {
          rpc::ServerOptions options;
          options.log = [this](std::string_view line) {
              const std::lock_guard lock{mutex_};
              log_ += std::string{line} + "\n";
          };
          return options;
      }()) {
    nfs::Export all;
    all.path = "/";
    all.source = "test";
    all.rules.squash = nfs::Squash::none;
    all.files = std::move(files);
    HELIO_ASSERT(exports_.set({std::move(all)}).has_value());
    const nfs::Version4 version4{recovery_, 7};
    if (with_pool)
        programs_.emplace(exports_, pool_.emplace(2u), version4);
    else
        programs_.emplace(exports_, version4);
    programs_->add_to(rpc_);
    server.emplace(rpc_, transport::ServerLimits{.threads = 1});
    tcp_port = server->listen_tcp("127.0.0.1", 0).front().port();
    where = server->listen_rdma(fabric, "127.0.0.1", 0).front();
    server->start();
    const auto table = exports_.table();
    const nfs::Handle handle = exports_.seal((*table)[0], (*table)[0].files->root());
    root_.assign(handle.view().begin(), handle.view().end());
}

RdmaServer::~RdmaServer() { server.reset(); }

std::string RdmaServer::log() const {
    const std::lock_guard lock{mutex_};
    return log_;
}

bool RdmaServer::all_given_back() {
    const auto& memory = fabric.memory(MemoryFabric::Side::answering);
    const auto end = transport::EventLoop::Clock::now() + kTestPatience;
    while (server->counters().connections != 0 || memory->blocks_lent() != 0) {
        if (transport::EventLoop::Clock::now() > end) return false;
        std::this_thread::sleep_for(2ms);
    }
    return true;
}

RdmaPeer::RdmaPeer(transport::rdma::Fabric& fabric, const transport::Endpoint& where,
                   Options options)
    : options_(std::move(options)) {
    link_ = fabric.connect(where, {options_.receives, 64}, loop_, *this);
    EXPECT_TRUE(run_until([this] { return connected_ || lost_; }));
    EXPECT_TRUE(connected_);
}

RdmaPeer::~RdmaPeer() { link_.reset(); }

bool RdmaPeer::run_until(const std::function<bool()>& done) {
    const auto end = transport::EventLoop::Clock::now() + options_.patience;
    while (!done()) {
        if (transport::EventLoop::Clock::now() > end) return false;
        loop_.turn(20ms);
    }
    return true;
}

void RdmaPeer::on_ready() {
    memory_ = link_->memory();
    receives_ = memory_->take(options_.receives * kReceiveSize);
    for (std::uint32_t i = 0; i < options_.receives; ++i) post_receive(i);
    std::array<std::byte, frame::kRdmaPrivateDataSize> words{};
    if (options_.says) frame::write_rdma_private_data(*options_.says, words);
    link_->establish(options_.says ? ByteView{words} : ByteView{});
}

void RdmaPeer::post_receive(std::uint64_t index) {
    EXPECT_TRUE(link_->post_receive(
        index, {receives_.data() + index * kReceiveSize, kReceiveSize, receives_.local_key()}));
}

void RdmaPeer::on_completions(std::span<const Completion> completions) {
    for (const Completion& one : completions) {
        if (!one.ok) continue;
        if (one.verb == Verb::send) --sends_under_way_;
        if (one.verb != Verb::receive) continue;
        const std::byte* const at = receives_.data() + one.id * kReceiveSize;
        received_.emplace_back(at, at + one.bytes);
        post_receive(one.id);
    }
}

void RdmaPeer::on_lost(int, std::string_view) {
    lost_ = true;
    link_.reset();
}

Block RdmaPeer::room(std::size_t size) { return memory_->take(size, Purpose::shared); }

frame::RdmaSegment RdmaPeer::segment(const Block& block, std::size_t offset, std::size_t size) {
    return {block.remote_key(), static_cast<std::uint32_t>(size),
            reinterpret_cast<std::uintptr_t>(block.data()) + offset};
}

void RdmaPeer::send(const Bytes& bytes) {
    if (lost_) return;
    const Block block = link_->memory()->take(std::max<std::size_t>(bytes.size(), 4));
    std::memcpy(block.data(), bytes.data(), bytes.size());
    const Piece piece{block.data(), static_cast<std::uint32_t>(bytes.size()), block.local_key()};
    Work work;
    work.pieces = std::span{&piece, 1};
    ++sends_under_way_;
    EXPECT_TRUE(link_->post(std::span{&work, 1}));
    EXPECT_TRUE(run_until([this] { return sends_under_way_ == 0 || lost_; }));
}

Bytes RdmaPeer::receive() {
    run_until([this] { return !received_.empty() || lost_; });
    if (received_.empty()) return {};
    Bytes out = std::move(received_.front());
    received_.pop_front();
    return out;
}

bool RdmaPeer::ends() {
    return run_until([this] { return lost_; });
}

Bytes RdmaPeer::message(const frame::RdmaCallHeader& header, const Bytes& inline_bytes) {
    Bytes out(kReceiveSize);
    const std::size_t size = frame::write_rdma_call_header(header, out);
    out.resize(size);
    out.insert(out.end(), inline_bytes.begin(), inline_bytes.end());
    return out;
}

Bytes RdmaPeer::call(std::uint32_t xid, std::uint32_t procedure,
                     const std::function<bool(xdr::Writer&)>& arguments,
                     const xdr::VersionInfo& program) {
    xdr::Arena arena;
    xdr::Writer out{arena};
    const auto who = rpc::ClientCredential::sys(geteuid(), getegid(), {}, "test");
    EXPECT_TRUE(rpc::put_call(out, xid, program.program, program.version, procedure, who));
    EXPECT_TRUE(!arguments || arguments(out));
    return out.joined();
}

Bytes RdmaPeer::exchange(const frame::RdmaCallHeader& header, const Bytes& inline_bytes) {
    send(message(header, inline_bytes));
    Bytes bytes = receive();
    replied = {};
    if (bytes.empty()) return {};
    const auto read = frame::read_rdma_header(bytes, replied);
    EXPECT_TRUE(read.has_value()) << to_text(read.error());
    bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(replied.size));
    return bytes;
}

}  // namespace helio::tests
