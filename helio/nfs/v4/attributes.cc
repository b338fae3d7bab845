#include "helio/nfs/v4/attributes.h"

#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <string>

#include "helio/nfs/ops/ops.h"
#include "helio/nfs/server/export_tree.h"
#include "helio/nfs/wire/status.h"

namespace helio::nfs::v4 {

using namespace nfs4;
using vfs::Status;
using Attributes4 = fattr4_attributes;
using Bits = Attributes4::Bits;
using bit = Attributes4::bit;

namespace {

constexpr Bits kSettable{
    bit::size, bit::mode, bit::owner, bit::owner_group, bit::time_access_set, bit::time_modify_set};
constexpr Bits kWriteOnly{bit::time_access_set, bit::time_modify_set};
constexpr Bits kSupported{bit::supported_attrs,
                          bit::type,
                          bit::fh_expire_type,
                          bit::change,
                          bit::size,
                          bit::link_support,
                          bit::symlink_support,
                          bit::named_attr,
                          bit::fsid,
                          bit::unique_handles,
                          bit::lease_time,
                          bit::rdattr_error,
                          bit::aclsupport,
                          bit::cansettime,
                          bit::case_insensitive,
                          bit::case_preserving,
                          bit::chown_restricted,
                          bit::filehandle,
                          bit::fileid,
                          bit::files_avail,
                          bit::files_free,
                          bit::files_total,
                          bit::homogeneous,
                          bit::maxfilesize,
                          bit::maxlink,
                          bit::maxname,
                          bit::maxread,
                          bit::maxwrite,
                          bit::mode,
                          bit::no_trunc,
                          bit::numlinks,
                          bit::owner,
                          bit::owner_group,
                          bit::rawdev,
                          bit::space_avail,
                          bit::space_free,
                          bit::space_total,
                          bit::space_used,
                          bit::time_access,
                          bit::time_access_set,
                          bit::time_delta,
                          bit::time_metadata,
                          bit::time_modify,
                          bit::time_modify_set,
                          bit::mounted_on_fileid,
                          bit::suppattr_exclcreat,
                          bit::change_attr_type};
constexpr Bits kOfSpace{bit::files_avail, bit::files_free, bit::files_total,
                        bit::space_avail, bit::space_free, bit::space_total};
// Known without the file's attributes.
constexpr Bits kOfAnyFile =
    kSupported - Bits{bit::type,       bit::change,     bit::size,        bit::fsid,
                      bit::mode,       bit::numlinks,   bit::owner,       bit::owner_group,
                      bit::rawdev,     bit::space_used, bit::time_access, bit::time_metadata,
                      bit::time_modify};

nfs_ftype4 to_wire(vfs::FileType type) {
    switch (type) {
        case vfs::FileType::regular:
            return NF4REG;
        case vfs::FileType::directory:
            return NF4DIR;
        case vfs::FileType::block_device:
            return NF4BLK;
        case vfs::FileType::character_device:
            return NF4CHR;
        case vfs::FileType::symlink:
            return NF4LNK;
        case vfs::FileType::socket:
            return NF4SOCK;
        case vfs::FileType::fifo:
            return NF4FIFO;
    }
    return NF4REG;
}

nfstime4 to_wire(const vfs::Time& time) { return {time.seconds, time.nanoseconds}; }

using Kind = UserNames::Kind;
using Wait = UserNames::Wait;

// Users and groups are numbers, as RFC 8881 §5.9 allows, or names if the server has a domain.
// NFS4ERR_DELAY: the name is not known; learn_owners() has to come first.
nfsstat4 put_owner(Compound& compound, Kind kind, std::uint32_t id, std::string_view& out) {
    if (UserNames* const names = compound.context().names) {
        std::string text;
        if (names->text_of(kind, id, Wait::no, text) != Status::ok) return NFS4ERR_DELAY;
        out = compound.request.keep(text);
    } else {
        std::array<char, std::numeric_limits<std::uint32_t>::digits10 + 1> digits;
        const auto end = std::to_chars(digits.begin(), digits.end(), id).ptr;
        out = compound.request.keep({digits.begin(), end});
    }
    return out.empty() ? NFS4ERR_SERVERFAULT : NFS4_OK;
}

nfsstat4 owner_in(Compound& compound, Kind kind, std::string_view text,
                  std::optional<std::uint32_t>& out) {
    std::uint32_t id = 0;
    UserNames* const names = compound.context().names;
    const Status status = names != nullptr         ? names->id_of(kind, text, Wait::no, id)
                          : parse_number(text, id) ? Status::ok
                                                   : Status::invalid;
    if (status != Status::ok) return status == Status::invalid ? NFS4ERR_BADOWNER : NFS4ERR_DELAY;
    out = id;
    return NFS4_OK;
}

std::uint64_t change_of(const Export& where, const vfs::Attributes& attributes) {
    return where.files->change_kind() == vfs::ChangeKind::absent
               ? vfs::change_from(attributes.changed)
               : attributes.change;
}

// The same for every file of a file system.
constexpr Bits kConstants =
    kOfAnyFile - kOfSpace - Bits{bit::filehandle, bit::fileid, bit::mounted_on_fileid};

// Attributes in kConstants.
void put_constants(const Export& where, const rpc::Call& call, Attributes4& out) {
    const vfs::Limits limits = where.files->limits();
    out.supported_attrs = kSupported.words();
    out.suppattr_exclcreat = kSettable.words();
    out.fh_expire_type = FH4_PERSISTENT;
    out.link_support = limits.hard_links;
    out.symlink_support = limits.symlinks;
    out.named_attr = false;
    out.unique_handles = true;
    out.aclsupport = 0;
    out.cansettime = true;
    out.case_insensitive = limits.case_insensitive;
    out.case_preserving = limits.case_preserving;
    out.chown_restricted = limits.chown_restricted;
    out.homogeneous = true;
    out.maxfilesize = limits.file_size_max;
    out.maxlink = limits.links_max;
    out.maxname = limits.name_size_max;
    out.maxread = ops::transfer_bytes_max(call);
    out.maxwrite = ops::transfer_bytes_max(call);
    out.no_trunc = !limits.names_cut;
    out.time_delta = to_wire(limits.time_step);
    out.change_attr_type = where.files->change_kind() == vfs::ChangeKind::counter
                               ? NFS4_CHANGE_TYPE_IS_VERSION_COUNTER
                               : NFS4_CHANGE_TYPE_IS_TIME_METADATA;
}

nfsstat4 put_file(Compound& compound, const Described& file, Attributes4& out) {
    const vfs::Attributes& from = *file.attributes;
    out.type = to_wire(from.type);
    out.change = change_of(*file.where, from);
    out.size = from.size;
    // Two exports may be directories of the same file system. Clients must not take them for one:
    // rights, and what is read-only, differ.
    out.fsid = fsid4{from.fsid, file.where->tag};
    out.mode = from.mode;
    out.numlinks = from.links;
    out.rawdev = {from.device_major, from.device_minor};
    out.space_used = from.used;
    out.time_access = to_wire(from.accessed);
    out.time_metadata = to_wire(from.changed);
    out.time_modify = to_wire(from.modified);
    nfsstat4 status = NFS4_OK;
    if (out.present.test(bit::owner)) status = put_owner(compound, Kind::user, from.uid, out.owner);
    if (status == NFS4_OK && out.present.test(bit::owner_group))
        status = put_owner(compound, Kind::group, from.gid, out.owner_group);
    return status;
}

void put_space(const vfs::Space& from, Attributes4& out) {
    out.files_avail = from.files_available;
    out.files_free = from.files_free;
    out.files_total = from.files_total;
    out.space_avail = from.bytes_available;
    out.space_free = from.bytes_free;
    out.space_total = from.bytes_total;
}

// The root of an export is mounted on a directory of the tree (§5.8.2.23).
std::uint64_t mounted_on(const Compound& compound, const Described& file, std::uint64_t fileid) {
    if (file.id == nullptr) return fileid;
    const auto* const node = compound.request.table().tree().find(*file.where, *file.id);
    return node != nullptr && node->parent != nullptr ? node->fileid : fileid;
}

bitmap4 kept(Compound& compound, const Bits& bits) {
    const auto words = bits.words();
    auto* const copy = compound.request.arena().make<std::uint32_t>(words.size());
    if (copy == nullptr) return {};
    std::copy(words.begin(), words.end(), copy);
    return {copy, words.size()};
}

std::optional<vfs::NewTime> time_in(const settime4& from) {
    const nfstime4* const time = from.if_time();
    if (time == nullptr) return vfs::NewTime{vfs::NewTime::How::now, {}};
    if (time->nseconds >= 1'000'000'000) return std::nullopt;
    return vfs::NewTime{vfs::NewTime::How::set, {time->seconds, time->nseconds}};
}

}  // namespace

Wanted::Wanted(const bitmap4& request) {
    all_supported_ = bits_.take(request, kSupported) == Bits::kNone;
    write_only_ = !(bits_ & kWriteOnly).empty();
}

bool Wanted::error() const { return bits_.test(bit::rdattr_error); }
bool Wanted::needs_file() const { return !(bits_ - kOfAnyFile).empty() || bits_.test(bit::fileid); }
bool Wanted::needs_owners() const { return bits_.test(bit::owner) || bits_.test(bit::owner_group); }
bool Wanted::needs_space() const { return !(bits_ & kOfSpace).empty(); }

nfsstat4 describe(Compound& compound, const Wanted& wanted, const Described& file, fattr4& out) {
    Attributes4 values;
    values.present = wanted.bits();
    if (file.space == nullptr) values.present -= kOfSpace;
    if (file.id == nullptr) values.present.reset(bit::filehandle);
    if (file.attributes == nullptr) values.present &= kOfAnyFile;
    if (!(values.present & kConstants).empty())
        put_constants(*file.where, compound.request.call(), values);
    values.lease_time = static_cast<std::uint32_t>(compound.state().lease().count());
    values.rdattr_error = file.error;
    if (file.space != nullptr) put_space(*file.space, values);
    const std::uint64_t fileid = file.attributes != nullptr ? file.attributes->fileid : file.fileid;
    values.fileid = fileid;
    if (file.attributes == nullptr && fileid == 0) values.present.reset(bit::fileid);
    if (values.present.test(bit::mounted_on_fileid))
        values.mounted_on_fileid = mounted_on(compound, file, fileid);
    if (file.attributes != nullptr)
        if (const nfsstat4 status = put_file(compound, file, values); status != NFS4_OK)
            return status;
    if (values.present.test(bit::filehandle)) {
        values.filehandle = compound.request.keep_handle(*file.where, *file.id);
        if (values.filehandle.empty()) return NFS4ERR_SERVERFAULT;
    }
    out.attrmask = kept(compound, values.present);
    if (!pack_fattr4_attributes(compound.request.arena(), values, out.attr_vals))
        return NFS4ERR_SERVERFAULT;
    return NFS4_OK;
}

bool describe_current_now(Compound& compound, const Wanted& wanted, fattr4& out, nfsstat4& status) {
    const bool by_name = compound.context().names != nullptr && wanted.needs_owners();
    if (wanted.needs_space() || by_name) return false;
    Status found = compound.open(Intent::read);
    const vfs::Attributes* attributes = compound.fresh_attributes();
    vfs::Attributes now;
    Access& file = compound.file();
    if (found == Status::ok) {
        if (attributes == nullptr) {
            attributes = &now;
            found = file.ask_now([&](const vfs::Caller& caller) {
                return file.files().attributes(caller, file.id(), now);
            });
            if (found == Status::would_block || found == Status::stale) return false;
        }
        file.finish(found);
    }
    status =
        found != Status::ok
            ? to_nfs4(found)
            : describe(compound, wanted,
                       {.where = &file.where(), .id = &file.id(), .attributes = attributes}, out);
    return true;
}

Task<nfsstat4> describe_current(Compound& compound, const Wanted& wanted, fattr4& out) {
    Status status = compound.open(Intent::read);
    if (status != Status::ok) co_return to_nfs4(status);
    Access& file = compound.file();
    vfs::Attributes attributes;
    status = co_await file.ask([&](const vfs::Caller& caller) {
        return file.files().attributes(caller, file.id(), attributes);
    });
    if (status == Status::stale)
        if (const auto open = compound.state().any_open(compound.key()))
            status = co_await file.ask(
                [&](const vfs::Caller& caller) { return open->attributes(caller, attributes); });
    vfs::Space space;
    if (status == Status::ok && wanted.needs_space())
        status = co_await file.ask([&](const vfs::Caller& caller) {
            return file.files().space(caller, file.id(), space);
        });
    if (file.finish(status) != Status::ok) co_return to_nfs4(status);
    if (wanted.needs_owners() && compound.context().names != nullptr)
        if (const nfsstat4 learned =
                co_await learn_owners(compound, attributes.uid, attributes.gid);
            learned != NFS4_OK)
            co_return learned;
    co_return describe(
        compound, wanted,
        {.where = &file.where(), .id = &file.id(), .attributes = &attributes, .space = &space},
        out);
}

// It takes long: others on the pool should not have to wait for a slow directory service.
Task<nfsstat4> learn_owners(Compound& compound, std::uint32_t uid, std::uint32_t gid) {
    UserNames& names = *compound.context().names;
    Access file{compound.request};
    Status status = file.open(compound.current(), Intent::read);
    file.take_long();
    std::string text;
    for (const auto& whose : {std::pair{Kind::user, uid}, std::pair{Kind::group, gid}}) {
        if (status != Status::ok) break;
        status = co_await file.ask([&](const vfs::Caller& caller) {
            return names.text_of(whose.first, whose.second, caller.may_block ? Wait::yes : Wait::no,
                                 text);
        });
    }
    co_return to_nfs4(status);
}

Task<nfsstat4> learn_owners(Compound& compound, const fattr4& from) {
    Attributes4 values;
    xdr::Reader in{from.attr_vals, compound.request.arena()};
    // changes_in() says what is wrong.
    if (!decode_fattr4_attributes(in, from.attrmask, values)) co_return NFS4_OK;
    UserNames& names = *compound.context().names;
    Access file{compound.request};
    Status status = file.open(compound.current(), Intent::read);
    file.take_long();
    std::uint32_t id = 0;
    struct Named {
        std::uint32_t which;
        Kind kind;
        std::string_view text;
    };
    for (const Named& one : {Named{bit::owner, Kind::user, values.owner},
                             Named{bit::owner_group, Kind::group, values.owner_group}}) {
        if (status != Status::ok || !values.present.test(one.which)) continue;
        status = co_await file.ask([&](const vfs::Caller& caller) {
            return names.id_of(one.kind, one.text, caller.may_block ? Wait::yes : Wait::no, id);
        });
    }
    co_return status == Status::invalid ? NFS4ERR_BADOWNER : to_nfs4(status);
}

nfsstat4 changes_in(Compound& compound, const fattr4& from, vfs::Changes& out) {
    Attributes4 values;
    xdr::Reader in{from.attr_vals, compound.request.arena()};
    if (Bits{}.take(from.attrmask, kSettable) != Bits::kNone) {
        const bool supported = Bits{}.take(from.attrmask, kSupported) == Bits::kNone;
        return supported ? NFS4ERR_INVAL : NFS4ERR_ATTRNOTSUPP;
    }
    if (!decode_fattr4_attributes(in, from.attrmask, values)) return NFS4ERR_BADXDR;
    if (values.present.test(bit::size)) out.size = values.size;
    if (values.present.test(bit::mode)) {
        if ((values.mode & ~07777u) != 0) return NFS4ERR_INVAL;
        out.mode = values.mode;
    }
    nfsstat4 status = NFS4_OK;
    if (values.present.test(bit::owner))
        status = owner_in(compound, Kind::user, values.owner, out.uid);
    if (status == NFS4_OK && values.present.test(bit::owner_group))
        status = owner_in(compound, Kind::group, values.owner_group, out.gid);
    if (status != NFS4_OK) return status;
    for (const auto& [which, value, to] :
         {std::tuple{bit::time_access_set, &values.time_access_set, &out.accessed},
          std::tuple{bit::time_modify_set, &values.time_modify_set, &out.modified}}) {
        if (!values.present.test(which)) continue;
        const auto time = time_in(*value);
        if (!time) return NFS4ERR_INVAL;
        *to = *time;
    }
    return NFS4_OK;
}

bitmap4 bits_of(Compound& compound, const vfs::Changes& changes) {
    Bits bits;
    if (changes.size) bits.set(bit::size);
    if (changes.mode) bits.set(bit::mode);
    if (changes.uid) bits.set(bit::owner);
    if (changes.gid) bits.set(bit::owner_group);
    if (changes.accessed.how != vfs::NewTime::How::leave) bits.set(bit::time_access_set);
    if (changes.modified.how != vfs::NewTime::How::leave) bits.set(bit::time_modify_set);
    return kept(compound, bits);
}

}  // namespace helio::nfs::v4
