// Catalogue: which procedure a program, version and procedure number mean, over all schemas given.
// Files of the user's come first: what they define is meant before what comes with the binary.
//
// Built once; then only read. `const Procedure*` lives as long as the Catalogue.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "helio/idl/schema.h"
#include "helio/inspect/message.h"
#include "helio/reflect/arguments.h"
#include "helio/reflect/field_plan.h"

namespace helio::inspect {

// A procedure with what explaining, naming and counting need to know, worked out once.
struct Procedure {
    const idl::Schema* schema = nullptr;
    std::string schema_name;  // of the file that defines it: "nfs3"
    const idl::Program* program = nullptr;
    const idl::Version* version = nullptr;
    const idl::Procedure* procedure = nullptr;
    const idl::Type* arguments = nullptr;  // kind void_ when there are none
    const idl::Type* result = nullptr;
    Shape shape = Shape::onc;
    std::uint32_t number = 0;  // in the order they were added, from 0: an index for statistics
    std::string name;          // "nfs3.READ", "mount.3.MNT": what `helio call` takes

    // Where the usual questions are answered; plans that lead nowhere are empty.
    reflect::FieldPlan handle;       // in the arguments: the file handle the call is about
    reflect::FieldPlan status;       // in the result: its discriminant or first enumeration
    reflect::FieldPlan call_bytes;   // in the arguments: bytes written
    reflect::FieldPlan reply_bytes;  // in the result: bytes read
    const idl::Type* status_type = nullptr;
};

class Catalogue final {
 public:
    Catalogue() = default;
    Catalogue(const Catalogue&) = delete;
    Catalogue& operator=(const Catalogue&) = delete;

    // All programs of a schema, those of its imports only where told: else their own files bring
    // them. The first to define a (program, version) keeps it.
    enum class Imports : std::uint8_t { left_out, added };
    void add(std::unique_ptr<const idl::Schema> schema, Shape shape,
             Imports imports = Imports::left_out);

    // Null: nothing known of that number.
    const Procedure* find(Shape shape, std::uint32_t program, std::uint32_t version,
                          std::uint32_t procedure) const;
    // The same in two steps, for who asks a million times for the same few versions: its procedures
    // by number, null where there is none; null when nothing is known of that version.
    using ByNumber = std::vector<const Procedure*>;
    const ByNumber* procedures_of(Shape shape, std::uint32_t program, std::uint32_t version) const;
    bool knows_program(std::uint32_t program) const { return programs_.contains(program); }
    bool knows_virnet_program(std::uint32_t program) const {
        return virnet_programs_.contains(program);
    }
    // "nfs3", "NFS_PROGRAM version 4", "program 400001": as much as is known.
    std::string name_of(Shape shape, std::uint32_t program, std::uint32_t version) const;
    // "nfs3.READ", "NFS_PROGRAM version 4 procedure 1".
    std::string name_of(Shape shape, std::uint32_t program, std::uint32_t version,
                        std::uint32_t procedure) const;

    // A type of a schema by name: type("rpc", "rpc_msg"). Null when there is none.
    const idl::Type* type(std::string_view schema, std::string_view name) const;
    const std::deque<Procedure>& procedures() const { return procedures_; }
    const std::vector<std::unique_ptr<const idl::Schema>>& schemas() const { return schemas_; }

 private:
    struct VersionEntry {
        std::string name;  // "nfs3", "mount.1"
        ByNumber by_number;
    };
    static std::uint64_t key(Shape shape, std::uint32_t program, std::uint32_t version);

    std::vector<std::unique_ptr<const idl::Schema>> schemas_;
    std::deque<Procedure> procedures_;
    std::deque<reflect::Arguments> arguments_;
    std::unordered_map<std::uint64_t, VersionEntry> versions_;
    std::unordered_map<std::uint32_t, std::string> programs_;  // ONC: number → name
    std::unordered_map<std::uint32_t, std::string> virnet_programs_;
};

}  // namespace helio::inspect
