// HELIO_ASSERT(condition): aborts on a programmer's mistake. It never guards against a peer's: no
// input can make it fail. It is on in release builds too, since the conditions are cheap.
#pragma once

namespace helio {
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line) noexcept;
}  // namespace helio

#define HELIO_ASSERT(condition)                          \
    (static_cast<bool>(condition) ? static_cast<void>(0) \
                                  : ::helio::assertion_failed(#condition, __FILE__, __LINE__))
