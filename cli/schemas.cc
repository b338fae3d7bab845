#include "cli/schemas.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "cli/common.h"
#include "helio/base/text/escape.h"
#include "helio/base/text/nearest.h"
#include "helio/idl/parse.h"
#include "helio/reflect/lookup.h"
#include "schema/builtin.h"

namespace helio::cli {
namespace {

// Names in rpcinfo and /etc/rpc that differ from those of the schemas.
struct Alias {
    std::string_view name;
    std::uint32_t program;
};
constexpr std::array<Alias, 8> kAliases{{{"portmapper", 100000},
                                         {"portmap", 100000},
                                         {"rpcbind", 100000},
                                         {"nfs", 100003},
                                         {"mountd", 100005},
                                         {"nlockmgr", 100021},
                                         {"status", 100024},
                                         {"nfs_acl", 100227}}};

bool same(std::string_view a, std::string_view b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](char x, char y) { return lower(x) == lower(y); });
}

std::optional<std::uint32_t> as_number(std::string_view text) {
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    if (hex) text.remove_prefix(2);
    std::uint32_t number = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, number, hex ? 16 : 10);
    if (error != std::errc{} || end != last) return std::nullopt;
    return number;
}

std::vector<std::string_view> split(std::string_view name) {
    std::vector<std::string_view> words;
    for (;;) {
        const std::size_t dot = name.find('.');
        words.push_back(name.substr(0, dot));
        if (dot == std::string_view::npos) return words;
        name.remove_prefix(dot + 1);
    }
}

bool is_program(std::string_view word, const idl::Program& program) {
    if (same(word, program.name) || as_number(word) == program.number) return true;
    return std::any_of(kAliases.begin(), kAliases.end(), [&](const Alias& alias) {
        return alias.program == program.number && same(word, alias.name);
    });
}

bool is_version(std::string_view word, const idl::Version& version) {
    return same(word, version.name) || as_number(word) == version.number;
}

bool is_procedure(std::string_view word, const idl::Procedure& procedure) {
    return same(word, procedure.name) || same(word, procedure.short_name) ||
           as_number(word) == procedure.number;
}

// "RECALL", "CB_RECALL" or "OP_CB_RECALL".
bool is_operation(std::string_view word, const reflect::CompoundOperation& operation) {
    std::string_view name = operation.call->cases[0].name;
    while (name.size() > operation.name.size() && !same(word, name))
        name.remove_prefix(name.find('_') + 1);
    return same(word, name);
}

// Each word is one level further in: schema, program, version.
bool within(const std::vector<std::string_view>& scope, const idl::Schema& schema,
            const idl::Program& program, const idl::Version& version) {
    enum Level { in_nothing, in_schema, in_program, in_version };
    int level = in_nothing;
    for (const std::string_view word : scope) {
        if (level < in_schema && same(word, schema.name))
            level = in_schema;
        else if (level < in_program && is_program(word, program))
            level = in_program;
        // A leading number is a program.
        else if (level < in_version && is_version(word, version) &&
                 (level != in_nothing || !as_number(word)))
            level = in_version;
        else
            return false;
    }
    return true;
}

// The highest version, if all belong to one program.
const SchemaEntry* highest(const std::vector<SchemaEntry>& all) {
    const SchemaEntry* best = nullptr;
    for (const SchemaEntry& one : all) {
        if (best != nullptr && one.program->number != best->program->number) return nullptr;
        if (best == nullptr || one.version->number > best->version->number) best = &one;
    }
    return best;
}

std::string listed(const std::vector<SchemaEntry>& all) {
    std::string out;
    for (const SchemaEntry& one : all) out += (out.empty() ? "" : ", ") + one.name();
    return out;
}

}  // namespace

std::string SchemaEntry::name() const {
    std::string out = schema->name;
    const auto here = [](const idl::Documented& one) { return one.where.file == 0; };
    const auto count = std::count_if(schema->programs.begin(), schema->programs.end(), here);
    if (count > 1) out += '.' + program->name;
    if (program->versions.size() > 1) out += fmt::format(".{}", version->number);
    if (procedure != nullptr) out += '.' + procedure->short_name;
    return printable(out);
}

std::string Schemas::ProgramNumber::name() const {
    if (found.version != nullptr) return found.name();
    return fmt::format(
        "{}.{}", found.schema ? printable(found.schema->name) : fmt::to_string(program), version);
}

