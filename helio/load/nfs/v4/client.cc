#include "helio/load/nfs/v4/client.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include <fmt/format.h>

#include "helio/load/nfs/calls_internal.h"
#include "helio/load/nfs/content.h"
#include "helio/load/nfs/v4/v4.h"

namespace helio::load::nfs::v4 {

using namespace nfs4;
using Op = nfs_argop4;
using R = nfs_resop4;

namespace {

// A server in its grace period refuses OPEN and LOCK; with Linux and NFS-Ganesha it lasts 90 s.
constexpr std::chrono::seconds kWaitMax{120};
constexpr std::chrono::milliseconds kAskAgainAfter{100};
// Operations of one call, and room beside the data of a READ or WRITE.
constexpr std::uint32_t kOperationsWanted = 32;
constexpr std::uint32_t kMessageBytes = 4096;
// A cached reply: OPEN with a handle and attributes is the longest.
constexpr std::uint32_t kCachedBytes = 2048;
// A session for a run: what Linux asks for.
constexpr std::uint32_t kSlotsWanted = 64;
constexpr std::string_view kRunOwner = "run";
constexpr std::string_view kLockOwner = "held";

std::string own_name() {
    const auto now = std::chrono::system_clock::now().time_since_epoch().count();
    return fmt::format("helio load {} {:x}", getpid(), static_cast<std::uint64_t>(now));
}

bool says_wait(nfsstat4 status) { return status == NFS4ERR_DELAY || status == NFS4ERR_GRACE; }

}  // namespace

template <class T>
const T& Client::insist(const std::string& what, const T* result) const {
    if (result == nullptr)
        throw Failure(Failure::Kind::wrong,
                      fmt::format("{}: {}: the status of the COMPOUND is NFS4_OK, but that of an "
                                  "operation is not",
                                  target_.name, what));
    return *result;
}

Client::Client(const ExportTarget& target)
    : target_(target),
      minor_version_(target.version == Version::v4_2 ? 2 : 1),
      owner_(own_name()),
      channel_(target.nfs, target.client) {
    introduce();
    session_ = create_session(1);
    slot_ = {session_.id, 0, 0, 1};
    call("RECLAIM_COMPLETE", {Op::of_opreclaim_complete({false})});
    const auto at = call("PUTROOTFH", {Op::of(OP_PUTROOTFH), Op::of(OP_GETFH)});
    root_ = Handle{insist("GETFH", success<&R::if_opgetfh, &GETFH4res::if_resok4>(at[1])).object};
    root_ = walk(*this, root_, target.path);
}

void Client::refuse(const std::string& what, const std::string& why) const {
    throw Failure(Failure::Kind::refused, fmt::format("{}: {}: {}", target_.name, what, why));
}

// ---- Calls ----

COMPOUND4res Client::send(const std::string& what, std::vector<Op> operations, SessionSlot* slot) {
    const auto give_up = std::chrono::steady_clock::now() + kWaitMax;
    for (;;) {
        // No reply has to be kept: after a loss this client uses another session.
        if (slot != nullptr) operations.front() = slot->operation(false);
        const auto done =
            nfs_.COMPOUND({{}, minor_version_, {operations.data(), operations.size()}});
        if (!done) {
            if (slot != nullptr) lost_answer_ = true;
            throw_call_error(target_, what, done.error());
        }
        const bool executed =
            slot != nullptr && done->resarray.size() > 0 &&
            success<&R::if_opsequence, &SEQUENCE4res::if_sr_resok4>(done->resarray[0]) != nullptr;
        if (executed) ++slot->sequence;
        if (!says_wait(done->status) || std::chrono::steady_clock::now() > give_up) return *done;
        std::this_thread::sleep_for(kAskAgainAfter);
    }
}

xdr::Array<R> Client::call(const std::string& what, std::vector<Op> operations) {
    if (lost_answer_) {
        session_ = create_session(1);
        slot_ = {session_.id, 0, 0, 1};
        lost_answer_ = false;
    }
    operations.insert(operations.begin(), Op{});
    const COMPOUND4res results = send(what, operations, &slot_);
    if (results.status != NFS4_OK) refuse(what, failure_text(results));
    bool same = results.resarray.size() == operations.size();
    for (std::size_t i = 1; same && i < operations.size(); ++i)
        same = results.resarray[i].resop() == operations[i].argop();
    if (!same)
        throw Failure(
            Failure::Kind::wrong,
            fmt::format("{}: {}: the results are of other operations", target_.name, what));
    renewed_ = std::chrono::steady_clock::now();
    return {results.resarray.data() + 1, results.resarray.size() - 1};
}

// ---- The client id and its sessions ----

void Client::introduce() {
    EXCHANGE_ID4args arguments;
    std::memcpy(arguments.eia_clientowner.co_verifier.data(), &verifier_, sizeof verifier_);
    arguments.eia_clientowner.co_ownerid = as_bytes(owner_);
    arguments.eia_state_protect = state_protect4_a::of(SP4_NONE);
    const COMPOUND4res results = send("EXCHANGE_ID", {Op::of_opexchange_id(arguments)});
    if (results.status != NFS4_OK || results.resarray.size() != 1)
        refuse("EXCHANGE_ID", failure_text(results));
    const auto& made =
        insist("EXCHANGE_ID",
               success<&R::if_opexchange_id, &EXCHANGE_ID4res::if_eir_resok4>(results.resarray[0]));
    id_ = made.eir_clientid;
    create_sequence_ = made.eir_sequenceid;
}

Client::Session Client::create_session(std::uint32_t slots) {
    CREATE_SESSION4args arguments;
    arguments.csa_clientid = id_;
    arguments.csa_sequence = create_sequence_;
    constexpr std::uint32_t kBytes = kTransferBytesMax + kMessageBytes;
    arguments.csa_fore_chan_attrs = {0, kBytes, kBytes, kCachedBytes, kOperationsWanted, slots, {}};
    // Not used: the flags ask for no back channel. Some servers look at the sizes all the same.
    arguments.csa_back_chan_attrs = {0, kMessageBytes, kMessageBytes, 0, 2, 1, {}};
    const COMPOUND4res results = send("CREATE_SESSION", {Op::of_opcreate_session(arguments)});
    if (results.status != NFS4_OK || results.resarray.size() != 1)
        refuse("CREATE_SESSION", failure_text(results));
    const auto& made = insist(
        "CREATE_SESSION",
        success<&R::if_opcreate_session, &CREATE_SESSION4res::if_csr_resok4>(results.resarray[0]));
    ++create_sequence_;
    Session session{made.csr_sessionid, made.csr_fore_chan_attrs};
    session.fore.ca_rdma_ird = {};  // it is a view
    if (session.fore.ca_maxrequests == 0) refuse("CREATE_SESSION", "a session without slots");
    return session;
}

std::vector<SessionSlot> Client::take_slots(std::size_t count) {
    while (free_slots_.size() < count) {
        const Session session = create_session(kSlotsWanted);
        run_sessions_.push_back(session.id);
        const std::uint32_t slots = std::min(session.fore.ca_maxrequests, kSlotsWanted);
        for (std::uint32_t i = 0; i < slots; ++i)
            free_slots_.push_back({session.id, i, slots - 1, 1});
    }
    std::vector<SessionSlot> out{free_slots_.begin(),
                                 free_slots_.begin() + static_cast<std::ptrdiff_t>(count)};
    free_slots_.erase(free_slots_.begin(),
                      free_slots_.begin() + static_cast<std::ptrdiff_t>(count));
    return out;
}

std::unique_ptr<Calls> Client::make_calls(std::size_t slots) {
    return v4::make_calls(*this, take_slots(slots));
}

void Client::destroy(const sessionid4& session) {
    // If it fails, the session ends with the client id.
    static_cast<void>(send("DESTROY_SESSION", {Op::of_opdestroy_session({session})}));
}

void Client::end_run() {
    free_slots_.clear();
    for (const sessionid4& session : run_sessions_) destroy(session);
    run_sessions_.clear();
}

nfsstat4 Client::destroy_client() {
    return send("DESTROY_CLIENTID", {Op::of_opdestroy_clientid({id_})}).status;
}

void Client::leave() {
    end_run();
    destroy(session_.id);
    if (destroy_client() != NFS4ERR_CLIENTID_BUSY) return;
    // Calls without an answer have left state behind. A client that has restarted has none.
    ++verifier_;
    introduce();
    destroy(create_session(1).id);
    static_cast<void>(destroy_client());
}

void Client::renew() {
    if (std::chrono::steady_clock::now() - renewed_ > lease_ / 3) call("SEQUENCE", {});
}

// ---- Files ----

FileClient::TransferLimits Client::limits() {
    const auto at =
        call("GETATTR of /", {put_handle(root_), get_attributes(kFileSystemAttributes)});
    const auto& found =
        insist("GETATTR", success<&R::if_opgetattr, &GETATTR4res::if_resok4>(at[1]));
    fattr4_attributes values;
    arena_.reset();
    xdr::Reader in{found.obj_attributes.attr_vals, arena_};
    if (!decode_fattr4_attributes(in, found.obj_attributes.attrmask, values))
        throw Failure(Failure::Kind::wrong, target_.name + ": attributes that cannot be decoded");
    lease_ = std::chrono::seconds(
        values.present.test(bit::lease_time) ? std::max(values.lease_time, 1u) : 1u);
    const auto limit = [&](std::uint32_t which, std::uint64_t value, std::uint32_t message_bytes) {
        const std::uint64_t fits = message_bytes - std::min(message_bytes, kMessageBytes);
        return static_cast<std::uint32_t>(values.present.test(which) ? std::min(value, fits)
                                                                     : fits);
    };
    return {limit(bit::maxread, values.maxread, session_.fore.ca_maxresponsesize),
            limit(bit::maxwrite, values.maxwrite, session_.fore.ca_maxrequestsize)};
}

Handle Client::look_up(const Handle& directory, const std::string& name) {
    const auto at = call("LOOKUP of " + name,
                         {put_handle(directory), Op::of_oplookup({name}), Op::of(OP_GETFH)});
    return Handle{insist("GETFH", success<&R::if_opgetfh, &GETFH4res::if_resok4>(at[2])).object};
}

Handle Client::make_directory(const Handle& parent, const std::string& name) {
    arena_.reset();
    fattr4_attributes values;
    values.present = {bit::mode};
    values.mode = kDirectoryMode;
    CREATE4args arguments;
    arguments.objtype = createtype4::of(NF4DIR);
    arguments.objname = name;
    arguments.createattrs.attrmask = values.present.words();
    if (!pack_fattr4_attributes(arena_, values, arguments.createattrs.attr_vals))
        throw std::bad_alloc();
    const auto at = call("CREATE of " + name,
                         {put_handle(parent), Op::of_opcreate(arguments), Op::of(OP_GETFH)});
    return Handle{insist("GETFH", success<&R::if_opgetfh, &GETFH4res::if_resok4>(at[2])).object};
}

File Client::make_file(const Handle& parent, const std::string& name, std::uint64_t size) {
    arena_.reset();
    fattr4_attributes values;
    values.present = {bit::mode};
    values.mode = kFileMode;
    if (size > 0) {
        values.present.set(bit::size);
        values.size = size;
    }
    fattr4 attributes;
    attributes.attrmask = values.present.words();
    if (!pack_fattr4_attributes(arena_, values, attributes.attr_vals)) throw std::bad_alloc();
    OPEN4args arguments = open_arguments(kRunOwner, open_claim4::of_file(name));
    arguments.openhow = openflag4::of_how(createhow4::of_createattrs(GUARDED4, attributes));
    const std::string what = "OPEN of " + name;
    const auto at =
        call(what, {put_handle(parent), Op::of_opopen(arguments), Op::of(OP_GETFH),
                    get_attributes(kFileAttributes), Op::of_opclose({0, kCurrentStateid})});
    File file;
    file.name = name;
    file.handle =
        Handle{insist(what, success<&R::if_opgetfh, &GETFH4res::if_resok4>(at[2])).object};
    const auto& found = insist(what, success<&R::if_opgetattr, &GETATTR4res::if_resok4>(at[3]));
    const auto now = attributes_of(found.obj_attributes, arena_);
    if (!now)
        throw Failure(
            Failure::Kind::wrong,
            fmt::format("{}: GETATTR of {}: type, size or fileid is missing", target_.name, name));
    file.fileid = now->fileid;
    file.size = now->size;
    return file;
}

void Client::remove_file(const Handle& parent, const std::string& name) {
    call("REMOVE of " + name, {put_handle(parent), Op::of_opremove({name})});
}

void Client::remove_directory(const Handle& parent, const std::string& name) {
    remove_file(parent, name);
}

std::uint32_t Client::write(const File& file, std::uint64_t offset, ByteView data) {
    const std::string what = "WRITE to " + file.name;
    const auto at = call(
        what, {put_handle(file.handle), Op::of_opwrite({file.opened, offset, UNSTABLE4, data})});
    return insist(what, success<&R::if_opwrite, &WRITE4res::if_resok4>(at[1])).count;
}

void Client::commit(const File& file) {
    call("COMMIT of " + file.name, {put_handle(file.handle), Op::of_opcommit({0, 0})});
}

ByteView Client::read(const File& file, std::uint64_t offset, std::uint32_t size) {
    const std::string what = "READ of " + file.name;
    const auto at =
        call(what, {put_handle(file.handle), Op::of_opread({file.opened, offset, size})});
    return insist(what, success<&R::if_opread, &READ4res::if_resok4>(at[1])).data;
}

std::vector<FileClient::Entry> Client::list(const Handle& directory, Place& place,
                                            std::uint32_t reply_bytes, WithAttributes attributes) {
    const Bits wanted = attributes == WithAttributes::yes ? kFileAttributes : Bits{bit::fileid};
    const auto at = call("READDIR", {put_handle(directory),
                                     Op::of_opreaddir({place.cookie, place.verifier, reply_bytes,
                                                       reply_bytes, wanted.words()})});
    const auto& found =
        insist("READDIR", success<&R::if_opreaddir, &READDIR4res::if_resok4>(at[1]));
    std::vector<Entry> out;
    for (const entry4* one = found.reply.entries; one != nullptr; one = one->nextentry) {
        out.push_back({std::string(one->name), !one->attrs.attr_vals.empty()});
        place.cookie = one->cookie;
    }
    place.verifier = found.cookieverf;
    place.end = found.reply.eof;
    return out;
}

// ---- State ----

void Client::open(File& file) {
    const std::string what = "OPEN of " + file.name;
    const auto at =
        call(what, {put_handle(file.handle),
                    Op::of_opopen(open_arguments(kRunOwner, open_claim4::of(CLAIM_FH)))});
    file.opened = insist(what, success<&R::if_opopen, &OPEN4res::if_resok4>(at[1])).stateid;
}

void Client::close(File& file) {
    if (file.opened.seqid == 0) return;
    const stateid4 state = std::exchange(file.opened, {});
    close_state(file.handle, state);
}

void Client::close_state(const Handle& file, const stateid4& state) {
    call("CLOSE", {put_handle(file), Op::of_opclose({0, state})});
}

void Client::unlock_all(const Handle& file, const stateid4& state) {
    call("LOCKU", {put_handle(file), Op::of_oplocku({WRITE_LT, 0, state, 0, UINT64_MAX})});
}

void Client::hold_locks(const std::vector<File>& files, std::uint32_t count) {
    const std::uint32_t most =
        std::clamp(session_.fore.ca_maxoperations, 3u, kOperationsWanted) - 2;
    const auto file_count = static_cast<std::uint32_t>(files.size());
    for (std::uint32_t i = 0; i < file_count; ++i) {
        const std::uint32_t wanted = count / file_count + (i < count % file_count ? 1 : 0);
        for (std::uint32_t done = 0; done < wanted;) {
            // The first lock of an owner makes its stateid, which the others need.
            const std::uint32_t next = done == 0 ? 1 : std::min(most, wanted - done);
            std::vector<Op> operations{put_handle(files[i].handle)};
            for (std::uint32_t k = 0; k < next; ++k) {
                LOCK4args arguments{WRITE_LT, false, 2 * std::uint64_t{done + k}, 1, {}};
                // With the sequence id 0, the most recent one is meant (RFC 8881 §8.2.2).
                arguments.locker =
                    done == 0
                        ? locker4::of_open_owner({0, files[i].opened, 0, {0, as_bytes(kLockOwner)}})
                        : locker4::of_lock_owner({{0, held_.back().state.other}, 0});
                operations.push_back(Op::of_oplock(arguments));
            }
            const auto at = call("LOCK in " + files[i].name, std::move(operations));
            const auto& made = insist("LOCK", success<&R::if_oplock, &LOCK4res::if_resok4>(at[1]));
            if (done == 0) held_.push_back({files[i].handle, made.lock_stateid});
            done += next;
        }
    }
}

void Client::release_locks() {
    for (const Held& one : std::exchange(held_, {})) unlock_all(one.file, {0, one.state.other});
}

std::unique_ptr<FileClient> connect(const ExportTarget& target) {
    return std::make_unique<Client>(target);
}

}  // namespace helio::load::nfs::v4
