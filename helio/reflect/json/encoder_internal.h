// Encoder: JSON to bytes, by a schema's type. encode.cc has the values, encode_bits.cc the bitmaps
// and what they select, encode_errors.cc the sentences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/text/nearest.h"
#include "helio/idl/schema.h"
#include "helio/reflect/json/json.h"
#include "helio/reflect/json/tape_internal.h"
#include "helio/xdr/wire.h"

namespace helio::reflect {

// Recursive; the tape's depth is bounded by kNestingMax, and no type maps to itself endlessly for
// the same item. Each function returns false after an error; the first one is kept.
class Encoder final {
 public:
    explicit Encoder(const JsonTape& tape) : tape_(tape) {}

    Result<std::vector<std::byte>, JsonError> run(const idl::Type& type);

 private:
    using Field = idl::Field;
    using Type = idl::Type;
    using Index = JsonTape::Index;
    using Json = JsonTape::Kind;
    static constexpr Index kNoItem = 0;  // item 0 is the whole text, never a member

    bool value(const Type& declared, Index item, const Field* field = nullptr);

    // ---- Scalars ----
    bool integer(const Type& type, Index item);

    template <class Real>
    bool real(Index item);
    bool boolean(Index item);
    bool enumeration(const Type& type, Index item);

    // ---- Bytes ----
    bool bytes(const Type& type, Index item);
    bool body_of(const Type& type, Index item, std::string& decoded, std::string_view& body);

    // ---- Bitmaps ----
    bool holds_names(const Type& type, Index item) const;
    bool bitmap(const Type& type, const Type& meaning, Index item);
    bool set_bit(const Type& type, std::vector<std::uint32_t>& words, std::uint32_t bit,
                 Index element);
    bool flags(const idl::FlagSet& set, Index item);
    bool unknown_flag(const idl::FlagSet& set, Index element);
    bool unknown_bit(const Type& meaning, Index element);
    bool holds_values(const Field& field, Index item) const;
    bool omitted_mask(const Type& type, std::size_t at, Index item);
    bool contents(const Type& type, const Field& field, std::size_t mask, Index item);

    // ---- Values made of values ----
    bool char_text(const Type& type, Index item);
    bool array(const Type& type, Index item);
    bool list(const Type& type, Index item);

    template <class Encode>
    bool each_element(Index item, Encode encode) {
        std::uint32_t position = 0;
        for (Index at = item + 1; at < tape_[item].next; at = tape_[at].next) {
            path_.push_back({{}, position++});
            if (!encode(at)) return false;
            path_.pop_back();
        }
        return true;
    }

    bool optional(const Type& type, Index item);
    bool present(const Type& declared, Index item, const Field* field = nullptr);
    bool structure(const Type& type, Index item, std::size_t field_count);
    bool bare_field(const Type& type, Index item, std::size_t field_count);
    bool union_of(const Type& type, Index item);
    bool named(std::string_view name, const Type& declared, Index item,
               const Field* field = nullptr);
    bool named_contents(const Type& type, const Field& field, std::size_t mask, Index item);
    bool enter(const Type& type);
    void leave(const Type& type);

    // ---- The JSON ----
    bool is(Index item, Json kind) const { return tape_[item].kind == kind; }

    Index after(Index key) const { return tape_[key + 1].next; }

    // The key of that name, searched from `expected` on and then from the start.
    Index find(Index object, std::string_view name, Index expected) const {
        const Index end = tape_[object].next;
        for (Index at = expected; at < end; at = after(at)) {
            if (tape_.text(at) == name) return at;
        }
        for (Index at = object + 1; at < expected; at = after(at)) {
            if (tape_.text(at) == name) return at;
        }
        return kNoItem;
    }

    // The value of an object's only member, if it has that name.
    Index only_member(Index item, std::string_view name) const {
        const bool fits = is(item, Json::object) && tape_[item].count == 1;
        return fits && tape_.text(item + 1) == name ? item + 2 : kNoItem;
    }

    // ---- Bytes out ----
    std::size_t grow(std::size_t size) {
        const std::size_t at = out_.size();
        out_.resize(at + size);
        return at;
    }
    bool put32(std::uint32_t word) {
        const std::size_t at = grow(4);
        xdr::store_u32(out_.data() + at, word);
        return true;
    }
    bool put64(std::uint64_t word) {
        const std::size_t at = grow(8);
        xdr::store_u64(out_.data() + at, word);
        return true;
    }

    // ---- Errors ----
    bool wanted(Index item, std::string_view what);
    bool missing(const Type& type, std::string_view name);
    bool missing_field(const Type& type, Index object, std::size_t field_count,
                       std::string_view name);

    static std::vector<std::string> field_names(const Type& type, std::size_t field_count);

    static std::string listed(const std::vector<std::string>& names);
    bool unknown_member(Index object, const std::vector<std::string>& names,
                        std::string_view remark = {});

    static std::string hint(const Nearest& nearest);
    bool report(std::string problem);

    struct PathStep {
        std::string_view name;
        std::uint32_t element;
    };

    const JsonTape& tape_;
    std::vector<std::byte> out_;
    std::vector<PathStep> path_;
    std::uint32_t levels_ = 0;  // of recursive types, now open
    JsonError error_;
};

}  // namespace helio::reflect
