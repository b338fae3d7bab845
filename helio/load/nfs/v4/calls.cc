#include <array>
#include <span>

#include <fmt/format.h>

#include "helio/load/nfs/calls_internal.h"
#include "helio/load/nfs/v4/client.h"
#include "helio/load/nfs/v4/v4.h"

namespace helio::load::nfs::v4 {

using namespace nfs4;
using Op = nfs_argop4;
using R = nfs_resop4;

namespace {

// SEQUENCE and five more are the longest call.
constexpr std::size_t kOperationsMax = 6;

// A call of a run: its operations after SEQUENCE. As Linux's client composes them, except that
// CREATE closes the file at once, so that it is one call as at version 3.
struct Shape {
    const char* name;
    std::array<nfs_opnum4, kOperationsMax - 1> operations;
    std::size_t count;
    // The server keeps the reply: executing the call twice would not do the same as once.
    bool cache_reply;
};
// Indexed by Kind.
constexpr std::array<Shape, kKinds> kShapes{{
    {"NULL", {}, 0, false},
    {"GETATTR", {OP_PUTFH, OP_GETATTR}, 2, false},
    {"LOOKUP", {OP_PUTFH, OP_LOOKUP, OP_GETFH, OP_GETATTR}, 4, false},
    {"ACCESS", {OP_PUTFH, OP_ACCESS, OP_GETATTR}, 3, false},
    {"READ", {OP_PUTFH, OP_READ}, 2, false},
    {"WRITE", {OP_PUTFH, OP_WRITE, OP_GETATTR}, 3, false},
    {"CREATE", {OP_PUTFH, OP_OPEN, OP_GETFH, OP_GETATTR, OP_CLOSE}, 5, true},
    {"REMOVE", {OP_PUTFH, OP_REMOVE}, 2, true},
    {"READDIR", {OP_PUTFH, OP_READDIR}, 2, false},
    {"FSINFO", {OP_PUTFH, OP_GETATTR}, 2, false},
    {"OPEN", {OP_PUTFH, OP_OPEN, OP_GETFH, OP_GETATTR}, 4, true},
    {"READ", {OP_PUTFH, OP_READ}, 2, false},
    {"CLOSE", {OP_PUTFH, OP_CLOSE}, 2, true},
    {"LOCK", {OP_PUTFH, OP_LOCK}, 2, true},
    {"LOCKU", {OP_PUTFH, OP_LOCKU}, 2, true},
}};

const Shape& shape(Kind kind) { return kShapes[static_cast<std::size_t>(kind)]; }

// Flags of SEQUENCE that a client without a back channel and without pNFS may see while all is
// well.
constexpr std::uint32_t kHarmlessFlags =
    SEQ4_STATUS_CB_PATH_DOWN | SEQ4_STATUS_CB_PATH_DOWN_SESSION | SEQ4_STATUS_BACKCHANNEL_FAULT;

std::string status_name(std::uint32_t status) {
    const auto name = to_string(static_cast<nfsstat4>(status));
    return name.empty() ? std::to_string(status) : std::string(name);
}

class CallsV4 final : public Calls {
 public:
    CallsV4(Client& client, std::vector<SessionSlot> slots);

    bool write(std::size_t slot, const Request& request, xdr::Writer& out) override;
    bool read(std::size_t slot, const Request& request, xdr::Reader& in, Answer& answer) override;
    AfterLoss lost(std::size_t slot) override;
    void release() override;

 private:
    struct Slot {
        SessionSlot place;
        std::string owner;  // of its opens and locks
        bool has_open = false;
        bool has_lock = false;
        bool has_lock_owner = false;  // `locked` is a stateid to lock more with
        Handle file;                  // that it has open or locked
        stateid4 opened{};
        stateid4 locked{};
    };

    Op main_operation(const Slot& slot, const Request& request) const;
    Op lock(const Slot& slot, const Request& request) const;
    bool check_sequence(Slot& slot, const COMPOUND4res& results, Answer& answer) const;
    bool take(Slot& slot, const Request& request, std::span<const R> results, Answer& answer);
    bool take_last(Slot& slot, const Request& request, std::span<const R> results,
                   Answer& answer) const;
    bool take_listing(const R& result, Answer& answer) const;

