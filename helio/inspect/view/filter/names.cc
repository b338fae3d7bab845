#include <algorithm>
#include <deque>
#include <set>

#include <fmt/format.h>

#include "helio/base/text/nearest.h"
#include "helio/inspect/view/filter/filter_internal.h"
#include "helio/inspect/view/filter/names_internal.h"

namespace helio::inspect {
namespace {

using idl::Kind;

// Fields searched for a similar name: a schema can have more paths than fit in memory.
constexpr std::size_t kPathsMax = 200000;
constexpr int kDepthMax = 8;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool alike(std::string_view a, std::string_view b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                              [](char x, char y) { return lower(x) == lower(y); });
}

class Paths {
 public:
    void collect(const idl::Type& declared, const std::string& prefix, int depth = 0) {
        const idl::Type& type = idl::resolve(declared);
        if (depth >= kDepthMax) return;
        if (type.kind == Kind::optional) return collect(*type.element, prefix, depth + 1);
        for (const idl::Field& field : type.fields) into(field, prefix, depth);
        if (type.kind != Kind::union_) return;
        into(type.discriminant, prefix, depth);
        for (const idl::Arm& arm : type.arms) into(arm.field, prefix, depth);
    }
    std::set<std::string> take() { return std::move(found_); }

 private:
    // Procedures share field names whose contents differ.
    void into(const idl::Field& field, const std::string& prefix, int depth) {
        if (field.name.empty() || ++visited_ > kPathsMax) return;
        const std::string path = prefix + '.' + field.name;
        found_.insert(path);
        collect(*field.type, path, depth + 1);
    }

    std::set<std::string> found_;
    std::size_t visited_ = 0;
};

std::set<std::string> field_paths(const Catalogue& catalogue) {
    Paths paths;
    for (const Procedure& one : catalogue.procedures()) {
        paths.collect(*one.arguments, "args");
        paths.collect(*one.result, "result");
    }
    return paths.take();
}

// The shortest path that ends in this word: result.resok.eof for "eof" or "args.eof".
std::string path_ending_in(std::string_view name, const std::set<std::string>& paths) {
    const std::string_view last = name.substr(name.rfind('.') + 1);
    std::string best;
    for (const std::string& path : paths) {
        const bool ends = path.size() > last.size() && path.ends_with(last) &&
                          path[path.size() - last.size() - 1] == '.';
        if (ends && (best.empty() || path.size() < best.size())) best = path;
    }
    return best;
}

// Without optionals; a list stays an optional of its entry.
const idl::Type& without_optionals(const idl::Type& declared) {
    const idl::Type* type = &idl::resolve(declared);
    while (type->kind == Kind::optional && !idl::resolve(*type->element).list_node)
        type = &idl::resolve(*type->element);
    return *type;
}

std::vector<const idl::Field*> members_of(const idl::Type& type) {
    std::vector<const idl::Field*> out;
    for (const idl::Field& field : type.fields) out.push_back(&field);
    if (type.kind != Kind::union_) return out;
    out.push_back(&type.discriminant);
    for (const idl::Arm& arm : type.arms) out.push_back(&arm.field);
    return out;
}

// The type of "stateid" for "args.stateid".
const idl::Type& type_at(const idl::Type& root, std::string_view name) {
    const idl::Type* type = &without_optionals(root);
    while (name.find('.') != name.npos) {
        name.remove_prefix(name.find('.') + 1);
        for (const idl::Field* const one : members_of(*type)) {
            if (one->name != name.substr(0, name.find('.'))) continue;
            type = &without_optionals(*one->type);
            break;
        }
    }
    return *type;
}

// Fields inside a type that can be compared, the nearest first: those that a message has room for.
std::vector<std::string> comparable_fields(const idl::Type& whole, std::string_view name) {
    constexpr std::size_t kShownMax = 3;
    constexpr int kVisitsMax = 1000;  // a schema can have more fields than fit in memory
    struct Place {
        const idl::Type* type;
        std::string path;
    };
    std::deque<Place> places{{&whole, std::string{name}}};
    std::vector<std::string> found;
    for (int visits = 0; visits < kVisitsMax && !places.empty(); ++visits) {
        const Place place = std::move(places.front());
        places.pop_front();
        for (const idl::Field* const one : members_of(*place.type)) {
            const idl::Type* const type = reflect::FieldPlan::to(*place.type, one->name).type();
            if (type == nullptr) continue;
            std::string path = place.path + '.' + one->name;
            if (!is_comparable(*type)) {
                places.push_back({&without_optionals(*one->type), std::move(path)});
                continue;
            }
            found.push_back(std::move(path));
            if (found.size() == kShownMax) return found;
        }
    }
    return found;
}

std::string kind_of(const idl::Type& type) {
    const std::string_view kind = type.kind == Kind::structure ? "struct"
                                  : type.kind == Kind::union_  ? "union"
                                                               : "array of fixed length";
    return type.name.empty() ? std::string{kind} : fmt::format("{} {}", kind, type.name);
}

}  // namespace

