#include "bench/codec/plain.h"

#include <algorithm>

namespace bench {
namespace {

bool same(ByteView a, ByteView b) { return std::ranges::equal(a, b); }

bool same(const OpaqueAuth& a, const OpaqueAuth& b) {
    return a.flavor == b.flavor && same(a.body, b.body);
}

bool same(const AuthSys& a, const AuthSys& b) {
    return a.stamp == b.stamp && a.machine_name == b.machine_name && a.uid == b.uid &&
           a.gid == b.gid && std::ranges::equal(a.gids, b.gids);
}

bool same(const CallHeader& a, const CallHeader& b) {
    return a.xid == b.xid && a.rpc_version == b.rpc_version && a.program == b.program &&
           a.version == b.version && a.procedure == b.procedure &&
           same(a.credential, b.credential) && same(a.verifier, b.verifier);
}

bool same(const PostOpAttr& a, const PostOpAttr& b) {
    return a.present == b.present && (!a.present || a.attributes == b.attributes);
}

bool same(const PostOpHandle& a, const PostOpHandle& b) {
    return a.present == b.present && (!a.present || same(a.handle, b.handle));
}

bool same(const EntryPlus& a, const EntryPlus& b) {
    return a.fileid == b.fileid && a.name == b.name && a.cookie == b.cookie &&
           same(a.attributes, b.attributes) && same(a.handle, b.handle);
}

}  // namespace

bool same(const GetattrCall& a, const GetattrCall& b) {
    return same(a.header, b.header) && same(a.object, b.object);
}

// The samples are successful replies, so a mismatch's versions are not looked at.
bool same(const ReplyHeader& a, const ReplyHeader& b) {
    return a.xid == b.xid && a.denied == b.denied && same(a.verifier, b.verifier) &&
           a.status == b.status;
}

bool same(const GetattrRes& a, const GetattrRes& b) {
    return a.status == b.status && a.attributes == b.attributes;
}

bool same(const ReadRes& a, const ReadRes& b) {
    return a.status == b.status && same(a.file_attributes, b.file_attributes) &&
           a.count == b.count && a.eof == b.eof && same(a.data, b.data);
}

bool same(const ReaddirplusRes& a, const ReaddirplusRes& b) {
    if (a.status != b.status || !same(a.dir_attributes, b.dir_attributes) ||
        a.cookie_verifier != b.cookie_verifier || a.eof != b.eof)
        return false;
    const EntryPlus* x = a.entries;
    const EntryPlus* y = b.entries;
    for (; x && y; x = x->next, y = y->next)
        if (!same(*x, *y)) return false;
    return x == y;  // both lists at their end
}

}  // namespace bench
