// Filter: selects exchanges by an expression:
//
//     nfs3.WRITE && args.count > 64K && path ~ "/db/"
//     status == NFS3ERR_NOENT || latency > 10ms
//     client == 10.0.0.0/8 && !(READ || WRITE) && missing == reply
//
// Operation names stand alone; everything else is compared with == != < <= > >= ~ !~ or used alone
// (true if present and not zero; a struct only has to be present). args.X and result.X are
// schema fields, resolved for each procedure when the filter is parsed. An exchange does not match,
// whatever the comparison, if its procedure lacks the field or its bytes do not reach it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "helio/base/result.h"
#include "helio/inspect/catalogue.h"
#include "helio/inspect/exchange.h"
#include "helio/inspect/view/names.h"

namespace helio::inspect {

inline constexpr std::size_t kFilterSizeMax = 4096;  // bytes of text: a screenful
inline constexpr int kFilterDepthMax = 64;           // nesting of parentheses and '!'

struct FilterError {
    std::string text;          // the whole filter
    std::size_t position = 0;  // of the wrong byte
    std::string problem;       // what is wrong, and what to use instead
};
// The problem, the filter, and a caret under the place; several lines, safe for a terminal.
std::string to_string(const FilterError& error);

// The language and its fields, as lines for a terminal.
std::string filter_help();

class Filter final {
 public:
    // The catalogue must outlive the filter.
    static Result<Filter, FilterError> parse(std::string_view text, const Catalogue& catalogue);

    Filter(Filter&&) noexcept;
    Filter& operator=(Filter&&) noexcept;
    ~Filter();

    // Not thread-safe.
    bool matches(const Exchange& exchange, Names& names) const;

 private:
    struct Program;  // filter_internal.h
    friend class FilterParser;
    explicit Filter(std::unique_ptr<Program> program);
    std::unique_ptr<Program> program_;
};

}  // namespace helio::inspect
