// Connections over real sockets: what needs a kernel. server_client_test.cc has the rest.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <thread>

#include "helio/transport/server/server.h"
#include "helio/virt/wire/programs.h"
#include "testing/virt/probe_service.h"

namespace helio::virt::server::socket_test {
namespace {

using namespace probe;
using std::chrono::milliseconds;

// A blocking client, with descriptors.
class BlockingPeer final {
 public:
    explicit BlockingPeer(Fd socket) : socket_(std::move(socket)) {
        fcntl(socket_.get(), F_SETFL, fcntl(socket_.get(), F_GETFL) & ~O_NONBLOCK);
        const timeval patience{20, 0};
        setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    }

    void send(ByteView bytes) {
        while (!bytes.empty()) {
            const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
            ASSERT_GT(sent, 0);
            bytes = bytes.subspan(static_cast<std::size_t>(sent));
        }
    }
    void send_descriptor(int fd) {
        std::byte zero{0};
        iovec bytes{&zero, 1};
        alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof fd)> control{};
        msghdr message{};
        message.msg_iov = &bytes;
        message.msg_iovlen = 1;
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        cmsghdr* const first = CMSG_FIRSTHDR(&message);
        first->cmsg_level = SOL_SOCKET;
        first->cmsg_type = SCM_RIGHTS;
        first->cmsg_len = CMSG_LEN(sizeof fd);
        std::memcpy(CMSG_DATA(first), &fd, sizeof fd);
        ASSERT_EQ(sendmsg(socket_.get(), &message, MSG_NOSIGNAL), 1);
    }
    // Receives exactly `size` bytes; false if the server closed first.
    bool receive(std::byte* at, std::size_t size) {
        while (size > 0) {
            const ssize_t got = recv(socket_.get(), at, size, 0);
            EXPECT_FALSE(got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) << "no answer";
            if (got <= 0) return false;
            at += got;
            size -= static_cast<std::size_t>(got);
        }
        return true;
    }
    std::optional<Heard> hear() {
        std::array<std::byte, 4> word;
        if (!receive(word.data(), word.size())) return std::nullopt;
        const std::size_t length = xdr::load_u32(word.data());
        Bytes message(length - word.size());
        if (!receive(message.data(), message.size())) return std::nullopt;
        return Heard{frame::read_virnet_header(message.data()),
                     Bytes(message.begin() + VirnetHeader::kSize, message.end())};
    }
    Fd hear_descriptor() {
        std::byte zero{1};
        iovec bytes{&zero, 1};
        alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof(int))> control{};
        msghdr message{};
        message.msg_iov = &bytes;
        message.msg_iovlen = 1;
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        if (recvmsg(socket_.get(), &message, MSG_CMSG_CLOEXEC) != 1 || zero != std::byte{0})
            return {};
        const cmsghdr* const first = CMSG_FIRSTHDR(&message);
        if (first == nullptr || first->cmsg_type != SCM_RIGHTS) return {};
        int fd = -1;
        std::memcpy(&fd, CMSG_DATA(first), sizeof fd);
        return Fd{fd};
    }
    void say(const VirnetHeader& header, ByteView payload = {}) {
        send(frame::make_virnet_message(header, payload));
    }
    Heard ask(const VirnetHeader& header, ByteView payload = {}) {
        say(header, payload);
        auto heard = hear();
        EXPECT_TRUE(heard);
        return heard.value_or(Heard{});
    }
    void hang_up() { socket_.reset(); }

 private:
    Fd socket_;
};

transport::ServerLimits one_thread() {
    transport::ServerLimits limits;
    limits.threads = 1;  // so that a test's connections share the service without a lock
    return limits;
}

