#include "helio/reflect/random.h"

#include <algorithm>
#include <array>

#include "helio/base/bytes.h"
#include "helio/base/random.h"
#include "helio/idl/parse.h"
#include "helio/reflect/bits.h"
#include "helio/reflect/json/mapping_internal.h"
#include "helio/reflect/rules_internal.h"
#include "helio/xdr/wire.h"

namespace helio::reflect {
namespace {

using idl::Kind;
using idl::Type;

constexpr std::array<std::uint64_t, 10> kIntegerEdges{0,
                                                      1,
                                                      0x7fffffff,
                                                      0x80000000,
                                                      0xffffffff,
                                                      0x100000000,
                                                      0x7fffffffffffffff,
                                                      0x8000000000000000,
                                                      0xfffffffffffffffe,
                                                      0xffffffffffffffff};
constexpr std::array<std::uint32_t, 8> kFloatEdges{0,          0x80000000, 0x3f800000, 0x7f800000,
                                                   0xff800000, 0x7fc00000, 0x7fc00001, 0x00000001};
constexpr std::array<std::uint64_t, 8> kDoubleEdges{
    0,          0x8000000000000000, 0x3ff0000000000000, 0x7ff0000000000000, 0xfff0000000000000,
    kDoubleNan, 0x7ff0000000000001, 0x0000000000000001};

// Recursive; depth_max bounds recursive types, the schema itself the others.
class Generator {
 public:
    Generator(std::uint64_t seed, const RandomOptions& options)
        : random_(seed), options_(options) {}

    std::vector<std::byte> run(const Type& type) {
        value(type);
        return std::move(out_);
    }

 private:
    // From here on only minimal values are added: absent, empty, the smallest arm. This terminates
    // for every type, because wire_min is finite and each recursion passes through something that
    // can be empty.
    bool tired() const {
        return out_.size() >= options_.size_soft_max || levels_ >= options_.depth_max;
    }

    void value(const Type& declared) {
        const Type& type = resolve(declared);
        switch (type.kind) {
            case Kind::void_:
            case Kind::alias:
                return;
            case Kind::hyper:
            case Kind::unsigned_hyper:
                return put64(integer());
            case Kind::float_:
                return put32(random_.one_in(2) ? random_.pick(kFloatEdges)
                                               : static_cast<std::uint32_t>(random_.next()));
            case Kind::double_:
                return put64(random_.one_in(2) ? random_.pick(kDoubleEdges) : random_.next());
            case Kind::quadruple:
                return put64(random_.next()), put64(random_.next());
            case Kind::boolean:
                return put32(static_cast<std::uint32_t>(random_.below(2)));
            case Kind::enumeration:
                return put32(enumerator(type));
            case Kind::opaque_fixed:
                return body(type.bound, false);
            case Kind::opaque_variable:
            case Kind::string:
                return bytes(type);
            case Kind::array_fixed:
                return elements(*type.element, type.bound);
            case Kind::array_variable:
                return array(type);
            case Kind::optional:
                return is_list(type) ? list(type) : optional(type);
            case Kind::structure:
                return structure(type, type.fields.size());
            case Kind::union_:
                return union_of(type);
            default:
                return put32(word(type));
        }
    }

    std::uint64_t integer() {
        switch (random_.below(3)) {
            case 0:
                return random_.pick(kIntegerEdges);
            case 1:
                return random_.below(1000);
            default:
                return random_.next();
        }
    }

    // int and similar kinds: for narrow kinds a word in their range.
    std::uint32_t word(const Type& type) {
        const auto wide = static_cast<std::uint32_t>(integer());
        switch (type.kind) {
            case Kind::character:
                return static_cast<std::uint32_t>(static_cast<std::int8_t>(wide));
            case Kind::unsigned_character:
                return static_cast<std::uint8_t>(wide);
            case Kind::short_:
                return static_cast<std::uint32_t>(static_cast<std::int16_t>(wide));
            case Kind::unsigned_short:
                return static_cast<std::uint16_t>(wide);
            default:
                return wide;
        }
    }

