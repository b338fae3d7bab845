// NAME_service.h and NAME_service.cc: for every version of every program a struct with its numbers,
// the Service that a server derives from, the Table that can be used instead, the stubs Client and
// AsyncClient, and a description of each procedure.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "helio/gen/parts_internal.h"

namespace helio::gen {

namespace {

using idl::Kind;
using idl::Type;
using namespace std::string_view_literals;

// Whether it contains a field marked @bulk. Recursive types are not searched: their size is
// unlimited anyway.
bool has_bulk(const Type& any) {
    const Type& type = idl::resolve(any);
    const auto is_bulk = [](const idl::Field& field) {
        return field.has("bulk") || (field.type != nullptr && has_bulk(*field.type));
    };
    if (type.recursive) return false;
    return std::any_of(type.fields.begin(), type.fields.end(), is_bulk) ||
           std::any_of(type.arms.begin(), type.arms.end(),
                       [&](const idl::Arm& arm) { return is_bulk(arm.field); });
}

// Size on the wire without bulk data, but with its length word.
std::uint64_t size_without_bulk(const Type& any) {
    const Type& type = idl::resolve(any);
    if (!has_bulk(type)) return type.wire_max;
    const auto of_field = [](const idl::Field& field) {
        return field.has("bulk") ? 4 : size_without_bulk(*field.type);
    };
    std::uint64_t size = 0;
    for (const idl::Arm& arm : type.arms) size = std::max(size, of_field(arm.field));
    if (type.kind == Kind::union_) size += size == idl::kSizeUnlimited ? 0 : 4;
    for (const idl::Field& field : type.fields) {
        const std::uint64_t more = of_field(field);
        size = more > idl::kSizeUnlimited - size ? idl::kSizeUnlimited : size + more;
    }
    return size;
}

std::string results_max(const Type& type) {
    const std::uint64_t size = size_without_bulk(type);
    return size >= idl::kUnbounded ? "xdr::kUnbounded" : fmt::format("{}u", size);
}

// A procedure's name as a member of its version's classes. Names that the classes use themselves
// get an underscore.
std::string member_name(const idl::Procedure& procedure) {
    static constexpr std::array kTaken{
        "program"sv,      "version"sv, "Procedure"sv,   "info"sv,    "Service"sv, "Table"sv,
        "TableService"sv, "Client"sv,  "AsyncClient"sv, "Context"sv, "Call"sv,
    };
    std::string name = cpp_name(procedure.short_name);
    if (std::ranges::find(kTaken, name) != kTaken.end()) name += '_';
    return name;
}

// READ_async, or READ_async_ if the schema already has a procedure of that name.
std::string async_name(const idl::Version& version, const idl::Procedure& procedure) {
    std::string name = procedure.short_name + "_async";
    while (std::ranges::any_of(version.procedures, [&](const idl::Procedure& other) {
        return member_name(other) == name;
    }))
        name += '_';
    return name;
}

class ServiceWriter final {
 public:
    ServiceWriter(const Model& model, Text& out) : model_(model), out_(out) {}

    void declare(const idl::Program& program, const idl::Version& version);
    void define(const idl::Program& program, const idl::Version& version);

 private:
    bool has_result(const idl::Procedure& procedure) const {
        return idl::resolve(*procedure.result).kind != Kind::void_;
    }
    std::string result_type(const idl::Procedure& procedure) const {
        return has_result(procedure) ? model_.cpp_type(*procedure.result) : "void";
    }
    std::string parameters(const idl::Procedure& procedure, const std::string& first) const;
    std::string encode_expression(const Type& type, const std::string& value) const;
    std::string decode_expression(const Type& type, const std::string& value) const;
    std::string encode_function(const Type& type) const;
    std::string decode_function(const Type& type) const;
    void service_class(const idl::Version& version);
    std::string signature(const idl::Procedure& procedure) const;
    void table_struct(const idl::Version& version);
    void table_service_class(const idl::Version& version);
    void client_classes(const idl::Version& version);
    void default_faces(const idl::Version& version);
    void serve_function(const idl::Version& version, const idl::Procedure& procedure);
    void client_function(const std::string& scope, const idl::Procedure& procedure,
                         std::size_t index);
    void async_client_function(const std::string& scope, const idl::Procedure& procedure,
                               std::size_t index);
    void notes(const idl::Procedure& procedure);
    void table(const idl::Program& program, const idl::Version& version);

