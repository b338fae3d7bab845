#include <algorithm>
#include <new>

#include "helio/nfs/ops/ops.h"
#include "helio/nfs/v4/attributes.h"
#include "helio/nfs/v4/operations_internal.h"
#include "helio/nfs/wire/status.h"
#include "helio/nfs/wire/verifier.h"

namespace helio::nfs::v4 {

using namespace nfs4;
using vfs::Status;

namespace {

// Of READDIR4resok besides entries: the verifier, the end of the list and eof.
constexpr std::size_t kBesidesEntries = 8 + 4 + 4;
// Of an entry besides its name and attributes: presence word, cookie, the name's length, lengths of
// both parts of fattr4.
constexpr std::size_t kBesidesName = 4 + 8 + 4 + 4 + 4;
// A guess for attributes that Linux asks for.
constexpr std::size_t kAttributesUsual = 200;

// Cookies 0, 1 and 2 are reserved (§18.23.3), so ours are shifted. "." and ".." are not listed.
constexpr std::uint64_t kCookieShift = 2;

class Entries final : public ops::Listing {
 public:
    Entries(Compound& compound, const Wanted& wanted, std::size_t room)
        : compound_(compound), wanted_(wanted), room_(room) {}

    bool add(const vfs::Entry& entry) override {
        if (entry.name == "." || entry.name == "..") {
            last_cookie = entry.cookie;
            return true;
        }
        Request& request = compound_.request;
        auto* const made = request.arena().make<entry4>();
        const std::string_view name = request.keep(entry.name);
        if (made == nullptr || name.size() != entry.name.size()) return false;
        new (made) entry4{};
        made->cookie = entry.cookie + kCookieShift;
        made->name = name;
        const Described file{
            .where = where, .id = entry.id, .attributes = entry.attributes, .fileid = entry.fileid};
        if (describe(compound_, wanted_, file, made->attrs) != NFS4_OK) return false;
        const std::size_t size = kBesidesName + padded(name.size()) +
                                 4 * made->attrs.attrmask.size() +
                                 padded(made->attrs.attr_vals.size());
        if (size > room_) return false;
        (last_ != nullptr ? last_->nextentry : first_) = made;
        last_ = made;
        room_ -= size;
        bytes_ += size;
        ++entries;
        last_cookie = entry.cookie;
        return true;
    }
    const entry4* first() const { return first_; }
    std::size_t bytes() const { return bytes_; }

 private:
    Compound& compound_;
    const Wanted& wanted_;
    std::size_t room_;
    std::size_t bytes_ = 0;
    const entry4* first_ = nullptr;
    entry4* last_ = nullptr;
};

}  // namespace

// §18.23.
Task<nfsstat4> readdir(Compound& compound, const READDIR4args& args, READDIR4res& out) {
    const Wanted wanted{args.attr_request};
    if (wanted.write_only()) co_return NFS4ERR_INVAL;
    if (args.cookie == 1 || args.cookie == 2) co_return NFS4ERR_BAD_COOKIE;
    if (compound.room() == 0) co_return NFS4ERR_REP_TOO_BIG;
    const std::size_t most =
        std::min<std::size_t>({args.maxcount, ops::kTransferBytesMax, compound.room()});
    if (most <= kBesidesEntries) co_return NFS4ERR_TOOSMALL;
    const std::size_t room = most - kBesidesEntries;
    Entries entries{compound, wanted, room};
    vfs::ListOut done;
    const vfs::ListFrom from{.cookie = args.cookie == 0 ? 0 : args.cookie - kCookieShift,
                             .verifier = from_verifier(args.cookieverf),
                             .details = true,
                             .room = room,
                             .entry_size = kBesidesName + kAttributesUsual};
    const Status status =
        co_await ops::readdir(compound.request, compound.current(), from, entries, done);
    if (status != Status::ok) co_return to_nfs4(status);
    if (entries.entries == 0 && !done.end) co_return NFS4ERR_TOOSMALL;
    compound.use(entries.bytes());
    out = READDIR4res::of_resok4({to_verifier(done.verifier), {entries.first(), done.end}});
    co_return NFS4_OK;
}

}  // namespace helio::nfs::v4
