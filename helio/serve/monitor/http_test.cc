#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <vector>

#include "helio/serve/monitor/http_request.h"
#include "helio/serve/monitor/http_server.h"

namespace helio::serve::http_test {
namespace {

using Verdict = HttpRequest::Verdict;

TEST(HttpRequest, MethodAndPath) {
    struct Row {
        const char* text;
        Verdict verdict;
        const char* path;
    };
    for (const Row& row : {
             Row{"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", Verdict::complete, "/metrics"},
             Row{"HEAD /metrics?a=b HTTP/1.0\n\n", Verdict::complete, "/metrics"},
             Row{"GET /metrics HTTP/1.1\r\nHost: x\r\n", Verdict::incomplete, ""},
             Row{"", Verdict::incomplete, ""},
             Row{"\r\n\r\n", Verdict::wrong, ""},
             Row{"GET /metrics\r\n\r\n", Verdict::wrong, ""},
             Row{"GET metrics HTTP/1.1\r\n\r\n", Verdict::wrong, ""},
             Row{"get / HTTP/1.1\r\n\r\n", Verdict::wrong, ""},
             Row{"GET / HTTP/2\r\n\r\n", Verdict::wrong, ""},
             Row{"GET /\x1b[2J HTTP/1.1\r\n\r\n", Verdict::wrong, ""},
             Row{"GET /a b HTTP/1.1\r\n\r\n", Verdict::wrong, ""},
         }) {
        const auto request = read_http_request(row.text);
        EXPECT_EQ(static_cast<int>(request.verdict), static_cast<int>(row.verdict)) << row.text;
        if (row.verdict == Verdict::complete) {
            EXPECT_EQ(request.path, row.path);
        }
    }
    const std::string head = "GET / HTTP/1.1\r\nX: ";
    EXPECT_EQ(read_http_request(head + std::string(kHttpRequestMax, 'a')).verdict,
              Verdict::too_long);
}

// The response to these bytes, until the server closes.
std::string ask(const transport::Endpoint& where, std::string_view request) {
    const transport::Fd socket{::socket(where.family(), SOCK_STREAM, 0)};
    EXPECT_EQ(connect(socket.get(), where.address(), where.size()), 0);
    EXPECT_EQ(send(socket.get(), request.data(), request.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(request.size()));
    std::string answer;
    char block[4096];
    for (ssize_t got; (got = recv(socket.get(), block, sizeof block, 0)) > 0;)
        answer.append(block, static_cast<std::size_t>(got));
    return answer;
}

class Http : public testing::Test {
 protected:
    void SetUp() override {
        server.start([this](std::string_view path) {
            return path == "/big" ? HttpAnswer{.status = 200, .body = big}
                                  : HttpAnswer{.status = 404, .body = "no\n"};
        });
    }
    const std::string big = std::string(3u << 20, 'x');
    // No connection is closed because of a timeout.
    HttpServer server{
        Listen{"127.0.0.1", 0},
        {.request_timeout = std::chrono::hours(1), .answer_timeout = std::chrono::hours(1)}};
    const transport::Endpoint where = server.endpoints().front();
};

TEST_F(Http, Answers) {
    const std::string answer = ask(where, "GET /big HTTP/1.1\r\n\r\n");
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n"));
    EXPECT_TRUE(answer.ends_with("\r\n\r\n" + big));
    EXPECT_TRUE(ask(where, "HEAD /big HTTP/1.1\r\n\r\n").ends_with("\r\n\r\n"));
    EXPECT_TRUE(ask(where, "GET /x HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 404 "));
    EXPECT_TRUE(ask(where, "POST /big HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 405 "));
    EXPECT_TRUE(ask(where, "\r\n\r\n").starts_with("HTTP/1.1 400 "));
    EXPECT_TRUE(ask(where, "GET / HTTP/1.1\r\nX: " + std::string(2 * kHttpRequestMax, 'a'))
                    .starts_with("HTTP/1.1 431 "));
}

// Silent connections are in nobody's way: the oldest are closed, and no request waits for that.
TEST_F(Http, ManyWhoSayNothingDoNotKeepItFromAnswering) {
    std::vector<transport::Fd> silent;
    for (std::size_t i = 0; i < 3 * kHttpConnectionsMax; ++i) {
        silent.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0));
        const int done = connect(silent.back().get(), where.address(), where.size());
        ASSERT_TRUE(done == 0 || errno == EINPROGRESS);
    }
    EXPECT_TRUE(ask(where, "GET /x HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 404 "));
    std::size_t open = 0;
    for (const transport::Fd& one : silent) {
        char byte = 0;
        if (recv(one.get(), &byte, 1, 0) < 0 && errno == EAGAIN) ++open;
    }
    // All except the one closed for the request; one more while that is being closed.
    EXPECT_GE(open, kHttpConnectionsMax - 2);
    EXPECT_LE(open, kHttpConnectionsMax);
    char byte = 0;
    EXPECT_EQ(recv(silent.front().get(), &byte, 1, 0), 0) << "the oldest";
}

TEST(HttpServer, SaysWhenItCannotListen) {
    const HttpServer first{Listen{"127.0.0.1", 0}};
    EXPECT_THROW(HttpServer(Listen{"127.0.0.1", first.endpoints().front().port()}),
                 std::runtime_error);
}

}  // namespace
}  // namespace helio::serve::http_test
