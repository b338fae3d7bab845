// Made by `helio gen` from constructs.x. Changes belong there; this file is written anew.
#include "constructs_codec.h"

namespace test::constructs {

namespace xdr = ::helio::xdr;

const std::byte* get_views(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] views& v) {
    p = in.opaque<xdr::kUnbounded, 4>(p, v.bytes);
    if (p == nullptr) return nullptr;
    p = in.opaque<5, 4>(p, v.short_bytes);
    if (p == nullptr) return nullptr;
    p = in.string<xdr::kUnbounded, 4>(p, v.text);
    if (p == nullptr) return nullptr;
    p = in.string<NAME_MAX_SIZE, 4>(p, v.name);
    if (p == nullptr) return nullptr;
    p = xdr::get_words<16, 4>(p, in, v.numbers);
    if (p == nullptr) return nullptr;
    p = xdr::get_flat_array<xdr::kUnbounded, 8, 4, xdr::get_scalar>(p, in, v.wide);
    if (p == nullptr) return nullptr;
    p = xdr::get_flat_array<2, 120, 4, get_flat_all>(p, in, v.flats);
    if (p == nullptr) return nullptr;
    p = xdr::get_array<4, 4, 4, 0, get_label<0>>(p, in, v.names);
    if (p == nullptr) return nullptr;
    p = xdr::get_run<4, 4, 0, get_label<0>>(p, in, v.two_labels, 2);
    if (p == nullptr) return nullptr;
    p = xdr::get_run<4, 4, 1404, get_label<0>>(p, in, v.many_labels, 70);
    if (p == nullptr) return nullptr;
    if (!xdr::get_bytes(p, in, v.page, 1000)) return nullptr;
    if (!xdr::get_flat_run<4, xdr::get_scalar>(p + 1000, in, v.hundred, 100)) return nullptr;
    p = xdr::get_flat_array<xdr::kUnbounded, 4, 4, get_colour>(p + 1400, in, v.paints);
    if (p == nullptr) return nullptr;
    p = xdr::get_flat_array<3, 4, 4, xdr::get_scalar>(p, in, v.flags);
    if (p == nullptr) return nullptr;
    p = xdr::get_flat_array<8, 4, 0, xdr::get_scalar>(p, in, v.letters);
    if (p == nullptr) return nullptr;
    return p;
}

const std::byte* get_list_node(const std::byte* p, xdr::Reader& in, const node*& v) {
    return xdr::get_list<4, &node::next, get_node_node<4>>(p, in, v);
}

const std::byte* get_node(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] node& v) {
    p = in.string<NAME_MAX_SIZE, 8>(p, v.name);
    if (p == nullptr) return nullptr;
    v.value = xdr::load_u32(p);
    p = in.then<0>(get_list_node(p + 4, in, v.next));
    if (p == nullptr) return nullptr;
    return p;
}

const std::byte* get_tree(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] tree& v) {
    if (!in.enter(p)) return nullptr;
    v.value = xdr::load_i32(p);
    p = xdr::get_array<xdr::kUnbounded, 8, 8, 0, get_tree>(p + 4, in, v.children);
    if (p == nullptr) return nullptr;
    in.leave();
    return p;
}

const std::byte* get_list_shelf(const std::byte* p, xdr::Reader& in, const shelf*& v) {
    return xdr::get_list<4, &shelf::next, get_node_shelf<4>>(p, in, v);
}

const std::byte* get_shelf(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] shelf& v) {
    p = in.then<4>(get_list_node(p, in, v.books));
    if (p == nullptr) return nullptr;
    p = in.then<0>(get_list_shelf(p, in, v.next));
    if (p == nullptr) return nullptr;
    return p;
}

const std::byte* get_list_link_only(const std::byte* p, xdr::Reader& in, const link_only*& v) {
    return xdr::get_list<4, &link_only::next, get_node_link_only<4>>(p, in, v);
}

const std::byte* get_link_only(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] link_only& v) {
    p = in.then<0>(get_list_link_only(p, in, v.next));
    if (p == nullptr) return nullptr;
    return p;
}

const std::byte* get_even_step(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] even_step& v) {
    if (!in.enter(p)) return nullptr;
    p = xdr::get_optional<8, 0, get_odd_step>(p, in, v.then);
    if (p == nullptr) return nullptr;
    in.leave();
    return p;
}

const std::byte* get_odd_step(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] odd_step& v) {
    if (!in.enter(p)) return nullptr;
    v.at = xdr::load_i32(p);
    p = xdr::get_optional<4, 0, get_even_step>(p + 4, in, v.then);
    if (p == nullptr) return nullptr;
    in.leave();
    return p;
}

