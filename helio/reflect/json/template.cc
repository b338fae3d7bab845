// Makes a JSON value to fill in for a type.
#include <algorithm>

#include <fmt/format.h>

#include "helio/base/assert.h"
#include "helio/base/text/escape.h"
#include "helio/idl/parse.h"
#include "helio/reflect/bits.h"
#include "helio/reflect/decode.h"
#include "helio/reflect/json/json.h"
#include "helio/reflect/json/mapping_internal.h"
#include "helio/reflect/json/values_internal.h"
#include "helio/reflect/rules_internal.h"
#include "helio/xdr/wire.h"

namespace helio::reflect {
namespace {

using idl::Kind;
using idl::Type;

// False: the text exceeds kTemplateSizeMax, or the types kNestingMax. A schema of forty lines can
// have 2^40 fields (struct a { b x; b y; }; struct b { c x; c y; }; …), so both are needed.
class TemplateWriter {
 public:
    TemplateWriter(const TemplateArms& arms, const JsonOptions& options)
        : arms_(arms), base64_(options.base64), out_(text_, options.layout()) {}

    bool value(const Type& declared) {
        const Type& type = resolve(declared);
        if (text_.size() > kTemplateSizeMax || nesting_ >= kNestingMax) return false;
        ++nesting_;
        const bool good = any(type);
        --nesting_;
        return good;
    }

    std::string take() { return std::move(text_); }

 private:
    bool any(const Type& type) {
        switch (type.kind) {
            case Kind::void_:
                return raw("null");
            case Kind::float_:
            case Kind::double_:
                return raw("0.0");
            case Kind::boolean:
                return raw("false");
            case Kind::string:
                return raw("\"\"");
            case Kind::opaque_variable:
                return zeros(0);
            case Kind::opaque_fixed:
                return zeros(type.bound);
            case Kind::quadruple:
                return zeros(16);
            case Kind::enumeration:
                if (type.enumerators.empty()) return raw("0");
                out_.string(type.enumerators.front().name);
                return true;
            case Kind::array_fixed:
                return elements(*type.element, type.bound);
            case Kind::array_variable:
                if (&resolve(*type.element) == arms_.of) return chosen_arms();
                return elements(*type.element, type.bound == 0 || is_open(*type.element) ? 0 : 1);
            case Kind::optional:
                return is_list(type) ? list(type) : optional(*type.element);
            case Kind::structure:
                return structure(type, type.fields.size());
            case Kind::union_:
                return is_switched_optional(type) ? switched_optional(type) : union_of(type);
            default:
                return raw("0");  // the integers
        }
    }

    bool raw(std::string_view token) {
        out_.raw(token);
        return true;
    }

    bool zeros(std::uint32_t size) {
        if (size > kTemplateSizeMax / 2) return false;
        const std::vector<std::byte> bytes(size);
        put_opaque(out_, bytes, base64_);
        return true;
    }

    bool elements(const Type& element, std::uint32_t count) {
        out_.open('[');
        for (std::uint32_t i = 0; i < count; ++i) {
            out_.element();
            if (!value(element)) return false;
        }
        out_.close(']');
        return true;
    }

    bool chosen_arms() {
        out_.open('[');
        for (const idl::Arm* const arm : arms_.arms) {
            out_.element();
            if (!arm_of(*arms_.of, *arm, arm->cases.front().value)) return false;
        }
        out_.close(']');
        return true;
    }

    bool list(const Type& type) {
        const Type& entry = resolve(*type.element);
        out_.open('[');
        if (!is_open(entry)) {
            out_.element();
            if (!structure(entry, entry.fields.size() - 1)) return false;
        }
        out_.close(']');
        return true;
    }

    bool optional(const Type& element) {
        if (is_open(element)) return raw("null");
        if (!is_nullable(element)) return value(element);
        out_.open('{');
        out_.key(kWrapKey);
        if (!value(element)) return false;
        out_.close('}');
        return true;
    }

    bool switched_optional(const Type& type) {
        open_.push_back(&type);
        const bool good = optional(*type.arm_for(1)->field.type);
        open_.pop_back();
        return good;
    }

    bool structure(const Type& type, std::size_t field_count) {
        open_.push_back(&type);
        out_.open('{');
        for (std::size_t i = 0; i < field_count; ++i) {
            const idl::Field& field = type.fields[i];
            if (is_void(*field.type) || is_mask(type, i)) continue;
            out_.key(field.name);
            if (!member(field)) return false;
        }
        out_.close('}');
        open_.pop_back();
        return true;
    }

