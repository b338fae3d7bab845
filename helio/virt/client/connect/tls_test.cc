// TLS with peers that do not speak it. tests/cli has real ones, with certificates.
#include "helio/virt/client/connect/tls.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cstring>
#include <fstream>
#include <optional>

#include <gtest/gtest.h>

#include "helio/transport/client/client.h"

namespace helio::virt::tls_test {
namespace {

using namespace std::chrono_literals;

// A port of this machine, and the client connected to it.
class TlsListener final {
 public:
    TlsListener() {
        sockaddr_in any{};
        any.sin_family = AF_INET;
        any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof any;
        auto* const address = reinterpret_cast<sockaddr*>(&any);
        EXPECT_EQ(bind(socket_.get(), address, size), 0);
        EXPECT_EQ(listen(socket_.get(), 1), 0);
        EXPECT_EQ(getsockname(socket_.get(), address, &size), 0);
        port_ = ntohs(any.sin_port);
    }
    std::vector<transport::Endpoint> where() const {
        return *transport::resolve("127.0.0.1", port_);
    }
    bool accept() {
        if (!peer_) peer_ = Fd{::accept4(socket_.get(), nullptr, nullptr, SOCK_NONBLOCK)};
        return static_cast<bool>(peer_);
    }
    // Bytes the client has sent so far.
    std::size_t heard() {
        char bytes[4096];
        const ssize_t got = recv(peer_.get(), bytes, sizeof bytes, MSG_DONTWAIT);
        return got > 0 ? static_cast<std::size_t>(got) : 0;
    }
    void say(std::string_view bytes) const {
        ASSERT_EQ(send(peer_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(bytes.size()));
    }
    void hang_up() { peer_.reset(); }
    bool client_is_gone() const {
        pollfd one{peer_.get(), POLLRDHUP, 0};
        return poll(&one, 1, 1000) == 1 && (one.revents & (POLLRDHUP | POLLHUP)) != 0;
    }

 private:
    Fd socket_{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    Fd peer_;
    std::uint16_t port_ = 0;
};

Tls::Options any_certificate() {
    Tls::Options out;
    out.verifies = false;
    return out;
}

class HostileTls : public testing::Test {
 protected:
    void SetUp() override {
        if (!Tls::make(any_certificate())) GTEST_SKIP() << "this build does not support TLS";
    }
    void start(std::chrono::milliseconds timeout = 10s) {
        task_.emplace(connect_tls(loop_, listener_.where(), any_certificate(), timeout));
        task_->start([](void* flag) { *static_cast<bool*>(flag) = true; }, &done_);
        while (!done_ && !(listener_.accept() && listener_.heard() > 0)) loop_.turn(5ms);
    }
    Failure end() {
        while (!done_) loop_.turn(100ms);
        auto result = task_->take();
        EXPECT_FALSE(result);
        return result ? Failure{} : result.error();
    }

    transport::EventLoop loop_;
    TlsListener listener_;
    std::optional<Task<Result<TlsStream, Failure>>> task_;
    bool done_ = false;
};

TEST_F(HostileTls, AnotherProtocol) {
    start();
    listener_.say("220 mail.example ESMTP\r\n");
    const Failure failure = end();
    EXPECT_EQ(failure.call.outcome, xdr::Outcome::unreachable);
    EXPECT_NE(to_text(failure).find("does not use TLS"), std::string::npos) << to_text(failure);
}

// TLS records that contain no valid message.
TEST_F(HostileTls, GarbageInRecords) {
    for (const int kind : {20, 21, 22, 23, 24}) {
        listener_.hang_up();
        done_ = false;
        start();
        std::string record{static_cast<char>(kind), 3, 3, 0, 16};
        for (int i = 0; i < 16; ++i) record += static_cast<char>(kind * 31 + i * 7);
        listener_.say(record);
        listener_.hang_up();
        EXPECT_EQ(end().call.outcome, xdr::Outcome::unreachable) << kind;
    }
}

TEST_F(HostileTls, HangsUp) {
    start();
    listener_.hang_up();
    EXPECT_EQ(to_text(end()), "the daemon ended the TLS handshake");
}

TEST_F(HostileTls, Silence) {
    start(50ms);
    const Failure failure = end();
    EXPECT_EQ(failure.call.outcome, xdr::Outcome::timed_out);
    EXPECT_EQ(to_text(failure), "no answer in the TLS handshake");
}

TEST_F(HostileTls, NobodyThere) {
    std::vector<transport::Endpoint> where;
    {
        const TlsListener gone;
        where = gone.where();
    }
    const auto result =
        transport::run_until_done(loop_, connect_tls(loop_, where, any_certificate(), 10s));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().call.error_number, ECONNREFUSED);
}

TEST_F(HostileTls, LetGo) {
    start();
    task_.reset();
    loop_.turn(0ms);
    EXPECT_TRUE(listener_.client_is_gone());
}

TEST_F(HostileTls, FilesThatAreNone) {
    Tls::Options options;
    options.files = find_tls_files("/nowhere");
    auto made = Tls::make(options);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error(),
              "the certificate authority, /nowhere/cacert.pem: No such file or directory");
    const std::string path = testing::TempDir() + "/cacert.pem";
    std::ofstream(path) << "no certificate\n";
    options.files.authority = path;
    made = Tls::make(options);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().find("the certificate authority, " + path), 0u) << made.error();
    options = any_certificate();
    options.priority = "NORMAL:+NO-SUCH-CIPHER";
    made = Tls::make(options);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error(), "GnuTLS rejects the priority string '+NO-SUCH-CIPHER'");
}

}  // namespace
}  // namespace helio::virt::tls_test
