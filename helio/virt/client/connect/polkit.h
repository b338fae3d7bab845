// PolkitAgent: a daemon that asks polkit about us gets "no agent" for an answer when a user sits at
// a plain terminal and nobody could ask them for a password. This is polkit's own agent for
// terminals, pkttyagent, for this process and while this object lives; whoever has one tries again.
#pragma once

#include <chrono>
#include <string>

#include "helio/base/result.h"

namespace helio::virt {

// How long pkttyagent may take until polkit knows it.
inline constexpr std::chrono::seconds kPolkitAgentTimeout{10};

class PolkitAgent final {
 public:
    // Waits until polkit knows it; or why there is none.
    static Result<PolkitAgent, std::string> start();
    PolkitAgent(PolkitAgent&& other) noexcept;
    PolkitAgent& operator=(PolkitAgent&& other) noexcept;
    ~PolkitAgent();  // ends it

 private:
    explicit PolkitAgent(int process) : process_(process) {}
    int process_ = -1;
};

}  // namespace helio::virt
