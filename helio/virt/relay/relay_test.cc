// The relay on real sockets: a hand-written daemon, clients through socketpairs.
#include "helio/virt/relay/relay.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "helio/transport/socket/descriptors.h"
#include "helio/virt/relay/audit.h"
#include "helio/virt/wire/programs.h"
#include "testing/patience.h"
#include "testing/virt/relay.h"

namespace helio::virt::relay::relay_test {

using namespace helio::virt::relay::testing;

namespace {

class Folder final {
 public:
    Folder() : path_(mkdtemp(pattern_)) {}
    ~Folder() { std::filesystem::remove_all(path_); }
    std::string at(const char* name) const { return path_ + "/" + name; }

 private:
    char pattern_[32] = "/tmp/helio-relay-XXXXXX";
    std::string path_;
};

struct Report final : RelayObserver {
    void on_connect(const RelayClient&) override { ++connected; }
    void on_message(const RelayClient&, RelaySide, ByteView) override {}
    void on_call_end(const RelayClient&, const CallRecord& call) override { calls.push_back(call); }
    void on_disconnect(const RelayClient&, std::string_view why) override {
        ends.emplace_back(why);
    }
    int connected = 0;
    std::vector<CallRecord> calls;
    std::vector<std::string> ends;
};

// A daemon's listening socket, a relay, and the loop that test and relay share.
class RelayTest : public ::testing::Test {
 protected:
    explicit RelayTest(std::initializer_list<std::string_view> rules = {})
        : policy_(std::move(*try_policy(rules))) {
        const auto where = transport::Endpoint::unix_path(folder_.at("daemon"));
        door_ = Fd{socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
        EXPECT_EQ(bind(door_.get(), where.address(), where.size()), 0);
        EXPECT_EQ(::listen(door_.get(), 8), 0);
        options_.daemons = {where};
        options_.linger = std::chrono::milliseconds(50);
    }
    void start() { relay_.emplace(loop_, *policy_, report_, options_); }
    Fd client() {
        int ends[2];
        EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
        relay_->adopt(Fd{ends[0]}, "test", true);
        return Fd{ends[1]};
    }
    Fd accepted() {
        turn();
        return Fd{accept4(door_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
    }
    void turn() {
        for (int i = 0; i < 4; ++i) loop_.turn(std::chrono::milliseconds(0));
    }
    template <class Done>
    void turn_until(Done done) {
        for (int i = 0; i < 2000 && !done(); ++i) loop_.turn(std::chrono::milliseconds(1));
        EXPECT_TRUE(done());
    }
    static void say(const Fd& to, const Bytes& bytes) {
        EXPECT_EQ(send(to.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(bytes.size()));
    }
    // Everything received so far, complete messages or not.
    Bytes hear(const Fd& from, bool* over = nullptr) {
        turn();
        Bytes out;
        std::byte piece[65536];
        ssize_t got = 0;
        while ((got = recv(from.get(), piece, sizeof piece, MSG_DONTWAIT)) > 0) {
            out.insert(out.end(), piece, piece + got);
            turn();
        }
        if (over != nullptr) *over = got == 0;
        return out;
    }

    void open_host(const Fd& client, const Fd& daemon) {
        say(client, call(kConnectOpen, 1));
        EXPECT_EQ(hear(daemon), call(kConnectOpen, 1));
        say(daemon, reply(kConnectOpen, 1));
        EXPECT_EQ(hear(client), reply(kConnectOpen, 1));
    }

    Folder folder_;
    transport::EventLoop loop_;
    std::unique_ptr<Policy> policy_;
    Report report_;
    RelayOptions options_;
    Fd door_;
    std::optional<Relay> relay_;
};

TEST_F(RelayTest, EachClientHasAConnectionOfItsOwn) {
    start();
    const Fd one = client(), two = client();
    const Fd daemon_one = accepted(), daemon_two = accepted();
    ASSERT_TRUE(daemon_one && daemon_two);
    say(one, call(kNodeGetInfo, 1));
    say(two, call(kAuthList, 2));
    EXPECT_EQ(hear(daemon_one), call(kNodeGetInfo, 1));
    EXPECT_EQ(hear(daemon_two), call(kAuthList, 2));
    say(daemon_two, reply(kAuthList, 2));
    EXPECT_EQ(hear(two), reply(kAuthList, 2));
    // A bad message ends its pair and no other.
    say(one, words({1}));
    bool over = false;
    hear(one, &over);
    EXPECT_TRUE(over);
    hear(daemon_one, &over);
    EXPECT_TRUE(over);
    EXPECT_EQ(relay_->clients(), 1u);
    say(two, ping());
    EXPECT_EQ(hear(daemon_two), ping());
    ASSERT_EQ(report_.ends.size(), 1u);
    EXPECT_TRUE(report_.ends[0].starts_with("the client sent "));
    relay_.reset();
    EXPECT_EQ(report_.ends.back(), "the relay stopped");
    ASSERT_EQ(report_.calls.size(), 2u);
    EXPECT_EQ(report_.calls[1].end, CallRecord::End::none);
}

TEST_F(RelayTest, TheLastWordsArriveBeforeTheEnd) {
    start();
    const Fd one = client();
    const Fd daemon = accepted();
    say(one, call(kNodeGetInfo, 1));
    EXPECT_EQ(hear(daemon).size(), 28u);
    const Bytes last = reply(kNodeGetInfo, 1, Bytes(100'000, std::byte{7}));
    say(daemon, last);
    shutdown(daemon.get(), SHUT_RDWR);
    bool over = false;
    EXPECT_EQ(hear(one, &over), last);
    EXPECT_TRUE(over);
    Fd two = client();
    const Fd again = accepted();
    say(two, call(kNodeGetInfo, 5));
    two.reset();
    EXPECT_EQ(hear(again, &over), call(kNodeGetInfo, 5));
    EXPECT_TRUE(over);
    EXPECT_EQ(relay_->clients(), 0u);
}

// A client that does not read blocks its daemon, and then its own calls are not read either.
TEST_F(RelayTest, WhoDoesNotReadIsNotWrittenFor) {
    start();
    const Fd slow = client();
    const Fd daemon = accepted();
    const Bytes event = frame::make_virnet_message(head(318, 1, VirnetType::message),
                                                   Bytes(256u << 10, std::byte{1}));
    std::size_t sent = 0, want = 0;
    Bytes all;
    while (all.size() < (32u << 20)) all.insert(all.end(), event.begin(), event.end());
    want = all.size();
    for (int quiet = 0; quiet < 3;) {
        const ssize_t went =
            send(daemon.get(), all.data() + sent, want - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (went > 0) sent += static_cast<std::size_t>(went);
        quiet = went > 0 ? 0 : quiet + 1;
        turn();
    }
    EXPECT_LT(sent, 6u << 20);
    EXPECT_GT(sent, 1u << 20);
    // It reads again and receives everything.
    Bytes heard;
    for (int i = 0; i < 20'000 && heard.size() < want; ++i) {
        const Bytes more = hear(slow);
        heard.insert(heard.end(), more.begin(), more.end());
        if (sent == want) continue;
        const ssize_t went =
            send(daemon.get(), all.data() + sent, want - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (went > 0) sent += static_cast<std::size_t>(went);
    }
    EXPECT_EQ(heard, all);
}

TEST_F(RelayTest, ADaemonThatDoesNotReadStopsItsClient) {
    start();
    const Fd fast = client();
    const Fd daemon = accepted();
    const Bytes packet =
        frame::make_virnet_message(head(208, 5, VirnetType::stream, VirnetStatus::more),
                                   Bytes(frame::kStreamPacketMax, std::byte{1}));
    std::size_t sent = 0;
    for (int quiet = 0; quiet < 3 && sent < (32u << 20);) {
        const std::size_t at = sent % packet.size();
        const ssize_t went =
            send(fast.get(), packet.data() + at, packet.size() - at, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (went > 0) sent += static_cast<std::size_t>(went);
        quiet = went > 0 ? 0 : quiet + 1;
        turn();
    }
    EXPECT_LT(sent, 6u << 20);
    // The daemon's messages still pass.
    say(daemon, ping());
    EXPECT_EQ(hear(fast), ping());
    std::size_t heard = 0;
    for (int i = 0; i < 1000 && heard < sent; ++i) heard += hear(daemon).size();
    EXPECT_EQ(heard, sent / packet.size() * packet.size());  // nothing of an incomplete packet
}

TEST_F(RelayTest, DescriptorsGoThrough) {
    start();
    const Fd one = client();
    const Fd daemon = accepted();
    say(one,
        frame::make_virnet_message(head(kNodeGetInfo, 1, VirnetType::call_with_fds), words({2})));
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    const Fd write_end{ends[1]}, null{open("/dev/null", O_RDONLY | O_CLOEXEC)};
    for (const Fd* const fd : {&write_end, &null})
        ASSERT_EQ(transport::send_descriptor(transport::Network::kernel(), one.get(), fd->get()),
                  1);
    turn();
    std::vector<Fd> came;
    Bytes bytes(1000);
    std::size_t size = 0;
    ssize_t got = 0;
    while ((got = transport::receive_with_descriptors(transport::Network::kernel(), daemon.get(),
                                                      std::span{bytes}.subspan(size), MSG_DONTWAIT,
                                                      came)) > 0)
        size += static_cast<std::size_t>(got);
    EXPECT_EQ(size, 28u + 4 + 2);
    ASSERT_EQ(came.size(), 2u);
    EXPECT_EQ(write(came[0].get(), "x", 1), 1);
    char read_back = 0;
    EXPECT_EQ(read(ends[0], &read_back, 1), 1);
    EXPECT_EQ(read_back, 'x');
    close(ends[0]);
}

TEST_F(RelayTest, WithoutADaemonTheFirstCallIsTold) {
    options_.daemons = {transport::Endpoint::unix_path(folder_.at("nobody"))};
    start();
    const Fd one = client();
    say(one, call(kAuthList, 1));
    bool over = false;
    const auto told = messages_of(hear(one, &over));
    EXPECT_TRUE(over);
    ASSERT_EQ(told.size(), 1u);
    const auto error = virt::open_error(told[0].payload);
    EXPECT_NE(error->message.find("cannot reach its daemon at unix:"), std::string::npos);
    ASSERT_EQ(report_.calls.size(), 1u);
    EXPECT_FALSE(report_.calls[0].allowed);
    EXPECT_EQ(report_.ends.size(), 1u);
    // The next in the list is used.
    options_.daemons.push_back(transport::Endpoint::unix_path(folder_.at("daemon")));
    start();
    const Fd two = client();
    EXPECT_TRUE(accepted());
}

// Buffered bytes survive the connection that they came from.
TEST_F(RelayTest, RepliesThatWaitedOutliveTheDaemon) {
    options_.linger = kTestPatience;
    start();
    const Fd slow = client();
    Fd daemon = accepted();
    say(slow, call(kNodeGetInfo, 1));  // the daemon does not read it: its end will be a reset
    const Bytes event = frame::make_virnet_message(head(318, 1, VirnetType::message),
                                                   Bytes(16u << 10, std::byte{1}));
    Bytes said;
    // Until the relay stops reading and the socket is full.
    for (int quiet = 0; quiet < 3;) {
        const std::size_t at = said.size() % event.size();
        const ssize_t went =
            send(daemon.get(), event.data() + at, event.size() - at, MSG_NOSIGNAL | MSG_DONTWAIT);
        quiet = went > 0 ? 0 : quiet + 1;
        for (ssize_t i = 0; i < went; ++i) said.push_back(event[at + static_cast<std::size_t>(i)]);
        turn();
    }
    daemon.reset();
    Bytes heard;
    bool over = false;
    for (int i = 0; i < 20'000 && !over; ++i) {
        const Bytes more = hear(slow, &over);
        heard.insert(heard.end(), more.begin(), more.end());
    }
    said.resize(said.size() / event.size() * event.size());  // whole messages
    EXPECT_EQ(heard, said);
    EXPECT_TRUE(over);
    EXPECT_EQ(report_.ends.back(), "the daemon closed the connection");
}

// A waiting call is still judged after its client has disconnected.
TEST_F(RelayTest, ACallThatWaitedOutlivesItsClient) {
    policy_ = std::move(*try_policy({"deny *:domain=prod"}));
    start();
    Fd one = client();
    const Fd daemon = accepted();
    say(one, call(kDomainDestroy, 1, domain("test", 2)) + call(kNodeGetInfo, 2));
    turn();
    one.reset();
    const auto asked = messages_of(hear(daemon));
    ASSERT_EQ(asked.size(), 1u);
    EXPECT_EQ(asked[0].header.procedure, kLookupByUuid);
    say(daemon, reply(kLookupByUuid, asked[0].header.serial, domain("test", 2)));
    bool over = false;
    EXPECT_EQ(hear(daemon, &over),
              call(kDomainDestroy, 1, domain("test", 2)) + call(kNodeGetInfo, 2));
    EXPECT_TRUE(over);
    EXPECT_EQ(report_.ends.back(), "the client closed the connection");
}

TEST_F(RelayTest, AClientThatLeavesBeforeThereIsADaemon) {
    // Connecting to a listener with a full queue is retried.
    EXPECT_EQ(::listen(door_.get(), 0), 0);
    const Fd waiting = [&] {
        Fd out{socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
        const auto& where = options_.daemons[0];
        EXPECT_EQ(connect(out.get(), where.address(), where.size()), 0);
        return out;
    }();
    start();
    Fd one = client();
    turn();
    EXPECT_EQ(relay_->clients(), 1u);
    say(one, call(kNodeGetInfo, 1));
    one.reset();
    turn_until([&] { return relay_->clients() == 0; });
    EXPECT_EQ(report_.ends.back(), "the client closed the connection");
}

TEST_F(RelayTest, SilentClientsKeepNobodyOut) {
    options_.clients_max = 3;
    start();
    const Fd talking = client();
    const Fd daemon = accepted();
    open_host(talking, daemon);
    // One that sends nothing, one that authenticates forever, and one whose open was refused.
    const Fd silent = client(), asking = client();
    const Fd daemon_silent = accepted(), daemon_asking = accepted();
    say(asking, call(kAuthList, 1) + call(kConnectOpen, 2));
    EXPECT_EQ(hear(daemon_asking), call(kAuthList, 1) + call(kConnectOpen, 2));
    say(daemon_asking,
        reply(kAuthList, 1) +
            frame::make_virnet_message(
                head(kConnectOpen, 2, VirnetType::reply, VirnetStatus::error), Bytes(4)));
    hear(asking);
    std::vector<Fd> newer, newer_daemons;
    for (const Fd* const oldest : {&silent, &asking}) {
        newer.push_back(client());
        newer_daemons.push_back(accepted());
        bool over = false;
        hear(*oldest, &over);
        EXPECT_TRUE(over);
        EXPECT_EQ(report_.ends.back(),
                  "closed to make room for a newer client, because it had not opened a connection");
        EXPECT_EQ(relay_->clients(), 3u);
        open_host(newer.back(), newer_daemons.back());
    }
    // All of them have opened a host: a client that waits for events stays.
    const Fd late = client();
    bool over = false;
    hear(late, &over);
    EXPECT_TRUE(over);
    EXPECT_EQ(report_.ends.back(), "refused: too many clients");
    say(talking, call(kNodeGetInfo, 9));
    EXPECT_EQ(hear(daemon), call(kNodeGetInfo, 9));
    newer.pop_back();
    turn();
    EXPECT_EQ(relay_->clients(), 2u);
}

TEST(Relay, LeavesDescriptorsForItself) {
    EXPECT_EQ(relay_clients_max(1u << 20), kRelayClientsMax);
    EXPECT_EQ(relay_clients_max(1024), 448u);
    EXPECT_EQ(relay_clients_max(1024, 4), 224u);
    EXPECT_EQ(relay_clients_max(16), 6u);
    EXPECT_EQ(relay_clients_max(0), 0u);
}

TEST_F(RelayTest, ListensAndTurnsAwayTooMany) {
    options_.clients_max = 1;
    start();
    const auto where = transport::Endpoint::unix_path(folder_.at("door"));
    relay_->listen(where, 0640);
    struct stat status {};
    ASSERT_EQ(stat(folder_.at("door").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0640u);
    EXPECT_THROW(relay_->listen(where, 0640), std::runtime_error);
    turn();  // the probe whether anybody listens
    EXPECT_EQ(relay_->clients(), 0u);
    accepted();
    const auto connected = [&] {
        Fd out{socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
        EXPECT_EQ(connect(out.get(), where.address(), where.size()), 0);
        return out;
    };
    const Fd one = connected();
    const Fd daemon = accepted();
    ASSERT_TRUE(daemon);
    open_host(one, daemon);
    const Fd two = connected();
    turn();
    EXPECT_EQ(relay_->clients(), 1u);
    bool over = false;
    hear(two, &over);
    EXPECT_TRUE(over);
    EXPECT_FALSE(accepted());
    relay_.reset();
    EXPECT_NE(stat(folder_.at("door").c_str(), &status), 0);
}

TEST(RelayAudit, NothingForgesALineOrActsOnATerminal) {
    RelayClient client;
    client.number = 3;
    client.name = "uid 0 pid 1\n2026 forged";
    CallRecord call;
    call.procedure = procedures().find(virt::kRemoteProgram, 1, kDomainDestroy);
    call.header = head(kDomainDestroy, 9);
    call.arguments = R"({"dom": "a"})";
    call.allowed = false;
    call.rule = 2;
    call.reason = "deny DomainDestroy\x1b[2J";
    call.end = CallRecord::End::error;
    call.error = {29, 7, 2, "no\r\n\"way\" \xff\x1b" + std::string(5000, 'x')};
    std::string text, json;
    append_audit_text(text, client, call);
    append_audit_json(json, client, call);
    append_audit_text(text, client, "closed", "a\nb");
    append_audit_json(json, client, "closed", "a\nb");
    for (const std::string* const one : {&text, &json}) {
        EXPECT_EQ(std::count(one->begin(), one->end(), '\n'), 2);
        EXPECT_TRUE(std::none_of(one->begin(), one->end(), [](char c) {
            return static_cast<unsigned char>(c) < 0x20 && c != '\n';
        }));
        EXPECT_LT(one->size(), 4000u);
    }
    EXPECT_NE(text.find(" DomainDestroy {\"dom\": \"a\"} denied by rule 2 (deny "),
              std::string::npos);
    EXPECT_NE(json.find(R"("procedure": "DomainDestroy")"), std::string::npos);
    EXPECT_NE(json.find(R"("arguments": {"dom": "a"}, "verdict": "denied", "rule": 2)"),
              std::string::npos);
}

}  // namespace
}  // namespace helio::virt::relay::relay_test
