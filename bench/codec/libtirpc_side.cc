// The rival: rpcgen's code for nfs3_bench.x over libtirpc's xdrmem streams, with libtirpc's own
// xdr_callmsg, xdr_replymsg and xdr_authunix_parms for the header. Decoding includes xdr_free: the
// memory is part of what this design costs. Where libtirpc accepts memory from the caller (the
// credential's body), it is provided, as in libtirpc's own server.
#include <rpc/rpc.h>

#include <cstring>

#include "bench/codec/side.h"
#include "nfs3_bench.h"

namespace bench {
namespace {

constexpr std::size_t kBufferSize = 128 << 10;

u_int as_length(std::size_t size) { return static_cast<u_int>(size); }
char* as_chars(const void* bytes) { return static_cast<char*>(const_cast<void*>(bytes)); }
ByteView view(const char* data, u_int size) {
    return {reinterpret_cast<const std::byte*>(data), size};
}

template <class F>
xdrproc_t proc(F* function) {
    return reinterpret_cast<xdrproc_t>(function);
}

fattr3 to_rival(const Fattr3& a) {
    return {.type = static_cast<ftype3>(a.type),
            .mode = a.mode,
            .nlink = a.nlink,
            .uid = a.uid,
            .gid = a.gid,
            .size = a.size,
            .used = a.used,
            .rdev = {a.rdev_major, a.rdev_minor},
            .fsid = a.fsid,
            .fileid = a.fileid,
            .atime = {a.atime.seconds, a.atime.nseconds},
            .mtime = {a.mtime.seconds, a.mtime.nseconds},
            .ctime = {a.ctime.seconds, a.ctime.nseconds}};
}

Fattr3 from_rival(const fattr3& a) {
    return {.type = static_cast<std::uint32_t>(a.type),
            .mode = a.mode,
            .nlink = a.nlink,
            .uid = a.uid,
            .gid = a.gid,
            .size = a.size,
            .used = a.used,
            .rdev_major = a.rdev.specdata1,
            .rdev_minor = a.rdev.specdata2,
            .fsid = a.fsid,
            .fileid = a.fileid,
            .atime = {a.atime.seconds, a.atime.nseconds},
            .mtime = {a.mtime.seconds, a.mtime.nseconds},
            .ctime = {a.ctime.seconds, a.ctime.nseconds}};
}

post_op_attr to_rival(const PostOpAttr& a) {
    post_op_attr to{};
    to.attributes_follow = a.present;
    if (a.present) to.post_op_attr_u.attributes = to_rival(a.attributes);
    return to;
}

PostOpAttr from_rival(const post_op_attr& a) {
    if (!a.attributes_follow) return {};
    return {true, from_rival(a.post_op_attr_u.attributes)};
}

void set_handle(nfs_fh3& to, ByteView from) {
    to.data.data_len = as_length(from.size());
    to.data.data_val = as_chars(from.data());
}

ByteView handle_view(const nfs_fh3& from) { return view(from.data.data_val, from.data.data_len); }

struct Buffer {
    Bytes bytes = Bytes(kBufferSize);
    std::size_t used = 0;

    void open(XDR& xdr) {
        xdrmem_create(&xdr, as_chars(bytes.data()), as_length(bytes.size()), XDR_ENCODE);
    }
    Bytes taken() const {
        return {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(used)};
    }
};

void open_decode(XDR& xdr, ByteView wire) {
    xdrmem_create(&xdr, as_chars(wire.data()), as_length(wire.size()), XDR_DECODE);
}

// The call: the credential is marshalled into its own body first, then the header with that body.
class CallCase final : public Case {
 public:
    explicit CallCase(const Sample& sample) : sample_(sample) {
        const CallHeader& header = sample.getattr_call.header;
        message_.rm_xid = header.xid;
        message_.rm_direction = CALL;
        message_.rm_call.cb_rpcvers = header.rpc_version;
        message_.rm_call.cb_prog = header.program;
        message_.rm_call.cb_vers = header.version;
        message_.rm_call.cb_proc = header.procedure;
        message_.rm_call.cb_cred = {AUTH_SYS, body_, 0};
        message_.rm_call.cb_verf = {AUTH_NONE, nullptr, 0};
        who_ = {.aup_time = header.credential.stamp,
                .aup_machname = as_chars(header.credential.machine_name.data()),
                .aup_uid = header.credential.uid,
                .aup_gid = header.credential.gid,
                .aup_len = as_length(header.credential.gids.size()),
                .aup_gids = const_cast<gid_t*>(header.credential.gids.data())};
        set_handle(args_.object, sample.getattr_call.object);
    }

