#include "helio/base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace helio {

void assertion_failed(const char* condition, const char* file, int line) noexcept {
    std::fprintf(stderr, "helio: %s:%d: this must hold and does not: %s\n", file, line, condition);
    std::abort();
}

}  // namespace helio
