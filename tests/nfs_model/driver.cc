#include "tests/nfs_model/driver.h"

#include <fmt/format.h>

#include <algorithm>

#include "testing/nfs/allowed_statuses.h"

namespace helio::tests::model {

using namespace nfs4;
using nfs::text_of;

namespace {

// How often each kind of event happens, in the order of Kind.
constexpr std::array<unsigned, kKinds> kWeights = {3, 3,  1, 1, 1, 8, 3, 16, 4, 6, 5,
                                                   5, 14, 8, 6, 5, 3, 3, 2,  1, 1};

int last_of(const auto& list) { return static_cast<int>(list.size()) - 1; }

}  // namespace

Event random_event(Random& random) {
    unsigned sum = 0;
    for (const unsigned one : kWeights) sum += one;
    auto at = static_cast<unsigned>(random.below(sum));
    Event out;
    unsigned kind = 0;
    while (at >= kWeights[kind]) at -= kWeights[kind++];
    out.kind = static_cast<Kind>(kind);
    for (std::uint8_t& one : out.picks) one = static_cast<std::uint8_t>(random.below(256));
    return out;
}

Driver::Driver(Subject& subject, const std::string& world) : subject_(subject), world_(world) {
    subject_.set_time(model_.now);
    for (unsigned i = 0; i < kFiles; ++i) handles_[i] = subject_.handle(i);
}

int Driver::latest_session(unsigned host) const {
    int found = -1;
    for (int i = 0; i <= last_of(model_.sessions); ++i) {
        const Session& one = model_.sessions[i];
        if (model_.clients[one.client].owner != name_of(host)) continue;
        if (found < 0 || one.alive || !model_.sessions[found].alive) found = i;
    }
    return found;
}

Driver::Call Driver::call_by(const Event& event) {
    Call out;
    out.host = event.picks[0] % 3;
    out.session = latest_session(out.host);
    const bool any = event.picks[0] / 4 % 16 == 0 && !model_.sessions.empty();
    if (any) out.session = event.picks[1] / 8 % static_cast<int>(model_.sessions.size());
    out.slot = event.picks[0] / 64 % kSlots;
    out.cache = event.picks[1] % 2 == 0;
    out.connection = event.picks[1] / 2 % 3;
    return out;
}

std::optional<std::string> Driver::apply(const Event& event) {
    const bool needs_session = event.kind >= Kind::sequence && event.kind < Kind::pass_time;
    const unsigned host = event.picks[0] % 3;
    const int session = latest_session(host);
    if (needs_session && (session < 0 || !model_.sessions[session].alive) &&
        event.picks[6] % 8 != 0) {
        // Most calls without a session tell nothing new: a client connects first.
        const std::uint8_t who = event.picks[0];
        for (const Kind kind : {Kind::introduce, Kind::create_session})
            if (auto wrong = apply({kind, {who, 9, 9, 7, 9, 9, 9}})) return wrong;
    }
    line_.clear();
    std::optional<std::string> wrong;
    switch (event.kind) {
        case Kind::introduce:
            wrong = introduce(event);
            break;
        case Kind::create_session:
            wrong = create_session(event);
            break;
        case Kind::destroy_session:
            wrong = destroy_session(event);
            break;
        case Kind::destroy_client:
            wrong = destroy_client(event);
            break;
        case Kind::bind:
            wrong = bind(event);
            break;
        case Kind::sequence:
            wrong = sequence(event);
            break;
        case Kind::reclaim_complete:
            wrong = reclaim_complete(event);
            break;
        case Kind::open:
            wrong = open(event);
            break;
        case Kind::downgrade:
            wrong = downgrade(event);
            break;
        case Kind::close:
            wrong = close(event);
            break;
        case Kind::read:
            wrong = read_or_write(event, false);
            break;
        case Kind::write:
            wrong = read_or_write(event, true);
            break;
        case Kind::lock:
            wrong = lock(event, true);
            break;
        case Kind::lock_more:
            wrong = lock(event, false);
            break;
        case Kind::unlock:
            wrong = unlock(event);
            break;
        case Kind::lock_test:
            wrong = lock_test(event);
            break;
        case Kind::test_stateid:
            wrong = test_stateid(event);
            break;
        case Kind::free_stateid:
            wrong = free_stateid(event);
            break;
        case Kind::pass_time:
        case Kind::restart:
        case Kind::evict:
            wrong = change_world(event);
            break;
    }
    if (!wrong) wrong = check_records();
    if (wrong) line_ += "\n    " + *wrong;
    if (!line_.empty()) trace.push_back(fmt::format("[{:>4} s] {}", model_.now.count(), line_));
    return wrong;
}

std::optional<std::string> Driver::check_records() {
    const auto have = subject_.records();
    if (!have || *have == model_.records) return std::nullopt;
    return fmt::format("records of recovery: the server has {}, the model {}",
                       fmt::join(*have, ", "), fmt::join(model_.records, ", "));
}

std::optional<std::string> Driver::compare(nfsstat4 expected, const std::string& what) {
    line_ += what + " → " + text_of(expected);
    if (reply_.outcome() != xdr::Outcome::success) return "there were no results";
    const auto& results = reply_.results();
    for (const Result& one : results.resarray)
        seen.emplace(one.resop(), &one == &last() ? results.status : NFS4_OK);
    if (std::string not_allowed = nfs::disallowed_status(results); !not_allowed.empty())
        return not_allowed;
    if (results.status == expected) return std::nullopt;
    return fmt::format("the server answered {} after {} results", text_of(results.status),
                       results.resarray.size());
}

std::optional<std::string> Driver::send(unsigned connection, std::uint32_t uid,
                                        const std::vector<Operation>& operations) {
    const auto who = rpc::ClientCredential::sys(uid, uid, {}, "model");
    reply_ = nfs::CompoundReply{
        subject_.call(connection, nfs::compose_compound(who, ++xid_, operations))};
    return std::nullopt;
}

std::optional<std::string> Driver::run(const Call& call, int file, const Operation& operation,
                                       const std::function<nfsstat4()>& expected) {
    const bool known = call.session >= 0;
    const std::uint32_t number =
        known ? model_.sessions[call.session].slots[call.slot].sequence + 1 : 1;
    std::vector<Operation> operations{
        Operation::of_opsequence({known ? session_ids_[call.session] : sessionid4{}, number,
                                  call.slot, call.slot, call.cache})};
    if (file >= 0) operations.push_back(Operation::of_opputfh({handles_[file]}));
    operations.push_back(operation);
    line_ +=
        fmt::format("host {} session {} slot {}#{}: ", call.host, call.session, call.slot, number);

    nfsstat4 status = NFS4_OK;
    const auto begun =
        model_.sequence(call.session, call.slot, number, ++calls_, call.cache, status);
    const bool runs = begun == Model::Begun::run;
    if (runs) status = expected();
    const std::uint32_t uid = uid_of(call.host);
    const auto who = rpc::ClientCredential::sys(uid, uid, {}, "model");
    const Bytes message = nfs::compose_compound(who, ++xid_, operations);
    reply_ = nfs::CompoundReply{subject_.call(call.connection, message)};
    if (runs) sent_[call.session][call.slot] = {message, reply_.bytes(), calls_, operations.size()};
    xdr::Printer name;
    print_nfs_opnum4(name, operation.argop());
    if (auto wrong = compare(status, name.text())) return wrong;
    const std::size_t results = runs ? operations.size() : 1;
    if (reply_.results().resarray.size() != results) return "not as many results as operations";
    return std::nullopt;
}

// ---- Clients and sessions ----

std::optional<std::string> Driver::introduce(const Event& event) {
    const unsigned host = event.picks[0] % 3;
    const unsigned how = event.picks[2] % 16;
    if (how == 0) ++verifiers_[host];
    const std::uint64_t verifier = verifiers_[host] + (how == 3 ? 77 : 0);
    const std::uint32_t uid = uid_of(how == 1 ? host + 10 : host);
    const bool update = how == 2 || how == 3;
    const std::string name = name_of(host);
    EXCHANGE_ID4args args{};
    args.eia_clientowner.co_ownerid = as_bytes(name);
    std::memcpy(args.eia_clientowner.co_verifier.data(), &verifier, 8);
    args.eia_flags = update ? EXCHGID4_FLAG_UPD_CONFIRMED_REC_A : 0;
    args.eia_state_protect = state_protect4_a::of(SP4_NONE);
    const Answer answer = model_.exchange_id(name, verifier, uid, update);
    send(event.picks[1] % 3, uid, {Operation::of_opexchange_id(args)});
    if (auto wrong =
            compare(answer.status, fmt::format("host {} uid {}: EXCHANGE_ID verifier {}{}", host,
                                               uid, verifier, update ? " update" : "")))
        return wrong;
    if (answer.status != NFS4_OK) return std::nullopt;
    const auto& ok = last().opexchange_id().eir_resok4();
    if (answer.made == static_cast<int>(client_ids_.size())) {
        if (std::find(client_ids_.begin(), client_ids_.end(), ok.eir_clientid) != client_ids_.end())
            return "the client id was another client's";
        client_ids_.push_back(ok.eir_clientid);
    }
    if (ok.eir_clientid != client_ids_[answer.made]) return "another client id than before";
    if (ok.eir_sequenceid != answer.sequence) return "a wrong eir_sequenceid";
    if (((ok.eir_flags & EXCHGID4_FLAG_CONFIRMED_R) != 0) != answer.confirmed)
        return "EXCHGID4_FLAG_CONFIRMED_R is wrong";
    return std::nullopt;
}

std::optional<std::string> Driver::create_session(const Event& event) {
    const unsigned host = event.picks[0] % 3;
    int client = -1;
    for (int i = 0; i <= last_of(model_.clients); ++i)
        if (model_.clients[i].owner == name_of(host) && (model_.clients[i].alive || client < 0))
            client = i;
    if (event.picks[2] % 16 == 0 && !model_.clients.empty())
        client = event.picks[3] % static_cast<int>(model_.clients.size());
    std::uint32_t sequence = client < 0 ? 1 : model_.clients[client].next_create;
    const unsigned how = event.picks[3] % 8;
    if (how < 3) sequence += how == 0 ? -1 : how == 1 ? 1 : -2;
    const std::uint32_t uid =
        client >= 0 && event.picks[4] % 16 != 0 ? model_.clients[client].uid : 1;
    CREATE_SESSION4args args{};
    args.csa_clientid = client < 0 ? 4711 : client_ids_[client];
    args.csa_sequence = sequence;
    args.csa_fore_chan_attrs = {0, 1 << 20, 1 << 20, 4096, 8, kSlots, {}};
    args.csa_back_chan_attrs = args.csa_fore_chan_attrs;
    const Answer answer = model_.create_session(client, sequence, uid);
    send(event.picks[1] % 3, uid, {Operation::of_opcreate_session(args)});
    if (auto wrong = compare(answer.status, fmt::format("uid {}: CREATE_SESSION of client {}#{}",
                                                        uid, client, sequence)))
        return wrong;
    if (answer.status != NFS4_OK) return std::nullopt;
    const auto& ok = last().opcreate_session().csr_resok4();
    if (answer.made == static_cast<int>(session_ids_.size())) {
        if (std::find(session_ids_.begin(), session_ids_.end(), ok.csr_sessionid) !=
            session_ids_.end())
            return "the session id was another session's";
        session_ids_.push_back(ok.csr_sessionid);
        sent_.emplace_back();
    }
    if (ok.csr_sessionid != session_ids_[answer.made]) return "a retry got another session";
    if (ok.csr_sequence != sequence) return "a wrong csr_sequence";
    if (ok.csr_fore_chan_attrs.ca_maxrequests != kSlots) return "not the slots that were asked for";
    return std::nullopt;
}

std::optional<std::string> Driver::destroy_session(const Event& event) {
    const Call call = call_by(event);
    const std::uint32_t uid = uid_of(event.picks[2] % 8 == 0 ? 50 : call.host);
    const nfsstat4 expected = model_.destroy_session(call.session, uid);
    const sessionid4 id = call.session < 0 ? sessionid4{} : session_ids_[call.session];
    send(call.connection, uid, {Operation::of_opdestroy_session({id})});
    return compare(expected, fmt::format("uid {}: DESTROY_SESSION {}", uid, call.session));
}

std::optional<std::string> Driver::destroy_client(const Event& event) {
    const int client =
        model_.clients.empty() ? -1 : event.picks[2] % static_cast<int>(model_.clients.size());
    const nfsstat4 expected = model_.destroy_client(client);
    send(event.picks[1] % 3, uid_of(event.picks[0] % 3),
         {Operation::of_opdestroy_clientid({client < 0 ? 4711 : client_ids_[client]})});
    return compare(expected, fmt::format("DESTROY_CLIENTID {}", client));
}

std::optional<std::string> Driver::bind(const Event& event) {
    const Call call = call_by(event);
    const nfsstat4 expected = model_.bind(call.session);
    const sessionid4 id = call.session < 0 ? sessionid4{} : session_ids_[call.session];
    send(call.connection, uid_of(call.host),
         {Operation::of_opbind_conn_to_session({id, CDFC4_FORE, false})});
    return compare(expected, fmt::format("BIND_CONN_TO_SESSION {}", call.session));
}

// Calls that should not be: sent again, out of order, in slots that do not exist.
std::optional<std::string> Driver::sequence(const Event& event) {
    Call call = call_by(event);
    const unsigned how = event.picks[2] % 7;
    const bool known = call.session >= 0;
    const Slot slot = known ? model_.sessions[call.session].slots[call.slot] : Slot{};
    const std::uint32_t uid = uid_of(call.host);
    nfsstat4 status = NFS4_OK;
    if (how == 0 && slot.call != 0) {
        const Sent& sent = sent_[call.session][call.slot];
        const auto begun =
            model_.sequence(call.session, call.slot, slot.sequence, sent.number, false, status);
        reply_ = nfs::CompoundReply{subject_.call(call.connection, sent.message)};
        const std::string what =
            fmt::format("session {} slot {}#{} again", call.session, call.slot, slot.sequence);
        if (begun == Model::Begun::replay) {
            line_ += what + ": the same reply";
            if (reply_.bytes() != sent.answer) return "the reply differs from the first one";
            return std::nullopt;
        }
        if (begun == Model::Begun::uncached && sent.operations > 1)
            status = NFS4ERR_RETRY_UNCACHED_REP;
        return compare(status, what);
    }
    const std::array<std::uint32_t, 7> numbers{
        slot.sequence + 1, slot.sequence,     slot.sequence - 1, slot.sequence + 2,
        slot.sequence + 1, slot.sequence + 1, slot.sequence + 1};
    const std::uint32_t number = numbers[how];
    if (how == 4) call.slot = kSlots + event.picks[3];
    const std::uint32_t highest = how == 5 ? kSlots + event.picks[3] : 0;
    ++calls_;
    const bool alive = known && model_.sessions[call.session].alive;
    auto begun = Model::Begun::refused;
    if (how == 5 && alive)
        status = NFS4ERR_BAD_HIGH_SLOT;
    else
        begun = model_.sequence(call.session, call.slot, number, calls_, call.cache, status);
    // Unlike any other call by what follows SEQUENCE.
    const std::string name = "no file " + std::to_string(calls_);
    const std::vector<Operation> operations{
        Operation::of_opsequence({known ? session_ids_[call.session] : sessionid4{}, number,
                                  call.slot, highest, call.cache}),
        Operation::of(OP_PUTROOTFH), Operation::of_oplookup({name})};
    if (begun == Model::Begun::run) status = NFS4ERR_NOENT;
    const Bytes message = nfs::compose_compound(rpc::ClientCredential::sys(uid, uid, {}, "model"),
                                                ++xid_, operations);
    reply_ = nfs::CompoundReply{subject_.call(call.connection, message)};
    if (begun == Model::Begun::run)
        sent_[call.session][call.slot] = {message, reply_.bytes(), calls_, operations.size()};
    return compare(status, fmt::format("SEQUENCE of session {} slot {}#{}, highest {}",
                                       call.session, call.slot, number, highest));
}

std::optional<std::string> Driver::reclaim_complete(const Event& event) {
    const Call call = call_by(event);
    return run(call, -1, Operation::of_opreclaim_complete({false}),
               [&] { return model_.reclaim_complete(call.session); });
}

// ---- Time, and what happens to the server ----

std::optional<std::string> Driver::change_world(const Event& event) {
    static constexpr Seconds kSteps[] = {Seconds{1}, Seconds{20}, Seconds{45}, Seconds{61}};
    if (event.kind == Kind::pass_time) {
        const Seconds step = kSteps[event.picks[2] % std::size(kSteps)];
        if (!subject_.set_time(model_.now + step)) return std::nullopt;
        model_.now += step;
        line_ = fmt::format("{} s pass", step.count());
        return std::nullopt;
    }
    if (event.kind == Kind::restart) {
        if (!subject_.restart()) return std::nullopt;
        line_ = "the server restarts";
        model_.restart();
        for (unsigned i = 0; i < kFiles; ++i) handles_[i] = subject_.handle(i);
        return std::nullopt;
    }
    if (model_.clients.empty()) return std::nullopt;
    const int client = event.picks[2] % static_cast<int>(model_.clients.size());
    if (!model_.clients[client].alive || !subject_.evict(client_ids_[client])) return std::nullopt;
    line_ = fmt::format("client {} is evicted", client);
    model_.evict(client);
    return std::nullopt;
}

}  // namespace helio::tests::model