    std::uint32_t enumerator(const Type& type) {
        if (type.enumerators.empty() || (type.open() && random_.one_in(4))) {
            return static_cast<std::uint32_t>(integer());
        }
        return static_cast<std::uint32_t>(random_.pick(type.enumerators).value);
    }

    // A count: none, one, a few, or the maximum if that still fits.
    std::uint32_t count(std::uint32_t bound, std::uint64_t element_min) {
        if (tired()) return 0;
        const std::uint64_t room = options_.size_soft_max - out_.size();
        const std::uint64_t most =
            std::min<std::uint64_t>(bound, room / std::max<std::uint64_t>(element_min, 1));
        switch (random_.below(5)) {
            case 0:
                return 0;
            case 1:
                return static_cast<std::uint32_t>(std::min<std::uint64_t>(most, 1));
            case 2:
                return static_cast<std::uint32_t>(most);
            case 3:
                return static_cast<std::uint32_t>(random_.below(most + 1));
            default:
                return static_cast<std::uint32_t>(std::min<std::uint64_t>(most, random_.below(8)));
        }
    }

    void bytes(const Type& type) {
        const std::uint32_t size = count(type.bound, 1);
        put32(size);
        body(size, type.kind == Kind::string && !random_.one_in(4));
    }

    void body(std::uint32_t size, bool readable) {
        const std::size_t at = out_.size();
        out_.resize(at + padded(size));
        for (std::size_t i = at; i < at + size; ++i) {
            out_[i] = static_cast<std::byte>(readable ? ' ' + random_.below(95) : random_.next());
        }
    }

    void array(const Type& type) {
        const std::uint32_t most = count(type.bound, type.element->wire_min);
        put32(most);
        elements(*type.element, most);
    }

    void elements(const Type& element, std::uint32_t number) {
        for (std::uint32_t i = 0; i < number; ++i) value(element);
    }

    void list(const Type& type) {
        const Type& entry = resolve(*type.element);
        const std::uint32_t most = count(idl::kUnbounded, entry.wire_min);
        ++levels_;
        for (std::uint32_t n = most; n > 0 && out_.size() < options_.size_soft_max; --n) {
            put32(1);
            structure(entry, entry.fields.size() - 1);
        }
        --levels_;
        put32(0);
    }

    void optional(const Type& type) {
        const bool present = !tired() && !random_.one_in(3);
        put32(present ? 1 : 0);
        if (present) value(*type.element);
    }

    void structure(const Type& type, std::size_t field_count) {
        if (is_level(type)) ++levels_;
        std::vector<std::uint32_t> selected;  // by the last bitmap that was made for `chosen`
        const Type* chosen = nullptr;
        std::size_t mask = 0;
        for (std::size_t i = 0; i < field_count; ++i) {
            const idl::Field& field = type.fields[i];
            if (field.contents != nullptr && field.contents == chosen &&
                field.contents_mask == mask) {
                contents(field, selected);
            } else if (const Type* const values = selected_by(type, i);
                       values != nullptr && !random_.one_in(8)) {
                selected = some_bits(*values, resolve(*field.type).bound);
                bitmap(selected, resolve(*field.type).bound);
                chosen = values;
                mask = i;
            } else if (const Type* const meaning = bits_of(&field, *field.type);
                       meaning != nullptr && resolve(*field.type).kind == Kind::array_variable &&
                       random_.one_in(2)) {
                bitmap(some_bits(*meaning, resolve(*field.type).bound), resolve(*field.type).bound);
            } else if (const idl::FlagSet* const flags = flags_of(&field, *field.type);
                       flags != nullptr && random_.one_in(2)) {
                put32(some_flags(*flags));
            } else {
                value(*field.type);
            }
        }
        if (is_level(type)) --levels_;
    }

    // The sparse struct of the field with @contents whose bitmap is the field at `at`; else null.
    static const Type* selected_by(const Type& type, std::size_t at) {
        for (const idl::Field& field : type.fields)
            if (field.contents != nullptr && field.contents_mask == at) return field.contents;
        return nullptr;
    }