Schemas::Schemas(const std::vector<std::string>& files) {
    for (const auto& file : files) {
        idl::Parsed parsed = idl::parse_file(file);
        const std::string report = parsed.report();
        if (!parsed.schema)
            throw std::runtime_error(fmt::format("the schema has errors\n{}", report));
        std::fputs(report.c_str(), stderr);
        loaded_.push_back({parsed.schema->name, Origin::file, std::move(parsed.schema)});
    }
    for (const auto& one : builtin::texts())
        loaded_.push_back({std::string{one.name}, Origin::builtin, nullptr});
}

const idl::Schema& Schemas::parsed(Loaded& one) {
    if (!one.schema) one.schema = builtin::parse(one.name).schema;
    return *one.schema;
}

std::vector<const idl::Schema*> Schemas::candidates(std::string_view first_word, Origin origin) {
    std::vector<const idl::Schema*> out;
    // Usually it is a schema's name, which avoids parsing all the others.
    for (Loaded& one : loaded_)
        if (one.origin == origin && same(one.name, first_word)) return {&parsed(one)};
    for (Loaded& one : loaded_)
        if (one.origin == origin) out.push_back(&parsed(one));
    return out;
}

std::vector<SchemaEntry> Schemas::versions_in(const std::vector<const idl::Schema*>& schemas,
                                              const std::vector<std::string_view>& scope) {
    std::vector<SchemaEntry> out;
    for (const idl::Schema* const schema : schemas)
        for (const auto& program : schema->programs) {
            if (program.where.file != 0) continue;  // imported: found in its own schema
            for (const auto& version : program.versions)
                if (within(scope, *schema, program, version))
                    out.push_back({schema, &program, &version, nullptr});
        }
    return out;
}

std::vector<SchemaEntry> Schemas::versions(std::string_view name) {
    const auto words = split(name);
    for (const Origin origin : {Origin::file, Origin::builtin}) {
        auto out = versions_in(candidates(words.front(), origin), words);
        if (!out.empty()) return out;
    }
    return {};
}

std::vector<SchemaEntry> Schemas::procedures(std::string_view name) {
    auto words = split(name);
    const std::string_view last = words.back();
    words.pop_back();
    std::vector<SchemaEntry> out;
    for (const Origin origin : {Origin::file, Origin::builtin}) {
        const auto schemas = candidates(words.empty() ? std::string_view{} : words.front(), origin);
        for (SchemaEntry found : versions_in(schemas, words)) {
            const auto& all = found.version->procedures;
            const auto one = std::find_if(all.begin(), all.end(), [&](const auto& procedure) {
                return is_procedure(last, procedure);
            });
            if (one == all.end()) continue;
            found.procedure = &*one;
            out.push_back(found);
        }
        if (!out.empty()) break;
    }
    return out;
}

std::vector<SchemaEntry> Schemas::all() {
    auto out = versions_in(candidates({}, Origin::file), {});
    const auto ours = versions_in(candidates({}, Origin::builtin), {});
    out.insert(out.end(), ours.begin(), ours.end());
    return out;
}

std::string Schemas::FoundOperation::name() const {
    const std::string whole = carrier.name();
    return whole.substr(0, whole.rfind('.') + 1) + printable(operation.name);
}

std::vector<Schemas::FoundOperation> Schemas::operations(std::string_view name) {
    auto words = split(name);
    const std::string_view last = words.back();
    words.pop_back();
    std::vector<FoundOperation> out;
    for (const Origin origin : {Origin::file, Origin::builtin}) {
        const auto schemas = candidates(words.empty() ? std::string_view{} : words.front(), origin);
        for (SchemaEntry found : versions_in(schemas, words))
            for (const idl::Procedure& procedure : found.version->procedures) {
                const auto compound = reflect::compound_of(procedure);
                if (!compound) continue;
                found.procedure = &procedure;
                for (const auto& one : compound->operations)
                    if (is_operation(last, one)) out.push_back({found, *compound, one});
            }
        if (!out.empty()) break;
    }
    return out;
}

reflect::CompoundOperation Schemas::operation_of(const SchemaEntry& carrier,
                                                 const reflect::Compound& compound,
                                                 std::string_view name) {
    Nearest nearest{name};
    for (const auto& one : compound.operations) {
        if (is_operation(name, one)) return one;
        nearest.offer(one.name);
    }
    throw std::runtime_error(fmt::format(
        "{} has no operation '{}'{}", carrier.name(), printable(name),
        nearest.found().empty() ? "" : fmt::format("; did you mean '{}'?", nearest.found())));
}

