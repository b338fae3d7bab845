// Made by `helio gen` from constructs.x. Changes belong there; this file is written anew.
//
// Every construct of the language, for the generator's golden output and the codec's properties.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "helio/base/assert.h"
#include "helio/base/bytes.h"
#include "helio/xdr/array.h"
#include "helio/xdr/bits.h"
#include "helio/xdr/printer.h"
#include "helio/xdr/reader.h"
#include "helio/xdr/type_codec.h"
#include "helio/xdr/writer.h"

namespace test::constructs {

namespace xdr = ::helio::xdr;

inline constexpr std::uint32_t NAME_MAX_SIZE = 12u;
inline constexpr std::uint64_t BIG = 4294967296u;
inline constexpr std::int64_t LOWEST = -9223372036854775807 - 1;
inline constexpr std::uint32_t OCTAL = 493u;

struct scalars;
struct flat_all;
struct views;
struct node;
struct tree;
struct shelf;
struct link_only;
struct even_step;
struct odd_step;
class backwards;
class outcome;
class by_number;
class by_unsigned;
class by_colour;
struct class_nested;
struct class_choice_anonymous;
class class_choice;
struct class_;
struct optionals;
struct creature;
struct traits;

// Dense and strict.
enum colour : std::int32_t {
    RED = 0,
    // a doc behind
    GREEN = 1,
    BLUE = 2,
};

// Sparse, negative, with two names for one value.
enum sparse : std::int32_t {
    LOW = -2147483647 - 1,
    MINUS_ONE = -1,
    SEVEN = 7,
    SIEBEN = 7,
    EIGHT = 8,
    HIGH = 2147483647,
};

// Unlisted values pass.
enum status : std::int32_t {
    OK = 0,
    FAILED = 5,
};

using word = std::uint32_t;

using word_again = word;

using cookie = std::array<std::byte, 8>;

using odd = std::array<std::byte, 5>;

using large = ::helio::ByteView;

using label = std::string_view;

using labels = xdr::Array<label>;

using triple = std::array<std::int32_t, 3>;

using many = xdr::Array<std::int32_t>;

using palette = xdr::Array<colour>;

struct scalars {
    std::int32_t i{};
    std::uint32_t u{};
    std::uint32_t plain{};
    std::int64_t h{};
    std::uint64_t uh{};
    float f{};
    double d{};
    std::array<std::byte, 16> q{};
    bool b{};
    std::int8_t c{};
    std::uint8_t uc{};
    std::int16_t s{};
    std::uint16_t us{};
    colour paint{};
    status state{};
};

// Nothing in it has a length.
struct flat_all {
    cookie id{};
    odd five{};
    triple three{};
    scalars inner{};
    std::array<colour, 2> paints{};
};

struct views {
    ::helio::ByteView bytes{};
    ::helio::ByteView short_bytes{};
    std::string_view text{};
    label name{};
    xdr::Array<std::uint32_t> numbers{};
    xdr::Array<std::int64_t> wide{};
    xdr::Array<flat_all> flats{};
    labels names{};
    std::array<label, 2> two_labels{};
    xdr::Array<label> many_labels{};
    large page{};
    many hundred{};
    palette paints{};
    xdr::Array<bool> flags{};
    xdr::Array<std::int8_t> letters{};
};

// A list through its last field.
struct node {
    label name{};
    std::uint32_t value{};
    const node* next{};
};

// A tree: children are an array of itself.
struct tree {
    std::int32_t value{};
    xdr::Array<tree> children{};
};

// Lists inside a list.
struct shelf {
    const node* books{};
    const shelf* next{};
};

struct link_only {
    const link_only* next{};
};

// Mutual recursion, used before it is defined.
struct even_step {
    const odd_step* then{};
};

struct odd_step {
    std::int32_t at{};
    const even_step* then{};
};

// Something or nothing.
using maybe_word = std::optional<word>;

using maybe_label = std::optional<label>;

class backwards final {
   public:
    backwards() : stored_value_{} {}

