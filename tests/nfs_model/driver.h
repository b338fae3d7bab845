// Driver: turns events into COMPOUNDs, sends them to a server, and compares each answer with the
// model's. Events are plain bytes, so that a seed or a fuzzer can make them and any of them can be
// left out: what they refer to is chosen among what exists when they happen.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "helio/base/random.h"
#include "helio/rpc/onc/auth.h"
#include "testing/nfs/compounds.h"
#include "tests/nfs_model/model.h"

namespace helio::tests::model {

using Bytes = std::vector<std::byte>;

// A server under test.
class Subject {
 public:
    virtual ~Subject() = default;
    // A message without record mark, over one of a few connections of the caller's choice.
    virtual Bytes call(unsigned connection, const Bytes& message) = 0;
    virtual Bytes handle(unsigned file) = 0;
    // Those that cannot do one of these return false, and the event is left out.
    virtual bool set_time(Seconds) { return false; }
    virtual bool restart() { return false; }
    virtual bool evict(std::uint64_t) { return false; }
    virtual std::optional<std::set<std::string>> records() { return std::nullopt; }
};

enum class Kind : std::uint8_t {
    introduce,
    create_session,
    destroy_session,
    destroy_client,
    bind,
    sequence,
    reclaim_complete,
    open,
    downgrade,
    close,
    read,
    write,
    lock,
    lock_more,
    unlock,
    lock_test,
    test_stateid,
    free_stateid,
    pass_time,
    restart,
    evict,
};
inline constexpr unsigned kKinds = static_cast<unsigned>(Kind::evict) + 1;

struct Event {
    Kind kind = Kind::introduce;
    std::array<std::uint8_t, 7> picks{};  // what each one chooses depends on the kind
};
Event random_event(Random& random);

class Driver final {
 public:
    // `world` is part of all names, so that several drivers can share a server.
    Driver(Subject& subject, const std::string& world);

    // What was wrong, if anything.
    std::optional<std::string> apply(const Event& event);
    // At the end: every stateid and every byte of every file.
    std::optional<std::string> audit();

    std::vector<std::string> trace;  // a line for each event
    // How often each status was answered, by operation: a test that sees only one proves little.
    std::set<std::pair<nfs4::nfs_opnum4, nfs4::nfsstat4>> seen;

 private:
    // One call: who makes it, in which session, and with which SEQUENCE.
    struct Call {
        unsigned host = 0;
        int session = -1;
        unsigned slot = 0;
        bool cache = false;
        unsigned connection = 0;
    };
    using Operation = nfs4::nfs_argop4;
    using Result = nfs4::nfs_resop4;

    Call call_by(const Event& event);
    int latest_session(unsigned host) const;
    std::uint32_t uid_of(unsigned host) const { return 1000 + host; }
    std::string name_of(unsigned host) const { return world_ + " host " + std::to_string(host); }
    Given stateid_by(const Call& call, std::uint8_t which, std::uint8_t how, bool locks) const;
    nfs4::stateid4 to_wire(const Given& given) const;

    // Sends [SEQUENCE, PUTFH of the file, operation], and checks all but the last result, which is
    // left in `reply_`. `expected` is asked for the model's answer if the operation runs.
    std::optional<std::string> run(const Call& call, int file, const Operation& operation,
                                   const std::function<nfsstat4()>& expected);
    const Result& last() const {
        return reply_.results().resarray[reply_.results().resarray.size() - 1];
    }
    // Sends operations outside of sessions.
    std::optional<std::string> send(unsigned connection, std::uint32_t uid,
                                    const std::vector<Operation>& operations);
    std::optional<std::string> compare(nfsstat4 expected, const std::string& what);
    std::optional<std::string> check_records();

    std::optional<std::string> introduce(const Event& event);
    std::optional<std::string> create_session(const Event& event);
    std::optional<std::string> destroy_session(const Event& event);
    std::optional<std::string> destroy_client(const Event& event);
    std::optional<std::string> bind(const Event& event);
    std::optional<std::string> sequence(const Event& event);
    std::optional<std::string> reclaim_complete(const Event& event);
    std::optional<std::string> open(const Event& event);
    std::optional<std::string> downgrade(const Event& event);
    std::optional<std::string> close(const Event& event);
    std::optional<std::string> read_or_write(const Event& event, bool write);
    std::optional<std::string> lock(const Event& event, bool new_owner);
    std::optional<std::string> unlock(const Event& event);
    std::optional<std::string> lock_test(const Event& event);
    std::optional<std::string> test_stateid(const Event& event);
    std::optional<std::string> free_stateid(const Event& event);
    std::optional<std::string> change_world(const Event& event);

    std::optional<std::string> take_stateid(const nfs4::stateid4& got, int state,
                                            const std::string& what);
    std::optional<std::string> check_denied(const Call& call, const std::string& owner,
                                            unsigned file, const Range& range, bool write,
                                            const nfs4::LOCK4denied& got);
    std::optional<std::string> audit_byte(const Call& call, unsigned file, unsigned at);

    Subject& subject_;
    const std::string world_;
    Model model_;
    std::uint32_t xid_ = 0;
    std::string line_;  // of the trace
    nfs::CompoundReply reply_;

    // What the server calls the things that the model has as indices.
    std::vector<std::uint64_t> client_ids_;
    std::vector<nfs4::sessionid4> session_ids_;
    std::vector<nfs4::stateid4> state_ids_;
    std::array<std::uint64_t, 3> verifiers_{1, 1, 1};
    std::array<Bytes, kFiles> handles_;

    // The last call on each slot of each session, as sent and as answered.
    struct Sent {
        Bytes message;
        Bytes answer;
        std::uint64_t number = 0;
        std::size_t operations = 0;
    };
    std::vector<std::array<Sent, kSlots>> sent_;
    std::uint64_t calls_ = 0;
};

}  // namespace helio::tests::model
