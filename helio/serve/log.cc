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

using Fields = std::span<const LogField>;

// The part that every line has.
struct Head {
    std::string time;
    LogLevel level;
    std::string_view area;
};

std::string as_text(const Head& head, std::string_view message, Fields fields) {
    std::string line = fmt::format("{} {} {}: ", head.time, name_of(head.level), head.area);
    append_printable(line, message);
    for (const auto& [name, value] : fields) {
        line += fmt::format(" {}=", name);
        if (const auto* const text = std::get_if<std::string_view>(&value))
            append_printable(line, *text);
        else if (const auto* const number = std::get_if<std::uint64_t>(&value))
            line += std::to_string(*number);
        else
            line += std::get<bool>(value) ? "true" : "false";
    }
    return line + '\n';
}

std::string as_json(const Head& head, std::string_view message, Fields fields) {
    std::string line;
    JsonWriter json{line};
    json.open('{');
    json.member("time", head.time);
    json.member("level", name_of(head.level));
    json.member("area", head.area);
    json.member("message", message);
    for (const auto& field : fields)
        std::visit([&](const auto& value) { json.member(field.name, value); }, field.value);
    json.close('}');
    return line + '\n';
}

}  // namespace

void Log::write(LogLevel level, std::string_view area, std::string_view message,
                std::initializer_list<LogField> fields) const {
    const Fields all{fields.begin(), fields.size()};
    write_line(level, area, {message, all}, all);
}

void Log::write(LogLevel level, std::string_view area, const LogEvent& event) const {
    write_line(level, area, event, {});
}

void Log::write_line(LogLevel level, std::string_view area, const LogEvent& event,
                     Fields fields_in_text) const {
    if (!wants(level)) return;
    std::string_view message = event.message;
    // The layers below begin their lines with the area themselves.
    if (message.starts_with(area) && message.substr(area.size()).starts_with(": "))
        message.remove_prefix(area.size() + 2);
    const Head head{to_rfc3339(std::chrono::system_clock::now()), level, area};
    const std::string line = format_ == LogFormat::json ? as_json(head, message, event.fields)
                                                        : as_text(head, message, fields_in_text);
    // If the log cannot be written, there is nowhere to report that.
    while (::write(fd_, line.data(), line.size()) < 0 && errno == EINTR) {
    }
}

}  // namespace helio::serve
