// Encodes JSON to bytes.
#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "helio/base/assert.h"
#include "helio/base/text/escape.h"
#include "helio/base/text/nearest.h"
#include "helio/reflect/bits.h"
#include "helio/reflect/json/json.h"
#include "helio/reflect/json/mapping_internal.h"
#include "helio/reflect/json/scalar_internal.h"
#include "helio/reflect/json/tape_internal.h"
#include "helio/reflect/rules_internal.h"
#include "helio/xdr/reader.h"
#include "helio/xdr/wire.h"

namespace helio::reflect {
namespace {

using idl::Field;
using idl::Kind;
using idl::Type;
using Index = JsonTape::Index;
using Json = JsonTape::Kind;

constexpr Index kNoItem = 0;  // item 0 is the whole text, never a member

// Recursive; the tape's depth is bounded by kNestingMax, and no type maps to itself endlessly for
// the same item. Each function returns false after an error; the first one is kept.
class Encoder {
 public:
    explicit Encoder(const JsonTape& tape) : tape_(tape) {}

    Result<std::vector<std::byte>, JsonError> run(const Type& type) {
        if (!value(type, 0)) return fail(std::move(error_));
        return std::move(out_);
    }

 private:
    bool value(const Type& declared, Index item, const Field* field = nullptr) {
        const Type& type = resolve(declared);
        if (is(item, Json::array)) {
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

    // ---- Scalars ----

    bool integer(const Type& type, Index item) {
        const IntegerRange& range = range_of(type.kind);
        const bool texty = is(item, Json::number) || is(item, Json::string);
        const auto number = texty ? integer_from(tape_.text(item)) : std::nullopt;
        if (!number || !number->is_within(range.low, range.high)) return wanted(item, range.text);
        const std::uint64_t bits = number->two_complement();
        const bool two_words = type.kind == Kind::hyper || type.kind == Kind::unsigned_hyper;
        return two_words ? put64(bits) : put32(static_cast<std::uint32_t>(bits));
    }

    template <class Real>
    bool real(Index item) {
        using Bits = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
        constexpr auto put = [](Encoder& self, Bits bits) {
            if constexpr (sizeof(Real) == 4) return self.put32(bits);
            if constexpr (sizeof(Real) == 8) return self.put64(bits);
        };
        if (const Index exact = only_member(item, kBitsKey); exact != kNoItem) {
            const auto bits =
                is(exact, Json::string) ? integer_from(tape_.text(exact)) : std::nullopt;
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

    bool boolean(Index item) {
        if (!is(item, Json::yes) && !is(item, Json::no)) return wanted(item, "true or false");
        return put32(is(item, Json::yes) ? 1 : 0);
    }

    bool enumeration(const Type& type, Index item) {
        if (is(item, Json::string)) {
            if (const auto* known = type.enumerator(tape_.text(item))) {
                return put32(static_cast<std::uint32_t>(known->value));
            }
            Nearest nearest{tape_.text(item)};
            for (const auto& each : type.enumerators) nearest.offer(each.name);
            return report(fmt::format("{} is not in enum {}{}", tape_.shown(item),
                                      escaped(type.name), hint(nearest)));
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

    // ---- Bytes ----

    bool bytes(const Type& type, Index item) {
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

    bool body_of(const Type& type, Index item, std::string& decoded, std::string_view& body) {
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
            return wanted(
                item, text ? "a string, {\"hex\": …} or {\"base64\": …}"
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

    // ---- Bitmaps ----

    // A list of names of bits, not one of words. Numbers may be strings, but names have no digit in
    // front. No words and no names are the same.
    bool holds_names(const Type& type, Index item) const {
        if (tape_[item].count == 0) return true;
        const bool text = is(item + 1, Json::string);
        const std::string_view first = text ? tape_.text(item + 1) : std::string_view{};
        return type.kind == Kind::unsigned_int ||
               (!first.empty() && (first[0] < '0' || first[0] > '9'));
    }

    bool bitmap(const Type& type, const Type& meaning, Index item) {
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

    bool set_bit(const Type& type, std::vector<std::uint32_t>& words, std::uint32_t bit,
                 Index element) {
        const std::uint32_t bound = type.kind == Kind::unsigned_int ? 1 : type.bound;
        if (bit / 32 >= bound) {
            return report(fmt::format("{} is bit {}, and there are {} at most",
                                      tape_.shown(element), bit, std::uint64_t{bound} * 32));
        }
        if (words.size() <= bit / 32) words.resize(bit / 32 + 1);
        const std::uint32_t mask = 1u << bit % 32;
        if ((words[bit / 32] & mask) != 0)
            return report(fmt::format("{} is there twice", tape_.shown(element)));
        words[bit / 32] |= mask;
        return true;
    }

    bool unknown_bit(const Type& meaning, Index element) {
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
    bool holds_values(const Field& field, Index item) const {
        if (field.contents == nullptr || !is(item, Json::object)) return false;
        for (const auto key : {kHexKey, kBase64Key, kTextKey}) {
            if (only_member(item, key) != kNoItem && !is_field(*field.contents, key)) return false;
        }
        return true;
    }

    // The bitmap of a struct whose JSON omits it: the bits of the values that are there.
    bool omitted_mask(const Type& type, std::size_t at, Index item) {
        const auto field = std::find_if(
            type.fields.begin(), type.fields.end(),
            [&](const Field& f) { return f.contents != nullptr && f.contents_mask == at; });
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
    bool contents(const Type& type, const Field& field, std::size_t mask, Index item) {
        const Type& values = *field.contents;
        const std::string& mask_name = type.fields[field.contents_mask].name;
        SetBits bits{out_.data() + mask + 4, xdr::load_u32(out_.data() + mask)};
        std::vector<std::uint64_t> selected;
        for (auto bit = bits.next(); bit != SetBits::kNone; bit = bits.next())
            selected.push_back(bit);
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
            return report(fmt::format("'{}' selects bit {}, which {} does not have",
                                      escaped(mask_name), *next, escaped(values.name)));
        }
        const std::size_t size = out_.size() - start - 4;
        const std::uint32_t bound = resolve(*field.type).bound;
        if (size > bound) return report(fmt::format("{} bytes, the limit is {}", size, bound));
        xdr::store_u32(out_.data() + start, static_cast<std::uint32_t>(size));
        return true;
    }

    // ---- Values made of values ----

    // The text of a char x[N], padded with NULs.
    bool char_text(const Type& type, Index item) {
        const std::string_view text = tape_.text(item);
        if (text.size() > type.bound)
            return report(fmt::format("{} bytes, it takes {} at most", text.size(), type.bound));
        for (const char letter : text)
            put32(static_cast<std::uint32_t>(static_cast<signed char>(letter)));
        for (std::size_t i = text.size(); i < type.bound; ++i) put32(0);
        return true;
    }

    bool array(const Type& type, Index item) {
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
    bool list(const Type& type, Index item) {
        if (!is(item, Json::array)) return wanted(item, "an array, the elements of the list");
        const Type& entry = resolve(*type.element);
        if (!enter(type)) return false;
        const bool good = each_element(item, [&](Index element) {
            return put32(1) && structure(entry, element, entry.fields.size() - 1);
        });
        leave(type);
        return good && put32(0);
    }

    template <class Encode>
    bool each_element(Index item, Encode encode) {
        std::uint32_t position = 0;
        for (Index at = item + 1; at < tape_[item].next; at = tape_[at].next) {
            path_.push_back({{}, position++});
            if (!encode(at)) return false;
            path_.pop_back();
        }
        return true;
    }

    bool optional(const Type& type, Index item) {
        if (is(item, Json::null)) return put32(0);
        return put32(1) && present(*type.element, item);
    }

    // An optional's value; wrapped if it could be null itself.
    bool present(const Type& declared, Index item, const Field* field = nullptr) {
        if (!is_nullable(declared)) return value(declared, item, field);
        const Index inner = only_member(item, kWrapKey);
        if (inner == kNoItem) return wanted(item, "null or {\"value\": …}");
        return named(kWrapKey, declared, inner, field);
    }

    bool structure(const Type& type, Index item, std::size_t field_count) {
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
            const bool good =
                holds_values(field, member + 1)
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
    bool bare_field(const Type& type, Index item, std::size_t field_count) {
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

    bool union_of(const Type& type, Index item) {
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

    bool named(std::string_view name, const Type& declared, Index item,
               const Field* field = nullptr) {
        path_.push_back({name, kNoElement});
        if (!value(declared, item, field)) return false;
        path_.pop_back();
        return true;
    }
    bool named_contents(const Type& type, const Field& field, std::size_t mask, Index item) {
        path_.push_back({field.name, kNoElement});
        if (!contents(type, field, mask, item)) return false;
        path_.pop_back();
        return true;
    }

    bool enter(const Type& type) {
        if (!is_level(type) || ++levels_ <= xdr::kDepthMax) return true;
        return report(fmt::format("nested too deep, the limit is {} levels", xdr::kDepthMax));
    }
    void leave(const Type& type) {
        if (is_level(type)) --levels_;
    }

    // ---- The JSON ----

    bool is(Index item, Json kind) const { return tape_[item].kind == kind; }

    Index after(Index key) const { return tape_[key + 1].next; }

    // The key of that name, searched from `expected` on and then from the start.
    Index find(Index object, std::string_view name, Index expected) const {
        const Index end = tape_[object].next;
        for (Index at = expected; at < end; at = after(at)) {
            if (tape_.text(at) == name) return at;
        }
        for (Index at = object + 1; at < expected; at = after(at)) {
            if (tape_.text(at) == name) return at;
        }
        return kNoItem;
    }

    // The value of an object's only member, if it has that name.
    Index only_member(Index item, std::string_view name) const {
        const bool fits = is(item, Json::object) && tape_[item].count == 1;
        return fits && tape_.text(item + 1) == name ? item + 2 : kNoItem;
    }

    // ---- Bytes out ----

    std::size_t grow(std::size_t size) {
        const std::size_t at = out_.size();
        out_.resize(at + size);
        return at;
    }
    bool put32(std::uint32_t word) {
        const std::size_t at = grow(4);
        xdr::store_u32(out_.data() + at, word);
        return true;
    }
    bool put64(std::uint64_t word) {
        const std::size_t at = grow(8);
        xdr::store_u64(out_.data() + at, word);
        return true;
    }

    // ---- Errors ----

    bool wanted(Index item, std::string_view what) {
        return report(fmt::format("{} came, but this takes {}", tape_.shown(item), what));
    }

    bool missing(const Type& type, std::string_view name) {
        return report(fmt::format("'{}' of {} is missing", escaped(name), escaped(type.name)));
    }

    bool missing_field(const Type& type, Index object, std::size_t field_count,
                       std::string_view name) {
        const auto names = field_names(type, field_count);
        std::string unknown;
        for (Index at = object + 1; at < tape_[object].next && unknown.empty(); at = after(at))
            if (std::find(names.begin(), names.end(), tape_.text(at)) == names.end())
                unknown = fmt::format(", and {} is not one of its fields", tape_.shown(at));
        return report(fmt::format("'{}' of {} is missing{}; it has {}", escaped(name),
                                  escaped(type.name), unknown, listed(names)));
    }

    // The names of the fields that appear in JSON.
    static std::vector<std::string> field_names(const Type& type, std::size_t field_count) {
        std::vector<std::string> names;
        for (std::size_t i = 0; i < field_count; ++i)
            if (!is_void(*type.fields[i].type)) names.push_back(type.fields[i].name);
        return names;
    }

    // "object, offset, count", shortened if it is long.
    static std::string listed(const std::vector<std::string>& names) {
        constexpr std::size_t kShownMax = 16;
        std::string text;
        for (std::size_t i = 0; i < std::min(names.size(), kShownMax); ++i)
            text += (text.empty() ? "" : ", ") + escaped(names[i]);
        return names.size() > kShownMax ? text + ", …" : text;
    }

    // There are more members than names: one is repeated or unknown.
    bool unknown_member(Index object, const std::vector<std::string>& names,
                        std::string_view remark = {}) {
        std::vector<bool> seen(names.size());
        for (Index at = object + 1; at < tape_[object].next; at = after(at)) {
            const std::string_view key = tape_.text(at);
            std::size_t i = 0;
            while (i < names.size() && names[i] != key) ++i;
            if (i < names.size() && !seen[i]) {
                seen[i] = true;
                continue;
            }
            if (i < names.size()) return report(fmt::format("{} is there twice", tape_.shown(at)));
            Nearest nearest{key};
            for (const auto& name : names) nearest.offer(name);
            return report(
                fmt::format("{} has no place here{}{}", tape_.shown(at), remark, hint(nearest)));
        }
        HELIO_ASSERT(false && "more members than names");
        return false;
    }

    static std::string hint(const Nearest& nearest) {
        return nearest.found().empty()
                   ? std::string{}
                   : fmt::format("; did you mean '{}'?", escaped(nearest.found()));
    }

    bool report(std::string problem) {
        std::string place = "$";
        for (const auto& step : path_) {
            if (step.element != kNoElement) {
                fmt::format_to(std::back_inserter(place), "[{}]", step.element);
            } else {
                place += '.' + escaped(step.name);
            }
        }
        error_ = {std::move(place), std::move(problem)};
        return false;
    }

    struct PathStep {
        std::string_view name;
        std::uint32_t element;
    };

    const JsonTape& tape_;
    std::vector<std::byte> out_;
    std::vector<PathStep> path_;
    std::uint32_t levels_ = 0;  // of recursive types, now open
    JsonError error_;
};

}  // namespace

std::string to_string(const JsonError& error) { return error.place + ": " + error.problem; }

Result<std::vector<std::byte>, JsonError> encode(const Type& type, std::string_view json) {
    const auto tape = JsonTape::parse(json);
    if (!tape) return fail(tape.error());
    return Encoder{*tape}.run(type);
}

}  // namespace helio::reflect
