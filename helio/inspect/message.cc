#include "helio/inspect/message.h"

#include <fmt/format.h>

#include "helio/base/ip_address.h"
#include "helio/inspect/exchange.h"

namespace helio::inspect {

std::string address_of(const Endpoint& endpoint) {
    const std::span address{endpoint.address};
    return endpoint.v6 ? ipv6_text(address) : ipv4_text(address.first<4>());
}

std::string to_string(const Endpoint& endpoint) {
    const std::string address = address_of(endpoint);
    return endpoint.v6 ? fmt::format("[{}]:{}", address, endpoint.port)
                       : fmt::format("{}:{}", address, endpoint.port);
}

std::string_view name(Carrier carrier) {
    switch (carrier) {
        case Carrier::text:
            return "text";
        case Carrier::stream:
            return "stream";
        case Carrier::tcp:
            return "tcp";
        case Carrier::udp:
            return "udp";
        case Carrier::roce:
            return "roce";
        case Carrier::iwarp:
            return "iwarp";
    }
    return "";
}

std::string_view name(Unread why) {
    switch (why) {
        case Unread::link_unknown:
            return "unsupported link layers";
        case Unread::not_ip:
            return "not IP";
        case Unread::not_tcp_udp:
            return "neither TCP nor UDP";
        case Unread::packet_damaged:
            return "damaged packets";
        case Unread::fragments_missing:
            return "incomplete IP fragments";
        case Unread::not_rpc:
            return "not RPC";
        case Unread::before_first_record:
            return "before the first record";
        case Unread::lost:
            return "lost segments";
        case Unread::not_captured:
            return "cut off by the snap length";
        case Unread::skipped_to_resync:
            return "skipped after a gap";
        case Unread::record_damaged:
            return "damaged records";
        case Unread::too_much_held:
            return "dropped to limit memory";
    }
    return "";
}

Endpoint Exchange::client() const {
    const Message& message = any();
    if (message.flow == nullptr) return {};
    return message.flow->ends[call != nullptr ? message.direction : 1 - message.direction];
}

Endpoint Exchange::server() const {
    const Message& message = any();
    if (message.flow == nullptr) return {};
    return message.flow->ends[call != nullptr ? 1 - message.direction : message.direction];
}

}  // namespace helio::inspect
