#include "helio/base/text/escape.h"
#include "helio/virt/relay/objects_internal.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include <fmt/format.h>

namespace helio::virt::relay {

namespace {

struct KindInfo {
    ObjectKind kind;
    std::string_view word;
    std::string_view type;
    std::array<std::string_view, 2> prefixes;  // of plain names of its procedures
};

constexpr std::array<KindInfo, 4> kKinds{{
    {ObjectKind::domain, "domain", "remote_nonnull_domain", {"domain", ""}},
    {ObjectKind::network, "network", "remote_nonnull_network", {"network", ""}},
    {ObjectKind::pool, "pool", "remote_nonnull_storage_pool", {"storagepool", "storagevol"}},
    {ObjectKind::filter, "filter", "remote_nonnull_nwfilter", {"nwfilter", ""}},
}};

const KindInfo& info_of(ObjectKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

// Names of libvirt's fields and of its VIR_MIGRATE_PARAM_*. A test walks all arguments of the
// schemas: a string that is neither here nor in an object's struct must be in its list of others.
constexpr std::array<NameField, 8> kNameFields{{
    {"new_name", ObjectKind::domain},
    {"dname", ObjectKind::domain, NameField::Form::text, true},
    {"destination_name", ObjectKind::domain, NameField::Form::text, true},
    {"dom_xml", ObjectKind::domain, NameField::Form::xml, true},
    {"destination_xml", ObjectKind::domain, NameField::Form::xml, true},
    {"persistent_xml", ObjectKind::domain, NameField::Form::xml},
    {"xmlin", ObjectKind::domain, NameField::Form::xml},
    {"dxml", ObjectKind::domain, NameField::Form::xml},
}};

// The type inside typedefs, optionals and arrays.
const idl::Type& innermost(const idl::Type& type) {
    const idl::Type* at = &idl::resolve(type);
    while (at->kind == idl::Kind::optional || at->kind == idl::Kind::array_fixed ||
           at->kind == idl::Kind::array_variable)
        at = &idl::resolve(*at->element);
    return *at;
}

bool contains(const idl::Type& type, ObjectKind kind, std::unordered_set<const idl::Type*>& seen) {
    const idl::Type& at = innermost(type);
    if (object_kind_of(at) == kind) return true;
    if (kind == ObjectKind::pool && is_volume(at)) return true;
    if (!seen.insert(&at).second) return false;
    for (const auto& field : at.fields)
        if (contains(*field.type, kind, seen)) return true;
    for (const auto& arm : at.arms)
        if (contains(*arm.field.type, kind, seen)) return true;
    return false;
}

bool identifies(const idl::Type& type, ObjectKind kind, bool by_parameter,
                std::unordered_set<const idl::Type*>& seen) {
    const idl::Type& at = innermost(type);
    if (is_typed_parameter(at)) return by_parameter;
    if (!seen.insert(&at).second) return false;
    const auto hit = [&](const idl::Field& field) {
        const NameField* const known = name_field(field.name, kind);
        return (known != nullptr && known->identifies) ||
               identifies(*field.type, kind, by_parameter, seen);
    };
    return std::any_of(at.fields.begin(), at.fields.end(), hit) ||
           std::any_of(at.arms.begin(), at.arms.end(),
                       [&](const auto& arm) { return hit(arm.field); });
}

const idl::Type* field_named(const idl::Type& type, std::string_view name) {
    for (const auto& field : type.fields)
        if (field.name == name) return field.type;
    for (const auto& arm : type.arms)
        if (arm.field.name == name) return arm.field.type;
    return nullptr;
}

std::string fields_of(const idl::Type& type) {
    std::string out;
    for (const auto& field : type.fields) out += (out.empty() ? "" : ", ") + field.name;
    for (const auto& arm : type.arms)
        if (!arm.field.name.empty()) out += (out.empty() ? "" : ", ") + arm.field.name;
    return out.empty() ? "none" : out;
}

}  // namespace

std::string_view word_of(ObjectKind kind) { return info_of(kind).word; }

std::optional<ObjectKind> object_kind_named(std::string_view word) {
    for (const KindInfo& one : kKinds)
        if (one.word == word) return one.kind;
    return std::nullopt;
}

std::optional<ObjectKind> object_kind_of(const idl::Type& type) {
    for (const KindInfo& one : kKinds)
        if (one.type == type.name) return one.kind;
    return std::nullopt;
}

std::string_view what_counts_instead(const idl::Type& type, std::string_view field) {
    const std::string& name = type.name;
    if (name == "remote_nonnull_domain" && field == "id") return "uuid; name is also checked";
    if (name == "remote_nonnull_secret" && field != "uuid") return "uuid";
    if (name == "remote_nonnull_storage_vol" && field == "key") return "pool and name";
    if (name == "remote_nonnull_interface" && field == "mac") return "name";
    if (name == "remote_nonnull_nwfilter_binding" && field == "filtername") return "portdev";
    return {};
}

bool is_volume(const idl::Type& type) { return type.name == "remote_nonnull_storage_vol"; }

bool may_contain(const idl::Type& type, ObjectKind kind) {
    std::unordered_set<const idl::Type*> seen;
    return contains(type, kind, seen);
}

const NameField* name_field(std::string_view field, ObjectKind kind) {
    for (const NameField& one : kNameFields)
        if (one.kind == kind && one.name == field) return &one;
    return nullptr;
}

bool is_typed_parameter(const idl::Type& type) { return type.name == "remote_typed_param"; }

bool may_identify(const RelayProcedure& procedure, ObjectKind kind) {
    std::unordered_set<const idl::Type*> seen;
    // Elsewhere a daemon could ignore such parameters and use something else.
    const bool by_parameter = procedure.plain.starts_with("domainmigrate");
    return identifies(*procedure.arguments, kind, by_parameter, seen);
}

bool is_about(const RelayProcedure& procedure, ObjectKind kind) {
    for (const std::string_view prefix : info_of(kind).prefixes)
        if (!prefix.empty() && procedure.plain.starts_with(prefix)) return true;
    return false;
}

Lookup lookup_of(const RelayProcedure& procedure, ObjectKind kind) {
    const std::string_view prefix = info_of(kind).prefixes.front();
    std::string_view name = procedure.plain;
    if (procedure.schema != "remote" || !name.starts_with(prefix)) return Lookup::none;
    name.remove_prefix(prefix.size());
    if (name == "lookupbyname") return Lookup::by_name;
    if (name == "lookupbyuuid") return Lookup::by_uuid;
    if (name == "lookupbyid") return Lookup::by_number;
    const bool has_name_element = kind != ObjectKind::filter;
    if (has_name_element && (name.starts_with("definexml") || name.starts_with("createxml")))
        return Lookup::by_xml;
    return Lookup::none;
}

std::optional<PathEnd> follow(const idl::Type& type, const std::vector<std::string>& path,
                              std::string& why) {
    PathEnd out;
    const idl::Type* at = &innermost(type);
    for (const std::string& name : path) {
        const idl::Type* const next = field_named(*at, name);
        if (next == nullptr) {
            why = fmt::format("there is no '{}' (there is: {})", escaped(name), fields_of(*at));
            return std::nullopt;
        }
        out.parent = at;
        at = &innermost(*next);
    }
    const bool inner = at->kind == idl::Kind::structure || at->kind == idl::Kind::union_;
    if ((inner && !object_kind_of(*at)) || at->kind == idl::Kind::void_) {
        why = fmt::format("it is no value but has some: {}", fields_of(*at));
        return std::nullopt;
    }
    out.type = at;
    return out;
}

// Upwards: nodes with a field carry its name, all others are parts and elements.
bool is_at(const reflect::Tree& tree, reflect::NodeIndex node,
           const std::vector<std::string>& path) {
    std::size_t left = path.size();
    for (; node != reflect::kNoNode; node = tree.nodes[node].parent) {
        const auto* const field = tree.nodes[node].field;
        if (field == nullptr || field->name.empty()) continue;
        if (left == 0 || field->name != path[left - 1]) return false;
        --left;
    }
    return left == 0;
}

std::vector<std::string> split_path(std::string_view path) {
    std::vector<std::string> out;
    while (true) {
        const std::size_t dot = path.find('.');
        out.emplace_back(path.substr(0, dot));
        if (dot == std::string_view::npos) return out;
        path.remove_prefix(dot + 1);
    }
}

}  // namespace helio::virt::relay
