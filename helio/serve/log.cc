#include "helio/serve/log.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>

#include <fmt/format.h>

#include "helio/base/text/escape.h"
#include "helio/base/text/json_writer.h"
#include "helio/base/text/time_text.h"

namespace helio::serve {
namespace {

std::string as_text(std::string_view time, LogLevel level, std::string_view area,
                    std::string_view message, std::initializer_list<Log::Field> fields) {
    std::string line = fmt::format("{} {} {}: ", time, name_of(level), area);
    append_printable(line, message);
    for (const auto& [name, value] : fields) {
        line += fmt::format(" {}=", name);
        append_printable(line, value);
    }
    return line + '\n';
}

std::string as_json(std::string_view time, LogLevel level, std::string_view area,
                    std::string_view message, std::initializer_list<Log::Field> fields) {
    std::string line;
    JsonWriter json{line};
    json.open('{');
    json.member("time", time);
    json.member("level", name_of(level));
    json.member("area", area);
    json.member("message", message);
    for (const auto& [name, value] : fields) json.member(name, value);
    json.close('}');
    return line + '\n';
}

}  // namespace

void Log::write(LogLevel level, std::string_view area, std::string_view message,
                std::initializer_list<Field> fields) const {
    if (!wants(level)) return;
    // Layers below begin their lines with the area themselves.
    if (message.starts_with(area) && message.substr(area.size()).starts_with(": "))
        message.remove_prefix(area.size() + 2);
    const std::string time = to_rfc3339(std::chrono::system_clock::now());
    const std::string line = format_ == LogFormat::json
                                 ? as_json(time, level, area, message, fields)
                                 : as_text(time, level, area, message, fields);
    // If the log cannot be written there is nowhere to report that.
    while (::write(fd_, line.data(), line.size()) < 0 && errno == EINTR) {
    }
}

}  // namespace helio::serve
