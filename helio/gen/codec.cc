// NAME_codec.h, NAME_decode.cc, NAME_encode.cc. Reading and writing are mirror images, so one
// writer makes both; `Direction` holds the words that differ.
//
// The output keeps the certain run (helio/xdr/reader.h): inside a function `p` points at bytes that
// are there, `off_` counts how far into them we are, and every variable-length field checks for its
// own body and the fixed words behind it at once.
#include <fmt/format.h>

#include <algorithm>

#include "helio/gen/parts_internal.h"

namespace helio::gen {

namespace {

struct Direction {
    bool decode;
    const char* verb;      // get / put
    const char* byte;      // const std::byte / std::byte
    const char* endpoint;  // xdr::Reader& in / xdr::Writer& out
    const char* stream;    // in / out
    const char* ref;       // qualifies the value's reference
};
constexpr Direction kDecode{true, "get", "const std::byte", "xdr::Reader& in", "in", ""};
constexpr Direction kEncode{false, "put", "std::byte", "xdr::Writer& out", "out", "const "};

class CodecWriter final {
 public:
    CodecWriter(const Model& model, const Direction& way, Text& out)
        : model_(model), way_(way), out_(out) {}

    void declare(const Type& type);
    void inline_function(const Type& type);
    void function_out_of_line(const Type& type);
    void entry_point(const Type& type);

 private:
    // Bytes that are there (decoding) or room that is reserved (encoding) for all of a value before
    // it is begun: it needs no Tail.
    bool settled(const Type& type) const {
        return model_.flat(type) || (!way_.decode && Model::bounded(type));
    }
    std::uint64_t lead(const Type& type) const {
        return way_.decode ? model_.lead(type) : model_.reserve(type);
    }
    std::uint64_t lead(const std::vector<idl::Field>& fields) const {
        return way_.decode ? model_.lead(fields) : model_.reserve(fields);
    }
    bool takes_tail(const Type& type) const { return !settled(type) && !model_.out_of_line(type); }

    // ---- names ----
    std::string function(const Type& named) const {
        return model_.qualified(named, std::string{way_.verb} + "_");
    }
    std::string callable(const Type& element) const;
    std::string signature(const Type& type) const;
    std::string at() const { return off_ == 0 ? "p" : fmt::format("p + {}", off_); }

    // ---- bodies ----
    void body(const Type& type);
    void sequence(const std::vector<idl::Field>& fields, std::size_t count);
    void field(const Type& type, const std::string& value, const std::string& tail,
               bool bulk = false);
    void flat_field(const Type& type, const std::string& value);
    void flat_array(const Type& type, const std::string& value);
    void array(const Type& type, const std::string& value, const std::string& tail);
    void optional(const Type& type, const std::string& value, const std::string& tail);
    void optional_union(const Type& type, const idl::Arm& arm);
    void tagged_union(const Type& type);
    void arm(const Type& type, const idl::Arm& one, const UnionNames& names);
    void discriminant(const Type& type, const UnionNames& names);
    void make_room(const Type& content);
    void flush_offset();

    std::string tail_behind(const std::vector<idl::Field>& fields, std::size_t index,
                            std::size_t count, const std::string& last) const;
    void step(const std::string& expression) {  // p = …; or out
        out_.line("p = {};", expression);
        out_.put("if (p == nullptr) return nullptr;");
        off_ = 0;
    }

