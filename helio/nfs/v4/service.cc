#include "helio/nfs/v4/service_internal.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "helio/base/hash.h"
#include "helio/nfs/v4/callbacks/callbacks.h"
#include "helio/nfs/v4/compound.h"
#include "helio/nfs/v4/operation_table_internal.h"
#include "schema/nfs4_service.h"

namespace helio::nfs::v4 {

using namespace nfs4;

namespace {

// An operation of the call, or why it could not be read.
struct Decoded {
    nfs_argop4 operation;
    const Row* row;  // nullptr: there is no such operation
    nfsstat4 fault;
};

struct Decoder {
    std::string_view tag;
    std::uint32_t minor_version = 0;
    std::uint32_t count = 0;
    Decoded* operations = nullptr;
    // Up to the first that cannot be read, or the most that any session allows.
    std::uint32_t decoded = 0;
    std::size_t set_aside = 0;  // result_bytes() of all of them

    bool read(xdr::Reader& in);
};

bool take_word(xdr::Reader& in, std::uint32_t& out) {
    if (!in.ready(4)) return false;
    out = xdr::load_u32(in.at());
    return in.end(in.at() + 4);
}

// All operations are decoded before the first executes: data that RDMA carried apart is only there
// until then. The memory that this takes is bounded by the number of operations that a session
// allows, not by what the call says.
bool Decoder::read(xdr::Reader& in) {
    if (!decode_utf8str_cs(in, tag) || !take_word(in, minor_version) || !take_word(in, count))
        return false;
    const std::uint32_t most = std::min(count, state::kOperationsMax);
    operations = in.arena().make<Decoded>(most);
    if (operations == nullptr) return false;
    for (; decoded < most; ++decoded) {
        Decoded& one = operations[decoded];
        const bool is_there = in.rest().size() >= 4;
        one.row = is_there ? row_of(xdr::load_u32(in.at()), minor_version) : nullptr;
        one.fault = is_there ? NFS4ERR_OP_ILLEGAL : NFS4ERR_BADXDR;
        set_aside += result_bytes(one.row != nullptr ? one.row->number : OP_ILLEGAL);
        if (one.row == nullptr) return ++decoded, true;
        one.fault = NFS4ERR_BADXDR;
        if (!decode_nfs_argop4(in, one.operation)) return ++decoded, true;
        one.fault = NFS4_OK;
    }
    return true;
}

// Of a reply, besides the tag and the results: status, size of the tag, number of results.
constexpr std::size_t kCompoundBytes = 12;

// The reply to a COMPOUND: results, or their bytes if a slot keeps them or has kept them.
struct Reply {
    COMPOUND4res results;
    ByteView encoded = {};
};

bool encode_reply(xdr::Writer& out, const Reply& reply) {
    if (!reply.encoded.empty()) return out.append(reply.encoded);
    return encode_COMPOUND4res(out, reply.results);
}

// May this operation stand here? RFC 8881 §2.10.6.1 and §15.1.
nfsstat4 check_place(const Compound& compound, const Row& row, std::uint32_t index) {
    if (row.number == OP_SEQUENCE) return index == 0 ? NFS4_OK : NFS4ERR_SEQUENCE_POS;
    if (compound.session == nullptr) {
        if (row.needs != Needs::nothing) return NFS4ERR_OP_NOT_IN_SESSION;
        if (compound.operations != 1) return NFS4ERR_NOT_ONLY_OP;
        return NFS4_OK;
    }
    // They may follow SEQUENCE, except for the one that binds connections.
    if (row.number == OP_BIND_CONN_TO_SESSION) return NFS4ERR_NOT_ONLY_OP;
    if (row.needs == Needs::file && compound.current().empty()) return NFS4ERR_NOFILEHANDLE;
    return NFS4_OK;
}

// These leave the current file, and what is known of it, as they are.
bool keeps_attributes(nfs_opnum4 operation) {
    return operation == OP_GETFH || operation == OP_ACCESS || operation == OP_GETATTR;
}

// A COMPOUND from its first operation to its reply. Most never wait, and so this is no coroutine:
// wait_for() goes on with those that do. It lives in the call's arena.
class Run final {
 public:
    Run(const Context& context, rpc::Call& call, const Decoder& decoder, std::uint64_t fingerprint,
        nfs_resop4* results);
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    // Executes operations up to the first that may have to wait; false: there is one.
    bool advance();
    // Executes that one.
    Task<nfsstat4> wait() {
        const Decoded& one = decoder_.operations[done_];
        return one.row->task(compound_, one.operation, results_[done_]);
    }
    void end(nfsstat4 status);
    // After the last one. Valid as long as the call's arena or, for a retry, this object.
    Reply reply();

