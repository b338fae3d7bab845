// For tests of the relay: hand-written messages, policies in short form, and a session whose two
// sides are vectors.
#pragma once

#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "helio/base/assert.h"
#include "helio/virt/relay/session.h"
#include "helio/virt/wire/programs.h"
#include "schema/builtin.h"
#include "testing/virt/messages.h"

namespace helio::virt::relay::testing {

using frame::VirnetHeader;
using frame::VirnetStatus;
using frame::VirnetType;
using virt::Bytes;
using virt::words;

// Numbers of the remote program.
inline constexpr std::uint32_t kConnectOpen = 1, kDomainDestroy = 12, kDomainGetXmlDesc = 14,
                               kLookupById = 22, kLookupByName = 23, kLookupByUuid = 24,
                               kNodeGetInfo = 6, kDomainDefineXml = 11, kAuthList = 66,
                               kSaslInit = 67, kGetAllDomainStats = 344, kSecretSetValue = 144;

inline const Procedures& procedures() {
    static const Procedures all{builtin::parse_together(builtin::kLibvirtCallSchemas).schema};
    return all;
}

inline Bytes operator+(Bytes a, const Bytes& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}
inline Bytes text(std::string_view value) {
    Bytes out = words({static_cast<std::uint32_t>(value.size())});
    for (const char one : value) out.push_back(static_cast<std::byte>(one));
    while (out.size() % 4 != 0) out.push_back(std::byte{0});
    return out;
}
// All bytes of it are the same.
inline Bytes uuid(int digit) { return Bytes(16, static_cast<std::byte>(digit)); }
inline Bytes domain(std::string_view name, int digit, std::uint32_t id = 1) {
    return text(name) + uuid(digit) + words({id});
}

inline VirnetHeader head(std::uint32_t procedure, std::uint32_t serial,
                         VirnetType type = VirnetType::call,
                         VirnetStatus status = VirnetStatus::ok) {
    return {kRemoteProgram, 1, procedure, type, serial, status};
}
inline Bytes call(std::uint32_t procedure, std::uint32_t serial, const Bytes& arguments = {}) {
    return frame::make_virnet_message(head(procedure, serial), arguments);
}
inline Bytes reply(std::uint32_t procedure, std::uint32_t serial, const Bytes& results = {}) {
    return frame::make_virnet_message(head(procedure, serial, VirnetType::reply), results);
}
inline Bytes ping() {
    VirnetHeader header;
    header.program = frame::kKeepaliveProgram;
    header.procedure = frame::kKeepalivePing;
    header.type = VirnetType::message;
    return frame::make_virnet_message(header);
}

struct Message {
    VirnetHeader header;
    Bytes payload;
};
// The bytes are whole messages.
inline std::vector<Message> messages_of(ByteView bytes) {
    std::vector<Message> out;
    while (!bytes.empty()) {
        const frame::Cut cut = frame::LengthWord::cut(bytes);
        HELIO_ASSERT(cut.kind == frame::CutKind::message);
        const ByteView payload = cut.message.subspan(VirnetHeader::kSize);
        out.push_back(
            {frame::read_virnet_header(cut.message.data()), Bytes(payload.begin(), payload.end())});
        bytes = bytes.subspan(cut.consumed);
    }
    return out;
}

// "deny DomainDestroy", "allow *:domain=test-*", "read-only".
inline Result<std::unique_ptr<Policy>, std::string> try_policy(
    std::initializer_list<std::string_view> lines) {
    Policy::Options options;
    for (const std::string_view line : lines) {
        if (line == "read-only") {
            options.read_only = true;
            continue;
        }
        auto rules = parse_rules(line, "test");
        if (!rules) return fail(rules.error());
        options.rules.push_back(rules->at(0));
    }
    return Policy::make(procedures(), std::move(options));
}

// Both sides of a session, and the outcome of its calls.
class Talk final : RelayWatch, RelayOutput {
 public:
    explicit Talk(std::initializer_list<std::string_view> rules, RelaySessionOptions options = {})
        : Talk(std::shared_ptr<const Policy>(std::move(*try_policy(rules))), options) {}
    Talk(std::shared_ptr<const Policy> policy, RelaySessionOptions options)
        : policy_(std::move(policy)) {
        RelayWatch& watch = *this;
        RelayOutput& output = *this;
        session_ = std::make_unique<RelaySession>(*policy_, watch, output, options);
    }

    // Passes a side's bytes to the session.
    void client(const Bytes& bytes) {
        client_in_ = std::move(client_in_) + bytes;
        turn();
    }
    void daemon(const Bytes& bytes) {
        daemon_in_ = std::move(daemon_in_) + bytes;
        turn();
    }
    // Messages that have arrived at a side since the last call.
    std::vector<Message> at_client() { return messages_of(bytes_at_client()); }
    std::vector<Message> at_daemon() { return messages_of(bytes_at_daemon()); }
    Bytes bytes_at_client() { return std::exchange(client_out_, {}); }
    Bytes bytes_at_daemon() { return std::exchange(daemon_out_, {}); }

    RelaySession& session() { return *session_; }
    std::vector<Fd> client_fds, daemon_fds;  // received with a side's bytes
    std::vector<Fd> fds;                     // that arrived
    std::vector<CallRecord> ended;
    Bytes said, heard;  // by the client, with watch_messages

 private:
    void on_message(RelaySide from, ByteView frame) override {
        Bytes& to = from == RelaySide::client ? said : heard;
        to.insert(to.end(), frame.begin(), frame.end());
    }
    void on_call_end(const CallRecord& record) override { ended.push_back(record); }
    void send(RelaySide to, ByteView frame, std::vector<Fd> descriptors) override {
        Bytes& out = to == RelaySide::client ? client_out_ : daemon_out_;
        out.insert(out.end(), frame.begin(), frame.end());
        out.resize(out.size() + descriptors.size());
        for (Fd& one : descriptors) fds.push_back(std::move(one));
    }
    void turn() {
        bool moved = true;
        while (moved) {
            const auto a = session_->from_daemon(daemon_in_, daemon_fds).consumed;
            daemon_in_.erase(daemon_in_.begin(), daemon_in_.begin() + static_cast<long>(a));
            const auto b = session_->from_client(client_in_, client_fds).consumed;
            client_in_.erase(client_in_.begin(), client_in_.begin() + static_cast<long>(b));
            moved = a + b > 0;
        }
    }

    std::shared_ptr<const Policy> policy_;
    std::unique_ptr<RelaySession> session_;
    Bytes client_in_, daemon_in_, client_out_, daemon_out_;
};

}  // namespace helio::virt::relay::testing
