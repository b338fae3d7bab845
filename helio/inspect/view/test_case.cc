#include "helio/inspect/view/test_case.h"

#include <algorithm>

#include <fmt/format.h>

#include "helio/base/text/escape.h"
#include "helio/inspect/view/outcome_internal.h"
#include "helio/reflect/decode.h"
#include "helio/reflect/json/json.h"

namespace helio::inspect {
namespace {

constexpr reflect::JsonOptions kOneLine{.base64 = false, .indent = 0};
constexpr std::uint32_t kFlavorNone = 0;
constexpr std::uint32_t kFlavorSys = 1;

std::string hex_of_bytes(ByteView bytes) {
    std::string out;
    for (const std::byte b : bytes)
        fmt::format_to(std::back_inserter(out), "{:02x}", std::to_integer<unsigned>(b));
    return out;
}

// One of the two messages: its header and body, with their types.
struct Side {
    const char* name;   // "call", "reply"
    const char* value;  // "arguments", "results"
    const char* type;   // "args", "result"
    const Message& message;
    ByteView header;
    ByteView bytes;
    const idl::Type& declared;
};

class Maker {
 public:
    Maker(const Exchange& exchange, const Catalogue& catalogue,
          const std::vector<std::string>& schemas)
        : exchange_(exchange),
          procedure_(*exchange.procedure),
          catalogue_(catalogue),
          schemas_(schemas) {}

    TestCase run() { return {.command = command(), .decode = decode_commands(), .test = test()}; }

 private:
    std::vector<Side> sides() const {
        const auto side = [](const char* name, const char* value, const char* type,
                             const Message& message, ByteView bytes, const idl::Type& declared) {
            return Side{name,
                        value,
                        type,
                        message,
                        message.bytes.first(message.bytes.size() - bytes.size()),
                        bytes,
                        declared};
        };
        std::vector<Side> out;
        out.push_back(side("call", "arguments", "args", *exchange_.call, exchange_.arguments,
                           *procedure_.arguments));
        if (exchange_.reply != nullptr && !exchange_.reply->cut() &&
            exchange_.reply_head.verdict == Verdict::success && captured(*exchange_.reply))
            out.push_back(side("reply", "results", "result", *exchange_.reply, exchange_.results,
                               *procedure_.result));
        return out;
    }
    static bool captured(const Message& message) {
        return std::all_of(message.taken_out.begin(), message.taken_out.end(),
                           [](const TakenOut& one) { return one.captured; });
    }

    // The schema for the command line: a file of the user, or a built-in name.
    std::string schema_word() const {
        const std::string& file = procedure_.schema->sources.files.front().name;
        const bool of_user = std::find(schemas_.begin(), schemas_.end(), file) != schemas_.end();
        return of_user ? file : procedure_.schema_name;
    }
    bool schema_is_file() const { return schema_word() != procedure_.schema_name; }
    std::string type_word(const Side& side) const {
        return fmt::format("{}.{}.{}", procedure_.version->name, procedure_.procedure->short_name,
                           side.type);
    }

    std::string command() const {
        const reflect::Tree tree = reflect::decode(exchange_.arguments, *procedure_.arguments);
        if (!tree.ok())
            return fmt::format(
                "# JSON cannot express these arguments, because they violate their schema: {}\n",
                escaped(fault_of(tree)));
        std::string out = exchange_.shape == Shape::virnet ? libvirt_call() : onc_call();
        const std::string json = reflect::to_json(tree, kOneLine);
        if (procedure_.arguments->kind == idl::Kind::void_) return out + '\n';
        if (json.size() <= kCommandJsonSizeMax) return out + ' ' + shell_word(json) + '\n';
        return fmt::format("{} - <<'END'\n{}\nEND\n", out, json);
    }

    std::string onc_call() const {
        std::string out = "helio call";
        for (const std::string& file : schemas_) out += " --schema " + shell_word(file);
        if (exchange_.call->carrier == Carrier::udp) out += " --udp";
        out += credential();
        return out + ' ' + server() + ' ' + shell_word(procedure_.name);
    }
    // Without packets the daemon is unknown; the command then calls the default one.
    std::string libvirt_call() const {
        std::string out = "helio virt";
        if (exchange_.any().flow != nullptr)
            out += " -c " + shell_word("remote+tcp://" + to_string(exchange_.server()) + '/');
        return out + " call " + shell_word(procedure_.name);
    }

    std::string server() const {
        if (exchange_.any().flow == nullptr) return "localhost";
        return shell_word(to_string(exchange_.server()));
    }

