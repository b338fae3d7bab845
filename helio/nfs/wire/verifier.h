// Verifiers of NFS versions 3 and 4: eight bytes that only we interpret.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace helio::nfs {

inline std::array<std::byte, 8> to_verifier(std::uint64_t from) {
    std::array<std::byte, 8> out;
    std::memcpy(out.data(), &from, out.size());
    return out;
}
inline std::uint64_t from_verifier(const std::array<std::byte, 8>& from) {
    std::uint64_t out = 0;
    std::memcpy(&out, from.data(), from.size());
    return out;
}

}  // namespace helio::nfs
