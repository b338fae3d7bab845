// CodecWriter: writes the functions that decode and encode one type. Decoding and encoding are
// mirror images, so one class generates both; `Direction` holds the differences.
//
// The generated code maintains the certain run (helio/xdr/reader.h): inside a function `p` points
// at bytes that are present, `off_` counts how far into them we are, and every variable-length
// field makes one check for its own body and the fixed words that follow.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "helio/gen/parts_internal.h"

namespace helio::gen {

struct Direction {
    bool decode;
    const char* verb;      // get / put
    const char* byte;      // const std::byte / std::byte
    const char* endpoint;  // xdr::Reader& in / xdr::Writer& out
    const char* stream;    // in / out
    const char* ref;       // qualifies the value's reference
};
inline constexpr Direction kDecode{true, "get", "const std::byte", "xdr::Reader& in", "in", ""};
inline constexpr Direction kEncode{false, "put", "std::byte", "xdr::Writer& out", "out", "const "};

// A Tail that means: there is room for everything already.
inline constexpr std::string_view kReserved = "xdr::kReserved";

// "8 + Tail", "12", "0"
std::string plus(std::uint64_t bytes, const std::string& tail);

class CodecWriter final {
 public:
    CodecWriter(const Model& model, const Direction& direction, Text& out)
        : model_(model), direction_(direction), out_(out) {}

    void declare(const Type& type);
    void inline_function(const Type& type);
    void function_out_of_line(const Type& type);
    void entry_point(const Type& type);
    // One value of a sparse struct, by the number of its bit; and the functions that use it.
    void sparse_value(const Type& type);
    void sparse_case(const idl::Field& one, const std::string& value);
    void sparse_entry_points(const Type& type);

 private:
    // All bytes of a value are present (decoding), or room for them is reserved (encoding), before
    // it is begun: it needs no Tail.
    bool settled(const Type& type) const {
        return model_.flat(type) || (!direction_.decode && Model::bounded(type));
    }
    std::uint64_t lead(const Type& type) const {
        return direction_.decode ? model_.lead(type) : model_.reserve(type);
    }
    std::uint64_t lead(const std::vector<idl::Field>& fields) const {
        return direction_.decode ? model_.lead(fields) : model_.reserve(fields);
    }
    bool takes_tail(const Type& type) const { return !settled(type) && !model_.out_of_line(type); }

    // ---- names ----
    std::string function(const Type& named) const {
        return model_.qualified(named, std::string{direction_.verb} + "_");
    }
    std::string callable(const Type& element) const;
    std::string signature(const Type& type) const;
    std::string at() const { return off_ == 0 ? "p" : fmt::format("p + {}", off_); }

    // ---- bodies ----
    void body(const Type& type);
    void sequence(const std::vector<idl::Field>& fields, std::size_t count);
    void field(const Type& type, const std::string& value, const std::string& tail,
               bool bulk = false);
    void flat_field(const Type& type, const std::string& value);
    void flat_array(const Type& type, const std::string& value);
    void array(const Type& type, const std::string& value, const std::string& tail);
    void optional(const Type& type, const std::string& value, const std::string& tail);
    void optional_union(const Type& type, const idl::Arm& arm);
    void tagged_union(const Type& type);
    void arm(const Type& type, const idl::Arm& one, const UnionNames& names);
    void discriminant(const Type& type, const UnionNames& names);
    void make_room(const Type& content);
    void flush_offset();

    std::string tail_behind(const std::vector<idl::Field>& fields, std::size_t index,
                            std::size_t count, const std::string& last) const;
    void step(const std::string& expression) {  // p = …; or out
        out_.line("p = {};", expression);
        out_.put("if (p == nullptr) return nullptr;");
        off_ = 0;
    }

    const Model& model_;
    const Direction& direction_;
    Text& out_;
    std::uint64_t off_ = 0;
    std::string tail_ = "Tail";  // what follows the value this function reads
    bool returns_bool_ = false;  // flat functions
};

}  // namespace helio::gen