    // Credentials that --auth cannot express are omitted: the caller is then the user who runs the
    // command.
    std::string credential() const {
        const Head& head = exchange_.call_head;
        if (head.flavor == kFlavorNone) return " --auth none";
        const idl::Type* const type = catalogue_.type("authsys", "authsys_parms");
        if (head.flavor != kFlavorSys || type == nullptr) return "";
        const reflect::Tree tree = reflect::decode(
            exchange_.call->bytes.subspan(head.credential_at, head.credential_size), *type);
        if (!tree.ok()) return "";
        std::vector<std::uint64_t> gids;
        std::uint64_t uid = 0;
        for (reflect::NodeIndex i = 0; i < tree.nodes.size(); ++i) {
            const reflect::Node& node = tree.nodes[i];
            if (node.role != reflect::Role::value) continue;
            if (node.element != reflect::kNoElement) gids.push_back(as_u64(tree, i));
            if (node.field == nullptr) continue;
            if (node.field->name == "uid") uid = as_u64(tree, i);
            if (node.field->name == "gid") gids.insert(gids.begin(), as_u64(tree, i));
        }
        if (gids.empty()) return "";
        return fmt::format(" --auth sys:{}:{}", uid, fmt::join(gids, ","));
    }

    std::string decode_commands() const {
        std::string out;
        for (const Side& side : sides()) {
            out += fmt::format("helio xdr decode --schema {} --type {} --hex <<'END'\n",
                               shell_word(schema_word()), shell_word(type_word(side)));
            for (std::size_t at = 0; at < side.bytes.size(); at += 32) {
                for (std::size_t word = at; word < std::min(at + 32, side.bytes.size()); word += 4)
                    out += (word == at ? "" : " ") +
                           hex_of_bytes(side.bytes.subspan(
                               word, std::min<std::size_t>(4, side.bytes.size() - word)));
                out += '\n';
            }
            out += "END\n";
        }
        return out;
    }

    std::string test() const {
        std::string out = fmt::format(
            "// {}, xid 0x{:08x}{}{}.\n"
            "#include <gtest/gtest.h>\n\n"
            "#include \"helio/reflect/decode.h\"\n"
            "#include \"helio/reflect/json/json.h\"\n"
            "#include \"helio/reflect/lookup.h\"\n"
            "#include \"testing/xdr/bytes.h\"\n"
            "#include \"{}\"\n\n"
            "TEST(Golden, {}_{:08x}) {{\n"
            "    const auto schema = {};\n"
            "    ASSERT_NE(schema, nullptr);\n",
            escaped(procedure_.name), exchange_.xid, ends(), packets(),
            schema_is_file() ? "helio/idl/parse.h" : "schema/builtin.h", identifier(),
            exchange_.xid,
            schema_is_file()
                ? fmt::format("helio::idl::parse_file({}).schema", cpp_string(schema_word()))
                : fmt::format("helio::builtin::parse({}).schema", cpp_string(schema_word())));
        for (const Side& side : sides()) append_side(out, side);
        return out + "}\n";
    }

    std::string ends() const {
        if (exchange_.any().flow == nullptr) return "";
        return fmt::format(", from {} to {}", to_string(exchange_.client()),
                           to_string(exchange_.server()));
    }
    std::string packets() const {
        if (exchange_.call->packet == 0) return "";
        std::string out = fmt::format(", packet {}", exchange_.call->packet);
        if (exchange_.reply != nullptr && exchange_.reply->packet != 0)
            out += fmt::format(" and {}", exchange_.reply->packet);
        return out;
    }
    std::string identifier() const {
        std::string out = procedure_.name;
        for (char& c : out)
            if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
        return out;
    }
    static std::string cpp_string(std::string_view text) { return '"' + escaped(text) + '"'; }

    // A raw string with a delimiter that does not occur in the text.
    static std::string raw_string(const std::string& text) {
        std::string mark;
        while (text.find(')' + mark + '"') != text.npos) mark += 'x';
        return "R\"" + mark + '(' + text + ')' + mark + '"';
    }

