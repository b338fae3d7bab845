// Result<T, E>: a value, or the reason why there is none. It is tl::expected because GCC 12 has
// std::expected only in C++23 mode, and Clang 14, which the fuzzers need, does not have it at all.
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
