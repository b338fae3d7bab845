// Words on the wire for the limit, and the numbers of RFC 5531 and RFC 1813 that it checks against.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace bench::limit {

inline constexpr std::uint32_t kCall = 0;
inline constexpr std::uint32_t kReply = 1;
inline constexpr std::uint32_t kAccepted = 0;
inline constexpr std::uint32_t kDenied = 1;
inline constexpr std::uint32_t kSuccess = 0;
inline constexpr std::uint32_t kProgramMismatch = 2;
inline constexpr std::uint32_t kAcceptStatLast = 5;  // SYSTEM_ERR
inline constexpr std::uint32_t kAuthSys = 1;
inline constexpr std::uint32_t kRpcMismatch = 0;
inline constexpr std::uint32_t kAuthError = 1;

inline constexpr std::size_t kAuthBodyMax = 400;     // RFC 5531 §8.2
inline constexpr std::size_t kMachineNameMax = 255;  // RFC 5531 appendix A
inline constexpr std::size_t kGidsMax = 16;          // RFC 5531 appendix A
inline constexpr std::size_t kHandleMax = 64;        // NFS3_FHSIZE
inline constexpr std::size_t kFattr3Size = 84;       // all of fattr3 is fixed

inline constexpr std::uint32_t kNfs3Ok = 0;
inline constexpr std::uint32_t kFtype3First = 1;  // NF3REG
inline constexpr std::uint32_t kFtype3Last = 7;   // NF3FIFO

// The largest length a word can announce is 2^32-1, so this cannot overflow in 64 bits.
constexpr std::size_t padded(std::size_t size) { return (size + 3) & ~std::size_t{3}; }

inline std::uint32_t load32(const std::byte* p) {
    std::uint32_t word;
    std::memcpy(&word, p, sizeof word);
    return __builtin_bswap32(word);
}

inline std::uint64_t load64(const std::byte* p) {
    std::uint64_t word;
    std::memcpy(&word, p, sizeof word);
    return __builtin_bswap64(word);
}

inline void store32(std::byte* p, std::uint32_t value) {
    value = __builtin_bswap32(value);
    std::memcpy(p, &value, sizeof value);
}

inline void store64(std::byte* p, std::uint64_t value) {
    value = __builtin_bswap64(value);
    std::memcpy(p, &value, sizeof value);
}

}  // namespace bench::limit
