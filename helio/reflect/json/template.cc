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
    explicit TemplateWriter(const JsonOptions& options)
        : base64_(options.base64), out_(text_, options.layout()) {}

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
        const Type* const meaning = bits_of(&field, *field.type);
        return meaning != nullptr ? first_bit(resolve(*field.type), *meaning) : value(*field.type);
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
        std::int64_t chosen = 0;
        const idl::Arm* const arm = first_arm(type, chosen);
        if (arm == nullptr) return raw("null");
        open_.push_back(&type);
        out_.open('{');
        out_.key(type.discriminant.name);
        discriminant(resolve(*type.discriminant.type), chosen);
        if (!is_void(*arm->field.type)) {
            out_.key(arm->field.name);
            if (!member(arm->field)) return false;
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

    void discriminant(const Type& switched, std::int64_t chosen) {
        if (switched.kind == Kind::boolean) return out_.raw(chosen != 0 ? "true" : "false");
        if (switched.kind == Kind::enumeration) {
            if (const auto* known = switched.enumerator(chosen)) return out_.string(known->name);
        }
        out_.number(chosen);
    }

    // Is a value of that type being written already? Then this one would contain itself.
    bool is_open(const Type& declared) const {
        const Type& type = resolve(declared);
        return type.recursive && std::find(open_.begin(), open_.end(), &type) != open_.end();
    }

    std::string text_;
    const bool base64_;
    JsonWriter out_;
    std::vector<const Type*> open_;
    std::uint32_t nesting_ = 0;
};

}  // namespace

Result<std::string, JsonError> template_json(const Type& type, const JsonOptions& options) {
    TemplateWriter writer{options};
    if (!writer.value(type)) {
        return fail(JsonError{
            "$", fmt::format("{} is too large or too deep to write out: the limits are {} "
                             "bytes of text and {} levels",
                             escaped(type.name), kTemplateSizeMax, kNestingMax)});
    }
    return writer.take();
}

}  // namespace helio::reflect
