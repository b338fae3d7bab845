// Encodes JSON to bytes.
#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "helio/base/assert.h"
#include "helio/base/text/escape.h"
#include "helio/reflect/bits.h"
#include "helio/reflect/json/encoder_internal.h"
#include "helio/reflect/json/mapping_internal.h"
#include "helio/reflect/json/scalar_internal.h"
#include "helio/reflect/rules_internal.h"
#include "helio/xdr/reader.h"

namespace helio::reflect {

using idl::Kind;

Result<std::vector<std::byte>, JsonError> Encoder::run(const idl::Type& type) {
    if (!value(type, 0)) return fail(std::move(error_));
    return std::move(out_);
}

bool Encoder::value(const Type& declared, Index item, const Field* field) {
    const Type& type = resolve(declared);
    if (is(item, Json::array)) {
        const idl::FlagSet* const set = flags_of(field, declared);
        if (set != nullptr && type.kind == Kind::unsigned_int) return flags(*set, item);
        const Type* const meaning = bits_of(field, declared);
        if (meaning != nullptr && holds_names(type, item)) return bitmap(type, *meaning, item);
    }
    switch (type.kind) {
        case Kind::void_:
            return is(item, Json::null) || wanted(item, "null, the value of void");
        case Kind::int_:
        case Kind::unsigned_int:
        case Kind::hyper:
        case Kind::unsigned_hyper:
        case Kind::character:
        case Kind::unsigned_character:
        case Kind::short_:
        case Kind::unsigned_short:
            return integer(type, item);
        case Kind::float_:
            return real<float>(item);
        case Kind::double_:
            return real<double>(item);
        case Kind::quadruple:
        case Kind::opaque_fixed:
        case Kind::opaque_variable:
        case Kind::string:
            return bytes(type, item);
        case Kind::boolean:
            return boolean(item);
        case Kind::enumeration:
            return enumeration(type, item);
        case Kind::array_fixed:
        case Kind::array_variable:
            return array(type, item);
        case Kind::optional:
            return is_list(type) ? list(type, item) : optional(type, item);
        case Kind::structure:
            return structure(type, item, type.fields.size());
        case Kind::union_:
            return union_of(type, item);
        case Kind::alias:
            break;
    }
    HELIO_ASSERT(false && "a kind resolve() cannot give");
    return false;
}

bool Encoder::integer(const Type& type, Index item) {
    const IntegerRange& range = range_of(type.kind);
    const bool texty = is(item, Json::number) || is(item, Json::string);
    const auto number = texty ? integer_from(tape_.text(item)) : std::nullopt;
    if (!number || !number->is_within(range.low, range.high)) return wanted(item, range.text);
    const std::uint64_t bits = number->two_complement();
    const bool two_words = type.kind == Kind::hyper || type.kind == Kind::unsigned_hyper;
    return two_words ? put64(bits) : put32(static_cast<std::uint32_t>(bits));
}

template <class Real>
bool Encoder::real(Index item) {
    using Bits = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
    constexpr auto put = [](Encoder& self, Bits bits) {
        if constexpr (sizeof(Real) == 4) return self.put32(bits);
        if constexpr (sizeof(Real) == 8) return self.put64(bits);
    };
    if (const Index exact = only_member(item, kBitsKey); exact != kNoItem) {
        const auto bits = is(exact, Json::string) ? integer_from(tape_.text(exact)) : std::nullopt;
        if (bits && !bits->negative && bits->magnitude <= Bits(~Bits{0})) {
            return put(*this, static_cast<Bits>(bits->magnitude));
        }
        return wanted(exact,
                      fmt::format("\"0x…\", the {} bytes in hexadecimal digits", sizeof(Real)));
    }
    const bool texty = is(item, Json::number) || is(item, Json::string);
    if (const auto number = texty ? real_from<Real>(tape_.text(item)) : std::nullopt) {
        return put(*this, std::bit_cast<Bits>(*number));
    }
    return wanted(item, fmt::format("a number a {} can hold, \"nan\", \"inf\" or \"-inf\"",
                                    sizeof(Real) == 4 ? "float" : "double"));
}

bool Encoder::boolean(Index item) {
    if (!is(item, Json::yes) && !is(item, Json::no)) return wanted(item, "true or false");
    return put32(is(item, Json::yes) ? 1 : 0);
}

bool Encoder::enumeration(const Type& type, Index item) {
    if (is(item, Json::string)) {
        if (const auto* known = type.enumerator(tape_.text(item))) {
            return put32(static_cast<std::uint32_t>(known->value));
        }
        Nearest nearest{tape_.text(item)};
        for (const auto& each : type.enumerators) nearest.offer(each.name);
        return report(fmt::format("{} is not in enum {}{}", tape_.shown(item), escaped(type.name),
                                  hint(nearest)));
    }
    const IntegerRange& range = range_of(type.kind);
    const auto number = is(item, Json::number) ? integer_from(tape_.text(item)) : std::nullopt;
    if (number && number->is_within(range.low, range.high)) {
        const auto word = static_cast<std::uint32_t>(number->two_complement());
        if (fault_of(type, word) == xdr::Fault::none) return put32(word);
    }
    return wanted(item,
                  fmt::format("the name or number of a value of enum {}", escaped(type.name)));
}

bool Encoder::bytes(const Type& type, Index item) {
    std::string decoded;
    std::string_view body;
    if (!body_of(type, item, decoded, body)) return false;
    const bool fixed = type.kind == Kind::opaque_fixed || type.kind == Kind::quadruple;
    const std::uint32_t bound = type.kind == Kind::quadruple ? 16 : type.bound;
    if (fixed && body.size() != bound) {
        return report(fmt::format("{} bytes, it takes exactly {}", body.size(), bound));
    }
    if (body.size() > bound) {
        return report(fmt::format("{} bytes, the limit is {}", body.size(), bound));
    }
    if (!fixed) put32(static_cast<std::uint32_t>(body.size()));
    const std::size_t at = grow(padded(body.size()));
    if (!body.empty()) std::memcpy(out_.data() + at, body.data(), body.size());
    return true;
}

bool Encoder::body_of(const Type& type, Index item, std::string& decoded, std::string_view& body) {
    const bool text = type.kind == Kind::string;
    std::string_view form = text ? kTextKey : kHexKey;
    Index content = item;
    if (is(item, Json::object)) {
        for (const auto key : {kHexKey, kBase64Key, kTextKey}) {
            if (const Index found = only_member(item, key); found != kNoItem) {
                form = key;
                content = found;
            }
        }
    }
    if (!is(content, Json::string)) {
        return wanted(item,
                      text ? "a string, {\"hex\": …} or {\"base64\": …}"
                           : "a string of hexadecimal digits, {\"base64\": …} or {\"text\": …}");
    }
    body = tape_.text(content);
    if (form == kTextKey) return true;
    auto made = form == kHexKey ? bytes_from_hex(body) : bytes_from_base64(body);
    if (!made) {
        return wanted(content,
                      form == kHexKey ? "hexadecimal digits, two for each byte" : "base64");
    }
    decoded = std::move(*made);
    body = decoded;
    return true;
}

// The text of a char x[N], padded with NULs.
bool Encoder::char_text(const Type& type, Index item) {
    const std::string_view text = tape_.text(item);
    if (text.size() > type.bound)
        return report(fmt::format("{} bytes, it takes {} at most", text.size(), type.bound));
    for (const char letter : text)
        put32(static_cast<std::uint32_t>(static_cast<signed char>(letter)));
    for (std::size_t i = text.size(); i < type.bound; ++i) put32(0);
    return true;
}

bool Encoder::array(const Type& type, Index item) {
    if (is_char_array(type) && is(item, Json::string)) return char_text(type, item);
    if (!is(item, Json::array))
        return wanted(item, is_char_array(type) ? "a string or an array" : "an array");
    const std::uint32_t count = tape_[item].count;
    if (type.kind == Kind::array_fixed && count != type.bound) {
        return report(fmt::format("{} elements, it takes exactly {}", count, type.bound));
    }
    if (count > type.bound) {
        return report(fmt::format("{} elements, the limit is {}", count, type.bound));
    }
    if (type.kind == Kind::array_variable) put32(count);
    return each_element(item, [&](Index element) { return value(*type.element, element); });
}

// entry *x: each element is a presence word and the entry without its link; then a 0.
bool Encoder::list(const Type& type, Index item) {
    if (!is(item, Json::array)) return wanted(item, "an array, the elements of the list");
    const Type& entry = resolve(*type.element);
    if (!enter(type)) return false;
    const bool good = each_element(item, [&](Index element) {
        return put32(1) && structure(entry, element, entry.fields.size() - 1);
    });
    leave(type);
    return good && put32(0);
}

bool Encoder::optional(const Type& type, Index item) {
    if (is(item, Json::null)) return put32(0);
    return put32(1) && present(*type.element, item);
}

// An optional's value; wrapped if it could be null itself.
bool Encoder::present(const Type& declared, Index item, const Field* field) {
    if (!is_nullable(declared)) return value(declared, item, field);
    const Index inner = only_member(item, kWrapKey);
    if (inner == kNoItem) return wanted(item, "null or {\"value\": …}");
    return named(kWrapKey, declared, inner, field);
}

bool Encoder::structure(const Type& type, Index item, std::size_t field_count) {
    if (!is(item, Json::object)) return bare_field(type, item, field_count);
    if (!enter(type)) return false;
    std::uint32_t used = 0;
    Index expected = item + 1;        // members usually come in the schema's order
    std::vector<std::size_t> starts;  // of the fields, if one of them needs to know
    const bool has_contents = std::any_of(type.fields.begin(), type.fields.end(),
                                          [](const Field& f) { return f.contents != nullptr; });
    for (std::size_t i = 0; i < field_count; ++i) {
        const Field& field = type.fields[i];
        if (has_contents) starts.push_back(out_.size());
        if (is_void(*field.type)) continue;
        const Index member = find(item, field.name, expected);
        if (member == kNoItem && has_contents && omitted_mask(type, i, item)) continue;
        if (member == kNoItem) return missing_field(type, item, field_count, field.name);
        const bool good = holds_values(field, member + 1)
                              ? named_contents(type, field, starts[field.contents_mask], member + 1)
                              : named(field.name, *field.type, member + 1, &field);
        if (!good) return false;
        expected = after(member);
        ++used;
    }
    leave(type);
    return used == tape_[item].count || unknown_member(item, field_names(type, field_count));
}

// A struct with one field, such as nfs_fh3, may be written as that field alone.
bool Encoder::bare_field(const Type& type, Index item, std::size_t field_count) {
    const auto names = field_names(type, field_count);
    if (names.size() != 1)
        return wanted(item, fmt::format("an object with the fields of {}{}", escaped(type.name),
                                        names.empty() ? "" : ": " + listed(names)));
    const auto field = std::find_if(type.fields.begin(), type.fields.end(),
                                    [&](const Field& one) { return one.name == names[0]; });
    if (!enter(type) || !named(field->name, *field->type, item, &*field)) return false;
    leave(type);
    return true;
}

bool Encoder::union_of(const Type& type, Index item) {
    if (is_switched_optional(type)) {
        if (is(item, Json::null)) return put32(0);
        const Field& yes = type.arm_for(1)->field;
        const bool good = enter(type) && put32(1) && present(*yes.type, item, &yes);
        leave(type);
        return good;
    }
    if (!is(item, Json::object)) {
        return wanted(item, fmt::format("an object with '{}' and the arm it selects",
                                        escaped(type.discriminant.name)));
    }
    const Index key = find(item, type.discriminant.name, item + 1);
    if (key == kNoItem) return missing(type, type.discriminant.name);
    const std::size_t start = out_.size();
    if (!enter(type) || !named(type.discriminant.name, *type.discriminant.type, key + 1))
        return false;
    const std::uint32_t word = xdr::load_u32(out_.data() + start);
    const idl::Arm* const arm = type.arm_for(number_in(resolve(*type.discriminant.type), word));
    if (arm == nullptr) {
        return report(fmt::format("{} {} selects no arm of union {}",
                                  escaped(type.discriminant.name), tape_.shown(key + 1),
                                  escaped(type.name)));
    }
    std::vector<std::string> names{type.discriminant.name};
    if (!is_void(*arm->field.type)) {
        names.push_back(arm->field.name);
        const Index member = find(item, names.back(), after(key));
        if (member == kNoItem) return missing(type, names.back());
        if (!named(arm->field.name, *arm->field.type, member + 1, &arm->field)) return false;
    }
    leave(type);
    if (tape_[item].count == names.size()) return true;
    return unknown_member(
        item, names,
        fmt::format("; {} {} goes with {}", escaped(names.front()), tape_.shown(key + 1),
                    names.size() == 1 ? "nothing else" : '\'' + escaped(names.back()) + '\''));
}

bool Encoder::named(std::string_view name, const Type& declared, Index item, const Field* field) {
    path_.push_back({name, kNoElement});
    if (!value(declared, item, field)) return false;
    path_.pop_back();
    return true;
}

bool Encoder::named_contents(const Type& type, const Field& field, std::size_t mask, Index item) {
    path_.push_back({field.name, kNoElement});
    if (!contents(type, field, mask, item)) return false;
    path_.pop_back();
    return true;
}

bool Encoder::enter(const Type& type) {
    if (!is_level(type) || ++levels_ <= xdr::kDepthMax) return true;
    return report(fmt::format("nested too deep, the limit is {} levels", xdr::kDepthMax));
}

void Encoder::leave(const Type& type) {
    if (is_level(type)) --levels_;
}

std::string to_string(const JsonError& error) { return error.place + ": " + error.problem; }

Result<std::vector<std::byte>, JsonError> encode(const idl::Type& type, std::string_view json) {
    const auto tape = JsonTape::parse(json);
    if (!tape) return fail(tape.error());
    return Encoder{*tape}.run(type);
}

}  // namespace helio::reflect