SchemaEntry Schemas::procedure(std::string_view name) {
    const auto all = procedures(name);
    if (all.empty())
        if (const auto inside = operations(name); !inside.empty())
            throw std::runtime_error(fmt::format(
                "{0} is an operation of {1}; 'helio template {1} {2}' prints a call with it",
                inside.front().name(), inside.front().carrier.name(),
                printable(inside.front().operation.name)));
    if (all.empty()) throw std::runtime_error(missing(name));
    if (const SchemaEntry* const best = highest(all)) return *best;
    throw std::runtime_error(
        fmt::format("several programs have a procedure '{}': {}", printable(name), listed(all)));
}

Schemas::ProgramNumber Schemas::program(std::string_view name) {
    const auto all = versions(name);
    if (const SchemaEntry* const best = highest(all))
        return {best->program->number, best->version->number, *best};
    if (!all.empty())
        throw std::runtime_error(
            fmt::format("several programs match '{}': {}", printable(name), listed(all)));
    // An unknown version, perhaps of a known program.
    const std::size_t dot = name.rfind('.');
    const auto version = dot == name.npos ? std::nullopt : as_number(name.substr(dot + 1));
    const auto before = name.substr(0, dot);
    if (version) {
        const auto others = versions(before);
        if (const SchemaEntry* const other = highest(others))
            return {other->program->number,
                    *version,
                    {other->schema, other->program, nullptr, nullptr}};
        if (const auto number = as_number(before)) return {*number, *version, {}};
    }
    if (as_number(name))
        throw std::runtime_error(
            fmt::format("no schema has program {0}; add its version, as in {0}.1", name));
    throw std::runtime_error(missing(name) + by_number(name));
}

// "nfs4": no schema, but another version of a program that has one can be named by numbers.
std::string Schemas::by_number(std::string_view name) {
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    if (digits == 0 || digits == name.size()) return {};
    for (Loaded& one : loaded_)
        if (const auto& programs = parsed(one).programs;
            !programs.empty() && same(one.name.substr(0, digits), name.substr(0, digits)) &&
            one.name.find_first_not_of("0123456789", digits) == std::string::npos)
            return fmt::format("; {}.{} names it by number", programs.front().number,
                               name.substr(digits));
    return {};
}

std::vector<Schemas::FoundType> Schemas::types(std::string_view name) {
    const std::size_t dot = name.find('.');
    const bool scoped = dot != std::string_view::npos;
    std::vector<FoundType> out;
    for (Loaded& one : loaded_) {
        if (scoped && !same(one.name, name.substr(0, dot))) continue;
        const idl::Schema& schema = parsed(one);
        const idl::Type* const type = schema.type(scoped ? name.substr(dot + 1) : name);
        if (type != nullptr && (scoped || type->where.file == 0)) out.push_back({&schema, type});
    }
    return out;
}

std::string Schemas::name_of(std::uint32_t program, std::uint32_t version) {
    std::string other;
    for (Loaded& one : loaded_)
        for (const auto& known : parsed(one).programs) {
            if (known.number != program || known.where.file != 0) continue;
            if (known.version(version) != nullptr) return printable(one.name);
            other = printable(known.name);
        }
    return other;
}

std::string Schemas::missing(std::string_view name) {
    const std::size_t dot = name.rfind('.');
    const auto scope = dot == name.npos ? std::string_view{} : name.substr(0, dot);
    if (!scope.empty())
        if (const auto found = versions(scope); !found.empty()) {
            const auto lookup =
                reflect::find_procedure(*found.front().schema, name.substr(dot + 1));
            if (!lookup) return lookup.error();
            return fmt::format("{} has no procedure '{}'", printable(scope), name.substr(dot + 1));
        }
    // "peer.7" and "peer.7.ADD": the version does not exist.
    for (const auto whole : {scope, name}) {
        const std::size_t last = whole.rfind('.');
        if (last == whole.npos) continue;
        if (const auto found = versions(whole.substr(0, last)); !found.empty())
            return fmt::format("{} has no '{}'; it has {}", printable(whole.substr(0, last)),
                               printable(whole.substr(last + 1)), listed(found));
    }
    std::string known;
    for (Loaded& one : loaded_)
        if (!parsed(one).programs.empty())
            known += (known.empty() ? "" : ", ") + printable(one.name);
    return fmt::format("no schema has '{}'; known programs: {}; --schema adds a file",
                       printable(scope.empty() ? name : scope), known);
}

void require_onc(const SchemaEntry& found) {
    if (found.schema == nullptr ||
        std::find(builtin::kLibvirtSchemas.begin(), builtin::kLibvirtSchemas.end(),
                  found.schema->name) == builtin::kLibvirtSchemas.end())
        return;
    throw std::runtime_error(
        fmt::format("{} is a libvirt program, whose message header differs from that of ONC RPC; "
                    "use helio virt call",
                    printable(found.schema->name)));
}

}  // namespace helio::cli
