// PolkitAgent: on a plain terminal no agent can ask the user for a password, so polkit answers "no
// agent" when the daemon asks about us. This class runs polkit's agent for terminals, pkttyagent,
// for this process as long as the object lives; then the call can be tried again.
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
