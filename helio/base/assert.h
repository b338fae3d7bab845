// HELIO_ASSERT: a programmer's mistake, never a peer's. On in release builds too: the
// conditions it stands at are cheap, and no input can reach it.
#pragma once

namespace helio {
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line) noexcept;
}  // namespace helio

#define HELIO_ASSERT(condition)                          \
    (static_cast<bool>(condition) ? static_cast<void>(0) \
                                  : ::helio::assertion_failed(#condition, __FILE__, __LINE__))
