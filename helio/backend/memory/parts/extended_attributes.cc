#include "helio/backend/memory/parts/parts_internal.h"

namespace helio::backend::memory {

using namespace vfs;

namespace {

bool can_have_attributes(const Node& node) { return node.is_regular() || node.is_directory(); }

// As in Linux: only the owner may change the attributes of a sticky directory, although everybody
// may be allowed to write to it.
Status check_writing(const Caller& caller, const Node& node) {
    if (!can_have_attributes(node)) return Status::not_permitted;
    if (node.is_directory() && (node.mode & kSticky) != 0 && !is_superuser(caller) &&
        caller.uid != node.uid)
        return Status::not_permitted;
    return may(caller, node, kMayWrite) ? Status::ok : Status::access_denied;
}

// As listxattr(2) counts them.
std::size_t names_bytes(const Extras& extras) {
    std::size_t bytes = 0;
    for (const auto& [name, value] : extras.attributes) bytes += name.size() + 1;
    return bytes;
}

}  // namespace

Status MemoryAttributes::get(const Caller& caller, const FileId& file, std::string_view name,
                             std::vector<std::byte>& value) {
    if (const Status good = check_attribute_name(name); good != Status::ok) return good;
    const std::shared_lock hold(tree_.lock);
    const Node* node = tree_.find(file);
    if (!node) return Status::stale;
    const std::lock_guard hold_node(node->mutex);
    if (!can_have_attributes(*node)) return Status::no_attribute;
    if (!may(caller, *node, kMayRead)) return Status::access_denied;
    if (!node->extras) return Status::no_attribute;
    const auto at = node->extras->attributes.find(name);
    if (at == node->extras->attributes.end()) return Status::no_attribute;
    value = at->second;
    return Status::ok;
}

Status MemoryAttributes::set(const Caller& caller, const FileId& file, std::string_view name,
                             ByteView value, AttributeSet how, Change& out) {
    if (const Status good = check_attribute_name(name); good != Status::ok) return good;
    if (value.size() > kAttributeValueBytesMax) return Status::attribute_too_big;
    const std::shared_lock hold(tree_.lock);
    Node* node = tree_.find(file);
    if (!node) return Status::stale;
    const std::lock_guard hold_node(node->mutex);
    const ChangeRecorder recorded(tree_, *node, out);
    if (const Status allowed = check_writing(caller, *node); allowed != Status::ok) return allowed;
    if (!node->extras) node->extras = std::make_unique<Extras>();
    auto& now = node->extras->attributes;
    const auto at = now.find(name);
    const bool there = at != now.end();
    if (there && how == AttributeSet::create) return Status::exists;
    if (!there && how == AttributeSet::replace) return Status::no_attribute;
    if (!there && names_bytes(*node->extras) + name.size() + 1 > kAttributeNamesBytesMax)
        return Status::no_space;
    const std::uint64_t before = there ? name.size() + at->second.size() : 0;
    const Status room = node->resize_extras(before, name.size() + value.size(), tree_.budget);
    if (room != Status::ok) return room;
    now[std::string{name}].assign(value.begin(), value.end());
    node->touch_attributes();
    return Status::ok;
}

Status MemoryAttributes::remove(const Caller& caller, const FileId& file, std::string_view name,
                                Change& out) {
    if (const Status good = check_attribute_name(name); good != Status::ok) return good;
    const std::shared_lock hold(tree_.lock);
    Node* node = tree_.find(file);
    if (!node) return Status::stale;
    const std::lock_guard hold_node(node->mutex);
    const ChangeRecorder recorded(tree_, *node, out);
    if (const Status allowed = check_writing(caller, *node); allowed != Status::ok) return allowed;
    if (!node->extras) return Status::no_attribute;
    const auto at = node->extras->attributes.find(name);
    if (at == node->extras->attributes.end()) return Status::no_attribute;
    // Giving space back cannot fail.
    static_cast<void>(node->resize_extras(name.size() + at->second.size(), 0, tree_.budget));
    node->extras->attributes.erase(at);
    node->touch_attributes();
    return Status::ok;
}

Status MemoryAttributes::list(const Caller&, const FileId& file, std::vector<std::string>& names) {
    const std::shared_lock hold(tree_.lock);
    const Node* node = tree_.find(file);
    if (!node) return Status::stale;
    const std::lock_guard hold_node(node->mutex);
    names.clear();
    if (!node->extras) return Status::ok;
    for (const auto& [name, value] : node->extras->attributes) names.push_back(name);
    return Status::ok;
}

}  // namespace helio::backend::memory
