// Catalogue: maps program, version and procedure numbers to procedures of all loaded schemas. The
// user's files come first: they override the schemas built into the binary.
//
// Built once, then read-only. `const Procedure*` lives as long as the Catalogue.
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
#include "helio/inspect/operations.h"
#include "helio/reflect/arguments.h"
#include "helio/reflect/field_plan.h"

namespace helio::inspect {

// A procedure, with everything precomputed that explaining, naming and counting need.
struct Procedure {
    const idl::Schema* schema = nullptr;
    std::string schema_name;  // of the file that defines it: "nfs3"
    const idl::Program* program = nullptr;
    const idl::Version* version = nullptr;
    const idl::Procedure* procedure = nullptr;
    const idl::Type* arguments = nullptr;  // kind void_ when there are none
    const idl::Type* result = nullptr;
    Shape shape = Shape::onc;
    std::uint32_t number = 0;  // index for statistics, from 0 in the order of addition
    std::string name;          // "nfs3.READ", "mount.3.MNT": what `helio call` takes

    // Paths to the fields that views need; empty if the procedure has no such field.
    reflect::FieldPlan handle;       // in the arguments: the file handle the call is about
    reflect::FieldPlan status;       // in the result: its discriminant or first enumeration
    reflect::FieldPlan call_bytes;   // in the arguments: bytes written
    reflect::FieldPlan reply_bytes;  // in the result: bytes read
    const idl::Type* status_type = nullptr;
    bool status_first = false;  // it is the first word of the result

    std::unique_ptr<Operations> operations;  // of a compound; null for others
    const Procedure* carried_by = nullptr;   // an operation's compound; null for procedures
};

class Catalogue final {
 public:
    Catalogue() = default;
    Catalogue(const Catalogue&) = delete;
    Catalogue& operator=(const Catalogue&) = delete;

    // Adds all programs of a schema, those of its imports only on request, because their own files
    // usually add them. The first definition of a (program, version) wins.
    enum class Imports : std::uint8_t { left_out, added };
    void add(std::unique_ptr<const idl::Schema> schema, Shape shape,
             Imports imports = Imports::left_out);

    // Null if unknown.
    const Procedure* find(Shape shape, std::uint32_t program, std::uint32_t version,
                          std::uint32_t procedure) const;
    // The same in two steps, for repeated lookups in the same few versions: a version's procedures
    // by number, null where there is none; null if the version is unknown.
    using ByNumber = std::vector<const Procedure*>;
    const ByNumber* procedures_of(Shape shape, std::uint32_t program, std::uint32_t version) const;
    bool knows_program(std::uint32_t program) const { return programs_.contains(program); }
    bool knows_virnet_program(std::uint32_t program) const {
        return virnet_programs_.contains(program);
    }
    // "nfs3", "NFS_PROGRAM version 4", "program 400001", depending on what is known.
    std::string name_of(Shape shape, std::uint32_t program, std::uint32_t version) const;
    // "nfs3.READ", "NFS_PROGRAM version 4 procedure 1".
    std::string name_of(Shape shape, std::uint32_t program, std::uint32_t version,
                        std::uint32_t procedure) const;

    // A type by schema and name: type("rpc", "rpc_msg"). Null if there is none.
    const idl::Type* type(std::string_view schema, std::string_view name) const;
    const std::deque<Procedure>& procedures() const { return procedures_; }
    const std::vector<std::unique_ptr<const idl::Schema>>& schemas() const { return schemas_; }

 private:
    struct VersionEntry {
        std::string name;  // "nfs3", "mount.1"
        ByNumber by_number;
    };
    static std::uint64_t key(Shape shape, std::uint32_t program, std::uint32_t version);
    struct Scope {  // where a procedure stands
        const idl::Schema& schema;
        const std::string& schema_name;
        const idl::Program& program;
        const idl::Version& version;
        Shape shape;
        const std::string& version_name;
    };
    Procedure& add_procedure(const Scope& scope, const idl::Procedure& procedure,
                             const idl::Type& arguments);
    void add_operations(Procedure& compound);

    std::vector<std::unique_ptr<const idl::Schema>> schemas_;
    std::deque<Procedure> procedures_;
    std::deque<reflect::Arguments> arguments_;
    std::deque<idl::Procedure> operations_;  // of compounds, as if they were procedures
    std::unordered_map<std::uint64_t, VersionEntry> versions_;
    std::unordered_map<std::uint32_t, std::string> programs_;  // ONC: number → name
    std::unordered_map<std::uint32_t, std::string> virnet_programs_;
};

}  // namespace helio::inspect
