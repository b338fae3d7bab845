// The schemas that come with the binary, as text: "nfs3", "rpc", "remote" … parsed when asked for.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "helio/idl/parse.h"

namespace helio::builtin {

struct Text {
    std::string_view name;  // "nfs3"
    std::string_view text;
};

std::span<const Text> texts();

// The programs of libvirt, which its own header and framing surround instead of RFC 5531's.
inline constexpr std::array<std::string_view, 5> kLibvirtSchemas{"remote", "qemu", "lxc", "admin",
                                                                 "keepalive"};

// Those with procedures that a client calls.
inline constexpr auto kLibvirtCallSchemas = std::span{kLibvirtSchemas}.first<4>();

// nullptr schema with a diagnostic when there is none of that name.
idl::Parsed parse(std::string_view name);
// Several as one Schema, in which their programs count as imported: what they share is parsed once.
idl::Parsed parse_together(std::span<const std::string_view> names);

}  // namespace helio::builtin
