// Schemas: the schemas that verbs know, those of --schema first, then those that come with the
// binary, each parsed when needed. Names are looked up as users write them, in upper or lower case:
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

namespace helio::cli {

// The version or procedure that a name stands for. Pointers live as long as the Schemas.
struct SchemaEntry {
    const idl::Schema* schema = nullptr;
    const idl::Program* program = nullptr;
    const idl::Version* version = nullptr;
    const idl::Procedure* procedure = nullptr;  // null where a program was asked for

    // "nfs3.READ", "mount.1.MNT": a name that leads here, the shortest that is plain.
    std::string name() const;
};

class Schemas final {
 public:
    // Throws std::runtime_error when a file has errors.
    explicit Schemas(const std::vector<std::string>& files);
    Schemas(const Schemas&) = delete;
    Schemas& operator=(const Schemas&) = delete;

    // These throw std::runtime_error with what there is instead.
    SchemaEntry procedure(std::string_view name);
    // The version may be one that no schema knows, and so may the program: then `found` has no
    // version, or nothing at all, and the numbers tell.
    struct ProgramNumber {
        std::uint32_t program = 0;
        std::uint32_t version = 0;
        SchemaEntry found;
        std::string name() const;  // "nfs3", "100003.4"
    };
    ProgramNumber program(std::string_view name);

    // Every version of every program, those of files first.
    std::vector<SchemaEntry> all();
    // Every version of the programs that a name stands for; none is no error. What a file of the
    // user's has is meant before what we have, here and below.
    std::vector<SchemaEntry> versions(std::string_view name);
    // Those versions whose procedure this is; none is no error.
    std::vector<SchemaEntry> procedures(std::string_view name);
    // Types of this name, "READ3args" or "nfs3.READ3args", in the schemas that define it.
    struct FoundType {
        const idl::Schema* schema;
        const idl::Type* type;
    };
    std::vector<FoundType> types(std::string_view name);

    // "nfs3", or "NFS_PROGRAM" when only other versions are known, or empty.
    std::string name_of(std::uint32_t program, std::uint32_t version);

    // Why there is no such name, with what is near or what there is.
    std::string missing(std::string_view name);

 private:
    enum class Origin : std::uint8_t { file, builtin };
    struct Loaded {
        std::string name;
        Origin origin;
        std::unique_ptr<const idl::Schema> schema;
    };
    const idl::Schema& parsed(Loaded& one);
    // Those that may hold what begins with this word.
    std::vector<const idl::Schema*> candidates(std::string_view first_word, Origin origin);
    std::vector<SchemaEntry> versions_in(const std::vector<const idl::Schema*>& schemas,
                                         const std::vector<std::string_view>& scope);

    std::vector<Loaded> loaded_;
};

// libvirt's programs are XDR and have numbers, but their messages have another header than RFC
// 5531's. Throws std::runtime_error for those.
void require_onc(const SchemaEntry& found);

}  // namespace helio::cli
