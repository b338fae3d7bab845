// What the schema's notes say of libvirt's procedures, read once: who may call, what goes first,
// which open a stream. RuleTable has it for all programs of a server; calls look theirs up by
// number.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "helio/rpc/server/server.h"
#include "helio/xdr/program.h"

namespace helio::virt::server {

struct ProcedureRules {
    // Clients of a read-only socket, or that opened the host so.
    enum class Readers : std::uint8_t {
        allowed,
        denied,
        depends,  // on the arguments: the procedure decides (@readonly denied_if)
    };
    enum class Stream : std::uint8_t { none, to_client, to_server };

    bool is_event = false;             // only servers send it
    bool needs_authentication = true;  // else it is part of that
    bool needs_open = true;            // CONNECT_OPEN comes before it
    bool high_priority = false;        // goes on when all workers but those kept for it are busy
    Readers readers = Readers::allowed;
    Stream stream = Stream::none;
    std::string_view function;  // of libvirt's API, virDomainCreate; else the procedure's own name
};

// Of one procedure. The words must live as long as the result, as a schema's do.
ProcedureRules rules_of(std::uint32_t program, const xdr::ProcedureInfo& procedure);

class RuleTable final {
 public:
    RuleTable() = default;
    explicit RuleTable(std::span<const rpc::Server::Entry> programs);

    // nullptr: there is no such procedure.
    const ProcedureRules* find(std::uint32_t program, std::uint32_t procedure) const;

 private:
    struct Program {
        const xdr::VersionInfo* info = nullptr;
        std::vector<ProcedureRules> rules;  // as info->procedures
    };
    std::vector<Program> programs_;
};

}  // namespace helio::virt::server
