// HttpServer: answers GET and HEAD on its own thread, one request per connection. For metrics and
// health; peers here cannot affect the threads that serve files. A handler may block: the others
// wait.
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

// A few scrapers and a browser; more wait in the kernel's queue.
inline constexpr std::size_t kHttpConnectionsMax = 32;
// From accept to the last byte of the answer.
inline constexpr std::chrono::seconds kHttpTimeout{10};

class HttpServer final : transport::Listener::Owner, transport::EventLoop::Deferred {
 public:
    // On the server's thread.
    using Handler = std::function<HttpAnswer(std::string_view path)>;

    // Listens; throws std::runtime_error with a sentence when it cannot.
    explicit HttpServer(const Listen& where);
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
    void end(Connection& connection);

    transport::EventLoop loop_;
    rpc::BufferPool pool_;
    std::vector<transport::Endpoint> endpoints_;
    std::vector<std::unique_ptr<transport::Listener>> listeners_;
    std::vector<std::unique_ptr<Connection>> connections_;
    std::vector<std::unique_ptr<Connection>> ended_;  // destroyed at the end of the turn
    Handler handler_;
    std::thread thread_;
};

}  // namespace helio::serve