 private:
    bool begin(const Decoded& one, nfsstat4& status);
    Reply finish_slot(const COMPOUND4res& results);

    const Decoder decoder_;
    nfs_resop4* const results_;
    std::uint32_t done_ = 0;
    nfsstat4 status_ = NFS4_OK;
    Compound compound_;
};

Run::Run(const Context& context, rpc::Call& call, const Decoder& decoder, std::uint64_t fingerprint,
         nfs_resop4* results)
    : decoder_(decoder), results_(results), compound_{context, call} {
    compound_.operations = decoder.count;
    compound_.set_aside = kCompoundBytes + padded(decoder.tag.size()) + decoder.set_aside;
    compound_.fingerprint = fingerprint;
    compound_.request_bytes = call.message.size();
    compound_.minor_version = decoder.minor_version;
    if (decoder.minor_version < 1 || decoder.minor_version > 2)
        status_ = NFS4ERR_MINOR_VERS_MISMATCH;
}

bool Run::advance() {
    while (done_ < decoder_.decoded && status_ == NFS4_OK && !compound_.replay) {
        const Decoded& one = decoder_.operations[done_];
        nfs_resop4& out = *new (&results_[done_]) nfs_resop4{};
        if (one.row == nullptr) {
            status_ = out.emplace_opillegal(OP_ILLEGAL).status = one.fault;
            ++done_;
            break;
        }
        nfsstat4 status = NFS4_OK;
        if (!begin(one, status)) return false;
        end(status);
    }
    return true;
}

// Executes an operation, or finds out why it may not be; false: it needs its coroutine.
bool Run::begin(const Decoded& one, nfsstat4& status) {
    status = one.fault;
    if (status == NFS4_OK && compound_.uncached_retry) status = NFS4ERR_RETRY_UNCACHED_REP;
    if (status == NFS4_OK) status = check_place(compound_, *one.row, done_);
    if (status != NFS4_OK) return true;
    if (!keeps_attributes(one.row->number)) compound_.forget_attributes();
    if (one.row->now == nullptr) return false;
    return one.row->now(compound_, one.operation, results_[done_], status);
}

void Run::end(nfsstat4 status) {
    if (status != NFS4_OK && status != NFS4ERR_DENIED) [[unlikely]]
        decoder_.operations[done_].row->fail(results_[done_], status);
    status_ = status;
    ++done_;
}

Reply Run::reply() {
    if (compound_.replay) [[unlikely]]
        return {{}, *compound_.replay};
    const Reply reply = finish_slot({status_, decoder_.tag, {results_, done_}});
    if (compound_.state().has_callbacks()) [[unlikely]]
        compound_.context().callbacks.send_all();
    return reply;
}

// Ends the slot's call. A reply that the slot keeps is encoded once, for it and for the client.
Reply Run::finish_slot(const COMPOUND4res& results) {
    if (compound_.session == nullptr) return {results};
    if (!compound_.cache_reply) {
        compound_.state().finish(*compound_.session, compound_.slot, {});
        return {results};
    }
    xdr::Writer encoder{compound_.request.call().arena()};
    Reply reply{results};
    std::vector<std::byte> joined;
    if (encode_COMPOUND4res(encoder, results) &&
        encoder.size() <= compound_.session->fore().cached_bytes_max) {
        const auto segments = encoder.segments();
        if (segments.size() == 1)
            reply.encoded = segments.front().bytes();
        else
            joined = encoder.joined();
    }
    compound_.state().finish(*compound_.session, compound_.slot,
                             joined.empty() ? reply.encoded : ByteView{joined});
    return reply;
}

struct Destroy {
    void operator()(Run* run) const { run->~Run(); }
};
using RunPtr = std::unique_ptr<Run, Destroy>;

// nullptr if there is no memory.
RunPtr make_run(const Context& context, rpc::Call& call, const Decoder& decoder,
                std::uint64_t fingerprint) {
    void* const memory = call.arena().allocate(sizeof(Run));
    nfs_resop4* const results = call.arena().make<nfs_resop4>(decoder.decoded);
    if (memory == nullptr || results == nullptr) return nullptr;
    return RunPtr{new (memory) Run{context, call, decoder, fingerprint, results}};
}

// Goes on with a COMPOUND at an operation that may have to wait.
Task<Reply> wait_for(RunPtr given) {
    const RunPtr run = std::move(given);  // ends with the coroutine, not with its frame
    do {
        run->end(co_await run->wait());
    } while (!run->advance());
    co_return run->reply();
}

// Tells a retry from another call in its place: by its size, its beginning, where all that matters
// is, and the user, whose replies nobody else may have (§2.10.6.1.3.1). It needs no secret, since a
// client can deceive only itself.
std::uint64_t fingerprint_of(const rpc::Credential& who, ByteView call) {
    constexpr std::size_t bytes_max = 512;
    const std::uint64_t user = static_cast<std::uint64_t>(who.flavor) << 32 | who.uid;
    std::uint64_t hash = folded_product(user) ^ call.size();
    std::uint64_t other = 0;  // two chains, because a multiplication waits for the one before it
    // Arguments are whole words of four bytes.
    const std::byte* at = call.data();
    const std::byte* const end = at + std::min(call.size() & ~std::size_t{3}, bytes_max);
    std::uint64_t words[2];
    for (; end - at >= 16; at += 16) {
        std::memcpy(words, at, 16);
        hash = folded_product(hash ^ words[0]);
        other = folded_product(other ^ words[1]);
    }
    for (; at != end; at += 4) hash = folded_product(hash ^ xdr::load_u32(at));
    return mixed(hash ^ std::rotl(other, 32));
}

class Service final : public xdr::ServiceBase {
 public:
    explicit Service(const Context& context) : context_(context) {}
    const xdr::VersionInfo& info() const override { return kInfo; }
    void* service() override { return this; }

