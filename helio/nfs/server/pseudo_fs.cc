#include "helio/nfs/server/pseudo_fs.h"

#include <cstring>

#include "helio/base/siphash.h"

namespace helio::nfs {

using vfs::Status;

namespace {

// Keys of the two hashes that make an id. They are not secret, and are in handles: they must never
// change.
constexpr std::uint64_t kFirstKey = 0x70736575646f3a31;   // "pseudo:1"
constexpr std::uint64_t kSecondKey = 0x70736575646f3a32;  // "pseudo:2"

}  // namespace

vfs::FileId pseudo_id(std::string_view path) {
    const std::uint64_t hashes[] = {siphash24(kFirstKey, 0, as_bytes(path)),
                                    siphash24(kSecondKey, 0, as_bytes(path))};
    vfs::FileId id;
    static_assert(sizeof hashes <= vfs::kFileIdMax);
    std::memcpy(id.bytes.data(), hashes, sizeof hashes);
    id.size = sizeof hashes;
    return id;
}

// Below 2^63, as some clients keep the number in a signed one.
std::uint64_t pseudo_fileid(const vfs::FileId& id) {
    std::uint64_t hash;
    std::memcpy(&hash, id.bytes.data(), sizeof hash);
    hash >>= 1;
    return hash == 0 ? 1 : hash;
}

Status PseudoFs::attributes(const vfs::Caller&, const vfs::FileId& file, vfs::Attributes& out) {
    if (!directories_.contains(file)) return Status::stale;
    out = {};
    out.type = vfs::FileType::directory;
    out.mode = 0555;
    // Like Btrfs. How many directories there are below depends on the client.
    out.links = 1;
    out.fileid = pseudo_fileid(file);
    out.accessed = out.modified = out.changed = changed_;
    out.change = vfs::change_from(changed_);
    return Status::ok;
}

Status PseudoFs::lookup(const vfs::Caller& caller, const vfs::FileId& directory, std::string_view,
                        vfs::LookupOut& out) {
    vfs::Attributes now;
    if (const Status status = attributes(caller, directory, now); status != Status::ok)
        return status;
    out.directory = now;
    return Status::not_found;
}

Status PseudoFs::refuse_directory(const vfs::Caller& caller, const vfs::FileId& directory) {
    vfs::Attributes now;
    const Status status = attributes(caller, directory, now);
    return status == Status::ok ? Status::is_a_directory : status;
}

Status PseudoFs::read(const vfs::Caller& caller, const vfs::FileId& file, std::uint64_t,
                      std::uint32_t, vfs::Memory&, vfs::ReadOut&) {
    return refuse_directory(caller, file);
}

Status PseudoFs::commit(const vfs::Caller& caller, const vfs::FileId& file, std::uint64_t,
                        std::uint64_t, vfs::Change&) {
    return refuse_directory(caller, file);
}

Status PseudoFs::list(const vfs::Caller& caller, const vfs::FileId& directory,
                      const vfs::ListFrom& from, vfs::EntrySink&, vfs::ListOut& out) {
    vfs::Attributes now;
    if (const Status status = attributes(caller, directory, now); status != Status::ok)
        return status;
    out.directory = now;
    out.verifier = now.change;
    out.end = true;
    return from.cookie == 0 ? Status::ok : Status::bad_cookie;
}

}  // namespace helio::nfs
