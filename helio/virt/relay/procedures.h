// Procedures: every procedure of libvirt's programs, with what a relay needs to know: its name as
// people write it, its arguments, and which clients may call it. Built once from a schema of all
// programs, then read-only; everything here points into that schema.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "helio/reflect/arguments.h"
#include "helio/reflect/field_plan.h"
#include "helio/reflect/tree.h"

namespace helio::virt::relay {

struct RelayProcedure {
    std::uint32_t program = 0;
    std::uint32_t version = 0;
    std::uint32_t number = 0;
    std::size_t index = 0;                 // in Procedures::all()
    std::string name;                      // "DomainDestroy", "qemu.DomainMonitorCommand"
    std::string schema;                    // "remote"
    std::string plain;                     // "domaindestroy": for comparison
    std::string api;                       // "virDomainDestroy"; empty if not in the API
    const idl::Type* arguments = nullptr;  // kind void_ when there are none
    const idl::Type* result = nullptr;

    // The schema's @readonly. Denied_if tests one number among the arguments against a mask or a
    // value.
    enum class Readers : std::uint8_t { allowed, denied, denied_by_bits, denied_by_value };
    Readers readers = Readers::denied;
    reflect::FieldPlan readers_field;
    std::uint32_t readers_number = 0;

    // Sent by daemons, never called.
    bool event = false;
    // A connection cannot be opened or kept without it.
    bool essential = false;
    // CONNECT_OPEN: a daemon carries it out only for a client that has authenticated.
    bool opens = false;
    // Its arguments hold a password or a key: never shown.
    bool confidential = false;
};

class Procedures final {
 public:
    // For remote, qemu, lxc and admin: builtin::parse_together(kLibvirtCallSchemas).
    explicit Procedures(std::unique_ptr<const idl::Schema> schema);
    Procedures(const Procedures&) = delete;
    Procedures& operator=(const Procedures&) = delete;
    ~Procedures();

    // Null if there is none.
    const RelayProcedure* find(std::uint32_t program, std::uint32_t version,
                               std::uint32_t procedure) const;
    const std::deque<RelayProcedure>& all() const { return all_; }
    const idl::Schema& schema() const { return *schema_; }

 private:
    void add(const idl::Program& program, const idl::Version& version,
             const idl::Procedure& procedure);
    void read_annotations(RelayProcedure& out, const idl::Procedure& procedure) const;

    std::unique_ptr<const idl::Schema> schema_;
    std::deque<reflect::Arguments> arguments_;
    std::deque<RelayProcedure> all_;
    std::unordered_map<std::uint64_t, const RelayProcedure*> by_number_;
};

// Normalises names for comparison: "DOMAIN_DESTROY", "DomainDestroy", "virDomainDestroy" become
// "domaindestroy". Wildcards are kept.
std::string plain_procedure_name(std::string_view name);

}  // namespace helio::virt::relay
