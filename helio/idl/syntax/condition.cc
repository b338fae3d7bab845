#include <array>
#include <utility>

#include "helio/idl/parse.h"
#include "helio/idl/syntax/condition_internal.h"
#include "helio/idl/syntax/number_internal.h"

namespace helio::idl {
namespace {

struct Operator {
    std::string_view text;
    int strength;  // binds tighter when larger
};

// Longer spellings before their prefixes.
constexpr std::array kOperators{
    Operator{"||", 1}, Operator{"&&", 2}, Operator{"==", 5}, Operator{"!=", 5}, Operator{"<<", 7},
    Operator{">>", 7}, Operator{"<=", 6}, Operator{">=", 6}, Operator{"<", 6},  Operator{">", 6},
    Operator{"|", 3},  Operator{"&", 4},  Operator{"+", 8},  Operator{"-", 8},  Operator{"*", 9},
    Operator{"/", 9},  Operator{"%", 9},
};

bool is_name_part(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Wrapping arithmetic, so that no condition causes undefined behavior.
std::optional<std::int64_t> apply(std::string_view op, std::int64_t left, std::int64_t right) {
    const auto l = static_cast<std::uint64_t>(left);
    const auto r = static_cast<std::uint64_t>(right);
    const auto wrapped = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
    if (op == "||") return left != 0 || right != 0;
    if (op == "&&") return left != 0 && right != 0;
    if (op == "==") return left == right;
    if (op == "!=") return left != right;
    if (op == "<=") return left <= right;
    if (op == ">=") return left >= right;
    if (op == "<") return left < right;
    if (op == ">") return left > right;
    if (op == "|") return left | right;
    if (op == "&") return left & right;
    if (op == "+") return wrapped(l + r);
    if (op == "-") return wrapped(l - r);
    if (op == "*") return wrapped(l * r);
    if (op == "<<" || op == ">>") {
        if (right < 0 || right > 63) return std::nullopt;
        return op == "<<" ? wrapped(l << r) : left >> right;
    }
    if (right == 0 || right == -1) {  // -1: INT64_MIN / -1 does not fit
        if (right == 0) return std::nullopt;
        return op == "/" ? wrapped(0 - l) : 0;
    }
    return op == "/" ? left / right : left % right;
}

class Evaluator {
 public:
    Evaluator(std::string_view text, const Macros& macros, UnknownName unknown)
        : rest_(text), macros_(macros), unknown_(unknown) {}

    std::optional<std::int64_t> run() {
        const auto value = expression(0);
        skip_blanks();
        return rest_.empty() ? value : std::nullopt;
    }

 private:
    void skip_blanks() {
        while (!rest_.empty() && std::string_view(" \t\r\n\\").find(rest_[0]) != rest_.npos) {
            rest_.remove_prefix(1);
        }
    }

    bool take(std::string_view wanted) {
        skip_blanks();
        if (!rest_.starts_with(wanted)) return false;
        rest_.remove_prefix(wanted.size());
        return true;
    }

    std::string_view take_word() {
        skip_blanks();
        std::size_t size = 0;
        while (size < rest_.size() && is_name_part(rest_[size])) ++size;
        const std::string_view word = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return word;
    }

    const Operator* next_operator() {
        skip_blanks();
        for (const Operator& each : kOperators) {
            if (rest_.starts_with(each.text)) return &each;
        }
        return nullptr;
    }

    std::optional<std::int64_t> expression(int weaker_than) {
        auto left = operand();
        for (const Operator* op = next_operator(); left && op && op->strength > weaker_than;
             op = next_operator()) {
            rest_.remove_prefix(op->text.size());
            const auto right = expression(op->strength);
            left = right ? apply(op->text, *left, *right) : std::nullopt;
        }
        return left;
    }

    std::optional<std::int64_t> operand() {
        if (++depth_ > kNestingMax) return std::nullopt;
        const auto value = operand_unguarded();
        --depth_;
        return value;
    }

    std::optional<std::int64_t> operand_unguarded() {
        if (take("!")) {
            const auto value = operand();
            return value ? std::optional<std::int64_t>(*value == 0) : std::nullopt;
        }
        if (take("-")) {
            const auto value = operand();
            return value ? apply("-", 0, *value) : std::nullopt;
        }
        if (take("(")) {
            const auto value = expression(0);
            return take(")") ? value : std::nullopt;
        }
        const std::string_view word = take_word();
        if (word.empty()) return std::nullopt;
        if (word == "defined") return is_defined();
        if (word[0] >= '0' && word[0] <= '9') return number(word);
        const auto found = macros_.find(word);
        if (found != macros_.end() && found->second) return found->second;
        return unknown_ == UnknownName::zero ? std::optional<std::int64_t>(0) : std::nullopt;
    }

    std::optional<std::int64_t> is_defined() {
        const bool parenthesis = take("(");
        const std::string_view name = take_word();
        if (name.empty() || (parenthesis && !take(")"))) return std::nullopt;
        return macros_.contains(name);
    }

    static std::optional<std::int64_t> number(std::string_view digits) {
        const Number read = read_number(digits);
        if (read.fault != NumberFault::none) return std::nullopt;
        return static_cast<std::int64_t>(read.magnitude);
    }

    std::string_view rest_;
    const Macros& macros_;
    UnknownName unknown_;
    std::size_t depth_ = 0;
};

}  // namespace

std::optional<std::int64_t> evaluate_condition(std::string_view text, const Macros& macros,
                                               UnknownName unknown) {
    return Evaluator(text, macros, unknown).run();
}

}  // namespace helio::idl
