#include <algorithm>
#include <span>
#include <vector>

#include "helio/nfs/ops/ops.h"
#include "helio/nfs/v2/readdir_internal.h"
#include "helio/nfs/wire/status.h"
#include "helio/xdr/wire.h"

namespace helio::nfs::v2 {

using namespace helio::nfs2;
using vfs::Status;

namespace {

nfscookie to_cookie(std::uint32_t from) {
    nfscookie out;
    xdr::store_u32(out.data(), from);
    return out;
}

// Presence word, fileid, the name's length, cookie.
constexpr std::size_t kBesidesName = 4 * 4;

class Names final : public ops::Listing {
 public:
    Names(Request& request, std::size_t room) : request_(request), room_(room) {}

    bool add(const vfs::Entry& from) override {
        const std::size_t size = kBesidesName + padded(from.name.size());
        if (size > room_) return false;
        entry* const made = request_.arena().make<entry>();
        const std::string_view name = request_.keep(from.name);
        if (made == nullptr || name.size() != from.name.size()) return false;
        new (made) entry{folded(from.fileid), name, to_cookie(short_cookie(from.cookie)), nullptr};
        (last_ != nullptr ? last_->nextentry : first_) = made;
        last_ = made;
        cookies_.push_back(from.cookie);
        room_ -= size;
        ++entries;
        last_cookie = from.cookie;
        return true;
    }
    const entry* first() const { return first_; }
    std::span<const std::uint64_t> cookies() const { return cookies_; }

 private:
    Request& request_;
    std::size_t room_;
    const entry* first_ = nullptr;
    entry* last_ = nullptr;
    std::vector<std::uint64_t> cookies_;
};

// Looks for the entry that a forgotten cookie was made from.
class Seeker final : public ops::Listing {
 public:
    explicit Seeker(std::uint32_t wanted) : wanted_(wanted) {}
    bool add(const vfs::Entry& from) override {
        if (found) return false;
        ++entries;
        last_cookie = from.cookie;
        if (short_cookie(from.cookie) == wanted_) found = from.cookie;
        return true;
    }
    std::optional<std::uint64_t> found;

 private:
    std::uint32_t wanted_;
};

Task<Status> open_cookie(Request& request, const readdirargs& args, const Cookies& cookies,
                         std::uint64_t& out) {
    const std::uint32_t cookie = xdr::load_u32(args.cookie.data());
    if (const auto known = cookies.find(args.dir, cookie)) {
        out = *known;
        co_return Status::ok;
    }
    Seeker seeker{cookie};
    vfs::ListOut listed;
    const Status status = co_await ops::readdir(request, args.dir, {}, seeker, listed);
    if (status != Status::ok) co_return status;
    if (!seeker.found) co_return Status::bad_cookie;
    out = *seeker.found;
    co_return Status::ok;
}

}  // namespace

Task<readdirres> readdir(Context& context, rpc::Call& call, readdirargs args) {
    Request request{context.service, call};
    constexpr std::size_t kBesidesEntries = 4 + 4;  // the end of the list, eof
    constexpr std::size_t kStatus = 4;              // which `count` does not include
    const std::size_t fits = request.call().results_bytes_max();
    const std::size_t whole = std::min<std::size_t>(
        {args.count, ops::kTransferBytesMax, fits > kStatus ? fits - kStatus : 0});
    Names names{request, whole > kBesidesEntries ? whole - kBesidesEntries : 0};
    vfs::ListFrom from;
    from.room = whole;
    from.entry_size = kBesidesName;
    vfs::ListOut out;
    Status status = co_await open_cookie(request, args, context.cookies, from.cookie);
    if (status == Status::ok) status = co_await ops::readdir(request, args.dir, from, names, out);
    if (status == Status::busy) call.set_outcome(xdr::Outcome::silent);
    if (status != Status::ok) co_return readdirres::of(to_nfs2(status));
    context.cookies.remember(args.dir, names.cookies());
    co_return readdirres::of_readdirok({names.first(), out.end});
}

}  // namespace helio::nfs::v2