    const Model& model_;
    const Direction& way_;
    Text& out_;
    std::uint64_t off_ = 0;
    std::string tail_ = "Tail";  // what follows the value this function reads
    bool returns_bool_ = false;  // flat functions
};

// A Tail that says: there is room for all of it already (xdr::kReserved in the output).
const std::string kReserved = "xdr::kReserved";

bool enumerates(const Type& type) { return type.kind == Kind::enumeration; }

bool has_function(const Type& type) {
    return enumerates(type) || type.kind == Kind::structure || type.kind == Kind::union_ ||
           type.kind == Kind::alias;
}

// Any word is a value, and it takes four bytes in memory too.
bool plain_word(const Type& any) {
    const Type& type = idl::resolve(any);
    return Model::word_sized(type) || (enumerates(type) && type.open());
}

// "8 + Tail", "12", "0"
std::string plus(std::uint64_t bytes, const std::string& tail) {
    if (tail == "0") return fmt::format("{}", bytes);
    return bytes == 0 ? tail : fmt::format("{} + {}", bytes, tail);
}

// ---- Functions ----

std::string CodecWriter::signature(const Type& type) const {
    const auto* const result = model_.flat(type) ? "bool"
                               : way_.decode     ? "const std::byte*"
                                                 : "std::byte*";
    return fmt::format("{} {}_{}({}* p, [[maybe_unused]] {}, [[maybe_unused]] {}{}& v)", result,
                       way_.verb, cpp_name(type.name), way_.byte, way_.endpoint, way_.ref,
                       cpp_name(type.name));
}

void CodecWriter::declare(const Type& type) {
    if (model_.out_of_line(type)) out_.line("{};", signature(type));
    if (type.list_node)
        out_.line("{0}* {1}_list_{2}({0}* p, {3}, const {2}*{4} v);", way_.byte, way_.verb,
                  cpp_name(type.name), way_.endpoint, way_.decode ? "&" : "");
}

void CodecWriter::inline_function(const Type& type) {
    off_ = 0;
    const auto name = cpp_name(type.name);
    const bool flat = model_.flat(type);
    if (type.list_node) {  // a node without its link, for the loop
        returns_bool_ = false;
        out_.put("template <std::size_t Tail>");
        out_.line(
            "XDR_INLINE {}* {}_node_{}({}* p, [[maybe_unused]] {}, [[maybe_unused]] {}{}& v) {{",
            way_.byte, way_.verb, name, way_.byte, way_.endpoint, way_.ref, name);
        {
            const Indented inside{out_};
            sequence(type.fields, type.fields.size() - 1);
            out_.line("return {};", at());
        }
        out_.put("}");
        out_.blank();
    }
    if (model_.out_of_line(type)) return;
    returns_bool_ = flat;
    off_ = 0;
    if (takes_tail(type))
        out_.put("template <std::size_t Tail>");
    else
        tail_ = kReserved;
    out_.line("XDR_INLINE {} {{", signature(type));
    {
        const Indented inside{out_};
        body(type);
    }
    out_.put("}");
    out_.blank();
}

void CodecWriter::function_out_of_line(const Type& type) {
    const auto name = cpp_name(type.name);
    off_ = 0;
    tail_ = settled(type) ? kReserved : "0";
    returns_bool_ = false;
    if (type.list_node) {
        const std::vector<idl::Field> node{type.fields.begin(), type.fields.end() - 1};
        const bool all_settled =
            std::ranges::all_of(node, [this](const auto& one) { return settled(*one.type); });
        const auto first = lead(node) + (all_settled ? 4 : 0);
        out_.line("{0}* {1}_list_{2}({0}* p, {3}, const {2}*{4} v) {{", way_.byte, way_.verb, name,
                  way_.endpoint, way_.decode ? "&" : "");
        out_.line("    return xdr::{0}_list<{1}, &{3}::{4}, {0}_node_{3}<4>>(p, {2}, v);",
                  way_.verb, first, way_.stream, name, cpp_name(type.fields.back().name));
        out_.put("}");
        out_.blank();
    }
    if (!model_.out_of_line(type)) return;
    out_.line("{} {{", signature(type));
    {
        const Indented inside{out_};
        const bool counts_depth = type.recursive && !type.list_node;
        if (counts_depth) out_.line("if (!{}.enter(p)) return nullptr;", way_.stream);
        body(type);
    }
    out_.put("}");
    out_.blank();
}

void CodecWriter::entry_point(const Type& type) {
    const auto name = cpp_name(type.name);
    if (way_.decode)
        out_.line("bool decode_{0}(xdr::Reader& in, {0}& v) {{", name);
    else
        out_.line("bool encode_{0}(xdr::Writer& out, const {0}& v) {{", name);
    {
        const Indented inside{out_};
        out_.line("if (!{}.ready({})) [[unlikely]] return false;", way_.stream, lead(type));
        if (model_.flat(type))
            out_.line("return {0}({1}.at(), {1}, v) && {1}.end({1}.at() + {2});", callable(type),
                      way_.stream, model_.lead(type));
        else
            out_.line("return {0}.end({1}({0}.at(), {0}, v));", way_.stream, callable(type));
    }
    out_.put("}");
    out_.blank();
}

// ---- Bodies ----

void CodecWriter::body(const Type& type) {
    switch (type.kind) {
        case Kind::enumeration: {
            const auto name = cpp_name(type.name);
            if (way_.decode) out_.line("v = static_cast<{}>(xdr::load_i32(p));", name);
            if (!type.open()) {
                out_.line("if (!is_{}(v)) [[unlikely]] {{", name);
                out_.line("    {}.fail(xdr::Fault::bad_enum, p, static_cast<std::uint32_t>(v), 0);",
                          way_.stream);
                out_.put("    return false;");
                out_.put("}");
            }
            if (!way_.decode) out_.put("xdr::store_i32(p, v);");
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
            field(*type.element, "v", tail_);  // a typedef that spells out an array or the like
    }
    if (returns_bool_) {
        out_.put("return true;");
        return;
    }
    if (type.recursive && !type.list_node && model_.out_of_line(type))
        out_.line("{}.leave();", way_.stream);
    out_.line("return {};", at());
}

// The bytes that are certain behind field `index`: fixed words up to and including the next length.
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
        // Two plain words in a row lie side by side in the struct as well.
        if (i + 1 < count && plain_word(*fields[i].type) && plain_word(*fields[i + 1].type)) {
            out_.line("xdr::{}_pair({}, v, {});  // and {}", way_.verb, at(), value,
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
    const std::string tail = settled(type) ? kReserved : behind;
    switch (type.kind) {
        case Kind::opaque_variable:
        case Kind::string:
            return step(fmt::format("{}.{}<{}, {}>({}, {})", way_.stream,
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
        step(fmt::format("{}({}, {}, {})", function(type), at(), way_.stream, value));
    else if (model_.out_of_line(type))
        step(fmt::format("{0}.then<{1}>({2}({3}, {0}, {4}))", way_.stream, tail, function(type),
                         at(), value));
    else
        step(fmt::format("{}<{}>({}, {}, {})", function(type), tail, at(), way_.stream, value));
}

// A function object that reads or writes one element: generated for named types, the runtime's own
// for scalars.
std::string CodecWriter::callable(const Type& element) const {
    const Type& type = Model::codec_type(element);
    if (enumerates(type) || type.kind == Kind::alias || type.kind == Kind::structure ||
        type.kind == Kind::union_) {
        return takes_tail(type) ? function(type) + "<0>" : function(type);
    }
    return fmt::format("xdr::{}_scalar", way_.verb);
}

void CodecWriter::flat_field(const Type& any, const std::string& value) {
    const Type& type = idl::resolve(any);
    const auto* const failed = returns_bool_ ? "false" : "nullptr";
    const auto plain = [&](const char* suffix) {
        if (way_.decode)
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
            checked(fmt::format("{}({}, {}, {})", function(type), at(), way_.stream, value));
            break;
        case Kind::opaque_fixed:
            if (type.bound == 0) break;
            checked(fmt::format("xdr::{}_bytes({}, {}, {}, {})", way_.verb, at(), way_.stream,
                                value, model_.constant(type.bound_name, type.bound)));
            break;
        case Kind::array_fixed:
            flat_array(type, value);
            break;
        case Kind::void_:
            break;
        default:
            checked(fmt::format("xdr::{}_scalar({}, {}, {})", way_.verb, at(), way_.stream, value));
    }
    off_ += type.wire_min;
}

void CodecWriter::flat_array(const Type& type, const std::string& value) {
    if (type.bound == 0) return;
    out_.line("if (!xdr::{}_flat_run<{}, {}>({}, {}, {}, {})) return {};", way_.verb,
              idl::resolve(*type.element).wire_min, callable(*type.element), at(), way_.stream,
              value, model_.constant(type.bound_name, type.bound),
              returns_bool_ ? "false" : "nullptr");
}

void CodecWriter::array(const Type& type, const std::string& value, const std::string& tail) {
    const Type& element = *type.element;
    const auto bound = model_.constant(type.bound_name, type.bound);
    const auto min = idl::resolve(element).wire_min;
    const auto first = lead(element);
    if (type.kind == Kind::array_fixed)
        return step(fmt::format("xdr::{}_run<{}, {}, {}, {}>({}, {}, {}, {})", way_.verb, min,
                                first, tail, callable(element), at(), way_.stream, value, bound));
    const auto where = fmt::format("{}, {}, {}", at(), way_.stream, value);
    if (Model::word_sized(element))
        return step(fmt::format("xdr::{}_words<{}, {}>({})", way_.verb, bound, tail, where));
    if (model_.flat(element))
        return step(fmt::format("xdr::{}_flat_array<{}, {}, {}, {}>({})", way_.verb, bound, min,
                                tail, callable(element), where));
    step(fmt::format("xdr::{}_array<{}, {}, {}, {}, {}>({})", way_.verb, bound, min, first, tail,
                     callable(element), where));
}

void CodecWriter::optional(const Type& type, const std::string& value, const std::string& tail) {
    const Type& element = idl::resolve(*type.element);
    if (element.list_node)
        return step(fmt::format("{0}.then<{1}>({2}({3}, {0}, {4}))", way_.stream, tail,
                                model_.qualified(element, std::string{way_.verb} + "_list_"), at(),
                                value));
    step(fmt::format("xdr::{}_{}optional<{}, {}, {}>({}, {}, {})", way_.verb,
                     model_.flat(element) ? "flat_" : "", lead(element), tail,
                     callable(*type.element), at(), way_.stream, value));
}

void CodecWriter::flush_offset() {
    if (off_ != 0) out_.line("p += {};", off_);
    off_ = 0;
}

// Before an arm's content: its bytes, or room for it, from here on.
void CodecWriter::make_room(const Type& content) {
    if (tail_ == kReserved && !way_.decode) return;
    const auto size =
        settled(content) ? plus(lead(content), tail_) : fmt::format("{}", lead(content));
    if (size == "0") return;
    if (way_.decode) {
        out_.line("if (!in.certain(p, {0})) [[unlikely]] return in.truncated(p, {0});", size);
    } else {
        out_.line("p = out.certain(p, {});", size);
        out_.put("if (p == nullptr) return nullptr;");
    }
}

void CodecWriter::optional_union(const Type& type, const idl::Arm& something) {
    if (way_.decode) {
        out_.put("bool present;");
        out_.put("if (!xdr::get_bool(p, in, present)) return nullptr;");
        out_.put("if (!present) {");
        out_.put("    xdr::make_absent(v);");
    } else {
        out_.put("xdr::store_u32(p, v.has_value());");
        out_.put("if (!v) {");
    }
    if (type.recursive && model_.out_of_line(type)) out_.line("    {}.leave();", way_.stream);
    out_.line("    return {}.template then<{}>(p + 4);", way_.stream, tail_);
    out_.put("}");
    out_.put("p += 4;");
    const Type& content = *something.field.type;
    make_room(content);
    out_.line("auto& arm = {};", way_.decode ? "xdr::make_present(v)" : "*v");
    off_ = 0;
    field(content, "arm", tail_, something.field.has("bulk"));
    if (type.recursive && model_.out_of_line(type)) out_.line("{}.leave();", way_.stream);
    out_.line("return {};", at());
}

void CodecWriter::discriminant(const Type& type, const UnionNames& names) {
    const Type& switched = idl::resolve(*type.discriminant.type);
    if (!way_.decode) {
        out_.line("const auto which = v.{}();", names.discriminant());
    } else {
        out_.line("{} which;", model_.cpp_type(*type.discriminant.type));
    }
    flat_field(switched, "which");
    flush_offset();
}

void CodecWriter::tagged_union(const Type& type) {
    const UnionNames names{type};
    discriminant(type, names);
    // Sums of cases over bool are written as if, C++ compilers dislike switch over bool.
    const bool over_bool = idl::resolve(*type.discriminant.type).kind == Kind::boolean;
    out_.line("switch ({}) {{", over_bool ? "static_cast<int>(which)" : "which");
    bool has_default = false;
    {
        const Indented inside{out_};
        for (const auto& one : type.arms) {
            for (const auto& label : one.cases)
                out_.line("case {}:", over_bool ? std::to_string(label.value)
                                                : case_label(model_, type, label));
            if (one.is_default) out_.put("default:");
            has_default = has_default || one.is_default;
            const Indented body{out_};
            arm(type, one, names);
        }
        if (!has_default) out_.put("default: break;");
    }
    out_.put("}");
    if (!has_default)
        out_.line(
            "return {}.fail(xdr::Fault::bad_discriminant, p - 4, "
            "static_cast<std::uint32_t>(which), 0);",
            way_.stream);
}

void CodecWriter::arm(const Type& type, const idl::Arm& one, const UnionNames& names) {
    const bool leaves = type.recursive && model_.out_of_line(type);
    if (is_void(one)) {
        if (way_.decode) out_.put("v.set(which);");
        if (leaves) out_.line("{}.leave();", way_.stream);
        if (tail_ == "0")
            out_.put("return p;");
        else
            out_.line("return {}.template then<{}>(p);", way_.stream, tail_);
        return;
    }
    out_.put("{");
    {
        const Indented inside{out_};
        const Type& content = *one.field.type;
        make_room(content);
        if (way_.decode)
            out_.line("auto& arm = v.raw_{}(which);", names.arm(one));
        else
            out_.line("const auto& arm = v.raw_{}();", names.arm(one));
        off_ = 0;
        field(content, "arm", tail_, one.field.has("bulk"));
        if (leaves) out_.line("{}.leave();", way_.stream);
        out_.line("return {};", at());
        off_ = 0;
    }
    out_.put("}");
}

// Is the value one of the enumeration's? Ranges are folded, so a dense enumeration is one compare.
void write_validity(const Model&, const Type& type, Text& out) {
    const auto name = cpp_name(type.name);
    std::vector<std::int32_t> values;
    for (const auto& one : type.enumerators) values.push_back(one.value);
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    std::string text;
    for (std::size_t i = 0; i < values.size();) {
        std::size_t last = i;
        while (last + 1 < values.size() && std::int64_t{values[last]} + 1 == values[last + 1])
            ++last;
        if (!text.empty()) text += " || ";
        if (last == i)
            text += fmt::format("bits == static_cast<std::uint32_t>({})", std::int64_t{values[i]});
        else if (values[i] == 0)
            text += fmt::format("bits <= {}u", values[last]);
        else
            text += fmt::format("bits - static_cast<std::uint32_t>({}) <= {}u",
                                std::int64_t{values[i]}, std::int64_t{values[last]} - values[i]);
        i = last + 1;
    }
    out.line("XDR_INLINE bool is_{0}({0} v) {{", name);
    out.put("    const auto bits = static_cast<std::uint32_t>(v);");
    out.line("    return {};", text);
    out.put("}");
    out.blank();
}

void write_includes(const Model& model, Text& out) {
    out.comment(banner(model));
    out.line("#include \"{}\"", model.include(model.stem() + "_codec.h"));
    out.blank();
    open_namespace(model, out);
}

std::string write_direction(const Model& model, const Direction& way) {
    Text out;
    write_includes(model, out);
    for (const Type* type : model.ordered())
        CodecWriter{model, way, out}.function_out_of_line(*type);
    for (const Type* type : model.ordered()) CodecWriter{model, way, out}.entry_point(*type);
    close_namespace(model, out);
    return out.take();
}

}  // namespace

std::string write_codec_header(const Model& model) {
    Text out;
    out.comment(banner(model));
    out.put("#pragma once");
    out.blank();
    out.put("#include \"helio/xdr/codec.h\"");
    out.line("#include \"{}\"", model.include(model.stem() + ".h"));
    for (const auto& stem : model.imported_stems())
        out.line("#include \"{}\"", model.include(stem + "_codec.h"));
    out.blank();
    open_namespace(model, out);
    for (const Type* type : model.ordered()) {
        CodecWriter{model, kDecode, out}.declare(*type);
        CodecWriter{model, kEncode, out}.declare(*type);
    }
    out.blank();
    for (const Type* type : model.ordered()) {
        if (!has_function(*type) ||
            (type->kind == Kind::alias && &Model::codec_type(*type) != type))
            continue;
        if (type->kind == Kind::enumeration && !type->open()) write_validity(model, *type, out);
        CodecWriter{model, kDecode, out}.inline_function(*type);
        CodecWriter{model, kEncode, out}.inline_function(*type);
    }
    close_namespace(model, out);
    return out.take();
}

std::string write_decode(const Model& model) { return write_direction(model, kDecode); }
std::string write_encode(const Model& model) { return write_direction(model, kEncode); }

}  // namespace helio::gen
