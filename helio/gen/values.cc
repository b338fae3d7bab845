// NAME_values.cc: equality and printing.
#include <fmt/format.h>

#include <set>

#include "helio/gen/parts_internal.h"

namespace helio::gen {

namespace {

class ValueWriter final {
 public:
    ValueWriter(const Model& model, Text& out) : model_(model), out_(out) {}

    void equality(const Type& type);
    void name_of(const Type& type);
    void print(const Type& type);

 private:
    std::string fields_equal(const std::vector<idl::Field>& fields, std::size_t count,
                             const char* a, const char* b) const;
    void print_value(const Type& type, const std::string& value);
    void sparse_equality(const Type& type);
    void print_fields(const Type& type);
    void print_sparse(const Type& type);
    void print_union(const Type& type);

    const Model& model_;
    Text& out_;
};

std::string ValueWriter::fields_equal(const std::vector<idl::Field>& fields, std::size_t count,
                                      const char* a, const char* b) const {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
        if (!text.empty()) text += " && ";
        const auto name = cpp_name(fields[i].name);
        text += fmt::format("xdr::same({}{}, {}{})", a, name, b, name);
    }
    return text.empty() ? "true" : text;
}

void ValueWriter::equality(const Type& type) {
    const auto name = cpp_name(type.name);
    if (type.sparse) return sparse_equality(type);
    if (type.kind == Kind::structure) {
        out_.line(
            "bool operator==([[maybe_unused]] const {0}& a, [[maybe_unused]] const {0}& b) {{",
            name);
        if (type.list_node) {
            const auto link = cpp_name(type.fields.back().name);
            out_.line("    const {}* x = &a;", name);
            out_.line("    const {}* y = &b;", name);
            out_.line("    for (; x != nullptr && y != nullptr; x = x->{0}, y = y->{0})", link);
            out_.line("        if (!({})) return false;",
                      fields_equal(type.fields, type.fields.size() - 1, "x->", "y->"));
            out_.put("    return x == y;  // both at the end");
        } else {
            out_.line("    return {};", fields_equal(type.fields, type.fields.size(), "a.", "b."));
        }
        out_.put("}");
        out_.blank();
        return;
    }
    if (type.kind != Kind::union_ || Model::optional_arm(type) != nullptr) return;
    const UnionNames names{type};
    out_.line("bool operator==(const {0}& a, const {0}& b) {{", name);
    out_.line("    if (a.{0}() != b.{0}()) return false;", names.discriminant());
    for (const auto& arm : type.arms)
        if (!is_void(arm))
            out_.line("    if (a.has_{0}()) return xdr::same(a.{0}(), b.{0}());", names.arm(arm));
    out_.put("    return true;");
    out_.put("}");
    out_.blank();
}

void ValueWriter::sparse_equality(const Type& type) {
    const SparseNames members{type};
    out_.line("bool operator==(const {0}& a, const {0}& b) {{", cpp_name(type.name));
    out_.put("    if (a.present != b.present) return false;");
    for (const auto& field : type.fields) {
        out_.line("    if (a.present.test({0}) && !xdr::same(a.{1}, b.{1})) return false;",
                  field.bit, members.field(field));
    }
    out_.put("    return true;");
    out_.put("}");
    out_.blank();
}

void ValueWriter::print_sparse(const Type& type) {
    const SparseNames members{type};
    out_.line("out.open(\"{}\");", type.name);
    for (const auto& field : type.fields) {
        out_.line("if (v.present.test({})) {{", field.bit);
        {
            const Indented inside{out_};
            out_.line("out.field(\"{}\");", field.name);
            print_value(*field.type, "v." + members.field(field));
        }
        out_.put("}");
    }
    out_.put("out.close();");
}

void ValueWriter::name_of(const Type& type) {
    if (type.kind != Kind::enumeration) return;
    out_.line("std::string_view to_string({} v) {{", cpp_name(type.name));
    out_.put("    switch (v) {");
    std::set<std::int32_t> seen;  // two names for one value: the first is shown
    for (const auto& one : type.enumerators)
        if (seen.insert(one.value).second)
            out_.line("        case {}: return \"{}\";", cpp_name(one.name), one.name);
    out_.put("        default: return {};");
    out_.put("    }");
    out_.put("}");
    out_.blank();
}

void ValueWriter::print(const Type& type) {
    out_.line("void print_{0}(xdr::Printer& out, [[maybe_unused]] const {0}& v) {{",
              cpp_name(type.name));
    {
        const Indented inside{out_};
        switch (type.kind) {
            case Kind::enumeration:
                out_.put("if (const auto name = to_string(v); !name.empty()) out.word(name);");
                out_.put("else out.number(static_cast<std::int32_t>(v));");
                break;
            case Kind::structure:
                if (type.sparse)
                    print_sparse(type);
                else
                    print_fields(type);
                break;
            case Kind::union_:
                print_union(type);
                break;
            default:
                print_value(*type.element, "v");
        }
    }
    out_.put("}");
    out_.blank();
}

void ValueWriter::print_fields(const Type& type) {
    const std::size_t count = type.fields.size() - (type.list_node ? 1 : 0);
    out_.line("out.open(\"{}\");", type.name);
    for (std::size_t i = 0; i < count; ++i) {
        const auto& field = type.fields[i];
        out_.line("out.field(\"{}\");", field.name);
        print_value(*field.type, "v." + cpp_name(field.name));
    }
    out_.put("out.close();");
    // A list is printed as its nodes, one below the other, at the same depth.
    if (type.list_node) {
        const auto link = cpp_name(type.fields.back().name);
        out_.line("std::size_t shown = 0;");
        out_.line("for (const auto* next = v.{0}; next != nullptr; next = next->{0}) {{", link);
        out_.put("    if (++shown == xdr::Printer::kShownMax) {");
        out_.put("        out.word(\" …\");");
        out_.put("        break;");
        out_.put("    }");
        out_.put("    auto one = *next;");
        out_.line("    one.{} = nullptr;", link);
        out_.put("    out.word(\" \");");
        out_.line("    print_{}(out, one);", cpp_name(type.name));
        out_.put("}");
    }
}

void ValueWriter::print_union(const Type& type) {
    if (const auto* something = Model::optional_arm(type)) {
        out_.put("if (!v) return out.word(\"none\");");
        print_value(*something->field.type, "(*v)");
        return;
    }
    const UnionNames names{type};
    out_.line("out.open(\"{}\");", type.name);
    out_.line("out.field(\"{}\");", type.discriminant.name);
    print_value(*type.discriminant.type, fmt::format("v.{}()", names.discriminant()));
    for (const auto& arm : type.arms) {
        if (is_void(arm)) continue;
        out_.line("if (v.has_{}()) {{", names.arm(arm));
        {
            const Indented inside{out_};
            out_.line("out.field(\"{}\");", arm.field.name);
            print_value(*arm.field.type, fmt::format("v.{}()", names.arm(arm)));
        }
        out_.put("}");
    }
    out_.put("out.close();");
}

void ValueWriter::print_value(const Type& any, const std::string& value) {
    const Type& type = Model::codec_type(any);
    if (!type.name.empty() && type.kind != Kind::alias) {
        out_.line("{}(out, {});", model_.qualified(type, "print_"), value);
        return;
    }
    const Type& shape = idl::resolve(type);
    switch (shape.kind) {
        case Kind::int_:
        case Kind::unsigned_int:
        case Kind::hyper:
        case Kind::unsigned_hyper:
            out_.line("out.number({});", value);
            break;
        case Kind::character:
        case Kind::short_:
            out_.line("out.number(std::int32_t{{{}}});", value);
            break;
        case Kind::unsigned_character:
        case Kind::unsigned_short:
            out_.line("out.number(std::uint32_t{{{}}});", value);
            break;
        case Kind::float_:
        case Kind::double_:
            out_.line("out.real({});", value);
            break;
        case Kind::boolean:
            out_.line("out.boolean({});", value);
            break;
        case Kind::string:
            out_.line("out.string({});", value);
            break;
        case Kind::quadruple:
        case Kind::opaque_fixed:
        case Kind::opaque_variable:
            out_.line("out.bytes({});", value);
            break;
        case Kind::array_fixed:
        case Kind::array_variable:
            out_.line("out.items({}, [&out](const auto& item) {{", value);
            {
                const Indented inside{out_};
                print_value(*shape.element, "item");
            }
            out_.put("});");
            break;
        case Kind::optional:
            out_.line("if ({} == nullptr) {{", value);
            out_.put("    out.word(\"none\");");
            out_.put("} else {");
            {
                const Indented inside{out_};
                print_value(*shape.element, "(*" + value + ")");
            }
            out_.put("}");
            break;
        default:
            out_.put("out.word(\"void\");");
    }
}

}  // namespace

