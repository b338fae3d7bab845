// Any sequence of messages to NFS over RDMA: headers and chunk lists of any kind before calls of
// any kind. Each reply must be complete and fit, memory that was not offered must not be touched,
// and the server must still work afterwards.
//
// The input is a list of messages: a byte for what follows the header, a length in words, and the
// header's bytes. They are followed by nothing, or by a valid call.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "helio/base/assert.h"
#include "helio/transport/rdma/server_connection_internal.h"
#include "helio/transport/server/server_thread_internal.h"
#include "testing/nfs/server.h"
#include "testing/transport/idle_link.h"

using namespace helio;
using namespace helio::nfs;
using transport::rdma::IdleLink;
using transport::rdma::Verb;
using transport::rdma::Work;

namespace {

constexpr std::uint32_t kDataSize = 64;

class Conversation final {
 public:
    Conversation() {
        backend::MemoryOptions options = TestServer::open_to_all();
        options.bytes_max = 16u << 20;
        options.add_file("file", std::string(9'000, 'x'));
        std::shared_ptr<vfs::FileSystem> files = backend::make_memory_fs(options);
        vfs::LookupOut found;
        HELIO_ASSERT(files->lookup({}, files->root(), "file", found) == vfs::Status::ok);
        HELIO_ASSERT(exports_.set({TestServer::export_of("/", files)}).has_value());
        programs_.add_to(rpc_);
        thread_.emplace(rpc_, shared_);
        root_ = exports_.seal((*exports_.table())[0], files->root());
        file_ = exports_.seal((*exports_.table())[0], found.id);
        connect();
    }

    void run(ByteView input) {
        while (input.size() >= 2) {
            const auto kind = std::to_integer<unsigned>(input[0]) % 6;
            const std::size_t size =
                std::min<std::size_t>(std::to_integer<unsigned>(input[1]) * 4u, input.size() - 2);
            Bytes message{input.begin() + 2, input.begin() + 2 + static_cast<std::ptrdiff_t>(size)};
            const Bytes call = good_call(kind);
            message.insert(message.end(), call.begin(), call.end());
            message.resize(std::min(message.size(), transport::rdma::kRdmaInlineBytes));
            deliver(message);
            input = input.subspan(2 + size);
        }
        // It still serves.
        const std::uint64_t before = link_->sends;
        Bytes message(28);
        xdr::store_u32(message.data() + 4, 1);
        const Bytes call = good_call(1);
        message.insert(message.end(), call.begin(), call.end());
        deliver(message);
        HELIO_ASSERT(link_->sends == before + 1);
    }

 private:
    void connect() {
        auto link = std::make_unique<IdleLink>(transport::rdma::server_link_limits());
        link_ = link.get();
        link_->watch = [this](const Work& work) { check(work); };
        thread_->add_rdma(std::move(link));
        HELIO_ASSERT(shared_.connections == 1);
        offered_.clear();
    }

    void deliver(const Bytes& message) {
        if (message.empty()) return;
        frame::RdmaHeader header;
        if (frame::read_rdma_header(message, header)) {
            for (const auto& one : header.reads) offered_.push_back({Verb::read, one.target});
            for (const auto& one : header.write_segments) offered_.push_back({Verb::write, one});
            for (const auto& one : header.reply) offered_.push_back({Verb::write, one});
        }
        link_->deliver(message);
        thread_->loop().turn(std::chrono::milliseconds(0));  // connections that closed go
        if (shared_.connections == 0) connect();
    }

    void check(const Work& work) {
        HELIO_ASSERT(work.pieces.size() == 1 && work.pieces[0].size > 0);
        const std::uint64_t size = work.pieces[0].size;
        if (work.verb == Verb::send) {
            frame::RdmaHeader header;
            HELIO_ASSERT(size <= transport::rdma::kRdmaInlineBytes);
            const auto read = frame::read_rdma_header({work.pieces[0].at, size}, header);
            // An answer to another version has that version.
            HELIO_ASSERT(read || read.error().fault == frame::RdmaFault::version);
            return;
        }
        const bool was_offered =
            std::any_of(offered_.begin(), offered_.end(), [&](const Offered& one) {
                return one.verb == work.verb && one.segment.handle == work.remote_key &&
                       work.remote_address >= one.segment.offset &&
                       work.remote_address - one.segment.offset + size <= one.segment.length;
            });
        HELIO_ASSERT(was_offered);
        if (work.verb == Verb::read) std::memset(work.pieces[0].at, 0, size);
    }

    Bytes good_call(unsigned kind) {
        if (kind == 0) return {};
        xdr::Arena arena;
        xdr::Writer out{arena};
        const nfs3::nfs_fh3 file{file_.view()};
        const Bytes data(kDataSize);
        constexpr std::uint32_t kProcedures[] = {0, 1, 6, 7, 16, 17};
        bool good = rpc::put_call(out, ++xid_, nfs3::NFS_V3::program, nfs3::NFS_V3::version,
                                  kProcedures[kind], rpc::ClientCredential::sys(0, 0, {}, "fuzz"));
        if (kind == 1) good = good && nfs3::encode_GETATTR3args(out, {file});
        if (kind == 2) good = good && nfs3::encode_READ3args(out, {file, 0, 9'000});
        if (kind == 3)
            good = good && nfs3::encode_WRITE3args(
                               out, {file, 0, kDataSize, nfs3::UNSTABLE, ByteView{data}});
        if (kind == 4)
            good = good && nfs3::encode_READDIR3args(out, {{root_.view()}, 0, {}, 60'000});
        if (kind == 5)
            good =
                good && nfs3::encode_READDIRPLUS3args(out, {{root_.view()}, 0, {}, 8'000, 60'000});
        HELIO_ASSERT(good);
        Bytes message = out.joined();
        // The data may come in a chunk instead.
        if (kind == 3 && xid_ % 2 == 0) message.resize(message.size() - kDataSize);
        return message;
    }

    struct Offered {
        Verb verb;
        frame::RdmaSegment segment;
    };
    Exports exports_{kTestKey, [](std::string_view) {}};
    Programs programs_{exports_};
    rpc::Server rpc_;
    transport::ServerShared shared_{{.memory_bytes_max = 64u << 20}, transport::Network::kernel()};
    std::optional<transport::ServerThread> thread_;
    Handle root_, file_;
    IdleLink* link_ = nullptr;
    std::vector<Offered> offered_;
    std::uint32_t xid_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Conversation{}.run({reinterpret_cast<const std::byte*>(data), size});
    return 0;
}
