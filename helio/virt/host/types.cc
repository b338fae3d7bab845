#include "helio/virt/host/types.h"

#include "helio/base/siphash.h"

namespace helio::virt::host {

namespace {

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

}  // namespace

std::string to_text(const Uuid& uuid) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    text.reserve(36);
    for (std::size_t i = 0; i < uuid.bytes.size(); ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
        text += kDigits[uuid.bytes[i] >> 4];
        text += kDigits[uuid.bytes[i] & 15];
    }
    return text;
}

std::optional<Uuid> uuid_from_text(std::string_view text) {
    Uuid uuid;
    std::size_t digits = 0;
    for (const char c : text) {
        // libvirt minds where hyphens are as little.
        if (c == '-') continue;
        const int digit = hex_digit(c);
        if (digit < 0 || digits == 32) return std::nullopt;
        std::uint8_t& byte = uuid.bytes[digits / 2];
        byte = static_cast<std::uint8_t>((byte << 4) | digit);
        ++digits;
    }
    if (digits != 32) return std::nullopt;
    return uuid;
}

Uuid uuid_of_name(std::string_view kind, std::string_view name) {
    std::string text(kind);
    text += '\0';
    text += name;
    // Not a secret: the same host is to have the same uuids everywhere.
    const std::uint64_t halves[2] = {siphash24(1, 2, as_bytes(text)),
                                     siphash24(3, 4, as_bytes(text))};
    Uuid uuid;
    for (std::size_t i = 0; i < uuid.bytes.size(); ++i)
        uuid.bytes[i] = static_cast<std::uint8_t>(halves[i / 8] >> (8 * (i % 8)));
    // RFC 9562 §5.8: made by a rule of one's own.
    uuid.bytes[6] = static_cast<std::uint8_t>((uuid.bytes[6] & 0x0f) | 0x80);
    uuid.bytes[8] = static_cast<std::uint8_t>((uuid.bytes[8] & 0x3f) | 0x80);
    return uuid;
}

}  // namespace helio::virt::host
