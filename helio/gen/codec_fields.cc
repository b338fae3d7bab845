// Function bodies: fields in sequence, scalars, arrays, optional values.
#include <algorithm>

#include "helio/gen/codec_internal.h"

namespace helio::gen {

namespace {

bool enumerates(const Type& type) { return type.kind == Kind::enumeration; }

// Any word is a valid value, and it takes four bytes in memory too.
bool plain_word(const Type& any) {
    const Type& type = idl::resolve(any);
    return Model::word_sized(type) || (enumerates(type) && type.open());
}

}  // namespace

// "8 + Tail", "12", "0"
std::string plus(std::uint64_t bytes, const std::string& tail) {
    if (tail == "0") return fmt::format("{}", bytes);
    return bytes == 0 ? tail : fmt::format("{} + {}", bytes, tail);
}

void CodecWriter::body(const Type& type) {
    switch (type.kind) {
        case Kind::enumeration: {
            const auto name = cpp_name(type.name);
            if (direction_.decode) out_.line("v = static_cast<{}>(xdr::load_i32(p));", name);
            if (!type.open()) {
                out_.line("if (!is_{}(v)) [[unlikely]] {{", name);
                out_.line("    {}.fail(xdr::Fault::bad_enum, p, static_cast<std::uint32_t>(v), 0);",
                          direction_.stream);
                out_.put("    return false;");
                out_.put("}");
            }
            if (!direction_.decode) out_.put("xdr::store_i32(p, v);");
            out_.put("return true;");
            return;
        }
        case Kind::structure:
            sequence(type.fields, type.fields.size());
            break;
        case Kind::union_:
            if (const auto* something = Model::optional_arm(type))
                optional_union(type, *something);
            else
                tagged_union(type);
            return;
        default:
            field(*type.element, "v", tail_);  // a typedef that declares an array or the like
    }
    if (returns_bool_) {
        out_.put("return true;");
        return;
    }
    if (type.recursive && !type.list_node && model_.out_of_line(type))
        out_.line("{}.leave();", direction_.stream);
    out_.line("return {};", at());
}

// The bytes that are certain after field `index`: fixed words up to and including the next length.
std::string CodecWriter::tail_behind(const std::vector<idl::Field>& fields, std::size_t index,
                                     std::size_t count, const std::string& last) const {
    if (last == kReserved) return last;
    std::uint64_t sum = 0;
    for (std::size_t i = index + 1; i < count; ++i) {
        sum += lead(*fields[i].type);
        if (!settled(*fields[i].type)) return fmt::format("{}", sum);
    }
    return plus(sum, last);
}

void CodecWriter::sequence(const std::vector<idl::Field>& fields, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        const auto value = "v." + cpp_name(fields[i].name);
        // Two adjacent plain words are also adjacent in the struct.
        if (i + 1 < count && plain_word(*fields[i].type) && plain_word(*fields[i + 1].type)) {
            out_.line("xdr::{}_pair({}, v, {});  // and {}", direction_.verb, at(), value,
                      fields[i + 1].name);
            off_ += 8;
            ++i;
            continue;
        }
        field(*fields[i].type, value, tail_behind(fields, i, count, tail_), fields[i].has("bulk"));
    }
}

void CodecWriter::field(const Type& any, const std::string& value, const std::string& behind,
                        bool bulk) {
    if (model_.flat(any)) return flat_field(any, value);
    const Type& type = idl::resolve(any);
    const std::string tail = settled(type) ? std::string{kReserved} : behind;
    switch (type.kind) {
        case Kind::opaque_variable:
        case Kind::string:
            return step(fmt::format("{}.{}<{}, {}>({}, {})", direction_.stream,
                                    bulk                        ? "bulk"
                                    : type.kind == Kind::string ? "string"
                                                                : "opaque",
                                    model_.constant(type.bound_name, type.bound), tail, at(),
                                    value));
        case Kind::array_fixed:
        case Kind::array_variable:
            return array(type, value, tail);
        case Kind::optional:
            return optional(type, value, tail);
        default:
            break;
    }
    if (settled(type))
        step(fmt::format("{}({}, {}, {})", function(type), at(), direction_.stream, value));
    else if (model_.out_of_line(type))
        step(fmt::format("{0}.then<{1}>({2}({3}, {0}, {4}))", direction_.stream, tail,
                         function(type), at(), value));
    else
        step(fmt::format("{}<{}>({}, {}, {})", function(type), tail, at(), direction_.stream,
                         value));
}

