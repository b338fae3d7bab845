// Unions, compared for each value of the discriminant: an old and a new peer must agree on the
// bytes after each value, however the cases are grouped in the text.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "helio/idl/breaking/breaking_internal.h"

namespace helio::idl {
namespace {

struct Labels {
    struct Entry {
        const Arm* arm = nullptr;
        std::string text;  // the case's name, or its number
    };
    std::map<std::int64_t, Entry> by_value;
    const Arm* rest = nullptr;  // default

    const Arm* at(std::int64_t value) const {
        const auto found = by_value.find(value);
        return found == by_value.end() ? rest : found->second.arm;
    }
};

Labels labels_of(const Type& type) {
    Labels labels;
    for (const Arm& arm : type.arms) {
        if (arm.is_default) labels.rest = &arm;
        for (const auto& label : arm.cases) {
            auto text = label.name.empty() ? fmt::format("{}", label.value) : label.name;
            labels.by_value.emplace(label.value, Labels::Entry{&arm, std::move(text)});
        }
    }
    return labels;
}

// Is there a legal value of the discriminant that only a default arm covers?
bool needs_default(const Type& type) {
    const Type& discriminant = resolve(*type.discriminant.type);
    const auto labels = labels_of(type);
    const auto has = [&](std::int64_t value) { return labels.by_value.contains(value); };
    if (discriminant.kind == Kind::boolean) return !has(0) || !has(1);
    if (discriminant.kind != Kind::enumeration || discriminant.open()) return true;
    return std::any_of(discriminant.enumerators.begin(), discriminant.enumerators.end(),
                       [&](const Enumerator& one) { return !has(one.value); });
}

// A place for arms: `void` has no name, so the first case is used.
Documented standing_at(const Arm& arm, const Type& of) {
    Documented at;
    at.annotations = arm.field.annotations;
    at.where = !arm.field.name.empty() ? arm.field.where
               : !arm.cases.empty()    ? arm.cases.front().where
                                       : of.where;
    return at;
}

}  // namespace

void Comparison::union_type(const Type& before, const Type& after) {
    const auto subject = fmt::format("union {}", after.name);
    const Place discriminant{fmt::format("{}, discriminant {}", subject, after.discriminant.name),
                             before.discriminant, after.discriminant};
    use_of_type(discriminant, *before.discriminant.type, *after.discriminant.type);
    if (before.discriminant.name != after.discriminant.name) {
        add(Impact::source, "discriminant-renamed", discriminant,
            fmt::format("renamed from {}", before.discriminant.name), "the bytes are the same");
    }

    const auto old_labels = labels_of(before);
    const auto new_labels = labels_of(after);
    std::set<std::pair<const Arm*, const Arm*>> compared;  // several cases may share an arm
    const auto both = [&](const std::string& label, const Arm& old_arm, const Arm& new_arm) {
        if (!compared.emplace(&old_arm, &new_arm).second) return;
        arm(fmt::format("{}, case {}", subject, label), old_arm, new_arm);
    };
    for (const auto& [value, entry] : new_labels.by_value) {
        if (const Arm* old_arm = old_labels.at(value)) {
            both(entry.text, *old_arm, *entry.arm);
            continue;
        }
        auto& change = add_added(
            Impact::wire, "arm-added", fmt::format("{}, case {}", subject, entry.text),
            standing_at(*entry.arm, after), "old peers reject this case; new peers may send it");
        change.direction = Direction::new_to_old;
    }
    for (const auto& [value, entry] : old_labels.by_value) {
        if (new_labels.by_value.contains(value)) continue;
        if (const Arm* new_arm = new_labels.rest) {
            both(entry.text, *entry.arm, *new_arm);
            continue;
        }
        auto& change = add_removed(
            Impact::wire, "arm-removed", fmt::format("{}, case {}", subject, entry.text),
            standing_at(*entry.arm, before), "new peers reject this case; old peers may send it");
        change.direction = Direction::old_to_new;
    }
    default_arm(before, after, old_labels.rest, new_labels.rest);
}

void Comparison::arm(const std::string& subject, const Arm& before, const Arm& after) {
    const Place place{subject, before.field, after.field};
    use_of_type(place, *before.field.type, *after.field.type);
    annotations(place);
    const bool named = !before.field.name.empty() && !after.field.name.empty();
    if (named && before.field.name != after.field.name && before.is_default == after.is_default) {
        add(Impact::source, "arm-renamed", place,
            fmt::format("{} renamed to {}", before.field.name, after.field.name));
    }
}

void Comparison::default_arm(const Type& before, const Type& after, const Arm* old_arm,
                             const Arm* new_arm) {
    const auto subject = fmt::format("union {}, default", after.name);
    if (old_arm != nullptr && new_arm != nullptr) return arm(subject, *old_arm, *new_arm);
    if (old_arm != nullptr) {
        const bool refuses = needs_default(after);
        add_removed(refuses ? Impact::wire : Impact::compatible, "default-removed", subject,
                    standing_at(*old_arm, before),
                    refuses
                        ? "new peers reject values without their own case; old peers may send them"
                        : "every value has its own case")
            .direction = refuses ? Direction::old_to_new : Direction::none;
    } else if (new_arm != nullptr) {
        const bool refuses = needs_default(before);
        add_added(refuses ? Impact::wire : Impact::compatible, "default-added", subject,
                  standing_at(*new_arm, after),
                  refuses
                      ? "old peers reject values without their own case; new peers may send them"
                      : "every value already had its own case")
            .direction = refuses ? Direction::new_to_old : Direction::none;
    }
}

}  // namespace helio::idl
