// How long a client of NFS 4 may be silent before others may take what it holds (RFC 8881 §8.3).
// After a restart, clients have as long to reclaim it: the grace period.
#pragma once

#include <chrono>

namespace helio::nfs::state {

// Long enough for a reboot of a switch, short enough to wait for.
inline constexpr std::chrono::seconds kLeaseDefault{60};
// Linux's client renews a lease every 5 s at most, so that a shorter one would not survive a
// single lost packet. nfsd of Linux has the same bounds.
inline constexpr std::chrono::seconds kLeaseMin{10};
inline constexpr std::chrono::seconds kLeaseMax{3600};

}  // namespace helio::nfs::state
