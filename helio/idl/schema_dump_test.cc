#include "helio/idl/schema_dump_test.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace helio::idl::testing {
namespace {

std::string_view builtin_word(Kind kind) {
    switch (kind) {
        case Kind::void_:
            return "void";
        case Kind::int_:
            return "int";
        case Kind::unsigned_int:
            return "unsigned int";
        case Kind::hyper:
            return "hyper";
        case Kind::unsigned_hyper:
            return "unsigned hyper";
        case Kind::float_:
            return "float";
        case Kind::double_:
            return "double";
        case Kind::quadruple:
            return "quadruple";
        case Kind::boolean:
            return "bool";
        case Kind::character:
            return "char";
        case Kind::unsigned_character:
            return "unsigned char";
        case Kind::short_:
            return "short";
        case Kind::unsigned_short:
            return "unsigned short";
        default:
            return "?";
    }
}

std::string bound_text(const Type& type) {
    if (!type.bound_name.empty()) return fmt::format("{}={}", type.bound_name, type.bound);
    return type.bound == kUnbounded ? std::string() : fmt::to_string(type.bound);
}

std::string notes(const Documented& item) {
    std::string out;
    if (!item.doc.empty()) out += fmt::format(" \"{}\"", item.doc);
    for (const Annotation& each : item.annotations) {
        out += fmt::format(" @{}{}{}", each.word, each.argument.empty() ? "" : " ", each.argument);
    }
    for (std::size_t at = out.find('\n'); at != std::string::npos; at = out.find('\n')) {
        out.replace(at, 1, " | ");
    }
    return out;
}

std::string dump_bits(const Type* bits) {
    return bits != nullptr ? fmt::format(" bits={}", bits->name) : std::string();
}

std::string dump_flags(const FlagSet* flags) {
    if (flags == nullptr) return {};
    std::string out = " flags=";
    for (const auto* list : {&flags->flags, &flags->aliases})
        for (const auto& one : *list)
            out += fmt::format("{}{}:{:#x}", out.back() == '=' ? "" : ",", one.name, one.mask);
    return out;
}

std::string dump_field(const Field& field) {
    std::string out = fmt::format("{}{}{}{}", dump_type(*field.type), field.name.empty() ? "" : " ",
                                  field.name, notes(field));
    if (field.has("bit")) out += fmt::format(" bit={}", field.bit);
    if (field.contents != nullptr) {
        out += fmt::format(" contents={} by field {}", field.contents->name, field.contents_mask);
    }
    if (field.template_value)
        out += fmt::format(" template={}", static_cast<std::int64_t>(*field.template_value));
    return out + dump_bits(field.bits) + dump_flags(field.flags);
}

std::string dump_arm(const Arm& arm) {
    std::string out;
    for (const Arm::Case& each : arm.cases) {
        out += each.name.empty() ? fmt::format("{}: ", each.value)
                                 : fmt::format("{}={}: ", each.name, each.value);
    }
    if (arm.is_default) out += "default: ";
    return out + dump_field(arm.field);
}

template <class Items, class Print>
std::string listed(const Items& items, std::string_view separator, Print print) {
    std::string out;
    for (const auto& item : items) {
        if (!out.empty()) out += separator;
        out += print(item);
    }
    return out;
}

std::string dump_definition(const Type& type) {
    switch (type.kind) {
        case Kind::enumeration:
            return fmt::format("enum {} {{ {} }}", type.name,
                               listed(type.enumerators, ", ", [](const Enumerator& e) {
                                   return fmt::format("{} = {}{}", e.name, e.value, notes(e));
                               }));
        case Kind::structure:
            return fmt::format("struct {} {{ {} }}", type.name,
                               listed(type.fields, "; ", dump_field));
        case Kind::union_:
            return fmt::format("union {} switch ({}) {{ {} }}", type.name,
                               dump_field(type.discriminant), listed(type.arms, "; ", dump_arm));
        default:
            return fmt::format("typedef {} {}{}", dump_type(*type.element), type.name,
                               dump_bits(type.bits) + dump_flags(type.flags));
    }
}

std::string size_text(std::uint64_t size) {
    return size == kSizeUnlimited ? "unlimited" : fmt::to_string(size);
}

std::string layout_text(const Type& type) {
    std::string out = type.fixed_size() ? size_text(type.wire_min)
                                        : fmt::format("{}..{}", size_text(type.wire_min),
                                                      size_text(type.wire_max));
    if (type.nested) out += " nested";
    if (type.recursive) out += " recursive";
    if (type.list_node) out += " list";
    if (type.sparse) out += " sparse";
    return out;
}

std::string dump_procedure(const Procedure& procedure) {
    std::string arguments;
    for (std::size_t i = 0; i < procedure.arguments.size(); ++i) {
        if (i > 0) arguments += ", ";
        arguments += dump_type(*procedure.arguments[i]);
        if (!procedure.argument_names[i].empty()) arguments += " " + procedure.argument_names[i];
    }
    return fmt::format("    {} {}({}) = {}  // {}{}\n", dump_type(*procedure.result),
                       procedure.name, arguments, procedure.number, procedure.short_name,
                       notes(procedure));
}

}  // namespace

