// Counts heap allocations. Only codec_allocations counts: a counter in malloc would add its
// instructions to the side that allocates, so codec_bench is linked without it.
#pragma once

#include <cstddef>

namespace bench {

bool allocations_counted();
std::size_t allocations();

}  // namespace bench
