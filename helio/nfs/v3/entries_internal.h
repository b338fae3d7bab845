// Shared by READDIR and READDIRPLUS: the room for entries in a reply, and their list.
#pragma once

#include <algorithm>

#include "helio/nfs/v3/procedures_internal.h"

namespace helio::nfs::v3 {

inline constexpr std::size_t kStatus = 4;
// Bytes besides entries: the directory's attributes (which may be absent), the verifier, the end of
// the list and eof.
inline constexpr std::size_t kBesidesEntries = (4 + 84) + 8 + 4 + 4;
// Bytes of an entry besides its name: presence word, fileid, the name's length, cookie.
inline constexpr std::size_t kBesidesName = 4 + 8 + 4 + 8;

// Room for entries in a reply of `count` bytes, which is the size of resok, without the status.
inline std::size_t room_for_entries(const Request& request, std::uint32_t count) {
    const std::size_t fits = request.call().results_bytes_max();
    const std::size_t whole =
        std::min<std::size_t>({count, ops::kTransferBytesMax, fits > kStatus ? fits - kStatus : 0});
    return whole > kBesidesEntries ? whole - kBesidesEntries : 0;
}

// A linked list of the generated type, in the arena.
template <class Entry>
class ListOf : public ops::Listing {
 public:
    ListOf(Request& request, std::size_t room) : request_(request), room_(room) {}
    const Entry* first() const { return first_; }

 protected:
    bool fits(std::size_t size) const { return size <= room_; }
    // nullptr: no memory, treated like no room.
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

}  // namespace helio::nfs::v3
