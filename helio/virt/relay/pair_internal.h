// Pair: a client's connection, a connection to the daemon, and the session between them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "helio/transport/stream/stream.h"
#include "helio/virt/relay/relay.h"

namespace helio::virt::relay {

class Pair final : RelayWatch, RelayOutput, transport::Timer {
 public:
    Pair(Relay& relay, RelayClient who, bool client_takes_descriptors);

    // Connects to a daemon. From now on the pair may be destroyed whenever its loop turns.
    void start(Fd client);
    void close(std::string_view why);
    std::uint64_t number() const { return who_.number; }

 private:
    // One of the two connections. Bytes it has received stay available after it ends.
    class Leg final : public transport::Stream::Owner {
     public:
        Leg(Pair& pair, RelaySide side);

        const char* name() const { return side_ == RelaySide::client ? "client" : "daemon"; }
        bool is_client() const { return side_ == RelaySide::client; }
        // Nothing more will come.
        bool has_ended() const { return has_ended_; }
        void end();

        // Received and not used yet.
        ByteView bytes() const { return has_ended_ ? rest_ : stream.bytes(); }
        std::vector<Fd>& descriptors() {
            return has_ended_ ? rest_descriptors_ : stream.descriptors();
        }
        void use(const RelaySession::Progress& progress);
        // Moves the rest out of the shared buffer. False: no memory.
        bool keep() { return has_ended_ || stream.keep(wanted_); }

        transport::Stream stream;

     private:
        void on_connected() override { pair_.on_daemon_connected(); }
        void on_received(std::size_t size) override;
        bool on_end() override;
        void on_writable() override { pair_.pump(); }
        void on_lost(int error_number) override;

        Pair& pair_;
        const RelaySide side_;
        std::size_t wanted_ = 0;  // bytes that the session needs to continue
        bool has_ended_ = false;
        rpc::BufferRef rest_buffer_;  // after the end
        ByteView rest_;
        std::vector<Fd> rest_descriptors_;
    };
    enum class Stage : std::uint8_t { connecting, relaying, unreachable, over };

    void on_message(RelaySide from, ByteView frame) override;
    void on_call_end(const CallRecord& call) override;
    void send(RelaySide to, ByteView frame, std::vector<Fd> descriptors) override;
    void on_time() override;

    void on_daemon_connected();
    void on_daemon_unreachable(int error_number);
    void make_session(const RelaySessionOptions& options);

    void pump();
    bool feed(Leg& leg);
    bool is_blocked(const Leg& leg) const;
    void settle();
    void watch(Leg& leg);

    Relay& relay_;
    RelayClient who_;
    const bool client_takes_descriptors_;
    Stage stage_ = Stage::connecting;
    std::string failure_;  // why no daemon was reached
    std::unique_ptr<RelaySession> session_;
    Leg client_{*this, RelaySide::client}, daemon_{*this, RelaySide::daemon};
    bool is_pumping_ = false;
};

}  // namespace helio::virt::relay
