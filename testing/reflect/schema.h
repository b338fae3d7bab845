// Schemas for tests: testdata/reflect/rich.x, or one written in the test.
#pragma once

#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/bytes.h"
#include "helio/idl/parse.h"

namespace helio::reflect {

inline std::unique_ptr<const idl::Schema> schema_of(std::string text) {
    idl::Parsed parsed = idl::parse("test.x", std::move(text));
    if (!parsed.schema) throw std::runtime_error(parsed.report());
    return std::move(parsed.schema);
}

inline const idl::Schema& rich() {
    static const std::unique_ptr<const idl::Schema> schema = [] {
        idl::Parsed parsed = idl::parse_file(HELIO_SOURCE_DIR "/testdata/reflect/rich.x");
        if (!parsed.schema) throw std::runtime_error(parsed.report());
        return std::move(parsed.schema);
    }();
    return *schema;
}

inline const idl::Type& rich(std::string_view name) {
    const idl::Type* const type = rich().type(name);
    if (type == nullptr) throw std::runtime_error("rich.x has no " + std::string{name});
    return *type;
}

// For fuzzers: every type of rich.x, and those of NFS version 4 that hold bitmaps and attributes.
inline const std::vector<const idl::Type*>& fuzzed_types() {
    static const idl::Parsed nfs4 = idl::parse_file(HELIO_SOURCE_DIR "/schema/nfs4.x");
    static const std::vector<const idl::Type*> types = [] {
        if (!nfs4.schema) throw std::runtime_error(nfs4.report());
        std::vector<const idl::Type*> all = rich().types;
        for (const char* const name :
             {"fattr4", "GETATTR4args", "GETATTR4res", "SETATTR4args", "READDIR4res",
              "EXCHANGE_ID4args", "COMPOUND4args", "COMPOUND4res"}) {
            const idl::Type* const type = nfs4.schema->type(name);
            if (type == nullptr) throw std::runtime_error("nfs4.x has no " + std::string{name});
            all.push_back(type);
        }
        return all;
    }();
    return types;
}

// "00000005 0102" → bytes; spaces are skipped.
inline std::vector<std::byte> hex(std::string_view text) {
    std::vector<std::byte> out;
    std::string digits;
    for (const char c : text) {
        if (c != ' ') digits += c;
    }
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
        out.push_back(static_cast<std::byte>(std::stoi(digits.substr(i, 2), nullptr, 16)));
    }
    return out;
}

}  // namespace helio::reflect