    bool missing() const { return stored_missing; }

    bool has_value_() const { return stored_missing == false; }
    const word& value_() const {
        HELIO_ASSERT(has_value_());
        return stored_value_;
    }
    const word* if_value_() const { return has_value_() ? &stored_value_ : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    word& emplace_value_(bool which) {
        return raw_value_(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    word& raw_value_(bool which) {
        stored_missing = which;
        HELIO_ASSERT(has_value_());
        return stored_value_;
    }
    const word& raw_value_() const { return stored_value_; }
    static backwards of_value_(const word& value) {
        backwards out;
        out.emplace_value_(false) = value;
        return out;
    }

    // An arm without content.
    bool has_nothing() const { return stored_missing == true; }
    void set(bool which) {
        stored_missing = which;
        HELIO_ASSERT(has_nothing());
    }
    static backwards of(bool which) {
        backwards out;
        out.set(which);
        return out;
    }

   private:
    bool stored_missing{};
    union {
        word stored_value_;
    };
};

// Every kind of arm.
class outcome final {
   public:
    outcome() : stored_good{} {}

    status state() const { return stored_state; }

    bool has_good() const { return stored_state == OK; }
    const flat_all& good() const {
        HELIO_ASSERT(has_good());
        return stored_good;
    }
    const flat_all* if_good() const { return has_good() ? &stored_good : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    flat_all& emplace_good(status which) {
        return raw_good(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    flat_all& raw_good(status which) {
        stored_state = which;
        HELIO_ASSERT(has_good());
        return stored_good;
    }
    const flat_all& raw_good() const { return stored_good; }
    static outcome of_good(const flat_all& value) {
        outcome out;
        out.emplace_good(OK) = value;
        return out;
    }

    bool has_reason() const { return stored_state == FAILED; }
    const std::string_view& reason() const {
        HELIO_ASSERT(has_reason());
        return stored_reason;
    }
    const std::string_view* if_reason() const { return has_reason() ? &stored_reason : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    std::string_view& emplace_reason(status which) {
        return raw_reason(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    std::string_view& raw_reason(status which) {
        stored_state = which;
        HELIO_ASSERT(has_reason());
        return stored_reason;
    }
    const std::string_view& raw_reason() const { return stored_reason; }
    static outcome of_reason(const std::string_view& value) {
        outcome out;
        out.emplace_reason(FAILED) = value;
        return out;
    }

    // An arm without content.
    bool has_nothing() const { return (stored_state != OK && stored_state != FAILED); }
    void set(status which) {
        stored_state = which;
        HELIO_ASSERT(has_nothing());
    }
    static outcome of(status which) {
        outcome out;
        out.set(which);
        return out;
    }

   private:
    status stored_state{};
    union {
        flat_all stored_good;
        std::string_view stored_reason;
    };
};

class by_number final {
   public:
    by_number() {}

    std::int32_t kind() const { return stored_kind; }

    bool has_one_or_two() const { return stored_kind == 1 || stored_kind == 2; }
    const word& one_or_two() const {
        HELIO_ASSERT(has_one_or_two());
        return stored_one_or_two;
    }
    const word* if_one_or_two() const { return has_one_or_two() ? &stored_one_or_two : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    word& emplace_one_or_two(std::int32_t which) {
        return raw_one_or_two(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    word& raw_one_or_two(std::int32_t which) {
        stored_kind = which;
        HELIO_ASSERT(has_one_or_two());
        return stored_one_or_two;
    }
    const word& raw_one_or_two() const { return stored_one_or_two; }
    static by_number of_one_or_two(std::int32_t which, const word& value) {
        by_number out;
        out.emplace_one_or_two(which) = value;
        return out;
    }

    bool has_list() const { return stored_kind == -3; }
    const node* const& list() const {
        HELIO_ASSERT(has_list());
        return stored_list;
    }
    const node* const* if_list() const { return has_list() ? &stored_list : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    const node*& emplace_list(std::int32_t which) {
        return raw_list(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    const node*& raw_list(std::int32_t which) {
        stored_kind = which;
        HELIO_ASSERT(has_list());
        return stored_list;
    }
    const node* const& raw_list() const { return stored_list; }
    static by_number of_list(const node* const& value) {
        by_number out;
        out.emplace_list(-3) = value;
        return out;
    }

    // An arm without content.
    bool has_nothing() const { return stored_kind == 0; }
    void set(std::int32_t which) {
        stored_kind = which;
        HELIO_ASSERT(has_nothing());
    }
    static by_number of(std::int32_t which) {
        by_number out;
        out.set(which);
        return out;
    }

   private:
    std::int32_t stored_kind{};
    union {
        word stored_one_or_two;
        const node* stored_list;
    };
};

class by_unsigned final {
   public:
    by_unsigned() : stored_rest{} {}

    std::uint32_t kind() const { return stored_kind; }

    bool has_last() const { return stored_kind == 4294967295u; }
    const std::int64_t& last() const {
        HELIO_ASSERT(has_last());
        return stored_last;
    }
    const std::int64_t* if_last() const { return has_last() ? &stored_last : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    std::int64_t& emplace_last(std::uint32_t which) {
        return raw_last(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    std::int64_t& raw_last(std::uint32_t which) {
        stored_kind = which;
        HELIO_ASSERT(has_last());
        return stored_last;
    }
    const std::int64_t& raw_last() const { return stored_last; }
    static by_unsigned of_last(const std::int64_t& value) {
        by_unsigned out;
        out.emplace_last(4294967295u) = value;
        return out;
    }

    bool has_rest() const { return stored_kind != 4294967295u; }
    const ::helio::ByteView& rest() const {
        HELIO_ASSERT(has_rest());
        return stored_rest;
    }
    const ::helio::ByteView* if_rest() const { return has_rest() ? &stored_rest : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    ::helio::ByteView& emplace_rest(std::uint32_t which) {
        return raw_rest(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    ::helio::ByteView& raw_rest(std::uint32_t which) {
        stored_kind = which;
        HELIO_ASSERT(has_rest());
        return stored_rest;
    }
    const ::helio::ByteView& raw_rest() const { return stored_rest; }
    static by_unsigned of_rest(std::uint32_t which, const ::helio::ByteView& value) {
        by_unsigned out;
        out.emplace_rest(which) = value;
        return out;
    }

   private:
    std::uint32_t stored_kind{};
    union {
        std::int64_t stored_last;
        ::helio::ByteView stored_rest;
    };
};

class by_colour final {
   public:
    by_colour() : stored_red{} {}

    colour paint() const { return stored_paint; }

    bool has_red() const { return stored_paint == RED; }
    const std::int32_t& red() const {
        HELIO_ASSERT(has_red());
        return stored_red;
    }
    const std::int32_t* if_red() const { return has_red() ? &stored_red : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    std::int32_t& emplace_red(colour which) {
        return raw_red(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    std::int32_t& raw_red(colour which) {
        stored_paint = which;
        HELIO_ASSERT(has_red());
        return stored_red;
    }
    const std::int32_t& raw_red() const { return stored_red; }
    static by_colour of_red(const std::int32_t& value) {
        by_colour out;
        out.emplace_red(RED) = value;
        return out;
    }

    bool has_other() const { return stored_paint == GREEN || stored_paint == BLUE; }
    const tree& other() const {
        HELIO_ASSERT(has_other());
        return stored_other;
    }
    const tree* if_other() const { return has_other() ? &stored_other : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    tree& emplace_other(colour which) {
        return raw_other(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    tree& raw_other(colour which) {
        stored_paint = which;
        HELIO_ASSERT(has_other());
        return stored_other;
    }
    const tree& raw_other() const { return stored_other; }
    static by_colour of_other(colour which, const tree& value) {
        by_colour out;
        out.emplace_other(which) = value;
        return out;
    }

   private:
    colour stored_paint{};
    union {
        std::int32_t stored_red;
        tree stored_other;
    };
};

enum class_nested_which : std::int32_t {
    INNER_A = 1,
    INNER_B = 2,
};

struct class_nested {
    std::int32_t this_{};
    class_nested_which which{};
};

struct class_choice_anonymous {
    std::string_view x{};
};

class class_choice final {
   public:
    class_choice() : stored_type_{} {}

    std::int32_t type() const { return stored_type; }

    bool has_type_() const { return stored_type == 0; }
    const std::int32_t& type_() const {
        HELIO_ASSERT(has_type_());
        return stored_type_;
    }
    const std::int32_t* if_type_() const { return has_type_() ? &stored_type_ : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    std::int32_t& emplace_type_(std::int32_t which) {
        return raw_type_(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    std::int32_t& raw_type_(std::int32_t which) {
        stored_type = which;
        HELIO_ASSERT(has_type_());
        return stored_type_;
    }
    const std::int32_t& raw_type_() const { return stored_type_; }
    static class_choice of_type_(const std::int32_t& value) {
        class_choice out;
        out.emplace_type_(0) = value;
        return out;
    }

    bool has_has_type__() const { return stored_type == 2; }
    const std::int32_t& has_type__() const {
        HELIO_ASSERT(has_has_type__());
        return stored_has_type__;
    }
    const std::int32_t* if_has_type__() const { return has_has_type__() ? &stored_has_type__ : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    std::int32_t& emplace_has_type__(std::int32_t which) {
        return raw_has_type__(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    std::int32_t& raw_has_type__(std::int32_t which) {
        stored_type = which;
        HELIO_ASSERT(has_has_type__());
        return stored_has_type__;
    }
    const std::int32_t& raw_has_type__() const { return stored_has_type__; }
    static class_choice of_has_type__(const std::int32_t& value) {
        class_choice out;
        out.emplace_has_type__(2) = value;
        return out;
    }

    bool has_anonymous() const { return stored_type == 1; }
    const class_choice_anonymous& anonymous() const {
        HELIO_ASSERT(has_anonymous());
        return stored_anonymous;
    }
    const class_choice_anonymous* if_anonymous() const { return has_anonymous() ? &stored_anonymous : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    class_choice_anonymous& emplace_anonymous(std::int32_t which) {
        return raw_anonymous(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    class_choice_anonymous& raw_anonymous(std::int32_t which) {
        stored_type = which;
        HELIO_ASSERT(has_anonymous());
        return stored_anonymous;
    }
    const class_choice_anonymous& raw_anonymous() const { return stored_anonymous; }
    static class_choice of_anonymous(const class_choice_anonymous& value) {
        class_choice out;
        out.emplace_anonymous(1) = value;
        return out;
    }

   private:
    std::int32_t stored_type{};
    union {
        std::int32_t stored_type_;
        std::int32_t stored_has_type__;
        class_choice_anonymous stored_anonymous;
    };
};

// Names that C++ wants for itself.
struct class_ {
    std::int32_t new_{};
    std::int32_t template_{};
    ::test::constructs::colour colour{};
    class_nested nested{};
    class_choice choice{};
    const class_* default_{};
};

struct optionals {
    const std::int32_t* number{};
    const label* text{};
    const flat_all* flat{};
    const views* view{};
    const colour* paint{};
    maybe_word maybe{};
    maybe_label maybe_text{};
    word_again last{};
};

struct creature {
    xdr::Array<word> mask{};
    ::helio::ByteView values{};
};

// Values that a bitmap selects: of every size, and named like what generated code uses.
struct traits {
    using Bits = xdr::Bits<71>;
    static constexpr Bits kKnown{0, 4, 5, 31, 32, 40, 63, 64, 65, 70};
    struct bit {
        static constexpr std::uint32_t paint = 0;
        static constexpr std::uint32_t size = 4;
        static constexpr std::uint32_t present_ = 5;
        static constexpr std::uint32_t name = 31;
        static constexpr std::uint32_t inner = 32;
        static constexpr std::uint32_t family = 40;
        static constexpr std::uint32_t result = 63;
        static constexpr std::uint32_t list = 64;
        static constexpr std::uint32_t maybe = 65;
        static constexpr std::uint32_t known = 70;
    };

    // The values that are there; the others are not initialised.
    Bits present;
    union { colour paint; };
    // A doc behind.
    union { std::int64_t size; };
    union { flat_all present_; };
    union { label name; };
    union { creature inner; };
    union { tree family; };
    union { outcome result; };
    union { const node* list; };
    union { maybe_word maybe; };
    union { xdr::Array<word> known; };

    traits() {}
};

// Bytes ↔ values. False means that reader or writer now holds the fault.
[[nodiscard]] bool decode_colour(xdr::Reader& in, colour& v);
[[nodiscard]] bool encode_colour(xdr::Writer& out, const colour& v);
[[nodiscard]] bool decode_sparse(xdr::Reader& in, sparse& v);
[[nodiscard]] bool encode_sparse(xdr::Writer& out, const sparse& v);
[[nodiscard]] bool decode_status(xdr::Reader& in, status& v);
[[nodiscard]] bool encode_status(xdr::Writer& out, const status& v);
[[nodiscard]] bool decode_word(xdr::Reader& in, word& v);
[[nodiscard]] bool encode_word(xdr::Writer& out, const word& v);
[[nodiscard]] bool decode_word_again(xdr::Reader& in, word_again& v);
[[nodiscard]] bool encode_word_again(xdr::Writer& out, const word_again& v);
[[nodiscard]] bool decode_cookie(xdr::Reader& in, cookie& v);
[[nodiscard]] bool encode_cookie(xdr::Writer& out, const cookie& v);
[[nodiscard]] bool decode_odd(xdr::Reader& in, odd& v);
[[nodiscard]] bool encode_odd(xdr::Writer& out, const odd& v);
[[nodiscard]] bool decode_large(xdr::Reader& in, large& v);
[[nodiscard]] bool encode_large(xdr::Writer& out, const large& v);
[[nodiscard]] bool decode_label(xdr::Reader& in, label& v);
[[nodiscard]] bool encode_label(xdr::Writer& out, const label& v);
[[nodiscard]] bool decode_labels(xdr::Reader& in, labels& v);
[[nodiscard]] bool encode_labels(xdr::Writer& out, const labels& v);
[[nodiscard]] bool decode_triple(xdr::Reader& in, triple& v);
[[nodiscard]] bool encode_triple(xdr::Writer& out, const triple& v);
[[nodiscard]] bool decode_many(xdr::Reader& in, many& v);
[[nodiscard]] bool encode_many(xdr::Writer& out, const many& v);
[[nodiscard]] bool decode_palette(xdr::Reader& in, palette& v);
[[nodiscard]] bool encode_palette(xdr::Writer& out, const palette& v);
[[nodiscard]] bool decode_scalars(xdr::Reader& in, scalars& v);
[[nodiscard]] bool encode_scalars(xdr::Writer& out, const scalars& v);
[[nodiscard]] bool decode_flat_all(xdr::Reader& in, flat_all& v);
[[nodiscard]] bool encode_flat_all(xdr::Writer& out, const flat_all& v);
[[nodiscard]] bool decode_views(xdr::Reader& in, views& v);
[[nodiscard]] bool encode_views(xdr::Writer& out, const views& v);
[[nodiscard]] bool decode_node(xdr::Reader& in, node& v);
[[nodiscard]] bool encode_node(xdr::Writer& out, const node& v);
[[nodiscard]] bool decode_tree(xdr::Reader& in, tree& v);
[[nodiscard]] bool encode_tree(xdr::Writer& out, const tree& v);
[[nodiscard]] bool decode_shelf(xdr::Reader& in, shelf& v);
[[nodiscard]] bool encode_shelf(xdr::Writer& out, const shelf& v);
[[nodiscard]] bool decode_link_only(xdr::Reader& in, link_only& v);
[[nodiscard]] bool encode_link_only(xdr::Writer& out, const link_only& v);
[[nodiscard]] bool decode_even_step(xdr::Reader& in, even_step& v);
[[nodiscard]] bool encode_even_step(xdr::Writer& out, const even_step& v);
[[nodiscard]] bool decode_odd_step(xdr::Reader& in, odd_step& v);
[[nodiscard]] bool encode_odd_step(xdr::Writer& out, const odd_step& v);
[[nodiscard]] bool decode_maybe_word(xdr::Reader& in, maybe_word& v);
[[nodiscard]] bool encode_maybe_word(xdr::Writer& out, const maybe_word& v);
[[nodiscard]] bool decode_maybe_label(xdr::Reader& in, maybe_label& v);
[[nodiscard]] bool encode_maybe_label(xdr::Writer& out, const maybe_label& v);
[[nodiscard]] bool decode_backwards(xdr::Reader& in, backwards& v);
[[nodiscard]] bool encode_backwards(xdr::Writer& out, const backwards& v);
[[nodiscard]] bool decode_outcome(xdr::Reader& in, outcome& v);
[[nodiscard]] bool encode_outcome(xdr::Writer& out, const outcome& v);
[[nodiscard]] bool decode_by_number(xdr::Reader& in, by_number& v);
[[nodiscard]] bool encode_by_number(xdr::Writer& out, const by_number& v);
[[nodiscard]] bool decode_by_unsigned(xdr::Reader& in, by_unsigned& v);
[[nodiscard]] bool encode_by_unsigned(xdr::Writer& out, const by_unsigned& v);
[[nodiscard]] bool decode_by_colour(xdr::Reader& in, by_colour& v);
[[nodiscard]] bool encode_by_colour(xdr::Writer& out, const by_colour& v);
[[nodiscard]] bool decode_class_nested_which(xdr::Reader& in, class_nested_which& v);
[[nodiscard]] bool encode_class_nested_which(xdr::Writer& out, const class_nested_which& v);
[[nodiscard]] bool decode_class_nested(xdr::Reader& in, class_nested& v);
[[nodiscard]] bool encode_class_nested(xdr::Writer& out, const class_nested& v);
[[nodiscard]] bool decode_class_choice_anonymous(xdr::Reader& in, class_choice_anonymous& v);
[[nodiscard]] bool encode_class_choice_anonymous(xdr::Writer& out, const class_choice_anonymous& v);
[[nodiscard]] bool decode_class_choice(xdr::Reader& in, class_choice& v);
[[nodiscard]] bool encode_class_choice(xdr::Writer& out, const class_choice& v);
[[nodiscard]] bool decode_class_(xdr::Reader& in, class_& v);
[[nodiscard]] bool encode_class_(xdr::Writer& out, const class_& v);
[[nodiscard]] bool decode_optionals(xdr::Reader& in, optionals& v);
[[nodiscard]] bool encode_optionals(xdr::Writer& out, const optionals& v);
[[nodiscard]] bool decode_creature(xdr::Reader& in, creature& v);
[[nodiscard]] bool encode_creature(xdr::Writer& out, const creature& v);
[[nodiscard]] bool decode_traits(xdr::Reader& in, xdr::Array<std::uint32_t> mask, traits& v);
[[nodiscard]] bool encode_traits(xdr::Writer& out, const traits& v);
[[nodiscard]] bool pack_traits(xdr::Arena& arena, const traits& v, ::helio::ByteView& values);

// Values as text: names for enumerations (empty when there is none), an outline for the rest.
std::string_view to_string(colour v);
void print_colour(xdr::Printer& out, const colour& v);
std::string_view to_string(sparse v);
void print_sparse(xdr::Printer& out, const sparse& v);
std::string_view to_string(status v);
void print_status(xdr::Printer& out, const status& v);
void print_word(xdr::Printer& out, const word& v);
void print_word_again(xdr::Printer& out, const word_again& v);
void print_cookie(xdr::Printer& out, const cookie& v);
void print_odd(xdr::Printer& out, const odd& v);
void print_large(xdr::Printer& out, const large& v);
void print_label(xdr::Printer& out, const label& v);
void print_labels(xdr::Printer& out, const labels& v);
void print_triple(xdr::Printer& out, const triple& v);
void print_many(xdr::Printer& out, const many& v);
void print_palette(xdr::Printer& out, const palette& v);
void print_scalars(xdr::Printer& out, const scalars& v);
void print_flat_all(xdr::Printer& out, const flat_all& v);
void print_views(xdr::Printer& out, const views& v);
void print_node(xdr::Printer& out, const node& v);
void print_tree(xdr::Printer& out, const tree& v);
void print_shelf(xdr::Printer& out, const shelf& v);
void print_link_only(xdr::Printer& out, const link_only& v);
void print_even_step(xdr::Printer& out, const even_step& v);
void print_odd_step(xdr::Printer& out, const odd_step& v);
void print_maybe_word(xdr::Printer& out, const maybe_word& v);
void print_maybe_label(xdr::Printer& out, const maybe_label& v);
void print_backwards(xdr::Printer& out, const backwards& v);
void print_outcome(xdr::Printer& out, const outcome& v);
void print_by_number(xdr::Printer& out, const by_number& v);
void print_by_unsigned(xdr::Printer& out, const by_unsigned& v);
void print_by_colour(xdr::Printer& out, const by_colour& v);
std::string_view to_string(class_nested_which v);
void print_class_nested_which(xdr::Printer& out, const class_nested_which& v);
void print_class_nested(xdr::Printer& out, const class_nested& v);
void print_class_choice_anonymous(xdr::Printer& out, const class_choice_anonymous& v);
void print_class_choice(xdr::Printer& out, const class_choice& v);
void print_class_(xdr::Printer& out, const class_& v);
void print_optionals(xdr::Printer& out, const optionals& v);
void print_creature(xdr::Printer& out, const creature& v);
void print_traits(xdr::Printer& out, const traits& v);

// Equality of what views point at.
bool operator==(const scalars& a, const scalars& b);
bool operator==(const flat_all& a, const flat_all& b);
bool operator==(const views& a, const views& b);
bool operator==(const node& a, const node& b);
bool operator==(const tree& a, const tree& b);
bool operator==(const shelf& a, const shelf& b);
bool operator==(const link_only& a, const link_only& b);
bool operator==(const even_step& a, const even_step& b);
bool operator==(const odd_step& a, const odd_step& b);
bool operator==(const backwards& a, const backwards& b);
bool operator==(const outcome& a, const outcome& b);
bool operator==(const by_number& a, const by_number& b);
bool operator==(const by_unsigned& a, const by_unsigned& b);
bool operator==(const by_colour& a, const by_colour& b);
bool operator==(const class_nested& a, const class_nested& b);
bool operator==(const class_choice_anonymous& a, const class_choice_anonymous& b);
bool operator==(const class_choice& a, const class_choice& b);
bool operator==(const class_& a, const class_& b);
bool operator==(const optionals& a, const optionals& b);
bool operator==(const creature& a, const creature& b);
bool operator==(const traits& a, const traits& b);

// Every type of this schema behind plain functions.
std::span<const xdr::TypeCodec> type_codecs();

}  // namespace test::constructs