// A function object that decodes or encodes one element: generated for named types, from the
// runtime for scalars.
std::string CodecWriter::callable(const Type& element) const {
    const Type& type = Model::codec_type(element);
    if (enumerates(type) || type.kind == Kind::alias || type.kind == Kind::structure ||
        type.kind == Kind::union_) {
        return takes_tail(type) ? function(type) + "<0>" : function(type);
    }
    return fmt::format("xdr::{}_scalar", direction_.verb);
}

void CodecWriter::flat_field(const Type& any, const std::string& value) {
    const Type& type = idl::resolve(any);
    const auto* const failed = returns_bool_ ? "false" : "nullptr";
    const auto plain = [&](const char* suffix) {
        if (direction_.decode)
            out_.line("{} = xdr::load_{}({});", value, suffix, at());
        else
            out_.line("xdr::store_{}({}, {});", suffix, at(), value);
    };
    const auto checked = [&](const std::string& call) {
        out_.line("if (!{}) return {};", call, failed);
    };
    switch (type.kind) {
        case Kind::int_:
            plain("i32");
            break;
        case Kind::unsigned_int:
            plain("u32");
            break;
        case Kind::hyper:
            plain("i64");
            break;
        case Kind::unsigned_hyper:
            plain("u64");
            break;
        case Kind::float_:
            plain("float");
            break;
        case Kind::double_:
            plain("double");
            break;
        case Kind::enumeration:
        case Kind::structure:
            checked(fmt::format("{}({}, {}, {})", function(type), at(), direction_.stream, value));
            break;
        case Kind::opaque_fixed:
            if (type.bound == 0) break;
            checked(fmt::format("xdr::{}_bytes({}, {}, {}, {})", direction_.verb, at(),
                                direction_.stream, value,
                                model_.constant(type.bound_name, type.bound)));
            break;
        case Kind::array_fixed:
            flat_array(type, value);
            break;
        case Kind::void_:
            break;
        default:
            checked(fmt::format("xdr::{}_scalar({}, {}, {})", direction_.verb, at(),
                                direction_.stream, value));
    }
    off_ += type.wire_min;
}

void CodecWriter::flat_array(const Type& type, const std::string& value) {
    if (type.bound == 0) return;
    out_.line("if (!xdr::{}_flat_run<{}, {}>({}, {}, {}, {})) return {};", direction_.verb,
              idl::resolve(*type.element).wire_min, callable(*type.element), at(),
              direction_.stream, value, model_.constant(type.bound_name, type.bound),
              returns_bool_ ? "false" : "nullptr");
}

void CodecWriter::array(const Type& type, const std::string& value, const std::string& tail) {
    const Type& element = *type.element;
    const auto bound = model_.constant(type.bound_name, type.bound);
    const auto min = idl::resolve(element).wire_min;
    const auto first = lead(element);
    if (type.kind == Kind::array_fixed)
        return step(fmt::format("xdr::{}_run<{}, {}, {}, {}>({}, {}, {}, {})", direction_.verb, min,
                                first, tail, callable(element), at(), direction_.stream, value,
                                bound));
    const auto where = fmt::format("{}, {}, {}", at(), direction_.stream, value);
    if (Model::word_sized(element))
        return step(fmt::format("xdr::{}_words<{}, {}>({})", direction_.verb, bound, tail, where));
    if (model_.flat(element))
        return step(fmt::format("xdr::{}_flat_array<{}, {}, {}, {}>({})", direction_.verb, bound,
                                min, tail, callable(element), where));
    step(fmt::format("xdr::{}_array<{}, {}, {}, {}, {}>({})", direction_.verb, bound, min, first,
                     tail, callable(element), where));
}

void CodecWriter::optional(const Type& type, const std::string& value, const std::string& tail) {
    const Type& element = idl::resolve(*type.element);
    if (element.list_node)
        return step(fmt::format("{0}.then<{1}>({2}({3}, {0}, {4}))", direction_.stream, tail,
                                model_.qualified(element, std::string{direction_.verb} + "_list_"),
                                at(), value));
    step(fmt::format("xdr::{}_{}optional<{}, {}, {}>({}, {}, {})", direction_.verb,
                     model_.flat(element) ? "flat_" : "", lead(element), tail,
                     callable(*type.element), at(), direction_.stream, value));
}

}  // namespace helio::gen
