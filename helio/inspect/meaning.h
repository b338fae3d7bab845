// Meanings: what a leaf's value says to people, beside the value: a date for a time, rwxr-xr-x for
// a mode, a name for a program, a short name for a handle. Which field has which kind of meaning
// stands in a table by the names of its type, of the struct it is in and of itself; what the table
// does not know is explained by the schema's own comments.
//
// Nothing here allocates for each leaf: what is known of a field is worked out when it is first
// met. One for each thread; borrows the Catalogue.
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
    handle,    // bytes that stand for a file
    universal_address,
    uuid,
    record_mark,
    steering_tag,
    hexadecimal,
};

// Appends a file's name for a handle, or nothing. Called for each handle that is shown.
using HandleName = std::function<void(std::string& out, ByteView handle)>;

// What is known of the message around a leaf.
struct MeaningContext {
    const Procedure* procedure = nullptr;
    std::string_view procedure_name;  // where there is no Procedure
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
        bool doc_is_value = false;  // the comment is one word: the value that is expected
        std::uint32_t bits = 0;     // Sense::flags: index into the names of bits
    };
    const Style& style(const reflect::Tree& tree, reflect::NodeIndex leaf);

    // As reflect::text says it; bodies that are no text by their size, because their bytes stand
    // beside them. Safe for a terminal.
    void append_value(std::string& out, const reflect::Tree& tree, reflect::NodeIndex leaf,
                      const Style& style) const;
    // Nothing where there is nothing to add. Safe for a terminal.
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
    mutable std::string name_;  // of a handle; used again
    // Schemas bound how many there can be: fields times roles.
    std::unique_ptr<Styles> styles_;
    std::vector<std::vector<Bit>> bits_;
    std::vector<std::string_view> bits_prefix_;
    std::unordered_map<std::uint32_t, std::string_view> programs_;
    std::unordered_map<std::uint32_t, std::string_view> virnet_programs_;
};

// The field whose value, element or part the leaf is; null for a root.
const idl::Field* field_of(const reflect::Tree& tree, const reflect::Node& leaf);

// A file handle's short name: eight digits that differ when handles do.
std::uint32_t handle_hash(ByteView handle);

// "2026-11-16 07:00:00 UTC"
void append_time(std::string& out, std::int64_t seconds);
// "4 KiB", "1.5 MiB"; nothing below 1024.
void append_size(std::string& out, std::uint64_t bytes);
void append_number(std::string& out, std::uint64_t number);
// Text of a peer, safe for a terminal: as escaped has it, at once where there is nothing
// to do.
void append_shown(std::string& out, std::string_view text);
void append_signed(std::string& out, std::int64_t number);
void append_hex_number(std::string& out, std::uint64_t number, int digits);  // with 0x
void append_hex_digits(std::string& out, std::uint64_t number, int digits);  // at least so many
// The first sentence of a schema's comment, without where it comes from ("RFC 1813 §2.5: ").
std::string_view first_sentence(std::string_view doc);

}  // namespace helio::inspect
