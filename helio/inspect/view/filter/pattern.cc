#include "helio/inspect/view/filter/pattern.h"

#include <algorithm>
#include <optional>

namespace helio::inspect {

namespace {

constexpr std::string_view kSpecial = ".[]^$()|*+?{}\\";
constexpr int kParenthesesMax = 32;  // inside each other: each is a few frames of stack

std::uint8_t as_byte(char c) { return static_cast<std::uint8_t>(c); }

}  // namespace

// Each part stands behind the one before it, and addresses inside it are relative: it can be moved.
class PatternMaker {
 public:
    explicit PatternMaker(std::string_view text) : text_(text) {}

    Result<Pattern, PatternError> run() {
        if (text_.size() > kPatternSizeMax) return fail(PatternError{kPatternSizeMax, "too long"});
        if (text_.find_first_of(kSpecial) == text_.npos) {
            made_.plain_ = true;
            made_.literal_ = text_;
            return std::move(made_);
        }
        alternatives(0);
        if (problem_.problem.empty() && at_ < text_.size()) wrong("')' without '('");
        if (!problem_.problem.empty()) return fail(std::move(problem_));
        add(Pattern::Op::match);
        return std::move(made_);
    }

 private:
    using Op = Pattern::Op;
    using Step = Pattern::Step;

    bool more() const { return at_ < text_.size() && problem_.problem.empty(); }
    void wrong(const char* problem) {
        if (problem_.problem.empty()) problem_ = {std::min(at_, text_.size()), problem};
    }
    std::vector<Step>& steps() { return made_.steps_; }
    void add(Op op, std::uint8_t byte = 0, std::int16_t other = 0) {
        steps().push_back({op, byte, 1, other});
    }
    void insert(std::size_t where, Step step) {
        steps().insert(steps().begin() + static_cast<std::ptrdiff_t>(where), step);
    }
    std::int16_t since(std::size_t from) const {
        return static_cast<std::int16_t>(made_.steps_.size() - from);
    }

    void alternatives(int depth) {
        std::size_t start = steps().size();
        std::vector<std::size_t> jumps;  // each to the end of all
        sequence(depth);
        while (more() && text_[at_] == '|') {
            ++at_;
            insert(start, {Op::split, 0, 1, static_cast<std::int16_t>(since(start) + 2)});
            jumps.push_back(steps().size());
            add(Op::jump);
            start = steps().size();
            sequence(depth);
        }
        for (const std::size_t jump : jumps) steps()[jump].to = since(jump);
    }

    void sequence(int depth) {
        while (more() && text_[at_] != '|' && text_[at_] != ')') {
            const std::size_t start = steps().size();
            atom(depth);
            while (more() && (text_[at_] == '*' || text_[at_] == '+' || text_[at_] == '?'))
                repeat(start, text_[at_++]);
        }
    }

    void repeat(std::size_t start, char how) {
        const std::int16_t size = since(start);
        if (how == '+') {
            steps().push_back({Op::split, 0, static_cast<std::int16_t>(-size), 1});
            return;
        }
        const bool again = how == '*';
        insert(start, {Op::split, 0, 1, static_cast<std::int16_t>(size + (again ? 2 : 1))});
        if (again) steps().push_back({Op::jump, 0, static_cast<std::int16_t>(-size - 1), 0});
    }

    void atom(int depth) {
        const char c = text_[at_];
        switch (c) {
            case '(':
                if (depth >= kParenthesesMax) return wrong("too many parentheses");
                ++at_;
                alternatives(depth + 1);
                if (!more() || text_[at_] != ')') return wrong("'(' without ')'");
                ++at_;
                return;
            case '*':
            case '+':
            case '?':
                return wrong("nothing to repeat");
            case '{':
            case '}':
                return wrong("counts in braces are not understood here; for the brace itself: \\{");
            case ']':
                return wrong("']' without '['");
            case '[':
                return set();
            case '.':
                add(Op::any);
                break;
            case '^':
                add(Op::begin);
                break;
            case '$':
                add(Op::end);
                break;
            case '\\':
                if (const auto byte = escaped_byte()) add(Op::byte, *byte);
                return;
            default:
                add(Op::byte, as_byte(c));
        }
        ++at_;
    }

