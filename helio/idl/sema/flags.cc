// Names for the bits of a word: @flags (docs/schema-language.md).
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "helio/idl/parse.h"
#include "helio/idl/sema/sema_internal.h"

namespace helio::idl {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\f\v";

// Of all @flags of an owner, with one blank between two words.
std::string words_of(const Documented& owner) {
    std::string out;
    for (const Annotation& one : owner.annotations) {
        if (one.word != "flags") continue;
        std::string_view rest = one.argument;
        while (true) {
            rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
            if (rest.empty()) break;
            const std::size_t end = std::min(rest.find_first_of(kBlanks), rest.size());
            if (!out.empty()) out += ' ';
            out += rest.substr(0, end);
            rest.remove_prefix(end);
        }
    }
    return out;
}

bool is_word(const Type& declared) { return resolve(declared).kind == Kind::unsigned_int; }

}  // namespace

void Sema::resolve_flags() {
    for (Type* type : schema_.all_types()) {
        if (type->kind == Kind::alias)
            type->flags = flags_of(*type, *type);
        else
            misplaced_flags(*type);
        for (Field& field : type->fields) field.flags = flags_of(field, *field.type);
        for (Arm& arm : type->arms) arm.field.flags = flags_of(arm.field, *arm.field.type);
    }
}

void Sema::misplaced_flags(const Documented& owner) {
    if (owner.has("flags"))
        diagnostics_.error(owner.where, "@flags is for fields and typedefs 'unsigned int x'");
}

const FlagSet* Sema::flags_of(const Documented& owner, const Type& type) {
    if (!owner.has("flags")) return nullptr;
    if (!is_word(type)) {
        misplaced_flags(owner);
        return nullptr;
    }
    if (owner.has("bits")) {
        diagnostics_.error(owner.where, "@flags and @bits both name the bits of this word",
                           "@flags takes masks, @bits numbers of bits");
        return nullptr;
    }
    std::string written = words_of(owner);
    if (written.empty()) {
        diagnostics_.error(
            owner.where, "@flags needs constants whose values are masks",
            "write their names, or the part that they have in common: '@flags FLAG_*'");
        return nullptr;
    }
    const auto known = flag_sets_.find(written);
    return known != flag_sets_.end() ? known->second : flag_set(owner, std::move(written));
}

const FlagSet* Sema::flag_set(const Documented& owner, std::string written) {
    if (flag_sets_.size() >= kFlagSetsMax) {
        diagnostics_.error(owner.where, fmt::format("more than {} different @flags", kFlagSetsMax));
        return nullptr;
    }
    FlagSet& set = schema_.new_flag_set();
    set.written = written;
    std::string_view rest = set.written;
    bool good = true;
    while (good && !rest.empty()) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        good = add_flags(owner, rest.substr(0, end), set);
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    std::stable_sort(set.flags.begin(), set.flags.end(),
                     [](const FlagSet::Flag& one, const FlagSet::Flag& other) {
                         const int bits = std::popcount(one.mask);
                         const int others = std::popcount(other.mask);
                         return bits != others ? bits > others : one.mask < other.mask;
                     });
    return flag_sets_.emplace(std::move(written), good ? &set : nullptr).first->second;
}

// A name, or the first part of some names followed by '*'.
bool Sema::add_flags(const Documented& owner, std::string_view pattern, FlagSet& set) {
    const bool open = pattern.ends_with('*');
    const std::string_view start = pattern.substr(0, pattern.size() - (open ? 1 : 0));
    const auto& names = flag_names();
    auto at = std::lower_bound(
        names.begin(), names.end(), start,
        [](const FlagName& one, std::string_view name) { return one.name < name; });
    const auto fits = [&](std::string_view name) {
        return open ? name.starts_with(start) : name == start;
    };
    if (at == names.end() || !fits(at->name)) {
        if (open)
            diagnostics_.error(owner.where,
                               fmt::format("@flags: no constant is named '{}'", pattern));
        else
            names_.undefined(start, owner.where, SymbolKind::constant,
                             fmt::format("@flags: constant '{}' is not defined", pattern));
        return false;
    }
    for (; at != names.end() && fits(at->name); ++at) {
        if (!at->mask) {
            diagnostics_.error(
                owner.where,
                fmt::format("@flags: '{}' does not fit the 32 bits of the word", at->name));
            return false;
        }
        if (set.flags.size() + set.aliases.size() >= kFlagNamesMax) {
            diagnostics_.error(owner.where, fmt::format("@flags: '{}' has more than {} names",
                                                        set.written, kFlagNamesMax));
            return false;
        }
        const bool alias =
            *at->mask == 0 || std::any_of(set.flags.begin(), set.flags.end(),
                                          [&](const auto& one) { return one.mask == *at->mask; });
        (alias ? set.aliases : set.flags).push_back({*at->mask, at->name});
    }
    return true;
}

// Constants and enumerators, by name.
const std::vector<Sema::FlagName>& Sema::flag_names() {
    if (!flag_names_.empty()) return flag_names_;
    for (const Constant& one : schema_.constants) {
        const bool fits =
            !one.negative && one.magnitude <= std::numeric_limits<std::uint32_t>::max();
        flag_names_.push_back(
            {one.name,
             fits ? std::optional{static_cast<std::uint32_t>(one.magnitude)} : std::nullopt});
    }
    for (const Type* type : schema_.all_types())
        for (const Enumerator& one : type->enumerators)
            flag_names_.push_back({one.name, static_cast<std::uint32_t>(one.value)});
    std::sort(flag_names_.begin(), flag_names_.end(),
              [](const FlagName& one, const FlagName& other) { return one.name < other.name; });
    return flag_names_;
}

}  // namespace helio::idl
