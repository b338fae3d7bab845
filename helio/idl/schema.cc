#include "helio/idl/schema.h"

#include <algorithm>

#include "helio/base/assert.h"

namespace helio::idl {
namespace {

constexpr Kind kLastKind = Kind::alias;

template <class Items, class Predicate>
auto find_or_null(const Items& items, Predicate matches) -> decltype(items.data()) {
    const auto found = std::find_if(items.begin(), items.end(), matches);
    return found == items.end() ? nullptr : &*found;
}

std::optional<std::uint32_t> place_of(const Type& type, std::int64_t value) {
    // Most values count up from the first, so that their place can be computed.
    const auto& all = type.by_value;
    if (all.empty()) return std::nullopt;
    const auto guess = static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(all[0].first);
    if (guess < all.size() && all[guess].first == value &&
        (guess == 0 || all[guess - 1].first != value))
        return all[guess].second;
    const auto found = std::lower_bound(
        type.by_value.begin(), type.by_value.end(), value,
        [](const auto& entry, std::int64_t wanted) { return entry.first < wanted; });
    if (found == type.by_value.end() || found->first != value) return std::nullopt;
    return found->second;
}

void index_values(Type& type) {
    type.by_value.clear();
    for (std::uint32_t i = 0; i < type.enumerators.size(); ++i) {
        type.by_value.emplace_back(type.enumerators[i].value, i);
    }
    for (std::uint32_t i = 0; i < type.arms.size(); ++i) {
        for (const Arm::Case& one : type.arms[i].cases) type.by_value.emplace_back(one.value, i);
    }
    for (std::uint32_t i = 0; type.sparse && i < type.fields.size(); ++i) {
        type.by_value.emplace_back(type.fields[i].bit, i);
    }
    std::sort(type.by_value.begin(), type.by_value.end());  // among equal values, the first written
}

// RFC 4506 §4; char and short as in rpcgen.
std::uint64_t scalar_wire_size(Kind kind) {
    switch (kind) {
        case Kind::void_:
            return 0;
        case Kind::hyper:
        case Kind::unsigned_hyper:
        case Kind::double_:
            return 8;
        case Kind::quadruple:
            return 16;
        default:
            return 4;
    }
}

}  // namespace

const Annotation* Documented::annotation(std::string_view word) const {
    return find_or_null(annotations, [word](const Annotation& a) { return a.word == word; });
}

const Arm* Type::arm_for(std::int64_t discriminant_value) const {
    if (const auto place = place_of(*this, discriminant_value)) return &arms[*place];
    return !arms.empty() && arms.back().is_default ? &arms.back() : nullptr;
}

const Enumerator* Type::enumerator(std::int64_t value) const {
    const auto place = place_of(*this, value);
    return place ? &enumerators[*place] : nullptr;
}

const Enumerator* Type::enumerator(std::string_view enumerator_name) const {
    return find_or_null(
        enumerators, [enumerator_name](const Enumerator& e) { return e.name == enumerator_name; });
}

const Field* Type::field_for_bit(std::uint32_t bit) const {
    const auto place = sparse ? place_of(*this, bit) : std::nullopt;
    return place ? &fields[*place] : nullptr;
}

const Type& resolve(const Type& type) {
    const Type* meant = &type;
    while (meant->kind == Kind::alias) meant = meant->element;
    return *meant;
}

const Procedure* Version::procedure(std::uint32_t wanted) const {
    return find_or_null(procedures, [wanted](const Procedure& p) { return p.number == wanted; });
}

const Version* Program::version(std::uint32_t wanted) const {
    return find_or_null(versions, [wanted](const Version& v) { return v.number == wanted; });
}

Schema::Schema() {
    for (auto kind = 0; kind <= static_cast<int>(kLastKind); ++kind) {
        builtins_.push_back(std::make_unique<Type>());
        Type& made = *builtins_.back();
        made.kind = static_cast<Kind>(kind);
        made.wire_min = made.wire_max = scalar_wire_size(made.kind);
    }
}

Schema::~Schema() = default;

FlagSet& Schema::new_flag_set() { return *flag_sets_.emplace_back(std::make_unique<FlagSet>()); }

Type& Schema::new_type(Kind kind) {
    storage_.push_back(std::make_unique<Type>());
    storage_.back()->kind = kind;
    return *storage_.back();
}

std::vector<Type*> Schema::all_types() {
    std::vector<Type*> all;
    all.reserve(storage_.size());
    for (const auto& type : storage_) all.push_back(type.get());
    return all;
}

const Type& Schema::builtin(Kind kind) const {
    HELIO_ASSERT(kind <= kLastKind);
    return *builtins_[static_cast<std::size_t>(kind)];
}

void Schema::index() {
    type_index_.clear();
    for (const Type* each : types) type_index_.emplace(each->name, each);
    for (const auto& each : storage_) index_values(*each);
    constant_index_.clear();
    for (std::size_t i = 0; i < constants.size(); ++i) {
        constant_index_.emplace(constants[i].name, i);
    }
}

const Type* Schema::type(std::string_view type_name) const {
    const auto found = type_index_.find(type_name);
    return found == type_index_.end() ? nullptr : found->second;
}

const Constant* Schema::constant(std::string_view constant_name) const {
    const auto found = constant_index_.find(constant_name);
    return found == constant_index_.end() ? nullptr : &constants[found->second];
}

}  // namespace helio::idl