    std::optional<std::uint8_t> escaped_byte() {
        if (++at_ >= text_.size()) return wrong("nothing behind '\\'"), std::nullopt;
        const char c = text_[at_];
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))
            return wrong("'\\' goes before . [ ] ^ $ ( ) | * + ? { } \\ / - only"), std::nullopt;
        ++at_;
        return as_byte(c);
    }

    std::optional<std::uint8_t> set_byte() {
        if (text_[at_] == '\\') return escaped_byte();
        return as_byte(text_[at_++]);
    }

    void set() {
        std::bitset<256> in;
        ++at_;
        const bool negated = more() && text_[at_] == '^';
        if (negated) ++at_;
        for (bool first = true; more() && (first || text_[at_] != ']'); first = false) {
            const auto low = set_byte();
            if (!low) return;
            auto high = low;
            if (at_ + 1 < text_.size() && text_[at_] == '-' && text_[at_ + 1] != ']') {
                ++at_;
                high = set_byte();
                if (!high) return;
            }
            if (*high < *low) return wrong("a range that ends before it begins");
            for (unsigned byte = *low; byte <= *high; ++byte) in.set(byte);
        }
        if (!more()) return wrong("'[' without ']'");
        ++at_;
        add(Op::set, 0, static_cast<std::int16_t>(made_.sets_.size()));
        made_.sets_.push_back(negated ? ~in : in);
    }

    std::string_view text_;
    std::size_t at_ = 0;
    Pattern made_;
    PatternError problem_;
};

Result<Pattern, PatternError> Pattern::make(std::string_view text) {
    return PatternMaker{text}.run();
}

void Pattern::Ways::clear(std::size_t steps) {
    dense_.clear();
    if (sparse_.size() < steps) sparse_.resize(steps);
}

bool Pattern::Ways::add(std::uint16_t step) {
    const std::uint16_t place = sparse_[step];
    if (place < dense_.size() && dense_[place] == step) return false;
    sparse_[step] = static_cast<std::uint16_t>(dense_.size());
    dense_.push_back(step);
    return true;
}

// From a step on to all that take a byte. True: the match is reached.
bool Pattern::follow(Ways& ways, std::uint16_t step, bool at_begin, bool at_end) const {
    std::size_t next = ways.all().size();
    ways.add(step);
    for (; next < ways.all().size(); ++next) {
        const std::uint16_t at = ways.all()[next];
        const Step& here = steps_[at];
        const auto to = [&](int distance) { ways.add(static_cast<std::uint16_t>(at + distance)); };
        switch (here.op) {
            case Op::match:
                return true;
            case Op::split:
                to(here.to);
                to(here.other);
                break;
            case Op::jump:
                to(here.to);
                break;
            case Op::begin:
                if (at_begin) to(1);
                break;
            case Op::end:
                if (at_end) to(1);
                break;
            default:
                break;
        }
    }
    return false;
}

bool Pattern::takes(const Step& step, char c) const {
    switch (step.op) {
        case Op::byte:
            return step.byte == as_byte(c);
        case Op::any:
            return true;
        case Op::set:
            return sets_[static_cast<std::size_t>(step.other)][as_byte(c)];
        default:
            return false;
    }
}

bool Pattern::found_in(std::string_view text) const {
    if (plain_) return text.find(literal_) != text.npos;
    now_.clear(steps_.size());
    for (std::size_t at = 0;; ++at) {
        const bool at_end = at == text.size();
        if (follow(now_, 0, at == 0, at_end)) return true;
        if (at_end) return false;
        next_.clear(steps_.size());
        for (const std::uint16_t way : now_.all()) {
            if (!takes(steps_[way], text[at])) continue;
            if (follow(next_, static_cast<std::uint16_t>(way + 1), false, at + 1 == text.size()))
                return true;
        }
        std::swap(now_, next_);
    }
}

}  // namespace helio::inspect
