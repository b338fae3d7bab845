#include "bench/codec/allocations.h"

namespace bench {

bool allocations_counted() { return false; }
std::size_t allocations() { return 0; }

}  // namespace bench