bool is_called(const Procedure& procedure, std::string_view name) {
    const std::string_view whole = procedure.name;
    const std::string_view scope = whole.substr(0, whole.rfind('.'));
    const std::string_view schema = procedure.schema_name;
    const std::string_view family = schema.substr(0, schema.find_last_not_of("0123456789") + 1);
    const std::string_view names[] = {
        whole,  procedure.procedure->short_name, procedure.procedure->name, scope, schema,
        family, procedure.version->name,         procedure.program->name};
    if (std::any_of(std::begin(names), std::end(names),
                    [name](std::string_view one) { return alike(one, name); }))
        return true;
    // mount.MNT: MNT in all versions.
    const std::size_t dot = name.rfind('.');
    return dot != name.npos && alike(name.substr(dot + 1), procedure.procedure->short_name) &&
           (alike(name.substr(0, dot), schema) || alike(name.substr(0, dot), family));
}

std::string no_such_name(std::string_view name, const Catalogue& catalogue,
                         const std::vector<std::string_view>& operands) {
    const std::set<std::string> paths = field_paths(catalogue);
    if (const std::string path = path_ending_in(name, paths); !path.empty())
        return fmt::format("unknown operation or field '{}'; did you mean {}?", name, path);
    Nearest nearest{name};
    for (const std::string_view one : operands) nearest.offer(one);
    for (const Procedure& one : catalogue.procedures()) {
        nearest.offer(one.name);
        nearest.offer(one.procedure->short_name);
        nearest.offer(one.schema_name);
    }
    if (!nearest.found().empty())
        return fmt::format("unknown operation or field '{}'; did you mean {}?", name,
                           nearest.found());
    return fmt::format(
        "unknown operation or field '{}'; operations look like nfs3.WRITE, WRITE or nfs3; fields "
        "are args.…, result.…, {}",
        name, fmt::join(operands, ", "));
}

std::string no_such_field(std::string_view name, const Catalogue& catalogue) {
    const std::set<std::string> paths = field_paths(catalogue);
    Nearest nearest{name};
    for (const std::string& path : paths) nearest.offer(path);
    std::string instead{nearest.found()};
    if (const std::string path = path_ending_in(name, paths); !path.empty()) instead = path;
    if (!instead.empty())
        return fmt::format("no procedure has a field {}; did you mean {}?", name, instead);
    return fmt::format("no procedure has a field {}; helio describe lists the fields", name);
}

std::string not_comparable(std::string_view name, const idl::Type& root) {
    const idl::Type& type = type_at(root, name);
    const std::string problem =
        fmt::format("{} is a {} and cannot be compared", name, kind_of(type));
    const std::vector<std::string> fields = comparable_fields(type, name);
    if (fields.empty()) return problem;
    return fmt::format("{}; did you mean {}{}{}?", problem,
                       fmt::join(fields.begin(), fields.end() - 1, ", "),
                       fields.size() > 1 ? " or " : "", fields.back());
}

}  // namespace helio::inspect
