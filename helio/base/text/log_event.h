// LogEvent: one log line, as a sentence for people and as named values for machines. Borrows both,
// so it is valid only during the call it is passed to.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

namespace helio {

struct LogField {
    using Value = std::variant<std::string_view, std::uint64_t, bool>;

    std::string_view name;
    Value value;
};

struct LogEvent {
    LogEvent(std::string_view sentence, std::span<const LogField> values = {})
        : message(sentence), fields(values) {}
    // A sink that only wants the sentence takes a std::string_view.
    operator std::string_view() const { return message; }

    std::string_view message;  // complete: says everything that the fields do
    std::span<const LogField> fields;
};

}  // namespace helio
