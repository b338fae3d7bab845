// guestbook_server [PORT]: a guest book on TCP and UDP, on this machine only. Default: a free port.
#include <atomic>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <mutex>

#include "guestbook_service.h"
#include "helio/portmap/portmapper.h"
#include "helio/transport/server/server.h"

using namespace example::guestbook;
using helio::transport::EventLoop;

class Guestbook final : public GUESTBOOK_V1::Service {
    std::uint32_t SIGN(xdr::CallContext&, const entry& added) override {
        const std::lock_guard lock{mutex_};
        // Arguments are views into the call: what stays is copied.
        entries_.emplace_back(added.name, added.text);
        return ++count_;
    }

    page READ(xdr::CallContext& call, const std::uint32_t& first) override {
        const std::lock_guard lock{mutex_};
        const std::size_t left = entries_.size() - std::min<std::size_t>(first, entries_.size());
        const std::size_t count = std::min<std::size_t>(left, GUEST_PAGE_MAX);
        // Results are views too: the list lives in the call's arena, the texts in the book.
        auto* const list = call.arena().make<entry>(count);
        if (list == nullptr) return call.end_with<page>(xdr::Outcome::system_error);
        for (std::size_t i = 0; i < count; ++i)
            list[i] = {entries_[first + i].first, entries_[first + i].second};
        return {list, count};
    }

    // This one waits, so it is a coroutine; its thread serves other calls meanwhile.
    helio::Task<std::uint32_t> WAIT_async(xdr::CallContext&, const std::uint32_t& seen) override {
        while (count_ <= seen) co_await EventLoop::current()->sleep(std::chrono::milliseconds(10));
        co_return count_;
    }

    std::mutex mutex_;  // every thread of the server calls the one service
    std::deque<std::pair<std::string, std::string>> entries_;  // moves none when it grows
    std::atomic<std::uint32_t> count_ = 0;
};

int main(int count, char** words) {
    const auto port = static_cast<std::uint16_t>(count > 1 ? std::atoi(words[1]) : 0);
    helio::transport::Server::block_signals();
    Guestbook book;
    helio::portmap::Portmapper portmapper;  // tells `helio list HOST:PORT` what is served here
    helio::rpc::Server programs;
    programs.add(book);
    portmapper.add_to(programs);
    helio::transport::Server server{programs};
    std::cout << "listening on 127.0.0.1:" << server.listen("127.0.0.1", port) << std::endl;
    portmapper.register_programs(programs, server);
    server.start();
    server.wait_for_signal();  // SIGTERM or Ctrl-C: calls that run end first
}
