// Log: writes one line per event to a descriptor, as text for people or as JSON for machines. Any
// thread may write; a line is one write(2). Text from peers is escaped, so it cannot start a new
// line.
//
//     2026-11-16T04:30:12.123Z info serve: reloaded exports=3
//     {"time": "2026-11-16T04:30:12.123Z", "level": "info", "area": "serve", "message": "reloaded",
//     "exports": 3}
#pragma once

#include <atomic>
#include <initializer_list>
#include <span>
#include <string_view>

#include "helio/base/text/log_event.h"
#include "helio/serve/config/settings.h"

namespace helio::serve {

class Log final {
 public:
    // The descriptor is borrowed.
    Log(int fd, LogFormat format, LogLevel level) : fd_(fd), format_(format), level_(level) {}
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;

    LogFormat format() const { return format_; }
    void set_level(LogLevel level) { level_.store(level, std::memory_order_relaxed); }
    bool wants(LogLevel level) const { return level >= level_.load(std::memory_order_relaxed); }

    // The text form shows the fields after the message.
    void write(LogLevel level, std::string_view area, std::string_view message,
               std::initializer_list<LogField> fields = {}) const;
    // The message says everything that the fields do, so the text form omits them.
    void write(LogLevel level, std::string_view area, const LogEvent& event) const;

 private:
    void write_line(LogLevel level, std::string_view area, const LogEvent& event,
                    std::span<const LogField> fields_in_text) const;

    const int fd_;
    const LogFormat format_;
    std::atomic<LogLevel> level_;
};

}  // namespace helio::serve
