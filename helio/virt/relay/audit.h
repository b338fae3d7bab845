// Audit: what a relay did, a line for each call and for each end of a connection; as text or as
// JSON. Nothing of a client or a daemon acts on a terminal or begins a line of its own.
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

// Bytes of an error's text that are shown.
inline constexpr std::size_t kRelayShownErrorMax = 1024;

// Each appends a line and its end.
void append_audit_text(std::string& out, const RelayClient& client, const CallRecord& call);
void append_audit_json(std::string& out, const RelayClient& client, const CallRecord& call);
// "connected", "closed"; `why` may be empty.
void append_audit_text(std::string& out, const RelayClient& client, std::string_view event,
                       std::string_view why);
void append_audit_json(std::string& out, const RelayClient& client, std::string_view event,
                       std::string_view why);

// "DomainDestroy", or "program 0x20008086 procedure 999" where nobody knows it.
std::string name_of(const CallRecord& call);

}  // namespace helio::virt::relay