    Operation encode() override {
        return {[](void* self) { static_cast<CallCase*>(self)->run_encode(); }, this};
    }

    Operation decode() override {
        return {[](void* self) { static_cast<CallCase*>(self)->run_decode(); }, this};
    }

    Bytes encoded() const override { return out_.taken(); }

    bool decodes_to_sample() override {
        const bool good = decode_values() && same(plain(), sample_.getattr_call);
        free_values();
        return good;
    }

 private:
    void run_encode() {
        XDR xdr;
        xdrmem_create(&xdr, body_, sizeof body_, XDR_ENCODE);
        bool good = xdr_authunix_parms(&xdr, &who_);
        message_.rm_call.cb_cred.oa_length = xdr_getpos(&xdr);
        out_.open(xdr);
        good = good && xdr_callmsg(&xdr, &message_) && xdr_GETATTR3args(&xdr, &args_);
        out_.used = xdr_getpos(&xdr);
        if (!good) operation_failed("libtirpc", "encode");
    }

    void run_decode() {
        if (!decode_values()) operation_failed("libtirpc", "decode");
        free_values();
    }

    bool decode_values() {
        XDR xdr;
        open_decode(xdr, sample_.bytes(Message::getattr_call));
        auto& credential = decoded_message_.rm_call.cb_cred;
        credential.oa_base = decoded_body_;
        if (!xdr_callmsg(&xdr, &decoded_message_)) return false;
        if (!xdr_GETATTR3args(&xdr, &decoded_args_)) return false;
        xdrmem_create(&xdr, credential.oa_base, credential.oa_length, XDR_DECODE);
        return xdr_authunix_parms(&xdr, &decoded_who_);
    }

    void free_values() {
        xdr_free(proc(xdr_GETATTR3args), &decoded_args_);
        xdr_free(proc(xdr_authunix_parms), &decoded_who_);
    }

    GetattrCall plain() const {
        const call_body& body = decoded_message_.rm_call;
        const authunix_parms& who = decoded_who_;
        return {.header = {.xid = decoded_message_.rm_xid,
                           .rpc_version = static_cast<std::uint32_t>(body.cb_rpcvers),
                           .program = static_cast<std::uint32_t>(body.cb_prog),
                           .version = static_cast<std::uint32_t>(body.cb_vers),
                           .procedure = static_cast<std::uint32_t>(body.cb_proc),
                           .credential = {.stamp = static_cast<std::uint32_t>(who.aup_time),
                                          .machine_name = who.aup_machname,
                                          .uid = who.aup_uid,
                                          .gid = who.aup_gid,
                                          .gids = {who.aup_gids, who.aup_len}},
                           .verifier = {static_cast<std::uint32_t>(body.cb_verf.oa_flavor), {}}},
                .object = handle_view(decoded_args_.object)};
    }

    const Sample& sample_;
    Buffer out_;
    rpc_msg message_{};
    authunix_parms who_{};
    GETATTR3args args_{};
    char body_[MAX_AUTH_BYTES];

