// NAME_service.h and NAME_service.cc: for every version of every program a struct with its numbers,
// the Service a server derives from, the Client stub, and the table of procedures.
#include <fmt/format.h>

#include "helio/gen/parts_internal.h"

namespace helio::gen {

namespace {

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
    void serve_function(const idl::Version& version, const idl::Procedure& procedure);
    void client_function(const std::string& scope, const idl::Procedure& procedure,
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
            out_.line("    {} = {}u,", cpp_name(procedure.short_name), procedure.number);
        out_.put("};");
        out_.blank();
        out_.put("static const xdr::VersionInfo& info();");
        out_.blank();
        out_.put(
            "// A server derives from this and overrides what it offers; the rest is unavailable. "
            "Arguments are");
        out_.put("// views that live as long as the call, results may point into call.arena().");
        out_.put("class Service : public xdr::ServiceBase {");
        out_.put("   public:");
        {
            const Indented members{out_};
            for (const auto& procedure : version.procedures) {
                out_.comment(procedure.doc);
                out_.line("virtual {} {}({});", result_type(procedure),
                          cpp_name(procedure.short_name),
                          parameters(procedure, "xdr::CallContext& call"));
            }
            out_.blank();
            out_.line("const xdr::VersionInfo& info() const final {{ return {}::info(); }}", name);
            out_.put(
                "xdr::Outcome serve(std::uint32_t procedure, xdr::CallContext& call, xdr::Reader& "
                "in,");
            out_.put("                   xdr::Writer& out) final;");
        }
        out_.put("};");
        out_.blank();
        out_.put("// Results are views into the channel's last reply: valid until its next call.");
        out_.put("class Client final {");
        out_.put("   public:");
        {
            const Indented members{out_};
            out_.put("explicit Client(xdr::Channel& channel) : channel_(channel) {}");
            out_.blank();
            for (const auto& procedure : version.procedures)
                out_.line("::helio::Result<{}, xdr::CallError> {}({});", result_type(procedure),
                          cpp_name(procedure.short_name), parameters(procedure, ""));
        }
        out_.blank();
        out_.put("   private:");
        out_.put("    xdr::Channel& channel_;");
        out_.put("};");
    }
    out_.put("};");
    out_.blank();
}

void ServiceWriter::serve_function(const idl::Version& version, const idl::Procedure& procedure) {
    const auto name = cpp_name(procedure.short_name);
    out_.line(
        "xdr::Outcome serve_{}_{}(void* service, xdr::CallContext& call, [[maybe_unused]] "
        "xdr::Reader& in,",
        version.name, procedure.short_name);
    out_.put("                     [[maybe_unused]] xdr::Writer& out) {");
    {
        const Indented inside{out_};
        std::string arguments = "call";
        std::string decoded;
        for (std::size_t i = 0; i < procedure.arguments.size(); ++i) {
            const auto value = fmt::format("argument{}", i + 1);
            out_.line("{} {}{{}};", model_.cpp_type(*procedure.arguments[i]), value);
            decoded += decode_expression(*procedure.arguments[i], value) + " && ";
            arguments += ", " + value;
        }
        out_.line("if (!({}in.finish())) return xdr::Outcome::garbage_arguments;", decoded);
        const auto call = fmt::format("static_cast<{}::Service*>(service)->{}({})",
                                      cpp_name(version.name), name, arguments);
        if (!has_result(procedure)) {
            out_.line("{};", call);
            out_.put("return call.outcome();");
        } else {
            out_.line("const auto result = {};", call);
            out_.put("if (call.outcome() != xdr::Outcome::success) return call.outcome();");
            out_.line("return {} ? xdr::Outcome::success : xdr::Outcome::system_error;",
                      encode_expression(*procedure.result, "result"));
        }
    }
    out_.put("}");
    out_.blank();
}

void ServiceWriter::client_function(const std::string& scope, const idl::Procedure& procedure,
                                    std::size_t index) {
    out_.line("::helio::Result<{}, xdr::CallError> {}::Client::{}({}) {{", result_type(procedure),
              scope, cpp_name(procedure.short_name), parameters(procedure, ""));
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
            "::helio::fail(xdr::CallError{{xdr::Outcome::system_error, in.error()}});",
            decoded);
        out_.put(has_result(procedure) ? "return result;" : "return {};");
    }
    out_.put("}");
    out_.blank();
}

void ServiceWriter::notes(const idl::Procedure& procedure) {
    std::string text;
    for (const auto& one : procedure.annotations) {
        std::string argument;
        for (const char c :
             one.argument)  // it is somebody's comment: only what is safe in a literal
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
        out_.line("    {{{}u, \"{}\", \"{}\", {}, {}, serve_{}_{}}},", procedure.number,
                  procedure.name, procedure.short_name, procedure.has("idempotent"),
                  procedure.annotations.empty() ? "{}" : "kNotes_" + procedure.short_name,
                  version.name, procedure.short_name);
    out_.put("};");
    out_.line(
        "constexpr xdr::VersionInfo kInfo{{{}u, {}u, \"{}\", \"{}\", std::span{{kProcedures, "
        "{}}}}};",
        program.number, version.number, program.name, version.name, version.procedures.size());
    out_.line("}}  // namespace table_of_{}", version.name);
    out_.blank();
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
    out_.line(
        "xdr::Outcome {}::Service::serve(std::uint32_t procedure, xdr::CallContext& call, "
        "xdr::Reader& in,",
        scope);
    out_.put("                     xdr::Writer& out) {");
    out_.line("    const auto* const entry = {}::info().procedure(procedure);", scope);
    out_.put(
        "    return entry == nullptr ? xdr::Outcome::procedure_unavailable : entry->serve(this, "
        "call, in, out);");
    out_.put("}");
    out_.blank();
    for (const auto& procedure : version.procedures) {
        out_.line(
            "{} {}::Service::{}({}) {{ return call.unavailable<{}>(); }}", result_type(procedure),
            scope, cpp_name(procedure.short_name),
            [&] {
                std::string text = "xdr::CallContext& call";
                for (const auto* argument : procedure.arguments)
                    text += ", " + const_of(model_.cpp_type(*argument)) + "&";
                return text;
            }(),
            result_type(procedure));
    }
    out_.blank();
    for (std::size_t i = 0; i < version.procedures.size(); ++i)
        client_function(scope, version.procedures[i], i);
}

}  // namespace

std::string write_service_header(const Model& model) {
    Text out;
    out.comment(banner(model));
    out.put("#pragma once");
    out.blank();
    out.put("#include \"helio/xdr/program.h\"");
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
