// NAME.h: constants, types, and declarations of their functions.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "helio/gen/parts_internal.h"

namespace helio::gen {

namespace {

class HeaderWriter final {
 public:
    HeaderWriter(const Model& model, Text& out) : model_(model), out_(out) {}

    void write() {
        constants();
        forward_declarations();
        for (const Type* type : model_.ordered()) define(*type);
        functions();
    }

 private:
    void constants() {
        bool any = false;
        for (const auto& constant : model_.schema().constants) {
            if (constant.where.file != 0) continue;
            out_.comment(constant.doc);
            const bool wide = constant.negative ? constant.magnitude > 0x80000000u
                                                : constant.magnitude > 0xffffffffu;
            const auto* const type = constant.negative ? (wide ? "std::int64_t" : "std::int32_t")
                                                       : (wide ? "std::uint64_t" : "std::uint32_t");
            out_.line("inline constexpr {} {} = {};", type, cpp_name(constant.name),
                      literal(constant));
            any = true;
        }
        if (any) out_.blank();
    }

    static std::string literal(const idl::Constant& constant) {
        if (!constant.negative) return fmt::format("{}u", constant.magnitude);
        // The most negative number has no literal.
        return fmt::format("-{} - 1", constant.magnitude - 1);
    }

    void forward_declarations() {
        for (const Type* type : model_.ordered()) {
            if (type->kind == Kind::structure) out_.line("struct {};", cpp_name(type->name));
            if (type->kind == Kind::union_ && Model::optional_arm(*type) == nullptr)
                out_.line("class {};", cpp_name(type->name));
        }
        out_.blank();
    }

    void define(const Type& type) {
        out_.comment(type.doc);
        switch (type.kind) {
            case Kind::enumeration:
                enumeration(type);
                break;
            case Kind::structure:
                if (type.sparse)
                    sparse_structure(type);
                else
                    structure(type);
                break;
            case Kind::union_:
                if (const auto* something = Model::optional_arm(type))
                    out_.line("using {} = std::optional<{}>;", cpp_name(type.name),
                              model_.cpp_type(something->field));
                else
                    tagged_union(type);
                break;
            default:
                out_.line("using {} = {};", cpp_name(type.name), model_.cpp_type(*type.element));
        }
        out_.blank();
    }

    void enumeration(const Type& type) {
        out_.line("enum {} : std::int32_t {{", cpp_name(type.name));
        {
            const Indented body{out_};
            for (const auto& one : type.enumerators) {
                out_.comment(one.doc);
                out_.line("{} = {},", cpp_name(one.name),
                          one.value == INT32_MIN ? std::string{"-2147483647 - 1"}
                                                 : fmt::format("{}", one.value));
            }
        }
        out_.put("};");
    }

    // In C++ a member must not have the same name as a type that its class uses by that name. A
    // qualified name avoids that.
    std::string member_type(const idl::Field& field,
                            const std::set<std::string>& member_names) const {
        auto text = model_.cpp_type(field);
        if (const Type* named = innermost_named(*field.type);
            named != nullptr && member_names.contains(cpp_name(named->name))) {
            const auto name = cpp_name(named->name);
            const auto at = text.find(name);
            if (named->where.file == 0 && at != std::string::npos)
                text.insert(at, "::" + model_.open_namespace() + "::");
        }
        return text;
    }

    static const Type* innermost_named(const Type& type) {
        const Type* at = &type;
        while (at->name.empty() && at->element != nullptr) at = at->element;
        return at->name.empty() ? nullptr : at;
    }

    void structure(const Type& type) {
        std::set<std::string> names;
        for (const auto& field : type.fields) names.insert(cpp_name(field.name));
        out_.line("struct {} {{", cpp_name(type.name));
        {
            const Indented body{out_};
            for (const auto& field : type.fields) {
                out_.comment(field.doc);
                out_.line("{} {}{{}};", member_type(field, names), cpp_name(field.name));
            }
        }
        out_.put("};");
    }

