// Counts calls to malloc and related functions, for every library in the process. glibc exports its
// own under these names so that a program may replace them; operator new ends up here too.
#include <cstdlib>

#include "bench/codec/allocations.h"

namespace {
std::size_t counter = 0;  // one thread measures
}

extern "C" {

void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
    ++counter;
    return __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size) {
    ++counter;
    return __libc_calloc(count, size);
}

void* realloc(void* old, std::size_t size) {
    ++counter;
    return __libc_realloc(old, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
    ++counter;
    return __libc_memalign(alignment, size);
}

}  // extern "C"

namespace bench {

bool allocations_counted() { return true; }
std::size_t allocations() { return counter; }

}  // namespace bench
