// A test with both of our own ends, on the fabric inside the process: a server of files in memory
// that everybody may change, and a client. At the end, both must have given back all the memory
// that they lent to their devices.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "helio/backend/memory/memory_fs.h"
#include "helio/transport/client/client.h"
#include "tests/nfs_over_rdma/rdma_peer.h"

namespace helio::tests {

class OwnClientTest : public testing::Test {
 protected:
    using Side = MemoryFabric::Side;

    OwnClientTest() {
        backend::MemoryOptions files;
        files.root_mode = 0777;
        server.emplace(backend::make_memory_fs(files));
        transport::ClientOptions options;
        options.credential = credential;
        options.fabric = {std::shared_ptr<void>{}, &server->fabric};  // not its owner
        client.emplace(std::vector<transport::Endpoint>{server->where}, options);
    }
    ~OwnClientTest() override {
        client.reset();
        EXPECT_EQ(server->fabric.memory(Side::asking)->blocks_lent(), 0u);
        EXPECT_TRUE(server->all_given_back());
    }

    const rpc::ClientCredential credential = rpc::ClientCredential::sys(0, 0, {}, "test");
    std::optional<RdmaServer> server;
    std::optional<transport::Client> client;
};

}  // namespace helio::tests
