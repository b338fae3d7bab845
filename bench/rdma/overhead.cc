// The transport's cost per call for a server, TCP compared with RDMA: one connection on one thread,
// over a device that does nothing. For callgrind, which counts instructions in the process and not
// in the kernel or a device: calls are given to the connection directly, and replies are discarded.
//
//     rdma_overhead tcp|rdma null|getattr|read|write CALLS
//
// READ and WRITE are of 1 MiB, of a file on tmpfs or wherever $TMPDIR is.
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "helio/backend/posix/posix_fs.h"
#include "helio/frame/rdma_message.h"
#include "helio/nfs/server/programs.h"
#include "helio/rpc/onc/onc_envelope.h"
#include "helio/transport/rdma/server_connection_internal.h"
#include "helio/transport/server/server_thread_internal.h"
#include "helio/xdr/wire.h"
#include "schema/nfs3_service.h"
#include "testing/transport/idle_link.h"

namespace {

using namespace helio;
using transport::rdma::IdleLink;
using Bytes = std::vector<std::byte>;

constexpr std::uint32_t kSize = 1u << 20;
constexpr std::size_t kMemory = 256u << 20;  // more than one call ever needs

void insist(bool good, const char* what) {
    if (good) return;
    std::fprintf(stderr, "rdma_overhead: %s\n", what);
    std::exit(1);
}

class Bench final {
 public:
    Bench() : shared_({.memory_bytes_max = kMemory}, transport::Network::kernel()) {
        directory_ = std::string{std::getenv("TMPDIR") ? std::getenv("TMPDIR") : "/tmp"} +
                     "/helio-overhead-XXXXXX";
        insist(mkdtemp(directory_.data()) != nullptr, "no temporary directory");
        const int file = open((directory_ + "/file").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
        insist(ftruncate(file, kSize) == 0 && close(file) == 0, "no file");
        backend::PosixOptions options;
        options.directory = directory_;
        nfs::Export all;
        all.path = "/";
        all.rules.squash = nfs::Squash::none;
        all.files = backend::make_posix_fs(options);
        files_ = all.files;
        insist(exports_.set({std::move(all)}).has_value(), "no export");
        programs_.add_to(rpc_);
        thread_.emplace(rpc_, shared_);
        vfs::LookupOut found;
        vfs::Caller caller;
        caller.may_block = true;
        insist(files_->lookup(caller, files_->root(), "file", found) == vfs::Status::ok, "lookup");
        const auto table = exports_.table();
        const nfs::Handle handle = exports_.seal((*table)[0], found.id);
        handle_.assign(handle.view().begin(), handle.view().end());
    }
    ~Bench() {
        unlink((directory_ + "/file").c_str());
        rmdir(directory_.c_str());
    }

    void rdma(const std::string& what, int calls) {
        auto owned = std::make_unique<IdleLink>(transport::rdma::server_link_limits());
        IdleLink& link = *owned;
        thread_->add_rdma(std::move(owned));
        // The client's offer, in memory that nothing touches.
        const frame::RdmaSegment segment{7, kSize, 0x10000};
        Bytes call = message(what);
        frame::RdmaCallHeader header{.xid = 1, .credits = 32};
        frame::RdmaReadSegment read;
        if (what == "read") header.write = std::span{&segment, 1};
        if (what == "write") {
            call.resize(call.size() - kSize);
            read = {static_cast<std::uint32_t>(call.size()), segment};
            header.reads = std::span{&read, 1};
        }
        Bytes whole(4096);
        whole.resize(frame::write_rdma_call_header(header, whole));
        whole.insert(whole.end(), call.begin(), call.end());
        for (int i = 0; i < calls; ++i) {
            xdr::store_u32(whole.data(), static_cast<std::uint32_t>(i));
            link.deliver({whole.data(), whole.size()});
            // A turn for each call, as over TCP; its end gives back what the call was read into.
            thread_->loop().turn(std::chrono::milliseconds(0));
        }
        insist(link.sends == static_cast<std::uint64_t>(calls), "a call without a reply");
    }

    void tcp(const std::string& what, int calls) {
        int pair[2];
        insist(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) == 0, "no sockets");
        rpc::Peer peer;
        peer.client.kind = rpc::kClientInternet;
        thread_->add_connection(Fd{pair[1]}, peer, nullptr);
        const Bytes call = message(what);
        Bytes record(4);
        xdr::store_u32(record.data(), 0x80000000u | static_cast<std::uint32_t>(call.size()));
        record.insert(record.end(), call.begin(), call.end());
        Bytes room(kSize + 4096);
        for (int i = 0; i < calls; ++i) {
            std::size_t sent = 0, got = 0, wanted = 4;
            while (got < wanted) {
                const ssize_t wrote = send(pair[0], record.data() + sent, record.size() - sent, 0);
                if (wrote > 0) sent += static_cast<std::size_t>(wrote);
                thread_->loop().turn(std::chrono::milliseconds(0));
                const ssize_t read = recv(pair[0], room.data() + got, room.size() - got, 0);
                if (read > 0) got += static_cast<std::size_t>(read);
                if (got >= 4) wanted = 4 + (xdr::load_u32(room.data()) & 0x7fffffff);
            }
        }
        close(pair[0]);
    }

 private:
    Bytes message(const std::string& what) {
        xdr::Arena arena;
        xdr::Writer out{arena};
        const nfs3::nfs_fh3 file{handle_};
        const Bytes data(kSize);
        const auto who = rpc::ClientCredential::sys(geteuid(), getegid(), {}, "bench");
        const std::uint32_t procedure = what == "null"      ? 0
                                        : what == "getattr" ? 1
                                        : what == "read"    ? 6
                                                            : 7;
        bool good =
            rpc::put_call(out, 1, nfs3::NFS_V3::program, nfs3::NFS_V3::version, procedure, who);
        if (what == "getattr") good = good && nfs3::encode_GETATTR3args(out, {file});
        if (what == "read") good = good && nfs3::encode_READ3args(out, {file, 0, kSize});
        if (what == "write")
            good = good &&
                   nfs3::encode_WRITE3args(out, {file, 0, kSize, nfs3::UNSTABLE, ByteView{data}});
        insist(good, "the call does not encode");
        return out.joined();
    }

    static constexpr nfs::HandleKey kKey{1, 2};
    std::string directory_;
    nfs::Exports exports_{kKey, [](std::string_view) {}};
    nfs::Programs programs_{exports_};
    rpc::Server rpc_;
    transport::ServerShared shared_;
    std::shared_ptr<vfs::FileSystem> files_;
    std::optional<transport::ServerThread> thread_;
    Bytes handle_;
};

}  // namespace

int main(int count, char** words) {
    insist(count == 4, "say tcp|rdma null|getattr|read|write CALLS");
    Bench bench;
    const int calls = std::atoi(words[3]);
    if (std::string{words[1]} == "tcp")
        bench.tcp(words[2], calls);
    else
        bench.rdma(words[2], calls);
    return 0;
}