    void append_side(std::string& out, const Side& side) const {
        out += fmt::format("\n    const auto {} = helio::xdr::hex(\n", side.name);
        if (const idl::Type* const header = header_type()) {
            append_words(out, reflect::decode(side.header, *header, {.strict = false}), "");
        } else {
            append_rest(out, side.header, "header");
        }
        const reflect::Tree tree = reflect::decode(side.bytes, side.declared);
        append_words(out, tree, side.type);
        if (out.ends_with("(\n")) out += "        \"\"\n";
        out.erase(out.size() - 1);  // the line's end: ')' goes before a comment
        const std::size_t line = out.rfind('\n');
        const std::size_t comment = out.find("  // ", line);
        out.insert(comment == out.npos ? out.size() : comment, ");");
        out += fmt::format(
            "\n    const auto {0}_type = helio::reflect::find_type(*schema, {1});\n"
            "    ASSERT_TRUE({0}_type) << {0}_type.error();\n"
            "    const helio::ByteView {0}{{helio::ByteView{{{2}}}.subspan({3})}};\n"
            "    const auto {0}_tree = helio::reflect::decode({0}, *{0}_type->type);\n",
            side.value, cpp_string(type_word(side)), side.name, side.header.size());
        if (!tree.ok()) {
            out += fmt::format("    EXPECT_EQ(to_string({}_tree.error), {});\n", side.value,
                               cpp_string(to_string(tree.error)));
            return;
        }
        out += fmt::format(
            "    ASSERT_TRUE({0}_tree.ok()) << to_string({0}_tree.error);\n"
            "    const std::string {0}_json =\n        {1};\n"
            "    EXPECT_EQ(helio::reflect::to_json({0}_tree, {{.indent = 0}}), {0}_json);\n"
            "    EXPECT_EQ(helio::as_text(helio::reflect::encode(*{0}_type->type, "
            "{0}_json).value()),\n"
            "              helio::as_text({0}));\n",
            side.value, raw_string(reflect::to_json(tree, kOneLine)));
    }

    const idl::Type* header_type() const {
        return exchange_.shape == Shape::onc ? catalogue_.type("rpc", "rpc_msg")
                                             : catalogue_.type("virnet", "virNetMessageHeader");
    }

    // A line for each field's words, with its name and value.
    static void append_words(std::string& out, const reflect::Tree& tree, std::string_view root) {
        for (reflect::NodeIndex i = 0; i < tree.nodes.size(); ++i) {
            const reflect::Node& node = tree.nodes[i];
            if (!is_leaf(node.role) || node.size == 0) continue;
            const ByteView bytes = tree.bytes.subspan(node.offset, node.size);
            append_bytes(out, bytes,
                         node.role == reflect::Role::padding
                             ? "padding"
                             : fmt::format("{}: {}", reflect::path(tree, i, root), text(tree, i)));
        }
        if (tree.consumed < tree.bytes.size())
            append_rest(out, tree.bytes.subspan(tree.consumed), "not read");
    }
    static void append_rest(std::string& out, ByteView bytes, const char* what) {
        append_bytes(out, bytes, what);
    }
    static void append_bytes(std::string& out, ByteView bytes, const std::string& comment) {
        constexpr std::size_t kLine = 32;
        for (std::size_t at = 0; at < bytes.size(); at += kLine) {
            out += fmt::format("        \"{}\"",
                               hex_of_bytes(bytes.subspan(at, std::min(kLine, bytes.size() - at))));
            if (at == 0) out += "  // " + comment;
            out += '\n';
        }
    }

    const Exchange& exchange_;
    const Procedure& procedure_;
    const Catalogue& catalogue_;
    const std::vector<std::string>& schemas_;
};

}  // namespace

std::string shell_word(std::string_view text) {
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view{"_./:-,@%+="}.find(c) != std::string_view::npos;
    };
    if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return std::string{text};
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string{"'\\''"} : std::string(1, c);
    return out + '\'';
}

std::string to_text(const TestCase& test_case) {
    return "# The same call again:\n" + test_case.command + "\n# What every word means:\n" +
           test_case.decode + "\n# As a test:\n" + test_case.test;
}

Result<TestCase, std::string> make_test_case(const Exchange& exchange, const Catalogue& catalogue,
                                             const std::vector<std::string>& schemas) {
    if (exchange.call == nullptr)
        return fail(std::string{"its call is not in the capture, only a reply"});
    if (exchange.procedure == nullptr)
        return fail(fmt::format("no schema has {}; add one with --schema FILE.x",
                                escaped(catalogue.name_of(exchange.shape, exchange.program,
                                                          exchange.version, exchange.number))));
    if (exchange.call->cut())
        return fail(fmt::format("only {} of the call's {} bytes are in the capture",
                                exchange.call->bytes.size(), exchange.call->size));
    if (exchange.arguments_dropped)
        return fail(std::string{"the call was too large to be kept until its reply arrived"});
    if (!exchange.call_head.complete && exchange.shape == Shape::onc)
        return fail(std::string{"the call ends within its header"});
    for (const TakenOut& one : exchange.call->taken_out)
        if (!one.captured)
            return fail(
                std::string{"RDMA transferred a part of the call that is not in the capture"});
    return Maker{exchange, catalogue, schemas}.run();
}

}  // namespace helio::inspect
