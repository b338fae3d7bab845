// HttpServer: answers GET and HEAD on its own thread, one request per connection. It serves metrics
// and health; its peers cannot affect the threads that serve files. A handler may block: other
// requests wait meanwhile. New connections are always accepted: if there are too many, the oldest
// that has sent no request is closed.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "helio/rpc/memory.h"
#include "helio/serve/config/settings.h"
#include "helio/serve/monitor/http_request.h"
#include "helio/transport/loop/event_loop.h"
#include "helio/transport/socket/listener.h"
#include "helio/transport/socket/socket.h"

namespace helio::serve {

// A few scrapers and a browser; the rest is room for clients that connect and send nothing.
inline constexpr std::size_t kHttpConnectionsMax = 128;
// Connections accepted per turn of the loop. Connections that have sent a request are read before
// so many others have come that they would be the oldest.
inline constexpr std::size_t kHttpAcceptsPerTurnMax = 16;
// Time for the request, counted from accept; and again for the peer to read the answer.
inline constexpr std::chrono::seconds kHttpRequestTimeout{5};
inline constexpr std::chrono::seconds kHttpAnswerTimeout{10};

struct HttpLimits {
    std::size_t connections = kHttpConnectionsMax;
    std::chrono::milliseconds request_timeout = kHttpRequestTimeout;
    std::chrono::milliseconds answer_timeout = kHttpAnswerTimeout;
};

class HttpServer final : transport::Listener::Owner, transport::EventLoop::Deferred {
 public:
    // On the server's thread.
    using Handler = std::function<HttpAnswer(std::string_view path)>;

    // Listens; throws std::runtime_error with a sentence when it cannot.
    explicit HttpServer(const Listen& where, const HttpLimits& limits);
    explicit HttpServer(const Listen& where) : HttpServer(where, HttpLimits{}) {}
    ~HttpServer() override;  // stops
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    const std::vector<transport::Endpoint>& endpoints() const { return endpoints_; }
    void start(Handler handler);
    void stop();

 private:
    class Connection;

    void on_accepted(transport::Fd socket, const transport::Endpoint& remote) override;
    void on_turn_end() override;
    void make_room();
    void end(Connection& connection);

    const HttpLimits limits_;
    transport::EventLoop loop_;
    rpc::BufferPool pool_;
    std::vector<transport::Endpoint> endpoints_;
    std::vector<std::unique_ptr<transport::Listener>> listeners_;
    std::vector<std::unique_ptr<Connection>> connections_;  // the oldest first
    std::size_t accepted_ = 0;                              // in this turn
    std::vector<std::unique_ptr<Connection>> ended_;        // destroyed at the end of the turn
    Handler handler_;
    std::thread thread_;
};

}  // namespace helio::serve
