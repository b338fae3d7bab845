// How long a test waits for something that should happen at once. It only ends a test that hangs:
// no slow or busy machine may reach it, and nothing is measured against it.
#pragma once

#include <chrono>

namespace helio {

// Well below CTest's own limit (HELIO_TEST_HANG_S in cmake/helio.cmake), so that the test itself
// reports where it hangs.
inline constexpr std::chrono::seconds kTestPatience{120};

}  // namespace helio
