// ControlService: answers administrators of this machine: which clients of NFS 4 hold which files
// and locks, and evicts clients (schema/helio_control.x). It is served on a socket of its own
// (socket.h), never on the ports of NFS, and only to the user who runs the server and to root.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "helio/nfs/server/exports.h"
#include "helio/nfs/state/state.h"
#include "schema/helio_control_service.h"

namespace helio::serve {

// A page of a list ends when its texts have about this many bytes. Owners and paths may have
// kilobytes each.
inline constexpr std::size_t kControlPageBytesMax = 64u << 10;

class ControlService final : public helio_control::HELIO_CONTROL_V1::Service {
 public:
    // References outlive it; it is called by one thread.
    struct Parts {
        const nfs::Exports& exports;
        nfs::state::State* state = nullptr;  // null: version 4 is not served
        std::function<nfs::state::Instant()> now;
        std::function<void(std::string_view line)> log;
        std::string version = {};
        std::string addresses = {};
        uid_t user = 0;  // who may ask, besides root
    };
    explicit ControlService(Parts parts) : parts_(std::move(parts)) {}

    void NULL_(xdr::CallContext& call) override;
    helio_control::server_info INFO(xdr::CallContext& call) override;
    helio_control::clients_page CLIENTS(xdr::CallContext& call,
                                        const helio_control::client_id& after) override;
    helio_control::holdings_page HOLDINGS(xdr::CallContext& call,
                                          const helio_control::holding_position& from) override;
    helio_control::evict_status EVICT(xdr::CallContext& call,
                                      const helio_control::client_id& id) override;

 private:
    bool is_allowed(xdr::CallContext& call) const;
    std::size_t locks_of(const nfs::ExportTable& table, nfs::state::ClientId client) const;

    const Parts parts_;
};

// Locked byte ranges in all exports. An export that is there twice counts once.
std::size_t count_locks(const nfs::ExportTable& table);

}  // namespace helio::serve
