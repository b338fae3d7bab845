// The schemas that come with the binary, as text: "nfs3", "rpc", "remote" … They are parsed on
// request.
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

// The programs of libvirt, which use libvirt's own header and framing instead of RFC 5531's.
inline constexpr std::array<std::string_view, 5> kLibvirtSchemas{"remote", "qemu", "lxc", "admin",
                                                                 "keepalive"};

// Those with procedures that clients call.
inline constexpr auto kLibvirtCallSchemas = std::span{kLibvirtSchemas}.first<4>();

// For an unknown name, the schema is nullptr and there is a diagnostic.
idl::Parsed parse(std::string_view name);
// Several as one Schema, in which their programs count as imported: shared parts are parsed once.
idl::Parsed parse_together(std::span<const std::string_view> names);

}  // namespace helio::builtin
