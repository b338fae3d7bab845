// What both halves of Names share: fields of calls, and names in them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "helio/base/bytes.h"
#include "helio/reflect/field_plan.h"

namespace helio::inspect {

inline constexpr std::uint32_t kNfs = 100003;

// A path component. "." and ".." are not: their directories have better names.
inline bool is_name(std::string_view name) {
    return !name.empty() && name != "." && name != ".." && name.size() <= UINT16_MAX &&
           name.find('/') == name.npos;
}

// All bytes of a string or opaque; nothing if some are cut off.
inline std::optional<ByteView> whole(const reflect::FieldPlan& plan, ByteView bytes) {
    const auto found = plan.find(bytes);
    if (!found || found->body.size() != found->number) return std::nullopt;
    return found->body;
}

}  // namespace helio::inspect
