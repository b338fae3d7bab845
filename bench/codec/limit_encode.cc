#include <bit>

#include "bench/codec/limit.h"
#include "bench/codec/limit_words.h"

namespace bench::limit {
namespace {

// Most names are 8 to 16 bytes and most handles 17 to 32: two moves that may overlap, without a
// call.
inline void copy(std::byte* to, const void* from, std::size_t size) {
    const auto* const source = static_cast<const std::byte*>(from);
    if (size - 8 <= 8) {
        std::uint64_t front, back;
        std::memcpy(&front, source, 8);
        std::memcpy(&back, source + size - 8, 8);
        std::memcpy(to, &front, 8);
        std::memcpy(to + size - 8, &back, 8);
    } else if (size - 16 <= 16) {
        struct Block {
            std::byte bytes[16];
        } front, back;
        std::memcpy(&front, source, 16);
        std::memcpy(&back, source + size - 16, 16);
        std::memcpy(to, &front, 16);
        std::memcpy(to + size - 16, &back, 16);
    } else if (size != 0) {
        std::memcpy(to, from, size);
    }
}

// Length, body, zero padding; the caller has checked the room. The last word of the body is zeroed
// before the body is copied over it: no branch on how much padding there is. With an empty body
// that word is the length itself, which is zero too.
inline std::byte* put_opaque(std::byte* p, const void* body, std::size_t size) {
    store32(p + padded(size), 0);
    store32(p, static_cast<std::uint32_t>(size));
    copy(p + 4, body, size);
    return p + 4 + padded(size);
}

// Two words at a time: swapping eight bytes also swaps the halves, the rotation puts them back.
inline std::byte* put_words(std::byte* p, const std::uint32_t* words, std::size_t count) {
    const std::uint32_t* const end = words + count;
    for (; end - words >= 2; words += 2, p += 8) {
        std::uint64_t pair;
        std::memcpy(&pair, words, sizeof pair);
        pair = std::rotl(__builtin_bswap64(pair), 32);
        std::memcpy(p, &pair, sizeof pair);
    }
    if (words == end) return p;
    store32(p, *words);
    return p + 4;
}

inline std::byte* put_fattr3(std::byte* p, const Fattr3& a) {
    store32(p, a.type);
    store32(p + 4, a.mode);
    store32(p + 8, a.nlink);
    store32(p + 12, a.uid);
    store32(p + 16, a.gid);
    store64(p + 20, a.size);
    store64(p + 28, a.used);
    store32(p + 36, a.rdev_major);
    store32(p + 40, a.rdev_minor);
    store64(p + 44, a.fsid);
    store64(p + 52, a.fileid);
    store32(p + 60, a.atime.seconds);
    store32(p + 64, a.atime.nseconds);
    store32(p + 68, a.mtime.seconds);
    store32(p + 72, a.mtime.nseconds);
    store32(p + 76, a.ctime.seconds);
    store32(p + 80, a.ctime.nseconds);
    return p + kFattr3Size;
}

// Presence word and attributes; the caller has checked for the larger of the two.
inline std::byte* put_post_op_attr(std::byte* p, const PostOpAttr& a) {
    store32(p, a.present);
    return a.present ? put_fattr3(p + 4, a.attributes) : p + 4;
}

inline std::size_t size_of(const PostOpAttr& a) { return a.present ? 4 + kFattr3Size : 4; }

// Replies that carry no results; rare, and kept out of line so that the common ones stay straight.
[[gnu::noinline, gnu::cold]] std::byte* put_unusual_header(std::byte* p, const std::byte* end,
                                                           const ReplyHeader& header) {
    if (header.verifier.body.size() > kAuthBodyMax) return nullptr;
    if (static_cast<std::size_t>(end - p) < 32 + padded(header.verifier.body.size()))
        return nullptr;
    store32(p, header.xid);
    store32(p + 4, kReply);
    store32(p + 8, header.denied);
    p += 12;
    if (!header.denied) {
        store32(p, header.verifier.flavor);
        p = put_opaque(p + 4, header.verifier.body.data(), header.verifier.body.size());
    }
    store32(p, header.status);
    p += 4;
    const bool mismatch = header.status == (header.denied ? kRpcMismatch : kProgramMismatch);
    if (!header.denied && !mismatch) return p;
    store32(p, header.low);
    if (!mismatch) return p + 4;  // AUTH_ERROR: the auth_stat alone
    store32(p + 4, header.high);
    return p + 8;
}

// An accepted, successful header. There must be room for it, its verifier and the `behind` bytes
// that follow without another check. nullptr if there is not.
inline std::byte* put_success_header(std::byte* p, const std::byte* end, const ReplyHeader& header,
                                     std::size_t behind) {
    const std::size_t verifier = header.verifier.body.size();
    if (verifier > kAuthBodyMax) return nullptr;
    if (static_cast<std::size_t>(end - p) < 24 + padded(verifier) + behind) return nullptr;
    store32(p, header.xid);
    store32(p + 4, kReply);
    store32(p + 8, kAccepted);
    store32(p + 12, header.verifier.flavor);
    p = put_opaque(p + 16, header.verifier.body.data(), verifier);
    store32(p, kSuccess);
    return p + 4;
}

// One directory entry with the presence word before it; nullptr if it does not fit. The first check
// covers everything certain; each optional part checks for itself and what is certain after it.
inline std::byte* put_entry(std::byte* p, const std::byte* end, const EntryPlus& entry) {
    const std::size_t name = entry.name.size();
    if (name > UINT32_MAX - 3) return nullptr;  // filename3 has no limit of its own
    if (static_cast<std::size_t>(end - p) < 32 + padded(name)) return nullptr;
    store32(p, 1);
    store64(p + 4, entry.fileid);
    p = put_opaque(p + 12, entry.name.data(), name);
    store64(p, entry.cookie);
    p += 8;
    if (static_cast<std::size_t>(end - p) < 4 + size_of(entry.attributes)) return nullptr;
    p = put_post_op_attr(p, entry.attributes);
    store32(p, entry.handle.present);
    p += 4;
    if (entry.handle.present) {
        const std::size_t handle = entry.handle.handle.size();
        if (handle > kHandleMax) return nullptr;
        if (static_cast<std::size_t>(end - p) < 4 + padded(handle)) return nullptr;
        p = put_opaque(p, entry.handle.handle.data(), handle);
    }
    return p;
}

// Results in two steps: how many bytes the first, unchecked part of them takes, and the writing.
inline std::size_t certain_size(const GetattrRes& results) {
    return results.status == kNfs3Ok ? 4 + kFattr3Size : 4;
}

inline std::byte* put_results(std::byte* p, const std::byte*, const GetattrRes& results) {
    store32(p, results.status);
    return results.status == kNfs3Ok ? put_fattr3(p + 4, results.attributes) : p + 4;
}

// count, eof and the data's length are included even if an error omits them.
inline std::size_t certain_size(const ReadRes& results) {
    return 4 + size_of(results.file_attributes) + 12;
}

inline std::byte* put_results(std::byte* p, const std::byte*, const ReadRes& results) {
    store32(p, results.status);
    p = put_post_op_attr(p + 4, results.file_attributes);
    if (results.status != kNfs3Ok) return p;
    if (results.data.size() > UINT32_MAX) return nullptr;
    store32(p, results.count);
    store32(p + 4, results.eof);
    store32(p + 8, static_cast<std::uint32_t>(results.data.size()));
    return p + 12;
}

inline std::size_t certain_size(const ReaddirplusRes& results) {
    return 4 + size_of(results.dir_attributes) + 8;
}

inline std::byte* put_results(std::byte* p, const std::byte* end, const ReaddirplusRes& results) {
    store32(p, results.status);
    p = put_post_op_attr(p + 4, results.dir_attributes);
    if (results.status != kNfs3Ok) return p;
    std::memcpy(p, results.cookie_verifier.data(), results.cookie_verifier.size());
    p += results.cookie_verifier.size();
    for (const EntryPlus* entry = results.entries; entry; entry = entry->next) {
        p = put_entry(p, end, *entry);
        if (!p) return nullptr;
    }
    if (end - p < 8) return nullptr;
    store32(p, 0);
    store32(p + 4, results.eof);
    return p + 8;
}

inline std::size_t written(const std::byte* p, std::span<std::byte> out) {
    return p ? static_cast<std::size_t>(p - out.data()) : 0;
}

template <class Results>
inline std::size_t encode_results(const Results& results, std::span<std::byte> out) {
    if (out.size() < certain_size(results)) return 0;
    return written(put_results(out.data(), out.data() + out.size(), results), out);
}

template <class Results>
inline std::size_t encode_reply(const Reply<Results>& reply, std::span<std::byte> out) {
    const std::byte* const end = out.data() + out.size();
    const ReplyHeader& header = reply.header;
    if (header.denied != kAccepted || header.status != kSuccess)
        return written(put_unusual_header(out.data(), end, header), out);
    std::byte* p = put_success_header(out.data(), end, header, certain_size(reply.results));
    return p ? written(put_results(p, end, reply.results), out) : 0;
}

}  // namespace

std::size_t encode(const GetattrCall& call, std::span<std::byte> out) {
    const AuthSys& who = call.header.credential;
    const std::size_t name = who.machine_name.size();
    const std::size_t gids = who.gids.size();
    const std::size_t verifier = call.header.verifier.body.size();
    const std::size_t object = call.object.size();
    if (name > kMachineNameMax || gids > kGidsMax || verifier > kAuthBodyMax || object > kHandleMax)
        return 0;
    const std::size_t credential = 20 + padded(name) + 4 * gids;  // at most 340: under kAuthBodyMax
    const std::size_t size = 32 + credential + 8 + padded(verifier) + 4 + padded(object);
    if (out.size() < size) return 0;

    std::byte* p = out.data();
    store32(p, call.header.xid);
    store32(p + 4, kCall);
    store32(p + 8, call.header.rpc_version);
    store32(p + 12, call.header.program);
    store32(p + 16, call.header.version);
    store32(p + 20, call.header.procedure);
    store32(p + 24, kAuthSys);
    store32(p + 28, static_cast<std::uint32_t>(credential));
    store32(p + 32, who.stamp);
    p = put_opaque(p + 36, who.machine_name.data(), name);
    store32(p, who.uid);
    store32(p + 4, who.gid);
    store32(p + 8, static_cast<std::uint32_t>(gids));
    p += 12;
    p = put_words(p, who.gids.data(), gids);
    store32(p, call.header.verifier.flavor);
    p = put_opaque(p + 4, call.header.verifier.body.data(), verifier);
    put_opaque(p, call.object.data(), object);
    return size;
}

std::size_t encode(const GetattrRes& results, std::span<std::byte> out) {
    return encode_results(results, out);
}

std::size_t encode(const ReadRes& results, std::span<std::byte> out) {
    return encode_results(results, out);
}

std::size_t encode(const Reply<GetattrRes>& reply, std::span<std::byte> out) {
    return encode_reply(reply, out);
}

std::size_t encode(const Reply<ReadRes>& reply, std::span<std::byte> out) {
    return encode_reply(reply, out);
}

std::size_t encode(const Reply<ReaddirplusRes>& reply, std::span<std::byte> out) {
    return encode_reply(reply, out);
}

}  // namespace bench::limit
