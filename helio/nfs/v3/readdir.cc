#include "helio/nfs/v3/entries_internal.h"

namespace helio::nfs::v3 {

using namespace nfs3;
using vfs::Status;

namespace {

class Names final : public ListOf<entry3> {
 public:
    using ListOf::ListOf;
    bool add(const vfs::Entry& entry) override {
        const std::size_t size = kBesidesName + padded(entry.name.size());
        return fits(size) && append(entry, size) != nullptr;
    }
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
    const Status status = co_await ops::readdir(request, args.dir.data, from, names, out);
    if (status != Status::ok)
        co_return READDIR3res::of_resfail(to_nfs3(status), {to_wire(out.directory)});
    co_return READDIR3res::of_resok(
        {to_wire(out.directory), to_verifier(out.verifier), {names.first(), out.end}});
}

}  // namespace helio::nfs::v3