std::string write_values(const Model& model) {
    Text out;
    out.comment(banner(model));
    out.line("#include \"{}\"", model.include(model.stem() + ".h"));
    out.blank();
    open_namespace(model, out);
    ValueWriter writer{model, out};
    for (const Type* type : model.ordered()) writer.name_of(*type);
    for (const Type* type : model.ordered()) writer.equality(*type);
    for (const Type* type : model.ordered()) writer.print(*type);
    close_namespace(model, out);
    return out.take();
}

std::string write_table(const Model& model) {
    Text out;
    out.comment(banner(model));
    out.line("#include \"{}\"", model.include(model.stem() + ".h"));
    out.blank();
    open_namespace(model, out);
    out.put("namespace {");
    out.blank();
    // Without its bitmap a sparse struct has no bytes.
    std::vector<const Type*> types;
    for (const Type* type : model.ordered())
        if (!type->sparse) types.push_back(type);
    for (const Type* type : types) {
        const auto name = cpp_name(type->name);
        out.line("bool recode_{}(xdr::Reader& in, xdr::Writer& out) {{", name);
        out.line("    {} v{{}};", name);
        out.line("    return decode_{0}(in, v) && encode_{0}(out, v);", name);
        out.put("}");
        out.line("bool same_{}(xdr::Reader& one, xdr::Reader& other) {{", name);
        out.line("    {} a{{}};", name);
        out.line("    {} b{{}};", name);
        out.line("    return decode_{0}(one, a) && decode_{0}(other, b) && xdr::same(a, b);", name);
        out.put("}");
        out.line("std::string text_{}(xdr::Reader& in) {{", name);
        out.line("    {} v{{}};", name);
        out.line("    if (!decode_{}(in, v)) return {{}};", name);
        out.put("    xdr::Printer out;");
        out.line("    print_{}(out, v);", name);
        out.put("    return out.text();");
        out.put("}");
    }
    out.blank();
    // The array has one element more than needed, because C++ has no arrays of size zero.
    out.line("constexpr xdr::TypeCodec kTypeCodecs[{}] = {{", types.size() + 1);
    for (const Type* type : types)
        out.line("    {{\"{0}\", recode_{1}, same_{1}, text_{1}}},", type->name,
                 cpp_name(type->name));
    out.put("};");
    out.blank();
    out.put("}  // namespace");
    out.blank();
    out.line("std::span<const xdr::TypeCodec> type_codecs() {{ return {{kTypeCodecs, {}}}; }}",
             types.size());
    close_namespace(model, out);
    return out.take();
}

}  // namespace helio::gen
