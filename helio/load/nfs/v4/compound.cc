#include "helio/load/nfs/v4/compound.h"

#include <fmt/format.h>

#include "helio/load/nfs/calls_internal.h"

namespace helio::load::nfs::v4 {

using namespace nfs4;

std::string failure_text(const COMPOUND4res& results) {
    const std::string status = status_text(to_string(results.status), results.status);
    if (results.resarray.empty()) return status;
    std::string_view operation = to_string(results.resarray[results.resarray.size() - 1].resop());
    if (operation.starts_with("OP_")) operation.remove_prefix(3);
    return fmt::format("{}: {}", operation, status);
}

std::optional<Answer::Attributes> attributes_of(const fattr4& from, xdr::Arena& arena) {
    fattr4_attributes values;
    xdr::Reader in{from.attr_vals, arena, xdr::Mode::strict};
    if (!decode_fattr4_attributes(in, from.attrmask, values) || !in.finish()) return std::nullopt;
    const Bits& has = values.present;
    if (!has.test(bit::type) || !has.test(bit::fileid) || !has.test(bit::size)) return std::nullopt;
    return Answer::Attributes{values.type == NF4REG, values.fileid, values.size};
}

OPEN4args open_arguments(std::string_view owner, const open_claim4& claim) {
    OPEN4args arguments;
    // There is no back channel to recall a delegation.
    arguments.share_access = OPEN4_SHARE_ACCESS_BOTH | OPEN4_SHARE_ACCESS_WANT_NO_DELEG;
    arguments.owner = {0, as_bytes(owner)};
    arguments.openhow = openflag4::of(OPEN4_NOCREATE);
    arguments.claim = claim;
    return arguments;
}

}  // namespace helio::load::nfs::v4
