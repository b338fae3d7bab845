// Procedures: every procedure of libvirt's programs, with what a relay has to know of it: its name
// as people write it, what its arguments are made of, who may call it. Made once from a schema that
// has them all; then only read, and everything here points into it.
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
    std::string plain;                     // "domaindestroy": as names are compared
    std::string api;                       // "virDomainDestroy"; empty where the API has none
    const idl::Type* arguments = nullptr;  // kind void_ when there are none
    const idl::Type* result = nullptr;

    // @readonly of the schema. Denied_if is one number among the arguments, which is the mask or
    // the value given.
    enum class Readers : std::uint8_t { allowed, denied, denied_by_bits, denied_by_value };
    Readers readers = Readers::denied;
    reflect::FieldPlan readers_field;
    std::uint32_t readers_number = 0;

    // Daemons say it, nobody calls it.
    bool event = false;
    // A connection does not come about, or is not kept, without it.
    bool essential = false;
    // Its arguments are a password or a key: they are shown to nobody.
    bool confidential = false;
};

class Procedures final {
 public:
    // Of remote, qemu, lxc and admin: builtin::parse_together(kLibvirtCallSchemas).
    explicit Procedures(std::unique_ptr<const idl::Schema> schema);
    Procedures(const Procedures&) = delete;
    Procedures& operator=(const Procedures&) = delete;
    ~Procedures();

    // Null: there is none.
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

// What names are compared as: "DOMAIN_DESTROY", "DomainDestroy", "virDomainDestroy" are
// "domaindestroy". Asterisks and the like stay.
std::string plain_procedure_name(std::string_view name);

}  // namespace helio::virt::relay