    rpc_msg decoded_message_{};
    authunix_parms decoded_who_{};
    GETATTR3args decoded_args_{};
    char decoded_body_[MAX_AUTH_BYTES];
};

// A list in the other side's nodes: where the copies live, and how each kind is filled.
using PlainNodes = std::deque<EntryPlus>;
using RivalNodes = std::deque<entryplus3>;

void fill(GETATTR3res& to, const GetattrRes& from, RivalNodes&) {
    to.status = static_cast<nfsstat3>(from.status);
    to.GETATTR3res_u.resok.obj_attributes = to_rival(from.attributes);
}

void fill(READ3res& to, const ReadRes& from, RivalNodes&) {
    to.status = static_cast<nfsstat3>(from.status);
    READ3resok& ok = to.READ3res_u.resok;
    ok.file_attributes = to_rival(from.file_attributes);
    ok.count = from.count;
    ok.eof = from.eof;
    ok.data.data_len = as_length(from.data.size());
    ok.data.data_val = as_chars(from.data.data());
}

void fill(READDIRPLUS3res& to, const ReaddirplusRes& from, RivalNodes& nodes) {
    to.status = static_cast<nfsstat3>(from.status);
    READDIRPLUS3resok& ok = to.READDIRPLUS3res_u.resok;
    ok.dir_attributes = to_rival(from.dir_attributes);
    std::memcpy(ok.cookieverf, from.cookie_verifier.data(), sizeof ok.cookieverf);
    ok.reply.eof = from.eof;
    entryplus3** link = &ok.reply.entries;
    for (const EntryPlus* e = from.entries; e; e = e->next) {
        entryplus3& node = nodes.emplace_back();
        node.fileid = e->fileid;
        node.name = as_chars(e->name.data());  // the sample's names are std::strings: terminated
        node.cookie = e->cookie;
        node.name_attributes = to_rival(e->attributes);
        node.name_handle.handle_follows = e->handle.present;
        set_handle(node.name_handle.post_op_fh3_u.handle, e->handle.handle);
        *link = &node;
        link = &node.nextentry;
    }
}

void fill(GetattrRes& to, const GETATTR3res& from, PlainNodes&) {
    to.status = static_cast<std::uint32_t>(from.status);
    to.attributes = from_rival(from.GETATTR3res_u.resok.obj_attributes);
}

void fill(ReadRes& to, const READ3res& from, PlainNodes&) {
    to.status = static_cast<std::uint32_t>(from.status);
    const READ3resok& ok = from.READ3res_u.resok;
    to.file_attributes = from_rival(ok.file_attributes);
    to.count = ok.count;
    to.eof = ok.eof != 0;
    to.data = view(ok.data.data_val, ok.data.data_len);
}

void fill(ReaddirplusRes& to, const READDIRPLUS3res& from, PlainNodes& nodes) {
    to.status = static_cast<std::uint32_t>(from.status);
    const READDIRPLUS3resok& ok = from.READDIRPLUS3res_u.resok;
    to.dir_attributes = from_rival(ok.dir_attributes);
    std::memcpy(to.cookie_verifier.data(), ok.cookieverf, to.cookie_verifier.size());
    to.eof = ok.reply.eof != 0;
    const EntryPlus** link = &to.entries;
    for (const entryplus3* e = ok.reply.entries; e; e = e->nextentry) {
        EntryPlus& node = nodes.emplace_back();
        node.fileid = e->fileid;
        node.name = e->name;
        node.cookie = e->cookie;
        node.attributes = from_rival(e->name_attributes);
        node.handle.present = e->name_handle.handle_follows != 0;
        if (node.handle.present)
            node.handle.handle = handle_view(e->name_handle.post_op_fh3_u.handle);
        *link = &node;
        link = &node.next;
    }
}

// Results, alone or after a reply header; the latter in one step, as in xdr_replymsg.
template <class Results, class Value, bool kWithHeader>
class ResultsCase final : public Case {
 public:
    ResultsCase(const Sample& sample, const Reply<Value>& reply, Message which,
                xdrproc_t xdr_results)
        : sample_(sample), reply_(reply), which_(which), xdr_results_(xdr_results) {
        fill(results_, reply.results, nodes_);
        message_.rm_xid = reply.header.xid;
        message_.rm_direction = REPLY;
        message_.rm_reply.rp_stat = MSG_ACCEPTED;
        message_.acpted_rply.ar_verf.oa_flavor = static_cast<enum_t>(reply.header.verifier.flavor);
        message_.acpted_rply.ar_stat = SUCCESS;
        message_.acpted_rply.ar_results = {reinterpret_cast<caddr_t>(&results_), xdr_results};
    }

