#include "helio/reflect/field_plan.h"

#include <algorithm>

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

}  // namespace

std::optional<std::size_t> size_of_value(const Type& type, ByteView bytes) {
    Passer passer{bytes};
    if (!passer.value(type, 0)) return std::nullopt;
    return passer.at();
}

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
        steps_.push_back({.kind = Step::Kind::value, .type = &type});
    }
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
        steps_.push_back({.kind = Step::Kind::arm, .type = &type, .arm = &arm});
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

std::optional<FieldPlan::Found> FieldPlan::find(ByteView bytes) const {
    if (target_ == nullptr) return std::nullopt;
    const std::byte* const base = bytes.data();
    std::size_t size = bytes.size();
    std::size_t at = 0;
    SetBits mask;
    for (const Step& step : steps_) {
        if (step.kind == Step::Kind::fixed) {
            at += step.size;
            continue;
        }
        if (at > size || size - at < 4) return std::nullopt;
        const std::uint32_t word = xdr::load_u32(base + at);
        switch (step.kind) {
            case Step::Kind::bytes:
                at += 4 + padded(word);
                break;
            case Step::Kind::value: {
                const auto passed = size_of_value(*step.type, bytes.subspan(at));
                if (!passed) return std::nullopt;
                at += *passed;
                break;
            }
            case Step::Kind::arm:
                if (step.type->arm_for(
                        number_in(idl::resolve(*step.type->discriminant.type), word)) != step.arm)
                    return std::nullopt;
                at += 4;
                break;
            case Step::Kind::present:
                if (word != 1) return std::nullopt;
                at += 4;
                break;
            case Step::Kind::mask:
                if (word > (size - at) / 4 - 1) return std::nullopt;
                mask = {base + at + 4, word};
                break;
            case Step::Kind::selected:
                at += 4;
                size = std::min<std::size_t>(size, at + word);
                bytes = bytes.first(size);
                if (!pass_to(mask, *step.type, step.size, bytes, at)) return std::nullopt;
                break;
            case Step::Kind::fixed:
                break;
        }
    }
    if (at > size) return std::nullopt;
    Found found{.type = target_, .offset = static_cast<std::uint32_t>(at), .number = 0, .body = {}};
    const std::size_t left = size - at;
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
