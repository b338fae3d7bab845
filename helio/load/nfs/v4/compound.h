// Pieces of COMPOUNDs that blocking calls and the calls of a run have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "helio/load/nfs/calls.h"
#include "helio/load/nfs/files.h"
#include "schema/nfs4.h"

namespace helio::load::nfs::v4 {

using Bits = nfs4::fattr4_attributes::Bits;
using bit = nfs4::fattr4_attributes::bit;

// What Linux's client asks for about a file. It is what fattr3 has, and more.
inline constexpr Bits kFileAttributes{bit::type,          bit::change,      bit::size,
                                      bit::fsid,          bit::fileid,      bit::mode,
                                      bit::numlinks,      bit::owner,       bit::owner_group,
                                      bit::rawdev,        bit::space_used,  bit::time_access,
                                      bit::time_metadata, bit::time_modify, bit::mounted_on_fileid};
// And after it has changed data.
inline constexpr Bits kChangedAttributes{bit::change, bit::size, bit::space_used,
                                         bit::time_metadata, bit::time_modify};
// What FSINFO is at version 3.
inline constexpr Bits kFileSystemAttributes{bit::supported_attrs, bit::lease_time, bit::maxfilesize,
                                            bit::maxread, bit::maxwrite};

// The stateid that an earlier operation of the same COMPOUND returned (RFC 8881 §16.2.3.1.2).
inline constexpr nfs4::stateid4 kCurrentStateid{1, {}};

// A slot of a session (RFC 8881 §2.10.6). `sequence` is that of its next call; it moves on with
// the answer, so a call that had none is sent again as it was.
struct SessionSlot {
    nfs4::sessionid4 session{};
    std::uint32_t number = 0;
    std::uint32_t highest = 0;  // of the session
    std::uint32_t sequence = 1;

    nfs4::nfs_argop4 operation(bool cache_reply) const {
        return nfs4::nfs_argop4::of_opsequence({session, sequence, number, highest, cache_reply});
    }
};

// The result of an operation if it is the expected one and succeeded, else null.
template <auto kIfOperation, auto kIfSuccess>
auto success(const nfs4::nfs_resop4& result)
    -> decltype(((result.*kIfOperation)()->*kIfSuccess)()) {
    const auto* const operation = (result.*kIfOperation)();
    return operation != nullptr ? (operation->*kIfSuccess)() : nullptr;
}

inline nfs4::nfs_argop4 put_handle(const Handle& handle) {
    return nfs4::nfs_argop4::of_opputfh({handle.bytes()});
}

inline nfs4::nfs_argop4 get_attributes(const Bits& wanted) {
    return nfs4::nfs_argop4::of_opgetattr({wanted.words()});
}

// "GETATTR: NFS4ERR_STALE": the operation that ended a COMPOUND, and why.
std::string failure_text(const nfs4::COMPOUND4res& results);

// Nothing: they cannot be decoded, or some of those that describe a file are missing.
std::optional<Answer::Attributes> attributes_of(const nfs4::fattr4& from, xdr::Arena& arena);

// OPEN for reading and writing, by the name in the current directory or the current file itself.
nfs4::OPEN4args open_arguments(std::string_view owner, const nfs4::open_claim4& claim);

}  // namespace helio::load::nfs::v4
