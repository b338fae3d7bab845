#include <bit>

#include "bench/codec/limit.h"
#include "bench/codec/limit_words.h"

namespace bench::limit {
namespace {

inline std::size_t left(const std::byte* p, const std::byte* end) {
    return static_cast<std::size_t>(end - p);
}

inline std::string_view text(const std::byte* p, std::size_t size) {
    return {reinterpret_cast<const char*>(p), size};
}

// Two words at a time: swapping eight bytes also swaps the halves, the rotation puts them back.
inline void get_words(const std::byte* p, std::uint32_t* words, std::size_t count) {
    std::uint32_t* const end = words + count;
    for (; end - words >= 2; words += 2, p += 8) {
        const std::uint64_t pair = std::rotl(load64(p), 32);
        std::memcpy(words, &pair, sizeof pair);
    }
    if (words != end) *words = load32(p);
}

// The caller has checked that the bytes are there. False if the type is not one of RFC 1813's.
inline bool get_fattr3(const std::byte* p, Fattr3& a) {
    a.type = load32(p);
    a.mode = load32(p + 4);
    a.nlink = load32(p + 8);
    a.uid = load32(p + 12);
    a.gid = load32(p + 16);
    a.size = load64(p + 20);
    a.used = load64(p + 28);
    a.rdev_major = load32(p + 36);
    a.rdev_minor = load32(p + 40);
    a.fsid = load64(p + 44);
    a.fileid = load64(p + 52);
    a.atime = {load32(p + 60), load32(p + 64)};
    a.mtime = {load32(p + 68), load32(p + 72)};
    a.ctime = {load32(p + 76), load32(p + 80)};
    return a.type - kFtype3First <= kFtype3Last - kFtype3First;
}

// Presence word and attributes. The word itself is certain; `behind` bytes must follow the whole.
// nullptr if they do not or a value is wrong.
inline const std::byte* get_post_op_attr(const std::byte* p, const std::byte* end, PostOpAttr& a,
                                         std::size_t behind) {
    const std::uint32_t present = load32(p);
    p += 4;
    a.present = present != 0;
    if (present == 0) return left(p, end) < behind ? nullptr : p;
    if (present != 1 || left(p, end) < kFattr3Size + behind) return nullptr;
    return get_fattr3(p, a.attributes) ? p + kFattr3Size : nullptr;
}

// From the reply status on, if it is not "accepted, SUCCESS": no results follow, so there must be
// only the header. `p` is after the verifier for accepted replies, otherwise after `denied`.
[[gnu::noinline, gnu::cold]] bool get_unusual_tail(const std::byte* p, const std::byte* end,
                                                   ReplyHeader& header) {
    if (left(p, end) < 4) return false;
    header.status = load32(p);
    p += 4;
    const std::uint32_t last = header.denied ? kAuthError : kAcceptStatLast;
    if (header.status > last) return false;
    const bool mismatch = header.status == (header.denied ? kRpcMismatch : kProgramMismatch);
    const std::size_t expected = mismatch ? 8 : header.denied ? 4 : 0;
    if (left(p, end) != expected) return false;
    if (expected >= 4) header.low = load32(p);
    if (expected >= 8) header.high = load32(p + 4);
    return true;
}

enum class Header : std::uint8_t { wrong, complete, results_follow };

// Reads the header and leaves `p` at the results.
inline Header get_header(const std::byte*& p, const std::byte* end, ReplyHeader& header) {
    if (left(p, end) < 20) return Header::wrong;  // the shortest reply: a refusal with its reason
    header.xid = load32(p);
    header.denied = load32(p + 8);
    if (load32(p + 4) != kReply || header.denied > kDenied) return Header::wrong;
    if (header.denied)
        return get_unusual_tail(p + 12, end, header) ? Header::complete : Header::wrong;
    header.verifier.flavor = load32(p + 12);
    const std::size_t size = load32(p + 16);
    p += 20;
    if (size > kAuthBodyMax || left(p, end) < padded(size) + 4) return Header::wrong;
    header.verifier.body = {p, size};
    p += padded(size);
    header.status = load32(p);
    if (header.status != kSuccess)
        return get_unusual_tail(p, end, header) ? Header::complete : Header::wrong;
    p += 4;
    return Header::results_follow;
}

// An AUTH_SYS body, which must end exactly where the credential does.
inline bool get_auth_sys(const std::byte* p, const std::byte* end, Arena& arena, AuthSys& who) {
    if (left(p, end) < 8) return false;
    who.stamp = load32(p);
    const std::size_t name = load32(p + 4);
    p += 8;
    if (name > kMachineNameMax || left(p, end) < padded(name) + 12) return false;
    who.machine_name = text(p, name);
    p += padded(name);
    who.uid = load32(p);
    who.gid = load32(p + 4);
    const std::size_t gids = load32(p + 8);
    p += 12;
    if (gids > kGidsMax || left(p, end) != 4 * gids) return false;
    if (static_cast<std::size_t>(arena.end - arena.cursor) < 4 * gids) return false;
    auto* const to = reinterpret_cast<std::uint32_t*>(arena.cursor);
    get_words(p, to, gids);
    arena.cursor += (4 * gids + 7) & ~std::size_t{7};  // keeps the cursor aligned
    who.gids = {to, gids};
    return true;
}

// The entry's first run (fileid, the name's length) is certain. After it the next presence word and
// the word after that are certain: `eof`, or the next entry's fileid.
inline const std::byte* get_entry(const std::byte* p, const std::byte* end, EntryPlus& entry) {
    entry.fileid = load64(p);
    const std::size_t name = load32(p + 8);
    p += 12;
    if (left(p, end) < padded(name) + 12) return nullptr;
    entry.name = text(p, name);
    p += padded(name);
    entry.cookie = load64(p);
    p = get_post_op_attr(p + 8, end, entry.attributes, 4);
    if (!p) return nullptr;
    const std::uint32_t follows = load32(p);
    p += 4;
    entry.handle.present = follows != 0;
    if (follows == 0) return left(p, end) < 8 ? nullptr : p;
    if (follows != 1 || left(p, end) < 4) return nullptr;
    const std::size_t handle = load32(p);
    p += 4;
    if (handle > kHandleMax || left(p, end) < padded(handle) + 8) return nullptr;
    entry.handle.handle = {p, handle};
    return p + padded(handle);
}

// nextentry, nextentry … and eof; the first presence word and one word more are certain.
inline bool get_entries(const std::byte* p, const std::byte* end, Arena& arena,
                        ReaddirplusRes& results) {
    const EntryPlus** link = &results.entries;
    std::uint32_t follows = load32(p);
    p += 4;
    while (follows == 1) {
        if (left(p, end) < 12) return false;
        if (static_cast<std::size_t>(arena.end - arena.cursor) < sizeof(EntryPlus)) return false;
        // No placement new: it would store every member's initialiser only for get_entry to store
        // over it. An aggregate's lifetime begins with its storage ([basic.life],
        // implicit-lifetime).
        auto* const entry = reinterpret_cast<EntryPlus*>(arena.cursor);
        arena.cursor += sizeof(EntryPlus);
        *link = entry;
        link = &entry->next;
        p = get_entry(p, end, *entry);
        if (!p) return false;
        follows = load32(p);
        p += 4;
    }
    *link = nullptr;
    const std::uint32_t eof = load32(p);
    results.eof = eof != 0;
    return (follows | (eof & ~1u)) == 0 && p + 4 == end;
}

inline bool get_results(const std::byte* p, const std::byte* end, Arena&, GetattrRes& results) {
    if (left(p, end) < 4) return false;
    results.status = load32(p);
    p += 4;
    if (results.status != kNfs3Ok) return p == end;
    return left(p, end) == kFattr3Size && get_fattr3(p, results.attributes);
}

inline bool get_results(const std::byte* p, const std::byte* end, Arena&, ReadRes& results) {
    if (left(p, end) < 8) return false;
    results.status = load32(p);
    const bool ok = results.status == kNfs3Ok;
    p = get_post_op_attr(p + 4, end, results.file_attributes, ok ? 12 : 0);
    if (!p) return false;
    if (!ok) return p == end;
    results.count = load32(p);
    const std::uint32_t eof = load32(p + 4);
    const std::size_t size = load32(p + 8);
    p += 12;
    if (eof > 1 || left(p, end) != padded(size)) return false;
    results.eof = eof != 0;
    results.data = {p, size};
    return true;
}

inline bool get_results(const std::byte* p, const std::byte* end, Arena& arena,
                        ReaddirplusRes& results) {
    if (left(p, end) < 8) return false;
    results.status = load32(p);
    const bool ok = results.status == kNfs3Ok;
    p = get_post_op_attr(p + 4, end, results.dir_attributes, ok ? 16 : 0);
    if (!p) return false;
    if (!ok) return p == end;
    std::memcpy(results.cookie_verifier.data(), p, results.cookie_verifier.size());
    return get_entries(p + 8, end, arena, results);
}

template <class Results>
inline bool decode_reply(ByteView in, Arena& arena, Reply<Results>& reply) {
    const std::byte* p = in.data();
    const std::byte* const end = p + in.size();
    const Header header = get_header(p, end, reply.header);
    if (header != Header::results_follow) return header == Header::complete;
    return get_results(p, end, arena, reply.results);
}

}  // namespace

bool decode(ByteView in, Arena& arena, GetattrCall& call) {
    const std::byte* p = in.data();
    const std::byte* const end = p + in.size();
    if (in.size() < 32) return false;
    CallHeader& header = call.header;
    header.xid = load32(p);
    header.rpc_version = load32(p + 8);
    header.program = load32(p + 12);
    header.version = load32(p + 16);
    header.procedure = load32(p + 20);
    const std::size_t credential = load32(p + 28);
    if (load32(p + 4) != kCall || load32(p + 24) != kAuthSys) return false;
    p += 32;
    if (credential > kAuthBodyMax || left(p, end) < padded(credential) + 8) return false;
    if (!get_auth_sys(p, p + credential, arena, header.credential)) return false;
    p += padded(credential);
    header.verifier.flavor = load32(p);
    const std::size_t verifier = load32(p + 4);
    p += 8;
    if (verifier > kAuthBodyMax || left(p, end) < padded(verifier) + 4) return false;
    header.verifier.body = {p, verifier};
    p += padded(verifier);
    const std::size_t object = load32(p);
    p += 4;
    if (object > kHandleMax || left(p, end) != padded(object)) return false;
    call.object = {p, object};
    return true;
}

bool decode(ByteView in, Arena& arena, GetattrRes& results) {
    return get_results(in.data(), in.data() + in.size(), arena, results);
}

bool decode(ByteView in, Arena& arena, ReadRes& results) {
    return get_results(in.data(), in.data() + in.size(), arena, results);
}

bool decode(ByteView in, Arena& arena, Reply<GetattrRes>& reply) {
    return decode_reply(in, arena, reply);
}

bool decode(ByteView in, Arena& arena, Reply<ReadRes>& reply) {
    return decode_reply(in, arena, reply);
}

bool decode(ByteView in, Arena& arena, Reply<ReaddirplusRes>& reply) {
    return decode_reply(in, arena, reply);
}

}  // namespace bench::limit