    // Nothing but the set of bits is initialised: a decoder fills in the few that are there.
    void sparse_structure(const Type& type) {
        const SparseNames members{type};
        std::set<std::string> names{"present", "bit"};
        for (const auto& field : type.fields) names.insert(members.field(field));
        const std::uint32_t end = type.fields.empty() ? 1 : type.fields.back().bit + 1;
        std::string known;
        for (const auto& field : type.fields)
            known += fmt::format("{}{}", known.empty() ? "" : ", ", field.bit);
        out_.line("struct {} {{", cpp_name(type.name));
        {
            const Indented body{out_};
            out_.line("using Bits = xdr::Bits<{}>;", end);
            out_.line("static constexpr Bits kKnown{{{}}};", known);
            out_.put("struct bit {");
            for (const auto& field : type.fields)
                out_.line("    static constexpr std::uint32_t {} = {};", members.field(field),
                          field.bit);
            out_.put("};");
            out_.blank();
            out_.put("// The values that are there; the others are not initialised.");
            out_.put("Bits present;");
            for (const auto& field : type.fields) {
                out_.comment(field.doc);
                out_.line("union {{ {} {}; }};", member_type(field, names), members.field(field));
            }
            out_.blank();
            out_.line("{}() {{}}", cpp_name(type.name));
        }
        out_.put("};");
    }

    void tagged_union(const Type& type);
    void arm_members(const Type& type, const idl::Arm& arm, const UnionNames& names);
    void arm_factory(const Type& type, const idl::Arm& arm, const UnionNames& names);
    void empty_arm_members(const Type& type, const UnionNames& names);
    void union_storage(const Type& type, const UnionNames& names);

    void functions() {
        out_.put("// Bytes ↔ values. False means that reader or writer now holds the fault.");
        for (const Type* type : model_.ordered()) {
            const auto name = cpp_name(type->name);
            if (type->sparse) {
                sparse_functions(name);
                continue;
            }
            out_.line("[[nodiscard]] bool decode_{0}(xdr::Reader& in, {0}& v);", name);
            out_.line("[[nodiscard]] bool encode_{0}(xdr::Writer& out, const {0}& v);", name);
        }
        out_.blank();
        out_.put(
            "// Values as text: names for enumerations (empty when there is none), an outline for "
            "the rest.");
        for (const Type* type : model_.ordered()) {
            const auto name = cpp_name(type->name);
            if (type->kind == Kind::enumeration)
                out_.line("std::string_view to_string({} v);", name);
            out_.line("void print_{0}(xdr::Printer& out, const {0}& v);", name);
        }
        out_.blank();
        out_.put("// Equality of what views point at.");
        for (const Type* type : model_.ordered()) {
            const bool own = type->kind == Kind::structure ||
                             (type->kind == Kind::union_ && Model::optional_arm(*type) == nullptr);
            if (own)
                out_.line("bool operator==(const {0}& a, const {0}& b);", cpp_name(type->name));
        }
        out_.blank();
        out_.put("// Every type of this schema behind plain functions.");
        out_.put("std::span<const xdr::TypeCodec> type_codecs();");
    }

    // `in` has the bytes of the opaque field and nothing else.
    void sparse_functions(const std::string& name) {
        out_.line(
            "[[nodiscard]] bool decode_{0}(xdr::Reader& in, xdr::Array<std::uint32_t> mask, {0}& "
            "v);",
            name);
        out_.line("[[nodiscard]] bool encode_{0}(xdr::Writer& out, const {0}& v);", name);
        out_.line(
            "[[nodiscard]] bool pack_{0}(xdr::Arena& arena, const {0}& v, ::helio::ByteView& "
            "values);",
            name);
    }

