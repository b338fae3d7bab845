#include "helio/virt/server/rules.h"

#include "helio/virt/wire/envelope.h"
#include "helio/virt/wire/programs.h"

namespace helio::virt::server {

namespace {

// Procedures of the remote program that work before CONNECT_OPEN, besides authentication. Their
// numbers never change.
bool works_unopened(std::uint32_t program, std::uint32_t procedure) {
    constexpr std::uint32_t kConnectOpen = 1, kConnectClose = 2, kSupportsFeature = 60;
    if (program == kAdminProgram) return true;  // it has its own procedure for opening
    return program == kRemoteProgram && (procedure == kConnectOpen || procedure == kConnectClose ||
                                         procedure == kSupportsFeature);
}

}  // namespace

ProcedureRules rules_of(std::uint32_t program, const xdr::ProcedureInfo& procedure) {
    ProcedureRules rules;
    rules.function = procedure.short_name;
    rules.needs_open = !works_unopened(program, procedure.number);
    for (const xdr::ProcedureNote& note : procedure.notes) {
        if (note.word == "event") {
            rules.is_event = true;
        } else if (note.word == "noauth") {
            rules.needs_authentication = rules.needs_open = false;
        } else if (note.word == "priority") {
            rules.high_priority = note.argument == "high";
        } else if (note.word == "readonly") {
            if (note.argument == "denied")
                rules.readers = ProcedureRules::Readers::denied;
            else if (note.argument.starts_with("denied_if"))
                rules.readers = ProcedureRules::Readers::depends;
        } else if (note.word == "stream") {
            rules.stream = note.argument.starts_with("read") ? ProcedureRules::Stream::to_client
                                                             : ProcedureRules::Stream::to_server;
        } else if (note.word == "api") {
            rules.function = note.argument;
        }
    }
    return rules;
}

RuleTable::RuleTable(std::span<const rpc::Server::Entry> programs) {
    for (const rpc::Server::Entry& entry : programs) {
        Program& program = programs_.emplace_back();
        program.info = entry.info;
        program.rules.reserve(entry.info->procedures.size());
        for (const xdr::ProcedureInfo& one : entry.info->procedures)
            program.rules.push_back(rules_of(entry.info->program, one));
    }
}

const ProcedureRules* RuleTable::find(std::uint32_t program, std::uint32_t procedure) const {
    for (const Program& one : programs_) {
        if (one.info->program != program) continue;
        const xdr::ProcedureInfo* const found = one.info->procedure(procedure);
        if (found == nullptr) return nullptr;
        return &one.rules[static_cast<std::size_t>(found - one.info->procedures.data())];
    }
    return nullptr;
}

}  // namespace helio::virt::server
