// Definitions of types, matched by name: structs, enums, typedefs, and those that were renamed.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>

#include "helio/idl/breaking/breaking_internal.h"

namespace helio::idl {
namespace {

std::string subject_of(const Type& type) {
    return fmt::format("{} {}", kind_word(type), type.name);
}

std::string field_subject(const Type& type, const Field& field) {
    return fmt::format("{}, field {}", subject_of(type), field.name);
}

// A renamed type is recognised by the names of its members; the bytes are compared afterwards.
std::string parts_of(const Type& type) {
    std::string parts{kind_word(type)};
    for (const auto& enumerator : type.enumerators) parts += ' ' + enumerator.name;
    for (const auto& field : type.fields) parts += ' ' + field.name;
    for (const auto& arm : type.arms) parts += ' ' + arm.field.name;
    return parts;
}

// Which fields kept their place: the longest sequence of common fields in the same order on both
// sides. All others have moved.
struct FieldOrder {
    static constexpr std::size_t kNone = SIZE_MAX;
    std::vector<std::size_t> partner;  // for each new field the old one of its name, or kNone
    std::vector<bool> anchored;        // for each new field: it and its partner kept their place
    std::vector<bool> old_anchored;
    std::vector<bool> old_matched;
};

FieldOrder order_fields(const Type& before, const Type& after) {
    FieldOrder order;
    std::map<std::string_view, std::size_t> by_name;
    for (std::size_t i = 0; i < before.fields.size(); ++i) by_name[before.fields[i].name] = i;
    order.old_matched.resize(before.fields.size());
    order.old_anchored.resize(before.fields.size());
    order.anchored.resize(after.fields.size());

    // Longest increasing subsequence by patience sorting: tops[n] ends the best run of n + 1
    // fields.
    std::vector<std::size_t> tops;
    std::vector<std::size_t> previous(after.fields.size(), FieldOrder::kNone);
    for (std::size_t j = 0; j < after.fields.size(); ++j) {
        const auto found = by_name.find(after.fields[j].name);
        order.partner.push_back(found == by_name.end() ? FieldOrder::kNone : found->second);
        if (found == by_name.end()) continue;
        order.old_matched[found->second] = true;
        const auto pile = std::lower_bound(
            tops.begin(), tops.end(), found->second,
            [&](std::size_t top, std::size_t i) { return order.partner[top] < i; });
        if (pile != tops.begin()) previous[j] = *(pile - 1);
        if (pile == tops.end()) {
            tops.push_back(j);
        } else {
            *pile = j;
        }
    }
    for (auto j = tops.empty() ? FieldOrder::kNone : tops.back(); j != FieldOrder::kNone;
         j = previous[j]) {
        order.anchored[j] = true;
        order.old_anchored[order.partner[j]] = true;
    }
    return order;
}

}  // namespace

std::string_view kind_word(const Type& type) {
    switch (type.kind) {
        case Kind::structure:
            return "struct";
        case Kind::union_:
            return "union";
        case Kind::enumeration:
            return "enum";
        default:
            return "typedef";
    }
}

// A removed and an added type with the same members and the same bytes are one renamed type.
void Comparison::find_renamed_types() {
    std::multimap<std::string, const Type*> added;
    for (const Type* type : after_.types) {
        if (!type->nested && before_.type(type->name) == nullptr)
            added.emplace(parts_of(*type), type);
    }
    for (const Type* type : before_.types) {
        if (type->nested || after_.type(type->name) != nullptr) continue;
        const auto [begin, end] = added.equal_range(parts_of(*type));
        const auto twin = std::find_if(
            begin, end, [&](const auto& candidate) { return same_wire(*type, *candidate.second); });
        if (twin == end) continue;
        renamed_types_.emplace(type->name, twin->second->name);
        renamed_to_.insert(twin->second->name);
        added.erase(twin);
    }
}

void Comparison::types() {
    for (const Type* type : after_.types) {
        if (const Type* old = before_.type(type->name)) {
            this->type(*old, *type);
        } else if (!type->nested && !renamed_to_.contains(type->name)) {
            add_added(Impact::compatible, "type-added", subject_of(*type), *type);
        }
    }
    for (const Type* type : before_.types) {
        if (type->nested || after_.type(type->name) != nullptr) continue;
        const auto renamed = renamed_types_.find(type->name);
        if (renamed == renamed_types_.end()) {
            add_removed(Impact::source, "type-removed", subject_of(*type), *type,
                        "its uses are reported where the bytes changed");
            continue;
        }
        const Type& twin = *after_.type(renamed->second);
        add(Impact::source, "type-renamed", {subject_of(*type), *type, twin},
            fmt::format("renamed to {}", twin.name), "the bytes are the same");
    }
}

void Comparison::type(const Type& before, const Type& after) {
    const Place place{subject_of(after), before, after};
    annotations(place);
    if (before.kind != after.kind) {
        const auto message =
            fmt::format("changed from {} to {}", kind_word(before), kind_word(after));
        const bool same = same_wire(before, after);
        add(same ? Impact::source : Impact::wire, "kind-changed", place, message,
            same ? "the bytes are the same" : "old and new peers read different bytes");
        return;
    }
    switch (after.kind) {
        case Kind::structure:
            return structure(before, after);
        case Kind::enumeration:
            return enumeration(before, after);
        case Kind::union_:
            return union_type(before, after);
        case Kind::alias:
            return use_of_type(place, *before.element, *after.element);
        default:
            return;
    }
}

// Fields have no numbers on the wire, only an order. A removed and an added name between the same
// two neighbors, with the same bytes, are one renamed field.
void Comparison::structure(const Type& before, const Type& after) {
    if (before.sparse && after.sparse) return sparse_structure(before, after);
    if (before.sparse != after.sparse) {
        add(Impact::source, "sparse-changed", {subject_of(after), before, after},
            after.sparse ? "@sparse added" : "@sparse removed",
            "what used it is reported where the bytes changed");
    }
    const auto order = order_fields(before, after);
    std::size_t i = 0;
    const auto unmatched_old = [&] {  // the next one before the next anchor, if any
        while (i < before.fields.size() && order.old_matched[i] && !order.old_anchored[i]) ++i;
        return i < before.fields.size() && !order.old_matched[i];
    };
    for (std::size_t j = 0; j < after.fields.size(); ++j) {
        const Field& added = after.fields[j];
        if (order.anchored[j]) {
            for (; i < order.partner[j]; ++i) {
                if (!order.old_matched[i]) field_gone(before, before.fields[i]);
            }
            field(after, before.fields[i++], added);
        } else if (order.partner[j] != FieldOrder::kNone) {
            const Field& moved = before.fields[order.partner[j]];
            add(Impact::wire, "field-moved", {field_subject(after, added), moved, added},
                fmt::format("moved from place {} to place {}", order.partner[j] + 1, j + 1),
                "fields are identified only by their order");
            field(after, moved, added);
        } else if (unmatched_old() && same_wire(*before.fields[i].type, *added.type)) {
            const Field& old = before.fields[i++];
            add(Impact::source, "field-renamed", {field_subject(before, old), old, added},
                fmt::format("renamed to {}", added.name), "the bytes are the same");
            field(after, old, added);
        } else {
            field_new(after, added);
        }
    }
    for (; i < before.fields.size(); ++i) {
        if (!order.old_matched[i]) field_gone(before, before.fields[i]);
    }
}

// Here the fields do have numbers. One that a peer does not know is not there for that peer, so new
// ones may be added.
void Comparison::sparse_structure(const Type& before, const Type& after) {
    std::unordered_map<std::string_view, const Field*> old_names;
    std::unordered_map<std::string_view, const Field*> new_names;
    for (const Field& each : before.fields) old_names.emplace(each.name, &each);
    for (const Field& each : after.fields) new_names.emplace(each.name, &each);
    for (const Field& now : after.fields) {
        if (const auto same = old_names.find(now.name); same != old_names.end()) {
            const Field& old = *same->second;
            if (old.bit != now.bit) {
                add(Impact::wire, "bit-changed", {field_subject(after, now), old, now},
                    fmt::format("moved from bit {} to bit {}", old.bit, now.bit),
                    "old and new peers mean different values by these bits");
            }
            field(after, old, now);
            continue;
        }
        const Field* const old = before.field_for_bit(now.bit);
        if (old != nullptr && !new_names.contains(old->name) && same_wire(*old->type, *now.type)) {
            add(Impact::source, "field-renamed", {field_subject(before, *old), *old, now},
                fmt::format("renamed to {}", now.name), "the bytes are the same");
            field(after, *old, now);
            continue;
        }
        add_added(Impact::compatible, "field-added", field_subject(after, now), now,
                  fmt::format("old peers do not know bit {} and do not use it", now.bit));
    }
    for (const Field& old : before.fields) {
        if (new_names.contains(old.name)) continue;
        const Field* const now = after.field_for_bit(old.bit);
        const bool renamed =
            now != nullptr && !old_names.contains(now->name) && same_wire(*old.type, *now->type);
        if (renamed) continue;
        add_removed(Impact::wire, "field-removed", field_subject(before, old), old,
                    fmt::format("new peers cannot read past bit {}; old ones may use it", old.bit))
            .direction = Direction::old_to_new;
    }
}

void Comparison::contents(const Type& of, const Field& before, const Field& after) {
    const Place place{field_subject(of, after), before, after};
    if (before.contents == nullptr && after.contents == nullptr) return;
    if (before.contents == nullptr || after.contents == nullptr) {
        const bool added = before.contents == nullptr;
        add(Impact::compatible, added ? "annotation-added" : "annotation-removed", place,
            fmt::format("@contents {}", added ? "added" : "removed"), "the bytes are the same");
        return;
    }
    if (before.contents->name != after.contents->name &&
        !is_renamed(*before.contents, *after.contents)) {
        add(Impact::wire, "contents-changed", place,
            fmt::format("contents changed from {} to {}", before.contents->name,
                        after.contents->name),
            "old and new peers read different values here");
    }
}

void Comparison::field(const Type& of, const Field& before, const Field& after) {
    const Place place{field_subject(of, after), before, after};
    // An inline type is named after its field, so a renamed field renames it too.
    if (!(before.type->nested && after.type->nested && same_wire(*before.type, *after.type))) {
        use_of_type(place, *before.type, *after.type);
    }
    contents(of, before, after);
    annotations(place);
}

void Comparison::field_gone(const Type& of, const Field& field) {
    const bool on_wire = field.type->wire_max != 0;
    add_removed(on_wire ? Impact::wire : Impact::source, "field-removed", field_subject(of, field),
                field, on_wire ? "old peers still send and expect it" : "it took no bytes");
}

void Comparison::field_new(const Type& of, const Field& field) {
    const bool on_wire = field.type->wire_max != 0;
    add_added(on_wire ? Impact::wire : Impact::source, "field-added", field_subject(of, field),
              field, on_wire ? "old peers neither send nor skip it" : "it takes no bytes");
}

Comparison::EnumIndex::EnumIndex(const Type& of) : type{of} {
    for (const auto& enumerator : of.enumerators) {
        by_name.emplace(enumerator.name, &enumerator);
        by_value.emplace(enumerator.value, &enumerator);  // the first one of that value stays
    }
}

void Comparison::enumeration(const Type& before, const Type& after) {
    const Place place{subject_of(after), before, after};
    if (before.open() && !after.open()) {
        add(Impact::wire, "enum-closed", place, "@open removed",
            "new peers reject values that are not listed")
            .direction = Direction::old_to_new;
    } else if (!before.open() && after.open()) {
        add(Impact::compatible, "enum-opened", place, "@open added",
            "new peers accept values that are not listed; old peers still reject them");
    }
    const EnumIndex old_index{before};
    const EnumIndex new_index{after};
    for (const auto& old : before.enumerators) {
        const auto same = new_index.by_name.find(old.name);
        if (same == new_index.by_name.end()) {
            enumerator_gone(old_index, new_index, old);
            continue;
        }
        const Enumerator& now = *same->second;
        const Place value{fmt::format("{}, value {}", place.subject, old.name), old, now};
        annotations(value);
        if (now.value != old.value) {
            add(Impact::wire, "enumerator-renumbered", value,
                fmt::format("renumbered from {} to {}", old.value, now.value),
                "the two sides give these numbers different meanings");
        }
    }
    for (const auto& added : after.enumerators) {
        if (!old_index.by_name.contains(added.name)) enumerator_new(old_index, new_index, added);
    }
}

void Comparison::enumerator_gone(const EnumIndex& before, const EnumIndex& after,
                                 const Enumerator& gone) {
    const auto subject = fmt::format("{}, value {}", subject_of(before.type), gone.name);
    const auto successor = after.by_value.find(gone.value);
    if (successor != after.by_value.end()) {
        add(Impact::source, "enumerator-renamed", {subject, gone, *successor->second},
            fmt::format("{} is now called {}", gone.value, successor->second->name),
            "the bytes are the same");
    } else if (after.type.open()) {
        add_removed(Impact::source, "enumerator-removed", subject, gone,
                    "the enum is open, so new peers still accept the number");
    } else {
        add_removed(Impact::wire, "enumerator-removed", subject, gone,
                    fmt::format("new peers reject {}; old peers may send it", gone.value))
            .direction = Direction::old_to_new;
    }
}

void Comparison::enumerator_new(const EnumIndex& before, const EnumIndex& after,
                                const Enumerator& added) {
    const auto subject = fmt::format("{}, value {}", subject_of(after.type), added.name);
    const auto known = before.by_value.find(added.value);
    const bool has_name = known != before.by_value.end();
    if (has_name && !after.by_name.contains(known->second->name)) return;  // reported as renamed
    if (has_name || before.type.open()) {
        add_added(Impact::compatible, "enumerator-added", subject, added,
                  has_name ? fmt::format("another name for {}", added.value)
                           : std::string{"the enum was open, so old peers accept the number"});
        return;
    }
    add_added(Impact::wire, "enumerator-added", subject, added,
              fmt::format("old peers reject {}; new peers may send it", added.value))
        .direction = Direction::new_to_old;
}

}  // namespace helio::idl
