#include "helio/virt/host/types.h"

#include "helio/base/siphash.h"
#include "helio/base/text/byte_text.h"

namespace helio::virt::host {

std::string to_text(const Uuid& uuid) {
    std::string text;
    text.reserve(36);
    append_uuid(text, std::as_bytes(std::span(uuid.bytes)));
    return text;
}

std::optional<Uuid> uuid_from_text(std::string_view text) {
    Uuid uuid;
    if (!parse_uuid(text, std::as_writable_bytes(std::span(uuid.bytes)))) return std::nullopt;
    return uuid;
}

Uuid uuid_of_name(std::string_view kind, std::string_view name) {
    std::string text(kind);
    text += '\0';
    text += name;
    // The keys are fixed, so that the same host has the same uuids everywhere.
    const std::uint64_t halves[2] = {siphash24(1, 2, as_bytes(text)),
                                     siphash24(3, 4, as_bytes(text))};
    Uuid uuid;
    for (std::size_t i = 0; i < uuid.bytes.size(); ++i)
        uuid.bytes[i] = static_cast<std::uint8_t>(halves[i / 8] >> (8 * (i % 8)));
    // RFC 9562 §5.8: version 8, a format of our own.
    uuid.bytes[6] = static_cast<std::uint8_t>((uuid.bytes[6] & 0x0f) | 0x80);
    uuid.bytes[8] = static_cast<std::uint8_t>((uuid.bytes[8] & 0x3f) | 0x80);
    return uuid;
}

}  // namespace helio::virt::host