const std::byte* get_list_class_(const std::byte* p, xdr::Reader& in, const class_*& v) {
    return xdr::get_list<24, &class_::default_, get_node_class_<4>>(p, in, v);
}

const std::byte* get_class_(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] class_& v) {
    xdr::get_pair(p, v, v.new_);  // and template
    if (!get_colour(p + 8, in, v.colour)) return nullptr;
    if (!get_class_nested(p + 12, in, v.nested)) return nullptr;
    p = get_class_choice<4>(p + 20, in, v.choice);
    if (p == nullptr) return nullptr;
    p = in.then<0>(get_list_class_(p, in, v.default_));
    if (p == nullptr) return nullptr;
    return p;
}

const std::byte* get_optionals(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] optionals& v) {
    p = xdr::get_flat_optional<4, 4, xdr::get_scalar>(p, in, v.number);
    if (p == nullptr) return nullptr;
    p = xdr::get_optional<4, 4, get_label<0>>(p, in, v.text);
    if (p == nullptr) return nullptr;
    p = xdr::get_flat_optional<120, 4, get_flat_all>(p, in, v.flat);
    if (p == nullptr) return nullptr;
    p = xdr::get_optional<4, 4, get_views>(p, in, v.view);
    if (p == nullptr) return nullptr;
    p = xdr::get_flat_optional<4, 4, get_colour>(p, in, v.paint);
    if (p == nullptr) return nullptr;
    p = get_maybe_word<4>(p, in, v.maybe);
    if (p == nullptr) return nullptr;
    p = get_maybe_label<4>(p, in, v.maybe_text);
    if (p == nullptr) return nullptr;
    v.last = xdr::load_u32(p);
    return p + 4;
}

static const std::byte* get_value_of_traits(const std::byte* p, xdr::Reader& in, traits& v, std::uint32_t bit) {
    switch (bit) {
        case 0: {  // paint
            if (!in.certain(p, 4)) return in.truncated(p, 4);
            if (!get_colour(p, in, v.paint)) return nullptr;
            return p + 4;
        }
        case 4: {  // size
            if (!in.certain(p, 8)) return in.truncated(p, 8);
            v.size = xdr::load_i64(p);
            return p + 8;
        }
        case 5: {  // present
            if (!in.certain(p, 120)) return in.truncated(p, 120);
            if (!get_flat_all(p, in, v.present_)) return nullptr;
            return p + 120;
        }
        case 31: {  // name
            if (!in.certain(p, 4)) return in.truncated(p, 4);
            p = in.string<NAME_MAX_SIZE, 0>(p, v.name);
            if (p == nullptr) return nullptr;
            return p;
        }
        case 32: {  // inner
            if (!in.certain(p, 4)) return in.truncated(p, 4);
            p = get_creature<0>(p, in, v.inner);
            if (p == nullptr) return nullptr;
            return p;
        }
        case 40: {  // family
            if (!in.certain(p, 8)) return in.truncated(p, 8);
            p = in.then<0>(get_tree(p, in, v.family));
            if (p == nullptr) return nullptr;
            return p;
        }
        case 63: {  // result
            if (!in.certain(p, 4)) return in.truncated(p, 4);
            p = get_outcome<0>(p, in, v.result);
            if (p == nullptr) return nullptr;
            return p;
        }
        case 64: {  // list
            if (!in.certain(p, 4)) return in.truncated(p, 4);
            p = in.then<0>(get_list_node(p, in, v.list));
            if (p == nullptr) return nullptr;
            return p;
        }
        case 65: {  // maybe
            if (!in.certain(p, 4)) return in.truncated(p, 4);
            p = get_maybe_word<0>(p, in, v.maybe);
            if (p == nullptr) return nullptr;
            return p;
        }
        case 70: {  // known
            if (!in.certain(p, 4)) return in.truncated(p, 4);
            p = xdr::get_words<xdr::kUnbounded, 0>(p, in, v.known);
            if (p == nullptr) return nullptr;
            return p;
        }
    }
    return in.fail(xdr::Fault::unknown_bit, p, bit, 0);
}

bool decode_colour(xdr::Reader& in, colour& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return get_colour(in.at(), in, v) && in.end(in.at() + 4);
}

bool decode_sparse(xdr::Reader& in, sparse& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return get_sparse(in.at(), in, v) && in.end(in.at() + 4);
}

bool decode_status(xdr::Reader& in, status& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return get_status(in.at(), in, v) && in.end(in.at() + 4);
}

bool decode_word(xdr::Reader& in, word& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return xdr::get_scalar(in.at(), in, v) && in.end(in.at() + 4);
}

bool decode_word_again(xdr::Reader& in, word_again& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return xdr::get_scalar(in.at(), in, v) && in.end(in.at() + 4);
}

