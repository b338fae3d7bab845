// Numbers, times and sizes for people; allocates only for the text itself.
#include <algorithm>
#include <array>
#include <charconv>

#include "helio/inspect/meaning.h"

namespace helio::inspect {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

}  // namespace

std::uint32_t handle_hash(ByteView handle) {
    std::uint32_t hash = 2166136261u;  // FNV-1a: short, and need not be secure
    for (const std::byte b : handle) hash = (hash ^ std::to_integer<std::uint32_t>(b)) * 16777619u;
    return hash;
}

void append_number(std::string& out, std::uint64_t number) {
    char digits[20];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    out.append(digits, static_cast<std::size_t>(end - digits));
}

void append_signed(std::string& out, std::int64_t number) {
    char digits[20];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    out.append(digits, static_cast<std::size_t>(end - digits));
}

void append_hex_number(std::string& out, std::uint64_t number, int digits) {
    out += "0x";
    append_hex_digits(out, number, digits);
}

void append_hex_digits(std::string& out, std::uint64_t number, int digits) {
    int count = 1;
    while (count < 16 && number >> (4 * count) != 0) ++count;
    if (digits > count) {
        out.append(static_cast<std::size_t>(std::max(digits - 16, 0)), '0');
        count = std::min(digits, 16);
    }
    char text[16];
    for (int i = count; i-- > 0; number >>= 4) text[i] = kDigits[number & 15];
    out.append(text, static_cast<std::size_t>(count));
}

// Days to a date of the Gregorian calendar, in eras of 400 years that begin on the first of March.
void append_time(std::string& out, std::int64_t seconds) {
    const std::int64_t days = (seconds >= 0 ? seconds : seconds - 86399) / 86400;
    const std::int64_t rest = seconds - days * 86400;
    const std::int64_t shifted = days + 719468;
    const std::int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
    const std::int64_t day_of_era = shifted - era * 146097;
    const std::int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    const std::int64_t day_of_year =
        day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const std::int64_t month_from_march = (5 * day_of_year + 2) / 153;
    const std::int64_t day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    const std::int64_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
    const std::int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
    const auto two = [&out](std::int64_t number, char behind) {
        out += static_cast<char>('0' + number / 10);
        out += static_cast<char>('0' + number % 10);
        out += behind;
    };
    append_signed(out, year);
    out += '-';
    two(month, '-');
    two(day, ' ');
    two(rest / 3600, ':');
    two(rest / 60 % 60, ':');
    two(rest % 60, ' ');
    out += "UTC";
}

void append_size(std::string& out, std::uint64_t bytes) {
    static constexpr std::array<std::string_view, 6> kUnits{" KiB", " MiB", " GiB",
                                                            " TiB", " PiB", " EiB"};
    if (bytes < 1024) return;
    std::size_t unit = 0;
    std::uint64_t size = bytes;
    std::uint64_t below = 0;
    while (size >= 1024 && unit < kUnits.size()) {
        below = below != 0 || size % 1024 != 0 ? (size % 1024 == 0 ? 1 : size % 1024) : 0;
        size /= 1024;
        ++unit;
    }
    append_number(out, size);
    if (below != 0) {
        out += '.';
        out += static_cast<char>('0' + below * 10 / 1024);
    }
    out += kUnits[unit - 1];
}

std::string_view first_sentence(std::string_view doc) {
    if (doc.substr(0, 4) == "RFC ") {
        const std::size_t colon = doc.find(": ");
        const std::size_t dot = doc.find('.', doc.find_last_of("0123456789", colon));
        if (colon == std::string_view::npos || dot < colon) return {};
        doc.remove_prefix(colon + 2);
    }
    for (std::size_t i = 0; i < doc.size(); ++i) {
        if (doc[i] == '\n') return doc.substr(0, i);
        if (doc[i] == '.' && (i + 1 == doc.size() || doc[i + 1] == ' ' || doc[i + 1] == '\n'))
            return doc.substr(0, i);
        if (doc[i] == ';' && i + 1 < doc.size() && doc[i + 1] == ' ') return doc.substr(0, i);
    }
    return doc;
}

}  // namespace helio::inspect
