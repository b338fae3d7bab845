// Filter: which exchanges are wanted, as a person writes it:
//
//     nfs3.WRITE && args.count > 64K && path ~ "/db/"
//     status == NFS3ERR_NOENT || latency > 10ms
//     client == 10.0.0.0/8 && !(READ || WRITE) && missing == reply
//
// Names of operations stand alone; all else is compared by == != < <= > >= ~ !~ or asked for alone
// ("is there, and not zero"). args.X and result.X are fields of the schemas, found by a plan for
// each procedure made when the filter is: an exchange whose procedure lacks the field, or whose
// bytes do not reach it, does not match, whatever the comparison.
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
inline constexpr int kFilterDepthMax = 64;           // parentheses and '!' inside each other

struct FilterError {
    std::string text;          // the whole filter
    std::size_t position = 0;  // of the byte that is wrong
    std::string problem;       // what, and what there is instead
};
// The problem, the filter, and a caret under the place; several lines, safe for a terminal.
std::string to_string(const FilterError& error);

class Filter final {
 public:
    // The catalogue must outlive the filter.
    static Result<Filter, FilterError> parse(std::string_view text, const Catalogue& catalogue);

    Filter(Filter&&) noexcept;
    Filter& operator=(Filter&&) noexcept;
    ~Filter();

    // Not from two threads at once.
    bool matches(const Exchange& exchange, Names& names) const;

 private:
    struct Program;  // filter_internal.h
    friend class FilterParser;
    explicit Filter(std::unique_ptr<Program> program);
    std::unique_ptr<Program> program_;
};

}  // namespace helio::inspect
