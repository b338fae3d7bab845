// Headers that most files of the libraries read, parsed once (HELIO_PCH). helio_precompiled() in
// CMake adds headers of ours for the folders that read them everywhere.
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
// libfmt 9 has this one, and it is seconds of work; its header forgets to say so. Clang calls it by
// another name than GCC did, who made the library.
extern template void fmt::detail::vformat_to<char>(fmt::detail::buffer<char>&, fmt::string_view,
                                                   fmt::format_args, fmt::detail::locale_ref);
#endif