    const Model& model_;
    Text& out_;
};

// A discriminant and storage; arms are accessed only through a check.
void HeaderWriter::tagged_union(const Type& type) {
    const UnionNames names{type};
    const auto self = cpp_name(type.name);
    out_.line("class {} final {{", self);
    out_.put("   public:");
    {
        const Indented body{out_};
        if (const auto* first = type.arm_for(0); first != nullptr && !is_void(*first))
            out_.line("{}() : stored_{}{{}} {{}}", self, names.arm(*first));
        else
            out_.line("{}() {{}}", self);
        out_.blank();
        out_.line("{0} {1}() const {{ return stored_{1}; }}",
                  model_.cpp_type(*type.discriminant.type), names.discriminant());
        for (const auto& arm : type.arms)
            if (!is_void(arm)) arm_members(type, arm, names);
        empty_arm_members(type, names);
    }
    out_.blank();
    out_.put("   private:");
    {
        const Indented body{out_};
        union_storage(type, names);
    }
    out_.put("};");
}

void HeaderWriter::arm_members(const Type& type, const idl::Arm& arm, const UnionNames& names) {
    const auto switch_type = model_.cpp_type(*type.discriminant.type);
    const auto name = names.arm(arm);
    const auto arm_type = model_.cpp_type(arm.field);
    out_.blank();
    out_.comment(arm.field.doc);
    out_.line("bool has_{}() const {{ return {}; }}", name,
              selects(model_, type, arm, "stored_" + names.discriminant()));
    out_.line("{}& {}() const {{", const_of(arm_type), name);
    out_.line("    HELIO_ASSERT(has_{}());", name);
    out_.line("    return stored_{};", name);
    out_.put("}");
    out_.line("{0}* if_{1}() const {{ return has_{1}() ? &stored_{1} : nullptr; }}",
              const_of(arm_type), name);
    out_.put("// Makes this the current arm and gives it out to be filled in.");
    out_.line("{}& emplace_{}({} which) {{", arm_type, name, switch_type);
    out_.line("    return raw_{}(which) = {{}};", name);
    out_.put("}");
    out_.put("// For codecs: nothing is initialised, nothing is checked.");
    out_.line("{}& raw_{}({} which) {{", arm_type, name, switch_type);
    out_.line("    stored_{} = which;", names.discriminant());
    out_.line("    HELIO_ASSERT(has_{}());", name);
    out_.line("    return stored_{};", name);
    out_.put("}");
    out_.line("{}& raw_{}() const {{ return stored_{}; }}", const_of(arm_type), name, name);
    arm_factory(type, arm, names);
}

// of_resok(value), or of_resfail(which, value) where several cases lead to the arm.
void HeaderWriter::arm_factory(const Type& type, const idl::Arm& arm, const UnionNames& names) {
    const auto self = cpp_name(type.name);
    const auto name = names.arm(arm);
    const auto value_type = const_of(model_.cpp_type(arm.field));
    if (arm.cases.size() == 1) {
        out_.line("static {} of_{}({}& value) {{", self, name, value_type);
        out_.line("    {} out;", self);
        out_.line("    out.emplace_{}({}) = value;", name,
                  case_label(model_, type, arm.cases.front()));
    } else {
        out_.line("static {} of_{}({} which, {}& value) {{", self, name,
                  model_.cpp_type(*type.discriminant.type), value_type);
        out_.line("    {} out;", self);
        out_.line("    out.emplace_{}(which) = value;", name);
    }
    out_.put("    return out;");
    out_.put("}");
}

void HeaderWriter::empty_arm_members(const Type& type, const UnionNames& names) {
    const auto condition = selects_void(model_, type, "stored_" + names.discriminant());
    if (condition.empty()) return;
    const auto self = cpp_name(type.name);
    const auto switch_type = model_.cpp_type(*type.discriminant.type);
    out_.blank();
    out_.put("// An arm without content.");
    out_.line("bool has_nothing() const {{ return {}; }}", condition);
    out_.line("void set({} which) {{", switch_type);
    out_.line("    stored_{} = which;", names.discriminant());
    out_.put("    HELIO_ASSERT(has_nothing());");
    out_.put("}");
    out_.line("static {} of({} which) {{", self, switch_type);
    out_.line("    {} out;", self);
    out_.put("    out.set(which);");
    out_.put("    return out;");
    out_.put("}");
}

void HeaderWriter::union_storage(const Type& type, const UnionNames& names) {
    out_.line("{} stored_{}{{}};", model_.cpp_type(*type.discriminant.type), names.discriminant());
    if (std::ranges::all_of(type.arms, is_void)) return;
    out_.put("union {");
    for (const auto& arm : type.arms)
        if (!is_void(arm))
            out_.line("    {} stored_{};", model_.cpp_type(arm.field), names.arm(arm));
    out_.put("};");
}

}  // namespace

std::string write_header(const Model& model) {
    Text out;
    out.comment(banner(model));
    if (!model.schema().doc.empty()) {
        out.put("//");
        out.comment(model.schema().doc);
    }
    out.put("#pragma once");
    out.blank();
    for (const auto* header : {"array", "cstddef", "cstdint", "optional", "span", "string_view"})
        out.line("#include <{}>", header);
    out.blank();
    for (const auto* header : {"helio/base/assert.h", "helio/base/bytes.h", "helio/xdr/array.h",
                               "helio/xdr/bits.h", "helio/xdr/printer.h", "helio/xdr/reader.h",
                               "helio/xdr/type_codec.h", "helio/xdr/writer.h"})
        out.line("#include \"{}\"", header);
    for (const auto& stem : model.imported_stems())
        out.line("#include \"{}\"", model.include(stem + ".h"));
    out.blank();
    open_namespace(model, out);
    HeaderWriter{model, out}.write();
    close_namespace(model, out);
    return out.take();
}

}  // namespace helio::gen
