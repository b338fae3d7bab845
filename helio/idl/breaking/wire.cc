// Compares types by their encoding.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "helio/idl/breaking/breaking.h"
#include "helio/idl/keyword.h"

namespace helio::idl {
namespace {

using Pair = std::pair<const Type*, const Type*>;

struct PairHash {
    std::size_t operator()(const Pair& pair) const {
        const std::hash<const Type*> hash;
        return hash(pair.first) * 31 + hash(pair.second);
    }
};

// Typedefs are replaced by their target. A struct is the sequence of its fields, so a struct whose
// single field takes any bytes is that field. Recursion by value is an error, so this terminates.
const Type& stripped(const Type& type) {
    const Type* inner = &resolve(type);
    while (inner->kind == Kind::structure) {
        const Type* only = nullptr;
        for (const Field& field : inner->fields) {
            if (field.type->wire_max == 0) continue;
            if (only != nullptr) return *inner;
            only = field.type;
        }
        if (only == nullptr) return *inner;
        inner = &resolve(*only);
    }
    return *inner;
}

// What follows each value of the discriminant. `rest` is the default arm.
struct ArmTable {
    std::map<std::int64_t, const Type*> by_value;
    const Type* rest = nullptr;

    const Type* at(std::int64_t value) const {
        const auto found = by_value.find(value);
        return found == by_value.end() ? rest : found->second;
    }
};

ArmTable arm_table(const Type& type) {
    ArmTable table;
    for (const Arm& arm : type.arms) {
        if (arm.is_default) table.rest = arm.field.type;
        for (const auto& label : arm.cases) table.by_value.emplace(label.value, arm.field.type);
    }
    return table;
}

// All values that a strict reader accepts; nothing if it accepts every word.
std::optional<std::set<std::int64_t>> closed_values(const Type& type) {
    if (type.kind == Kind::boolean) return std::set<std::int64_t>{0, 1};
    if (type.kind != Kind::enumeration || type.open()) return std::nullopt;
    std::set<std::int64_t> values;
    for (const auto& enumerator : type.enumerators) values.insert(enumerator.value);
    return values;
}

// RFC 4506 §4.19: `T *x`, `T x<1>` and `union switch (bool) { TRUE: T x; FALSE: void; }` have the
// same encoding. Returns the element, or nullptr.
const Type* element_of_maybe(const Type& type) {
    if (type.kind == Kind::optional) return type.element;
    if (type.kind == Kind::array_variable && type.bound == 1) return type.element;
    if (type.kind != Kind::union_ || resolve(*type.discriminant.type).kind != Kind::boolean)
        return nullptr;
    const auto arms = arm_table(type);
    const Type* absent = arms.at(0);
    const Type* present = arms.at(1);
    if (absent == nullptr || present == nullptr || absent->wire_max != 0) return nullptr;
    return present;
}

// `string` and `opaque<>` are the same on the wire, and so are `int` and an open enum.
Kind wire_kind(const Type& type) {
    if (type.kind == Kind::string) return Kind::opaque_variable;
    if (type.kind == Kind::boolean) return Kind::enumeration;
    if (type.kind == Kind::enumeration && type.open()) return Kind::int_;
    return type.kind;
}

class WireComparison {
 public:
    bool same(const Type& before, const Type& after) {
        // All pairs must agree, so the first one that does not ends the comparison; a pair seen
        // before is already being compared. A work list instead of recursion, since schemas may
        // nest deeply.
        push(before, after);
        while (!work_.empty()) {
            const auto [a, b] = work_.back();
            work_.pop_back();
            if (!same_here(*a, *b)) return false;
        }
        return true;
    }

 private:
    void push(const Type& before, const Type& after) {
        const Pair pair{&stripped(before), &stripped(after)};
        if (seen_.insert(pair).second) work_.push_back(pair);
    }

    bool same_here(const Type& a, const Type& b) {
        if (a.wire_max == 0 && b.wire_max == 0) return true;
        const Type* maybe_a = element_of_maybe(a);
        const Type* maybe_b = element_of_maybe(b);
        if (maybe_a != nullptr && maybe_b != nullptr) return push(*maybe_a, *maybe_b), true;
        if (wire_kind(a) != wire_kind(b)) return false;
        switch (wire_kind(a)) {
            case Kind::enumeration:
                return closed_values(a) == closed_values(b);
            case Kind::opaque_fixed:
            case Kind::opaque_variable:
                return a.bound == b.bound;
            case Kind::array_fixed:
            case Kind::array_variable:
                return push(*a.element, *b.element), a.bound == b.bound;
            case Kind::optional:
                return push(*a.element, *b.element), true;
            case Kind::structure:
                return same_fields(a, b);
            case Kind::union_:
                return same_arms(a, b);
            default:
                return true;  // the kinds alone decide
        }
    }

    bool same_fields(const Type& a, const Type& b) {
        const auto next = [](const Type& type, std::size_t at) {
            while (at < type.fields.size() && type.fields[at].type->wire_max == 0) ++at;
            return at;
        };
        std::size_t i = next(a, 0);
        std::size_t j = next(b, 0);
        for (; i < a.fields.size() && j < b.fields.size(); i = next(a, i + 1), j = next(b, j + 1)) {
            push(*a.fields[i].type, *b.fields[j].type);
        }
        return i == a.fields.size() && j == b.fields.size();
    }

    bool same_arms(const Type& a, const Type& b) {
        push(*a.discriminant.type, *b.discriminant.type);
        const auto arms_a = arm_table(a);
        const auto arms_b = arm_table(b);
        const auto agree = [this](const Type* before, const Type* after) {
            if (before == nullptr || after == nullptr) return before == after;
            push(*before, *after);
            return true;
        };
        const auto agree_at = [&](std::int64_t value) {
            return agree(arms_a.at(value), arms_b.at(value));
        };
        if (const auto values = closed_values(resolve(*a.discriminant.type))) {
            return std::all_of(values->begin(), values->end(), agree_at);
        }
        const auto agree_on = [&](const ArmTable& table) {
            return std::all_of(table.by_value.begin(), table.by_value.end(),
                               [&](const auto& entry) { return agree_at(entry.first); });
        };
        return agree(arms_a.rest, arms_b.rest) && agree_on(arms_a) && agree_on(arms_b);
    }

    std::unordered_set<Pair, PairHash> seen_;
    std::vector<Pair> work_;
};

std::string bound_text(const Type& type) {
    return type.bound == kUnbounded ? std::string{} : fmt::format("{}", type.bound);
}

}  // namespace

bool same_wire(const Type& before, const Type& after) {
    return WireComparison{}.same(before, after);
}

std::string spell(const Type& type) {
    if (!type.name.empty()) return type.name;
    switch (type.kind) {
        case Kind::opaque_fixed:
            return fmt::format("opaque[{}]", type.bound);
        case Kind::opaque_variable:
            return fmt::format("opaque<{}>", bound_text(type));
        case Kind::string:
            return fmt::format("string<{}>", bound_text(type));
        // Inside a declaration the element is a name, so the recursion is not deep.
        case Kind::array_fixed:
            return fmt::format("{}[{}]", spell(*type.element), type.bound);
        case Kind::array_variable:
            return fmt::format("{}<{}>", spell(*type.element), bound_text(type));
        case Kind::optional:
            return fmt::format("{} *", spell(*type.element));
        default:
            return std::string{keyword(type.kind)};
    }
}

}  // namespace helio::idl
