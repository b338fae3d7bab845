// Made by `helio gen` from constructs.x. Changes belong there; this file is written anew.
#include "constructs.h"

namespace test::constructs {

namespace xdr = ::helio::xdr;

namespace {

bool recode_colour(xdr::Reader& in, xdr::Writer& out) {
    colour v{};
    return decode_colour(in, v) && encode_colour(out, v);
}
bool same_colour(xdr::Reader& one, xdr::Reader& other) {
    colour a{};
    colour b{};
    return decode_colour(one, a) && decode_colour(other, b) && xdr::same(a, b);
}
std::string text_colour(xdr::Reader& in) {
    colour v{};
    if (!decode_colour(in, v)) return {};
    xdr::Printer out;
    print_colour(out, v);
    return out.text();
}
bool recode_sparse(xdr::Reader& in, xdr::Writer& out) {
    sparse v{};
    return decode_sparse(in, v) && encode_sparse(out, v);
}
bool same_sparse(xdr::Reader& one, xdr::Reader& other) {
    sparse a{};
    sparse b{};
    return decode_sparse(one, a) && decode_sparse(other, b) && xdr::same(a, b);
}
std::string text_sparse(xdr::Reader& in) {
    sparse v{};
    if (!decode_sparse(in, v)) return {};
    xdr::Printer out;
    print_sparse(out, v);
    return out.text();
}
bool recode_status(xdr::Reader& in, xdr::Writer& out) {
    status v{};
    return decode_status(in, v) && encode_status(out, v);
}
bool same_status(xdr::Reader& one, xdr::Reader& other) {
    status a{};
    status b{};
    return decode_status(one, a) && decode_status(other, b) && xdr::same(a, b);
}
std::string text_status(xdr::Reader& in) {
    status v{};
    if (!decode_status(in, v)) return {};
    xdr::Printer out;
    print_status(out, v);
    return out.text();
}
bool recode_word(xdr::Reader& in, xdr::Writer& out) {
    word v{};
    return decode_word(in, v) && encode_word(out, v);
}
bool same_word(xdr::Reader& one, xdr::Reader& other) {
    word a{};
    word b{};
    return decode_word(one, a) && decode_word(other, b) && xdr::same(a, b);
}
std::string text_word(xdr::Reader& in) {
    word v{};
    if (!decode_word(in, v)) return {};
    xdr::Printer out;
    print_word(out, v);
    return out.text();
}
bool recode_word_again(xdr::Reader& in, xdr::Writer& out) {
    word_again v{};
    return decode_word_again(in, v) && encode_word_again(out, v);
}
bool same_word_again(xdr::Reader& one, xdr::Reader& other) {
    word_again a{};
    word_again b{};
    return decode_word_again(one, a) && decode_word_again(other, b) && xdr::same(a, b);
}
std::string text_word_again(xdr::Reader& in) {
    word_again v{};
    if (!decode_word_again(in, v)) return {};
    xdr::Printer out;
    print_word_again(out, v);
    return out.text();
}
bool recode_cookie(xdr::Reader& in, xdr::Writer& out) {
    cookie v{};
    return decode_cookie(in, v) && encode_cookie(out, v);
}
bool same_cookie(xdr::Reader& one, xdr::Reader& other) {
    cookie a{};
    cookie b{};
    return decode_cookie(one, a) && decode_cookie(other, b) && xdr::same(a, b);
}
std::string text_cookie(xdr::Reader& in) {
    cookie v{};
    if (!decode_cookie(in, v)) return {};
    xdr::Printer out;
    print_cookie(out, v);
    return out.text();
}
bool recode_odd(xdr::Reader& in, xdr::Writer& out) {
    odd v{};
    return decode_odd(in, v) && encode_odd(out, v);
}
bool same_odd(xdr::Reader& one, xdr::Reader& other) {
    odd a{};
    odd b{};
    return decode_odd(one, a) && decode_odd(other, b) && xdr::same(a, b);
}
std::string text_odd(xdr::Reader& in) {
    odd v{};
    if (!decode_odd(in, v)) return {};
    xdr::Printer out;
    print_odd(out, v);
    return out.text();
}
bool recode_large(xdr::Reader& in, xdr::Writer& out) {
    large v{};
    return decode_large(in, v) && encode_large(out, v);
}
bool same_large(xdr::Reader& one, xdr::Reader& other) {
    large a{};
    large b{};
    return decode_large(one, a) && decode_large(other, b) && xdr::same(a, b);
}
std::string text_large(xdr::Reader& in) {
    large v{};
    if (!decode_large(in, v)) return {};
    xdr::Printer out;
    print_large(out, v);
    return out.text();
}
bool recode_label(xdr::Reader& in, xdr::Writer& out) {
    label v{};
    return decode_label(in, v) && encode_label(out, v);
}
bool same_label(xdr::Reader& one, xdr::Reader& other) {
    label a{};
    label b{};
    return decode_label(one, a) && decode_label(other, b) && xdr::same(a, b);
}
std::string text_label(xdr::Reader& in) {
    label v{};
    if (!decode_label(in, v)) return {};
    xdr::Printer out;
    print_label(out, v);
    return out.text();
}
bool recode_labels(xdr::Reader& in, xdr::Writer& out) {
    labels v{};
    return decode_labels(in, v) && encode_labels(out, v);
}
bool same_labels(xdr::Reader& one, xdr::Reader& other) {
    labels a{};
    labels b{};
    return decode_labels(one, a) && decode_labels(other, b) && xdr::same(a, b);
}
std::string text_labels(xdr::Reader& in) {
    labels v{};
    if (!decode_labels(in, v)) return {};
    xdr::Printer out;
    print_labels(out, v);
    return out.text();
}
bool recode_triple(xdr::Reader& in, xdr::Writer& out) {
    triple v{};
    return decode_triple(in, v) && encode_triple(out, v);
}
bool same_triple(xdr::Reader& one, xdr::Reader& other) {
    triple a{};
    triple b{};
    return decode_triple(one, a) && decode_triple(other, b) && xdr::same(a, b);
}
std::string text_triple(xdr::Reader& in) {
    triple v{};
    if (!decode_triple(in, v)) return {};
    xdr::Printer out;
    print_triple(out, v);
    return out.text();
}
bool recode_many(xdr::Reader& in, xdr::Writer& out) {
    many v{};
    return decode_many(in, v) && encode_many(out, v);
}
bool same_many(xdr::Reader& one, xdr::Reader& other) {
    many a{};
    many b{};
    return decode_many(one, a) && decode_many(other, b) && xdr::same(a, b);
}
std::string text_many(xdr::Reader& in) {
    many v{};
    if (!decode_many(in, v)) return {};
    xdr::Printer out;
    print_many(out, v);
    return out.text();
}
bool recode_palette(xdr::Reader& in, xdr::Writer& out) {
    palette v{};
    return decode_palette(in, v) && encode_palette(out, v);
}
bool same_palette(xdr::Reader& one, xdr::Reader& other) {
    palette a{};
    palette b{};
    return decode_palette(one, a) && decode_palette(other, b) && xdr::same(a, b);
}
std::string text_palette(xdr::Reader& in) {
    palette v{};
    if (!decode_palette(in, v)) return {};
    xdr::Printer out;
    print_palette(out, v);
    return out.text();
}
bool recode_scalars(xdr::Reader& in, xdr::Writer& out) {
    scalars v{};
    return decode_scalars(in, v) && encode_scalars(out, v);
}
bool same_scalars(xdr::Reader& one, xdr::Reader& other) {
    scalars a{};
    scalars b{};
    return decode_scalars(one, a) && decode_scalars(other, b) && xdr::same(a, b);
}
std::string text_scalars(xdr::Reader& in) {
    scalars v{};
    if (!decode_scalars(in, v)) return {};
    xdr::Printer out;
    print_scalars(out, v);
    return out.text();
}
bool recode_flat_all(xdr::Reader& in, xdr::Writer& out) {
    flat_all v{};
    return decode_flat_all(in, v) && encode_flat_all(out, v);
}
bool same_flat_all(xdr::Reader& one, xdr::Reader& other) {
    flat_all a{};
    flat_all b{};
    return decode_flat_all(one, a) && decode_flat_all(other, b) && xdr::same(a, b);
}
std::string text_flat_all(xdr::Reader& in) {
    flat_all v{};
    if (!decode_flat_all(in, v)) return {};
    xdr::Printer out;
    print_flat_all(out, v);
    return out.text();
}
bool recode_views(xdr::Reader& in, xdr::Writer& out) {
    views v{};
    return decode_views(in, v) && encode_views(out, v);
}
bool same_views(xdr::Reader& one, xdr::Reader& other) {
    views a{};
    views b{};
    return decode_views(one, a) && decode_views(other, b) && xdr::same(a, b);
}
std::string text_views(xdr::Reader& in) {
    views v{};
    if (!decode_views(in, v)) return {};
    xdr::Printer out;
    print_views(out, v);
    return out.text();
}
bool recode_node(xdr::Reader& in, xdr::Writer& out) {
    node v{};
    return decode_node(in, v) && encode_node(out, v);
}
bool same_node(xdr::Reader& one, xdr::Reader& other) {
    node a{};
    node b{};
    return decode_node(one, a) && decode_node(other, b) && xdr::same(a, b);
}
std::string text_node(xdr::Reader& in) {
    node v{};
    if (!decode_node(in, v)) return {};
    xdr::Printer out;
    print_node(out, v);
    return out.text();
}
bool recode_tree(xdr::Reader& in, xdr::Writer& out) {
    tree v{};
    return decode_tree(in, v) && encode_tree(out, v);
}
bool same_tree(xdr::Reader& one, xdr::Reader& other) {
    tree a{};
    tree b{};
    return decode_tree(one, a) && decode_tree(other, b) && xdr::same(a, b);
}
std::string text_tree(xdr::Reader& in) {
    tree v{};
    if (!decode_tree(in, v)) return {};
    xdr::Printer out;
    print_tree(out, v);
    return out.text();
}
bool recode_shelf(xdr::Reader& in, xdr::Writer& out) {
    shelf v{};
    return decode_shelf(in, v) && encode_shelf(out, v);
}
bool same_shelf(xdr::Reader& one, xdr::Reader& other) {
    shelf a{};
    shelf b{};
    return decode_shelf(one, a) && decode_shelf(other, b) && xdr::same(a, b);
}
std::string text_shelf(xdr::Reader& in) {
    shelf v{};
    if (!decode_shelf(in, v)) return {};
    xdr::Printer out;
    print_shelf(out, v);
    return out.text();
}
bool recode_link_only(xdr::Reader& in, xdr::Writer& out) {
    link_only v{};
    return decode_link_only(in, v) && encode_link_only(out, v);
}
bool same_link_only(xdr::Reader& one, xdr::Reader& other) {
    link_only a{};
    link_only b{};
    return decode_link_only(one, a) && decode_link_only(other, b) && xdr::same(a, b);
}
std::string text_link_only(xdr::Reader& in) {
    link_only v{};
    if (!decode_link_only(in, v)) return {};
    xdr::Printer out;
    print_link_only(out, v);
    return out.text();
}
bool recode_even_step(xdr::Reader& in, xdr::Writer& out) {
    even_step v{};
    return decode_even_step(in, v) && encode_even_step(out, v);
}
bool same_even_step(xdr::Reader& one, xdr::Reader& other) {
    even_step a{};
    even_step b{};
    return decode_even_step(one, a) && decode_even_step(other, b) && xdr::same(a, b);
}
std::string text_even_step(xdr::Reader& in) {
    even_step v{};
    if (!decode_even_step(in, v)) return {};
    xdr::Printer out;
    print_even_step(out, v);
    return out.text();
}
bool recode_odd_step(xdr::Reader& in, xdr::Writer& out) {
    odd_step v{};
    return decode_odd_step(in, v) && encode_odd_step(out, v);
}
bool same_odd_step(xdr::Reader& one, xdr::Reader& other) {
    odd_step a{};
    odd_step b{};
    return decode_odd_step(one, a) && decode_odd_step(other, b) && xdr::same(a, b);
}
std::string text_odd_step(xdr::Reader& in) {
    odd_step v{};
    if (!decode_odd_step(in, v)) return {};
    xdr::Printer out;
    print_odd_step(out, v);
    return out.text();
}
bool recode_maybe_word(xdr::Reader& in, xdr::Writer& out) {
    maybe_word v{};
    return decode_maybe_word(in, v) && encode_maybe_word(out, v);
}
bool same_maybe_word(xdr::Reader& one, xdr::Reader& other) {
    maybe_word a{};
    maybe_word b{};
    return decode_maybe_word(one, a) && decode_maybe_word(other, b) && xdr::same(a, b);
}
std::string text_maybe_word(xdr::Reader& in) {
    maybe_word v{};
    if (!decode_maybe_word(in, v)) return {};
    xdr::Printer out;
    print_maybe_word(out, v);
    return out.text();
}
bool recode_maybe_label(xdr::Reader& in, xdr::Writer& out) {
    maybe_label v{};
    return decode_maybe_label(in, v) && encode_maybe_label(out, v);
}
bool same_maybe_label(xdr::Reader& one, xdr::Reader& other) {
    maybe_label a{};
    maybe_label b{};
    return decode_maybe_label(one, a) && decode_maybe_label(other, b) && xdr::same(a, b);
}
std::string text_maybe_label(xdr::Reader& in) {
    maybe_label v{};
    if (!decode_maybe_label(in, v)) return {};
    xdr::Printer out;
    print_maybe_label(out, v);
    return out.text();
}
bool recode_backwards(xdr::Reader& in, xdr::Writer& out) {
    backwards v{};
    return decode_backwards(in, v) && encode_backwards(out, v);
}
bool same_backwards(xdr::Reader& one, xdr::Reader& other) {
    backwards a{};
    backwards b{};
    return decode_backwards(one, a) && decode_backwards(other, b) && xdr::same(a, b);
}
std::string text_backwards(xdr::Reader& in) {
    backwards v{};
    if (!decode_backwards(in, v)) return {};
    xdr::Printer out;
    print_backwards(out, v);
    return out.text();
}
bool recode_outcome(xdr::Reader& in, xdr::Writer& out) {
    outcome v{};
    return decode_outcome(in, v) && encode_outcome(out, v);
}
bool same_outcome(xdr::Reader& one, xdr::Reader& other) {
    outcome a{};
    outcome b{};
    return decode_outcome(one, a) && decode_outcome(other, b) && xdr::same(a, b);
}
std::string text_outcome(xdr::Reader& in) {
    outcome v{};
    if (!decode_outcome(in, v)) return {};
    xdr::Printer out;
    print_outcome(out, v);
    return out.text();
}
bool recode_by_number(xdr::Reader& in, xdr::Writer& out) {
    by_number v{};
    return decode_by_number(in, v) && encode_by_number(out, v);
}
bool same_by_number(xdr::Reader& one, xdr::Reader& other) {
    by_number a{};
    by_number b{};
    return decode_by_number(one, a) && decode_by_number(other, b) && xdr::same(a, b);
}
std::string text_by_number(xdr::Reader& in) {
    by_number v{};
    if (!decode_by_number(in, v)) return {};
    xdr::Printer out;
    print_by_number(out, v);
    return out.text();
}
bool recode_by_unsigned(xdr::Reader& in, xdr::Writer& out) {
    by_unsigned v{};
    return decode_by_unsigned(in, v) && encode_by_unsigned(out, v);
}
bool same_by_unsigned(xdr::Reader& one, xdr::Reader& other) {
    by_unsigned a{};
    by_unsigned b{};
    return decode_by_unsigned(one, a) && decode_by_unsigned(other, b) && xdr::same(a, b);
}
std::string text_by_unsigned(xdr::Reader& in) {
    by_unsigned v{};
    if (!decode_by_unsigned(in, v)) return {};
    xdr::Printer out;
    print_by_unsigned(out, v);
    return out.text();
}
bool recode_by_colour(xdr::Reader& in, xdr::Writer& out) {
    by_colour v{};
    return decode_by_colour(in, v) && encode_by_colour(out, v);
}
bool same_by_colour(xdr::Reader& one, xdr::Reader& other) {
    by_colour a{};
    by_colour b{};
    return decode_by_colour(one, a) && decode_by_colour(other, b) && xdr::same(a, b);
}
std::string text_by_colour(xdr::Reader& in) {
    by_colour v{};
    if (!decode_by_colour(in, v)) return {};
    xdr::Printer out;
    print_by_colour(out, v);
    return out.text();
}
bool recode_class_nested_which(xdr::Reader& in, xdr::Writer& out) {
    class_nested_which v{};
    return decode_class_nested_which(in, v) && encode_class_nested_which(out, v);
}
bool same_class_nested_which(xdr::Reader& one, xdr::Reader& other) {
    class_nested_which a{};
    class_nested_which b{};
    return decode_class_nested_which(one, a) && decode_class_nested_which(other, b) && xdr::same(a, b);
}
std::string text_class_nested_which(xdr::Reader& in) {
    class_nested_which v{};
    if (!decode_class_nested_which(in, v)) return {};
    xdr::Printer out;
    print_class_nested_which(out, v);
    return out.text();
}
bool recode_class_nested(xdr::Reader& in, xdr::Writer& out) {
    class_nested v{};
    return decode_class_nested(in, v) && encode_class_nested(out, v);
}
bool same_class_nested(xdr::Reader& one, xdr::Reader& other) {
    class_nested a{};
    class_nested b{};
    return decode_class_nested(one, a) && decode_class_nested(other, b) && xdr::same(a, b);
}
std::string text_class_nested(xdr::Reader& in) {
    class_nested v{};
    if (!decode_class_nested(in, v)) return {};
    xdr::Printer out;
    print_class_nested(out, v);
    return out.text();
}
bool recode_class_choice_anonymous(xdr::Reader& in, xdr::Writer& out) {
    class_choice_anonymous v{};
    return decode_class_choice_anonymous(in, v) && encode_class_choice_anonymous(out, v);
}
bool same_class_choice_anonymous(xdr::Reader& one, xdr::Reader& other) {
    class_choice_anonymous a{};
    class_choice_anonymous b{};
    return decode_class_choice_anonymous(one, a) && decode_class_choice_anonymous(other, b) && xdr::same(a, b);
}
std::string text_class_choice_anonymous(xdr::Reader& in) {
    class_choice_anonymous v{};
    if (!decode_class_choice_anonymous(in, v)) return {};
    xdr::Printer out;
    print_class_choice_anonymous(out, v);
    return out.text();
}
bool recode_class_choice(xdr::Reader& in, xdr::Writer& out) {
    class_choice v{};
    return decode_class_choice(in, v) && encode_class_choice(out, v);
}
bool same_class_choice(xdr::Reader& one, xdr::Reader& other) {
    class_choice a{};
    class_choice b{};
    return decode_class_choice(one, a) && decode_class_choice(other, b) && xdr::same(a, b);
}
std::string text_class_choice(xdr::Reader& in) {
    class_choice v{};
    if (!decode_class_choice(in, v)) return {};
    xdr::Printer out;
    print_class_choice(out, v);
    return out.text();
}
bool recode_class_(xdr::Reader& in, xdr::Writer& out) {
    class_ v{};
    return decode_class_(in, v) && encode_class_(out, v);
}
bool same_class_(xdr::Reader& one, xdr::Reader& other) {
    class_ a{};
    class_ b{};
    return decode_class_(one, a) && decode_class_(other, b) && xdr::same(a, b);
}
std::string text_class_(xdr::Reader& in) {
    class_ v{};
    if (!decode_class_(in, v)) return {};
    xdr::Printer out;
    print_class_(out, v);
    return out.text();
}
bool recode_optionals(xdr::Reader& in, xdr::Writer& out) {
    optionals v{};
    return decode_optionals(in, v) && encode_optionals(out, v);
}
bool same_optionals(xdr::Reader& one, xdr::Reader& other) {
    optionals a{};
    optionals b{};
    return decode_optionals(one, a) && decode_optionals(other, b) && xdr::same(a, b);
}
std::string text_optionals(xdr::Reader& in) {
    optionals v{};
    if (!decode_optionals(in, v)) return {};
    xdr::Printer out;
    print_optionals(out, v);
    return out.text();
}
bool recode_creature(xdr::Reader& in, xdr::Writer& out) {
    creature v{};
    return decode_creature(in, v) && encode_creature(out, v);
}
bool same_creature(xdr::Reader& one, xdr::Reader& other) {
    creature a{};
    creature b{};
    return decode_creature(one, a) && decode_creature(other, b) && xdr::same(a, b);
}
std::string text_creature(xdr::Reader& in) {
    creature v{};
    if (!decode_creature(in, v)) return {};
    xdr::Printer out;
    print_creature(out, v);
    return out.text();
}

constexpr xdr::TypeCodec kTypeCodecs[37] = {
    {"colour", recode_colour, same_colour, text_colour},
    {"sparse", recode_sparse, same_sparse, text_sparse},
    {"status", recode_status, same_status, text_status},
    {"word", recode_word, same_word, text_word},
    {"word_again", recode_word_again, same_word_again, text_word_again},
    {"cookie", recode_cookie, same_cookie, text_cookie},
    {"odd", recode_odd, same_odd, text_odd},
    {"large", recode_large, same_large, text_large},
    {"label", recode_label, same_label, text_label},
    {"labels", recode_labels, same_labels, text_labels},
    {"triple", recode_triple, same_triple, text_triple},
    {"many", recode_many, same_many, text_many},
    {"palette", recode_palette, same_palette, text_palette},
    {"scalars", recode_scalars, same_scalars, text_scalars},
    {"flat_all", recode_flat_all, same_flat_all, text_flat_all},
    {"views", recode_views, same_views, text_views},
    {"node", recode_node, same_node, text_node},
    {"tree", recode_tree, same_tree, text_tree},
    {"shelf", recode_shelf, same_shelf, text_shelf},
    {"link_only", recode_link_only, same_link_only, text_link_only},
    {"even_step", recode_even_step, same_even_step, text_even_step},
    {"odd_step", recode_odd_step, same_odd_step, text_odd_step},
    {"maybe_word", recode_maybe_word, same_maybe_word, text_maybe_word},
    {"maybe_label", recode_maybe_label, same_maybe_label, text_maybe_label},
    {"backwards", recode_backwards, same_backwards, text_backwards},
    {"outcome", recode_outcome, same_outcome, text_outcome},
    {"by_number", recode_by_number, same_by_number, text_by_number},
    {"by_unsigned", recode_by_unsigned, same_by_unsigned, text_by_unsigned},
    {"by_colour", recode_by_colour, same_by_colour, text_by_colour},
    {"class_nested_which", recode_class_nested_which, same_class_nested_which, text_class_nested_which},
    {"class_nested", recode_class_nested, same_class_nested, text_class_nested},
    {"class_choice_anonymous", recode_class_choice_anonymous, same_class_choice_anonymous, text_class_choice_anonymous},
    {"class_choice", recode_class_choice, same_class_choice, text_class_choice},
    {"class", recode_class_, same_class_, text_class_},
    {"optionals", recode_optionals, same_optionals, text_optionals},
    {"creature", recode_creature, same_creature, text_creature},
};

}  // namespace

std::span<const xdr::TypeCodec> type_codecs() { return {kTypeCodecs, 36}; }

}  // namespace test::constructs
