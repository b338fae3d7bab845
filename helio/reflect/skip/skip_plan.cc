#include "helio/reflect/skip/skip_plan.h"

#include <algorithm>
#include <utility>

#include "helio/reflect/rules_internal.h"
#include "helio/xdr/wire.h"

namespace helio::reflect {
namespace {

using idl::Kind;
using idl::Type;

// Nesting of values that are skipped; only a recursive type can exceed it.
constexpr int kPassDepthMax = 64;

class Passer {
 public:
    explicit Passer(ByteView bytes) : bytes_(bytes) {}

    std::size_t at() const { return at_; }

    bool fixed(std::uint64_t size) {
        if (size > bytes_.size() - at_) return false;
        at_ += static_cast<std::size_t>(size);
        return true;
    }
    bool word(std::uint32_t& out) {
        if (bytes_.size() - at_ < 4) return false;
        out = xdr::load_u32(bytes_.data() + at_);
        at_ += 4;
        return true;
    }
    bool body() {
        std::uint32_t size = 0;
        return word(size) && fixed(padded(size));
    }

    bool value(const Type& declared, int depth) {
        const Type& type = idl::resolve(declared);
        if (type.fixed_size()) return fixed(type.wire_min);
        if (depth >= kPassDepthMax) return false;
        switch (type.kind) {
            case Kind::opaque_variable:
            case Kind::string:
                return body();
            case Kind::array_fixed:
                return elements(*type.element, type.bound, depth);
            case Kind::array_variable: {
                std::uint32_t count = 0;
                return word(count) && elements(*type.element, count, depth);
            }
            case Kind::optional:
                return is_list(type) ? list(type, depth) : optional(type, depth);
            case Kind::structure:
                for (const idl::Field& field : type.fields)
                    if (!value(*field.type, depth + 1)) return false;
                return true;
            case Kind::union_:
                return union_of(type, depth);
            default:
                return false;
        }
    }

 private:
    bool elements(const Type& element, std::uint32_t count, int depth) {
        if (element.fixed_size()) return fixed(element.wire_min * count);
        for (; count != 0; --count)  // ends with the bytes: every element takes some
            if (!value(element, depth + 1)) return false;
        return true;
    }
    bool optional(const Type& type, int depth) {
        std::uint32_t present = 0;
        return word(present) && (present == 0 || value(*type.element, depth + 1));
    }
    bool list(const Type& type, int depth) {
        const Type& node = idl::resolve(*type.element);
        std::uint32_t present = 0;
        while (word(present)) {
            if (present == 0) return true;
            for (std::size_t i = 0; i + 1 < node.fields.size(); ++i)
                if (!value(*node.fields[i].type, depth + 1)) return false;
        }
        return false;
    }
    bool union_of(const Type& type, int depth) {
        std::uint32_t got = 0;
        if (!word(got)) return false;
        const idl::Arm* const arm =
            type.arm_for(number_in(idl::resolve(*type.discriminant.type), got));
        return arm != nullptr && value(*arm->field.type, depth + 1);
    }

    ByteView bytes_;
    std::size_t at_ = 0;
};

// Beyond this, a plan leaves the rest to Passer: a schema can nest types so that their steps double
// with each level. The largest plan of the schemas that come with helio has fewer than 200.
constexpr std::size_t kStepsMax = 1024;

// Discriminants below this are an index into a table. NFS 4 has errors up to 10099.
constexpr std::uint32_t kDenseMax = 256;

// Beyond the end of any bytes.
constexpr std::size_t kFailed = SIZE_MAX;

}  // namespace

std::optional<std::size_t> size_of_value(const Type& type, ByteView bytes) {
    Passer passer{bytes};
    if (!passer.value(type, 0)) return std::nullopt;
    return passer.at();
}

// ---- Compiling ----

class SkipCompiler final {
 public:
    explicit SkipCompiler(SkipPlan& plan) : plan_(plan) {}

    void value(const Type& declared, int depth) {
        const Type& type = idl::resolve(declared);
        if (type.fixed_size() && type.wire_min <= UINT32_MAX) return fixed(type.wire_min);
        const bool is_nested_in_itself = type.recursive && !is_list(type);
        if (type.fixed_size() || is_nested_in_itself || plan_.steps_.size() >= kStepsMax)
            return by_type(type, depth);
        switch (depth < kPassDepthMax ? type.kind : Kind::void_) {
            case Kind::opaque_variable:
            case Kind::string:
                add(Step::Kind::bytes);
                return;
            case Kind::array_fixed:
                return loop(Step::Kind::repeat, type.bound,
                            [&] { value(*type.element, depth + 1); });
            case Kind::array_variable:
                return array(type, depth);
            case Kind::optional:
                return is_list(type) ? list(type, depth) : optional(type, depth);
            case Kind::structure:
                for (const idl::Field& field : type.fields) value(*field.type, depth + 1);
                return;
            case Kind::union_:
                return union_of(type, depth);
            default:
                add(Step::Kind::fail);
                return;
        }
    }

