#include <algorithm>
#include <new>
#include <optional>
#include <utility>

#include "helio/nfs/ops/ops.h"
#include "helio/nfs/server/export_tree.h"
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

// Cookies 0, 1 and 2 are reserved (§18.23.3). Then come those of names in the export tree, which
// are listed first, and those of the file system. "." and ".." are not listed.
constexpr std::uint64_t kCookiesReserved = 2;
constexpr std::uint64_t kCookieShift = kCookiesReserved + kExportTableMax;

class Entries final : public ops::Listing {
 public:
    // `node`: the directory in the export tree, or null.
    Entries(Compound& compound, const Wanted& wanted, const ExportTree::Node* node,
            std::size_t room)
        : compound_(compound), wanted_(wanted), node_(node), room_(room) {}

    bool add(const vfs::Entry& entry) override {
        const bool hidden = entry.name == "." || entry.name == ".." || is_crossing(entry.name);
        const Described file{
            .where = where, .id = entry.id, .attributes = entry.attributes, .fileid = entry.fileid};
        if (!hidden && !put(entry.name, entry.cookie + kCookieShift, file)) return false;
        last_cookie = entry.cookie;
        return true;
    }
    // False if there is no room, or no memory.
    bool put(std::string_view entry_name, std::uint64_t cookie, const Described& file) {
        Request& request = compound_.request;
        auto* const made = request.arena().make<entry4>();
        const std::string_view name = request.keep(entry_name);
        if (made == nullptr || name.size() != entry_name.size()) return false;
        new (made) entry4{};
        made->cookie = cookie;
        made->name = name;
        const nfsstat4 described = describe(compound_, wanted_, file, made->attrs);
        if (described == NFS4ERR_DELAY && file.attributes != nullptr)
            unknown_ = Owners{file.attributes->uid, file.attributes->gid};
        if (described != NFS4_OK) return false;
        const std::size_t size = kBesidesName + padded(name.size()) +
                                 4 * made->attrs.attrmask.size() +
                                 padded(made->attrs.attr_vals.size());
        if (size > room_) return false;
        (last_ != nullptr ? last_->nextentry : first_) = made;
        last_ = made;
        room_ -= size;
        bytes_ += size;
        ++entries;
        return true;
    }
    // The owners, whose names are not known, of the entry at which the listing had to stop.
    struct Owners {
        std::uint32_t uid = 0;
        std::uint32_t gid = 0;
    };
    std::optional<Owners> take_unknown() { return std::exchange(unknown_, std::nullopt); }
    const entry4* first() const { return first_; }
    std::size_t bytes() const { return bytes_; }

 private:
    bool is_crossing(std::string_view name) const {
        return node_ != nullptr &&
               ExportTree::child(*node_, name, compound_.request.call().peer) != nullptr;
    }

    Compound& compound_;
    const Wanted& wanted_;
    const ExportTree::Node* node_;
    std::size_t room_;
    std::size_t bytes_ = 0;
    const entry4* first_ = nullptr;
    entry4* last_ = nullptr;
    std::optional<Owners> unknown_;
};

// The names of a node that this client sees, which are the first entries of its directory.
class Crossings final {
 public:
    Crossings(Compound& compound, const Wanted& wanted) : compound_(compound), wanted_(wanted) {}

    // The node of the current directory, if it is one.
    nfsstat4 find() {
        if (!tree_.has_crossings()) [[likely]]
            return NFS4_OK;
        Access directory{compound_.request};
        const Status status = directory.open(compound_.current(), Intent::read);
        if (status != Status::ok) return to_nfs4(status);
        node_ = tree_.find(directory.where(), directory.id());
        is_pseudo_ = tree_.is_pseudo(directory.where());
        return NFS4_OK;
    }
    const ExportTree::Node* node() const { return node_; }
    // NFS4ERR_NOT_SAME: the exports have changed since this listing began, so that its cookies have
    // lost their meaning. In the root of an export the verifier is the file system's.
    nfsstat4 check(const READDIR4args& args) const {
        if (!is_pseudo_ || args.cookie == 0) return NFS4_OK;
        return from_verifier(args.cookieverf) == verifier() ? NFS4_OK : NFS4ERR_NOT_SAME;
    }
    // Of replies that end before the entries of the file system begin.
    std::uint64_t verifier() const { return vfs::change_from(tree_.changed()); }

    // Adds those after the cookie. `full`: there was no room for all of them.
    Task<nfsstat4> add(std::uint64_t cookie, Entries& entries, bool& full);

 private:
    Task<nfsstat4> add(const ExportTree::Node& child, std::uint64_t cookie, Entries& entries,
                       bool& full);
    // As listing the directory itself would.
    Task<nfsstat4> check_rights() {
        vfs::AccessOut rights;
        const Status status = co_await ops::access(compound_.request, compound_.current(),
                                                   vfs::access::kRead, rights);
        if (status != Status::ok) co_return to_nfs4(status);
        co_return (rights.granted & vfs::access::kRead) != 0 ? NFS4_OK : NFS4ERR_ACCESS;
    }

