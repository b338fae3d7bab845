// Constants, and programs with their versions and procedures.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "helio/idl/breaking/breaking_internal.h"

namespace helio::idl {
namespace {

std::string value_text(const Constant& constant) {
    return fmt::format("{}{}", constant.negative ? "-" : "", constant.magnitude);
}

// Follows types written inside a declaration, such as `T x<BOUND>`, but not named types.
void add_bounds(const Type& type, std::set<std::string>& names) {
    for (const Type* inner = &type; inner != nullptr && inner->name.empty();
         inner = inner->element) {
        if (!inner->bound_name.empty()) names.insert(inner->bound_name);
    }
}

std::set<std::string> names_of_bounds(const Schema& schema) {
    std::set<std::string> names;
    for (const Type* type : schema.types) {
        if (!type->bound_name.empty()) names.insert(type->bound_name);
        if (type->element != nullptr) add_bounds(*type->element, names);
        for (const auto& field : type->fields) add_bounds(*field.type, names);
        for (const auto& arm : type->arms) add_bounds(*arm.field.type, names);
    }
    return names;
}

// Programs, versions and procedures all have a name and a number. They are matched by name first,
// to recognise a changed number, and the rest by number, to recognise a changed name.
template <class Item>
struct Matched {
    std::vector<std::pair<const Item*, const Item*>> both;  // old, new
    std::vector<const Item*> gone, added;
};

template <class Item>
Matched<Item> match(const std::vector<Item>& before, const std::vector<Item>& after) {
    Matched<Item> matched;
    for (const Item& item : before) matched.gone.push_back(&item);
    for (const Item& item : after) matched.added.push_back(&item);
    const auto pair_up = [&matched](const auto& key) {
        std::multimap<decltype(key(*matched.gone.front())), const Item*> wanted;
        for (const Item* item : matched.gone) wanted.emplace(key(*item), item);
        std::set<const Item*> paired;
        for (const Item* item : matched.added) {
            const auto found = wanted.find(key(*item));
            if (found == wanted.end()) continue;
            matched.both.emplace_back(found->second, item);
            paired.insert({found->second, item});
            wanted.erase(found);
        }
        const auto is_paired = [&](const Item* item) { return paired.contains(item); };
        std::erase_if(matched.gone, is_paired);
        std::erase_if(matched.added, is_paired);
    };
    pair_up([](const Item& item) { return item.name; });
    pair_up([](const Item& item) { return item.number; });
    return matched;
}

bool same_sequence(const std::vector<const Type*>& before, const std::vector<const Type*>& after) {
    return std::equal(before.begin(), before.end(), after.begin(), after.end(),
                      [](const Type* a, const Type* b) { return same_wire(*a, *b); });
}

// Several arguments are encoded like the fields of one struct.
std::vector<const Type*> laid_out(const std::vector<const Type*>& arguments,
                                  std::size_t other_count) {
    if (arguments.size() != 1 || other_count == 1) return arguments;
    const Type& only = resolve(*arguments.front());
    if (only.kind != Kind::structure) return arguments;
    std::vector<const Type*> fields;
    for (const auto& field : only.fields) fields.push_back(field.type);
    return fields;
}

std::string spell_all(const std::vector<const Type*>& arguments) {
    if (arguments.empty()) return "(void)";
    std::string text;
    for (const Type* argument : arguments) text += (text.empty() ? "" : ", ") + spell(*argument);
    return '(' + text + ')';
}

}  // namespace

void Comparison::constants() {
    auto bounds = names_of_bounds(before_);
    bounds.merge(names_of_bounds(after_));
    for (const auto& constant : after_.constants) {
        const auto subject = fmt::format("const {}", constant.name);
        const Constant* old = before_.constant(constant.name);
        if (old == nullptr) {
            add_added(Impact::compatible, "constant-added", subject, constant);
            continue;
        }
        if (value_text(*old) == value_text(constant)) continue;
        const bool is_bound = bounds.contains(constant.name);
        add(is_bound ? Impact::source : Impact::wire, "constant-changed", {subject, *old, constant},
            fmt::format("changed from {} to {}", value_text(*old), value_text(constant)),
            is_bound ? "the limits it sets are reported where they are used"
                     : "old and new peers disagree where it is sent or compared");
    }
    for (const auto& constant : before_.constants) {
        if (after_.constant(constant.name) != nullptr) continue;
        add_removed(Impact::source, "constant-removed", fmt::format("const {}", constant.name),
                    constant);
    }
}

// Text constants affect only generated code.
void Comparison::text_constants() {
    const auto by_name = [](const Schema& schema) {
        std::map<std::string_view, const TextConstant*> found;
        for (const auto& constant : schema.text_constants) found[constant.name] = &constant;
        return found;
    };
    const auto old_texts = by_name(before_);
    const auto new_texts = by_name(after_);
    for (const auto& [name, constant] : new_texts) {
        const auto subject = fmt::format("const {}", name);
        const auto old = old_texts.find(name);
        if (old == old_texts.end()) {
            add_added(Impact::compatible, "constant-added", subject, *constant);
        } else if (old->second->text != constant->text) {
            add(Impact::source, "constant-changed", {subject, *old->second, *constant},
                "text changed");
        }
    }
    for (const auto& [name, constant] : old_texts) {
        if (new_texts.contains(name)) continue;
        add_removed(Impact::source, "constant-removed", fmt::format("const {}", name), *constant);
    }
}

void Comparison::programs() {
    const auto matched = match(before_.programs, after_.programs);
    for (const auto& [before, after] : matched.both) program(*before, *after);
    for (const auto* added : matched.added) {
        add_added(Impact::compatible, "program-added", fmt::format("program {}", added->name),
                  *added);
    }
    for (const auto* gone : matched.gone) {
        add_removed(Impact::wire, "program-removed", fmt::format("program {}", gone->name), *gone,
                    "new servers answer old clients PROG_UNAVAIL")
            .direction = Direction::old_to_new;
    }
}

void Comparison::program(const Program& before, const Program& after) {
    const Place place{fmt::format("program {}", after.name), before, after};
    annotations(place);
    if (before.number != after.number) {
        add(Impact::wire, "program-renumbered", place,
            fmt::format("renumbered from {} to {}", before.number, after.number),
            "each side answers the other PROG_UNAVAIL");
    }
    if (before.name != after.name) {
        add(Impact::source, "program-renamed", place, fmt::format("renamed from {}", before.name));
    }
    const auto matched = match(before.versions, after.versions);
    for (const auto& [old, now] : matched.both) version(after, *old, *now);
    for (const auto* added : matched.added) {
        add_added(Impact::compatible, "version-added",
                  fmt::format("program {}, version {}", after.name, added->name), *added,
                  "old servers answer it PROG_MISMATCH");
    }
    for (const auto* gone : matched.gone) {
        add_removed(Impact::wire, "version-removed",
                    fmt::format("program {}, version {}", before.name, gone->name), *gone,
                    "new servers answer old clients PROG_MISMATCH")
            .direction = Direction::old_to_new;
    }
}

void Comparison::version(const Program& of, const Version& before, const Version& after) {
    const Place place{fmt::format("program {}, version {}", of.name, after.name), before, after};
    annotations(place);
    if (before.number != after.number) {
        add(Impact::wire, "version-renumbered", place,
            fmt::format("renumbered from {} to {}", before.number, after.number),
            "each side answers the other PROG_MISMATCH");
    }
    if (before.name != after.name) {
        add(Impact::source, "version-renamed", place, fmt::format("renamed from {}", before.name));
    }
    const auto matched = match(before.procedures, after.procedures);
    for (const auto& [old, now] : matched.both) procedure(after.name, *old, *now);
    for (const auto* added : matched.added) {
        add_added(Impact::compatible, "procedure-added",
                  fmt::format("{}, procedure {}", after.name, added->name), *added,
                  "old servers answer it PROC_UNAVAIL");
    }
    for (const auto* gone : matched.gone) {
        add_removed(Impact::wire, "procedure-removed",
                    fmt::format("{}, procedure {}", before.name, gone->name), *gone,
                    "new servers answer old clients PROC_UNAVAIL")
            .direction = Direction::old_to_new;
    }
}

void Comparison::procedure(const std::string& of, const Procedure& before, const Procedure& after) {
    const Place place{fmt::format("{}, procedure {}", of, after.name), before, after};
    annotations(place);
    if (before.number != after.number) {
        add(Impact::wire, "procedure-renumbered", place,
            fmt::format("renumbered from {} to {}", before.number, after.number),
            "old and new peers run different procedures for one number");
    }
    if (before.name != after.name) {
        add(Impact::source, "procedure-renamed", place,
            fmt::format("renamed from {}", before.name));
    }
    use_of_type({place.subject + ", result", before, after}, *before.result, *after.result);
    arguments({place.subject + ", arguments", before, after}, before, after);
}

void Comparison::arguments(const Place& place, const Procedure& before, const Procedure& after) {
    const auto& old = before.arguments;
    const auto& now = after.arguments;
    if (old.size() == now.size()) {
        for (std::size_t i = 0; i < now.size(); ++i) use_of_type(place, *old[i], *now[i]);
        return;
    }
    const bool same = same_sequence(laid_out(old, now.size()), laid_out(now, old.size()));
    add(same ? Impact::source : Impact::wire, "arguments-changed", place,
        fmt::format("changed from {} to {}", spell_all(old), spell_all(now)),
        same ? "the bytes are the same" : "old and new peers read different bytes here");
}

}  // namespace helio::idl
