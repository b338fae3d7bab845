#include "helio/serve/monitor/http_server.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "helio/base/bytes.h"
#include "helio/transport/stream/stream.h"

namespace helio::serve {

using transport::Endpoint;
using transport::Fd;
using transport::Interest;

namespace {

// Most requests fit; the buffer grows until a request is too long.
constexpr std::size_t kHttpBufferSize = 4u << 10;

}  // namespace

// One connection: receives a request and sends an answer; then the client closes.
class HttpServer::Connection final : transport::Stream::Owner, transport::Timer {
 public:
    explicit Connection(HttpServer& server)
        : Timer(server.loop_),
          server_(server),
          stream_(server.loop_, *this, {.pool = &server.pool_, .buffer_size = kHttpBufferSize}) {}

    // 0, or errno.
    int open(Fd socket) {
        set(Clock::now() + server_.limits_.request_timeout);
        return stream_.open(std::move(socket));
    }
    void close() {
        cancel();
        stream_.close();
    }
    bool is_answered() const { return is_answered_; }

 private:
    void on_time() override { server_.end(*this); }
    void on_lost(int) override { server_.end(*this); }
    void on_received(std::size_t size) override;
    void on_writable() override {
        if (stream_.unsent() == 0) finish();
    }
    HttpAnswer answer_to(const HttpRequest& request) const;
    void finish();

    HttpServer& server_;
    bool is_answered_ = false;
    transport::Stream stream_;
};

void HttpServer::Connection::on_received(std::size_t) {
    // Unread bytes would cause a reset, which can destroy an answer in flight.
    if (is_answered_) return stream_.consume(stream_.bytes().size());
    const HttpRequest request = read_http_request(as_text(stream_.bytes()));
    if (request.verdict == HttpRequest::Verdict::incomplete) return;
    stream_.write(as_bytes(to_http(answer_to(request), request.method == "HEAD")));
    stream_.consume(stream_.bytes().size());
    is_answered_ = true;
    set(Clock::now() + server_.limits_.answer_timeout);
    stream_.set_interest(Interest::none);
    if (stream_.flush()) finish();
}

HttpAnswer HttpServer::Connection::answer_to(const HttpRequest& request) const {
    using Verdict = HttpRequest::Verdict;
    if (request.verdict == Verdict::too_long)
        return {.status = 431, .body = "the request is too long\n"};
    if (request.verdict == Verdict::wrong) return {.status = 400, .body = "not an HTTP request\n"};
    if (request.method != "GET" && request.method != "HEAD")
        return {.status = 405, .body = "only GET and HEAD are supported\n"};
    return server_.handler_(request.path);
}

// The client closes next, and the stream is lost.
void HttpServer::Connection::finish() {
    stream_.shut_down_sending();
    stream_.set_interest(Interest::read);
}

HttpServer::HttpServer(const Listen& where, const HttpLimits& limits) : limits_(limits) {
    auto addresses = transport::resolve(where.host, where.port);
    if (!addresses) throw std::runtime_error(addresses.error());
    transport::Listener::Owner& owner = *this;
    // The wildcard resolves to one IPv6 and one IPv4 address; each gets its own socket.
    for (Endpoint& endpoint : *addresses) {
        if (!endpoints_.empty()) endpoint.set_port(endpoints_.front().port());
        Fd socket = transport::listening_socket(endpoint, {.is_ipv6_only = true});
        // On a machine without IPv6, "every address" means IPv4.
        if (!socket && errno == EAFNOSUPPORT && addresses->size() > 1) continue;
        if (!socket)
            throw std::runtime_error(fmt::format(
                "cannot listen on {}: {}", transport::to_text(endpoint), std::strerror(errno)));
        endpoints_.push_back(transport::local_endpoint(socket.get()));
        listeners_.push_back(
            std::make_unique<transport::Listener>(loop_, owner, std::move(socket)));
    }
}

HttpServer::~HttpServer() { stop(); }

void HttpServer::start(Handler handler) {
    handler_ = std::move(handler);
    thread_ = std::thread{[this] { loop_.run(); }};
}

void HttpServer::stop() {
    if (!thread_.joinable()) return;
    loop_.stop();
    thread_.join();
    connections_.clear();
}

void HttpServer::on_accepted(Fd socket, const Endpoint&) {
    make_room();
    auto connection = std::make_unique<Connection>(*this);
    if (connection->open(std::move(socket)) != 0) return;  // the kernel has no memory to watch it
    connections_.push_back(std::move(connection));
    loop_.defer(*this);
    if (++accepted_ < kHttpAcceptsPerTurnMax) return;
    for (const auto& listener : listeners_) listener->pause();
}

void HttpServer::make_room() {
    if (connections_.size() < limits_.connections) return;
    const auto silent = std::find_if(connections_.begin(), connections_.end(),
                                     [](const auto& one) { return !one->is_answered(); });
    end(silent != connections_.end() ? **silent : *connections_.front());
}

void HttpServer::end(Connection& connection) {
    const auto place = std::find_if(connections_.begin(), connections_.end(),
                                    [&](const auto& one) { return one.get() == &connection; });
    connection.close();
    ended_.push_back(std::move(*place));
    connections_.erase(place);
    loop_.defer(*this);
}

void HttpServer::on_turn_end() {
    ended_.clear();
    accepted_ = 0;
    for (const auto& listener : listeners_) listener->resume();
}

}  // namespace helio::serve
