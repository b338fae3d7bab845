#include "helio/inspect/view/filter/pattern.h"

#include <re2/re2.h>

#include "helio/base/text/escape.h"

namespace helio::inspect {

namespace {

constexpr std::string_view kSpecial = ".[]^$()|*+?{}\\";

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

RE2::Options options() {
    RE2::Options out{RE2::Latin1};
    out.set_dot_nl(true);
    out.set_never_capture(true);
    out.set_log_errors(false);
    out.set_max_mem(kPatternMemoryMax);
    return out;
}

// RE2 reports the wrong piece of the pattern, not its position, and quotes the piece unescaped.
PatternError error_of(std::string_view text, const RE2& expression) {
    const std::size_t at = text.rfind(expression.error_arg());
    return {at == text.npos ? 0 : at, printable(expression.error())};
}

}  // namespace

Pattern::Pattern() = default;
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;
Pattern::~Pattern() = default;

Result<Pattern, PatternError> Pattern::make(std::string_view text) {
    if (text.size() > kPatternSizeMax) return fail(PatternError{kPatternSizeMax, "too long"});
    Pattern made;
    if (text.find_first_of(kSpecial) == text.npos) {
        made.literal_ = text;
        return made;
    }
    made.expression_ = std::make_unique<RE2>(piece(text), options());
    if (!made.expression_->ok()) return fail(error_of(text, *made.expression_));
    return made;
}

bool Pattern::found_in(std::string_view text) const {
    if (expression_ == nullptr) return text.find(literal_) != text.npos;
    return RE2::PartialMatch(piece(text), *expression_);
}

}  // namespace helio::inspect
