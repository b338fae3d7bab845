#include "helio/serve/http_server.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <system_error>

#include <fmt/format.h>

namespace helio::serve {

using transport::Endpoint;
using transport::EventLoop;
using transport::Fd;
using transport::Interest;

// A listening socket.
class HttpServer::Door final : public EventLoop::Handler {
 public:
    Door(HttpServer& owner, Fd socket) : owner_(owner), socket_(std::move(socket)) {}
    int fd() const { return socket_.get(); }

 private:
    void on_ready(transport::Readiness) override { owner_.accept_from(socket_.get()); }

    HttpServer& owner_;
    Fd socket_;
};

// One connection: a request comes in, an answer goes out.
class HttpServer::Visit final : public EventLoop::Handler, transport::Timer {
 public:
    Visit(HttpServer& owner, Fd socket)
        : Timer(owner.loop_), owner_(owner), socket_(std::move(socket)) {
        if (const int error = owner_.loop_.add(socket_.get(), Interest::read, *this); error != 0)
            throw std::system_error(error, std::generic_category(), "cannot watch a connection");
        set(Clock::now() + kHttpTimeout);
    }
    ~Visit() override { close(); }

    void close() {
        if (!socket_) return;
        cancel();
        owner_.loop_.remove(socket_.get(), *this);
        socket_.reset();
    }

 private:
    void on_time() override { owner_.ended(*this); }
    void on_ready(transport::Readiness) override {
        const bool over = answer_.empty() ? receive() : sent_ < answer_.size() ? send() : drain();
        if (over) owner_.ended(*this);
    }
    // All of them: true when the visit is over.
    bool receive();
    bool send();
    bool drain();

    HttpServer& owner_;
    Fd socket_;
    std::string request_;
    std::string answer_;
    std::size_t sent_ = 0;
};

bool HttpServer::Visit::receive() {
    std::array<char, 4096> block;
    const ssize_t got = recv(socket_.get(), block.data(), block.size(), 0);
    if (got < 0) return errno != EAGAIN && errno != EINTR;
    if (got == 0) return true;
    request_.append(block.data(), static_cast<std::size_t>(got));
    const HttpRequest request = read_http_request(request_);
    using Verdict = HttpRequest::Verdict;
    if (request.verdict == Verdict::incomplete) return false;
    const bool known = request.method == "GET" || request.method == "HEAD";
    HttpAnswer answer;
    if (request.verdict == Verdict::too_long)
        answer = {.status = 431, .body = "the request is too long\n"};
    else if (request.verdict == Verdict::wrong)
        answer = {.status = 400, .body = "this is no HTTP request\n"};
    else if (!known)
        answer = {.status = 405, .body = "GET and HEAD are answered here\n"};
    else
        answer = owner_.handler_(request.path);
    answer_ = to_http(answer, request.method == "HEAD");
    owner_.loop_.change(socket_.get(), Interest::write, *this);
    return send();
}

bool HttpServer::Visit::send() {
    while (sent_ < answer_.size()) {
        const ssize_t put =
            ::send(socket_.get(), answer_.data() + sent_, answer_.size() - sent_, MSG_NOSIGNAL);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return errno != EAGAIN;
        sent_ += static_cast<std::size_t>(put);
    }
    shutdown(socket_.get(), SHUT_WR);
    owner_.loop_.change(socket_.get(), Interest::read, *this);
    return false;
}

// What the peer has still sent must not turn into a reset that eats the answer: the peer closes.
bool HttpServer::Visit::drain() {
    std::array<char, 4096> block;
    const ssize_t got = recv(socket_.get(), block.data(), block.size(), 0);
    return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

HttpServer::Reaper::~Reaper() = default;
void HttpServer::Reaper::on_turn_end() { ended.clear(); }

HttpServer::HttpServer(const Listen& where) {
    auto addresses = transport::resolve(where.host, where.port);
    if (!addresses) throw std::runtime_error(addresses.error());
    // "Every address" resolves to one IPv6 and one IPv4 wildcard; each gets a socket of its own.
    for (Endpoint& endpoint : *addresses) {
        if (!endpoints_.empty()) endpoint.set_port(endpoints_.front().port());
        Fd socket{::socket(endpoint.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
        // A machine without IPv6 still has "every address".
        if (!socket && errno == EAFNOSUPPORT && addresses->size() > 1) continue;
        const int on = 1;
        if (socket) {
            setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
            if (endpoint.family() == AF_INET6)
                setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
        }
        if (!socket || bind(socket.get(), endpoint.address(), endpoint.size()) != 0 ||
            listen(socket.get(), 64) != 0)
            throw std::runtime_error(fmt::format(
                "cannot listen on {}: {}", transport::to_text(endpoint), std::strerror(errno)));
        endpoints_.push_back(transport::local_endpoint(socket.get()));
        doors_.push_back(std::make_unique<Door>(*this, std::move(socket)));
    }
}

HttpServer::~HttpServer() { stop(); }

void HttpServer::start(Handler handler) {
    handler_ = std::move(handler);
    watch_doors(true);
    thread_ = std::thread{[this] { loop_.run(); }};
}

void HttpServer::stop() {
    if (!thread_.joinable()) return;
    loop_.stop();
    thread_.join();
    visits_.clear();
    watch_doors(false);
}

void HttpServer::watch_doors(bool on) {
    if (on == doors_watched_) return;
    doors_watched_ = on;
    for (const auto& door : doors_) {
        if (!on)
            loop_.remove(door->fd(), *door);
        else if (const int error = loop_.add(door->fd(), Interest::read, *door); error != 0)
            throw std::system_error(error, std::generic_category(), "cannot watch a socket");
    }
}

void HttpServer::accept_from(int listener) {
    Fd socket{accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
    if (!socket) return;
    visits_.push_back(std::make_unique<Visit>(*this, std::move(socket)));
    if (visits_.size() >= kHttpConnectionsMax) watch_doors(false);
}

void HttpServer::ended(Visit& visit) {
    const auto place = std::find_if(visits_.begin(), visits_.end(),
                                    [&](const auto& one) { return one.get() == &visit; });
    visit.close();
    reaper_.ended.push_back(std::move(*place));
    visits_.erase(place);
    loop_.defer(reaper_);
    watch_doors(true);
}

}  // namespace helio::serve
