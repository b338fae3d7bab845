// Headers that most files of the libraries include, parsed once (HELIO_PCH). helio_precompiled() in
// CMake adds our own headers for folders that include them everywhere.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <charconv>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <tl/expected.hpp>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#if defined(FMT_SHARED) && FMT_VERSION / 10000 == 9 && !defined(__clang__)
// libfmt 9 contains this instantiation, which takes seconds to compile, but its header does not
// declare it. Clang's name for it differs from that of GCC, which compiled the library.
extern template void fmt::detail::vformat_to<char>(fmt::detail::buffer<char>&, fmt::string_view,
                                                   fmt::format_args, fmt::detail::locale_ref);
#endif
