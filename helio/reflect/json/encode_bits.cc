// Encodes bitmaps from the names of their bits, and the values that a bitmap selects.
#include <algorithm>

#include <fmt/format.h>

#include "helio/base/text/escape.h"
#include "helio/reflect/bits.h"
#include "helio/reflect/json/encoder_internal.h"
#include "helio/reflect/json/mapping_internal.h"
#include "helio/reflect/rules_internal.h"

namespace helio::reflect {

using idl::Kind;

// A list of names of bits, not one of words. Numbers may be strings, but names have no digit in
// front. No words and no names are the same.
bool Encoder::holds_names(const Type& type, Index item) const {
    if (tape_[item].count == 0) return true;
    const bool text = is(item + 1, Json::string);
    const std::string_view first = text ? tape_.text(item + 1) : std::string_view{};
    return type.kind == Kind::unsigned_int ||
           (!first.empty() && (first[0] < '0' || first[0] > '9'));
}

bool Encoder::bitmap(const Type& type, const Type& meaning, Index item) {
    std::vector<std::uint32_t> words(type.kind == Kind::unsigned_int ? 1 : 0);
    const bool good = each_element(item, [&](Index element) {
        const std::int64_t bit =
            is(element, Json::string) ? bit_number(meaning, tape_.text(element)) : -1;
        return bit < 0 ? unknown_bit(meaning, element)
                       : set_bit(type, words, static_cast<std::uint32_t>(bit), element);
    });
    if (!good) return false;
    if (type.kind != Kind::unsigned_int) put32(static_cast<std::uint32_t>(words.size()));
    for (const std::uint32_t word : words) put32(word);
    return true;
}

bool Encoder::set_bit(const Type& type, std::vector<std::uint32_t>& words, std::uint32_t bit,
                      Index element) {
    const std::uint32_t bound = type.kind == Kind::unsigned_int ? 1 : type.bound;
    if (bit / 32 >= bound) {
        return report(fmt::format("{} is bit {}, and there are {} at most", tape_.shown(element),
                                  bit, std::uint64_t{bound} * 32));
    }
    if (words.size() <= bit / 32) words.resize(bit / 32 + 1);
    const std::uint32_t mask = 1u << bit % 32;
    if ((words[bit / 32] & mask) != 0)
        return report(fmt::format("{} is there twice", tape_.shown(element)));
    words[bit / 32] |= mask;
    return true;
}

bool Encoder::flags(const idl::FlagSet& set, Index item) {
    std::uint32_t word = 0;
    const bool good = each_element(item, [&](Index element) {
        const auto* const flag =
            is(element, Json::string) ? flag_named(set, tape_.text(element)) : nullptr;
        if (flag == nullptr) return unknown_flag(set, element);
        word |= flag->mask;
        return true;
    });
    return good && put32(word);
}

bool Encoder::unknown_flag(const idl::FlagSet& set, Index element) {
    if (!is(element, Json::string)) {
        return wanted(element, fmt::format("the name of a flag, one of {}", escaped(set.written)));
    }
    Nearest nearest{tape_.text(element)};
    for (const auto& each : set.flags) nearest.offer(each.name);
    for (const auto& each : set.aliases) nearest.offer(each.name);
    return report(fmt::format("{} is not a flag of {}{}", tape_.shown(element),
                              escaped(set.written), hint(nearest)));
}

bool Encoder::unknown_bit(const Type& meaning, Index element) {
    if (!is(element, Json::string)) {
        return wanted(element, fmt::format("the name of a bit of {}", escaped(meaning.name)));
    }
    Nearest nearest{tape_.text(element)};
    for (const auto& each : meaning.fields) nearest.offer(each.name);
    for (const auto& each : meaning.enumerators) nearest.offer(each.name);
    return report(fmt::format("{} is not a bit of {}{}", tape_.shown(element),
                              escaped(meaning.name), hint(nearest)));
}

// An object with values of a sparse struct; {"hex": …} and its kind are opaque bytes.
bool Encoder::holds_values(const Field& field, Index item) const {
    if (field.contents == nullptr || !is(item, Json::object)) return false;
    for (const auto key : {kHexKey, kBase64Key, kTextKey}) {
        if (only_member(item, key) != kNoItem && !is_field(*field.contents, key)) return false;
    }
    return true;
}

// The bitmap of a struct whose JSON omits it: the bits of the values that are there.
bool Encoder::omitted_mask(const Type& type, std::size_t at, Index item) {
    const auto field = std::find_if(type.fields.begin(), type.fields.end(), [&](const Field& f) {
        return f.contents != nullptr && f.contents_mask == at;
    });
    if (field == type.fields.end()) return false;
    const Index member = find(item, field->name, item + 1);
    if (member == kNoItem || !holds_values(*field, member + 1)) return false;
    const Type& mask = resolve(*type.fields[at].type);
    std::vector<std::uint32_t> words;
    for (const Field& each : field->contents->fields) {
        const Index value = find(member + 1, each.name, member + 2);
        if (value != kNoItem && !set_bit(mask, words, each.bit, value)) return false;
    }
    put32(static_cast<std::uint32_t>(words.size()));
    for (const std::uint32_t word : words) put32(word);
    return true;
}

// `mask` is where its bitmap begins in what has been written.
bool Encoder::contents(const Type& type, const Field& field, std::size_t mask, Index item) {
    const Type& values = *field.contents;
    const std::string& mask_name = type.fields[field.contents_mask].name;
    SetBits bits{out_.data() + mask + 4, xdr::load_u32(out_.data() + mask)};
    std::vector<std::uint64_t> selected;
    for (auto bit = bits.next(); bit != SetBits::kNone; bit = bits.next()) selected.push_back(bit);
    const std::size_t start = grow(4);
    Index expected = item + 1;
    std::uint32_t used = 0;
    auto next = selected.begin();
    for (const Field& each : values.fields) {
        const Index member = find(item, each.name, expected);
        const bool is_selected = next != selected.end() && *next == each.bit;
        if (member == kNoItem && !is_selected) continue;
        if (member == kNoItem) {
            return report(fmt::format("'{}' is missing, although '{}' selects it",
                                      escaped(each.name), escaped(mask_name)));
        }
        if (!is_selected) {
            return report(fmt::format("'{}' is there, although '{}' does not select it",
                                      escaped(each.name), escaped(mask_name)));
        }
        if (!named(each.name, *each.type, member + 1, &each)) return false;
        expected = after(member);
        ++used;
        ++next;
    }
    if (used != tape_[item].count)
        return unknown_member(item, field_names(values, values.fields.size()));
    if (next != selected.end()) {
        return report(fmt::format("'{}' selects bit {}, which {} does not have", escaped(mask_name),
                                  *next, escaped(values.name)));
    }
    const std::size_t size = out_.size() - start - 4;
    const std::uint32_t bound = resolve(*field.type).bound;
    if (size > bound) return report(fmt::format("{} bytes, the limit is {}", size, bound));
    xdr::store_u32(out_.data() + start, static_cast<std::uint32_t>(size));
    return true;
}

}  // namespace helio::reflect
