// libvirt's objects in arguments: resolves the paths of rules to values in a tree, and knows which
// structs carry a name that the daemon ignores.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helio/reflect/tree.h"
#include "helio/virt/relay/policy.h"

namespace helio::virt::relay {

// "domain", "network", "pool", "filter"; for the first three, also the root of their XML.
std::string_view word_of(ObjectKind kind);
std::optional<ObjectKind> object_kind_named(std::string_view word);
// The kind of a struct that begins with a name and a UUID.
std::optional<ObjectKind> object_kind_of(const idl::Type& type);
// The field that daemons use instead of this one to find such an object; else empty.
std::string_view what_counts_instead(const idl::Type& type, std::string_view field);
bool is_volume(const idl::Type& type);
// A value of `type` may contain such an object. A pool may also be named by a volume.
bool may_contain(const idl::Type& type, ObjectKind kind);

// Names of objects also occur in plain fields: the new name of a domain, or the XML that it will
// have. Such fields, and typed parameters, are recognised by their names, whatever the procedure.
struct NameField {
    enum class Form : std::uint8_t { text, xml };
    std::string_view name;
    ObjectKind kind;
    Form form = Form::text;
    // It tells which object the call is about. Otherwise the call is about another object, which
    // has a struct or is described by an image.
    bool identifies = false;
};
// Null: a field of this name carries no name of such an object.
const NameField* name_field(std::string_view field, ObjectKind kind);
// A parameter is a struct of its name and its value.
bool is_typed_parameter(const idl::Type& type);
// Arguments of this procedure may have a field that identifies such an object.
bool may_identify(const RelayProcedure& procedure, ObjectKind kind);

// By its name, the procedure deals with objects of this kind.
bool is_about(const RelayProcedure& procedure, ObjectKind kind);
// How the procedure's first argument names its one object. By XML: the object it describes. Daemons
// reject XML with the UUID of one object and the name of another.
enum class Lookup : std::uint8_t { none, by_name, by_uuid, by_number, by_xml };
Lookup lookup_of(const RelayProcedure& procedure, ObjectKind kind);

// The value that a path leads to in values of `type`, or why it leads nowhere.
struct PathEnd {
    const idl::Type* type = nullptr;    // resolved: a number, a string, opaque data, or an object
    const idl::Type* parent = nullptr;  // the struct that contains it
};
std::optional<PathEnd> follow(const idl::Type& type, const std::vector<std::string>& path,
                              std::string& why);
// True if the node is the value at that path; elements of arrays have the path of their array.
bool is_at(const reflect::Tree& tree, reflect::NodeIndex node,
           const std::vector<std::string>& path);

std::vector<std::string> split_path(std::string_view path);

}  // namespace helio::virt::relay