    Client& client_;
    std::vector<Slot> slots_;
    xdr::Arena arena_;  // of attributes
    fattr4 created_;    // attributes of a new file
    std::array<std::byte, 4> created_mode_{};
    Bits created_bits_{bit::mode};
};

CallsV4::CallsV4(Client& client, std::vector<SessionSlot> slots) : client_(client) {
    for (const SessionSlot& one : slots) {
        Slot slot;
        slot.place = one;
        slot.owner = fmt::format("slot {}", client.next_owner());
        slots_.push_back(std::move(slot));
    }
    xdr::store_u32(created_mode_.data(), kFileMode);
    created_ = {created_bits_.words(), created_mode_};
}

// ---- Requests ----

Op CallsV4::lock(const Slot& slot, const Request& request) const {
    LOCK4args arguments{WRITE_LT, false, request.offset, request.count, {}};
    arguments.locker =
        slot.has_lock_owner
            ? locker4::of_lock_owner({slot.locked, 0})
            : locker4::of_open_owner({0, request.file->opened, 0, {0, as_bytes(slot.owner)}});
    return Op::of_oplock(arguments);
}

// The operation that the call is for: the second.
Op CallsV4::main_operation(const Slot& slot, const Request& request) const {
    switch (request.kind) {
        case Kind::null:
            break;
        case Kind::getattr:
            return get_attributes(kFileAttributes);
        case Kind::fsinfo:
            return get_attributes(kFileSystemAttributes);
        case Kind::lookup:
            return Op::of_oplookup({request.name});
        case Kind::access:
            return Op::of_opaccess({kAccessAsked});
        case Kind::read:
            return Op::of_opread({request.file->opened, request.offset, request.count});
        case Kind::read_opened:
            return Op::of_opread({slot.opened, request.offset, request.count});
        case Kind::write:
            return Op::of_opwrite({request.file->opened, request.offset,
                                   static_cast<stable_how4>(request.stable), request.data});
        case Kind::create: {
            OPEN4args arguments = open_arguments(slot.owner, open_claim4::of_file(request.name));
            arguments.openhow = openflag4::of_how(createhow4::of_createattrs(GUARDED4, created_));
            return Op::of_opopen(arguments);
        }
        case Kind::open: {
            OPEN4args arguments = open_arguments(slot.owner, open_claim4::of_file(request.name));
            arguments.share_access = OPEN4_SHARE_ACCESS_READ | OPEN4_SHARE_ACCESS_WANT_NO_DELEG;
            return Op::of_opopen(arguments);
        }
        case Kind::remove:
            return Op::of_opremove({request.name});
        case Kind::readdirplus:
            return Op::of_opreaddir({request.cookie, request.verifier, request.reply_bytes,
                                     request.reply_bytes, kFileAttributes.words()});
        case Kind::close:
            return Op::of_opclose({0, slot.opened});
        case Kind::lock:
            return lock(slot, request);
        case Kind::unlock:
            return Op::of_oplocku({WRITE_LT, 0, slot.locked, request.offset, request.count});
    }
    return Op::of(OP_ILLEGAL);
}

bool CallsV4::write(std::size_t index, const Request& request, xdr::Writer& out) {
    if (request.kind == Kind::null) return true;
    const Slot& slot = slots_[index];
    const Shape& form = shape(request.kind);
    std::array<Op, kOperationsMax> operations;
    operations[0] = slot.place.operation(form.cache_reply);
    const bool in_directory = request.kind == Kind::lookup || request.kind == Kind::create ||
                              request.kind == Kind::remove || request.kind == Kind::readdirplus ||
                              request.kind == Kind::fsinfo || request.kind == Kind::open;
    const bool opened = request.kind == Kind::read_opened || request.kind == Kind::close;
    operations[1] = put_handle(in_directory ? *request.directory
                               : opened     ? slot.file
                                            : request.file->handle);
    operations[2] = main_operation(slot, request);
    for (std::size_t i = 2; i < form.count; ++i) {
        const nfs_opnum4 number = form.operations[i];
        operations[i + 1] =
            number == OP_GETATTR
                ? get_attributes(request.kind == Kind::write ? kChangedAttributes : kFileAttributes)
            : number == OP_CLOSE ? Op::of_opclose({0, kCurrentStateid})
                                 : Op::of(number);
    }
    return encode_COMPOUND4args(out,
                                {{}, client_.minor_version(), {operations.data(), form.count + 1}});
}

// A slot's call is repeated until it is answered: only then is it known which sequence id the
// server expects next (RFC 8881 §2.10.6.2).
Calls::AfterLoss CallsV4::lost(std::size_t) { return AfterLoss::repeat; }

// ---- Answers ----

bool CallsV4::check_sequence(Slot& slot, const COMPOUND4res& results, Answer& answer) const {
    const auto* const sequence =
        results.resarray.empty()
            ? nullptr
            : success<&R::if_opsequence, &SEQUENCE4res::if_sr_resok4>(results.resarray[0]);
    if (sequence == nullptr) {
        // Not executed, or still executing: the slot stays where it is.
        answer.repeat = results.status == NFS4ERR_DELAY;
        // Executed, but the reply was not kept.
        if (results.status == NFS4ERR_RETRY_UNCACHED_REP) ++slot.place.sequence;
        answer.fault = results.status == NFS4_OK ? "no result of SEQUENCE" : failure_text(results);
        return false;
    }
    const bool same = sequence->sr_sessionid == slot.place.session &&
                      sequence->sr_slotid == slot.place.number &&
                      sequence->sr_sequenceid == slot.place.sequence;
    ++slot.place.sequence;
    if (!same) answer.fault = "SEQUENCE answers for another slot or another call";
    const std::uint32_t flags = sequence->sr_status_flags & ~kHarmlessFlags;
    if (same && flags != 0) {
        answer.fault = "SEQUENCE reports lost state";
        answer.detail = fmt::format(" (flags {:#x})", flags);
    }
    return answer.fault.empty();
}

bool CallsV4::read(std::size_t index, const Request& request, xdr::Reader& in, Answer& answer) {
    Slot& slot = slots_[index];
    if (request.kind == Kind::null) {
        if (!in.rest().empty()) answer.fault = "an unexpected result";
        return answer.fault.empty();
    }
    arena_.reset();
    COMPOUND4res results;
    if (!decode_COMPOUND4res(in, results) || !in.finish()) {
        ++slot.place.sequence;  // it was executed, whatever the answer says
        answer.fault = "the result cannot be decoded";
        answer.detail = " (" + xdr::to_string(in.error()) + ")";
        return false;
    }
    if (!check_sequence(slot, results, answer)) return false;
    const std::span<const R> after{results.resarray.data() + 1, results.resarray.size() - 1};
    if (results.status != NFS4_OK) [[unlikely]] {
        // A name for it if it is one: counts are by description.
        answer.fault = to_string(results.status).empty() ? "a status that is not in RFC 8881"
                                                         : failure_text(results);
        return false;
    }
    const Shape& form = shape(request.kind);
    bool same = after.size() == form.count;
    for (std::size_t i = 0; same && i < form.count; ++i)
        same = after[i].resop() == form.operations[i];
    if (!same)
        answer.fault = "results of other operations than those sent";
    else if (!take(slot, request, after, answer))
        answer.fault = "NFS4_OK, but an operation failed or its attributes are incomplete";
    return answer.fault.empty();
}

// False: an operation did not succeed after all, or the server left attributes out.
bool CallsV4::take(Slot& slot, const Request& request, std::span<const R> results, Answer& answer) {
    for (const R& one : results) {
        if (one.resop() == OP_GETFH) {
            const auto* const found = success<&R::if_opgetfh, &GETFH4res::if_resok4>(one);
            if (found == nullptr) return false;
            answer.handle = found->object;
        } else if (one.resop() == OP_GETATTR) {
            const auto* const found = success<&R::if_opgetattr, &GETATTR4res::if_resok4>(one);
            if (found == nullptr) return false;
            if (request.kind == Kind::fsinfo || request.kind == Kind::write) continue;
            answer.attributes = attributes_of(found->obj_attributes, arena_);
            if (!answer.attributes) return false;
        }
    }
    return take_last(slot, request, results, answer);
}

bool CallsV4::take_listing(const R& result, Answer& answer) const {
    const auto* const found = success<&R::if_opreaddir, &READDIR4res::if_resok4>(result);
    if (found == nullptr) return false;
    for (const entry4* one = found->reply.entries; one != nullptr; one = one->nextentry) {
        answer.entries.push_back({one->name, one->cookie, !one->attrs.attr_vals.empty()});
        if (!answer.entries.back().has_attributes) return false;
    }
    answer.verifier = found->cookieverf;
    answer.eof = found->reply.eof;
    return true;
}

// The result of the main operation.
bool CallsV4::take_last(Slot& slot, const Request& request, std::span<const R> results,
                        Answer& answer) const {
    const R& main = results[1];
    switch (request.kind) {
        case Kind::access: {
            const auto* const found = success<&R::if_opaccess, &ACCESS4res::if_resok4>(main);
            if (found != nullptr) answer.rights = found->access;
            return found != nullptr;
        }
        case Kind::read:
        case Kind::read_opened: {
            const auto* const found = success<&R::if_opread, &READ4res::if_resok4>(main);
            if (found == nullptr) return false;
            answer.data = found->data;
            answer.count = static_cast<std::uint32_t>(answer.data.size());
            answer.eof = found->eof;
            return true;
        }
        case Kind::write: {
            const auto* const found = success<&R::if_opwrite, &WRITE4res::if_resok4>(main);
            if (found == nullptr) return false;
            answer.count = found->count;
            answer.committed = static_cast<std::uint32_t>(found->committed);
            answer.verifier = found->writeverf;
            return true;
        }
        case Kind::readdirplus:
            return take_listing(main, answer);
        case Kind::open: {
            const auto* const found = success<&R::if_opopen, &OPEN4res::if_resok4>(main);
            if (found == nullptr) return false;
            slot.opened = found->stateid;
            slot.file = Handle{answer.handle};
            slot.has_open = true;
            return true;
        }
        case Kind::close:
            slot.has_open = false;
            return success<&R::if_opclose, &CLOSE4res::if_open_stateid>(main) != nullptr;
        case Kind::lock: {
            const auto* const found = success<&R::if_oplock, &LOCK4res::if_resok4>(main);
            if (found == nullptr) return false;
            slot.locked = found->lock_stateid;
            slot.file = request.file->handle;
            slot.has_lock = slot.has_lock_owner = true;
            return true;
        }
        case Kind::unlock: {
            const auto* const found = success<&R::if_oplocku, &LOCKU4res::if_lock_stateid>(main);
            if (found == nullptr) return false;
            slot.locked = *found;
            slot.has_lock = false;
            return true;
        }
        case Kind::null:
        case Kind::getattr:
        case Kind::lookup:
        case Kind::create:
        case Kind::remove:
        case Kind::fsinfo:
            return true;
    }
    return false;
}

void CallsV4::release() {
    for (Slot& slot : slots_) {
        try {
            if (std::exchange(slot.has_lock, false)) client_.unlock_all(slot.file, slot.locked);
            if (std::exchange(slot.has_open, false)) client_.close_state(slot.file, slot.opened);
        } catch (const Failure&) {
            // A call without an answer may have done it already; Client::leave drops the rest.
        }
    }
}

}  // namespace

std::string_view name_of(Kind kind) { return shape(kind).name; }

Step step_of(Kind kind) {
    const xdr::VersionInfo& nfs = NFS_V4::info();
    Step step;
    step.name = fmt::format("nfs4.{}", shape(kind).name);
    step.program = nfs.program;
    step.version = nfs.version;
    step.procedure = kind == Kind::null ? NFS_V4::NULL_ : NFS_V4::COMPOUND;
    step.version_info = &nfs;
    step.info = nfs.procedure(step.procedure);
    if (kind != Kind::null) step.status_name = status_name;
    return step;
}

std::unique_ptr<Calls> make_calls(Client& client, std::vector<SessionSlot> slots) {
    return std::make_unique<CallsV4>(client, std::move(slots));
}

}  // namespace helio::load::nfs::v4
