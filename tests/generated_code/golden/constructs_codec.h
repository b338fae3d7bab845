// Made by `helio gen` from constructs.x. Changes belong there; this file is written anew.
#pragma once

#include "helio/xdr/codec.h"
#include "constructs.h"

namespace test::constructs {

namespace xdr = ::helio::xdr;

const std::byte* get_views(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] views& v);
std::byte* put_views(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const views& v);
const std::byte* get_node(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] node& v);
const std::byte* get_list_node(const std::byte* p, xdr::Reader& in, const node*& v);
std::byte* put_node(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const node& v);
std::byte* put_list_node(std::byte* p, xdr::Writer& out, const node* v);
const std::byte* get_tree(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] tree& v);
std::byte* put_tree(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const tree& v);
const std::byte* get_shelf(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] shelf& v);
const std::byte* get_list_shelf(const std::byte* p, xdr::Reader& in, const shelf*& v);
std::byte* put_shelf(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const shelf& v);
std::byte* put_list_shelf(std::byte* p, xdr::Writer& out, const shelf* v);
const std::byte* get_link_only(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] link_only& v);
const std::byte* get_list_link_only(const std::byte* p, xdr::Reader& in, const link_only*& v);
std::byte* put_link_only(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const link_only& v);
std::byte* put_list_link_only(std::byte* p, xdr::Writer& out, const link_only* v);
const std::byte* get_even_step(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] even_step& v);
std::byte* put_even_step(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const even_step& v);
const std::byte* get_odd_step(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] odd_step& v);
std::byte* put_odd_step(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const odd_step& v);
const std::byte* get_class_(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] class_& v);
const std::byte* get_list_class_(const std::byte* p, xdr::Reader& in, const class_*& v);
std::byte* put_class_(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const class_& v);
std::byte* put_list_class_(std::byte* p, xdr::Writer& out, const class_* v);
const std::byte* get_optionals(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] optionals& v);
std::byte* put_optionals(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const optionals& v);

XDR_INLINE bool is_colour(colour v) {
    const auto bits = static_cast<std::uint32_t>(v);
    return bits <= 2u;
}

XDR_INLINE bool get_colour(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] colour& v) {
    v = static_cast<colour>(xdr::load_i32(p));
    if (!is_colour(v)) [[unlikely]] {
        in.fail(xdr::Fault::bad_enum, p, static_cast<std::uint32_t>(v), 0);
        return false;
    }
    return true;
}

XDR_INLINE bool put_colour(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const colour& v) {
    if (!is_colour(v)) [[unlikely]] {
        out.fail(xdr::Fault::bad_enum, p, static_cast<std::uint32_t>(v), 0);
        return false;
    }
    xdr::store_i32(p, v);
    return true;
}

XDR_INLINE bool is_sparse(sparse v) {
    const auto bits = static_cast<std::uint32_t>(v);
    return bits == static_cast<std::uint32_t>(-2147483648) || bits == static_cast<std::uint32_t>(-1) || bits - static_cast<std::uint32_t>(7) <= 1u || bits == static_cast<std::uint32_t>(2147483647);
}

XDR_INLINE bool get_sparse(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] sparse& v) {
    v = static_cast<sparse>(xdr::load_i32(p));
    if (!is_sparse(v)) [[unlikely]] {
        in.fail(xdr::Fault::bad_enum, p, static_cast<std::uint32_t>(v), 0);
        return false;
    }
    return true;
}

XDR_INLINE bool put_sparse(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const sparse& v) {
    if (!is_sparse(v)) [[unlikely]] {
        out.fail(xdr::Fault::bad_enum, p, static_cast<std::uint32_t>(v), 0);
        return false;
    }
    xdr::store_i32(p, v);
    return true;
}

XDR_INLINE bool get_status(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] status& v) {
    v = static_cast<status>(xdr::load_i32(p));
    return true;
}

XDR_INLINE bool put_status(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const status& v) {
    xdr::store_i32(p, v);
    return true;
}

