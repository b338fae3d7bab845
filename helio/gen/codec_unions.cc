// Function bodies of unions: the discriminant, then one arm.
#include "helio/gen/codec_internal.h"

namespace helio::gen {

void CodecWriter::flush_offset() {
    if (off_ != 0) out_.line("p += {};", off_);
    off_ = 0;
}

// Checks for an arm's bytes, or makes room for it.
void CodecWriter::make_room(const Type& content) {
    if (tail_ == kReserved && !direction_.decode) return;
    const auto size =
        settled(content) ? plus(lead(content), tail_) : fmt::format("{}", lead(content));
    if (size == "0") return;
    if (direction_.decode) {
        out_.line("if (!in.certain(p, {0})) [[unlikely]] return in.truncated(p, {0});", size);
    } else {
        out_.line("p = out.certain(p, {});", size);
        out_.put("if (p == nullptr) return nullptr;");
    }
}

void CodecWriter::optional_union(const Type& type, const idl::Arm& something) {
    if (direction_.decode) {
        out_.put("bool present;");
        out_.put("if (!xdr::get_bool(p, in, present)) return nullptr;");
        out_.put("if (!present) {");
        out_.put("    xdr::make_absent(v);");
    } else {
        out_.put("xdr::store_u32(p, v.has_value());");
        out_.put("if (!v) {");
    }
    if (type.recursive && model_.out_of_line(type)) out_.line("    {}.leave();", direction_.stream);
    out_.line("    return {}.template then<{}>(p + 4);", direction_.stream, tail_);
    out_.put("}");
    out_.put("p += 4;");
    const Type& content = *something.field.type;
    make_room(content);
    out_.line("auto& arm = {};", direction_.decode ? "xdr::make_present(v)" : "*v");
    off_ = 0;
    field(content, "arm", tail_, something.field.has("bulk"));
    if (type.recursive && model_.out_of_line(type)) out_.line("{}.leave();", direction_.stream);
    out_.line("return {};", at());
}

void CodecWriter::discriminant(const Type& type, const UnionNames& names) {
    const Type& switched = idl::resolve(*type.discriminant.type);
    if (!direction_.decode) {
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
    // Unions over bool use if: C++ compilers dislike a switch over bool.
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
            direction_.stream);
}

void CodecWriter::arm(const Type& type, const idl::Arm& one, const UnionNames& names) {
    const bool leaves = type.recursive && model_.out_of_line(type);
    if (is_void(one)) {
        if (direction_.decode) out_.put("v.set(which);");
        if (leaves) out_.line("{}.leave();", direction_.stream);
        if (tail_ == "0")
            out_.put("return p;");
        else
            out_.line("return {}.template then<{}>(p);", direction_.stream, tail_);
        return;
    }
    out_.put("{");
    {
        const Indented inside{out_};
        const Type& content = *one.field.type;
        make_room(content);
        if (direction_.decode)
            out_.line("auto& arm = v.raw_{}(which);", names.arm(one));
        else
            out_.line("const auto& arm = v.raw_{}();", names.arm(one));
        off_ = 0;
        field(content, "arm", tail_, one.field.has("bulk"));
        if (leaves) out_.line("{}.leave();", direction_.stream);
        out_.line("return {};", at());
        off_ = 0;
    }
    out_.put("}");
}

}  // namespace helio::gen
