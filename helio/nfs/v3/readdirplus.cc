#include "helio/nfs/v3/entries_internal.h"

namespace helio::nfs::v3 {

using namespace nfs3;
using vfs::Status;

namespace {

// READDIRPLUS adds attributes and a handle, here of the most common size.
constexpr std::size_t kBesidesNamePlus = kBesidesName + (4 + 84) + (4 + 4 + 24);

class Details final : public ListOf<entryplus3> {
 public:
    Details(Request& request, std::size_t room, std::size_t names_room)
        : ListOf(request, room), names_room_(names_room) {}

    // `dircount` bounds the names alone. A client that allows none at all still gets one entry, or
    // its listing would never progress.
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
    const Status status = co_await ops::readdir(request, args.dir.data, from, details, out);
    if (status != Status::ok)
        co_return READDIRPLUS3res::of_resfail(to_nfs3(status), {to_wire(out.directory)});
    co_return READDIRPLUS3res::of_resok(
        {to_wire(out.directory), to_verifier(out.verifier), {details.first(), out.end}});
}

}  // namespace helio::nfs::v3
