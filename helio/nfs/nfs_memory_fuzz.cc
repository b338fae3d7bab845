// Any calls, one after the other, to NFS and MOUNT over a file system in memory. Whatever they say,
// the server answers with whole messages that fit their transport, gives out handles of its own
// making only, writes lines that a terminal can show, and still serves afterwards.
//
// The input is a list of calls: transport and user, program and version, procedure, a length in
// words, and the arguments. Nobody guesses a handle, so the word 0xfeed00NN stands for handle NN of
// those given out so far as version 3 writes it, 0xfeed01NN as version 2 does.
#include <cstdint>
#include <vector>

#include "helio/base/assert.h"
#include "helio/nfs/server_for_test.h"

using namespace helio;
using namespace helio::nfs;

namespace {

constexpr std::size_t kHandlesMax = 64;
constexpr std::uint32_t kLongForm = 0xfeed0000;
constexpr std::uint32_t kFixedForm = 0xfeed0100;

struct Fuzzed {
    std::shared_ptr<vfs::FileSystem> files = backend::make_memory_fs(tree());
    TestServer server{{TestServer::export_of("/data", files), read_only()}};
    std::vector<Handle> handles{server.root(0), server.root(1)};
    std::uint32_t xid = 0;

    static backend::MemoryOptions tree() {
        backend::MemoryOptions options = TestServer::open_to_all();
        options.bytes_max = 16u << 20;
        options.files_max = 1000;
        options.add_file("a/b/file", "some bytes of a file");
        return options;
    }
    Export read_only() const {
        ExportRules rules;
        rules.read_only = true;
        return TestServer::export_of("/ro", files, rules);
    }

    void put_handle(Bytes& out, std::uint32_t word) const {
        const Handle& handle = handles[(word & 0xff) % handles.size()];
        if ((word & 0xff00) != 0) {
            out.insert(out.end(), handle.bytes.begin(), handle.bytes.end());
            return;
        }
        const std::size_t at = out.size();
        out.resize(at + 4 + padded(handle.size));
        xdr::store_u32(out.data() + at, handle.size);
        std::memcpy(out.data() + at + 4, handle.bytes.data(), handle.size);
    }
    Bytes arguments_from(ByteView bytes) const {
        Bytes out;
        while (bytes.size() >= 4) {
            const std::uint32_t word = xdr::load_u32(bytes.data());
            if ((word & 0xffff'ff00) == kLongForm || (word & 0xffff'ff00) == kFixedForm)
                put_handle(out, word);
            else
                out.insert(out.end(), bytes.begin(), bytes.begin() + 4);
            bytes = bytes.subspan(4);
        }
        out.insert(out.end(), bytes.begin(), bytes.end());
        return out;
    }
    // LOOKUP, CREATE and their kin: a handle right behind the status, or behind the word that one
    // follows.
    void learn(ByteView results) {
        for (const std::size_t at : {std::size_t{4}, std::size_t{8}}) {
            if (handles.size() >= kHandlesMax || results.size() < at + 4) return;
            const std::uint32_t size = xdr::load_u32(results.data() + at);
            if (size < 12 || size > kHandleMax || results.size() < at + 4 + size) continue;
            const auto opened = open_handle(kTestKey, results.subspan(at + 4, size));
            if (!opened) continue;
            Handle handle;
            handle.size = static_cast<std::uint8_t>(size);
            std::memcpy(handle.bytes.data(), results.data() + at + 4, size);
            handles.push_back(handle);
        }
    }

    void call(unsigned who, unsigned which, unsigned procedure, ByteView bytes) {
        struct Version {
            std::uint32_t program, version;
        };
        static constexpr Version versions[] = {{100003, 3}, {100003, 2}, {100005, 3},
                                               {100005, 1}, {100005, 2}, {100003, 3}};
        const Version& version = versions[which % std::size(versions)];
        server.peer.transport = who % 4 == 3 ? rpc::Transport::udp : rpc::Transport::tcp;
        const std::uint32_t uid = who % 8 < 4 ? 1000 : 0;
        xdr::Arena arena;
        xdr::Writer out{arena};
        HELIO_ASSERT(rpc::put_call(out, ++xid, version.program, version.version, procedure % 23,
                                   rpc::ClientCredential::sys(uid, uid, {}, "fuzz")));
        Bytes message = out.joined();
        const Bytes arguments = arguments_from(bytes);
        message.insert(message.end(), arguments.begin(), arguments.end());
        if (server.peer.transport == rpc::Transport::udp && message.size() > rpc::kDatagramBytesMax)
            return;
        const Bytes reply = server.send(message);
        HELIO_ASSERT(!reply.empty());  // nothing here is busy
        if (server.peer.transport == rpc::Transport::udp)
            HELIO_ASSERT(reply.size() <= rpc::kDatagramBytesMax);
        const auto opened = rpc::open_reply(reply, arena);
        HELIO_ASSERT(opened && opened->xid == xid);
        HELIO_ASSERT(!opened->error || opened->error->outcome != xdr::Outcome::garbage_reply);
        HELIO_ASSERT(!opened->error || opened->error->outcome != xdr::Outcome::system_error);
        if (!opened->error) learn(opened->results);
    }

    void check() {
        for (const std::string& line : server.lines)
            for (const char byte : line)
                HELIO_ASSERT(static_cast<unsigned char>(byte) >= 0x20 && byte != 0x7f);
        const auto root = server.v3().GETATTR({{handles[0].view()}});
        HELIO_ASSERT(root && root->has_resok());
    }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Fuzzed fuzzed;
    fuzzed.server.as(1000, 1000);
    while (size >= 4) {
        const std::size_t length = std::min<std::size_t>(data[3] * 4u, size - 4);
        fuzzed.call(data[0], data[1], data[2],
                    {reinterpret_cast<const std::byte*>(data) + 4, length});
        data += 4 + length;
        size -= 4 + length;
    }
    fuzzed.check();
    return 0;
}