    const Model& model_;
    Text& out_;
};

std::string ServiceWriter::parameters(const idl::Procedure& procedure,
                                      const std::string& first) const {
    std::string text = first;
    for (std::size_t i = 0; i < procedure.arguments.size(); ++i) {
        if (!text.empty()) text += ", ";
        text +=
            fmt::format("const {}& argument{}", model_.cpp_type(*procedure.arguments[i]), i + 1);
    }
    return text;
}

std::string ServiceWriter::decode_expression(const Type& type, const std::string& value) const {
    if (!type.name.empty())
        return fmt::format("{}(in, {})", model_.qualified(type, "decode_"), value);
    return fmt::format("xdr::decode_plain(in, {})", value);  // `string PROC(int)`
}

std::string ServiceWriter::encode_expression(const Type& type, const std::string& value) const {
    if (!type.name.empty())
        return fmt::format("{}(out, {})", model_.qualified(type, "encode_"), value);
    return fmt::format("xdr::encode_plain(out, {})", value);
}

// The same as functions, for encoding and decoding later.
std::string ServiceWriter::encode_function(const Type& type) const {
    if (!type.name.empty()) return model_.qualified(type, "encode_");
    return fmt::format("xdr::kEncodePlain<{}>", model_.cpp_type(type));
}

std::string ServiceWriter::decode_function(const Type& type) const {
    if (!type.name.empty()) return model_.qualified(type, "decode_");
    return "xdr::decode_plain";
}

void ServiceWriter::declare(const idl::Program& program, const idl::Version& version) {
    const auto name = cpp_name(version.name);
    out_.comment(version.doc);
    out_.line("struct {} {{", name);
    {
        const Indented inside{out_};
        out_.line("static constexpr std::uint32_t program = {}u;", program.number);
        out_.line("static constexpr std::uint32_t version = {}u;", version.number);
        out_.blank();
        out_.put("enum Procedure : std::uint32_t {");
        for (const auto& procedure : version.procedures)
            out_.line("    {} = {}u,", member_name(procedure), procedure.number);
        out_.put("};");
        out_.blank();
        out_.put("static const xdr::VersionInfo& info();");
        out_.blank();
        service_class(version);
        out_.blank();
        table_struct(version);
        out_.blank();
        table_service_class(version);
        out_.blank();
        client_classes(version);
    }
    out_.put("};");
    out_.blank();
}

void ServiceWriter::service_class(const idl::Version& version) {
    out_.put(
        "// A server derives from this and overrides, for each procedure it offers, one of two");
    out_.put(
        "// functions or both; the rest is unavailable. X answers at once: it is fast and cannot");
    out_.put(
        "// wait. X_async is a coroutine. With both, X tries without waiting, and hands over by");
    out_.put(
        "// `return call.wait<Result>();`. Arguments are views that live as long as the call,");
    out_.put("// results may point into call.arena().");
    out_.put("class Service : public xdr::ServiceBase {");
    out_.put("   public:");
    {
        const Indented members{out_};
        for (const auto& procedure : version.procedures) {
            const auto taken = parameters(procedure, "xdr::CallContext& call");
            out_.comment(procedure.doc);
            out_.line("virtual {} {}({});", result_type(procedure), member_name(procedure), taken);
            out_.line("virtual ::helio::Task<{}> {}({});", result_type(procedure),
                      async_name(version, procedure), taken);
        }
        out_.blank();
        out_.line("const xdr::VersionInfo& info() const final {{ return {}::info(); }}",
                  cpp_name(version.name));
        out_.put("void* service() final { return this; }");
    }
    out_.put("};");
}

// READ3res(READ3args)
std::string ServiceWriter::signature(const idl::Procedure& procedure) const {
    std::string arguments;
    for (const Type* const argument : procedure.arguments)
        arguments += (arguments.empty() ? "" : ", ") + model_.cpp_type(*argument);
    return fmt::format("{}({})", result_type(procedure), arguments);
}

void ServiceWriter::table_struct(const idl::Version& version) {
    out_.put(
        "// The same server as a table: a function or a coroutine for each procedure it offers.");
    out_.put("// See helio/xdr/handler.h.");
    out_.put("template <class Context, class Call = xdr::CallContext>");
    out_.put("struct Table {");
    {
        const Indented rows{out_};
        for (const auto& procedure : version.procedures)
            out_.line("xdr::Handler<Context, Call, {}> {}{{}};", signature(procedure),
                      member_name(procedure));
    }
    out_.put("};");
}

// A template, so that it costs nothing if it is not used.
void ServiceWriter::table_service_class(const idl::Version& version) {
    out_.put("// The context outlives the service.");
    out_.put("template <class Context, class Call = xdr::CallContext>");
    out_.put("class TableService final : public Service {");
    out_.put("   public:");
    {
        const Indented members{out_};
        out_.put("TableService(Context& context, const Table<Context, Call>& table)");
        out_.put("    : context_(context), table_(table) {}");
        out_.blank();
        for (const auto& procedure : version.procedures) {
            std::string passed = "context_, call";
            for (std::size_t i = 1; i <= procedure.arguments.size(); ++i)
                passed += fmt::format(", argument{}", i);
            out_.line("{0} {1}({2}) override {{ return table_.{1}({3}); }}", result_type(procedure),
                      member_name(procedure), parameters(procedure, "xdr::CallContext& call"),
                      passed);
        }
    }
    out_.blank();
    out_.put("   private:");
    out_.put("    Context& context_;");
    out_.put("    const Table<Context, Call> table_;");
    out_.put("};");
}

void ServiceWriter::client_classes(const idl::Version& version) {
    const auto stub = [&](const char* name, const char* channel, const char* result) {
        out_.line("class {} final {{", name);
        out_.put("   public:");
        {
            const Indented members{out_};
            out_.line("explicit {}(xdr::{}& channel) : channel_(channel) {{}}", name, channel);
            out_.blank();
            for (const auto& procedure : version.procedures)
                out_.line("{} {}({});", fmt::format(fmt::runtime(result), result_type(procedure)),
                          member_name(procedure), parameters(procedure, ""));
        }
        out_.blank();
        out_.put("   private:");
        out_.line("    xdr::{}& channel_;", channel);
        out_.put("};");
    };
    out_.put("// Results are views into the channel's last reply: valid until its next call.");
    stub("Client", "Channel", "::helio::Result<{}, xdr::CallError>");
    out_.blank();
    out_.put(
        "// A call is sent when it is made; `co_await` gives its result, with the memory it is a");
    out_.put("// view of. Several may be under way.");
    stub("AsyncClient", "AsyncChannel", "xdr::Call<{}>");
}

void ServiceWriter::serve_function(const idl::Version& version, const idl::Procedure& procedure) {
    const auto name = member_name(procedure);
    out_.line(
        "xdr::Outcome serve_{}_{}(void* service, xdr::CallContext& call, [[maybe_unused]] "
        "xdr::Reader& in,",
        version.name, procedure.short_name);
    out_.put("                     [[maybe_unused]] xdr::Writer& out) {");
    {
        const Indented inside{out_};
        std::string arguments = "call";
        std::string kept = "call";
        std::string decoded;
        for (std::size_t i = 0; i < procedure.arguments.size(); ++i) {
            const auto value = fmt::format("argument{}", i + 1);
            out_.line("{} {}{{}};", model_.cpp_type(*procedure.arguments[i]), value);
            decoded += decode_expression(*procedure.arguments[i], value) + " && ";
            arguments += ", " + value;
            kept += fmt::format(", call.keep({})", value);
        }
        out_.line("if (!({}in.finish())) return xdr::Outcome::garbage_arguments;", decoded);
        const auto scope = cpp_name(version.name);
        out_.line("auto& self = *static_cast<{}::Service*>(service);", scope);
        out_.line("{}self.{}({});", has_result(procedure) ? "const auto result = " : "", name,
                  arguments);
        out_.put("if (call.outcome() != xdr::Outcome::success) [[unlikely]]");
        out_.line("    return !call.waits() ? call.outcome() : xdr::continue_later<{}>(",
                  has_result(procedure) ? encode_function(*procedure.result) : "nullptr");
        out_.line("        self, &{}::Service::{}, {});", scope, async_name(version, procedure),
                  kept);
        if (has_result(procedure))
            out_.line("return {} ? xdr::Outcome::success : xdr::Outcome::system_error;",
                      encode_expression(*procedure.result, "result"));
        else
            out_.put("return xdr::Outcome::success;");
    }
    out_.put("}");
    out_.blank();
}

void ServiceWriter::client_function(const std::string& scope, const idl::Procedure& procedure,
                                    std::size_t index) {
    out_.line("::helio::Result<{}, xdr::CallError> {}::Client::{}({}) {{", result_type(procedure),
              scope, member_name(procedure), parameters(procedure, ""));
    {
        const Indented inside{out_};
        out_.line(
            "[[maybe_unused]] xdr::Writer& out = channel_.begin({0}::info(), "
            "{0}::info().procedures[{1}]);",
            scope, index);
        for (std::size_t i = 0; i < procedure.arguments.size(); ++i)
            out_.line(
                "if (!{}) return ::helio::fail(xdr::CallError{{xdr::Outcome::garbage_arguments, "
                "out.error()}});",
                encode_expression(*procedure.arguments[i], fmt::format("argument{}", i + 1)));
        out_.put("xdr::Reader* const reply = channel_.exchange();");
        out_.put("if (reply == nullptr) return ::helio::fail(channel_.why());");
        out_.put("xdr::Reader& in = *reply;");
        if (has_result(procedure)) out_.line("{} result{{}};", result_type(procedure));
        const auto decoded = has_result(procedure)
                                 ? decode_expression(*procedure.result, "result") + " && "
                                 : std::string{};
        out_.line(
            "if (!({}in.finish())) return "
            "::helio::fail(xdr::CallError{{xdr::Outcome::garbage_reply, in.error()}});",
            decoded);
        out_.put(has_result(procedure) ? "return result;" : "return {};");
    }
    out_.put("}");
    out_.blank();
}

void ServiceWriter::async_client_function(const std::string& scope, const idl::Procedure& procedure,
                                          std::size_t index) {
    out_.line("xdr::Call<{}> {}::AsyncClient::{}({}) {{", result_type(procedure), scope,
              member_name(procedure), parameters(procedure, ""));
    {
        const Indented inside{out_};
        out_.line("auto call = channel_.begin({0}::info(), {0}::info().procedures[{1}]);", scope,
                  index);
        std::string encoded;
        for (std::size_t i = 0; i < procedure.arguments.size(); ++i)
            encoded += (i == 0 ? "" : " && ") +
                       encode_expression(*procedure.arguments[i], fmt::format("argument{}", i + 1));
        if (encoded.empty()) {
            out_.put("call->send();");
        } else {
            out_.put("xdr::Writer& out = call->arguments();");
            out_.line("xdr::send_or_fail(*call, {});", encoded);
        }
        if (has_result(procedure))
            out_.line("return {{std::move(call), {}}};", decode_function(*procedure.result));
        else
            out_.line("return xdr::Call<void>{{std::move(call)}};");
    }
    out_.put("}");
    out_.blank();
}

void ServiceWriter::notes(const idl::Procedure& procedure) {
    std::string text;
    for (const auto& one : procedure.annotations) {
        std::string argument;
        for (const char c : one.argument)  // from a comment: only text that is safe in a literal
            if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\') argument += c;
        text += fmt::format("{}{{\"{}\", \"{}\"}}", text.empty() ? "" : ", ", one.word, argument);
    }
    if (!text.empty())
        out_.line("constexpr xdr::ProcedureNote kNotes_{}[] = {{{}}};", procedure.short_name, text);
}

void ServiceWriter::table(const idl::Program& program, const idl::Version& version) {
    out_.line("namespace table_of_{} {{", version.name);
    for (const auto& procedure : version.procedures) notes(procedure);
    out_.line("constexpr xdr::ProcedureInfo kProcedures[{}] = {{",
              std::max<std::size_t>(version.procedures.size(), 1));
    for (const auto& procedure : version.procedures)
        out_.line("    {{{}u, \"{}\", \"{}\", {}, {}, serve_{}_{}, {}, {}}},", procedure.number,
                  procedure.name, procedure.short_name, procedure.has("idempotent"),
                  procedure.annotations.empty() ? "{}" : "kNotes_" + procedure.short_name,
                  version.name, procedure.short_name, has_bulk(*procedure.result),
                  results_max(*procedure.result));
    out_.put("};");
    out_.line(
        "constexpr xdr::VersionInfo kInfo{{{}u, {}u, \"{}\", \"{}\", std::span{{kProcedures, "
        "{}}}}};",
        program.number, version.number, program.name, version.name, version.procedures.size());
    out_.line("}}  // namespace table_of_{}", version.name);
    out_.blank();
}

// The default plain function defers to the async function, which by default returns no coroutine:
// then the procedure is unavailable.
void ServiceWriter::default_faces(const idl::Version& version) {
    const auto scope = cpp_name(version.name);
    for (const auto& procedure : version.procedures) {
        std::string unused;
        for (const auto* argument : procedure.arguments)
            unused += ", " + const_of(model_.cpp_type(*argument)) + "&";
        const auto result = result_type(procedure);
        out_.line("{0} {1}::Service::{2}(xdr::CallContext& call{3}) {{ return call.wait<{0}>(); }}",
                  result, scope, member_name(procedure), unused);
        out_.line("::helio::Task<{}> {}::Service::{}(xdr::CallContext&{}) {{ return {{}}; }}",
                  result, scope, async_name(version, procedure), unused);
    }
}

void ServiceWriter::define(const idl::Program& program, const idl::Version& version) {
    const auto scope = cpp_name(version.name);
    out_.put("namespace {");
    out_.blank();
    for (const auto& procedure : version.procedures) serve_function(version, procedure);
    table(program, version);
    out_.put("}  // namespace");
    out_.blank();
    out_.line("const xdr::VersionInfo& {}::info() {{ return table_of_{}::kInfo; }}", scope,
              version.name);
    out_.blank();
    default_faces(version);
    out_.blank();
    for (std::size_t i = 0; i < version.procedures.size(); ++i) {
        client_function(scope, version.procedures[i], i);
        async_client_function(scope, version.procedures[i], i);
    }
}

}  // namespace

std::string write_service_header(const Model& model) {
    Text out;
    out.comment(banner(model));
    out.put("#pragma once");
    out.blank();
    out.put("#include \"helio/xdr/handler.h\"");
    out.line("#include \"{}\"", model.include(model.stem() + ".h"));
    out.blank();
    open_namespace(model, out);
    for (const auto& program : model.schema().programs)
        if (program.where.file == 0)
            for (const auto& version : program.versions)
                ServiceWriter{model, out}.declare(program, version);
    close_namespace(model, out);
    return out.take();
}

std::string write_service(const Model& model) {
    Text out;
    out.comment(banner(model));
    out.line("#include \"{}\"", model.include(model.stem() + "_service.h"));
    out.blank();
    out.put("#include \"helio/xdr/plain.h\"");
    out.blank();
    open_namespace(model, out);
    for (const auto& program : model.schema().programs)
        if (program.where.file == 0)
            for (const auto& version : program.versions)
                ServiceWriter{model, out}.define(program, version);
    close_namespace(model, out);
    return out.take();
}

}  // namespace helio::gen