 private:
    using Step = SkipPlan::Step;

    std::uint32_t here() const { return static_cast<std::uint32_t>(plan_.steps_.size()); }
    std::uint32_t add(Step::Kind kind, std::uint32_t size = 0) {
        plan_.steps_.push_back({.kind = kind, .size = size});
        return here() - 1;
    }
    // Steps go to here: what follows is no part of the step before it.
    void land(std::uint32_t step) {
        plan_.steps_[step].to = here();
        landed_ = here();
    }

    void fixed(std::uint64_t size) {
        if (size == 0) return;
        std::uint32_t* const before =
            here() == 0 ? &plan_.fixed_first_
            : landed_ != here() && plan_.steps_.back().kind == Step::Kind::fixed
                ? &plan_.steps_.back().size
                : nullptr;
        if (before != nullptr && *before + size <= UINT32_MAX)
            *before += static_cast<std::uint32_t>(size);
        else
            add(Step::Kind::fixed, static_cast<std::uint32_t>(size));
    }
    void by_type(const Type& type, int depth) {
        add(Step::Kind::value, static_cast<std::uint32_t>(plan_.values_.size()));
        plan_.values_.push_back({&type, depth});
    }
    template <class Body>
    void loop(Step::Kind kind, std::uint32_t count, const Body& body) {
        const std::uint32_t start = add(kind, count);
        landed_ = here();
        body();
        land(start);
    }
    void array(const Type& type, int depth) {
        const Type& element = *type.element;
        if (element.fixed_size() && element.wire_min <= UINT32_MAX)
            add(Step::Kind::array, static_cast<std::uint32_t>(element.wire_min));
        else
            loop(Step::Kind::elements, 0, [&] { value(element, depth + 1); });
    }
    void optional(const Type& type, int depth) {
        const std::uint32_t start = add(Step::Kind::optional);
        value(*type.element, depth + 1);
        land(start);
    }
    void list(const Type& type, int depth) {
        const Type& node = idl::resolve(*type.element);
        loop(Step::Kind::list, 0, [&] {
            for (std::size_t i = 0; i + 1 < node.fields.size(); ++i)
                value(*node.fields[i].type, depth + 1);
        });
    }

    // Words that choose a case, in order.
    static std::vector<std::uint32_t> words_of(const Type& type) {
        const Type& discriminant = idl::resolve(*type.discriminant.type);
        std::vector<std::uint32_t> out;
        for (const auto& [number, arm] : type.by_value) {
            const auto word = static_cast<std::uint32_t>(number);
            if (number_in(discriminant, word) == number) out.push_back(word);
        }
        std::sort(out.begin(), out.end());
        out.erase(std::unique(out.begin(), out.end()), out.end());
        return out;
    }
    const idl::Arm* arm_for(const Type& type, std::uint32_t word) {
        return type.arm_for(number_in(idl::resolve(*type.discriminant.type), word));
    }
    const idl::Arm* default_of(const Type& type) {
        return !type.arms.empty() && type.arms.back().is_default ? &type.arms.back() : nullptr;
    }
    void arm(const idl::Arm* chosen, int depth) {
        if (chosen == nullptr)
            add(Step::Kind::fail);
        else
            value(*chosen->field.type, depth + 1);
    }

    void union_of(const Type& type, int depth) {
        const std::vector<std::uint32_t> words = words_of(type);
        if (words.size() != 1) return choose(type, words, depth);
        const std::uint32_t start = add(Step::Kind::equal, words[0]);
        arm(arm_for(type, words[0]), depth);
        const idl::Arm* const otherwise = default_of(type);
        if (otherwise != nullptr && otherwise->field.type->kind == Kind::void_) return land(start);
        const std::uint32_t out = add(Step::Kind::jump);
        land(start);
        arm(otherwise, depth);
        land(out);
    }

    void choose(const Type& type, const std::vector<std::uint32_t>& words, int depth) {
        const auto index = static_cast<std::uint32_t>(plan_.choices_.size());
        plan_.choices_.emplace_back();
        add(Step::Kind::choose, index);
        SkipPlan::Choice made;
        std::vector<std::uint32_t> outs;
        const auto begin_arm = [&](const idl::Arm* chosen) {
            const std::uint32_t at = landed_ = here();
            arm(chosen, depth);
            outs.push_back(add(Step::Kind::jump));
            return at;
        };
        made.otherwise = begin_arm(default_of(type));
        std::vector<std::pair<const idl::Arm*, std::uint32_t>> begun;
        for (const std::uint32_t word : words) {
            const idl::Arm* const chosen = arm_for(type, word);
            auto known = std::find_if(begun.begin(), begun.end(),
                                      [&](const auto& one) { return one.first == chosen; });
            if (known == begun.end()) known = begun.insert(known, {chosen, begin_arm(chosen)});
            if (word >= kDenseMax) {
                made.others.emplace_back(word, known->second);
                continue;
            }
            made.dense.resize(word + 1, made.otherwise);
            made.dense[word] = known->second;
        }
        for (const std::uint32_t out : outs) land(out);
        plan_.choices_[index] = std::move(made);
    }

