// Ours: the code `helio gen` makes from schema/rpc.x, authsys.x and nfs3.x, used as a connection
// uses it: one Reader restarted for each message, one Writer for each batch of replies, and a warm
// arena that is reset before each decode. READ's data goes into the gather list by reference.
#include <deque>

#include "bench/codec/side.h"
#include "helio/xdr/arena.h"
#include "helio/xdr/reader.h"
#include "helio/xdr/writer.h"
#include "schema/authsys.h"
#include "schema/nfs3.h"
#include "schema/rpc.h"

namespace bench {
namespace {

namespace authsys = helio::authsys;
namespace nfs3 = helio::nfs3;
namespace rpc = helio::rpc;
namespace xdr = helio::xdr;

template <class Enum>
std::uint32_t number(Enum value) {
    return static_cast<std::uint32_t>(value);
}

nfs3::fattr3 to_ours(const Fattr3& a) {
    return {.type = static_cast<nfs3::ftype3>(a.type),
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

Fattr3 from_ours(const nfs3::fattr3& a) {
    return {.type = number(a.type),
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

nfs3::post_op_attr to_ours(const PostOpAttr& a) {
    if (!a.present) return {};
    return to_ours(a.attributes);
}

PostOpAttr from_ours(const nfs3::post_op_attr& a) {
    if (!a) return {};
    return {true, from_ours(*a)};
}

rpc::opaque_auth to_ours(const OpaqueAuth& a) {
    return {static_cast<rpc::auth_flavor>(a.flavor), a.body};
}

OpaqueAuth from_ours(const rpc::opaque_auth& a) { return {number(a.flavor), a.body}; }

// What the four messages have in common: one arena, one Writer or Reader for each run.
template <class Self>
class HelioCase : public Case {
 public:
    HelioCase(const Sample& sample, Message message) : sample_(sample), message_(message) {}

    Operation encode() override {
        return {[](void* self) { static_cast<Self*>(self)->run_encode(); }, as_state()};
    }

    Operation decode() override {
        return {[](void* self) { static_cast<Self*>(self)->run_decode(); }, as_state()};
    }

    // Uses the Writer that is measured, restarted: a restart that left something behind would show.
    Bytes encoded() const override {
        out_.restart();
        if (!static_cast<const Self*>(this)->write(out_)) operation_failed("helio", "encode");
        return out_.joined();
    }

    bool decodes_to_sample() override {
        run_decode();
        return static_cast<const Self*>(this)->equals_sample();
    }

    // Replies are sent in batches: the gather list is closed, and the Writer restarted, once for
    // kBatch replies.
    void run_encode() {
        if (batched_++ == kBatch) {
            segments_ = out_.segments();
            out_.restart();
            batched_ = 1;
        }
        if (!static_cast<Self*>(this)->write(out_)) operation_failed("helio", "encode");
    }

    void run_decode() {
        arena_.reset();
        in_.restart(sample_.bytes(message_));
        if (!static_cast<Self*>(this)->read(in_) || !in_.finish())
            operation_failed("helio", "decode");
    }

 protected:
    const Sample& sample_;

 private:
    // A lambda gets `void*` back as Self*, so that is what goes in.
    void* as_state() { return static_cast<Self*>(this); }

    const Message message_;
    xdr::Arena arena_;
    xdr::Reader in_{{}, arena_};
    xdr::Arena writing_;
    mutable xdr::Writer out_{writing_};  // joined() closes the last segment
    std::span<const xdr::Segment> segments_;
    static constexpr std::size_t kBatch = 16;  // calls in flight on a busy connection
    std::size_t batched_ = kBatch;
};

// The usual call has its own type, in which the credential is decoded (schema/authsys.x).
class CallCase final : public HelioCase<CallCase> {
 public:
    explicit CallCase(const Sample& sample) : HelioCase(sample, Message::getattr_call) {
        const CallHeader& header = sample.getattr_call.header;
        call_ = {.xid = header.xid,
                 .mtype = rpc::CALL,
                 .rpcvers = header.rpc_version,
                 .prog = header.program,
                 .vers = header.version,
                 .proc = header.procedure,
                 .flavor = rpc::AUTH_SYS,
                 .who = {.stamp = header.credential.stamp,
                         .machinename = header.credential.machine_name,
                         .uid = header.credential.uid,
                         .gid = header.credential.gid,
                         .gids = header.credential.gids},
                 .verf = to_ours(header.verifier)};
        args_.object.data = sample.getattr_call.object;
    }

    bool write(xdr::Writer& out) const {
        call_.body_size = body_size(call_.who);
        return encode_sys_call(out, call_) && encode_GETATTR3args(out, args_);
    }

    bool read(xdr::Reader& in) {
        return decode_sys_call(in, decoded_) && decoded_.mtype == rpc::CALL &&
               decoded_.flavor == rpc::AUTH_SYS && decoded_.body_size == body_size(decoded_.who) &&
               decode_GETATTR3args(in, decoded_args_);
    }

    bool equals_sample() const {
        const authsys::authsys_parms& who = decoded_.who;
        const GetattrCall plain{
            .header = {.xid = decoded_.xid,
                       .rpc_version = decoded_.rpcvers,
                       .program = decoded_.prog,
                       .version = decoded_.vers,
                       .procedure = decoded_.proc,
                       .credential = {.stamp = who.stamp,
                                      .machine_name = who.machinename,
                                      .uid = who.uid,
                                      .gid = who.gid,
                                      .gids = {who.gids.data(), who.gids.size()}},
                       .verifier = from_ours(decoded_.verf)},
            .object = decoded_args_.object.data};
        return same(plain, sample_.getattr_call);
    }

 private:
    static std::uint32_t body_size(const authsys::authsys_parms& who) {
        return static_cast<std::uint32_t>(20 + helio::padded(who.machinename.size()) +
                                          4 * who.gids.size());
    }

    mutable authsys::sys_call call_;  // its body_size is computed for each message
    nfs3::GETATTR3args args_;
    authsys::sys_call decoded_;
    nfs3::GETATTR3args decoded_args_;
};

// Results of each kind: how they are filled, written, read, and turned into the plain form again.
using OurNodes = std::deque<nfs3::entryplus3>;
using PlainNodes = std::deque<EntryPlus>;

void fill(nfs3::GETATTR3res& to, const GetattrRes& from, OurNodes&) {
    to.emplace_resok(nfs3::NFS3_OK).obj_attributes = to_ours(from.attributes);
}

void fill(nfs3::READ3res& to, const ReadRes& from, OurNodes&) {
    to.emplace_resok(nfs3::NFS3_OK) = {.file_attributes = to_ours(from.file_attributes),
                                       .count = from.count,
                                       .eof = from.eof,
                                       .data = from.data};
}

void fill(nfs3::READDIRPLUS3res& to, const ReaddirplusRes& from, OurNodes& nodes) {
    nfs3::READDIRPLUS3resok& ok = to.emplace_resok(nfs3::NFS3_OK);
    ok.dir_attributes = to_ours(from.dir_attributes);
    ok.cookieverf = from.cookie_verifier;
    ok.reply.eof = from.eof;
    const nfs3::entryplus3** link = &ok.reply.entries;
    for (const EntryPlus* e = from.entries; e; e = e->next) {
        nfs3::entryplus3& node = nodes.emplace_back();
        node.fileid = e->fileid;
        node.name = e->name;
        node.cookie = e->cookie;
        node.name_attributes = to_ours(e->attributes);
        if (e->handle.present) node.name_handle = nfs3::nfs_fh3{e->handle.handle};
        *link = &node;
        link = &node.nextentry;
    }
}

void fill(GetattrRes& to, const nfs3::GETATTR3res& from, PlainNodes&) {
    to.status = number(from.status());
    to.attributes = from_ours(from.resok().obj_attributes);
}

void fill(ReadRes& to, const nfs3::READ3res& from, PlainNodes&) {
    const nfs3::READ3resok& ok = from.resok();
    to = {.status = number(from.status()),
          .file_attributes = from_ours(ok.file_attributes),
          .count = ok.count,
          .eof = ok.eof,
          .data = ok.data};
}

void fill(ReaddirplusRes& to, const nfs3::READDIRPLUS3res& from, PlainNodes& nodes) {
    const nfs3::READDIRPLUS3resok& ok = from.resok();
    to.status = number(from.status());
    to.dir_attributes = from_ours(ok.dir_attributes);
    to.cookie_verifier = ok.cookieverf;
    to.eof = ok.reply.eof;
    const EntryPlus** link = &to.entries;
    for (const nfs3::entryplus3* e = ok.reply.entries; e; e = e->nextentry) {
        EntryPlus& node = nodes.emplace_back();
        node.fileid = e->fileid;
        node.name = e->name;
        node.cookie = e->cookie;
        node.attributes = from_ours(e->name_attributes);
        if (e->name_handle) node.handle = {true, e->name_handle->data};
        *link = &node;
        link = &node.next;
    }
}

bool write_results(xdr::Writer& out, const nfs3::GETATTR3res& r) {
    return encode_GETATTR3res(out, r);
}
bool write_results(xdr::Writer& out, const nfs3::READ3res& r) { return encode_READ3res(out, r); }
bool write_results(xdr::Writer& out, const nfs3::READDIRPLUS3res& r) {
    return encode_READDIRPLUS3res(out, r);
}
bool read_results(xdr::Reader& in, nfs3::GETATTR3res& r) { return decode_GETATTR3res(in, r); }
bool read_results(xdr::Reader& in, nfs3::READ3res& r) { return decode_READ3res(in, r); }
bool read_results(xdr::Reader& in, nfs3::READDIRPLUS3res& r) {
    return decode_READDIRPLUS3res(in, r);
}

template <class Results, class Value, bool kWithHeader>
class ResultsCase final : public HelioCase<ResultsCase<Results, Value, kWithHeader>> {
 public:
    ResultsCase(const Sample& sample, const Reply<Value>& reply, Message message)
        : HelioCase<ResultsCase>(sample, message), reply_(reply) {
        fill(results_, reply.results, nodes_);
        header_.xid = reply.header.xid;
        rpc::reply_body& body = header_.body.emplace_rbody(rpc::REPLY);
        rpc::accepted_reply& accepted = body.emplace_areply(rpc::MSG_ACCEPTED);
        accepted.verf = to_ours(reply.header.verifier);
        accepted.reply_data.set(rpc::SUCCESS);
    }

    bool write(xdr::Writer& out) const {
        if (kWithHeader && !encode_rpc_msg(out, header_)) return false;
        return write_results(out, results_);
    }

    bool read(xdr::Reader& in) {
        if (kWithHeader && !read_header(in)) return false;
        return read_results(in, decoded_);
    }

    bool equals_sample() const {
        PlainNodes nodes;
        Value plain;
        fill(plain, decoded_, nodes);
        return same(plain, reply_.results) && (!kWithHeader || same(plain_header(), reply_.header));
    }

 private:
    // As a client does: only an accepted, successful reply has results.
    bool read_header(xdr::Reader& in) {
        if (!decode_rpc_msg(in, decoded_header_)) return false;
        const rpc::reply_body* reply = decoded_header_.body.if_rbody();
        const rpc::accepted_reply* accepted = reply ? reply->if_areply() : nullptr;
        return accepted != nullptr && accepted->reply_data.stat() == rpc::SUCCESS;
    }

    ReplyHeader plain_header() const {
        const rpc::reply_body& reply = decoded_header_.body.rbody();
        return {.xid = decoded_header_.xid,
                .denied = number(reply.stat()),
                .verifier = from_ours(reply.areply().verf),
                .status = number(reply.areply().reply_data.stat()),
                .low = 0,
                .high = 0};
    }

    const Reply<Value>& reply_;
    OurNodes nodes_;
    Results results_;
    rpc::rpc_msg header_;
    Results decoded_;
    rpc::rpc_msg decoded_header_;
};

template <class Results, bool kWithHeader, class Value>
std::unique_ptr<Case> make(const Sample& sample, const Reply<Value>& reply, Message message) {
    return std::make_unique<ResultsCase<Results, Value, kWithHeader>>(sample, reply, message);
}

}  // namespace

Side make_helio(const Sample& s) {
    return {
        "helio",
        {std::make_unique<CallCase>(s),
         make<nfs3::GETATTR3res, false>(s, s.getattr_reply, Message::getattr_res),
         make<nfs3::GETATTR3res, true>(s, s.getattr_reply, Message::getattr_reply),
         make<nfs3::READ3res, false>(s, s.read_reply, Message::read_res),
         make<nfs3::READ3res, true>(s, s.read_reply, Message::read_reply),
         make<nfs3::READDIRPLUS3res, true>(s, s.readdirplus_reply, Message::readdirplus_reply)}};
}

}  // namespace bench
