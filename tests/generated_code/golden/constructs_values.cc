// Made by `helio gen` from constructs.x. Changes belong there; this file is written anew.
#include "constructs.h"

namespace test::constructs {

namespace xdr = ::helio::xdr;

std::string_view to_string(colour v) {
    switch (v) {
        case RED: return "RED";
        case GREEN: return "GREEN";
        case BLUE: return "BLUE";
        default: return {};
    }
}

std::string_view to_string(sparse v) {
    switch (v) {
        case LOW: return "LOW";
        case MINUS_ONE: return "MINUS_ONE";
        case SEVEN: return "SEVEN";
        case EIGHT: return "EIGHT";
        case HIGH: return "HIGH";
        default: return {};
    }
}

std::string_view to_string(status v) {
    switch (v) {
        case OK: return "OK";
        case FAILED: return "FAILED";
        default: return {};
    }
}

std::string_view to_string(class_nested_which v) {
    switch (v) {
        case INNER_A: return "INNER_A";
        case INNER_B: return "INNER_B";
        default: return {};
    }
}

bool operator==([[maybe_unused]] const scalars& a, [[maybe_unused]] const scalars& b) {
    return xdr::same(a.i, b.i) && xdr::same(a.u, b.u) && xdr::same(a.plain, b.plain) && xdr::same(a.h, b.h) && xdr::same(a.uh, b.uh) && xdr::same(a.f, b.f) && xdr::same(a.d, b.d) && xdr::same(a.q, b.q) && xdr::same(a.b, b.b) && xdr::same(a.c, b.c) && xdr::same(a.uc, b.uc) && xdr::same(a.s, b.s) && xdr::same(a.us, b.us) && xdr::same(a.paint, b.paint) && xdr::same(a.state, b.state);
}

bool operator==([[maybe_unused]] const flat_all& a, [[maybe_unused]] const flat_all& b) {
    return xdr::same(a.id, b.id) && xdr::same(a.five, b.five) && xdr::same(a.three, b.three) && xdr::same(a.inner, b.inner) && xdr::same(a.paints, b.paints);
}

bool operator==([[maybe_unused]] const views& a, [[maybe_unused]] const views& b) {
    return xdr::same(a.bytes, b.bytes) && xdr::same(a.short_bytes, b.short_bytes) && xdr::same(a.text, b.text) && xdr::same(a.name, b.name) && xdr::same(a.numbers, b.numbers) && xdr::same(a.wide, b.wide) && xdr::same(a.flats, b.flats) && xdr::same(a.names, b.names) && xdr::same(a.two_labels, b.two_labels) && xdr::same(a.many_labels, b.many_labels) && xdr::same(a.page, b.page) && xdr::same(a.hundred, b.hundred) && xdr::same(a.paints, b.paints) && xdr::same(a.flags, b.flags) && xdr::same(a.letters, b.letters);
}

bool operator==([[maybe_unused]] const node& a, [[maybe_unused]] const node& b) {
    const node* x = &a;
    const node* y = &b;
    for (; x != nullptr && y != nullptr; x = x->next, y = y->next)
        if (!(xdr::same(x->name, y->name) && xdr::same(x->value, y->value))) return false;
    return x == y;  // both at the end
}

bool operator==([[maybe_unused]] const tree& a, [[maybe_unused]] const tree& b) {
    return xdr::same(a.value, b.value) && xdr::same(a.children, b.children);
}

bool operator==([[maybe_unused]] const shelf& a, [[maybe_unused]] const shelf& b) {
    const shelf* x = &a;
    const shelf* y = &b;
    for (; x != nullptr && y != nullptr; x = x->next, y = y->next)
        if (!(xdr::same(x->books, y->books))) return false;
    return x == y;  // both at the end
}

bool operator==([[maybe_unused]] const link_only& a, [[maybe_unused]] const link_only& b) {
    const link_only* x = &a;
    const link_only* y = &b;
    for (; x != nullptr && y != nullptr; x = x->next, y = y->next)
        if (!(true)) return false;
    return x == y;  // both at the end
}

bool operator==([[maybe_unused]] const even_step& a, [[maybe_unused]] const even_step& b) {
    return xdr::same(a.then, b.then);
}

bool operator==([[maybe_unused]] const odd_step& a, [[maybe_unused]] const odd_step& b) {
    return xdr::same(a.at, b.at) && xdr::same(a.then, b.then);
}

bool operator==(const backwards& a, const backwards& b) {
    if (a.missing() != b.missing()) return false;
    if (a.has_value_()) return xdr::same(a.value_(), b.value_());
    return true;
}

bool operator==(const outcome& a, const outcome& b) {
    if (a.state() != b.state()) return false;
    if (a.has_good()) return xdr::same(a.good(), b.good());
    if (a.has_reason()) return xdr::same(a.reason(), b.reason());
    return true;
}

bool operator==(const by_number& a, const by_number& b) {
    if (a.kind() != b.kind()) return false;
    if (a.has_one_or_two()) return xdr::same(a.one_or_two(), b.one_or_two());
    if (a.has_list()) return xdr::same(a.list(), b.list());
    return true;
}

bool operator==(const by_unsigned& a, const by_unsigned& b) {
    if (a.kind() != b.kind()) return false;
    if (a.has_last()) return xdr::same(a.last(), b.last());
    if (a.has_rest()) return xdr::same(a.rest(), b.rest());
    return true;
}

bool operator==(const by_colour& a, const by_colour& b) {
    if (a.paint() != b.paint()) return false;
    if (a.has_red()) return xdr::same(a.red(), b.red());
    if (a.has_other()) return xdr::same(a.other(), b.other());
    return true;
}

bool operator==([[maybe_unused]] const class_nested& a, [[maybe_unused]] const class_nested& b) {
    return xdr::same(a.this_, b.this_) && xdr::same(a.which, b.which);
}

bool operator==([[maybe_unused]] const class_choice_anonymous& a, [[maybe_unused]] const class_choice_anonymous& b) {
    return xdr::same(a.x, b.x);
}

bool operator==(const class_choice& a, const class_choice& b) {
    if (a.type() != b.type()) return false;
    if (a.has_type_()) return xdr::same(a.type_(), b.type_());
    if (a.has_has_type__()) return xdr::same(a.has_type__(), b.has_type__());
    if (a.has_anonymous()) return xdr::same(a.anonymous(), b.anonymous());
    return true;
}

bool operator==([[maybe_unused]] const class_& a, [[maybe_unused]] const class_& b) {
    const class_* x = &a;
    const class_* y = &b;
    for (; x != nullptr && y != nullptr; x = x->default_, y = y->default_)
        if (!(xdr::same(x->new_, y->new_) && xdr::same(x->template_, y->template_) && xdr::same(x->colour, y->colour) && xdr::same(x->nested, y->nested) && xdr::same(x->choice, y->choice))) return false;
    return x == y;  // both at the end
}

bool operator==([[maybe_unused]] const optionals& a, [[maybe_unused]] const optionals& b) {
    return xdr::same(a.number, b.number) && xdr::same(a.text, b.text) && xdr::same(a.flat, b.flat) && xdr::same(a.view, b.view) && xdr::same(a.paint, b.paint) && xdr::same(a.maybe, b.maybe) && xdr::same(a.maybe_text, b.maybe_text) && xdr::same(a.last, b.last);
}

bool operator==([[maybe_unused]] const creature& a, [[maybe_unused]] const creature& b) {
    return xdr::same(a.mask, b.mask) && xdr::same(a.values, b.values);
}

bool operator==(const traits& a, const traits& b) {
    if (a.present != b.present) return false;
    if (a.present.test(0) && !xdr::same(a.paint, b.paint)) return false;
    if (a.present.test(4) && !xdr::same(a.size, b.size)) return false;
    if (a.present.test(5) && !xdr::same(a.present_, b.present_)) return false;
    if (a.present.test(31) && !xdr::same(a.name, b.name)) return false;
    if (a.present.test(32) && !xdr::same(a.inner, b.inner)) return false;
    if (a.present.test(40) && !xdr::same(a.family, b.family)) return false;
    if (a.present.test(63) && !xdr::same(a.result, b.result)) return false;
    if (a.present.test(64) && !xdr::same(a.list, b.list)) return false;
    if (a.present.test(65) && !xdr::same(a.maybe, b.maybe)) return false;
    if (a.present.test(70) && !xdr::same(a.known, b.known)) return false;
    return true;
}

void print_colour(xdr::Printer& out, [[maybe_unused]] const colour& v) {
    if (const auto name = to_string(v); !name.empty()) out.word(name);
    else out.number(static_cast<std::int32_t>(v));
}

void print_sparse(xdr::Printer& out, [[maybe_unused]] const sparse& v) {
    if (const auto name = to_string(v); !name.empty()) out.word(name);
    else out.number(static_cast<std::int32_t>(v));
}

void print_status(xdr::Printer& out, [[maybe_unused]] const status& v) {
    if (const auto name = to_string(v); !name.empty()) out.word(name);
    else out.number(static_cast<std::int32_t>(v));
}

void print_word(xdr::Printer& out, [[maybe_unused]] const word& v) {
    out.number(v);
}

void print_word_again(xdr::Printer& out, [[maybe_unused]] const word_again& v) {
    out.number(v);
}

void print_cookie(xdr::Printer& out, [[maybe_unused]] const cookie& v) {
    out.bytes(v);
}

void print_odd(xdr::Printer& out, [[maybe_unused]] const odd& v) {
    out.bytes(v);
}

void print_large(xdr::Printer& out, [[maybe_unused]] const large& v) {
    out.bytes(v);
}

void print_label(xdr::Printer& out, [[maybe_unused]] const label& v) {
    out.string(v);
}

void print_labels(xdr::Printer& out, [[maybe_unused]] const labels& v) {
    out.items(v, [&out](const auto& item) {
        out.string(item);
    });
}

void print_triple(xdr::Printer& out, [[maybe_unused]] const triple& v) {
    out.items(v, [&out](const auto& item) {
        out.number(item);
    });
}

void print_many(xdr::Printer& out, [[maybe_unused]] const many& v) {
    out.items(v, [&out](const auto& item) {
        out.number(item);
    });
}

void print_palette(xdr::Printer& out, [[maybe_unused]] const palette& v) {
    out.items(v, [&out](const auto& item) {
        print_colour(out, item);
    });
}

void print_scalars(xdr::Printer& out, [[maybe_unused]] const scalars& v) {
    out.open("scalars");
    out.field("i");
    out.number(v.i);
    out.field("u");
    out.number(v.u);
    out.field("plain");
    out.number(v.plain);
    out.field("h");
    out.number(v.h);
    out.field("uh");
    out.number(v.uh);
    out.field("f");
    out.real(v.f);
    out.field("d");
    out.real(v.d);
    out.field("q");
    out.bytes(v.q);
    out.field("b");
    out.boolean(v.b);
    out.field("c");
    out.number(std::int32_t{v.c});
    out.field("uc");
    out.number(std::uint32_t{v.uc});
    out.field("s");
    out.number(std::int32_t{v.s});
    out.field("us");
    out.number(std::uint32_t{v.us});
    out.field("paint");
    print_colour(out, v.paint);
    out.field("state");
    print_status(out, v.state);
    out.close();
}

void print_flat_all(xdr::Printer& out, [[maybe_unused]] const flat_all& v) {
    out.open("flat_all");
    out.field("id");
    out.bytes(v.id);
    out.field("five");
    out.bytes(v.five);
    out.field("three");
    out.items(v.three, [&out](const auto& item) {
        out.number(item);
    });
    out.field("inner");
    print_scalars(out, v.inner);
    out.field("paints");
    out.items(v.paints, [&out](const auto& item) {
        print_colour(out, item);
    });
    out.close();
}

void print_views(xdr::Printer& out, [[maybe_unused]] const views& v) {
    out.open("views");
    out.field("bytes");
    out.bytes(v.bytes);
    out.field("short_bytes");
    out.bytes(v.short_bytes);
    out.field("text");
    out.string(v.text);
    out.field("name");
    out.string(v.name);
    out.field("numbers");
    out.items(v.numbers, [&out](const auto& item) {
        out.number(item);
    });
    out.field("wide");
    out.items(v.wide, [&out](const auto& item) {
        out.number(item);
    });
    out.field("flats");
    out.items(v.flats, [&out](const auto& item) {
        print_flat_all(out, item);
    });
    out.field("names");
    out.items(v.names, [&out](const auto& item) {
        out.string(item);
    });
    out.field("two_labels");
    out.items(v.two_labels, [&out](const auto& item) {
        out.string(item);
    });
    out.field("many_labels");
    out.items(v.many_labels, [&out](const auto& item) {
        out.string(item);
    });
    out.field("page");
    out.bytes(v.page);
    out.field("hundred");
    out.items(v.hundred, [&out](const auto& item) {
        out.number(item);
    });
    out.field("paints");
    out.items(v.paints, [&out](const auto& item) {
        print_colour(out, item);
    });
    out.field("flags");
    out.items(v.flags, [&out](const auto& item) {
        out.boolean(item);
    });
    out.field("letters");
    out.items(v.letters, [&out](const auto& item) {
        out.number(std::int32_t{item});
    });
    out.close();
}

void print_node(xdr::Printer& out, [[maybe_unused]] const node& v) {
    out.open("node");
    out.field("name");
    out.string(v.name);
    out.field("value");
    out.number(v.value);
    out.close();
    std::size_t shown = 0;
    for (const auto* next = v.next; next != nullptr; next = next->next) {
        if (++shown == xdr::Printer::kShownMax) {
            out.word(" …");
            break;
        }
        auto one = *next;
        one.next = nullptr;
        out.word(" ");
        print_node(out, one);
    }
}

void print_tree(xdr::Printer& out, [[maybe_unused]] const tree& v) {
    out.open("tree");
    out.field("value");
    out.number(v.value);
    out.field("children");
    out.items(v.children, [&out](const auto& item) {
        print_tree(out, item);
    });
    out.close();
}

void print_shelf(xdr::Printer& out, [[maybe_unused]] const shelf& v) {
    out.open("shelf");
    out.field("books");
    if (v.books == nullptr) {
        out.word("none");
    } else {
        print_node(out, (*v.books));
    }
    out.close();
    std::size_t shown = 0;
    for (const auto* next = v.next; next != nullptr; next = next->next) {
        if (++shown == xdr::Printer::kShownMax) {
            out.word(" …");
            break;
        }
        auto one = *next;
        one.next = nullptr;
        out.word(" ");
        print_shelf(out, one);
    }
}

void print_link_only(xdr::Printer& out, [[maybe_unused]] const link_only& v) {
    out.open("link_only");
    out.close();
    std::size_t shown = 0;
    for (const auto* next = v.next; next != nullptr; next = next->next) {
        if (++shown == xdr::Printer::kShownMax) {
            out.word(" …");
            break;
        }
        auto one = *next;
        one.next = nullptr;
        out.word(" ");
        print_link_only(out, one);
    }
}

void print_even_step(xdr::Printer& out, [[maybe_unused]] const even_step& v) {
    out.open("even_step");
    out.field("then");
    if (v.then == nullptr) {
        out.word("none");
    } else {
        print_odd_step(out, (*v.then));
    }
    out.close();
}

void print_odd_step(xdr::Printer& out, [[maybe_unused]] const odd_step& v) {
    out.open("odd_step");
    out.field("at");
    out.number(v.at);
    out.field("then");
    if (v.then == nullptr) {
        out.word("none");
    } else {
        print_even_step(out, (*v.then));
    }
    out.close();
}

void print_maybe_word(xdr::Printer& out, [[maybe_unused]] const maybe_word& v) {
    if (!v) return out.word("none");
    out.number((*v));
}

void print_maybe_label(xdr::Printer& out, [[maybe_unused]] const maybe_label& v) {
    if (!v) return out.word("none");
    out.string((*v));
}

void print_backwards(xdr::Printer& out, [[maybe_unused]] const backwards& v) {
    out.open("backwards");
    out.field("missing");
    out.boolean(v.missing());
    if (v.has_value_()) {
        out.field("value");
        out.number(v.value_());
    }
    out.close();
}

void print_outcome(xdr::Printer& out, [[maybe_unused]] const outcome& v) {
    out.open("outcome");
    out.field("state");
    print_status(out, v.state());
    if (v.has_good()) {
        out.field("good");
        print_flat_all(out, v.good());
    }
    if (v.has_reason()) {
        out.field("reason");
        out.string(v.reason());
    }
    out.close();
}

void print_by_number(xdr::Printer& out, [[maybe_unused]] const by_number& v) {
    out.open("by_number");
    out.field("kind");
    out.number(v.kind());
    if (v.has_one_or_two()) {
        out.field("one_or_two");
        out.number(v.one_or_two());
    }
    if (v.has_list()) {
        out.field("list");
        if (v.list() == nullptr) {
            out.word("none");
        } else {
            print_node(out, (*v.list()));
        }
    }
    out.close();
}

void print_by_unsigned(xdr::Printer& out, [[maybe_unused]] const by_unsigned& v) {
    out.open("by_unsigned");
    out.field("kind");
    out.number(v.kind());
    if (v.has_last()) {
        out.field("last");
        out.number(v.last());
    }
    if (v.has_rest()) {
        out.field("rest");
        out.bytes(v.rest());
    }
    out.close();
}

void print_by_colour(xdr::Printer& out, [[maybe_unused]] const by_colour& v) {
    out.open("by_colour");
    out.field("paint");
    print_colour(out, v.paint());
    if (v.has_red()) {
        out.field("red");
        out.number(v.red());
    }
    if (v.has_other()) {
        out.field("other");
        print_tree(out, v.other());
    }
    out.close();
}

void print_class_nested_which(xdr::Printer& out, [[maybe_unused]] const class_nested_which& v) {
    if (const auto name = to_string(v); !name.empty()) out.word(name);
    else out.number(static_cast<std::int32_t>(v));
}

void print_class_nested(xdr::Printer& out, [[maybe_unused]] const class_nested& v) {
    out.open("class_nested");
    out.field("this");
    out.number(v.this_);
    out.field("which");
    print_class_nested_which(out, v.which);
    out.close();
}

void print_class_choice_anonymous(xdr::Printer& out, [[maybe_unused]] const class_choice_anonymous& v) {
    out.open("class_choice_anonymous");
    out.field("x");
    out.string(v.x);
    out.close();
}

void print_class_choice(xdr::Printer& out, [[maybe_unused]] const class_choice& v) {
    out.open("class_choice");
    out.field("type");
    out.number(v.type());
    if (v.has_type_()) {
        out.field("type_");
        out.number(v.type_());
    }
    if (v.has_has_type__()) {
        out.field("has_type");
        out.number(v.has_type__());
    }
    if (v.has_anonymous()) {
        out.field("anonymous");
        print_class_choice_anonymous(out, v.anonymous());
    }
    out.close();
}

void print_class_(xdr::Printer& out, [[maybe_unused]] const class_& v) {
    out.open("class");
    out.field("new");
    out.number(v.new_);
    out.field("template");
    out.number(v.template_);
    out.field("colour");
    print_colour(out, v.colour);
    out.field("nested");
    print_class_nested(out, v.nested);
    out.field("choice");
    print_class_choice(out, v.choice);
    out.close();
    std::size_t shown = 0;
    for (const auto* next = v.default_; next != nullptr; next = next->default_) {
        if (++shown == xdr::Printer::kShownMax) {
            out.word(" …");
            break;
        }
        auto one = *next;
        one.default_ = nullptr;
        out.word(" ");
        print_class_(out, one);
    }
}

void print_optionals(xdr::Printer& out, [[maybe_unused]] const optionals& v) {
    out.open("optionals");
    out.field("number");
    if (v.number == nullptr) {
        out.word("none");
    } else {
        out.number((*v.number));
    }
    out.field("text");
    if (v.text == nullptr) {
        out.word("none");
    } else {
        out.string((*v.text));
    }
    out.field("flat");
    if (v.flat == nullptr) {
        out.word("none");
    } else {
        print_flat_all(out, (*v.flat));
    }
    out.field("view");
    if (v.view == nullptr) {
        out.word("none");
    } else {
        print_views(out, (*v.view));
    }
    out.field("paint");
    if (v.paint == nullptr) {
        out.word("none");
    } else {
        print_colour(out, (*v.paint));
    }
    out.field("maybe");
    print_maybe_word(out, v.maybe);
    out.field("maybe_text");
    print_maybe_label(out, v.maybe_text);
    out.field("last");
    out.number(v.last);
    out.close();
}

void print_creature(xdr::Printer& out, [[maybe_unused]] const creature& v) {
    out.open("creature");
    out.field("mask");
    out.items(v.mask, [&out](const auto& item) {
        out.number(item);
    });
    out.field("values");
    out.bytes(v.values);
    out.close();
}

void print_traits(xdr::Printer& out, [[maybe_unused]] const traits& v) {
    out.open("traits");
    if (v.present.test(0)) {
        out.field("paint");
        print_colour(out, v.paint);
    }
    if (v.present.test(4)) {
        out.field("size");
        out.number(v.size);
    }
    if (v.present.test(5)) {
        out.field("present");
        print_flat_all(out, v.present_);
    }
    if (v.present.test(31)) {
        out.field("name");
        out.string(v.name);
    }
    if (v.present.test(32)) {
        out.field("inner");
        print_creature(out, v.inner);
    }
    if (v.present.test(40)) {
        out.field("family");
        print_tree(out, v.family);
    }
    if (v.present.test(63)) {
        out.field("result");
        print_outcome(out, v.result);
    }
    if (v.present.test(64)) {
        out.field("list");
        if (v.list == nullptr) {
            out.word("none");
        } else {
            print_node(out, (*v.list));
        }
    }
    if (v.present.test(65)) {
        out.field("maybe");
        print_maybe_word(out, v.maybe);
    }
    if (v.present.test(70)) {
        out.field("known");
        out.items(v.known, [&out](const auto& item) {
            out.number(item);
        });
    }
    out.close();
}

}  // namespace test::constructs
