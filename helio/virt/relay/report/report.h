// Report: a Relay's output for people: an audit line for each call, messages as they pass, and
// recordings of each connection for `helio explain`.
//
//     relay::Report report{loop, {.audit_path = "/var/log/relay.log"}};
//     relay::Relay relay{loop, **policy, report, {.daemons = {where}}};
#pragma once

#include <unistd.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "helio/base/fd.h"
#include "helio/transport/loop/event_loop.h"
#include "helio/virt/relay/relay.h"

namespace helio::virt::relay {

// How a message is shown to people.
class MessagePrinter {
 public:
    virtual ~MessagePrinter() = default;
    virtual void append(std::string& out, const RelayClient& client, RelaySide from,
                        ByteView frame) = 0;
    virtual void on_disconnect(const RelayClient&) {}
};

// One line per message: direction, procedure, and content as JSON.
std::unique_ptr<MessagePrinter> make_line_printer(const Procedures& procedures);
// "#7 →" for messages from client 7.
std::string direction_text(const RelayClient& client, RelaySide from);

struct ReportOptions {
    enum class Format : std::uint8_t { text, json };
    Format audit_format = Format::text;
    std::string audit_path = {};                   // appended to; empty: `output`
    std::string record_folder = {};                // empty: no recordings
    std::unique_ptr<MessagePrinter> printer = {};  // nullptr: messages are not shown
    int output = STDOUT_FILENO;
    // A file could not be written. Called on the loop.
    std::function<void(std::string_view)> on_problem = [](std::string_view) {};
};

class Report final : public RelayObserver {
 public:
    // Throws std::runtime_error if a file or folder cannot be opened. The loop must outlive it.
    Report(transport::EventLoop& loop, ReportOptions options);
    ~Report() override;
    Report(const Report&) = delete;
    Report& operator=(const Report&) = delete;

    // For RelayOptions::watch_messages.
    bool wants_messages() const;

    void on_connect(const RelayClient& client) override;
    void on_message(const RelayClient& client, RelaySide from, ByteView frame) override;
    void on_call_end(const RelayClient& client, const CallRecord& call) override;
    void on_disconnect(const RelayClient& client, std::string_view why) override;

 private:
    struct Parts;
    std::string& audit();
    void append_event(const RelayClient& client, std::string_view what, std::string_view why);

    std::unique_ptr<Parts> parts_;
};

}  // namespace helio::virt::relay