std::string dump_type(const Type& type) {
    switch (type.kind) {
        case Kind::opaque_fixed:
            return fmt::format("opaque[{}]", bound_text(type));
        case Kind::opaque_variable:
            return fmt::format("opaque<{}>", bound_text(type));
        case Kind::string:
            return fmt::format("string<{}>", bound_text(type));
        case Kind::array_fixed:
            return fmt::format("{}[{}]", dump_type(*type.element), bound_text(type));
        case Kind::array_variable:
            return fmt::format("{}<{}>", dump_type(*type.element), bound_text(type));
        case Kind::optional:
            return dump_type(*type.element) + "?";
        case Kind::enumeration:
        case Kind::structure:
        case Kind::union_:
        case Kind::alias:
            return type.name;
        default:
            return std::string(builtin_word(type.kind));
    }
}

std::string dump(const Schema& schema) {
    std::string out;
    Documented file;
    file.doc = schema.doc;
    if (!schema.doc.empty()) out += fmt::format("file{}\n", notes(file));
    if (!schema.cpp_namespace.empty()) {
        out += fmt::format("namespace {}\n", fmt::join(schema.cpp_namespace, "::"));
    }
    for (const std::string& line : schema.passthrough) out += fmt::format("%{}\n", line);
    for (const Constant& each : schema.constants) {
        out += fmt::format("const {} = {}{}{}\n", each.name, each.negative ? "-" : "",
                           each.magnitude, notes(each));
    }
    for (const TextConstant& each : schema.text_constants) {
        out += fmt::format("const {} = \"{}\"{}\n", each.name, each.text, notes(each));
    }
    for (const Type* each : schema.types) {
        out +=
            fmt::format("{}  // {}{}\n", dump_definition(*each), layout_text(*each), notes(*each));
    }
    for (const Program& program : schema.programs) {
        out += fmt::format("program {} = {}{}\n", program.name, program.number, notes(program));
        for (const Version& version : program.versions) {
            out +=
                fmt::format("  version {} = {}{}\n", version.name, version.number, notes(version));
            for (const Procedure& each : version.procedures) out += dump_procedure(each);
        }
    }
    return out;
}

std::string read_text(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

void expect_snapshot(const std::filesystem::path& expected, const std::string& actual) {
    const char* update = std::getenv("SNAP_UPDATE");
    if (update != nullptr && std::string_view(update) == "1") {
        std::ofstream(expected, std::ios::binary) << actual;
        return;
    }
    EXPECT_EQ(read_text(expected), actual) << expected << " (SNAP_UPDATE=1 rewrites it)";
}

Parsed parse_testdata(const std::filesystem::path& path) {
    const auto folder = path.parent_path();
    const Loader loader = [folder](std::string_view name,
                                   std::string_view) -> std::optional<LoadedText> {
        if (!std::filesystem::exists(folder / name)) return std::nullopt;
        return LoadedText{std::string(name), read_text(folder / name)};
    };
    return parse(path.filename().string(), read_text(path), loader);
}

}  // namespace helio::idl::testing
