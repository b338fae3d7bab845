#include "helio/virt/relay/values_internal.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "helio/base/text/byte_text.h"
#include "helio/virt/relay/xml_name_internal.h"
#include "helio/xdr/wire.h"

namespace helio::virt::relay {

using reflect::kNoNode;
using reflect::NodeIndex;
using reflect::Role;

namespace {

constexpr std::size_t kUuidSize = 16;

bool is_value(Role role) { return role == Role::value || role == Role::bytes; }

}  // namespace

void ValuesOf::at(const std::vector<std::string>& path, std::optional<ObjectKind> kind) {
    for (NodeIndex node = 0; node < tree_.nodes.size(); ++node) {
        if (!is_value(tree_.nodes[node].role) || !is_at(tree_, node, path)) continue;
        add(node);
        if (kind) add_true_name(tree_.nodes[node].parent, *kind);
    }
}

void ValuesOf::objects(ObjectKind kind) {
    for (NodeIndex node = 0; node < tree_.nodes.size(); ++node) {
        if (tree_.nodes[node].role != Role::structure) continue;
        const idl::Type& type = idl::resolve(*tree_.nodes[node].type);
        const bool pool_of_volume = kind == ObjectKind::pool && is_volume(type);
        if (!pool_of_volume && object_kind_of(type) != kind) continue;
        add(tree_.first_child(node));  // in both, the name is the first field
        if (!pool_of_volume) add_true_name(node, kind);
    }
}

ValuesOf::Named ValuesOf::fields(ObjectKind kind) {
    Named out = Named::not_identified;
    for (NodeIndex node = 0; node < tree_.nodes.size(); ++node) {
        if (!is_value(tree_.nodes[node].role)) continue;
        const NameField* const field = name_field_at(node, kind);
        if (field == nullptr) continue;
        if (!add_name(node, field->form, kind)) return Named::undecidable;
        if (field->identifies) out = Named::identified;
    }
    return out;
}

// A value is of the nearest field above it that has a name; that of a typed parameter is below its
// second field, and the first has the name.
const NameField* ValuesOf::name_field_at(NodeIndex node, ObjectKind kind) const {
    bool nearest = true;
    for (NodeIndex below = kNoNode; node != kNoNode;
         below = std::exchange(node, tree_.nodes[node].parent)) {
        const reflect::Node& at = tree_.nodes[node];
        if (at.role == Role::structure && is_typed_parameter(idl::resolve(*at.type))) {
            const NodeIndex first = tree_.first_child(node);
            if (below == first) return nullptr;  // it is the name
            const std::string_view name = as_text(reflect::bytes_of(tree_, first));
            return name_field(name.substr(0, name.find('\0')), kind);
        }
        if (!nearest || at.field == nullptr || at.field->name.empty()) continue;
        if (const NameField* const field = name_field(at.field->name, kind)) return field;
        nearest = false;
    }
    return nullptr;
}

// False: undecidable.
bool ValuesOf::add_name(NodeIndex node, NameField::Form form, ObjectKind kind) {
    if (form == NameField::Form::text) {
        add(node);
        return true;
    }
    auto name = name_in_xml(as_text(reflect::bytes_of(tree_, node)), word_of(kind));
    if (name) values_.push_back(std::move(*name));
    return name.has_value();
}

bool ValuesOf::looked_up(Lookup lookup, ObjectKind kind) {
    NodeIndex node = 1;
    while (node < tree_.nodes.size() && !is_value(tree_.nodes[node].role)) ++node;
    if (node >= tree_.nodes.size()) return false;
    if (lookup == Lookup::by_name) {
        add(node);
        return true;
    }
    if (lookup == Lookup::by_xml) return add_name(node, NameField::Form::xml, kind);
    const ByteView bytes = reflect::bytes_of(tree_, node);
    Question question;
    question.kind = kind;
    if (lookup == Lookup::by_uuid) {
        std::memcpy(question.uuid.data(), bytes.data(), std::min(bytes.size(), kUuidSize));
    } else {
        question.by_number = true;
        question.number = static_cast<std::int32_t>(reflect::as_i64(tree_, node));
    }
    ask(question);
    return true;
}

void ValuesOf::add(NodeIndex node) {
    const idl::Type& type = idl::resolve(*tree_.nodes[node].type);
    switch (type.kind) {
        case idl::Kind::string:
            return add_text(reflect::bytes_of(tree_, node));
        case idl::Kind::opaque_fixed:
        case idl::Kind::opaque_variable:
            append_hex(values_.emplace_back(), reflect::bytes_of(tree_, node));
            return;
        case idl::Kind::boolean:
            values_.emplace_back(reflect::as_u64(tree_, node) != 0 ? "true" : "false");
            return;
        case idl::Kind::unsigned_int:
        case idl::Kind::unsigned_hyper:
        case idl::Kind::unsigned_short:
        case idl::Kind::unsigned_character:
            values_.push_back(std::to_string(reflect::as_u64(tree_, node)));
            return;
        case idl::Kind::float_:
        case idl::Kind::double_:
            values_.push_back(fmt::format("{}", reflect::as_double(tree_, node)));
            return;
        default:
            values_.push_back(std::to_string(reflect::as_i64(tree_, node)));
    }
}

// libvirt's daemons are written in C: for them a string ends at its first zero byte. Others may
// read all of it, so such a string counts as both.
void ValuesOf::add_text(ByteView bytes) {
    const std::string_view text{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    const std::size_t zero = text.find('\0');
    values_.emplace_back(text.substr(0, zero));
    if (zero != std::string_view::npos) values_.emplace_back(text);
}

void ValuesOf::add_true_name(NodeIndex object, ObjectKind kind) {
    const NodeIndex name = object == kNoNode ? kNoNode : tree_.first_child(object);
    const NodeIndex uuid = name == kNoNode ? kNoNode : tree_.next_sibling(name);
    if (uuid == kNoNode) return;
    const ByteView bytes = reflect::bytes_of(tree_, uuid);
    Question question;
    question.kind = kind;
    std::memcpy(question.uuid.data(), bytes.data(), std::min(bytes.size(), kUuidSize));
    ask(question);
}

void ValuesOf::ask(const Question& question) {
    if (const auto found = answers_.find(question); found != answers_.end())
        values_.push_back(found->second);
    else
        questions_.push_back(question);
}

// ---- Questions as calls ----

// LOOKUP_BY_UUID of each kind, and DOMAIN_LOOKUP_BY_ID. Their numbers never change.
std::uint32_t procedure_of(const Question& question) {
    if (question.by_number) return 22;
    switch (question.kind) {
        case ObjectKind::domain:
            return 24;
        case ObjectKind::network:
            return 47;
        case ObjectKind::pool:
            return 85;
        case ObjectKind::filter:
            return 176;
    }
    return 24;
}

std::vector<std::byte> arguments_of(const Question& question) {
    if (!question.by_number) return {question.uuid.begin(), question.uuid.end()};
    std::vector<std::byte> out(4);
    xdr::store_u32(out.data(), static_cast<std::uint32_t>(question.number));
    return out;
}

// All these results consist of one object, which begins with its name.
Result<std::string, std::string> answer_in(ByteView results) {
    const std::string wrong = "the daemon's reply to a lookup cannot be decoded";
    if (results.size() < 4) return fail(wrong);
    const std::size_t size = xdr::load_u32(results.data());
    if (size > results.size() - 4) return fail(wrong);
    return std::string(reinterpret_cast<const char*>(results.data()) + 4, size);
}

}  // namespace helio::virt::relay
