// The operations of NFS 4.1 and 4.2, by number.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "helio/base/task.h"
#include "helio/nfs/v4/compound.h"

namespace helio::nfs::v4 {

// What an operation needs to have come before it.
enum class Needs : std::uint8_t {
    nothing,  // it is outside of sessions, and then has to be alone
    session,
    file,  // a session and a current file
};

// One operation, with the types of its arguments and its result taken off.
struct Row {
    nfs4::nfs_opnum4 number{};
    Needs needs = Needs::file;
    // One of them, or both: `now` is then tried first, and returns false if it may have to wait.
    bool (*now)(Compound&, const nfs4::nfs_argop4&, nfs4::nfs_resop4&,
                nfs4::nfsstat4& status) = nullptr;
    Task<nfs4::nfsstat4> (*task)(Compound&, const nfs4::nfs_argop4&, nfs4::nfs_resop4&) = nullptr;
    void (*fail)(nfs4::nfs_resop4&, nfs4::nfsstat4) = nullptr;
};

inline constexpr std::uint32_t kFirstOperation = nfs4::OP_ACCESS;
// The place in the table is the number, less that of the first.
inline constexpr std::size_t kRowCount = nfs4::OP_REMOVEXATTR - kFirstOperation + 1;
extern const std::array<Row, kRowCount> kRows;

// Minor version 2 begins here; 1 does not have these (RFC 7862 §15).
inline constexpr std::uint32_t kFirstOfMinor2 = nfs4::OP_ALLOCATE;

// nullptr: there is no such operation.
inline const Row* row_of(std::uint32_t number, std::uint32_t minor_version) {
    if (number - kFirstOperation >= kRowCount) return nullptr;
    if (number >= kFirstOfMinor2 && minor_version < 2) return nullptr;
    return &kRows[number - kFirstOperation];
}

}  // namespace helio::nfs::v4
