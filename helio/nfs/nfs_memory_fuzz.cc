// Any sequence of calls to NFS and MOUNT over a file system in memory: FuzzedCalls defines the
// input format and the invariants.
#include <cstdint>
#include <memory>

#include "testing/nfs/fuzzed_calls.h"

using namespace helio;
using namespace helio::nfs;

namespace {

backend::MemoryOptions small_tree() {
    backend::MemoryOptions options = TestServer::open_to_all();
    options.bytes_max = 16u << 20;
    options.files_max = 1000;
    options.add_file("a/b/file", "some bytes of a file");
    return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::shared_ptr<vfs::FileSystem> files = backend::make_memory_fs(small_tree());
    ExportRules rules;
    rules.read_only = true;
    const ExportTable table{TestServer::export_of("/data", files),
                            TestServer::export_of("/ro", files, rules)};
    // The file system's id is random, and with it the 24-bit tags of its exports: once in millions
    // of starts they are alike, which is refused.
    if (!Exports{kTestKey, {}}.set(table)) return 0;
    TestServer server{table};
    server.as(1000, 1000);
    FuzzedCalls{server}.run({reinterpret_cast<const std::byte*>(data), size});
    return 0;
}
