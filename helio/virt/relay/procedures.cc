#include "helio/virt/relay/procedures.h"

#include <algorithm>
#include <array>
#include <optional>

#include "helio/base/assert.h"
#include "helio/virt/wire/envelope.h"
#include "helio/virt/wire/programs.h"

namespace helio::virt::relay {

namespace {

// "DOMAIN_GET_INFO" → "DomainGetInfo".
std::string camel_case(std::string_view name) {
    std::string out;
    bool begins = true;
    for (const char one : name) {
        if (one == '_') {
            begins = true;
            continue;
        }
        const bool upper = one >= 'A' && one <= 'Z';
        out += !begins && upper ? static_cast<char>(one - 'A' + 'a') : one;
        begins = false;
    }
    return out;
}

std::string_view schema_of(std::uint32_t program) {
    switch (program) {
        case kQemuProgram:
            return "qemu";
        case kLxcProgram:
            return "lxc";
        case kAdminProgram:
            return "admin";
        default:
            return "remote";
    }
}

// Authentication, CONNECT_OPEN and CONNECT_CLOSE, SUPPORTS_FEATURE, the URI, and close callbacks.
// Their numbers never change.
bool is_essential(std::uint32_t program, std::uint32_t number) {
    constexpr std::array<std::uint32_t, 11> kRemote{1, 2, 60, 66, 67, 68, 69, 70, 110, 360, 361};
    if (program == kAdminProgram) return number == 1 || number == 2;
    return program == kRemoteProgram &&
           std::find(kRemote.begin(), kRemote.end(), number) != kRemote.end();
}

bool is_connect_open(std::uint32_t program, std::uint32_t number) {
    return number == 1 && (program == kRemoteProgram || program == kAdminProgram);
}

// SASL data, a secret's value, a guest's password.
bool is_confidential(std::string_view plain) {
    return plain == "authsaslstart" || plain == "authsaslstep" || plain == "secretsetvalue" ||
           plain == "domainsetuserpassword";
}

// Flags in @readonly denied_if. libvirt's headers define them, its protocol does not.
std::optional<std::uint32_t> flag_value(std::string_view name) {
    if (name.ends_with("_XML_SECURE")) return 1;
    if (name == "VIR_DOMAIN_VCPU_GUEST") return 8;
    if (name == "VIR_DOMAIN_INTERFACE_ADDRESSES_SRC_AGENT") return 1;
    return std::nullopt;
}

std::uint64_t key_of(std::uint32_t program, std::uint32_t procedure) {
    return std::uint64_t{program} << 32 | procedure;
}

}  // namespace

std::string plain_procedure_name(std::string_view name) {
    std::string out;
    for (const char one : name)
        if (one != '_') out += one >= 'A' && one <= 'Z' ? static_cast<char>(one - 'A' + 'a') : one;
    if (out.starts_with("vir")) out.erase(0, 3);
    return out;
}

Procedures::Procedures(std::unique_ptr<const idl::Schema> schema) : schema_(std::move(schema)) {
    HELIO_ASSERT(schema_ != nullptr);
    for (const auto& program : schema_->programs)
        for (const auto& version : program.versions)
            for (const auto& procedure : version.procedures) add(program, version, procedure);
}

Procedures::~Procedures() = default;

void Procedures::add(const idl::Program& program, const idl::Version& version,
                     const idl::Procedure& procedure) {
    arguments_.emplace_back(procedure);
    RelayProcedure& out = all_.emplace_back();
    out.program = program.number;
    out.version = version.number;
    out.number = procedure.number;
    out.index = all_.size() - 1;
    out.schema = schema_of(program.number);
    out.name = camel_case(procedure.short_name);
    out.plain = plain_procedure_name(out.name);
    if (out.schema != "remote") out.name = out.schema + "." + out.name;
    out.arguments = &arguments_.back().type();
    out.result = procedure.result;
    out.event = procedure.has("event");
    out.essential = is_essential(out.program, out.number);
    out.opens = is_connect_open(out.program, out.number);
    out.confidential = is_confidential(out.plain);
    read_annotations(out, procedure);
    by_number_[key_of(out.program, out.number)] = &out;
}

// The schemas of host programs annotate what read-only clients may not do. The admin program has no
// annotations; there they may only connect.
void Procedures::read_annotations(RelayProcedure& out, const idl::Procedure& procedure) const {
    using Readers = RelayProcedure::Readers;
    if (const auto* const api = procedure.annotation("api")) out.api = api->argument;
    const auto* const rule = procedure.annotation("readonly");
    if (rule == nullptr) {
        const bool denied = out.program == kAdminProgram && !out.essential;
        out.readers = denied ? Readers::denied : Readers::allowed;
        return;
    }
    const std::string_view text = rule->argument;
    if (text == "allowed") out.readers = Readers::allowed;
    constexpr std::string_view kIf = "denied_if ";
    if (!text.starts_with(kIf)) return;
    // FIELD & FLAG, or FIELD == VALUE.
    const std::string_view condition = text.substr(kIf.size());
    const std::size_t first = condition.find(' ');
    const std::size_t second = condition.find(' ', first + 1);
    if (second == std::string_view::npos) return;
    const auto number = flag_value(condition.substr(second + 1));
    out.readers_field = reflect::FieldPlan::to(*out.arguments, condition.substr(0, first));
    if (!number || out.readers_field.empty()) return;  // always denied
    out.readers_number = *number;
    out.readers = condition.substr(first + 1, second - first - 1) == "&" ? Readers::denied_by_bits
                                                                         : Readers::denied_by_value;
}

const RelayProcedure* Procedures::find(std::uint32_t program, std::uint32_t version,
                                       std::uint32_t procedure) const {
    const auto found = by_number_.find(key_of(program, procedure));
    if (found == by_number_.end() || found->second->version != version) return nullptr;
    return found->second;
}

}  // namespace helio::virt::relay
