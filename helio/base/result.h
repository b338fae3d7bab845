// Result<T, E>: a value or the reason there is none. GCC 12 has std::expected only in C++23 mode
// and Clang 14, which the fuzzers need, not at all; tl::expected is the same thing today.
#pragma once

#include <tl/expected.hpp>

namespace helio {

template <class T, class E>
using Result = tl::expected<T, E>;

template <class E>
tl::unexpected<std::decay_t<E>> fail(E&& error) {
    return tl::unexpected<std::decay_t<E>>(std::forward<E>(error));
}

}  // namespace helio
