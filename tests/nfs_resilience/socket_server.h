// A server of NFS (all versions) and MOUNT on real sockets of 127.0.0.1, over one file system. It
// keeps the replies to calls that it ran (not to retransmissions) for tests.
#pragma once

#include <unistd.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "helio/nfs/server/programs.h"
#include "helio/transport/client/client.h"
#include "helio/transport/loop/offload.h"
#include "helio/transport/server/server.h"

namespace helio::tests {

using Bytes = std::vector<std::byte>;

// For a client with the identity of the user who runs the test.
inline transport::ClientOptions as_oneself() {
    transport::ClientOptions out;
    out.credential = rpc::ClientCredential::sys(geteuid(), getegid(), {}, "test");
    return out;
}

class SocketServer final : rpc::Observer {
 public:
    // `watched`: replies are kept, and so bytes of files are read and not sent from the files.
    SocketServer(std::shared_ptr<vfs::FileSystem> files, unsigned pool_threads, bool watched)
        : pool(pool_threads),
          programs_(exports_, pool, nfs::Version4{recovery_, 7}),
          rpc(options(watched)) {
        nfs::Export all;
        all.path = "/";
        all.source = "test";
        all.rules.squash = nfs::Squash::none;
        all.files = std::move(files);
        HELIO_ASSERT(exports_.set({std::move(all)}).has_value());
        programs_.add_to(rpc);
        sockets_.emplace(rpc, transport::ServerLimits{.threads = 2});
        port = sockets_->listen("127.0.0.1", 0);
        sockets_->start();
    }

    std::string where() const { return "127.0.0.1:" + std::to_string(port); }
    // The group of the export's calls in the pool.
    const void* pool_group() const { return exports_.table()->front().counters.get(); }
    Bytes root() const {
        const auto table = exports_.table();
        const nfs::Handle handle = exports_.seal((*table)[0], (*table)[0].files->root());
        return {handle.view().begin(), handle.view().end()};
    }
    // One for each time a call with this xid was run.
    std::vector<Bytes> replies_to(std::uint32_t xid) {
        const std::lock_guard lock{mutex_};
        return replies_[xid];
    }

    std::uint16_t port = 0;

 private:
    rpc::ServerOptions options(bool watched) {
        rpc::ServerOptions out;
        if (watched) out.observer = this;
        return out;
    }
    void on_call(const rpc::Trace& trace) override {
        Bytes reply;
        for (const xdr::Segment& part : trace.reply) {
            reply.resize(reply.size() + part.size());
            ASSERT_TRUE(part.data.copy_to(reply.data() + reply.size() - part.size()));
        }
        const std::lock_guard lock{mutex_};
        replies_[trace.call.xid].push_back(std::move(reply));
    }

    static constexpr nfs::HandleKey kKey{0x1122334455667788, 0x99aabbccddeeff00};
    std::mutex mutex_;
    std::map<std::uint32_t, std::vector<Bytes>> replies_;
    nfs::Exports exports_{kKey, [](std::string_view) {}};

 public:
    transport::Pool pool;

 private:
    nfs::state::NoRecovery recovery_;
    nfs::Programs programs_;

 public:
    rpc::Server rpc;

 private:
    std::optional<transport::Server> sockets_;  // when the programs have been added
};

}  // namespace helio::tests
