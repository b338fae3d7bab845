#include "helio/rpc/server/server.h"

#include <algorithm>
#include <utility>

#include "helio/base/assert.h"

namespace helio::rpc {

Server::Server(ServerOptions options)
    : options_(std::move(options)), duplicates_(options_.duplicates) {}

void Server::add(xdr::ServiceBase& service, Carriers carriers) {
    const xdr::VersionInfo& info = service.info();
    Refusal refusal;
    HELIO_ASSERT(statistics_ == nullptr &&
                 find(info.program, info.version, Transport::tcp, refusal) == nullptr);
    entries_.push_back({&info, service.service(), entries_.size(), carriers});
}

const Server::Entry* Server::find(std::uint32_t program, std::uint32_t version, Transport transport,
                                  Refusal& refusal) const {
    refusal = {Refusal::Kind::program_unavailable};
    for (const Entry& entry : entries_) {
        if (entry.info->program != program || !entry.is_served_over(transport)) continue;
        const std::uint32_t served = entry.info->version;
        if (served == version) {
            refusal = {};
            return &entry;
        }
        if (refusal.kind == Refusal::Kind::program_unavailable)
            refusal = {Refusal::Kind::version_mismatch, served, served};
        refusal.low = std::min(refusal.low, served);
        refusal.high = std::max(refusal.high, served);
    }
    return nullptr;
}

Statistics& Server::statistics() {
    const std::lock_guard lock{statistics_mutex_};
    if (statistics_ == nullptr) {
        std::vector<const xdr::VersionInfo*> versions;
        for (const Entry& entry : entries_) versions.push_back(entry.info);
        statistics_ = std::make_unique<Statistics>(versions);
    }
    return *statistics_;
}

}  // namespace helio::rpc