    // In order.
    std::vector<std::uint32_t> some_bits(const Type& meaning, std::uint32_t words_max) {
        std::vector<std::uint32_t> known;
        for (const auto& [bit, place] : meaning.by_value) {
            const bool fits = bit >= 0 && bit < idl::kSparseBitsMax && bit / 32 < words_max;
            if (fits && (known.empty() || known.back() != bit))
                known.push_back(static_cast<std::uint32_t>(bit));
        }
        if (tired()) return {};
        const std::uint64_t part = 1 + random_.below(16);  // all of them, or one of sixteen
        std::erase_if(known, [&](std::uint32_t) { return random_.below(part) != 0; });
        return known;
    }

    std::uint32_t some_flags(const idl::FlagSet& set) {
        std::uint32_t word = 0;
        for (const auto& flag : set.flags)
            if (random_.one_in(3)) word |= flag.mask;
        return word;
    }

    void bitmap(const std::vector<std::uint32_t>& bits, std::uint32_t words_max) {
        std::vector<std::uint32_t> words;
        for (const std::uint32_t bit : bits) {
            words.resize(std::max<std::size_t>(words.size(), bit / 32 + 1));
            words[bit / 32] |= 1u << bit % 32;
        }
        if (words.size() < words_max && random_.one_in(8)) words.push_back(0);
        put32(static_cast<std::uint32_t>(words.size()));
        for (const std::uint32_t word : words) put32(word);
    }

    void contents(const idl::Field& field, const std::vector<std::uint32_t>& bits) {
        const std::size_t start = out_.size();
        put32(0);
        ++levels_;
        for (const std::uint32_t bit : bits) value(*field.contents->field_for_bit(bit)->type);
        --levels_;
        const std::size_t size = out_.size() - start - 4;
        if (size > resolve(*field.type).bound) return out_.resize(start + 4);
        xdr::store_u32(out_.data() + start, static_cast<std::uint32_t>(size));
    }

    void union_of(const Type& type) {
        const auto choices = words_of(type);
        if (choices.empty()) return;  // the union has no values; sema rejects such schemas
        const Type& switched = resolve(*type.discriminant.type);
        const auto arm_type = [&](std::uint32_t word) {
            return type.arm_for(number_in(switched, word))->field.type;
        };
        std::uint32_t chosen = random_.pick(choices);
        if (tired()) {
            chosen = *std::min_element(choices.begin(), choices.end(), [&](auto a, auto b) {
                return arm_type(a)->wire_min < arm_type(b)->wire_min;
            });
        }
        put32(chosen);
        if (is_level(type)) ++levels_;
        value(*arm_type(chosen));
        if (is_level(type)) --levels_;
    }

    // A discriminant for each arm, including the default's.
    std::vector<std::uint32_t> words_of(const Type& type) {
        const Type& switched = resolve(*type.discriminant.type);
        std::vector<std::uint32_t> candidates;
        for (const auto& arm : type.arms) {
            for (const auto& each : arm.cases)
                candidates.push_back(static_cast<std::uint32_t>(each.value));
        }
        for (const auto& each : switched.enumerators)
            candidates.push_back(static_cast<std::uint32_t>(each.value));
        if (switched.kind == Kind::boolean) candidates.insert(candidates.end(), {0, 1});
        for (int i = 0; i < 4; ++i) candidates.push_back(static_cast<std::uint32_t>(integer()));
        std::erase_if(candidates, [&](std::uint32_t word) {
            return fault_of(switched, word) != xdr::Fault::none ||
                   type.arm_for(number_in(switched, word)) == nullptr;
        });
        return candidates;
    }

    void put32(std::uint32_t word) {
        out_.resize(out_.size() + 4);
        xdr::store_u32(out_.data() + out_.size() - 4, word);
    }
    void put64(std::uint64_t word) {
        out_.resize(out_.size() + 8);
        xdr::store_u64(out_.data() + out_.size() - 8, word);
    }

    Random random_;
    const RandomOptions& options_;
    std::vector<std::byte> out_;
    std::uint32_t levels_ = 0;
};

}  // namespace

std::optional<std::vector<std::byte>> random_bytes(const Type& type, std::uint64_t seed,
                                                   const RandomOptions& options) {
    if (type.wire_min > options.size_hard_max) return {};
    return Generator{seed, options}.run(type);
}

}  // namespace helio::reflect
