#include "helio/reflect/lookup.h"

#include <vector>

#include <fmt/format.h>

#include "helio/base/text/escape.h"
#include "helio/base/text/nearest.h"

namespace helio::reflect {
namespace {

struct Candidate {
    const idl::Program* program;
    const idl::Version* version;
    const idl::Procedure* procedure;
};

std::vector<Candidate> candidates(const idl::Schema& schema, std::string_view scope,
                                  std::string_view name) {
    std::vector<Candidate> found;
    for (const auto& program : schema.programs) {
        for (const auto& version : program.versions) {
            const bool within = scope.empty() || scope == schema.name || scope == program.name ||
                                scope == version.name || scope == program.name + '.' + version.name;
            for (const auto& procedure : version.procedures) {
                const bool matches = name == procedure.name || name == procedure.short_name;
                if (within && matches) found.push_back({&program, &version, &procedure});
            }
        }
    }
    return found;
}

std::string suggestion(const Nearest& nearest) {
    if (nearest.found().empty()) return {};
    return fmt::format("; did you mean '{}'?", escaped(nearest.found()));
}

bool drop_suffix(std::string_view& text, std::string_view suffix) {
    if (!text.ends_with(suffix)) return false;
    text.remove_suffix(suffix.size());
    return true;
}

}  // namespace

Result<const idl::Procedure*, std::string> find_procedure(const idl::Schema& schema,
                                                          std::string_view name) {
    const std::size_t dot = name.rfind('.');
    const auto scope = dot == std::string_view::npos ? std::string_view{} : name.substr(0, dot);
    const auto own = dot == std::string_view::npos ? name : name.substr(dot + 1);
    const auto found = candidates(schema, scope, own);
    if (found.size() == 1) return found.front().procedure;
    if (found.empty()) {
        Nearest nearest{own};
        for (const auto& program : schema.programs) {
            for (const auto& version : program.versions) {
                for (const auto& procedure : version.procedures) {
                    nearest.offer(procedure.name);
                    nearest.offer(procedure.short_name);
                }
            }
        }
        return fail(fmt::format("{} has no procedure '{}'{}", escaped(schema.name), escaped(name),
                                suggestion(nearest)));
    }
    std::string all;
    for (const auto& each : found) {
        all += fmt::format("{}{}.{}.{}", all.empty() ? "" : ", ", each.program->name,
                           each.version->name, each.procedure->name);
    }
    return fail(fmt::format("'{}' is several procedures: {}", escaped(name), escaped(all)));
}

Result<FoundType, std::string> find_type(const idl::Schema& schema, std::string_view name) {
    if (const idl::Type* const type = schema.type(name)) return FoundType{type, nullptr};
    std::string_view procedure_name = name;
    const bool args = drop_suffix(procedure_name, ".args");
    const bool result = !args && drop_suffix(procedure_name, ".result");
    if (args || result) {
        const auto procedure = find_procedure(schema, procedure_name);
        if (!procedure) return fail(procedure.error());
        if (result) return FoundType{(*procedure)->result, nullptr};
        FoundType found{nullptr, std::make_unique<const Arguments>(**procedure)};
        found.type = &found.arguments->type();
        return found;
    }
    if (find_procedure(schema, name)) {
        return fail(fmt::format("'{0}' is a procedure; say {0}.args or {0}.result", escaped(name)));
    }
    Nearest nearest{name};
    for (const idl::Type* const type : schema.types) nearest.offer(type->name);
    return fail(fmt::format("{} has no type '{}'{}", escaped(schema.name), escaped(name),
                            suggestion(nearest)));
}

}  // namespace helio::reflect
