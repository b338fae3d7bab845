// Made by `helio gen` from constructs.x. Changes belong there; this file is written anew.
#include "constructs_codec.h"

namespace test::constructs {

namespace xdr = ::helio::xdr;

std::byte* put_views(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const views& v) {
    p = out.opaque<xdr::kUnbounded, 4>(p, v.bytes);
    if (p == nullptr) return nullptr;
    p = out.opaque<5, 4>(p, v.short_bytes);
    if (p == nullptr) return nullptr;
    p = out.string<xdr::kUnbounded, 4>(p, v.text);
    if (p == nullptr) return nullptr;
    p = out.string<NAME_MAX_SIZE, 4>(p, v.name);
    if (p == nullptr) return nullptr;
    p = xdr::put_words<16, 4>(p, out, v.numbers);
    if (p == nullptr) return nullptr;
    p = xdr::put_flat_array<xdr::kUnbounded, 8, 4>(p, out, v.wide, xdr::put_scalar);
    if (p == nullptr) return nullptr;
    p = xdr::put_flat_array<2, 120, 4>(p, out, v.flats, put_flat_all);
    if (p == nullptr) return nullptr;
    p = xdr::put_array<4, 4, 0>(p, out, v.names, put_label<0>);
    if (p == nullptr) return nullptr;
    p = xdr::put_run<4, 0>(p, out, v.two_labels, 2, put_label<0>);
    if (p == nullptr) return nullptr;
    p = xdr::put_run<4, 1404>(p, out, v.many_labels, 70, put_label<0>);
    if (p == nullptr) return nullptr;
    if (!xdr::put_bytes(p, out, v.page, 1000)) return nullptr;
    if (!xdr::put_flat_run<4>(p + 1000, out, v.hundred, 100, xdr::put_scalar)) return nullptr;
    p = xdr::put_flat_array<xdr::kUnbounded, 4, 4>(p + 1400, out, v.paints, put_colour);
    if (p == nullptr) return nullptr;
    p = xdr::put_flat_array<3, 4, 4>(p, out, v.flags, xdr::put_scalar);
    if (p == nullptr) return nullptr;
    p = xdr::put_flat_array<8, 4, 0>(p, out, v.letters, xdr::put_scalar);
    if (p == nullptr) return nullptr;
    return p;
}

std::byte* put_list_node(std::byte* p, xdr::Writer& out, const node* v) {
    return xdr::put_list<4>(p, out, v, &node::next, put_node_node<4>);
}

std::byte* put_node(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const node& v) {
    p = out.string<NAME_MAX_SIZE, 8>(p, v.name);
    if (p == nullptr) return nullptr;
    xdr::store_u32(p, v.value);
    p = out.then<0>(put_list_node(p + 4, out, v.next));
    if (p == nullptr) return nullptr;
    return p;
}

std::byte* put_tree(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const tree& v) {
    if (!out.enter(p)) return nullptr;
    xdr::store_i32(p, v.value);
    p = xdr::put_array<xdr::kUnbounded, 8, 0>(p + 4, out, v.children, put_tree);
    if (p == nullptr) return nullptr;
    out.leave();
    return p;
}

std::byte* put_list_shelf(std::byte* p, xdr::Writer& out, const shelf* v) {
    return xdr::put_list<4>(p, out, v, &shelf::next, put_node_shelf<4>);
}

std::byte* put_shelf(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const shelf& v) {
    p = out.then<4>(put_list_node(p, out, v.books));
    if (p == nullptr) return nullptr;
    p = out.then<0>(put_list_shelf(p, out, v.next));
    if (p == nullptr) return nullptr;
    return p;
}

std::byte* put_list_link_only(std::byte* p, xdr::Writer& out, const link_only* v) {
    return xdr::put_list<4>(p, out, v, &link_only::next, put_node_link_only<4>);
}

std::byte* put_link_only(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const link_only& v) {
    p = out.then<0>(put_list_link_only(p, out, v.next));
    if (p == nullptr) return nullptr;
    return p;
}

std::byte* put_even_step(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const even_step& v) {
    if (!out.enter(p)) return nullptr;
    p = xdr::put_optional<8, 0>(p, out, v.then, put_odd_step);
    if (p == nullptr) return nullptr;
    out.leave();
    return p;
}

std::byte* put_odd_step(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const odd_step& v) {
    if (!out.enter(p)) return nullptr;
    xdr::store_i32(p, v.at);
    p = xdr::put_optional<4, 0>(p + 4, out, v.then, put_even_step);
    if (p == nullptr) return nullptr;
    out.leave();
    return p;
}

std::byte* put_list_class_(std::byte* p, xdr::Writer& out, const class_* v) {
    return xdr::put_list<24>(p, out, v, &class_::default_, put_node_class_<4>);
}

std::byte* put_class_(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const class_& v) {
    xdr::store_i32(p, v.new_);
    xdr::store_i32(p + 4, v.template_);
    if (!put_colour(p + 8, out, v.colour)) return nullptr;
    if (!put_class_nested(p + 12, out, v.nested)) return nullptr;
    p = put_class_choice<4>(p + 20, out, v.choice);
    if (p == nullptr) return nullptr;
    p = out.then<0>(put_list_class_(p, out, v.default_));
    if (p == nullptr) return nullptr;
    return p;
}

std::byte* put_optionals(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const optionals& v) {
    p = xdr::put_flat_optional<4, 4>(p, out, v.number, xdr::put_scalar);
    if (p == nullptr) return nullptr;
    p = xdr::put_optional<4, 4>(p, out, v.text, put_label<0>);
    if (p == nullptr) return nullptr;
    p = xdr::put_flat_optional<120, 4>(p, out, v.flat, put_flat_all);
    if (p == nullptr) return nullptr;
    p = xdr::put_optional<4, 4>(p, out, v.view, put_views);
    if (p == nullptr) return nullptr;
    p = xdr::put_flat_optional<4, 4>(p, out, v.paint, put_colour);
    if (p == nullptr) return nullptr;
    p = put_maybe_word<4>(p, out, v.maybe);
    if (p == nullptr) return nullptr;
    p = put_maybe_label<4>(p, out, v.maybe_text);
    if (p == nullptr) return nullptr;
    xdr::store_u32(p, v.last);
    return p + 4;
}

bool encode_colour(xdr::Writer& out, const colour& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return put_colour(p, out, v) && out.end(p + 4);
}

bool encode_sparse(xdr::Writer& out, const sparse& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return put_sparse(p, out, v) && out.end(p + 4);
}

bool encode_status(xdr::Writer& out, const status& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return put_status(p, out, v) && out.end(p + 4);
}

bool encode_word(xdr::Writer& out, const word& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return xdr::put_scalar(p, out, v) && out.end(p + 4);
}

bool encode_word_again(xdr::Writer& out, const word_again& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return xdr::put_scalar(p, out, v) && out.end(p + 4);
}

bool encode_cookie(xdr::Writer& out, const cookie& v) {
    std::byte* const p = out.begin(8);
    if (p == nullptr) return false;
    return put_cookie(p, out, v) && out.end(p + 8);
}

bool encode_odd(xdr::Writer& out, const odd& v) {
    std::byte* const p = out.begin(8);
    if (p == nullptr) return false;
    return put_odd(p, out, v) && out.end(p + 8);
}

bool encode_large(xdr::Writer& out, const large& v) {
    std::byte* const p = out.begin(1000);
    if (p == nullptr) return false;
    return put_large(p, out, v) && out.end(p + 1000);
}

bool encode_label(xdr::Writer& out, const label& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_label<0>(p, out, v));
}

