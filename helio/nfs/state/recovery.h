// Recovery: which clients held state when the server last stopped, so that only they may reclaim
// it, and so that nobody waits for a grace period that nobody needs (RFC 8881 §8.4.2.1). A record
// is on disk before the client's first OPEN is answered. The state directory keeps the records of
// one server; a cluster will keep them where all of its members see them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace helio::nfs::state {

class Recovery {
 public:
    virtual ~Recovery() = default;
    // The owners (client_owner4.co_ownerid) recorded before this start.
    virtual std::vector<std::string> recorded() = 0;
    // Durable when it returns true.
    virtual bool add(std::string_view owner) = 0;
    virtual void remove(std::string_view owner) = 0;
};

// For servers without a state directory: clients cannot reclaim anything after a restart.
class NoRecovery final : public Recovery {
 public:
    std::vector<std::string> recorded() override { return {}; }
    bool add(std::string_view) override { return true; }
    void remove(std::string_view) override {}
};

}  // namespace helio::nfs::state
