// Made by `helio gen` from constructs.x. Changes belong there; this file is written anew.
#include "constructs_codec.h"

namespace test::constructs {

namespace xdr = ::helio::xdr;

std::byte* put_views(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const views& v) {
    p = out.opaque<xdr::kUnbounded, 16>(p, v.bytes);
    if (p == nullptr) return nullptr;
    p = out.opaque<5, xdr::kReserved>(p, v.short_bytes);
    if (p == nullptr) return nullptr;
    p = out.string<xdr::kUnbounded, 88>(p, v.text);
    if (p == nullptr) return nullptr;
    p = out.string<NAME_MAX_SIZE, xdr::kReserved>(p, v.name);
    if (p == nullptr) return nullptr;
    p = xdr::put_words<16, xdr::kReserved>(p, out, v.numbers);
    if (p == nullptr) return nullptr;
    p = xdr::put_flat_array<xdr::kUnbounded, 8, 344, xdr::put_scalar>(p, out, v.wide);
    if (p == nullptr) return nullptr;
    p = xdr::put_flat_array<2, 120, xdr::kReserved, put_flat_all>(p, out, v.flats);
    if (p == nullptr) return nullptr;
    p = xdr::put_array<4, 4, 16, xdr::kReserved, put_label>(p, out, v.names);
    if (p == nullptr) return nullptr;
    p = xdr::put_run<4, 16, xdr::kReserved, put_label>(p, out, v.two_labels, 2);
    if (p == nullptr) return nullptr;
    p = xdr::put_run<4, 16, 1404, put_label>(p, out, v.many_labels, 70);
    if (p == nullptr) return nullptr;
    if (!xdr::put_bytes(p, out, v.page, 1000)) return nullptr;
    if (!xdr::put_flat_run<4, xdr::put_scalar>(p + 1000, out, v.hundred, 100)) return nullptr;
    p = xdr::put_flat_array<xdr::kUnbounded, 4, 52, put_colour>(p + 1400, out, v.paints);
    if (p == nullptr) return nullptr;
    p = xdr::put_flat_array<3, 4, xdr::kReserved, xdr::put_scalar>(p, out, v.flags);
    if (p == nullptr) return nullptr;
    p = xdr::put_flat_array<8, 4, xdr::kReserved, xdr::put_scalar>(p, out, v.letters);
    if (p == nullptr) return nullptr;
    return p;
}

std::byte* put_list_node(std::byte* p, xdr::Writer& out, const node* v) {
    return xdr::put_list<24, &node::next, put_node_node<4>>(p, out, v);
}

std::byte* put_node(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const node& v) {
    p = out.string<NAME_MAX_SIZE, xdr::kReserved>(p, v.name);
    if (p == nullptr) return nullptr;
    xdr::store_u32(p, v.value);
    p = out.then<0>(put_list_node(p + 4, out, v.next));
    if (p == nullptr) return nullptr;
    return p;
}

std::byte* put_tree(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const tree& v) {
    if (!out.enter(p)) return nullptr;
    xdr::store_i32(p, v.value);
    p = xdr::put_array<xdr::kUnbounded, 8, 8, 0, put_tree>(p + 4, out, v.children);
    if (p == nullptr) return nullptr;
    out.leave();
    return p;
}

std::byte* put_list_shelf(std::byte* p, xdr::Writer& out, const shelf* v) {
    return xdr::put_list<4, &shelf::next, put_node_shelf<4>>(p, out, v);
}

std::byte* put_shelf(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const shelf& v) {
    p = out.then<4>(put_list_node(p, out, v.books));
    if (p == nullptr) return nullptr;
    p = out.then<0>(put_list_shelf(p, out, v.next));
    if (p == nullptr) return nullptr;
    return p;
}

std::byte* put_list_link_only(std::byte* p, xdr::Writer& out, const link_only* v) {
    return xdr::put_list<4, &link_only::next, put_node_link_only<4>>(p, out, v);
}

std::byte* put_link_only(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const link_only& v) {
    p = out.then<0>(put_list_link_only(p, out, v.next));
    if (p == nullptr) return nullptr;
    return p;
}

std::byte* put_even_step(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const even_step& v) {
    if (!out.enter(p)) return nullptr;
    p = xdr::put_optional<8, 0, put_odd_step>(p, out, v.then);
    if (p == nullptr) return nullptr;
    out.leave();
    return p;
}

std::byte* put_odd_step(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const odd_step& v) {
    if (!out.enter(p)) return nullptr;
    xdr::store_i32(p, v.at);
    p = xdr::put_optional<4, 0, put_even_step>(p + 4, out, v.then);
    if (p == nullptr) return nullptr;
    out.leave();
    return p;
}

std::byte* put_list_class_(std::byte* p, xdr::Writer& out, const class_* v) {
    return xdr::put_list<24, &class_::default_, put_node_class_<4>>(p, out, v);
}

std::byte* put_class_(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const class_& v) {
    xdr::put_pair(p, v, v.new_);  // and template
    if (!put_colour(p + 8, out, v.colour)) return nullptr;
    if (!put_class_nested(p + 12, out, v.nested)) return nullptr;
    p = put_class_choice<4>(p + 20, out, v.choice);
    if (p == nullptr) return nullptr;
    p = out.then<0>(put_list_class_(p, out, v.default_));
    if (p == nullptr) return nullptr;
    return p;
}

std::byte* put_optionals(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const optionals& v) {
    p = xdr::put_flat_optional<4, xdr::kReserved, xdr::put_scalar>(p, out, v.number);
    if (p == nullptr) return nullptr;
    p = xdr::put_optional<16, xdr::kReserved, put_label>(p, out, v.text);
    if (p == nullptr) return nullptr;
    p = xdr::put_flat_optional<120, xdr::kReserved, put_flat_all>(p, out, v.flat);
    if (p == nullptr) return nullptr;
    p = xdr::put_optional<4, 40, put_views>(p, out, v.view);
    if (p == nullptr) return nullptr;
    p = xdr::put_flat_optional<4, xdr::kReserved, put_colour>(p, out, v.paint);
    if (p == nullptr) return nullptr;
    p = put_maybe_word(p, out, v.maybe);
    if (p == nullptr) return nullptr;
    p = put_maybe_label(p, out, v.maybe_text);
    if (p == nullptr) return nullptr;
    xdr::store_u32(p, v.last);
    return p + 4;
}

static std::byte* put_value_of_traits(std::byte* p, xdr::Writer& out, const traits& v, std::uint32_t bit) {
    switch (bit) {
        case 0: {  // paint
            p = out.certain(p, 4);
            if (p == nullptr) return nullptr;
            if (!put_colour(p, out, v.paint)) return nullptr;
            return p + 4;
        }
        case 4: {  // size
            p = out.certain(p, 8);
            if (p == nullptr) return nullptr;
            xdr::store_i64(p, v.size);
            return p + 8;
        }
        case 5: {  // present
            p = out.certain(p, 120);
            if (p == nullptr) return nullptr;
            if (!put_flat_all(p, out, v.present_)) return nullptr;
            return p + 120;
        }
        case 31: {  // name
            p = out.certain(p, 16);
            if (p == nullptr) return nullptr;
            p = out.string<NAME_MAX_SIZE, xdr::kReserved>(p, v.name);
            if (p == nullptr) return nullptr;
            return p;
        }
        case 32: {  // inner
            p = out.certain(p, 4);
            if (p == nullptr) return nullptr;
            p = put_creature<0>(p, out, v.inner);
            if (p == nullptr) return nullptr;
            return p;
        }
        case 40: {  // family
            p = out.certain(p, 8);
            if (p == nullptr) return nullptr;
            p = out.then<0>(put_tree(p, out, v.family));
            if (p == nullptr) return nullptr;
            return p;
        }
        case 63: {  // result
            p = out.certain(p, 4);
            if (p == nullptr) return nullptr;
            p = put_outcome<0>(p, out, v.result);
            if (p == nullptr) return nullptr;
            return p;
        }
        case 64: {  // list
            p = out.certain(p, 4);
            if (p == nullptr) return nullptr;
            p = out.then<0>(put_list_node(p, out, v.list));
            if (p == nullptr) return nullptr;
            return p;
        }
        case 65: {  // maybe
            p = out.certain(p, 8);
            if (p == nullptr) return nullptr;
            p = put_maybe_word(p, out, v.maybe);
            if (p == nullptr) return nullptr;
            return p;
        }
        case 70: {  // known
            p = out.certain(p, 4);
            if (p == nullptr) return nullptr;
            p = xdr::put_words<xdr::kUnbounded, 0>(p, out, v.known);
            if (p == nullptr) return nullptr;
            return p;
        }
    }
    return out.fail(xdr::Fault::unknown_bit, p, bit, 0);
}

bool encode_colour(xdr::Writer& out, const colour& v) {
    if (!out.ready(4)) [[unlikely]] return false;
    return put_colour(out.at(), out, v) && out.end(out.at() + 4);
}

bool encode_sparse(xdr::Writer& out, const sparse& v) {
    if (!out.ready(4)) [[unlikely]] return false;
    return put_sparse(out.at(), out, v) && out.end(out.at() + 4);
}

bool encode_status(xdr::Writer& out, const status& v) {
    if (!out.ready(4)) [[unlikely]] return false;
    return put_status(out.at(), out, v) && out.end(out.at() + 4);
}

bool encode_word(xdr::Writer& out, const word& v) {
    if (!out.ready(4)) [[unlikely]] return false;
    return xdr::put_scalar(out.at(), out, v) && out.end(out.at() + 4);
}

bool encode_word_again(xdr::Writer& out, const word_again& v) {
    if (!out.ready(4)) [[unlikely]] return false;
    return xdr::put_scalar(out.at(), out, v) && out.end(out.at() + 4);
}

bool encode_cookie(xdr::Writer& out, const cookie& v) {
    if (!out.ready(8)) [[unlikely]] return false;
    return put_cookie(out.at(), out, v) && out.end(out.at() + 8);
}

bool encode_odd(xdr::Writer& out, const odd& v) {
    if (!out.ready(8)) [[unlikely]] return false;
    return put_odd(out.at(), out, v) && out.end(out.at() + 8);
}

bool encode_large(xdr::Writer& out, const large& v) {
    if (!out.ready(1000)) [[unlikely]] return false;
    return put_large(out.at(), out, v) && out.end(out.at() + 1000);
}

bool encode_label(xdr::Writer& out, const label& v) {
    if (!out.ready(16)) [[unlikely]] return false;
    return out.end(put_label(out.at(), out, v));
}

bool encode_labels(xdr::Writer& out, const labels& v) {
    if (!out.ready(68)) [[unlikely]] return false;
    return out.end(put_labels(out.at(), out, v));
}

bool encode_triple(xdr::Writer& out, const triple& v) {
    if (!out.ready(12)) [[unlikely]] return false;
    return put_triple(out.at(), out, v) && out.end(out.at() + 12);
}

bool encode_many(xdr::Writer& out, const many& v) {
    if (!out.ready(400)) [[unlikely]] return false;
    return put_many(out.at(), out, v) && out.end(out.at() + 400);
}

bool encode_palette(xdr::Writer& out, const palette& v) {
    if (!out.ready(4)) [[unlikely]] return false;
    return out.end(put_palette<0>(out.at(), out, v));
}

bool encode_scalars(xdr::Writer& out, const scalars& v) {
    if (!out.ready(84)) [[unlikely]] return false;
    return put_scalars(out.at(), out, v) && out.end(out.at() + 84);
}

bool encode_flat_all(xdr::Writer& out, const flat_all& v) {
    if (!out.ready(120)) [[unlikely]] return false;
    return put_flat_all(out.at(), out, v) && out.end(out.at() + 120);
}

bool encode_views(xdr::Writer& out, const views& v) {
    if (!out.ready(4)) [[unlikely]] return false;
    return out.end(put_views(out.at(), out, v));
}

bool encode_node(xdr::Writer& out, const node& v) {
    if (!out.ready(24)) [[unlikely]] return false;
    return out.end(put_node(out.at(), out, v));
}

bool encode_tree(xdr::Writer& out, const tree& v) {
    if (!out.ready(8)) [[unlikely]] return false;
    return out.end(put_tree(out.at(), out, v));
}

bool encode_shelf(xdr::Writer& out, const shelf& v) {
    if (!out.ready(4)) [[unlikely]] return false;
    return out.end(put_shelf(out.at(), out, v));
}

bool encode_link_only(xdr::Writer& out, const link_only& v) {
    if (!out.ready(4)) [[unlikely]] return false;
    return out.end(put_link_only(out.at(), out, v));
}

bool encode_even_step(xdr::Writer& out, const even_step& v) {
    if (!out.ready(4)) [[unlikely]] return false;
    return out.end(put_even_step(out.at(), out, v));
}

bool encode_odd_step(xdr::Writer& out, const odd_step& v) {
    if (!out.ready(8)) [[unlikely]] return false;
    return out.end(put_odd_step(out.at(), out, v));
}

bool encode_maybe_word(xdr::Writer& out, const maybe_word& v) {
    if (!out.ready(8)) [[unlikely]] return false;
    return out.end(put_maybe_word(out.at(), out, v));
}

bool encode_maybe_label(xdr::Writer& out, const maybe_label& v) {
    if (!out.ready(20)) [[unlikely]] return false;
    return out.end(put_maybe_label(out.at(), out, v));
}

bool encode_backwards(xdr::Writer& out, const backwards& v) {
    if (!out.ready(8)) [[unlikely]] return false;
    return out.end(put_backwards(out.at(), out, v));
}

bool encode_outcome(xdr::Writer& out, const outcome& v) {
    if (!out.ready(4)) [[unlikely]] return false;
    return out.end(put_outcome<0>(out.at(), out, v));
}

bool encode_by_number(xdr::Writer& out, const by_number& v) {
    if (!out.ready(4)) [[unlikely]] return false;
    return out.end(put_by_number<0>(out.at(), out, v));
}

bool encode_by_unsigned(xdr::Writer& out, const by_unsigned& v) {
    if (!out.ready(4)) [[unlikely]] return false;
    return out.end(put_by_unsigned<0>(out.at(), out, v));
}

bool encode_by_colour(xdr::Writer& out, const by_colour& v) {
    if (!out.ready(4)) [[unlikely]] return false;
    return out.end(put_by_colour<0>(out.at(), out, v));
}

bool encode_class_nested_which(xdr::Writer& out, const class_nested_which& v) {
    if (!out.ready(4)) [[unlikely]] return false;
    return put_class_nested_which(out.at(), out, v) && out.end(out.at() + 4);
}

bool encode_class_nested(xdr::Writer& out, const class_nested& v) {
    if (!out.ready(8)) [[unlikely]] return false;
    return put_class_nested(out.at(), out, v) && out.end(out.at() + 8);
}

bool encode_class_choice_anonymous(xdr::Writer& out, const class_choice_anonymous& v) {
    if (!out.ready(4)) [[unlikely]] return false;
    return out.end(put_class_choice_anonymous<0>(out.at(), out, v));
}

bool encode_class_choice(xdr::Writer& out, const class_choice& v) {
    if (!out.ready(4)) [[unlikely]] return false;
    return out.end(put_class_choice<0>(out.at(), out, v));
}

bool encode_class_(xdr::Writer& out, const class_& v) {
    if (!out.ready(24)) [[unlikely]] return false;
    return out.end(put_class_(out.at(), out, v));
}

bool encode_optionals(xdr::Writer& out, const optionals& v) {
    if (!out.ready(156)) [[unlikely]] return false;
    return out.end(put_optionals(out.at(), out, v));
}

bool encode_creature(xdr::Writer& out, const creature& v) {
    if (!out.ready(4)) [[unlikely]] return false;
    return out.end(put_creature<0>(out.at(), out, v));
}

bool encode_traits(xdr::Writer& out, const traits& v) {
    return xdr::encode_selected<put_value_of_traits>(out, v);
}

bool pack_traits(xdr::Arena& arena, const traits& v, ::helio::ByteView& values) {
    return xdr::pack_selected<put_value_of_traits>(arena, v, values);
}

}  // namespace test::constructs
