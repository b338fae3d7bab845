// Meanings: text that explains a leaf's value: a date for a time, rwxr-xr-x for a mode, a name for
// a program, a short name for a handle. A table maps fields, by the names of their type, struct and
// field, to kinds of meaning; the schema's own comments explain all other fields.
//
// Nothing here allocates per leaf: a field's style is computed when it is first met. Use one per
// thread; borrows the Catalogue.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "helio/base/bytes.h"
#include "helio/inspect/catalogue.h"
#include "helio/reflect/tree.h"

namespace helio::inspect {

enum class Sense : std::uint8_t {
    none,
    identifier,   // xid, serial: in hexadecimal
    seconds,      // since 1970
    nanoseconds,  // of a second
    microseconds,
    mode,   // Unix permissions
    flags,  // bits with names
    size,   // bytes, as KiB and MiB
    user,
    group,
    program,  // of ONC RPC
    virnet_program,
    procedure,
    protocol,  // IPPROTO_
    handle,    // of a file
    universal_address,
    uuid,
    record_mark,
    steering_tag,
    hexadecimal,
    bookkeeping,  // numbers that only the protocol needs; one-line views omit them
};

// Appends a file's name for a handle, or nothing. Called for each handle shown.
using HandleName = std::function<void(std::string& out, ByteView handle)>;

// What is known about the message around a leaf.
struct MeaningContext {
    const Procedure* procedure = nullptr;
    std::string_view procedure_name;  // if there is no Procedure
};

class Meanings final {
 public:
    explicit Meanings(const Catalogue& catalogue, HandleName handle_name = {});
    Meanings(const Meanings&) = delete;
    Meanings& operator=(const Meanings&) = delete;
    ~Meanings();

    // How the values of one field are shown.
    struct Style {
        const idl::Field* field = nullptr;  // these three are the key
        const idl::Type* type = nullptr;
        reflect::Role role = reflect::Role::value;
        Sense sense = Sense::none;
        const idl::Type* resolved = nullptr;
        std::string_view doc;       // the first sentence of the field's comment, else of its type's
        bool doc_is_value = false;  // the comment is a single word: the expected value
        const idl::FlagSet* flags = nullptr;  // Sense::flags: by the schema
        const idl::Type* bits = nullptr;      // the same for the words of a bitmap
        std::uint32_t prefix = 0;             // Sense::flags by the table: index into bits_
    };
    const Style& style(const reflect::Tree& tree, reflect::NodeIndex leaf);

    // The same as reflect::text, but a body that is not text is given as its size, because its
    // bytes are shown beside it. Safe for a terminal.
    void append_value(std::string& out, const reflect::Tree& tree, reflect::NodeIndex leaf,
                      const Style& style) const;
    // Appends nothing if there is nothing to add. Safe for a terminal.
    void append_meaning(std::string& out, const reflect::Tree& tree, reflect::NodeIndex leaf,
                        const Style& style, const MeaningContext& context) const;

    // "NFS_PROGRAM", or empty.
    std::string_view program_name(Shape shape, std::uint32_t program) const;

 private:
    struct Styles;  // by field, type and role
    struct Bit {
        std::uint32_t mask = 0;
        std::string_view name;
    };
    const Style& learn(const reflect::Tree& tree, reflect::NodeIndex leaf, const idl::Field* field);
    std::uint32_t bits_named(std::string_view prefix);
    void append_scalar_meaning(std::string& out, const reflect::Tree& tree, reflect::NodeIndex leaf,
                               const Style& style, const MeaningContext& context) const;
    static void append_flags(std::string& out, std::uint32_t word, const std::vector<Bit>& bits);
    bool append_body_meaning(std::string& out, const reflect::Tree& tree, reflect::NodeIndex leaf,
                             const Style& style) const;

    const Catalogue& catalogue_;
    HandleName handle_name_;
    mutable std::string name_;  // of a handle; reused
    // The number of entries is bounded by the schemas: fields times roles.
    std::unique_ptr<Styles> styles_;
    std::vector<std::vector<Bit>> bits_;
    std::vector<std::string_view> bits_prefix_;
    std::unordered_map<std::uint32_t, std::string_view> programs_;
    std::unordered_map<std::uint32_t, std::string_view> virnet_programs_;
};

// The field that the leaf is the value, an element or a part of; null for a root.
const idl::Field* field_of(const reflect::Tree& tree, const reflect::Node& leaf);

// A file handle's short name: a hash of eight digits.
std::uint32_t handle_hash(ByteView handle);

// "2026-11-16 07:00:00 UTC"
void append_time(std::string& out, std::int64_t seconds);
// "4 KiB", "1.5 MiB"; nothing below 1024.
void append_size(std::string& out, std::uint64_t bytes);
void append_number(std::string& out, std::uint64_t number);
// Escapes a peer's text for a terminal.
void append_shown(std::string& out, std::string_view text);
void append_signed(std::string& out, std::int64_t number);
void append_hex_number(std::string& out, std::uint64_t number, int digits);  // with 0x
void append_hex_digits(std::string& out, std::uint64_t number, int digits);  // at least `digits`
// The first sentence of a schema's comment, without its source ("RFC 1813 §2.5: ").
std::string_view first_sentence(std::string_view doc);

}  // namespace helio::inspect
