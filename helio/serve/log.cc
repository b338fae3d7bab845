#include "helio/serve/log.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <ctime>

#include <fmt/format.h>

namespace helio::serve {
namespace {

// Bytes of the well-formed UTF-8 character that `text` begins with, as in table 3-7 of the Unicode
// standard; 0 when there is none.
std::size_t utf8_size(std::string_view text) {
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = at(0);
    if (first < 0x80) return 1;
    const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < size) return 0;
    for (std::size_t i = 1; i < size; ++i)
        if ((at(i) & 0xc0) != 0x80) return 0;
    const unsigned char second = at(1);
    const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
    const bool surrogate = first == 0xed && second >= 0xa0;
    const bool beyond = first == 0xf4 && second >= 0x90;
    return overlong || surrogate || beyond ? 0 : size;
}

// C0 and DEL; C1 controls, some of which terminals obey, are two bytes of UTF-8.
bool is_control(std::string_view character) {
    const auto first = static_cast<unsigned char>(character[0]);
    if (character.size() == 1) return first < 0x20 || first == 0x7f;
    return character.size() == 2 && first == 0xc2 &&
           static_cast<unsigned char>(character[1]) < 0xa0;
}

std::string as_text(std::string_view time, LogLevel level, std::string_view area,
                    std::string_view message, std::initializer_list<Log::Field> fields) {
    std::string line =
        fmt::format("{} {} {}: {}", time, name_of(level), area, without_controls(message));
    for (const auto& [name, value] : fields)
        line += fmt::format(" {}={}", name, without_controls(value));
    return line + '\n';
}

std::string as_json(std::string_view time, LogLevel level, std::string_view area,
                    std::string_view message, std::initializer_list<Log::Field> fields) {
    std::string line = fmt::format(R"({{"time": "{}", "level": "{}", "area": {}, "message": {})",
                                   time, name_of(level), json_text(area), json_text(message));
    for (const auto& [name, value] : fields)
        line += fmt::format(", {}: {}", json_text(name), json_text(value));
    return line + "}\n";
}

}  // namespace

std::string without_controls(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::size_t size = utf8_size(text);
        if (size == 0 || is_control(text.substr(0, size))) {
            const std::size_t bytes = size == 0 ? 1 : size;
            for (std::size_t i = 0; i < bytes; ++i)
                out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i]));
            text.remove_prefix(bytes);
        } else {
            out += text.substr(0, size);
            text.remove_prefix(size);
        }
    }
    return out;
}

std::string json_text(std::string_view text) {
    std::string out = "\"";
    while (!text.empty()) {
        const std::size_t size = utf8_size(text);
        const std::string_view character = text.substr(0, size == 0 ? 1 : size);
        if (size == 0)
            out += "\\ufffd";
        else if (character == "\"" || character == "\\")
            (out += '\\') += character;
        else if (is_control(character))
            out += fmt::format("\\u{:04x}", static_cast<unsigned char>(character.back()));
        else
            out += character;
        text.remove_prefix(character.size());
    }
    return out + '"';
}

std::string now_text() {
    using namespace std::chrono;
    const auto now = system_clock::now().time_since_epoch();
    const std::time_t seconds = duration_cast<std::chrono::seconds>(now).count();
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900,
                       parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                       duration_cast<milliseconds>(now).count() % 1000);
}

void Log::write(LogLevel level, std::string_view area, std::string_view message,
                std::initializer_list<Field> fields) const {
    if (!wants(level)) return;
    // Layers below begin their lines with the area themselves.
    if (message.starts_with(area) && message.substr(area.size()).starts_with(": "))
        message.remove_prefix(area.size() + 2);
    const std::string time = now_text();
    const std::string line = format_ == LogFormat::json
                                 ? as_json(time, level, area, message, fields)
                                 : as_text(time, level, area, message, fields);
    // A log that cannot be written has nowhere to be told.
    while (::write(fd_, line.data(), line.size()) < 0 && errno == EINTR) {
    }
}

}  // namespace helio::serve
