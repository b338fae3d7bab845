// Log: one line per event on a descriptor, as text for people or as JSON for machines. Any thread
// writes; a line is one write(2). Whatever a peer sent is escaped: a line stays a line.
//
//     2026-11-16T04:30:12.123Z warning nfs: 10.0.0.7:801 …: not in 10.1.0.0/16 export=/data
//     {"time": "2026-11-16T04:30:12.123Z", "level": "warning", "area": "nfs", "message": "…",
//     "export": "/data"}
#pragma once

#include <atomic>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "helio/serve/config/settings.h"

namespace helio::serve {

class Log final {
 public:
    using Field = std::pair<std::string_view, std::string_view>;

    // The descriptor is borrowed.
    Log(int fd, LogFormat format, LogLevel level) : fd_(fd), format_(format), level_(level) {}
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;

    LogFormat format() const { return format_; }
    void set_level(LogLevel level) { level_.store(level, std::memory_order_relaxed); }
    bool wants(LogLevel level) const { return level >= level_.load(std::memory_order_relaxed); }

    void write(LogLevel level, std::string_view area, std::string_view message,
               std::initializer_list<Field> fields = {}) const;

 private:
    const int fd_;
    const LogFormat format_;
    std::atomic<LogLevel> level_;
};

}  // namespace helio::serve
