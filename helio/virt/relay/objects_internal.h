// Objects of libvirt among arguments: where a value of a schema's type stands in a tree, by the
// path that rules write, and which structs have a name that the daemon does not go by.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helio/reflect/tree.h"
#include "helio/virt/relay/policy.h"

namespace helio::virt::relay {

// "domain", "network", "pool", "filter"; of the first three, also the root of their XML.
std::string_view word_of(ObjectKind kind);
std::optional<ObjectKind> object_kind_named(std::string_view word);
// A struct that begins with a name and a UUID, by its type.
std::optional<ObjectKind> object_kind_of(const idl::Type& type);
// What daemons find such a struct's object by, where that is not this field; else empty.
std::string_view what_counts_instead(const idl::Type& type, std::string_view field);
bool is_volume(const idl::Type& type);
// A value of `type` may have such an object somewhere inside. Of pools, also by a volume.
bool may_contain(const idl::Type& type, ObjectKind kind);

// The procedure's business is objects of this kind, by its name.
bool is_about(const RelayProcedure& procedure, ObjectKind kind);
// The procedure is about the one object that its first argument says. By XML: that it describes.
// Daemons refuse XML with the UUID of one object and the name of another.
enum class Lookup : std::uint8_t { none, by_name, by_uuid, by_number, by_xml };
Lookup lookup_of(const RelayProcedure& procedure, ObjectKind kind);

// Where a path leads in values of `type`, or why nowhere.
struct PathEnd {
    const idl::Type* type = nullptr;    // resolved: a number, a string, opaque data, or an object
    const idl::Type* parent = nullptr;  // the struct that it is a field of
};
std::optional<PathEnd> follow(const idl::Type& type, const std::vector<std::string>& path,
                              std::string& why);
// The node is the value at that path; elements of arrays have the path of their array.
bool is_at(const reflect::Tree& tree, reflect::NodeIndex node,
           const std::vector<std::string>& path);

std::vector<std::string> split_path(std::string_view path);

}  // namespace helio::virt::relay
