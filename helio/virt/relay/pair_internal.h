// Pair: a client's socket, a daemon's socket, and the session between them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "helio/virt/relay/relay.h"

namespace helio::virt::relay {

class Pair final : RelayWatch, transport::Timer {
 public:
    Pair(Relay& relay, Fd client, RelayClient who, bool client_takes_descriptors);
    ~Pair() override;

    // Looks for a daemon; from now on the pair may go away whenever its loop turns.
    void start();
    void close(std::string_view why);

 private:
    class Leg final : public transport::EventLoop::Handler {
     public:
        Leg(Pair& pair, bool is_client) : pair_(pair), is_client_(is_client) {}
        void on_ready(transport::Readiness ready) override { pair_.on_ready(*this, ready); }

        Pair& pair_;
        const bool is_client_;
        Fd socket;
        transport::Interest interest = transport::Interest::none;
        bool added = false;  // to the loop
        bool ended = false;  // nothing more comes
        std::vector<std::byte> buffer;
        std::size_t begin = 0, end = 0;  // what came and is not used yet
        std::size_t wanted = 0;
        std::vector<Fd> descriptors;
        transport::Outbox* out = nullptr;  // what goes to this side
    };
    enum class Stage : std::uint8_t { connecting, relaying, unreachable, over };

    void on_message(bool from_client, ByteView frame) override;
    void on_call_end(const CallRecord& call) override;
    void on_time() override;
    void on_ready(Leg& leg, transport::Readiness ready);

    // Finding a daemon.
    void make_session(const RelaySessionOptions& options);
    void connect();
    void connected();
    void not_connected(int error_number);

    // Moving bytes.
    void receive(Leg& leg, bool all);
    void make_room(Leg& leg);
    void pump();
    bool feed(Leg& leg);
    void flush(Leg& leg);
    bool is_blocked(const Leg& leg) const;
    void settle();
    void watch(Leg& leg, bool reads);
    void drop(Leg& leg);

    Relay& relay_;
    RelayClient who_;
    const bool client_takes_descriptors_;
    Stage stage_ = Stage::connecting;
    std::size_t next_daemon_ = 0;
    transport::Timer::Clock::time_point give_up_;  // of connecting
    std::string last_failure_;
    std::unique_ptr<RelaySession> session_;
    Leg client_{*this, true}, daemon_{*this, false};
    bool pumping_ = false;
};

}  // namespace helio::virt::relay
