// Results that are pieces of files: from the file to the socket, over every transport, beside calls
// that are not, and when the file is shorter than was promised.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "helio/base/fd.h"
#include "helio/transport/client/client.h"
#include "helio/transport/server/server.h"
#include "rpc_test/probe_service.h"
#include "tests/rpc_sockets/raw_socket.h"

namespace helio::tests::file_payload_test {
namespace {

using rpc_test::probe::PROBE_V2;

using rpc_test::probe::probe_slice;

// SLICE sends a number of bytes of a file, from its second byte on, as a piece of the file if the
// transport can; ECHO is ordinary.
class FileService final : public PROBE_V2::Service {
 public:
    FileService() {
        std::string name = "/tmp/helio-payload-XXXXXX";
        file = std::make_shared<Fd>(mkstemp(name.data()));
        unlink(name.c_str());
        content.resize(3u << 20);
        for (std::size_t i = 0; i < content.size(); ++i)
            content[i] = static_cast<std::byte>(i * 7 + i / 251);
        EXPECT_EQ(write(file->get(), content.data(), content.size()),
                  static_cast<ssize_t>(content.size()));
    }

    probe_slice SLICE(xdr::CallContext& context, const std::uint32_t& size) override {
        rpc::Call& call = rpc::call_of(context);
        const Payload sent = call.file_payload(file->get(), 1, size, file);
        if (!sent.empty()) {
            ++sent_from_file;
            return {sent};
        }
        std::byte* const copy = context.arena().make<std::byte>(size);
        EXPECT_EQ(pread(file->get(), copy, size, 1), static_cast<ssize_t>(size));
        return {ByteView{copy, size}};
    }
    probe_slice SLICE_ONCE(xdr::CallContext& context, const std::uint32_t& size) override {
        return SLICE(context, size);
    }
    ByteView ECHO(xdr::CallContext&, const ByteView& bytes) override { return bytes; }

    std::shared_ptr<Fd> file;
    std::vector<std::byte> content;
    std::atomic<int> sent_from_file = 0;
};

struct FilePayload : testing::Test {
    FilePayload() : server(programs_with(service), {.threads = 1}) {
        port = server.listen("127.0.0.1", 0);
        server.start();
    }
    rpc::Server& programs_with(FileService& one) {
        programs.add(one);
        return programs;
    }
    transport::Client connect(bool udp = false) {
        transport::ClientOptions options;
        options.udp = udp;
        return transport::Client::connect("127.0.0.1:" + std::to_string(port), options);
    }
    void expect_bytes(PROBE_V2::Client& client, std::uint32_t size) {
        const auto got = client.SLICE(size);
        ASSERT_TRUE(got) << rpc::to_text(got.error());
        EXPECT_EQ(got->data, Payload{ByteView{service.content}.subspan(1, size)}) << size;
    }

    FileService service;
    rpc::Server programs;
    transport::Server server;
    std::uint16_t port = 0;
};

TEST_F(FilePayload, ComesWholeOverTcp) {
    transport::Client connection = connect();
    PROBE_V2::Client client{connection};
    // Shorter and longer than the copy limit, and with every padding.
    const std::uint32_t sizes[] = {1,      100,    4'095,  4'096,     32'768,
                                   32'769, 32'770, 32'771, 1'000'001, 3'000'000};
    for (const std::uint32_t size : sizes) expect_bytes(client, size);
    EXPECT_EQ(service.sent_from_file, std::ssize(sizes));
}

TEST_F(FilePayload, IsReadForDatagrams) {
    transport::Client connection = connect(true);
    PROBE_V2::Client client{connection};
    expect_bytes(client, 40'000);
    EXPECT_EQ(service.sent_from_file, 0);
}

// Many on their way at once, so that replies of both kinds share a batch.
Task<int> mixed_replies(transport::ClientConnection& connection, const FileService& service) {
    PROBE_V2::AsyncClient client{connection};
    std::vector<xdr::Call<probe_slice>> slices;
    std::vector<xdr::Call<ByteView>> echoes;
    for (std::uint32_t i = 0; i < 40; ++i) {
        slices.push_back(client.SLICE(33'000 + i * 1000));
        echoes.push_back(client.ECHO(as_bytes(std::string_view("abcdefgh").substr(0, i % 9))));
    }
    int good = 0;
    for (std::uint32_t i = 0; i < 40; ++i) {
        const auto slice = co_await std::move(slices[i]);
        const auto echo = co_await std::move(echoes[i]);
        const ByteView expected = ByteView{service.content}.subspan(1, 33'000 + i * 1000);
        if (slice && echo && (*slice)->data == expected && (*echo)->size() == i % 9) ++good;
    }
    co_return good;
}

TEST_F(FilePayload, KeepsItsPlaceAmongOtherReplies) {
    transport::Client connection = connect();
    EXPECT_EQ(transport::run_until_done(connection.loop(),
                                        mixed_replies(connection.connection(), service)),
              40);
}

TEST_F(FilePayload, AFileThatShrankIsFilledWithZeros) {
    // The size is announced before the file is read.
    ASSERT_EQ(ftruncate(service.file->get(), 50'000), 0);
    transport::Client connection = connect();
    PROBE_V2::Client client{connection};
    const auto got = client.SLICE(100'000);
    ASSERT_TRUE(got) << rpc::to_text(got.error());
    const ByteView data = got->data;
    ASSERT_EQ(data.size(), 100'000u);
    EXPECT_TRUE(xdr::same(data.first(49'999), ByteView{service.content}.subspan(1, 49'999)));
    for (const std::byte one : data.subspan(49'999)) ASSERT_EQ(one, std::byte{0});
    EXPECT_TRUE(client.ECHO(as_bytes("still here")));
}

TEST_F(FilePayload, ADeadPeerCostsNothing) {
    for (int i = 0; i < 20; ++i) {
        transport::Client connection = connect();
        PROBE_V2::AsyncClient client{connection.connection()};
        std::vector<xdr::Call<probe_slice>> under_way;
        for (int j = 0; j < 5; ++j) under_way.push_back(client.SLICE(3'000'000));
        for (int j = 0; j < 3; ++j) connection.loop().turn(std::chrono::milliseconds(10));
    }
    transport::Client connection = connect();
    PROBE_V2::Client client{connection};
    expect_bytes(client, 3'000'000);
    server.stop();
    EXPECT_EQ(service.file.use_count(), 1);  // no reply holds the file any more
}

// A reply that is remembered is bytes: a retransmission gets them although the file has changed.
TEST_F(FilePayload, ARememberedReplyKeepsItsBytes) {
    const auto exchange = [this](std::uint32_t xid) {
        constexpr std::uint32_t kSliceOnce = 18;
        wire::RawStream stream{port};
        stream.send(wire::record(wire::words(
            {xid, 0, 2, PROBE_V2::program, PROBE_V2::version, kSliceOnce, 0, 0, 0, 0, 2'000})));
        return stream.receive();
    };
    const auto first = exchange(77);
    ASSERT_TRUE(first);
    ASSERT_GT(first->size(), 2'000u);
    ASSERT_EQ(ftruncate(service.file->get(), 0), 0);
    EXPECT_EQ(exchange(77), first);
    EXPECT_NE(exchange(78), first);
}

}  // namespace
}  // namespace helio::tests::file_payload_test
