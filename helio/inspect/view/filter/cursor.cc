#include "helio/inspect/view/filter/cursor_internal.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include "helio/base/ip_address.h"

namespace helio::inspect {
namespace {

constexpr const char* kTimeBelongs = "expected a time: 500us, 1.5ms, 2s";

bool is_filter_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_filter_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<unsigned> small_number(std::string_view digits, unsigned most) {
    unsigned value = 0;
    const char* const last = digits.data() + digits.size();
    const auto [end, error] = std::from_chars(digits.data(), last, value);
    if (digits.empty() || error != std::errc{} || end != last || value > most) return std::nullopt;
    return value;
}

std::optional<Network> network_of(std::string_view text) {
    std::string_view host = text;
    std::optional<unsigned> bits, port;
    bool more = false;  // a prefix length or a port follows
    if (const std::size_t slash = text.find('/'); slash != text.npos) {
        host = text.substr(0, slash);
        bits = small_number(text.substr(slash + 1), 128);
        more = true;
    } else if (const std::size_t close = text.find(']'); text.starts_with('[')) {
        if (close == text.npos) return std::nullopt;
        host = text.substr(1, close - 1);
        more = close + 1 < text.size();
        if (more && text[close + 1] == ':') port = small_number(text.substr(close + 2), 65535);
    } else if (std::count(text.begin(), text.end(), ':') == 1) {
        host = text.substr(0, text.find(':'));
        port = small_number(text.substr(host.size() + 1), 65535);
        more = true;
    }
    if (more && !bits && !port) return std::nullopt;
    Network out;
    out.address.v6 = host.find(':') != host.npos;
    if (out.address.v6) {
        const auto address = parse_ipv6(host);
        if (!address) return std::nullopt;
        out.address.address = *address;
    } else {
        const auto address = parse_ipv4(host);
        if (!address) return std::nullopt;
        std::copy(address->begin(), address->end(), out.address.address.begin());
    }
    const unsigned most = out.address.v6 ? 128 : 32;
    out.bits = bits.value_or(most);
    out.address.port = static_cast<std::uint16_t>(port.value_or(0));
    out.with_port = port.has_value();
    return out.bits <= most ? std::optional{out} : std::nullopt;
}

}  // namespace

std::uint32_t FilterCursor::wrong(std::size_t position, std::string problem) {
    if (good()) {
        position_ = position;
        problem_ = std::move(problem);
    }
    return 0;
}

void FilterCursor::skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n'))
        ++at_;
}

bool FilterCursor::take(std::string_view sign) {
    skip_spaces();
    if (!text_.substr(at_).starts_with(sign)) return false;
    at_ += sign.size();
    return true;
}

bool FilterCursor::at_letter() const { return at_ < text_.size() && is_filter_letter(text_[at_]); }

std::string_view FilterCursor::word() {
    skip_spaces();
    const std::size_t start = at_;
    if (!at_letter()) return {};
    while (at_ < text_.size() &&
           (is_filter_letter(text_[at_]) || is_filter_digit(text_[at_]) || text_[at_] == '.'))
        ++at_;
    return text_.substr(start, at_ - start);
}

std::optional<std::string> FilterCursor::quoted() {
    skip_spaces();
    const std::size_t start = at_;
    if (!take("\"")) {
        wrong(start, "expected text in quotes, such as \"/db/\"");
        return std::nullopt;
    }
    std::string out;
    for (; at_ < text_.size(); ++at_) {
        if (text_[at_] == '"') {
            ++at_;
            return out;
        }
        if (text_.substr(at_).starts_with("\\\"")) ++at_;
        out += text_[at_];
    }
    wrong(start, "the text has no closing quote");
    return std::nullopt;
}

std::optional<Network> FilterCursor::address() {
    skip_spaces();
    const std::size_t start = at_;
    const bool in_quotes = take("\"");
    const std::size_t from = at_;
    const auto belongs = [](char c) {
        return is_filter_letter(c) || is_filter_digit(c) ||
               std::string_view{".:/[]"}.find(c) != std::string_view::npos;
    };
    while (at_ < text_.size() && belongs(text_[at_])) ++at_;
    const auto network = network_of(text_.substr(from, at_ - from));
    if (network && (!in_quotes || take("\""))) return network;
    wrong(start,
          "expected an address: 10.0.0.1, 10.0.0.0/8, 10.0.0.1:854, 2001:db8::/32 or "
          "[2001:db8::1]:2049");
    return std::nullopt;
}

std::optional<FilterNumber> FilterCursor::number(bool duration) {
    skip_spaces();
    const std::size_t start = at_;
    FilterNumber out;
    out.negative = take("-");
    const bool hex = text_.substr(at_).starts_with("0x");
    if (hex) at_ += 2;
    const char* const from = text_.data() + at_;
    const char* const end = text_.data() + text_.size();
    const auto [stop, error] = std::from_chars(from, end, out.magnitude, hex ? 16 : 10);
    if (error != std::errc{}) {
        wrong(start, error == std::errc::result_out_of_range ? "the number is too large"
                     : duration                              ? kTimeBelongs
                                : "expected a number: 4096, 64K, 0x1000");
        return std::nullopt;
    }
    at_ += static_cast<std::size_t>(stop - from);
    double fraction = 0;
    if (duration && stop != end && *stop == '.') {
        const auto [after, bad] = std::from_chars(stop, end, fraction, std::chars_format::fixed);
        if (bad != std::errc{}) {
            wrong(start, kTimeBelongs);
            return std::nullopt;
        }
        at_ += static_cast<std::size_t>(after - stop);
    }
    return with_unit(out, fraction, duration, start);
}

std::optional<FilterNumber> FilterCursor::with_unit(FilterNumber number, double fraction,
                                                    bool duration, std::size_t start) {
    struct Unit {
        std::string_view name;
        std::uint64_t factor;
    };
    static constexpr Unit kDurations[] = {
        {"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
    static constexpr Unit kSizes[] = {{"", 1}, {"K", 1u << 10}, {"M", 1u << 20}, {"G", 1u << 30}};
    const std::size_t unit_at = at_;
    const std::string_view unit = word();
    const auto& units = duration ? kDurations : kSizes;
    const auto found = std::find_if(std::begin(units), std::end(units),
                                    [unit](const Unit& one) { return one.name == unit; });
    if (found == std::end(units)) {
        if (duration && unit.empty() && number.magnitude == 0 && fraction == 0) return number;
        wrong(duration && unit.empty() ? start : unit_at,
              duration ? "a time needs a unit: ns, us, ms or s"
                       : "after a number only K, M or G (1024, 1024², 1024³) may follow");
        return std::nullopt;
    }
    if (found->factor != 1 && number.magnitude > (~std::uint64_t{0} >> 1) / found->factor) {
        wrong(start, "the number is too large");
        return std::nullopt;
    }
    const auto part = std::llround(fraction * static_cast<double>(found->factor));
    number.magnitude = number.magnitude * found->factor + static_cast<std::uint64_t>(part);
    return number;
}

}  // namespace helio::inspect