struct SocketTest : testing::Test {
    explicit SocketTest(ServerClientOptions options = {},
                        transport::ServerLimits limits = one_thread())
        : session_factory(std::move(options)), server(programs(), limits) {
        server.start();
    }
    ~SocketTest() override { server.stop(milliseconds(0)); }
    rpc::Server& programs() {
        core.add(service);
        return core;
    }
    BlockingPeer connect() { return BlockingPeer{server.connect_in_process(&session_factory)}; }
    BlockingPeer opened() {
        BlockingPeer peer = connect();
        EXPECT_EQ(peer.ask(head(Procedure::OPEN)).header.status, VirnetStatus::ok);
        return peer;
    }

    ProbeService service;
    rpc::Server core;
    SessionFactory session_factory;
    transport::Server server;
};

TEST_F(SocketTest, PingsAreAnsweredWhileCallsWait) {
    BlockingPeer peer = opened(), other = opened();
    for (std::uint32_t serial = 2; serial < 10; ++serial)
        peer.say(head(Procedure::WAIT, serial), opaque("w"));
    EXPECT_EQ(peer.ask(ping()).header.procedure, frame::kKeepalivePong);
    EXPECT_EQ(xdr::to_hex(other.ask(head(Procedure::FREE)).payload), "00000005");
    for (std::uint32_t serial = 2; serial < 7; ++serial)
        EXPECT_EQ(peer.hear()->header.serial, serial);
    EXPECT_EQ(peer.ask(ping()).header.procedure, frame::kKeepalivePong);
    EXPECT_EQ(xdr::to_hex(other.ask(head(Procedure::FREE)).payload), "00000003");
    for (std::uint32_t serial = 7; serial < 10; ++serial)
        EXPECT_EQ(peer.hear()->header.serial, serial);
}

// Beyond the queue nothing is read, and nothing is lost.
TEST_F(SocketTest, ManyPipelinedCallsAllEnd) {
    BlockingPeer peer = opened(), other = opened();
    constexpr std::uint32_t kCalls = 200;
    Bytes all;
    for (std::uint32_t serial = 2; serial < kCalls + 2; ++serial)
        xdr::append(all, frame::make_virnet_message(head(Procedure::WAIT, serial), opaque("w")));
    peer.send(all);
    std::uint32_t freed = 0;
    while (freed < kCalls) freed += xdr::load_u32(other.ask(head(Procedure::FREE)).payload.data());
    for (std::uint32_t serial = 2; serial < kCalls + 2; ++serial)
        EXPECT_EQ(peer.hear()->header.serial, serial);
}

TEST_F(SocketTest, DescriptorsTravelBothWays) {
    BlockingPeer peer = opened();
    int pipe_ends[2];
    ASSERT_EQ(pipe2(pipe_ends, O_CLOEXEC), 0);
    const Fd read_end{pipe_ends[0]};
    {
        const Fd write_end{pipe_ends[1]};
        Bytes calls = frame::make_virnet_message(head(Procedure::ECHO, 2), opaque("before"));
        xdr::append(calls,
                    frame::make_virnet_message(
                        head(Procedure::DESCRIPTORS, 3, VirnetType::call_with_fds), xdr::word(2)));
        peer.send(calls);
        peer.send_descriptor(write_end.get());
        peer.send_descriptor(read_end.get());
        peer.say(head(Procedure::ECHO, 4), opaque("behind"));
    }
    EXPECT_EQ(peer.hear()->payload, opaque("before"));
    const auto reply = peer.hear();
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->header.type, VirnetType::reply_with_fds);
    EXPECT_EQ(xdr::to_hex(reply->payload), "0000000200000002");
    const Fd write_end = peer.hear_descriptor();
    const Fd second = peer.hear_descriptor();
    ASSERT_TRUE(write_end && second);
    EXPECT_EQ(peer.hear()->payload, opaque("behind"));
    ASSERT_EQ(write(write_end.get(), "!", 1), 1);
    char got = 0;
    ASSERT_EQ(read(read_end.get(), &got, 1), 1);
    EXPECT_EQ(got, '!');
}

