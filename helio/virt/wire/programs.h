// The numbers of libvirt's programs; keepalive is in frame/virnet_header.h.
#pragma once

#include <cstdint>

namespace helio::virt {

inline constexpr std::uint32_t kRemoteProgram = 0x20008086;
inline constexpr std::uint32_t kQemuProgram = 0x20008087;
inline constexpr std::uint32_t kLxcProgram = 0x00068000;
inline constexpr std::uint32_t kAdminProgram = 0x06900690;

}  // namespace helio::virt
