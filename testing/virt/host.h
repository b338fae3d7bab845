// A host with a clock that the test controls, and a record of its events.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "helio/virt/host/host.h"

namespace helio::virt::host {

struct TestHost {
    std::chrono::nanoseconds time{0};
    Host host{HostOptions{.clock = [this] { return time; }}};
    std::vector<std::string> told;

    TestHost() {
        host.set_event_sink([this](const Event& event) {
            told.push_back(fmt::format("{} {} {}/{} id {}", static_cast<int>(event.kind),
                                       event.name, event.what, event.detail, event.id));
        });
    }
    std::vector<std::string> take_told() { return std::exchange(told, {}); }
};

inline std::string domain_xml_for_test(std::string_view name, std::string_view more = {}) {
    return fmt::format(
        "<domain type='test'><name>{}</name><memory>65536</memory><os><type>hvm</type></os>{}"
        "</domain>",
        name, more);
}

// "42/12 Domain not found".
template <class T>
std::string words_of(const Outcome<T>& outcome) {
    if (outcome) return "fine";
    const Error& error = outcome.error();
    return fmt::format("{}/{} {}", static_cast<int>(error.code), static_cast<int>(error.source),
                       error.message);
}

}  // namespace helio::virt::host