    Compound& compound_;
    const Wanted& wanted_;
    const ExportTree& tree_ = compound_.request.table().tree();
    const ExportTree::Node* node_ = nullptr;
    bool is_pseudo_ = false;
};

Task<nfsstat4> Crossings::add(std::uint64_t cookie, Entries& entries, bool& full) {
    if (cookie > kCookieShift) co_return NFS4_OK;
    const std::size_t first = cookie == 0 ? 0 : cookie - kCookiesReserved;
    const std::size_t count = node_ == nullptr ? 0 : node_->children.size();
    if (first > count) co_return NFS4ERR_BAD_COOKIE;
    if (first == count) co_return NFS4_OK;
    nfsstat4 status = co_await check_rights();
    for (std::size_t i = first; i < count && status == NFS4_OK && !full; ++i) {
        const ExportTree::Node& child = *node_->children[i];
        if (!ExportTree::is_visible(child, compound_.request.call().peer)) continue;
        status = co_await add(child, kCookiesReserved + i + 1, entries, full);
    }
    co_return status;
}

// With the attributes of the export's root, whose file system may be another.
Task<nfsstat4> Crossings::add(const ExportTree::Node& child, std::uint64_t cookie, Entries& entries,
                              bool& full) {
    Request& request = compound_.request;
    const ExportTree::Place place = tree_.place(child, request.call().peer);
    const Handle handle = request.exports().seal(*place.where, place.id);
    Access file{request};
    vfs::Attributes attributes;
    Status status = file.open(handle.view(), Intent::read);
    if (status == Status::ok && wanted_.needs_file())
        status = co_await file.ask([&](const vfs::Caller& caller) {
            return file.files().attributes(caller, file.id(), attributes);
        });
    const nfsstat4 error = to_nfs4(status);
    if (error != NFS4_OK && !wanted_.error()) co_return error;
    if (error == NFS4_OK && wanted_.needs_owners() && compound_.context().names != nullptr) {
        const nfsstat4 learned = co_await learn_owners(compound_, attributes.uid, attributes.gid);
        if (learned != NFS4_OK) co_return learned;
    }
    full = !entries.put(
        child.name, cookie,
        {.where = place.where,
         .id = &place.id,
         .attributes = error == NFS4_OK && wanted_.needs_file() ? &attributes : nullptr,
         .error = error});
    co_return NFS4_OK;
}

}  // namespace

// §18.23.
Task<nfsstat4> readdir(Compound& compound, const READDIR4args& args, READDIR4res& out) {
    const Wanted wanted{args.attr_request};
    if (wanted.write_only()) co_return NFS4ERR_INVAL;
    if (args.cookie == 1 || args.cookie == 2) co_return NFS4ERR_BAD_COOKIE;
    Crossings crossings{compound, wanted};
    nfsstat4 wire = crossings.find();
    if (wire == NFS4_OK) wire = crossings.check(args);
    if (wire != NFS4_OK) co_return wire;
    if (compound.room() == 0) co_return compound.too_big();
    const std::size_t most =
        std::min<std::size_t>({args.maxcount, ops::kTransferBytesMax, compound.room()});
    if (most <= kBesidesEntries) co_return NFS4ERR_TOOSMALL;
    const std::size_t room = most - kBesidesEntries;
    Entries entries{compound, wanted, crossings.node(), room};
    bool full = false;
    wire = co_await crossings.add(args.cookie, entries, full);
    if (wire != NFS4_OK) co_return wire;
    if (full && entries.entries == 0) co_return NFS4ERR_TOOSMALL;
    if (full) {
        compound.use(entries.bytes());
        out = READDIR4res::of_resok4({to_verifier(crossings.verifier()), {entries.first(), false}});
        co_return NFS4_OK;
    }
    vfs::ListOut done;
    const vfs::ListFrom from{.cookie = args.cookie > kCookieShift ? args.cookie - kCookieShift : 0,
                             .verifier = from_verifier(args.cookieverf),
                             .details = true,
                             .room = room,
                             .entry_size = kBesidesName + kAttributesUsual};
    Status status =
        co_await ops::readdir(compound.request, compound.current(), from, entries, done);
    while (const auto unknown = entries.take_unknown()) {
        const nfsstat4 learned = co_await learn_owners(compound, unknown->uid, unknown->gid);
        if (learned != NFS4_OK) co_return learned;
        // It continues after the entries that it has, so with the verifier of those.
        vfs::ListFrom rest = from;
        if (entries.entries > 0) rest.verifier = done.verifier;
        status = co_await ops::readdir(compound.request, compound.current(), rest, entries, done);
    }
    if (status != Status::ok) co_return to_nfs4(status);
    if (entries.entries == 0 && !done.end) co_return NFS4ERR_TOOSMALL;
    compound.use(entries.bytes());
    out = READDIR4res::of_resok4({to_verifier(done.verifier), {entries.first(), done.end}});
    co_return NFS4_OK;
}

}  // namespace helio::nfs::v4