    Operation encode() override {
        return {[](void* self) { static_cast<ResultsCase*>(self)->run_encode(); }, this};
    }

    Operation decode() override {
        return {[](void* self) { static_cast<ResultsCase*>(self)->run_decode(); }, this};
    }

    Bytes encoded() const override { return out_.taken(); }

    bool decodes_to_sample() override {
        if (!decode_values()) return false;
        PlainNodes nodes;
        Value plain;
        fill(plain, decoded_, nodes);
        const bool good =
            same(plain, reply_.results) && (!kWithHeader || same(plain_header(), reply_.header));
        xdr_free(xdr_results_, &decoded_);
        return good;
    }

 private:
    void run_encode() {
        XDR xdr;
        out_.open(xdr);
        const bool good =
            kWithHeader ? xdr_replymsg(&xdr, &message_) : xdr_results_(&xdr, &results_);
        if (!good) operation_failed("libtirpc", "encode");
        out_.used = xdr_getpos(&xdr);
    }

    void run_decode() {
        if (!decode_values()) operation_failed("libtirpc", "decode");
        xdr_free(xdr_results_, &decoded_);
    }

    bool decode_values() {
        XDR xdr;
        open_decode(xdr, sample_.bytes(which_));
        // Zeroed first, as a client does: libtirpc allocates exactly where it finds a null.
        decoded_ = {};
        if constexpr (!kWithHeader) return xdr_results_(&xdr, &decoded_);
        decoded_message_ = {};
        decoded_message_.acpted_rply.ar_results = {reinterpret_cast<caddr_t>(&decoded_),
                                                   xdr_results_};
        return xdr_replymsg(&xdr, &decoded_message_);
    }

    ReplyHeader plain_header() const {
        const accepted_reply& accepted = decoded_message_.acpted_rply;
        return {.xid = decoded_message_.rm_xid,
                .denied = static_cast<std::uint32_t>(decoded_message_.rm_reply.rp_stat),
                .verifier = {static_cast<std::uint32_t>(accepted.ar_verf.oa_flavor), {}},
                .status = static_cast<std::uint32_t>(accepted.ar_stat),
                .low = 0,
                .high = 0};
    }

    const Sample& sample_;
    const Reply<Value>& reply_;
    const Message which_;
    const xdrproc_t xdr_results_;
    Buffer out_;
    RivalNodes nodes_;
    Results results_{};
    rpc_msg message_{};
    Results decoded_{};
    rpc_msg decoded_message_{};
};

template <bool kWithHeader, class Results, class Value>
std::unique_ptr<Case> make(const Sample& sample, const Reply<Value>& reply, Message which,
                           bool_t (*xdr_results)(XDR*, Results*)) {
    return std::make_unique<ResultsCase<Results, Value, kWithHeader>>(sample, reply, which,
                                                                      proc(xdr_results));
}

}  // namespace

Side make_libtirpc(const Sample& s) {
    return {"libtirpc",
            {std::make_unique<CallCase>(s),
             make<false>(s, s.getattr_reply, Message::getattr_res, xdr_GETATTR3res),
             make<true>(s, s.getattr_reply, Message::getattr_reply, xdr_GETATTR3res),
             make<false>(s, s.read_reply, Message::read_res, xdr_READ3res),
             make<true>(s, s.read_reply, Message::read_reply, xdr_READ3res),
             make<true>(s, s.readdirplus_reply, Message::readdirplus_reply, xdr_READDIRPLUS3res)}};
}

}  // namespace bench
