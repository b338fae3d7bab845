// What is wrong with the JSON that cannot be encoded, and where.
#include <algorithm>

#include <fmt/format.h>

#include "helio/base/assert.h"
#include "helio/base/text/escape.h"
#include "helio/reflect/json/encoder_internal.h"
#include "helio/reflect/json/mapping_internal.h"

namespace helio::reflect {

bool Encoder::wanted(Index item, std::string_view what) {
    return report(fmt::format("{} came, but this takes {}", tape_.shown(item), what));
}

bool Encoder::missing(const Type& type, std::string_view name) {
    return report(fmt::format("'{}' of {} is missing", escaped(name), escaped(type.name)));
}

bool Encoder::missing_field(const Type& type, Index object, std::size_t field_count,
                            std::string_view name) {
    const auto names = field_names(type, field_count);
    std::string unknown;
    for (Index at = object + 1; at < tape_[object].next && unknown.empty(); at = after(at))
        if (std::find(names.begin(), names.end(), tape_.text(at)) == names.end())
            unknown = fmt::format(", and {} is not one of its fields", tape_.shown(at));
    return report(fmt::format("'{}' of {} is missing{}; it has {}", escaped(name),
                              escaped(type.name), unknown, listed(names)));
}

// The names of the fields that appear in JSON.
std::vector<std::string> Encoder::field_names(const Type& type, std::size_t field_count) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < field_count; ++i)
        if (!is_void(*type.fields[i].type)) names.push_back(type.fields[i].name);
    return names;
}

// "object, offset, count", shortened if it is long.
std::string Encoder::listed(const std::vector<std::string>& names) {
    constexpr std::size_t kShownMax = 16;
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), kShownMax); ++i)
        text += (text.empty() ? "" : ", ") + escaped(names[i]);
    return names.size() > kShownMax ? text + ", …" : text;
}

// There are more members than names: one is repeated or unknown.
bool Encoder::unknown_member(Index object, const std::vector<std::string>& names,
                             std::string_view remark) {
    std::vector<bool> seen(names.size());
    for (Index at = object + 1; at < tape_[object].next; at = after(at)) {
        const std::string_view key = tape_.text(at);
        std::size_t i = 0;
        while (i < names.size() && names[i] != key) ++i;
        if (i < names.size() && !seen[i]) {
            seen[i] = true;
            continue;
        }
        if (i < names.size()) return report(fmt::format("{} is there twice", tape_.shown(at)));
        Nearest nearest{key};
        for (const auto& name : names) nearest.offer(name);
        return report(
            fmt::format("{} has no place here{}{}", tape_.shown(at), remark, hint(nearest)));
    }
    HELIO_ASSERT(false && "more members than names");
    return false;
}

std::string Encoder::hint(const Nearest& nearest) {
    return nearest.found().empty() ? std::string{}
                                   : fmt::format("; did you mean '{}'?", escaped(nearest.found()));
}

bool Encoder::report(std::string problem) {
    std::string place = "$";
    for (const auto& step : path_) {
        if (step.element != kNoElement) {
            fmt::format_to(std::back_inserter(place), "[{}]", step.element);
        } else {
            place += '.' + escaped(step.name);
        }
    }
    error_ = {std::move(place), std::move(problem)};
    return false;
}

}  // namespace helio::reflect
