#include <algorithm>
#include <limits>
#include <new>

#include "helio/portmap/policy_internal.h"
#include "helio/portmap/statistics_internal.h"

namespace helio::portmap {

namespace {

// The wire's counters are signed: they stop at their maximum instead of becoming negative.
std::int32_t count_to_wire(std::uint32_t count) {
    return static_cast<std::int32_t>(
        std::min<std::uint32_t>(count, std::numeric_limits<std::int32_t>::max()));
}

void count(std::uint32_t& counter) {
    if (counter < std::numeric_limits<std::uint32_t>::max()) ++counter;
}

}  // namespace

void Statistics::count_call(std::uint32_t version, std::uint32_t procedure) {
    const std::lock_guard lock{mutex_};
    count(of(version).calls[procedure]);
}

void Statistics::count_set(std::uint32_t version) {
    const std::lock_guard lock{mutex_};
    count(of(version).set);
}

void Statistics::count_unset(std::uint32_t version) {
    const std::lock_guard lock{mutex_};
    count(of(version).unset);
}

void Statistics::count_lookup(std::uint32_t version, std::uint32_t program,
                              std::uint32_t program_version, std::string_view netid, bool found) {
    const std::lock_guard lock{mutex_};
    auto& list = of(version).lookups;
    auto at = std::find_if(list.begin(), list.end(), [&](const Lookup& one) {
        return one.program == program && one.version == program_version && one.netid == netid;
    });
    if (at == list.end()) {
        if (list.size() >= kProgramsCountedMax) return;
        at = list.insert(at, {program, program_version, std::string{netid}, 0, 0});
    }
    count(found ? at->found : at->missed);
}

void Statistics::count_relay(std::uint32_t version, std::uint32_t program,
                             std::uint32_t program_version, std::uint32_t procedure, bool indirect,
                             std::string_view netid) {
    const std::lock_guard lock{mutex_};
    auto& list = of(version).relays;
    auto at = std::find_if(list.begin(), list.end(), [&](const Relay& one) {
        return one.program == program && one.version == program_version &&
               one.procedure == procedure && one.indirect == indirect && one.netid == netid;
    });
    if (at == list.end()) {
        if (list.size() >= kProgramsCountedMax) return;
        at =
            list.insert(at, {program, program_version, procedure, indirect, std::string{netid}, 0});
    }
    count(at->refused);
}

rpcb::rpcb_stat_byvers Statistics::all(xdr::Arena& arena) const {
    rpcb::rpcb_stat_byvers out{};
    const std::lock_guard lock{mutex_};
    for (std::size_t i = 0; i < versions_.size(); ++i) {
        const Version& from = versions_[i];
        std::transform(from.calls.begin(), from.calls.end(), out[i].info.begin(), count_to_wire);
        out[i].setinfo = count_to_wire(from.set);
        out[i].unsetinfo = count_to_wire(from.unset);
        for (const Lookup& one : from.lookups) {
            auto* const entry = arena.make<rpcb::rpcbs_addrlist>();
            if (entry == nullptr) break;
            out[i].addrinfo = new (entry) rpcb::rpcbs_addrlist{one.program,
                                                               one.version,
                                                               count_to_wire(one.found),
                                                               count_to_wire(one.missed),
                                                               keep(arena, one.netid),
                                                               out[i].addrinfo};
        }
        for (const Relay& one : from.relays) {
            auto* const entry = arena.make<rpcb::rpcbs_rmtcalllist>();
            if (entry == nullptr) break;
            out[i].rmtinfo = new (entry) rpcb::rpcbs_rmtcalllist{one.program,
                                                                 one.version,
                                                                 one.procedure,
                                                                 0,
                                                                 count_to_wire(one.refused),
                                                                 one.indirect,
                                                                 keep(arena, one.netid),
                                                                 out[i].rmtinfo};
        }
    }
    return out;
}

std::size_t Statistics::encoded_bytes() const {
    std::size_t words = 0;
    const std::lock_guard lock{mutex_};
    for (const Version& one : versions_) {
        words += one.calls.size() + 4;                             // and the ends of two lists
        words += one.lookups.size() * 8 + one.relays.size() * 10;  // netids of two words
    }
    return words * 4;
}

}  // namespace helio::portmap