bool decode_cookie(xdr::Reader& in, cookie& v) {
    if (!in.ready(8)) [[unlikely]] return false;
    return get_cookie(in.at(), in, v) && in.end(in.at() + 8);
}

bool decode_odd(xdr::Reader& in, odd& v) {
    if (!in.ready(8)) [[unlikely]] return false;
    return get_odd(in.at(), in, v) && in.end(in.at() + 8);
}

bool decode_large(xdr::Reader& in, large& v) {
    if (!in.ready(1000)) [[unlikely]] return false;
    return get_large(in.at(), in, v) && in.end(in.at() + 1000);
}

bool decode_label(xdr::Reader& in, label& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_label<0>(in.at(), in, v));
}

bool decode_labels(xdr::Reader& in, labels& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_labels<0>(in.at(), in, v));
}

bool decode_triple(xdr::Reader& in, triple& v) {
    if (!in.ready(12)) [[unlikely]] return false;
    return get_triple(in.at(), in, v) && in.end(in.at() + 12);
}

bool decode_many(xdr::Reader& in, many& v) {
    if (!in.ready(400)) [[unlikely]] return false;
    return get_many(in.at(), in, v) && in.end(in.at() + 400);
}

bool decode_palette(xdr::Reader& in, palette& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_palette<0>(in.at(), in, v));
}

bool decode_scalars(xdr::Reader& in, scalars& v) {
    if (!in.ready(84)) [[unlikely]] return false;
    return get_scalars(in.at(), in, v) && in.end(in.at() + 84);
}

bool decode_flat_all(xdr::Reader& in, flat_all& v) {
    if (!in.ready(120)) [[unlikely]] return false;
    return get_flat_all(in.at(), in, v) && in.end(in.at() + 120);
}

bool decode_views(xdr::Reader& in, views& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_views(in.at(), in, v));
}

bool decode_node(xdr::Reader& in, node& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_node(in.at(), in, v));
}

bool decode_tree(xdr::Reader& in, tree& v) {
    if (!in.ready(8)) [[unlikely]] return false;
    return in.end(get_tree(in.at(), in, v));
}

bool decode_shelf(xdr::Reader& in, shelf& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_shelf(in.at(), in, v));
}

bool decode_link_only(xdr::Reader& in, link_only& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_link_only(in.at(), in, v));
}

bool decode_even_step(xdr::Reader& in, even_step& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_even_step(in.at(), in, v));
}

bool decode_odd_step(xdr::Reader& in, odd_step& v) {
    if (!in.ready(8)) [[unlikely]] return false;
    return in.end(get_odd_step(in.at(), in, v));
}

bool decode_maybe_word(xdr::Reader& in, maybe_word& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_maybe_word<0>(in.at(), in, v));
}

bool decode_maybe_label(xdr::Reader& in, maybe_label& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_maybe_label<0>(in.at(), in, v));
}

bool decode_backwards(xdr::Reader& in, backwards& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_backwards<0>(in.at(), in, v));
}

bool decode_outcome(xdr::Reader& in, outcome& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_outcome<0>(in.at(), in, v));
}

bool decode_by_number(xdr::Reader& in, by_number& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_by_number<0>(in.at(), in, v));
}

bool decode_by_unsigned(xdr::Reader& in, by_unsigned& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_by_unsigned<0>(in.at(), in, v));
}

bool decode_by_colour(xdr::Reader& in, by_colour& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_by_colour<0>(in.at(), in, v));
}

bool decode_class_nested_which(xdr::Reader& in, class_nested_which& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return get_class_nested_which(in.at(), in, v) && in.end(in.at() + 4);
}

bool decode_class_nested(xdr::Reader& in, class_nested& v) {
    if (!in.ready(8)) [[unlikely]] return false;
    return get_class_nested(in.at(), in, v) && in.end(in.at() + 8);
}

bool decode_class_choice_anonymous(xdr::Reader& in, class_choice_anonymous& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_class_choice_anonymous<0>(in.at(), in, v));
}

bool decode_class_choice(xdr::Reader& in, class_choice& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_class_choice<0>(in.at(), in, v));
}

bool decode_class_(xdr::Reader& in, class_& v) {
    if (!in.ready(24)) [[unlikely]] return false;
    return in.end(get_class_(in.at(), in, v));
}

bool decode_optionals(xdr::Reader& in, optionals& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_optionals(in.at(), in, v));
}

bool decode_creature(xdr::Reader& in, creature& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_creature<0>(in.at(), in, v));
}

bool decode_traits(xdr::Reader& in, xdr::Array<std::uint32_t> mask, traits& v) {
    return xdr::decode_selected<get_value_of_traits>(in, mask, v);
}

}  // namespace test::constructs
