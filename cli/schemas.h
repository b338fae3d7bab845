// Schemas: the files of --schema, then the built-in schemas, each parsed when needed. Names are
// looked up as users write them, ignoring case:
//
//     nfs3   nfs3.READ   NFS_V3.READ   NFS_PROGRAM.3.READ   100003.3.6   mount.1.MNT
//
// The parts before the last are a schema, a program and a version, by name or number, as many as
// needed. If several versions match, the highest is meant.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "helio/idl/schema.h"
#include "helio/reflect/compound.h"

namespace helio::cli {

// The version or procedure that a name stands for. Pointers live as long as the Schemas.
struct SchemaEntry {
    const idl::Schema* schema = nullptr;
    const idl::Program* program = nullptr;
    const idl::Version* version = nullptr;
    const idl::Procedure* procedure = nullptr;  // null for a program

    // "nfs3.READ", "mount.1.MNT": the shortest unambiguous name.
    std::string name() const;
};

class Schemas final {
 public:
    // Throws std::runtime_error if a file has errors.
    explicit Schemas(const std::vector<std::string>& files);
    Schemas(const Schemas&) = delete;
    Schemas& operator=(const Schemas&) = delete;

    // These throw std::runtime_error with suggestions.
    SchemaEntry procedure(std::string_view name);
    // Version and program may be unknown: then `found` has no version, or nothing at all, and only
    // the numbers are set.
    struct ProgramNumber {
        std::uint32_t program = 0;
        std::uint32_t version = 0;
        SchemaEntry found;
        std::string name() const;  // "nfs3", "100003.4"
    };
    ProgramNumber program(std::string_view name);

    // Every version of every program, those of files first.
    std::vector<SchemaEntry> all();
    // Every version of the programs with this name; may be empty. Here and below, the user's files
    // take precedence over the built-in schemas.
    std::vector<SchemaEntry> versions(std::string_view name);
    // The versions that have this procedure; may be empty.
    std::vector<SchemaEntry> procedures(std::string_view name);
    // Operations of this name, "OPEN" or "nfs4.OPEN", that a procedure carries (@compound); may be
    // empty.
    struct FoundOperation {
        SchemaEntry carrier;
        reflect::Compound compound;
        reflect::CompoundOperation operation;
        std::string name() const;  // "nfs4.OPEN"
    };
    std::vector<FoundOperation> operations(std::string_view name);
    // The one of that name that the procedure carries. Throws as procedure() does.
    static reflect::CompoundOperation operation_of(const SchemaEntry& carrier,
                                                   const reflect::Compound& compound,
                                                   std::string_view name);

    // Types of this name, "READ3args" or "nfs3.READ3args", in the schemas that define it.
    struct FoundType {
        const idl::Schema* schema;
        const idl::Type* type;
    };
    std::vector<FoundType> types(std::string_view name);

    // "nfs3", or "NFS_PROGRAM" if only other versions are known, or empty.
    std::string name_of(std::uint32_t program, std::uint32_t version);

    // An error for an unknown name, with suggestions.
    std::string missing(std::string_view name);

 private:
    enum class Origin : std::uint8_t { file, builtin };
    struct Loaded {
        std::string name;
        Origin origin;
        std::unique_ptr<const idl::Schema> schema;
    };
    std::string by_number(std::string_view name);
    const idl::Schema& parsed(Loaded& one);
    // The schemas that may define a name that begins with this word.
    std::vector<const idl::Schema*> candidates(std::string_view first_word, Origin origin);
    std::vector<SchemaEntry> versions_in(const std::vector<const idl::Schema*>& schemas,
                                         const std::vector<std::string_view>& scope);

    std::vector<Loaded> loaded_;
};

// Throws std::runtime_error for libvirt's programs, whose messages have a different header than RFC
// 5531's.
void require_onc(const SchemaEntry& found);

}  // namespace helio::cli
