// HttpServer: answers GET and HEAD on a thread of its own, one request per connection. For metrics
// and health; nothing that a peer does here touches the threads that serve files. A handler may
// take its time: the others wait.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "helio/serve/http_request.h"
#include "helio/serve/settings.h"
#include "helio/transport/event_loop.h"
#include "helio/transport/socket.h"

namespace helio::serve {

// A few scrapers and somebody with a browser; one more has to wait in the kernel's queue.
inline constexpr std::size_t kHttpConnectionsMax = 32;
// From accept to the last byte of the answer.
inline constexpr std::chrono::seconds kHttpTimeout{10};

class HttpServer final {
 public:
    // On the server's thread.
    using Handler = std::function<HttpAnswer(std::string_view path)>;

    // Listens; throws std::runtime_error with a sentence when it cannot.
    explicit HttpServer(const Listen& where);
    ~HttpServer();  // stops
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    const std::vector<transport::Endpoint>& endpoints() const { return endpoints_; }
    void start(Handler handler);
    void stop();

 private:
    class Door;
    class Visit;
    // Visits that ended are destroyed at the end of the turn: nobody is in them any more.
    class Reaper final : public transport::EventLoop::Deferred {
     public:
        ~Reaper() override;
        std::vector<std::unique_ptr<Visit>> ended;

     private:
        void on_turn_end() override;
    };

    void accept_from(int listener);
    void watch_doors(bool on);
    void ended(Visit& visit);

    transport::EventLoop loop_;
    std::vector<std::unique_ptr<Door>> doors_;
    std::vector<transport::Endpoint> endpoints_;
    std::vector<std::unique_ptr<Visit>> visits_;
    Reaper reaper_;
    bool doors_watched_ = false;
    Handler handler_;
    std::thread thread_;
};

}  // namespace helio::serve
