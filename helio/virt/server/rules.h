// The schema's notes on libvirt's procedures, parsed once: which clients may call them, which have
// priority, which open a stream. RuleTable has them for all programs of a server, by number.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "helio/rpc/server/server.h"
#include "helio/xdr/program.h"

namespace helio::virt::server {

struct ProcedureRules {
    // Clients of a read-only socket, or that opened the host read-only.
    enum class Readers : std::uint8_t {
        allowed,
        denied,
        depends,  // on the arguments: the procedure decides (@readonly denied_if)
    };
    enum class Stream : std::uint8_t { none, to_client, to_server };

    bool is_event = false;             // only servers send it
    bool needs_authentication = true;  // false: part of authentication
    bool needs_open = true;            // works only after CONNECT_OPEN
    bool high_priority = false;        // may use the workers reserved for it
    Readers readers = Readers::allowed;
    Stream stream = Stream::none;
    std::string_view function;  // in libvirt's API, virDomainCreate; else the procedure's name
};

// For one procedure. The result borrows the note's text, so that must outlive it.
ProcedureRules rules_of(std::uint32_t program, const xdr::ProcedureInfo& procedure);

class RuleTable final {
 public:
    RuleTable() = default;
    explicit RuleTable(std::span<const rpc::Server::Entry> programs);

    // nullptr if there is no such procedure.
    const ProcedureRules* find(std::uint32_t program, std::uint32_t procedure) const;

 private:
    struct Program {
        const xdr::VersionInfo* info = nullptr;
        std::vector<ProcedureRules> rules;  // parallel to info->procedures
    };
    std::vector<Program> programs_;
};

}  // namespace helio::virt::server
