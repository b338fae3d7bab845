#include <algorithm>

#include "helio/nfs/v3/procedures_internal.h"

namespace helio::nfs::v3 {

using namespace nfs3;
using vfs::Status;

namespace {

constexpr std::size_t kStatus = 4;
// The directory's attributes (which may be absent), the verifier, the end of the list and eof.
constexpr std::size_t kBesidesEntries = (4 + 84) + 8 + 4 + 4;
// The word that an entry follows, fileid, the name's length, cookie.
constexpr std::size_t kBesidesName = 4 + 8 + 4 + 8;

// READDIRPLUS adds attributes and a handle, here of the most common size.
constexpr std::size_t kBesidesNamePlus = kBesidesName + (4 + 84) + (4 + 4 + 24);

// What entries may take of a reply of `count` bytes, which is the size of resok: the status comes
// besides.
std::size_t room_for_entries(const Request& request, std::uint32_t count) {
    const std::size_t fits = request.call().results_bytes_max();
    const std::size_t whole =
        std::min<std::size_t>({count, ops::kTransferBytesMax, fits > kStatus ? fits - kStatus : 0});
    return whole > kBesidesEntries ? whole - kBesidesEntries : 0;
}

// A list of the generated type, entry behind entry in the arena.
template <class Entry>
class ListOf : public ops::Listing {
 public:
    ListOf(Request& request, std::size_t room) : request_(request), room_(room) {}
    const Entry* first() const { return first_; }

 protected:
    bool fits(std::size_t size) const { return size <= room_; }
    // nullptr: no memory, which is like no room.
    Entry* append(const vfs::Entry& from, std::size_t size) {
        Entry* const made = request_.arena().template make<Entry>();
        const std::string_view name = request_.keep(from.name);
        if (made == nullptr || name.size() != from.name.size()) return nullptr;
        new (made) Entry{};
        made->fileid = from.fileid;
        made->name = name;
        made->cookie = from.cookie;
        (last_ != nullptr ? last_->nextentry : first_) = made;
        last_ = made;
        room_ -= size;
        ++entries;
        last_cookie = from.cookie;
        return made;
    }

    Request& request_;

 private:
    std::size_t room_;
    const Entry* first_ = nullptr;
    Entry* last_ = nullptr;
};

class Names final : public ListOf<entry3> {
 public:
    using ListOf::ListOf;
    bool add(const vfs::Entry& entry) override {
        const std::size_t size = kBesidesName + padded(entry.name.size());
        return fits(size) && append(entry, size) != nullptr;
    }
};

class Details final : public ListOf<entryplus3> {
 public:
    Details(Request& request, std::size_t room, std::size_t names_room)
        : ListOf(request, room), names_room_(names_room) {}

    // `dircount` bounds the names alone; a client that asks for none at all still gets one entry,
    // or it would never come on.
    bool add(const vfs::Entry& entry) override {
        const std::size_t name_size = kBesidesName + padded(entry.name.size());
        if (entries > 0 && name_size > names_room_) return false;
        std::size_t size = name_size + 4 + 4;
        if (entry.attributes != nullptr) size += 84;
        if (entry.id != nullptr) size += 4 + padded(handle_bytes(*entry.id));
        if (!fits(size)) return false;
        entryplus3* const made = append(entry, size);
        if (made == nullptr) return false;
        if (entry.attributes != nullptr) made->name_attributes.emplace(to_wire(*entry.attributes));
        if (entry.id != nullptr)
            made->name_handle = to_wire(request_.keep_handle(*where, *entry.id));
        names_room_ -= std::min(names_room_, name_size);
        return true;
    }

 private:
    std::size_t names_room_;
};

}  // namespace

Task<READDIR3res> readdir(const ServiceContext& service, rpc::Call& call, READDIR3args args) {
    Request request{service, call};
    const std::size_t room = room_for_entries(request, args.count);
    Names names{request, room};
    vfs::ListOut out;
    const vfs::ListFrom from{.cookie = args.cookie,
                             .verifier = from_verifier(args.cookieverf),
                             .details = false,
                             .room = room,
                             .entry_size = kBesidesName};
    const Status status = co_await ops::list(request, args.dir.data, from, names, out);
    if (status != Status::ok)
        co_return READDIR3res::of_resfail(to_nfs3(status), {to_wire(out.directory)});
    co_return READDIR3res::of_resok(
        {to_wire(out.directory), to_verifier(out.verifier), {names.first(), out.end}});
}

Task<READDIRPLUS3res> readdirplus(const ServiceContext& service, rpc::Call& call,
                                  READDIRPLUS3args args) {
    Request request{service, call};
    const std::size_t room = room_for_entries(request, args.maxcount);
    Details details{request, room, args.dircount};
    vfs::ListOut out;
    const vfs::ListFrom from{.cookie = args.cookie,
                             .verifier = from_verifier(args.cookieverf),
                             .details = true,
                             .room = room,
                             .entry_size = kBesidesNamePlus};
    const Status status = co_await ops::list(request, args.dir.data, from, details, out);
    if (status != Status::ok)
        co_return READDIRPLUS3res::of_resfail(to_nfs3(status), {to_wire(out.directory)});
    co_return READDIRPLUS3res::of_resok(
        {to_wire(out.directory), to_verifier(out.verifier), {details.first(), out.end}});
}

}  // namespace helio::nfs::v3
