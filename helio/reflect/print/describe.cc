#include "helio/reflect/print/describe.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "helio/base/text/escape.h"
#include "helio/idl/keyword.h"
#include "helio/reflect/bits.h"

namespace helio::reflect {
namespace {

using idl::keyword;
using idl::Kind;
using idl::Type;

constexpr std::string_view kIndent = "    ";

// Aligned columns; the last one is ragged. Cells wider than kWideMax do not widen a column: one
// long name would push all comments off the screen.
class Columns {
 public:
    void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

    std::string text(std::string_view indent) const {
        std::vector<std::size_t> widths;
        for (const auto& row : rows_) {
            widths.resize(std::max(widths.size(), row.size()));
            for (std::size_t i = 0; i < row.size(); ++i) {
                if (row[i].size() <= kWideMax) widths[i] = std::max(widths[i], row[i].size());
            }
        }
        std::string out;
        for (const auto& row : rows_) {
            std::string line{indent};
            for (std::size_t i = 0; i < row.size(); ++i) {
                fmt::format_to(std::back_inserter(line), "{:<{}}  ", row[i], widths[i]);
            }
            line.erase(line.find_last_not_of(' ') + 1);
            out += line + '\n';
        }
        return out;
    }

 private:
    static constexpr std::size_t kWideMax = 40;
    std::vector<std::vector<std::string>> rows_;
};

// Joins a comment's lines.
std::string one_line(std::string_view doc) {
    std::string out;
    for (const char c : doc) {
        const bool space = c == '\n' || c == ' ' || c == '\t';
        if (space && (out.empty() || out.back() == ' ')) continue;
        out += space ? ' ' : c;
    }
    return escaped(out);
}

// A comment as an indented paragraph.
std::string paragraph(std::string_view doc, std::string_view indent) {
    std::string out;
    while (!doc.empty()) {
        const std::size_t end = std::min(doc.find('\n'), doc.size());
        out += fmt::format("{}{}\n", indent, escaped(doc.substr(0, end)));
        doc.remove_prefix(std::min(end + 1, doc.size()));
    }
    return out;
}

std::string bound(const Type& type) {
    if (type.bound == idl::kUnbounded) return {};
    if (type.bound_name.empty()) return fmt::format("{}", type.bound);
    return fmt::format("{} = {}", escaped(type.bound_name), type.bound);
}

std::string spelled_parts(const Type& type) {
    switch (type.kind) {
        case Kind::opaque_fixed:
            return fmt::format("opaque[{}]", bound(type));
        case Kind::opaque_variable:
            return fmt::format("opaque<{}>", bound(type));
        case Kind::string:
            return fmt::format("string<{}>", bound(type));
        case Kind::array_fixed:
            return fmt::format("{}[{}]", spelled(*type.element), bound(type));
        case Kind::array_variable:
            return fmt::format("{}<{}>", spelled(*type.element), bound(type));
        case Kind::optional:
            return fmt::format("{} *", spelled(*type.element));
        case Kind::alias:
            return spelled(*type.element);
        default:
            return std::string{keyword(type.kind)};
    }
}

// What a named type resolves to, on one line: "nfs_fh3 = struct", "offset3 = unsigned hyper".
std::string spelled_fully(const Type& type) {
    const Type& meant = resolve(type);
    if (type.name.empty() || &meant == &type) return spelled(type);
    return fmt::format("{} = {}", spelled(type), spelled(meant));
}

// The comment, and what the annotations about bitmaps say.
std::string described_doc(const idl::Field& field) {
    std::string out = one_line(field.doc);
    const auto add = [&](std::string text) { out += (out.empty() ? "" : " ") + std::move(text); };
    if (const Type* const meaning = bits_of(&field, *field.type))
        add(fmt::format("Bits: {}.", escaped(meaning->name)));
    if (const idl::FlagSet* const flags = flags_of(&field, *field.type))
        add(fmt::format("Flags: {}.", escaped(flags->written)));
    if (field.contents != nullptr)
        add(fmt::format("Holds values of {}.", escaped(field.contents->name)));
    return out;
}

std::string describe_fields(const Type& type) {
    Columns columns;
    for (const auto& field : type.fields) {
        std::vector<std::string> row{escaped(field.name), spelled_fully(*field.type),
                                     wire_size(*field.type), described_doc(field)};
        if (type.sparse) row.insert(row.begin(), fmt::format("bit {}", field.bit));
        columns.row(std::move(row));
    }
    return columns.text(kIndent);
}

std::string describe_arms(const Type& type) {
    Columns columns;
    for (const auto& arm : type.arms) {
        std::string when = arm.is_default ? "default" : "";
        for (const auto& each : arm.cases) {
            if (!when.empty()) when += ", ";
            when += each.name.empty() ? fmt::format("{}", each.value) : escaped(each.name);
        }
        columns.row({when + ":", escaped(arm.field.name), spelled_fully(*arm.field.type),
                     wire_size(*arm.field.type), described_doc(arm.field)});
    }
    return fmt::format("{}{} {} selects\n", kIndent, spelled(*type.discriminant.type),
                       escaped(type.discriminant.name)) +
           columns.text(std::string{kIndent} + std::string{kIndent});
}

std::string describe_enumerators(const Type& type) {
    Columns columns;
    for (const auto& each : type.enumerators) {
        columns.row({escaped(each.name), fmt::format("{}", each.value), one_line(each.doc)});
    }
    std::string out = columns.text(kIndent);
    if (type.open()) out += fmt::format("{}and any other value\n", kIndent);
    return out;
}

std::string signature(const idl::Procedure& procedure) {
    std::string arguments;
    for (const Type* const type : procedure.arguments) {
        if (!arguments.empty()) arguments += ", ";
        arguments += spelled(*type);
    }
    return fmt::format("({}) → {}", arguments.empty() ? "void" : arguments,
                       spelled(*procedure.result));
}

std::string first_sentence(std::string_view doc) {
    const std::string line = one_line(doc);
    const std::size_t end = line.find(". ");
    return end == std::string::npos ? line : line.substr(0, end + 1);
}

}  // namespace

std::string spelled(const Type& type) {
    return type.name.empty() ? spelled_parts(type) : escaped(type.name);
}

std::string wire_size(const Type& type) {
    // Sizes stop growing there; no message is that long.
    if (type.wire_min == idl::kSizeUnlimited) return "2^64 bytes or more";
    if (type.fixed_size())
        return fmt::format("{} byte{}", type.wire_min, type.wire_min == 1 ? "" : "s");
    // An unbounded string could have 2^32-1 bytes, but that number is of no use.
    if (type.wire_max > idl::kUnbounded) return fmt::format("at least {} bytes", type.wire_min);
    return fmt::format("{} to {} bytes", type.wire_min, type.wire_max);
}

std::string describe(const Type& type) {
    const std::string_view word = keyword(type.kind);
    const bool plain = word.empty() || type.name.empty();
    std::string out =
        type.sparse ? fmt::format("{} {}: values that a bitmap selects\n", word, escaped(type.name))
        : plain     ? fmt::format("{}: {}\n", spelled(type), wire_size(type))
                    : fmt::format("{} {}: {}\n", word, escaped(type.name), wire_size(type));
    if (type.list_node) out.insert(out.size() - 1, ", a node of a list");
    out += paragraph(type.doc, "  ");
    switch (type.kind) {
        case Kind::structure:
            return out + describe_fields(type);
        case Kind::union_:
            return out + describe_arms(type);
        case Kind::enumeration:
            return out + describe_enumerators(type);
        case Kind::alias:
            out += fmt::format("{}is {}\n", kIndent, spelled_fully(*type.element));
            if (const Type& meant = resolve(type); !meant.name.empty())
                out += '\n' + describe(meant);
            return out;
        default:
            if (!type.name.empty()) out += fmt::format("{}is {}\n", kIndent, spelled_parts(type));
            return out;
    }
}

std::string describe(const idl::Procedure& procedure) {
    return fmt::format("{} = {} {}\n", escaped(procedure.name), procedure.number,
                       signature(procedure)) +
           paragraph(procedure.doc, "  ");
}

std::string describe(const idl::Program& program) {
    std::string out = fmt::format("program {} = {}\n", escaped(program.name), program.number);
    out += paragraph(program.doc, "  ");
    for (const auto& version : program.versions) {
        out += fmt::format("  version {} = {}\n", escaped(version.name), version.number);
        out += paragraph(version.doc, kIndent);
        Columns columns;
        for (const auto& procedure : version.procedures) {
            columns.row({fmt::format("{:>3}", procedure.number), escaped(procedure.name),
                         signature(procedure), first_sentence(procedure.doc)});
        }
        out += columns.text(kIndent);
    }
    return out;
}

std::string describe(const idl::Schema& schema) {
    std::string out = paragraph(schema.doc, "");
    for (const auto& program : schema.programs) out += describe(program);
    Columns columns;
    for (const Type* const type : schema.types) {
        if (type->nested) continue;
        columns.row({fmt::format("{} {}", keyword(type->kind), escaped(type->name)),
                     type->sparse ? "@sparse" : wire_size(*type), first_sentence(type->doc)});
    }
    return out + "types\n" + columns.text(kIndent);
}

}  // namespace helio::reflect
