#include "helio/idl/breaking/breaking.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "helio/base/text/escape.h"
#include "helio/idl/breaking/breaking_internal.h"

namespace helio::idl {
namespace {

bool is_defined(Kind kind) {
    return kind == Kind::structure || kind == Kind::union_ || kind == Kind::enumeration;
}

bool is_container(Kind kind) {
    return kind == Kind::array_fixed || kind == Kind::array_variable || kind == Kind::optional;
}

bool is_sequence(Kind kind) {
    return kind == Kind::string || kind == Kind::opaque_variable || kind == Kind::array_variable;
}

// A type that kept its name is compared once, where it is defined; so is the element of an array or
// optional.
bool same_name(const Type& before, const Type& after) {
    const Type* a = &before;
    const Type* b = &after;
    while (a->name.empty() && b->name.empty() && is_container(a->kind) && a->kind == b->kind &&
           a->bound == b->bound) {
        a = a->element;
        b = b->element;
    }
    return !a->name.empty() && a->name == b->name;
}

std::string limit_text(std::uint32_t bound) {
    return bound == kUnbounded ? std::string{"unlimited"} : fmt::format("{}", bound);
}

std::string place_text(const Location& where, const SourceSet& sources) {
    const auto place = sources.line_column(where);
    return fmt::format("{}:{}:{}", printable(sources.files[where.file].name), place.line,
                       place.column);
}

// Annotations that do not matter to peers or callers, or are compared elsewhere.
bool is_silent(std::string_view annotation) {
    return annotation == "lint-off" || annotation == "open" || annotation == "sparse" ||
           annotation == "bit" || annotation == "contents" || annotation == "template";
}

}  // namespace

std::vector<Change> compare(const Schema& before, const Schema& after) {
    return Comparison{before, after}.run();
}

std::vector<Change> Comparison::run() {
    if (before_.cpp_namespace != after_.cpp_namespace) {
        Change change;
        change.impact = Impact::source;
        change.rule = "namespace-changed";
        change.subject = "namespace";
        change.message = "changed";
        changes_.push_back(std::move(change));
    }
    find_renamed_types();
    constants();
    text_constants();
    types();
    programs();
    return std::move(changes_);
}

Change& Comparison::add(Impact impact, std::string rule, const Place& place, std::string message,
                        std::string reason) {
    const auto direction = impact == Impact::wire ? Direction::both : Direction::none;
    return changes_.emplace_back(Change{impact, direction, std::move(rule), place.subject,
                                        std::move(message), std::move(reason), true, true,
                                        place.before.where, place.after.where});
}

Change& Comparison::add_removed(Impact impact, std::string rule, std::string subject,
                                const Documented& gone, std::string reason) {
    const auto direction = impact == Impact::wire ? Direction::both : Direction::none;
    return changes_.emplace_back(Change{impact,
                                        direction,
                                        std::move(rule),
                                        std::move(subject),
                                        "removed",
                                        std::move(reason),
                                        true,
                                        false,
                                        gone.where,
                                        {}});
}

Change& Comparison::add_added(Impact impact, std::string rule, std::string subject,
                              const Documented& added, std::string reason) {
    const auto direction = impact == Impact::wire ? Direction::both : Direction::none;
    return changes_.emplace_back(Change{impact,
                                        direction,
                                        std::move(rule),
                                        std::move(subject),
                                        "added",
                                        std::move(reason),
                                        false,
                                        true,
                                        {},
                                        added.where});
}

// Does generated code use the same type for both? Typedefs are aliases there.
bool Comparison::same_source(const Type& before, const Type& after) const {
    const Type* a = &resolve(before);
    const Type* b = &resolve(after);
    while (is_container(a->kind) && a->kind == b->kind && a->bound == b->bound) {
        a = &resolve(*a->element);
        b = &resolve(*b->element);
    }
    if (a->kind != b->kind) return false;
    return !is_defined(a->kind) || a->name == b->name || is_renamed(*a, *b);
}

bool Comparison::is_renamed(const Type& before, const Type& after) const {
    const auto renamed = renamed_types_.find(before.name);
    return renamed != renamed_types_.end() && renamed->second == after.name;
}

// Only the maximum has changed: report which side rejects the other's messages.
bool Comparison::bound(const Place& place, const Type& before, const Type& after) {
    const Type& a = resolve(before);
    const Type& b = resolve(after);
    if (a.kind != b.kind || a.bound == b.bound) return false;
    if (is_container(a.kind) && !same_name(*a.element, *b.element) &&
        !same_wire(*a.element, *b.element)) {
        return false;
    }
    const std::string_view unit = is_container(a.kind) ? "elements" : "bytes";
    if (a.kind == Kind::opaque_fixed || a.kind == Kind::array_fixed) {
        add(Impact::wire, "length-changed", place,
            fmt::format("length changed from {} to {} {}", a.bound, b.bound, unit),
            "a fixed length is not sent; peers read the following data at the wrong offset");
        return true;
    }
    if (!is_sequence(a.kind)) return false;
    const bool raised = b.bound > a.bound;  // unbounded is the greatest
    auto& change = add(Impact::wire, raised ? "bound-raised" : "bound-lowered", place,
                       fmt::format("limit {} from {} to {} {}", raised ? "raised" : "lowered",
                                   limit_text(a.bound), limit_text(b.bound), unit));
    change.direction = raised ? Direction::new_to_old : Direction::old_to_new;
    change.reason = fmt::format("{} peers reject more than {} {}; {} peers may send them",
                                raised ? "old" : "new", std::min(a.bound, b.bound), unit,
                                raised ? "new" : "old");
    return true;
}

void Comparison::use_of_type(const Place& place, const Type& before, const Type& after) {
    if (same_name(before, after)) return;
    const auto types = fmt::format("from {} to {}", spell(before), spell(after));
    if (same_wire(before, after)) {
        if (same_source(before, after)) return;
        add(Impact::source, "type-replaced", place, fmt::format("type changed {}", types),
            "the bytes are the same");
        return;
    }
    if (bound(place, before, after)) return;
    const Type& a = resolve(before);
    const Type& b = resolve(after);
    const bool same_size = a.fixed_size() && b.fixed_size() && a.wire_max == b.wire_max;
    add(Impact::wire, "type-changed", place, fmt::format("type changed {}", types),
        same_size ? fmt::format("both take {} bytes, but mean different values", a.wire_max)
                  : std::string{"old and new peers read different bytes here"});
}

void Comparison::annotations(const Place& place) {
    const auto text = [](const Annotation& annotation) {
        const auto space = annotation.argument.empty() ? "" : " ";
        return fmt::format("@{}{}{}", annotation.word, space, annotation.argument);
    };
    const auto holds = [&](const Documented& owner, const Annotation& wanted) {
        return std::any_of(owner.annotations.begin(), owner.annotations.end(),
                           [&](const Annotation& one) { return text(one) == text(wanted); });
    };
    const auto report = [&](const Documented& from, const Documented& other,
                            std::string_view verb) {
        for (const auto& annotation : from.annotations) {
            if (is_silent(annotation.word) || holds(other, annotation)) continue;
            add(Impact::compatible, fmt::format("annotation-{}", verb), place,
                fmt::format("{} {}", text(annotation), verb));
        }
    };
    report(place.before, place.after, "removed");
    report(place.after, place.before, "added");
}

std::string render(const Change& change, const Schema& before, const Schema& after) {
    std::string out;
    if (change.in_after) out += place_text(change.after, after.sources) + ": ";
    if (!change.in_after && change.in_before)
        out += place_text(change.before, before.sources) + ": ";
    out += fmt::format("{}: {}: {}", word(change.impact), printable(change.subject),
                       printable(change.message));
    if (change.in_after && change.in_before) {
        out += fmt::format(" (was {})", place_text(change.before, before.sources));
    }
    out += '\n';
    if (!change.reason.empty()) out += fmt::format("    {}\n", printable(change.reason));
    return out;
}

std::string_view word(Impact impact) {
    switch (impact) {
        case Impact::compatible:
            return "compatible";
        case Impact::source:
            return "source-breaking";
        case Impact::wire:
            return "wire-breaking";
    }
    return "compatible";
}

std::string_view word(Direction direction) {
    switch (direction) {
        case Direction::none:
            return "none";
        case Direction::old_to_new:
            return "old-to-new";
        case Direction::new_to_old:
            return "new-to-old";
        case Direction::both:
            return "both";
    }
    return "none";
}

}  // namespace helio::idl