TEST_F(SocketTest, CallsAreAnsweredInTheMiddleOfAStream) {
    BlockingPeer peer = opened();
    constexpr std::size_t kSize = 16u << 20;
    peer.say(head(Procedure::DOWN, 2), xdr::word(kSize));
    EXPECT_EQ(peer.hear()->header.type, VirnetType::reply);
    std::size_t sum = 0, sum_at_echo = 0;
    for (bool ended = false; !ended || sum_at_echo == 0;) {
        const auto heard = peer.hear();
        ASSERT_TRUE(heard);
        if (heard->header.type == VirnetType::reply) {
            sum_at_echo = sum;
            continue;
        }
        if (sum == 0) peer.say(head(Procedure::ECHO, 3), opaque("now"));
        sum += heard->payload.size();
        ended = heard->payload.empty();
    }
    EXPECT_EQ(sum, kSize);
    EXPECT_LT(sum_at_echo, kSize);
    EXPECT_EQ(peer.ask(head(Procedure::DOWN, 2, VirnetType::stream)).header.status,
              VirnetStatus::ok);
}

TEST_F(SocketTest, CloseIsAnsweredAndThenTheEnd) {
    BlockingPeer peer = opened();
    EXPECT_EQ(peer.ask(head(Procedure::CLOSE, 9)).header.serial, 9u);
    EXPECT_FALSE(peer.hear());
}

// Without the reply, even for waiting calls.
TEST_F(SocketTest, ACutIsAtOnce) {
    BlockingPeer peer = opened();
    peer.say(head(Procedure::WAIT, 2), opaque("w"));
    peer.say(head(Procedure::CUT, 3));
    EXPECT_FALSE(peer.hear());
    EXPECT_EQ(xdr::to_hex(opened().ask(head(Procedure::FREE)).payload), "00000001");
}

TEST_F(SocketTest, ABadLengthIsTheEndWithoutAWord) {
    BlockingPeer peer = opened();
    peer.send(xdr::word(27));
    EXPECT_FALSE(peer.hear());
    EXPECT_EQ(opened().ask(head(Procedure::ECHO), opaque("x")).payload, opaque("x"));
}

struct WatchedSockets : SocketTest {
    static ServerClientOptions watched() {
        ServerClientOptions options;
        options.on_begin = [](ServerClient& one) {
            const std::lock_guard lock{mutex};
            newest = one.shared_from_this();
        };
        options.keepalive_interval = milliseconds(40);
        options.keepalive_count = 2;
        return options;
    }
    static transport::ServerLimits impatient() {
        transport::ServerLimits limits = one_thread();
        limits.idle_timeout = milliseconds(60);
        return limits;
    }
    WatchedSockets() : SocketTest(watched(), impatient()) {}
    ~WatchedSockets() override { take(); }
    static std::shared_ptr<ServerClient> take() {
        const std::lock_guard lock{mutex};
        return std::exchange(newest, nullptr);
    }

    static inline std::mutex mutex;
    static inline std::shared_ptr<ServerClient> newest;
};

TEST_F(WatchedSockets, EventsComeFromAnyThread) {
    BlockingPeer peer = opened();
    const auto connection = take();
    std::thread([&] {
        connection->post([](ServerClient& one) {
            one.send_event<try_bytes>(kRemoteProgram, Procedure::EVENT, &encode_try_bytes,
                                      as_bytes("event"));
        });
    }).join();
    const auto heard = peer.hear();
    ASSERT_TRUE(heard);
    EXPECT_EQ(heard->header, head(Procedure::EVENT, 1, VirnetType::message));
    EXPECT_EQ(heard->payload, opaque("event"));
    // After it has gone, work for it is dropped.
    peer.hang_up();
    while (server.counters().connections > 0) std::this_thread::sleep_for(milliseconds(1));
    connection->post([](ServerClient&) { ADD_FAILURE() << "nobody is there"; });
}

TEST_F(WatchedSockets, WhoAnswersNoPingIsCutOff) {
    BlockingPeer peer = opened();
    take()->post([](ServerClient& one) { one.start_keepalive(); });
    EXPECT_EQ(peer.hear()->header, ping());
    EXPECT_EQ(peer.hear()->header, ping());
    EXPECT_FALSE(peer.hear());
}

