// The driver's events on files: opens, locks, stateids.
#include <fmt/format.h>

#include <algorithm>

#include "tests/nfs_model/driver.h"

namespace helio::tests::model {

using namespace nfs4;
using nfs::text_of;

namespace {

Range range_by(std::uint8_t from, std::uint8_t length) {
    const unsigned first = from % kBytes;
    const unsigned last =
        length % 4 == 0 ? kBytes - 1 : std::min(first + length / 4 % 6, kBytes - 1);
    return {first, last};
}
length4 length_of(const Range& range) {
    return range.last < kBytes - 1 ? range.last - range.first + 1 : UINT64_MAX;
}
std::string text_of(const Range& range) {
    return range.last == kBytes - 1 ? fmt::format("{}-end", range.first)
                                    : fmt::format("{}-{}", range.first, range.last);
}
std::string text_of(const Given& id) {
    static constexpr const char* kSeqids[] = {"", " (seqid 0)", " (old)", " (future)"};
    switch (id.kind) {
        case Given::Kind::state:
            return fmt::format("state {}{}", id.state, kSeqids[static_cast<int>(id.seqid)]);
        case Given::Kind::anonymous:
            return "all zeros";
        case Given::Kind::bypass:
            return "all ones";
        case Given::Kind::current:
            return "the current stateid";
    }
    return {};
}
nfs_lock_type4 type_of(bool write, std::uint8_t pick) {
    const bool waits = pick % 4 == 0;
    return write ? (waits ? WRITEW_LT : WRITE_LT) : (waits ? READW_LT : READ_LT);
}

}  // namespace

Given Driver::stateid_by(const Call& call, std::uint8_t which, std::uint8_t how, bool locks) const {
    Given out;
    switch (how % 16) {
        case 1:
            out.kind = Given::Kind::anonymous;
            return out;
        case 2:
            out.kind = Given::Kind::bypass;
            return out;
        case 3:
            out.kind = Given::Kind::current;
            return out;
        case 4:
            return out;
        default:
            break;
    }
    std::vector<int> mine;
    const auto count = static_cast<int>(model_.states.size());
    for (int i = 0; i < count; ++i)
        if (model_.states[i].alive && model_.states[i].is_lock == locks && call.session >= 0 &&
            model_.states[i].client == model_.sessions[call.session].client)
            mine.push_back(i);
    if (how % 16 != 0 && !mine.empty())
        out.state = mine[which % mine.size()];
    else if (count > 0)
        out.state = which % count;
    else
        return out;
    const bool was_changed = model_.states[out.state].seqid > 1;
    switch (how / 16) {
        case 0:
            out.seqid = was_changed ? Given::Seqid::old : Given::Seqid::same;
            break;
        case 1:
            out.seqid = Given::Seqid::future;
            break;
        case 2:
        case 3:
            out.seqid = Given::Seqid::zero;
            break;
        default:
            break;
    }
    return out;
}

stateid4 Driver::to_wire(const Given& given) const {
    stateid4 out{};
    switch (given.kind) {
        case Given::Kind::anonymous:
            return out;
        case Given::Kind::bypass:
            out.seqid = UINT32_MAX;
            out.other.fill(std::byte{0xff});
            return out;
        case Given::Kind::current:
            out.seqid = 1;
            return out;
        case Given::Kind::state:
            break;
    }
    if (given.state < 0) {
        out.seqid = 1;
        out.other.fill(std::byte{0xab});
        return out;
    }
    out = state_ids_[given.state];
    const std::uint32_t seqid = model_.states[given.state].seqid;
    switch (given.seqid) {
        case Given::Seqid::same:
            out.seqid = seqid;
            break;
        case Given::Seqid::zero:
            out.seqid = 0;
            break;
        case Given::Seqid::old:
            out.seqid = seqid - 1;
            break;
        case Given::Seqid::future:
            out.seqid = seqid + 1;
            break;
    }
    return out;
}

std::optional<std::string> Driver::take_stateid(const stateid4& got, int state,
                                                const std::string& what) {
    line_ += fmt::format(" {}, state {}", what, state);
    if (state == static_cast<int>(state_ids_.size())) {
        for (const stateid4& one : state_ids_)
            if (one.other == got.other) return "the stateid was another state's";
        state_ids_.push_back(got);
    }
    if (got.other != state_ids_[state].other) return "another stateid than before";
    if (got.seqid != model_.states[state].seqid)
        return fmt::format("seqid {} instead of {}", got.seqid, model_.states[state].seqid);
    return std::nullopt;
}

std::optional<std::string> Driver::open(const Event& event) {
    const Call call = call_by(event);
    const std::string owner = event.picks[2] % 2 == 0 ? "p" : "q";
    const unsigned file = event.picks[3] % kFiles;
    const unsigned access = 1 + event.picks[4] % 3;
    const unsigned deny = event.picks[5] % 8 > 4 ? event.picks[5] % 8 - 4u : 0;
    const bool reclaim = event.picks[6] % (model_.may_be_in_grace() ? 2 : 16) == 0;
    if (call.session >= 0 && model_.mixed_opens(call.session, owner, file, access, deny))
        return std::nullopt;
    OPEN4args args{};
    args.share_access = access;
    args.share_deny = deny;
    args.owner = {0, as_bytes(owner)};
    args.openhow = openflag4::of(OPEN4_NOCREATE);
    args.claim =
        reclaim ? open_claim4::of_delegate_type(OPEN_DELEGATE_NONE) : open_claim4::of(CLAIM_FH);
    Answer answer;
    if (auto wrong = run(call, static_cast<int>(file), Operation::of_opopen(args), [&] {
            answer = model_.open(call.session, owner, file, access, deny, reclaim);
            return answer.status;
        }))
        return wrong;
    if (answer.made < 0) return std::nullopt;
    return take_stateid(last().opopen().resok4().stateid, answer.made,
                        fmt::format("file {} owner {} access {} deny {}{}", file, owner, access,
                                    deny, reclaim ? " reclaim" : ""));
}

std::optional<std::string> Driver::downgrade(const Event& event) {
    const Call call = call_by(event);
    const Given id = stateid_by(call, event.picks[2], event.picks[3], false);
    unsigned file = event.picks[4] % kFiles;
    if (id.state >= 0 && event.picks[4] % 8 != 0) file = model_.states[id.state].file;
    const unsigned access = event.picks[5] % 4, deny = event.picks[6] % 4;
    Answer answer;
    if (auto wrong = run(call, static_cast<int>(file),
                         Operation::of_opopen_downgrade({to_wire(id), 0, access, deny}), [&] {
                             answer = model_.downgrade(call.session, id, file, access, deny);
                             return answer.status;
                         }))
        return wrong;
    line_ += fmt::format(" {} file {} access {} deny {}", text_of(id), file, access, deny);
    if (answer.made < 0) return std::nullopt;
    return take_stateid(last().opopen_downgrade().resok4().open_stateid, answer.made, "");
}

std::optional<std::string> Driver::close(const Event& event) {
    const Call call = call_by(event);
    const Given id = stateid_by(call, event.picks[2], event.picks[3], false);
    unsigned file = event.picks[4] % kFiles;
    if (id.state >= 0 && event.picks[4] % 8 != 0) file = model_.states[id.state].file;
    auto wrong = run(call, static_cast<int>(file), Operation::of_opclose({0, to_wire(id)}),
                     [&] { return model_.close(call.session, id, file); });
    line_ += fmt::format(" {} file {}", text_of(id), file);
    return wrong;
}

std::optional<std::string> Driver::read_or_write(const Event& event, bool write) {
    const Call call = call_by(event);
    const Given id = stateid_by(call, event.picks[2], event.picks[3], event.picks[5] % 2 == 0);
    unsigned file = event.picks[4] % kFiles;
    if (id.state >= 0 && event.picks[4] % 8 != 0) file = model_.states[id.state].file;
    WRITE4args writing{};
    writing.stateid = to_wire(id);
    writing.data = as_bytes("x");
    const Operation operation =
        write ? Operation::of_opwrite(writing) : Operation::of_opread({to_wire(id), 0, 1});
    auto wrong = run(call, static_cast<int>(file), operation,
                     [&] { return model_.read_or_write(call.session, id, file, write); });
    line_ += fmt::format(" {} file {}", text_of(id), file);
    return wrong;
}

std::optional<std::string> Driver::test_stateid(const Event& event) {
    const Call call = call_by(event);
    const Given ids[] = {stateid_by(call, event.picks[2], event.picks[3], false),
                         stateid_by(call, event.picks[4], event.picks[5], true)};
    const stateid4 wire[] = {to_wire(ids[0]), to_wire(ids[1])};
    bool ran = false;
    if (auto wrong = run(call, -1, Operation::of_optest_stateid({{wire, 2}}), [&] {
            ran = true;
            return NFS4_OK;
        }))
        return wrong;
    if (!ran) return std::nullopt;
    const auto& got = last().optest_stateid().tsr_resok4().tsr_status_codes;
    if (got.size() != 2) return "not one status per stateid";
    for (unsigned i = 0; i < 2; ++i) {
        const nfsstat4 expected = model_.test(call.session, ids[i]);
        line_ += fmt::format(" {}: {}", text_of(ids[i]), nfs::text_of(expected));
        if (got[i] != expected) return "the server says " + nfs::text_of(got[i]);
    }
    return std::nullopt;
}

std::optional<std::string> Driver::free_stateid(const Event& event) {
    const Call call = call_by(event);
    const Given id = stateid_by(call, event.picks[2], event.picks[3], event.picks[4] % 4 != 0);
    auto wrong = run(call, -1, Operation::of_opfree_stateid({to_wire(id)}),
                     [&] { return model_.free(call.session, id); });
    line_ += " " + text_of(id);
    return wrong;
}

// ---- Locks ----

std::optional<std::string> Driver::check_denied(const Call& call, const std::string& owner,
                                                unsigned file, const Range& range, bool write,
                                                const LOCK4denied& got) {
    const auto at = std::find(client_ids_.begin(), client_ids_.end(), got.owner.clientid);
    if (at == client_ids_.end()) return "the lock in the way is nobody's";
    const Range held{static_cast<unsigned>(std::min<std::uint64_t>(got.offset, kBytes)),
                     got.length == UINT64_MAX ? kBytes - 1
                                              : static_cast<unsigned>(std::min<std::uint64_t>(
                                                    got.offset + got.length - 1, kBytes))};
    line_ += fmt::format(" by client {} owner {} {}", at - client_ids_.begin(),
                         as_text(got.owner.owner), text_of(held));
    const bool right =
        held.last < kBytes && held.first <= held.last &&
        model_.may_deny(call.session, owner, file, range, write,
                        static_cast<int>(at - client_ids_.begin()),
                        std::string{as_text(got.owner.owner)}, held, got.locktype == WRITE_LT);
    if (!right) return "that lock does not exist, or is not in the way";
    return std::nullopt;
}

std::optional<std::string> Driver::lock(const Event& event, bool new_owner) {
    const Call call = call_by(event);
    Model::LockCall what;
    what.new_owner = new_owner;
    what.id = stateid_by(call, event.picks[2], event.picks[3], !new_owner);
    what.owner = event.picks[6] % 2 == 0 ? "t" : "u";
    what.file = event.picks[3] % kFiles;
    if (what.id.state >= 0 && event.picks[3] % 16 != 5)
        what.file = model_.states[what.id.state].file;
    what.range = range_by(event.picks[4], event.picks[5]);
    what.write = event.picks[6] / 2 % 2 == 0;
    what.reclaim = event.picks[6] / 4 % (model_.may_be_in_grace() ? 2 : 16) == 0;
    const bool known = call.session >= 0;
    const std::string owner =
        new_owner || !known ? what.owner : model_.lock_owner_of(call.session, what.id);
    if (known && model_.mixed_locks(call.session, owner, what.file, what.range, what.write))
        return std::nullopt;
    LOCK4args args{};
    args.locktype = type_of(what.write, event.picks[6]);
    args.reclaim = what.reclaim;
    args.offset = what.range.first;
    args.length = length_of(what.range);
    args.locker = new_owner
                      ? locker4::of_open_owner({0, to_wire(what.id), 0, {0, as_bytes(what.owner)}})
                      : locker4::of_lock_owner({to_wire(what.id), 0});
    Answer answer{NFS4ERR_BADSESSION};
    if (auto wrong = run(call, static_cast<int>(what.file), Operation::of_oplock(args), [&] {
            answer = model_.lock(call.session, what);
            return answer.status;
        })) {
        line_ += fmt::format(" {} file {} {} {}", text_of(what.id), what.file, text_of(what.range),
                             what.write ? "write" : "read");
        return wrong;
    }
    line_ += fmt::format(" {} file {} {} {}{}", text_of(what.id), what.file, text_of(what.range),
                         what.write ? "write" : "read", what.reclaim ? " reclaim" : "");
    if (answer.status == NFS4ERR_DENIED)
        return check_denied(call, owner, what.file, what.range, what.write,
                            last().oplock().denied());
    if (answer.made < 0) return std::nullopt;
    return take_stateid(last().oplock().resok4().lock_stateid, answer.made, "owner " + owner);
}

std::optional<std::string> Driver::unlock(const Event& event) {
    const Call call = call_by(event);
    const Given id = stateid_by(call, event.picks[2], event.picks[3], true);
    unsigned file = event.picks[3] % kFiles;
    if (id.state >= 0 && event.picks[3] % 16 != 5) file = model_.states[id.state].file;
    const Range range = range_by(event.picks[4], event.picks[5]);
    Answer answer;
    const Operation operation =
        Operation::of_oplocku({WRITE_LT, 0, to_wire(id), range.first, length_of(range)});
    if (auto wrong = run(call, static_cast<int>(file), operation, [&] {
            answer = model_.unlock(call.session, id, file, range);
            return answer.status;
        }))
        return wrong;
    line_ += fmt::format(" {} file {} {}", text_of(id), file, text_of(range));
    if (answer.made < 0) return std::nullopt;
    return take_stateid(last().oplocku().lock_stateid(), answer.made, "");
}

std::optional<std::string> Driver::lock_test(const Event& event) {
    const Call call = call_by(event);
    const std::string owner = event.picks[2] % 3 == 0 ? "t" : event.picks[2] % 3 == 1 ? "u" : "v";
    const unsigned file = event.picks[3] % kFiles;
    const Range range = range_by(event.picks[4], event.picks[5]);
    const bool write = event.picks[6] % 2 == 0;
    nfsstat4 expected = NFS4_OK;
    LOCKT4args args{};
    args.locktype = type_of(write, event.picks[6]);
    args.offset = range.first;
    args.length = length_of(range);
    args.owner = {0, as_bytes(owner)};
    if (auto wrong = run(call, static_cast<int>(file), Operation::of_oplockt(args), [&] {
            return expected = model_.lock_test(call.session, owner, file, range, write);
        }))
        return wrong;
    line_ += fmt::format(" file {} {} owner {} {}", file, text_of(range), owner,
                         write ? "write" : "read");
    if (expected != NFS4ERR_DENIED) return std::nullopt;
    return check_denied(call, owner, file, range, write, last().oplockt().denied());
}

// ---- Everything, at the end ----

std::optional<std::string> Driver::audit() {
    trace.emplace_back("the audit");
    // A client of its own, which holds nothing.
    const std::uint8_t host = 2;
    for (const Kind kind : {Kind::introduce, Kind::create_session})
        if (auto wrong = apply({kind, {host, 9, 9, 7, 9, 9, 9}})) return wrong;
    for (std::size_t i = 0; i < model_.states.size(); ++i)
        for (unsigned by = 0; by < 3; ++by) {
            line_.clear();
            Call call{.host = by, .session = latest_session(by)};
            if (call.session < 0 || !model_.sessions[call.session].alive) continue;
            const Given id{Given::Kind::state, static_cast<int>(i), Given::Seqid::same};
            const stateid4 wire = to_wire(id);
            if (auto wrong = run(call, -1, Operation::of_optest_stateid({{&wire, 1}}),
                                 [] { return NFS4_OK; }))
                return wrong;
            const nfsstat4 got = last().optest_stateid().tsr_resok4().tsr_status_codes[0];
            if (got != model_.test(call.session, id))
                return fmt::format("TEST_STATEID of state {} by host {}: {}", i, by,
                                   nfs::text_of(got));
        }
    const Call call{.host = host, .session = latest_session(host)};
    for (unsigned file = 0; file < kFiles; ++file)
        for (unsigned at = 0; at < kBytes; ++at)
            if (auto wrong = audit_byte(call, file, at)) return wrong;
    return std::nullopt;
}

std::optional<std::string> Driver::audit_byte(const Call& call, unsigned file, unsigned at) {
    const Range range{at, at};
    for (const bool write : {false, true}) {
        line_.clear();
        LOCKT4args args{};
        args.locktype = write ? WRITE_LT : READ_LT;
        args.offset = at;
        args.length = length_of(range);
        args.owner = {0, as_bytes("the auditor")};
        nfsstat4 expected = NFS4_OK;
        auto wrong = run(call, static_cast<int>(file), Operation::of_oplockt(args), [&] {
            return expected = model_.lock_test(call.session, "the auditor", file, range, write);
        });
        if (!wrong && expected == NFS4ERR_DENIED)
            wrong =
                check_denied(call, "the auditor", file, range, write, last().oplockt().denied());
        if (wrong)
            return fmt::format("byte {} of file {}, {} lock: {}", at, file,
                               write ? "write" : "read", *wrong);
    }
    return std::nullopt;
}

}  // namespace helio::tests::model
