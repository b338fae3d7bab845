#include "helio/reflect/field_plan.h"

#include <algorithm>

#include "helio/reflect/rules_internal.h"
#include "helio/xdr/wire.h"

namespace helio::reflect {
namespace {

using idl::Kind;
using idl::Type;

bool is_bytes(const Type& type) {
    return type.kind == Kind::opaque_fixed || type.kind == Kind::opaque_variable ||
           type.kind == Kind::string;
}

}  // namespace

namespace {

// Moves `at` over the selected values before that of bit `wanted`. False: it is not selected, or an
// unknown one is before it, or the bytes end.
bool pass_to(SetBits mask, const Type& sparse, std::uint32_t wanted, ByteView bytes,
             std::size_t& at) {
    for (auto bit = mask.next(); bit <= wanted; bit = mask.next()) {
        if (bit == wanted) return true;
        const idl::Field* const field = sparse.field_for_bit(static_cast<std::uint32_t>(bit));
        if (field == nullptr) return false;
        const auto passed = size_of_value(*field->type, bytes.subspan(at));
        if (!passed) return false;
        at += *passed;
    }
    return false;
}

// Follows a step that takes one word: skips a string, or checks that the value goes this way.
inline bool take_word(const FieldPlan::Step& step, ByteView bytes, std::size_t& at) {
    if (at > bytes.size() || bytes.size() - at < 4) return false;
    const std::uint32_t word = xdr::load_u32(bytes.data() + at);
    at += 4;
    if (step.kind == FieldPlan::Step::Kind::bytes) {
        at += padded(word);
        return true;
    }
    return word == (step.kind == FieldPlan::Step::Kind::word ? step.size : 1);
}

}  // namespace

void FieldPlan::pass(const Type& declared) {
    const Type& type = idl::resolve(declared);
    if (type.fixed_size() && type.wire_min <= UINT32_MAX) {
        const auto size = static_cast<std::uint32_t>(type.wire_min);
        if (!steps_.empty() && steps_.back().kind == Step::Kind::fixed)
            steps_.back().size += size;
        else
            steps_.push_back({.kind = Step::Kind::fixed, .size = size});
    } else if (type.kind == Kind::opaque_variable || type.kind == Kind::string) {
        steps_.push_back({.kind = Step::Kind::bytes});
    } else {
        steps_.push_back(
            {.kind = Step::Kind::value, .size = static_cast<std::uint32_t>(skips_.size())});
        skips_.push_back(SkipPlan::over(type));
    }
}

// Most arms have a single case, whose word is compared without a search.
void FieldPlan::enter(const Type& type, const idl::Arm& arm) {
    const Type& discriminant = idl::resolve(*type.discriminant.type);
    if (!arm.is_default && arm.cases.size() == 1) {
        const auto word = static_cast<std::uint32_t>(arm.cases[0].value);
        if (type.arm_for(number_in(discriminant, word)) == &arm) {
            steps_.push_back({.kind = Step::Kind::word, .size = word});
            return;
        }
    }
    steps_.push_back({.kind = Step::Kind::arm, .type = &type, .arm = &arm});
}

// Extends the plan from a value of `type` to its field of that name. The last field of a path may
// be bytes with @contents; any other of them leads to the values inside.
bool FieldPlan::add_step_into(const Type& type, std::string_view name, const Type*& next,
                              bool is_last) {
    if (type.kind == Kind::structure) {
        const auto field = std::find_if(type.fields.begin(), type.fields.end(),
                                        [&](const idl::Field& each) { return each.name == name; });
        if (field == type.fields.end()) return false;
        const bool into = field->contents != nullptr && !is_last;
        next = into ? field->contents : field->type;
        if (type.sparse) {
            steps_.push_back({.kind = Step::Kind::selected, .size = field->bit, .type = &type});
            return true;
        }
        for (auto before = type.fields.begin(); before != field; ++before) {
            if (into && before - type.fields.begin() == field->contents_mask)
                steps_.push_back({.kind = Step::Kind::mask});
            pass(*before->type);
        }
        return true;
    }
    if (type.kind != Kind::union_) return false;
    if (type.discriminant.name == name) {
        next = type.discriminant.type;
        return true;
    }
    for (const idl::Arm& arm : type.arms) {
        if (arm.field.name != name || arm.field.type->kind == Kind::void_) continue;
        enter(type, arm);
        next = arm.field.type;
        return true;
    }
    return false;
}

FieldPlan FieldPlan::to(const Type& root, std::string_view path) {
    FieldPlan plan;
    const Type* type = &idl::resolve(root);
    const auto through_optionals = [&] {
        while (type->kind == Kind::optional && !is_list(*type)) {
            plan.steps_.push_back({.kind = Step::Kind::present});
            type = &idl::resolve(*type->element);
        }
    };
    while (!path.empty()) {
        through_optionals();
        const std::size_t dot = path.find('.');
        const Type* next = nullptr;
        const bool is_last = dot == std::string_view::npos;
        if (dot + 1 == path.size() ||
            !plan.add_step_into(*type, path.substr(0, dot), next, is_last))
            return {};
        type = &idl::resolve(*next);
        path = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
    }
    through_optionals();
    while (type->kind == Kind::structure && type->fields.size() == 1)
        type = &idl::resolve(*type->fields[0].type);
    if (type->kind == Kind::void_) return {};
    plan.target_ = type;
    return plan;
}

std::optional<FieldPlan::Found> FieldPlan::follow(ByteView bytes) const {
    std::size_t at = 0;
    for (const Step& step : steps_) {
        if (step.kind == Step::Kind::fixed) {
            at += step.size;
            continue;
        }
        if (step.kind > Step::Kind::present) return follow_rare(&step, bytes, at);
        if (!take_word(step, bytes, at)) return std::nullopt;
    }
    return found_at(bytes, at);
}

// The rest of a path, from a rare step on.
std::optional<FieldPlan::Found> FieldPlan::follow_rare(const Step* step, ByteView bytes,
                                                       std::size_t at) const {
    SetBits mask;
    for (const Step* const end = steps_.data() + steps_.size(); step != end; ++step) {
        if (step->kind == Step::Kind::fixed) {
            at += step->size;
            continue;
        }
        if (at > bytes.size() || bytes.size() - at < 4) return std::nullopt;
        const std::uint32_t word = xdr::load_u32(bytes.data() + at);
        switch (step->kind) {
            case Step::Kind::value: {
                const auto passed = skips_[step->size].size_of(bytes.subspan(at));
                if (!passed) return std::nullopt;
                at += *passed;
                break;
            }
            case Step::Kind::arm:
                if (step->type->arm_for(
                        number_in(idl::resolve(*step->type->discriminant.type), word)) != step->arm)
                    return std::nullopt;
                at += 4;
                break;
            case Step::Kind::mask:
                if (word > (bytes.size() - at) / 4 - 1) return std::nullopt;
                mask = {bytes.data() + at + 4, word};
                break;
            case Step::Kind::selected:
                at += 4;
                bytes = bytes.first(std::min<std::size_t>(bytes.size(), at + word));
                if (!pass_to(mask, *step->type, step->size, bytes, at)) return std::nullopt;
                break;
            default:
                if (!take_word(*step, bytes, at)) return std::nullopt;
        }
    }
    return found_at(bytes, at);
}

// The field itself, at byte `at`.
std::optional<FieldPlan::Found> FieldPlan::found_at(ByteView bytes, std::size_t at) const {
    if (at > bytes.size()) return std::nullopt;
    const std::byte* const base = bytes.data();
    Found found{.type = target_, .offset = static_cast<std::uint32_t>(at), .number = 0, .body = {}};
    const std::size_t left = bytes.size() - at;
    if (target_->kind == Kind::opaque_fixed) {
        found.number = target_->bound;
        found.body = bytes.subspan(at, std::min<std::size_t>(left, target_->bound));
        return found;
    }
    if (left < 4) return std::nullopt;
    const std::uint32_t word = xdr::load_u32(base + at);
    switch (target_->kind) {
        case Kind::hyper:
        case Kind::unsigned_hyper:
        case Kind::double_:
            if (left < 8) return std::nullopt;
            found.number = xdr::load_u64(base + at);
            return found;
        default:
            break;
    }
    if (is_bytes(*target_)) {
        found.offset += 4;
        found.number = word;
        found.body = bytes.subspan(at + 4, std::min<std::size_t>(left - 4, word));
        return found;
    }
    found.number = static_cast<std::uint64_t>(number_in(*target_, word));
    return found;
}

}  // namespace helio::reflect
