// NAME_codec.h, NAME_decode.cc, NAME_encode.cc, and the functions in them. Their bodies are in
// codec_fields.cc and codec_unions.cc.
#include <fmt/format.h>

#include <algorithm>

#include "helio/gen/codec_internal.h"

namespace helio::gen {

std::string CodecWriter::signature(const Type& type) const {
    const auto* const result = model_.flat(type)   ? "bool"
                               : direction_.decode ? "const std::byte*"
                                                   : "std::byte*";
    return fmt::format("{} {}_{}({}* p, [[maybe_unused]] {}, [[maybe_unused]] {}{}& v)", result,
                       direction_.verb, cpp_name(type.name), direction_.byte, direction_.endpoint,
                       direction_.ref, cpp_name(type.name));
}

void CodecWriter::declare(const Type& type) {
    if (type.sparse) return;
    if (model_.out_of_line(type)) out_.line("{};", signature(type));
    if (type.list_node)
        out_.line("{0}* {1}_list_{2}({0}* p, {3}, const {2}*{4} v);", direction_.byte,
                  direction_.verb, cpp_name(type.name), direction_.endpoint,
                  direction_.decode ? "&" : "");
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
            direction_.byte, direction_.verb, name, direction_.byte, direction_.endpoint,
            direction_.ref, name);
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
    if (type.sparse) return sparse_value(type);
    const auto name = cpp_name(type.name);
    off_ = 0;
    tail_ = settled(type) ? kReserved : "0";
    returns_bool_ = false;
    if (type.list_node) {
        const std::vector<idl::Field> node{type.fields.begin(), type.fields.end() - 1};
        const bool all_settled =
            std::ranges::all_of(node, [this](const auto& one) { return settled(*one.type); });
        const auto first = lead(node) + (all_settled ? 4 : 0);
        out_.line("{0}* {1}_list_{2}({0}* p, {3}, const {2}*{4} v) {{", direction_.byte,
                  direction_.verb, name, direction_.endpoint, direction_.decode ? "&" : "");
        out_.line("    return xdr::{0}_list<{1}, &{3}::{4}, {0}_node_{3}<4>>(p, {2}, v);",
                  direction_.verb, first, direction_.stream, name,
                  cpp_name(type.fields.back().name));
        out_.put("}");
        out_.blank();
    }
    if (!model_.out_of_line(type)) return;
    out_.line("{} {{", signature(type));
    {
        const Indented inside{out_};
        const bool counts_depth = type.recursive && !type.list_node;
        if (counts_depth) out_.line("if (!{}.enter(p)) return nullptr;", direction_.stream);
        body(type);
    }
    out_.put("}");
    out_.blank();
}

void CodecWriter::sparse_value(const Type& type) {
    const auto name = cpp_name(type.name);
    const SparseNames members{type};
    returns_bool_ = false;
    out_.line("static {0}* {1}_value_of_{2}({0}* p, {3}, {4}{2}& v, std::uint32_t bit) {{",
              direction_.byte, direction_.verb, name, direction_.endpoint, direction_.ref);
    out_.put("    switch (bit) {");
    for (const auto& one : type.fields) {
        out_.line("        case {}: {{  // {}", one.bit, one.name);
        off_ = 0;
        {
            const Indented inside{out_};
            const Indented of_switch{out_};
            const Indented of_case{out_};
            sparse_case(one, "v." + members.field(one));
        }
        out_.put("        }");
    }
    out_.put("    }");
    out_.line("    return {}.fail(xdr::Fault::unknown_bit, p, bit, 0);", direction_.stream);
    out_.put("}");
    out_.blank();
}

void CodecWriter::sparse_case(const idl::Field& one, const std::string& value) {
    const auto first = lead(*one.type);
    if (direction_.decode) {
        out_.line("if (!in.certain(p, {0})) return in.truncated(p, {0});", first);
    } else {
        out_.line("p = out.certain(p, {});", first);
        out_.put("if (p == nullptr) return nullptr;");
    }
    field(*one.type, value, "0", one.has("bulk"));
    out_.line("return {};", at());
}

void CodecWriter::sparse_entry_points(const Type& type) {
    const auto name = cpp_name(type.name);
    if (direction_.decode) {
        out_.line("bool decode_{0}(xdr::Reader& in, xdr::Array<std::uint32_t> mask, {0}& v) {{",
                  name);
        out_.line("    return xdr::decode_selected<get_value_of_{}>(in, mask, v);", name);
        out_.put("}");
        out_.blank();
        return;
    }
    out_.line("bool encode_{0}(xdr::Writer& out, const {0}& v) {{", name);
    out_.line("    return xdr::encode_selected<put_value_of_{}>(out, v);", name);
    out_.put("}");
    out_.blank();
    out_.line("bool pack_{0}(xdr::Arena& arena, const {0}& v, ::helio::ByteView& values) {{", name);
    out_.line("    return xdr::pack_selected<put_value_of_{}>(arena, v, values);", name);
    out_.put("}");
    out_.blank();
}

void CodecWriter::entry_point(const Type& type) {
    if (type.sparse) return sparse_entry_points(type);
    const auto name = cpp_name(type.name);
    if (direction_.decode)
        out_.line("bool decode_{0}(xdr::Reader& in, {0}& v) {{", name);
    else
        out_.line("bool encode_{0}(xdr::Writer& out, const {0}& v) {{", name);
    {
        const Indented inside{out_};
        out_.line("if (!{}.ready({})) [[unlikely]] return false;", direction_.stream, lead(type));
        if (model_.flat(type))
            out_.line("return {0}({1}.at(), {1}, v) && {1}.end({1}.at() + {2});", callable(type),
                      direction_.stream, model_.lead(type));
        else
            out_.line("return {0}.end({1}({0}.at(), {0}, v));", direction_.stream, callable(type));
    }
    out_.put("}");
    out_.blank();
}

namespace {

bool has_function(const Type& type) {
    return type.kind == Kind::enumeration || type.kind == Kind::structure ||
           type.kind == Kind::union_ || type.kind == Kind::alias;
}

// Writes the test whether a value is in the enumeration. Ranges are merged, so a dense enumeration
// needs one comparison.
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

std::string write_direction(const Model& model, const Direction& direction) {
    Text out;
    write_includes(model, out);
    for (const Type* type : model.ordered())
        CodecWriter{model, direction, out}.function_out_of_line(*type);
    for (const Type* type : model.ordered()) CodecWriter{model, direction, out}.entry_point(*type);
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
        if (!has_function(*type) || type->sparse ||
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
