// A server without sockets, with a clock that the test sets, and recovery records in memory. When
// it restarts, only those remain.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "testing/nfs/server.h"
#include "tests/nfs_model/driver.h"

namespace helio::tests::model {

class Records final : public nfs::state::Recovery {
 public:
    std::vector<std::string> recorded() override { return {owners.begin(), owners.end()}; }
    bool add(std::string_view owner) override { return owners.emplace(owner), true; }
    void remove(std::string_view owner) override { owners.erase(std::string{owner}); }
    std::set<std::string> owners;
};

// "0", "1", …: files that everybody may read and write.
inline backend::MemoryOptions model_files() {
    backend::MemoryOptions options = nfs::TestServer::open_to_all();
    for (unsigned i = 0; i < kFiles; ++i) options.add_file(std::to_string(i), "some bytes");
    return options;
}

class DirectSubject final : public Subject {
 public:
    DirectSubject() { restart(); }

    Bytes call(unsigned connection, const Bytes& message) override {
        server_->peer = nfs::peer_at(10, 0, 0, 1 + static_cast<int>(connection));
        return server_->send(message);
    }
    Bytes handle(unsigned file) override {
        server_->as(0, 0);
        const auto root = server_->root();
        auto nfs = server_->v3();
        const auto found = nfs.LOOKUP({{{root.view()}, std::to_string(file)}});
        HELIO_ASSERT(found && found->has_resok());
        const ByteView handle = found->resok().object.data;
        return {handle.begin(), handle.end()};
    }
    bool set_time(Seconds to) override {
        now_ = to;
        return true;
    }
    bool restart() override {
        server_.reset();
        nfs::ExportRules rules;
        rules.squash = nfs::Squash::none;
        nfs::ExportTable table;
        table.push_back(
            nfs::TestServer::export_of("/", backend::make_memory_fs(model_files()), rules));
        server_ = std::make_unique<nfs::TestServer>(
            std::move(table), nfs::Version4{records_, 7, [this] { return now_; }});
        // Everybody may write to them.
        server_->as(0, 0);
        for (unsigned i = 0; i < kFiles; ++i) {
            nfs3::sattr3 mode;
            mode.mode = 0666;
            const Bytes file = handle(i);
            const auto done = server_->v3().SETATTR({{file}, mode, {}});
            HELIO_ASSERT(done && done->status() == nfs3::NFS3_OK);
        }
        return true;
    }
    std::optional<std::set<std::string>> records() override { return records_.owners; }

 private:
    Seconds now_{};
    Records records_;
    std::unique_ptr<nfs::TestServer> server_;
};

}  // namespace helio::tests::model
