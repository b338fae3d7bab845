// Audit: formats a line for each call through a relay, and for each connection that begins or ends,
// as text or JSON. Text from clients and daemons is escaped.
//
//   2026-11-16T14:20:31.123456Z #3 uid 0 pid 4711 DomainDestroy {"dom": …} denied by rule 1
//   (deny DomainDestroy:domain=prod-*) error 29/7 "operation denied: …" 812 us
//
// (on one line).
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "helio/virt/relay/relay.h"

namespace helio::virt::relay {

// Bytes shown of an error's text.
inline constexpr std::size_t kRelayShownErrorMax = 1024;

// Each appends a line with its newline.
void append_audit_text(std::string& out, const RelayClient& client, const CallRecord& call);
void append_audit_json(std::string& out, const RelayClient& client, const CallRecord& call);
// "connected", "closed"; `why` may be empty.
void append_audit_text(std::string& out, const RelayClient& client, std::string_view event,
                       std::string_view why);
void append_audit_json(std::string& out, const RelayClient& client, std::string_view event,
                       std::string_view why);

// "DomainDestroy", or "program 0x20008086 procedure 999" if unknown.
std::string name_of(const CallRecord& call);

}  // namespace helio::virt::relay