 private:
    static xdr::Outcome serve_null(void*, xdr::CallContext&, xdr::Reader&, xdr::Writer&) {
        return xdr::Outcome::success;
    }
    static xdr::Outcome serve_compound(void* service, xdr::CallContext& call, xdr::Reader& in,
                                       xdr::Writer& out);

    // Sessions, not the duplicate request cache, make calls execute once: to RPC a COMPOUND is
    // idempotent.
    static constexpr xdr::ProcedureInfo kProcedures[] = {
        {.number = 0,
         .name = "NFSPROC4_NULL",
         .short_name = "NULL",
         .idempotent = true,
         .notes = {},
         .serve = serve_null,
         .results_max = 0},
        {.number = 1,
         .name = "NFSPROC4_COMPOUND",
         .short_name = "COMPOUND",
         .idempotent = true,
         .notes = {},
         .serve = serve_compound,
         .bulk_results = true},
    };
    static constexpr xdr::VersionInfo kInfo{.program = NFS_V4::program,
                                            .version = NFS_V4::version,
                                            .program_name = "NFS4_PROGRAM",
                                            .version_name = "NFS_V4",
                                            .procedures = kProcedures};

    const Context& context_;
};

xdr::Outcome Service::serve_compound(void* service, xdr::CallContext& context, xdr::Reader& in,
                                     xdr::Writer& out) {
    auto& self = *static_cast<Service*>(service);
    rpc::Call& call = rpc::call_of(context);
    const std::uint64_t fingerprint = fingerprint_of(call.credential, in.rest());
    Decoder decoder;
    if (!decoder.read(in)) return xdr::Outcome::garbage_arguments;
    RunPtr run = make_run(self.context_, call, decoder, fingerprint);
    if (run == nullptr) return xdr::Outcome::system_error;
    if (run->advance()) [[likely]]
        return encode_reply(out, run->reply()) ? xdr::Outcome::success : xdr::Outcome::system_error;
    const Reply reply = context.run(wait_for(std::move(run)));
    if (context.outcome() == xdr::Outcome::success)
        return encode_reply(out, reply) ? xdr::Outcome::success : xdr::Outcome::system_error;
    if (!context.waits()) return context.outcome();
    context.later().set_finish(xdr::finish_frame<encode_reply, Reply>);
    return xdr::Outcome::suspended;
}

}  // namespace

std::unique_ptr<xdr::ServiceBase> make_service(const Context& context) {
    return std::make_unique<Service>(context);
}

}  // namespace helio::nfs::v4
