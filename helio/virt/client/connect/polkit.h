// PolkitAgent: on a plain terminal there is nobody to ask the user for a password, so polkit
// answers "no agent" to a daemon that asks about us. This runs polkit's agent for terminals,
// pkttyagent, for this process while the object lives; then try again.
#pragma once

#include <chrono>
#include <string>

#include "helio/base/result.h"

namespace helio::virt {

// How long pkttyagent may take to register with polkit.
inline constexpr std::chrono::seconds kPolkitAgentTimeout{10};

class PolkitAgent final {
 public:
    // Waits until it is registered. The error says why there is no agent.
    static Result<PolkitAgent, std::string> start();
    PolkitAgent(PolkitAgent&& other) noexcept;
    PolkitAgent& operator=(PolkitAgent&& other) noexcept;
    ~PolkitAgent();  // terminates it

 private:
    explicit PolkitAgent(int process) : process_(process) {}
    int process_ = -1;
};

}  // namespace helio::virt
