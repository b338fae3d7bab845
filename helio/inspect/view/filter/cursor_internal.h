// FilterCursor: a position in a filter's text, and its lexer. The first error is kept; after it the
// results do not matter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "helio/inspect/view/filter/filter_internal.h"

namespace helio::inspect {

class FilterCursor {
 public:
    explicit FilterCursor(std::string_view text) : text_(text) {}

 protected:
    bool good() const { return problem_.empty(); }
    std::uint32_t wrong(std::size_t position, std::string problem);

    void skip_spaces();
    bool take(std::string_view sign);
    bool at_letter() const;

    // With dots: nfs3.WRITE, args.what.name, mount.3. Empty: no word here.
    std::string_view word();
    // "…" with \" for a quote. Other backslashes belong to the pattern.
    std::optional<std::string> quoted();
    // With or without a port or prefix length: 10.0.0.0/8, [2001:db8::1]:2049.
    std::optional<Network> address();
    // 4096, 64K, 0x1000, -1; durations 1.5ms, in nanoseconds.
    std::optional<FilterNumber> number(bool duration);

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t position_ = 0;
    std::string problem_;

 private:
    std::optional<FilterNumber> with_unit(FilterNumber number, double fraction, bool duration,
                                          std::size_t start);
};

}  // namespace helio::inspect