bool encode_labels(xdr::Writer& out, const labels& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_labels<0>(p, out, v));
}

bool encode_triple(xdr::Writer& out, const triple& v) {
    std::byte* const p = out.begin(12);
    if (p == nullptr) return false;
    return put_triple(p, out, v) && out.end(p + 12);
}

bool encode_many(xdr::Writer& out, const many& v) {
    std::byte* const p = out.begin(400);
    if (p == nullptr) return false;
    return put_many(p, out, v) && out.end(p + 400);
}

bool encode_palette(xdr::Writer& out, const palette& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_palette<0>(p, out, v));
}

bool encode_scalars(xdr::Writer& out, const scalars& v) {
    std::byte* const p = out.begin(84);
    if (p == nullptr) return false;
    return put_scalars(p, out, v) && out.end(p + 84);
}

bool encode_flat_all(xdr::Writer& out, const flat_all& v) {
    std::byte* const p = out.begin(120);
    if (p == nullptr) return false;
    return put_flat_all(p, out, v) && out.end(p + 120);
}

bool encode_views(xdr::Writer& out, const views& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_views(p, out, v));
}

bool encode_node(xdr::Writer& out, const node& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_node(p, out, v));
}

bool encode_tree(xdr::Writer& out, const tree& v) {
    std::byte* const p = out.begin(8);
    if (p == nullptr) return false;
    return out.end(put_tree(p, out, v));
}

bool encode_shelf(xdr::Writer& out, const shelf& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_shelf(p, out, v));
}

bool encode_link_only(xdr::Writer& out, const link_only& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_link_only(p, out, v));
}

bool encode_even_step(xdr::Writer& out, const even_step& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_even_step(p, out, v));
}

bool encode_odd_step(xdr::Writer& out, const odd_step& v) {
    std::byte* const p = out.begin(8);
    if (p == nullptr) return false;
    return out.end(put_odd_step(p, out, v));
}

bool encode_maybe_word(xdr::Writer& out, const maybe_word& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_maybe_word<0>(p, out, v));
}

bool encode_maybe_label(xdr::Writer& out, const maybe_label& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_maybe_label<0>(p, out, v));
}

bool encode_backwards(xdr::Writer& out, const backwards& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_backwards<0>(p, out, v));
}

bool encode_outcome(xdr::Writer& out, const outcome& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_outcome<0>(p, out, v));
}

bool encode_by_number(xdr::Writer& out, const by_number& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_by_number<0>(p, out, v));
}

bool encode_by_unsigned(xdr::Writer& out, const by_unsigned& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_by_unsigned<0>(p, out, v));
}

bool encode_by_colour(xdr::Writer& out, const by_colour& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_by_colour<0>(p, out, v));
}

bool encode_class_nested_which(xdr::Writer& out, const class_nested_which& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return put_class_nested_which(p, out, v) && out.end(p + 4);
}

bool encode_class_nested(xdr::Writer& out, const class_nested& v) {
    std::byte* const p = out.begin(8);
    if (p == nullptr) return false;
    return put_class_nested(p, out, v) && out.end(p + 8);
}

bool encode_class_choice_anonymous(xdr::Writer& out, const class_choice_anonymous& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_class_choice_anonymous<0>(p, out, v));
}

bool encode_class_choice(xdr::Writer& out, const class_choice& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_class_choice<0>(p, out, v));
}

bool encode_class_(xdr::Writer& out, const class_& v) {
    std::byte* const p = out.begin(24);
    if (p == nullptr) return false;
    return out.end(put_class_(p, out, v));
}

bool encode_optionals(xdr::Writer& out, const optionals& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_optionals(p, out, v));
}

}  // namespace test::constructs