    // The bitmap of a field with @contents is omitted: the values that are there imply it.
    static bool is_mask(const Type& type, std::size_t at) {
        return std::any_of(type.fields.begin(), type.fields.end(), [&](const idl::Field& field) {
            return field.contents != nullptr && field.contents_mask == at;
        });
    }

    bool member(const idl::Field& field) {
        if (field.contents != nullptr) return raw("{}");
        if (field.template_value) return suggested(resolve(*field.type), *field.template_value);
        if (const idl::FlagSet* const flags = flags_of(&field, *field.type))
            return first_flag(*flags);
        const Type* const meaning = bits_of(&field, *field.type);
        return meaning != nullptr ? first_bit(resolve(*field.type), *meaning) : value(*field.type);
    }

    // The value that the schema suggests with @template.
    bool suggested(const Type& type, std::uint64_t value) {
        if (type.kind == Kind::unsigned_hyper)
            out_.number(value);
        else
            named_number(type, static_cast<std::int64_t>(value));
        return true;
    }

    // A list of one name: the lowest bit that has one.
    bool first_flag(const idl::FlagSet& set) {
        const auto first = std::min_element(
            set.flags.begin(), set.flags.end(),
            [](const auto& one, const auto& other) { return one.mask < other.mask; });
        out_.open('[');
        if (first != set.flags.end()) {
            out_.element();
            out_.string(first->name);
        }
        out_.close(']');
        return true;
    }

    // A list of one name, if it fits.
    bool first_bit(const Type& type, const Type& meaning) {
        const std::uint64_t bound = type.kind == Kind::unsigned_int ? 1 : type.bound;
        std::string_view found;
        for (std::uint64_t bit = 0; bit < std::min<std::uint64_t>(bound * 32, idl::kSparseBitsMax);
             ++bit) {
            found = bit_name(meaning, bit);
            if (!found.empty()) break;
        }
        out_.open('[');
        if (!found.empty()) {
            out_.element();
            out_.string(found);
        }
        out_.close(']');
        return true;
    }

    bool union_of(const Type& type) {
        if (&type == arms_.of)
            return arm_of(type, *arms_.arms.front(), arms_.arms.front()->cases.front().value);
        std::int64_t chosen = 0;
        const idl::Arm* const arm = first_arm(type, chosen);
        return arm != nullptr ? arm_of(type, *arm, chosen) : raw("null");
    }

    bool arm_of(const Type& type, const idl::Arm& arm, std::int64_t chosen) {
        open_.push_back(&type);
        out_.open('{');
        out_.key(type.discriminant.name);
        named_number(resolve(*type.discriminant.type), chosen);
        if (!is_void(*arm.field.type)) {
            out_.key(arm.field.name);
            if (!member(arm.field)) return false;
        }
        out_.close('}');
        open_.pop_back();
        return true;
    }

    // The first arm; if that is the default, the arm for zero or the first enumerator.
    static const idl::Arm* first_arm(const Type& type, std::int64_t& chosen) {
        if (!type.arms.empty() && !type.arms.front().cases.empty()) {
            chosen = type.arms.front().cases.front().value;
        } else if (const Type& switched = resolve(*type.discriminant.type);
                   !switched.enumerators.empty()) {
            chosen = switched.enumerators.front().value;
        }
        return type.arm_for(chosen);
    }

    // true, an enumerator or a number.
    void named_number(const Type& type, std::int64_t value) {
        if (type.kind == Kind::boolean) return out_.raw(value != 0 ? "true" : "false");
        if (type.kind == Kind::enumeration) {
            if (const auto* known = type.enumerator(value)) return out_.string(known->name);
        }
        out_.number(value);
    }

    // Is a value of that type being written already? Then this one would contain itself.
    bool is_open(const Type& declared) const {
        const Type& type = resolve(declared);
        return type.recursive && std::find(open_.begin(), open_.end(), &type) != open_.end();
    }

    const TemplateArms& arms_;
    std::string text_;
    const bool base64_;
    JsonWriter out_;
    std::vector<const Type*> open_;
    std::uint32_t nesting_ = 0;
};

}  // namespace

Result<std::string, JsonError> template_json(const Type& type, const JsonOptions& options) {
    return template_json(type, TemplateArms{}, options);
}

Result<std::string, JsonError> template_json(const Type& type, const TemplateArms& arms,
                                             const JsonOptions& options) {
    HELIO_ASSERT(arms.of == nullptr || !arms.arms.empty());
    TemplateWriter writer{arms, options};
    if (!writer.value(type)) {
        return fail(JsonError{
            "$", fmt::format("{} is too large or too deep to write out: the limits are {} "
                             "bytes of text and {} levels",
                             escaped(type.name), kTemplateSizeMax, kNestingMax)});
    }
    return writer.take();
}

}  // namespace helio::reflect