XDR_INLINE bool get_cookie(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] cookie& v) {
    if (!xdr::get_bytes(p, in, v, 8)) return false;
    return true;
}

XDR_INLINE bool put_cookie(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const cookie& v) {
    if (!xdr::put_bytes(p, out, v, 8)) return false;
    return true;
}

XDR_INLINE bool get_odd(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] odd& v) {
    if (!xdr::get_bytes(p, in, v, 5)) return false;
    return true;
}

XDR_INLINE bool put_odd(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const odd& v) {
    if (!xdr::put_bytes(p, out, v, 5)) return false;
    return true;
}

XDR_INLINE bool get_large(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] large& v) {
    if (!xdr::get_bytes(p, in, v, 1000)) return false;
    return true;
}

XDR_INLINE bool put_large(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const large& v) {
    if (!xdr::put_bytes(p, out, v, 1000)) return false;
    return true;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_label(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] label& v) {
    p = in.string<NAME_MAX_SIZE, Tail>(p, v);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE std::byte* put_label(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const label& v) {
    p = out.string<NAME_MAX_SIZE, xdr::kReserved>(p, v);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_labels(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] labels& v) {
    p = xdr::get_array<4, 4, 4, Tail, get_label<0>>(p, in, v);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE std::byte* put_labels(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const labels& v) {
    p = xdr::put_array<4, 4, 16, xdr::kReserved, put_label>(p, out, v);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE bool get_triple(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] triple& v) {
    if (!xdr::get_flat_run<4, xdr::get_scalar>(p, in, v, 3)) return false;
    return true;
}

XDR_INLINE bool put_triple(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const triple& v) {
    if (!xdr::put_flat_run<4, xdr::put_scalar>(p, out, v, 3)) return false;
    return true;
}

XDR_INLINE bool get_many(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] many& v) {
    if (!xdr::get_flat_run<4, xdr::get_scalar>(p, in, v, 100)) return false;
    return true;
}

XDR_INLINE bool put_many(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const many& v) {
    if (!xdr::put_flat_run<4, xdr::put_scalar>(p, out, v, 100)) return false;
    return true;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_palette(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] palette& v) {
    p = xdr::get_flat_array<xdr::kUnbounded, 4, Tail, get_colour>(p, in, v);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE std::byte* put_palette(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const palette& v) {
    p = xdr::put_flat_array<xdr::kUnbounded, 4, Tail, put_colour>(p, out, v);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE bool get_scalars(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] scalars& v) {
    xdr::get_pair(p, v, v.i);  // and u
    v.plain = xdr::load_u32(p + 8);
    v.h = xdr::load_i64(p + 12);
    v.uh = xdr::load_u64(p + 20);
    v.f = xdr::load_float(p + 28);
    v.d = xdr::load_double(p + 32);
    if (!xdr::get_scalar(p + 40, in, v.q)) return false;
    if (!xdr::get_scalar(p + 56, in, v.b)) return false;
    if (!xdr::get_scalar(p + 60, in, v.c)) return false;
    if (!xdr::get_scalar(p + 64, in, v.uc)) return false;
    if (!xdr::get_scalar(p + 68, in, v.s)) return false;
    if (!xdr::get_scalar(p + 72, in, v.us)) return false;
    if (!get_colour(p + 76, in, v.paint)) return false;
    if (!get_status(p + 80, in, v.state)) return false;
    return true;
}

XDR_INLINE bool put_scalars(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const scalars& v) {
    xdr::put_pair(p, v, v.i);  // and u
    xdr::store_u32(p + 8, v.plain);
    xdr::store_i64(p + 12, v.h);
    xdr::store_u64(p + 20, v.uh);
    xdr::store_float(p + 28, v.f);
    xdr::store_double(p + 32, v.d);
    if (!xdr::put_scalar(p + 40, out, v.q)) return false;
    if (!xdr::put_scalar(p + 56, out, v.b)) return false;
    if (!xdr::put_scalar(p + 60, out, v.c)) return false;
    if (!xdr::put_scalar(p + 64, out, v.uc)) return false;
    if (!xdr::put_scalar(p + 68, out, v.s)) return false;
    if (!xdr::put_scalar(p + 72, out, v.us)) return false;
    if (!put_colour(p + 76, out, v.paint)) return false;
    if (!put_status(p + 80, out, v.state)) return false;
    return true;
}

XDR_INLINE bool get_flat_all(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] flat_all& v) {
    if (!xdr::get_bytes(p, in, v.id, 8)) return false;
    if (!xdr::get_bytes(p + 8, in, v.five, 5)) return false;
    if (!xdr::get_flat_run<4, xdr::get_scalar>(p + 16, in, v.three, 3)) return false;
    if (!get_scalars(p + 28, in, v.inner)) return false;
    if (!xdr::get_flat_run<4, get_colour>(p + 112, in, v.paints, 2)) return false;
    return true;
}

XDR_INLINE bool put_flat_all(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const flat_all& v) {
    if (!xdr::put_bytes(p, out, v.id, 8)) return false;
    if (!xdr::put_bytes(p + 8, out, v.five, 5)) return false;
    if (!xdr::put_flat_run<4, xdr::put_scalar>(p + 16, out, v.three, 3)) return false;
    if (!put_scalars(p + 28, out, v.inner)) return false;
    if (!xdr::put_flat_run<4, put_colour>(p + 112, out, v.paints, 2)) return false;
    return true;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_node_node(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] node& v) {
    p = in.string<NAME_MAX_SIZE, 4 + Tail>(p, v.name);
    if (p == nullptr) return nullptr;
    v.value = xdr::load_u32(p);
    return p + 4;
}

template <std::size_t Tail>
XDR_INLINE std::byte* put_node_node(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const node& v) {
    p = out.string<NAME_MAX_SIZE, xdr::kReserved>(p, v.name);
    if (p == nullptr) return nullptr;
    xdr::store_u32(p, v.value);
    return p + 4;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_node_shelf(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] shelf& v) {
    p = in.then<Tail>(get_list_node(p, in, v.books));
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE std::byte* put_node_shelf(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const shelf& v) {
    p = out.then<Tail>(put_list_node(p, out, v.books));
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_node_link_only(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] link_only& v) {
    return p;
}

template <std::size_t Tail>
XDR_INLINE std::byte* put_node_link_only(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const link_only& v) {
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_maybe_word(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] maybe_word& v) {
    bool present;
    if (!xdr::get_bool(p, in, present)) return nullptr;
    if (!present) {
        xdr::make_absent(v);
        return in.template then<Tail>(p + 4);
    }
    p += 4;
    if (!in.certain(p, 4 + Tail)) [[unlikely]] return in.truncated(p, 4 + Tail);
    auto& arm = xdr::make_present(v);
    arm = xdr::load_u32(p);
    return p + 4;
}

XDR_INLINE std::byte* put_maybe_word(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const maybe_word& v) {
    xdr::store_u32(p, v.has_value());
    if (!v) {
        return out.template then<xdr::kReserved>(p + 4);
    }
    p += 4;
    auto& arm = *v;
    xdr::store_u32(p, arm);
    return p + 4;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_maybe_label(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] maybe_label& v) {
    bool present;
    if (!xdr::get_bool(p, in, present)) return nullptr;
    if (!present) {
        xdr::make_absent(v);
        return in.template then<Tail>(p + 4);
    }
    p += 4;
    if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
    auto& arm = xdr::make_present(v);
    p = in.string<NAME_MAX_SIZE, Tail>(p, arm);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE std::byte* put_maybe_label(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const maybe_label& v) {
    xdr::store_u32(p, v.has_value());
    if (!v) {
        return out.template then<xdr::kReserved>(p + 4);
    }
    p += 4;
    auto& arm = *v;
    p = out.string<NAME_MAX_SIZE, xdr::kReserved>(p, arm);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_backwards(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] backwards& v) {
    bool which;
    if (!xdr::get_scalar(p, in, which)) return nullptr;
    p += 4;
    switch (static_cast<int>(which)) {
        case 0:
            {
                if (!in.certain(p, 4 + Tail)) [[unlikely]] return in.truncated(p, 4 + Tail);
                auto& arm = v.raw_value_(which);
                arm = xdr::load_u32(p);
                return p + 4;
            }
        case 1:
            v.set(which);
            return in.template then<Tail>(p);
        default: break;
    }
    return in.fail(xdr::Fault::bad_discriminant, p - 4, static_cast<std::uint32_t>(which), 0);
}

XDR_INLINE std::byte* put_backwards(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const backwards& v) {
    const auto which = v.missing();
    if (!xdr::put_scalar(p, out, which)) return nullptr;
    p += 4;
    switch (static_cast<int>(which)) {
        case 0:
            {
                const auto& arm = v.raw_value_();
                xdr::store_u32(p, arm);
                return p + 4;
            }
        case 1:
            return out.template then<xdr::kReserved>(p);
        default: break;
    }
    return out.fail(xdr::Fault::bad_discriminant, p - 4, static_cast<std::uint32_t>(which), 0);
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_outcome(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] outcome& v) {
    status which;
    if (!get_status(p, in, which)) return nullptr;
    p += 4;
    switch (which) {
        case OK:
            {
                if (!in.certain(p, 120 + Tail)) [[unlikely]] return in.truncated(p, 120 + Tail);
                auto& arm = v.raw_good(which);
                if (!get_flat_all(p, in, arm)) return nullptr;
                return p + 120;
            }
        case FAILED:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_reason(which);
                p = in.string<xdr::kUnbounded, Tail>(p, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            v.set(which);
            return in.template then<Tail>(p);
    }
}

template <std::size_t Tail>
XDR_INLINE std::byte* put_outcome(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const outcome& v) {
    const auto which = v.state();
    if (!put_status(p, out, which)) return nullptr;
    p += 4;
    switch (which) {
        case OK:
            {
                p = out.certain(p, 120 + Tail);
                if (p == nullptr) return nullptr;
                const auto& arm = v.raw_good();
                if (!put_flat_all(p, out, arm)) return nullptr;
                return p + 120;
            }
        case FAILED:
            {
                p = out.certain(p, 4);
                if (p == nullptr) return nullptr;
                const auto& arm = v.raw_reason();
                p = out.string<xdr::kUnbounded, Tail>(p, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            return out.template then<Tail>(p);
    }
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_by_number(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] by_number& v) {
    std::int32_t which;
    which = xdr::load_i32(p);
    p += 4;
    switch (which) {
        case 1:
        case 2:
            {
                if (!in.certain(p, 4 + Tail)) [[unlikely]] return in.truncated(p, 4 + Tail);
                auto& arm = v.raw_one_or_two(which);
                arm = xdr::load_u32(p);
                return p + 4;
            }
        case -3:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_list(which);
                p = in.then<Tail>(get_list_node(p, in, arm));
                if (p == nullptr) return nullptr;
                return p;
            }
        case 0:
            v.set(which);
            return in.template then<Tail>(p);
        default: break;
    }
    return in.fail(xdr::Fault::bad_discriminant, p - 4, static_cast<std::uint32_t>(which), 0);
}

template <std::size_t Tail>
XDR_INLINE std::byte* put_by_number(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const by_number& v) {
    const auto which = v.kind();
    xdr::store_i32(p, which);
    p += 4;
    switch (which) {
        case 1:
        case 2:
            {
                p = out.certain(p, 4 + Tail);
                if (p == nullptr) return nullptr;
                const auto& arm = v.raw_one_or_two();
                xdr::store_u32(p, arm);
                return p + 4;
            }
        case -3:
            {
                p = out.certain(p, 4);
                if (p == nullptr) return nullptr;
                const auto& arm = v.raw_list();
                p = out.then<Tail>(put_list_node(p, out, arm));
                if (p == nullptr) return nullptr;
                return p;
            }
        case 0:
            return out.template then<Tail>(p);
        default: break;
    }
    return out.fail(xdr::Fault::bad_discriminant, p - 4, static_cast<std::uint32_t>(which), 0);
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_by_unsigned(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] by_unsigned& v) {
    std::uint32_t which;
    which = xdr::load_u32(p);
    p += 4;
    switch (which) {
        case 4294967295u:
            {
                if (!in.certain(p, 8 + Tail)) [[unlikely]] return in.truncated(p, 8 + Tail);
                auto& arm = v.raw_last(which);
                arm = xdr::load_i64(p);
                return p + 8;
            }
        default:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_rest(which);
                p = in.opaque<xdr::kUnbounded, Tail>(p, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

template <std::size_t Tail>
XDR_INLINE std::byte* put_by_unsigned(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const by_unsigned& v) {
    const auto which = v.kind();
    xdr::store_u32(p, which);
    p += 4;
    switch (which) {
        case 4294967295u:
            {
                p = out.certain(p, 8 + Tail);
                if (p == nullptr) return nullptr;
                const auto& arm = v.raw_last();
                xdr::store_i64(p, arm);
                return p + 8;
            }
        default:
            {
                p = out.certain(p, 4);
                if (p == nullptr) return nullptr;
                const auto& arm = v.raw_rest();
                p = out.opaque<xdr::kUnbounded, Tail>(p, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_by_colour(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] by_colour& v) {
    colour which;
    if (!get_colour(p, in, which)) return nullptr;
    p += 4;
    switch (which) {
        case RED:
            {
                if (!in.certain(p, 4 + Tail)) [[unlikely]] return in.truncated(p, 4 + Tail);
                auto& arm = v.raw_red(which);
                arm = xdr::load_i32(p);
                return p + 4;
            }
        case GREEN:
        case BLUE:
            {
                if (!in.certain(p, 8)) [[unlikely]] return in.truncated(p, 8);
                auto& arm = v.raw_other(which);
                p = in.then<Tail>(get_tree(p, in, arm));
                if (p == nullptr) return nullptr;
                return p;
            }
        default: break;
    }
    return in.fail(xdr::Fault::bad_discriminant, p - 4, static_cast<std::uint32_t>(which), 0);
}

template <std::size_t Tail>
XDR_INLINE std::byte* put_by_colour(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const by_colour& v) {
    const auto which = v.paint();
    if (!put_colour(p, out, which)) return nullptr;
    p += 4;
    switch (which) {
        case RED:
            {
                p = out.certain(p, 4 + Tail);
                if (p == nullptr) return nullptr;
                const auto& arm = v.raw_red();
                xdr::store_i32(p, arm);
                return p + 4;
            }
        case GREEN:
        case BLUE:
            {
                p = out.certain(p, 8);
                if (p == nullptr) return nullptr;
                const auto& arm = v.raw_other();
                p = out.then<Tail>(put_tree(p, out, arm));
                if (p == nullptr) return nullptr;
                return p;
            }
        default: break;
    }
    return out.fail(xdr::Fault::bad_discriminant, p - 4, static_cast<std::uint32_t>(which), 0);
}

XDR_INLINE bool is_class_nested_which(class_nested_which v) {
    const auto bits = static_cast<std::uint32_t>(v);
    return bits - static_cast<std::uint32_t>(1) <= 1u;
}

XDR_INLINE bool get_class_nested_which(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] class_nested_which& v) {
    v = static_cast<class_nested_which>(xdr::load_i32(p));
    if (!is_class_nested_which(v)) [[unlikely]] {
        in.fail(xdr::Fault::bad_enum, p, static_cast<std::uint32_t>(v), 0);
        return false;
    }
    return true;
}

XDR_INLINE bool put_class_nested_which(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const class_nested_which& v) {
    if (!is_class_nested_which(v)) [[unlikely]] {
        out.fail(xdr::Fault::bad_enum, p, static_cast<std::uint32_t>(v), 0);
        return false;
    }
    xdr::store_i32(p, v);
    return true;
}

XDR_INLINE bool get_class_nested(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] class_nested& v) {
    v.this_ = xdr::load_i32(p);
    if (!get_class_nested_which(p + 4, in, v.which)) return false;
    return true;
}

XDR_INLINE bool put_class_nested(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const class_nested& v) {
    xdr::store_i32(p, v.this_);
    if (!put_class_nested_which(p + 4, out, v.which)) return false;
    return true;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_class_choice_anonymous(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] class_choice_anonymous& v) {
    p = in.string<xdr::kUnbounded, Tail>(p, v.x);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE std::byte* put_class_choice_anonymous(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const class_choice_anonymous& v) {
    p = out.string<xdr::kUnbounded, Tail>(p, v.x);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_class_choice(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] class_choice& v) {
    std::int32_t which;
    which = xdr::load_i32(p);
    p += 4;
    switch (which) {
        case 0:
            {
                if (!in.certain(p, 4 + Tail)) [[unlikely]] return in.truncated(p, 4 + Tail);
                auto& arm = v.raw_type_(which);
                arm = xdr::load_i32(p);
                return p + 4;
            }
        case 2:
            {
                if (!in.certain(p, 4 + Tail)) [[unlikely]] return in.truncated(p, 4 + Tail);
                auto& arm = v.raw_has_type__(which);
                arm = xdr::load_i32(p);
                return p + 4;
            }
        case 1:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_anonymous(which);
                p = get_class_choice_anonymous<Tail>(p, in, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default: break;
    }
    return in.fail(xdr::Fault::bad_discriminant, p - 4, static_cast<std::uint32_t>(which), 0);
}

template <std::size_t Tail>
XDR_INLINE std::byte* put_class_choice(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const class_choice& v) {
    const auto which = v.type();
    xdr::store_i32(p, which);
    p += 4;
    switch (which) {
        case 0:
            {
                p = out.certain(p, 4 + Tail);
                if (p == nullptr) return nullptr;
                const auto& arm = v.raw_type_();
                xdr::store_i32(p, arm);
                return p + 4;
            }
        case 2:
            {
                p = out.certain(p, 4 + Tail);
                if (p == nullptr) return nullptr;
                const auto& arm = v.raw_has_type__();
                xdr::store_i32(p, arm);
                return p + 4;
            }
        case 1:
            {
                p = out.certain(p, 4);
                if (p == nullptr) return nullptr;
                const auto& arm = v.raw_anonymous();
                p = put_class_choice_anonymous<Tail>(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default: break;
    }
    return out.fail(xdr::Fault::bad_discriminant, p - 4, static_cast<std::uint32_t>(which), 0);
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_node_class_(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] class_& v) {
    xdr::get_pair(p, v, v.new_);  // and template
    if (!get_colour(p + 8, in, v.colour)) return nullptr;
    if (!get_class_nested(p + 12, in, v.nested)) return nullptr;
    p = get_class_choice<Tail>(p + 20, in, v.choice);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE std::byte* put_node_class_(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const class_& v) {
    xdr::put_pair(p, v, v.new_);  // and template
    if (!put_colour(p + 8, out, v.colour)) return nullptr;
    if (!put_class_nested(p + 12, out, v.nested)) return nullptr;
    p = put_class_choice<Tail>(p + 20, out, v.choice);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_creature(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] creature& v) {
    p = xdr::get_words<xdr::kUnbounded, 4>(p, in, v.mask);
    if (p == nullptr) return nullptr;
    p = in.opaque<xdr::kUnbounded, Tail>(p, v.values);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE std::byte* put_creature(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const creature& v) {
    p = xdr::put_words<xdr::kUnbounded, 4>(p, out, v.mask);
    if (p == nullptr) return nullptr;
    p = out.opaque<xdr::kUnbounded, Tail>(p, v.values);
    if (p == nullptr) return nullptr;
    return p;
}

}  // namespace test::constructs
