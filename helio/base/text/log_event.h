// LogEvent: a line for a log, as a sentence for people and as named values for machines. Borrows
// both, so it lives as long as the call that it is given to.
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

    std::string_view message;  // says everything that the fields do
    std::span<const LogField> fields;
};

}  // namespace helio
