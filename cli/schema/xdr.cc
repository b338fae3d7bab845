// helio xdr: converts bytes to text and back, for any type of any .x file, without compiling.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "helio/idl/parse.h"
#include "helio/reflect/decode.h"
#include "helio/reflect/json/json.h"
#include "helio/reflect/lookup.h"
#include "helio/reflect/print/describe.h"
#include "helio/reflect/print/table.h"
#include "schema/builtin.h"

namespace helio::cli {
namespace {

// Inputs are held in memory; no protocol has messages of this size.
constexpr std::size_t kInputSizeMax = 1u << 30;

constexpr const char* kXdrExamples = R"(Examples:
  helio xdr describe --schema nfs3
  helio xdr describe --schema nfs3 --type READ3args
  helio xdr template --schema nfs3 --type READ.args > read.json
  helio xdr encode   --schema nfs3 --type READ.args --hex read.json
  echo '00000002 abcd0000 0000000000000000 00001000' |
      helio xdr decode --schema nfs3 --type READ3args --hex
  helio xdr decode   --schema nfs3 --type READ.result --json reply.bin

--type is a type of the schema, or one side of a procedure: READ.args, READ.result,
NFS_V3.READ.args. docs/json-mapping.md describes the JSON.
Exit status: 0 success, 1 the input does not match the type, 2 wrong usage.)";

struct XdrFlags {
    std::string schema;
    std::string type;
    std::string input = "-";
    bool hex = false;
    bool json = false;
    bool base64 = false;
    bool lenient = false;
    bool strict = false;  // the default; for scripts that want to be explicit
    bool compact = false;
};

// A file, or the name of a built-in schema.
idl::Parsed parse_schema(const std::string& name) {
    const bool plain_name = name.find_first_of("./") == std::string::npos;
    if (!plain_name || std::filesystem::exists(name)) return idl::parse_file(name);
    return builtin::parse(name);
}

std::string builtin_names() {
    std::string names;
    for (const auto& one : builtin::texts())
        names += (names.empty() ? "" : ", ") + std::string{one.name};
    return names;
}

std::unique_ptr<const idl::Schema> load_schema(const std::string& name) {
    idl::Parsed parsed = parse_schema(name);
    const std::string report = parsed.report();
    if (!parsed.schema)
        throw std::runtime_error(
            fmt::format("the schema has errors\n{}built-in schemas: {}", report, builtin_names()));
    std::fputs(report.c_str(), stderr);
    return std::move(parsed.schema);
}

reflect::FoundType find_type(const idl::Schema& schema, const std::string& name) {
    auto found = reflect::find_type(schema, name);
    if (!found) throw std::runtime_error(found.error());
    return std::move(*found);
}

// The same for a type that has bytes.
reflect::FoundType find_value_type(const idl::Schema& schema, const std::string& name) {
    auto found = find_type(schema, name);
    if (!found.type->sparse) return found;
    throw std::runtime_error(fmt::format(
        "'{}' is @sparse: without a bitmap it has no bytes; name a type that has both", name));
}

std::string read_all(const std::string& path) {
    std::ifstream file;
    if (path != "-") {
        file.open(path, std::ios::binary);
        if (!file) throw std::runtime_error(fmt::format("cannot read '{}'", path));
    }
    std::istream& in = path == "-" ? std::cin : file;
    std::string text;
    std::vector<char> block(1u << 16);
    while (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0) {
        text.append(block.data(), static_cast<std::size_t>(in.gcount()));
        if (text.size() > kInputSizeMax) {
            throw std::runtime_error(
                fmt::format("the input is larger than {} bytes", kInputSizeMax));
        }
    }
    return text;
}

// Hexadecimal digits in pairs; space, line ends, ':' and 0x between them are skipped.
std::string bytes_from_hex(std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string out;
    int high = -1;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = static_cast<char>(std::tolower(static_cast<unsigned char>(text[i])));
        if (c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == ':') continue;
        if (c == '0' && high < 0 && i + 1 < text.size() && (text[i + 1] | 32) == 'x') {
            ++i;
            continue;
        }
        const std::size_t digit = digits.find(c);
        if (digit == std::string_view::npos) {
            throw std::runtime_error(
                fmt::format("byte {} of the input is not a hexadecimal digit", i));
        }
        if (high < 0) {
            high = static_cast<int>(digit);
        } else {
            out += static_cast<char>(high << 4 | static_cast<int>(digit));
            high = -1;
        }
    }
    if (high >= 0) throw std::runtime_error("the input has an odd number of hexadecimal digits");
    return out;
}

void print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void print_line(std::string_view line) {
    print(line);
    print("\n");
}

int refuse(std::string_view type, std::string_view why) {
    std::cout.flush();
    std::fflush(stdout);
    fmt::print(stderr, "helio: {}: {}\n", type, why);
    return 1;
}

// "count: not a boolean at byte 20 …", "after offset: truncated at …": the place of the fault.
std::string place_of(const reflect::Tree& tree) {
    reflect::NodeIndex last = reflect::kNoNode;
    for (reflect::NodeIndex i = 0; i < tree.nodes.size(); ++i) {
        if (is_leaf(tree.nodes[i].role) && tree.nodes[i].offset <= tree.error.offset) last = i;
    }
    if (last == reflect::kNoNode) return {};
    const std::string path = reflect::path(tree, last);
    const auto& leaf = tree.nodes[last];
    if (path.empty()) return {};
    return (leaf.offset + leaf.size <= tree.error.offset ? "after " : "") + path + ": ";
}