    SkipPlan& plan_;
    std::uint32_t landed_ = UINT32_MAX;  // the last step that another one goes to
};

SkipPlan SkipPlan::over(const Type& type) {
    SkipPlan plan;
    SkipCompiler{plan}.value(type, 0);
    return plan;
}

// ---- Following ----

std::uint32_t SkipPlan::Choice::of(std::uint32_t discriminant) const {
    if (discriminant < dense.size()) return dense[discriminant];
    const auto found =
        std::lower_bound(others.begin(), others.end(), discriminant,
                         [](const auto& one, std::uint32_t wanted) { return one.first < wanted; });
    return found != others.end() && found->first == discriminant ? found->second : otherwise;
}

// A fixed size is at most 2^32 and is added without a check; `at` cannot wrap around before the
// next word is read, which checks it. Nothing is called in the loop, except at its end, so that it
// needs no stack frame: most values take one to three steps.
std::size_t SkipPlan::run(const Step* step, const Step* const end, ByteView bytes,
                          std::size_t at) const {
    const Step* const first = steps_.data();
    while (step != end) {
        const Step& now = *step++;
        if (now.kind == Step::Kind::fixed) {
            at += now.size;
            continue;
        }
        if (now.kind > Step::Kind::choose) {
            if (now.kind != Step::Kind::jump) return run_rare(&now, end, bytes, at);
            step = first + now.to;
            continue;
        }
        if (at + 4 > bytes.size()) return kFailed;
        const std::uint32_t word = xdr::load_u32(bytes.data() + at);
        switch (now.kind) {
            case Step::Kind::bytes:
                at += 4 + padded(word);
                break;
            case Step::Kind::array:
                at += 4;
                if (std::uint64_t{word} * now.size > bytes.size() - at) return kFailed;
                at += std::size_t{word} * now.size;
                break;
            case Step::Kind::equal:
                at += 4;
                if (word != now.size) step = first + now.to;
                break;
            case Step::Kind::optional:
                at += 4;
                if (word == 0) step = first + now.to;
                break;
            default:
                return run_rare(&now, end, bytes, at);
        }
    }
    return at;
}

// One step that takes a search or steps of its own, and those after it.
std::size_t SkipPlan::run_rare(const Step* step, const Step* const end, ByteView bytes,
                               std::size_t at) const {
    const Step& now = *step++;
    std::uint32_t word = 0;
    if (now.kind <= Step::Kind::choose) {
        if (at + 4 > bytes.size()) return kFailed;
        word = xdr::load_u32(bytes.data() + at);
        at += 4;
    }
    switch (now.kind) {
        case Step::Kind::choose:
            step = steps_.data() + choices_[now.size].of(word);
            break;
        case Step::Kind::elements:
        case Step::Kind::list:
        case Step::Kind::repeat:
            at = run_loop(now, word, bytes, at);
            step = steps_.data() + now.to;
            break;
        case Step::Kind::value:
            at = run_value(values_[now.size], bytes, at);
            break;
        default:
            return kFailed;
    }
    return at == kFailed ? kFailed : run(step, end, bytes, at);
}

// `word` is the count, or whether the list has an element. Ends with the bytes: every element takes
// some.
std::size_t SkipPlan::run_loop(const Step& step, std::uint32_t word, ByteView bytes,
                               std::size_t at) const {
    const Step* const body = &step + 1;
    const Step* const end = steps_.data() + step.to;
    const bool is_list = step.kind == Step::Kind::list;
    if (step.kind == Step::Kind::repeat) word = step.size;
    while (word != 0) {
        at = run(body, end, bytes, at);
        if (at > bytes.size()) return kFailed;
        --word;
        if (!is_list) continue;
        if (bytes.size() - at < 4) return kFailed;
        word = xdr::load_u32(bytes.data() + at);
        at += 4;
    }
    return at;
}

std::size_t SkipPlan::run_value(const Value& value, ByteView bytes, std::size_t at) const {
    if (at > bytes.size()) return kFailed;
    Passer passer{bytes.subspan(at)};
    return passer.value(*value.type, value.depth) ? at + passer.at() : kFailed;
}

}  // namespace helio::reflect