TEST_F(WatchedSockets, SilenceAloneIsNoReason) {
    BlockingPeer peer = opened();
    std::this_thread::sleep_for(milliseconds(200));  // three times the idle limit of others
    EXPECT_EQ(peer.ask(head(Procedure::ECHO), opaque("x")).payload, opaque("x"));
}

// libvirtd's two sockets.
TEST(UnixSockets, SayWhatTheirClientsMay) {
    std::string folder = std::filesystem::temp_directory_path() / "helio-virt-XXXXXX";
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    ProbeService service;
    rpc::Server programs;
    programs.add(service);
    const SessionFactory full{{}}, watching{{.read_only = true}};
    {
        transport::Server server{programs, one_thread()};
        server.listen_unix(folder + "/sock", &full);
        server.listen_unix(folder + "/sock-ro", &watching);
        const auto tcp = server.listen_tcp("127.0.0.1", 0, &full);
        server.start();
        const auto code = [](const transport::Endpoint& where) {
            Fd socket{::socket(where.family(), SOCK_STREAM | SOCK_CLOEXEC, 0)};
            EXPECT_EQ(::connect(socket.get(), where.address(), where.size()), 0);
            BlockingPeer peer{std::move(socket)};
            peer.ask(head(Procedure::OPEN));
            const Heard reply = peer.ask(head(Procedure::CREATE));
            return reply.header.status == VirnetStatus::ok ? 0 : reply.error().code;
        };
        EXPECT_EQ(code(transport::Endpoint::unix_path(folder + "/sock")), 0);
        EXPECT_EQ(code(transport::Endpoint::unix_path(folder + "/sock-ro")), 29);
        EXPECT_EQ(code(tcp.front()), 0);
    }
    EXPECT_EQ(service.creates, 2);
    std::filesystem::remove_all(folder);
}

// One worker for clients on two threads: they wait for each other, and some disconnect meanwhile.
// No wake-up and no worker is lost.
struct BusySockets : SocketTest {
    static ServerClientOptions with(Workers& shared_workers, ClientList& shared_clients) {
        ServerClientOptions options;
        options.workers = &shared_workers;
        options.clients = &shared_clients;
        return options;
    }
    static transport::ServerLimits two_threads() {
        transport::ServerLimits limits;
        limits.threads = 2;
        return limits;
    }
    BusySockets() : SocketTest(with(workers, clients), two_threads()) {}
    static inline Workers workers{1, 1};
    static inline ClientList clients;
};

TEST_F(BusySockets, ClientsOfSeveralThreadsShareAWorker) {
    constexpr std::uint32_t kCalls = 300;
    std::vector<std::thread> threads;
    for (int client = 0; client < 4; ++client)
        threads.emplace_back([&, client] {
            BlockingPeer peer = opened();
            for (std::uint32_t i = 0; i < kCalls; ++i) {
                peer.say(head(Procedure::ECHO, 2 + i), opaque("some bytes"));
                if (client == 0 && i % 50 == 0) peer = opened();  // the old one disconnects
                if (client == 0 || i % 10 != 9) continue;
                for (int answer = 0; answer < 10; ++answer) EXPECT_TRUE(peer.hear());
            }
        });
    for (std::thread& one : threads) one.join();
    // The last of them may still be closing.
    for (int turn = 0; turn < 1000 && clients.figures().clients > 0; ++turn)
        std::this_thread::sleep_for(milliseconds(5));
    EXPECT_EQ(clients.figures().clients, 0u);
    EXPECT_EQ(workers.figures().busy_low, 0u);
    BlockingPeer peer = opened();
    EXPECT_EQ(peer.ask(head(Procedure::ECHO, 2), opaque("x")).payload, opaque("x"));
}

}  // namespace
}  // namespace helio::virt::server::socket_test