int decode(const XdrFlags& flags) {
    const auto schema = load_schema(flags.schema);
    const auto found = find_value_type(*schema, flags.type);
    std::string input = read_all(flags.input);
    if (flags.hex) input = bytes_from_hex(input);
    const auto tree = reflect::decode(as_bytes(input), *found.type, {.strict = !flags.lenient});
    if (flags.json && tree.ok()) {
        print_line(
            reflect::to_json(tree, {.base64 = flags.base64, .indent = flags.compact ? 0 : 2}));
    } else if (!flags.json) {
        reflect::write_table(tree, {}, print_line);
    }
    return tree.ok() ? 0 : refuse(flags.type, place_of(tree) + to_string(tree.error));
}

int encode(const XdrFlags& flags) {
    const auto schema = load_schema(flags.schema);
    const auto found = find_value_type(*schema, flags.type);
    const auto bytes = reflect::encode(*found.type, read_all(flags.input));
    if (!bytes) return refuse(flags.type, to_string(bytes.error()));
    if (!flags.hex && isatty(STDOUT_FILENO) == 0) {
        print(as_text(*bytes));
        return 0;
    }
    // A terminal always gets digits: raw bytes could contain escape sequences.
    for (std::size_t i = 0; i < bytes->size(); ++i) {
        const bool last = i % 32 == 31 || i + 1 == bytes->size();
        fmt::print("{:02x}{}", std::to_integer<int>((*bytes)[i]),
                   last         ? "\n"
                   : i % 4 == 3 ? " "
                                : "");
    }
    return 0;
}

int make_template(const XdrFlags& flags) {
    const auto schema = load_schema(flags.schema);
    const auto found = find_value_type(*schema, flags.type);
    const auto json = reflect::template_json(
        *found.type, {.base64 = flags.base64, .indent = flags.compact ? 0 : 2});
    if (!json) return refuse(flags.type, to_string(json.error()));
    print_line(*json);
    return 0;
}

int describe(const XdrFlags& flags) {
    const auto schema = load_schema(flags.schema);
    if (flags.type.empty()) {
        print(reflect::describe(*schema));
        return 0;
    }
    for (const auto& program : schema->programs) {
        if (program.name != flags.type) continue;
        print(reflect::describe(program));
        return 0;
    }
    if (const auto procedure = reflect::find_procedure(*schema, flags.type);
        procedure && schema->type(flags.type) == nullptr) {
        print(reflect::describe(**procedure));
        return 0;
    }
    print(reflect::describe(*find_type(*schema, flags.type).type));
    return 0;
}

using Run = int (*)(const XdrFlags&);

Command* add_verb(Command& xdr, int& exit_code, const std::shared_ptr<XdrFlags>& flags,
                  const char* name, const char* help, Run run) {
    Command* const verb = xdr.add_subcommand(name, help);
    verb->add_option("--schema", flags->schema, "a .x file, or the name of a built-in schema: nfs3")
        ->required();
    verb->callback([flags, run, &exit_code] { exit_code = run(*flags); });
    verb->footer(kXdrExamples);
    return verb;
}

void add_json_options(Command& verb, XdrFlags& flags) {
    verb.add_flag("--base64", flags.base64, "print opaque data as base64 in JSON");
    verb.add_flag("--compact", flags.compact, "print JSON on one line");
}

}  // namespace

void add_xdr(Command& app, int& exit_code) {
    Command* const xdr =
        app.add_subcommand("xdr", "Decode, encode and describe any type of a .x file");
    xdr->require_subcommand();
    xdr->footer(kXdrExamples);
    const auto flags = std::make_shared<XdrFlags>();

    Command* verb =
        add_verb(*xdr, exit_code, flags, "decode", "Decode bytes and name every word", decode);
    verb->add_option("--type", flags->type, "type of the value")->required();
    verb->add_option("IN", flags->input, "input file. Default, or -: standard input");
    verb->add_flag("--hex", flags->hex, "the input is hexadecimal digits");
    verb->add_flag("--json", flags->json, "print JSON instead of a table");
    auto* const lenient =
        verb->add_flag("--lenient", flags->lenient, "accept nonzero padding and trailing bytes");
    verb->add_flag("--strict", flags->strict,
                   "reject nonzero padding and trailing bytes (the default)")
        ->excludes(lenient);
    add_json_options(*verb, *flags);

    verb = add_verb(*xdr, exit_code, flags, "encode", "Encode JSON as bytes", encode);
    verb->add_option("--type", flags->type, "type of the value")->required();
    verb->add_option("IN", flags->input, "JSON file. Default, or -: standard input");
    verb->add_flag("--hex", flags->hex, "write hexadecimal digits");

    verb = add_verb(*xdr, exit_code, flags, "template", "Print a JSON template of a type",
                    make_template);
    verb->add_option("--type", flags->type, "type to print")->required();
    add_json_options(*verb, *flags);

    verb = add_verb(*xdr, exit_code, flags, "describe", "Describe a type, procedure or program",
                    describe);
    verb->add_option("--type", flags->type, "type or procedure to describe. Default: list all");
}

}  // namespace helio::cli
