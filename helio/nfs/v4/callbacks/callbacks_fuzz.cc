// A client that answers callbacks with anything, while another client holds the lock that it waits
// for. The other client is served all the time.
//
// The input is a list of pieces: action, number, size, and bytes.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "helio/transport/server/server.h"
#include "testing/nfs/callback_client.h"
#include "testing/nfs/server.h"

namespace {

using namespace helio;
using namespace helio::nfs;
using namespace helio::nfs4;

struct World {
    state::NoRecovery recovery;
    Exports exports{kTestKey, [](std::string_view) {}};
    Programs programs{exports, Version4{recovery, 7, [] { return std::chrono::seconds{1000}; }}};
    rpc::Server rpc;
    transport::Server server{with_programs(), {.threads = 1}};
    bool is_started = false;
    CallbackClient holder{connect(), [this] { server.turn(0); }};
    CallbackClient waiter{connect(), [this] { server.turn(0); }};
    std::optional<ReceivedCallback> last;

    World() {
        holder.turns_max = waiter.turns_max = 8;
        holder.start("holder");
        waiter.start("waiter");
        HELIO_ASSERT(holder.lock("a") == NFS4_OK);
        HELIO_ASSERT(waiter.lock("b") == NFS4ERR_DENIED);
        pass_lock();
    }
    ~World() {
        server.begin_stop(std::chrono::milliseconds(0));
        while (server.turn(0)) {
        }
        server.stop();
    }
    rpc::Server& with_programs() {
        ExportTable table;
        table.push_back(
            TestServer::export_of("/", backend::make_memory_fs(TestServer::open_to_all())));
        HELIO_ASSERT(exports.set(std::move(table)).has_value());
        programs.add_to(rpc);
        return rpc;
    }
    Fd connect() {
        if (!std::exchange(is_started, true)) server.start_driven();
        return server.connect_in_process();
    }
    // The waiter is notified if its session works.
    void pass_lock() {
        HELIO_ASSERT(holder.unlock() == NFS4_OK);
        HELIO_ASSERT(holder.lock("a") == NFS4_OK);
    }
    void take_part(std::uint8_t action, std::uint8_t number, ByteView bytes);
    void end_turn() {
        for (int i = 0; i < 3; ++i) server.turn(0);
        if (waiter.has_callback()) last.emplace(*waiter.callback());
        HELIO_ASSERT(holder.send({}).status() == NFS4_OK);
    }
};

// Statuses of CB_SEQUENCE, RFC 8881 §20.9 and others.
constexpr nfsstat4 kStatuses[] = {NFS4_OK,
                                  NFS4ERR_DELAY,
                                  NFS4ERR_SEQ_MISORDERED,
                                  NFS4ERR_BADSLOT,
                                  NFS4ERR_BADSESSION,
                                  NFS4ERR_CONN_NOT_BOUND_TO_SESSION,
                                  NFS4ERR_RETRY_UNCACHED_REP,
                                  NFS4ERR_SEQ_FALSE_RETRY,
                                  NFS4ERR_REQ_TOO_BIG,
                                  NFS4ERR_OP_ILLEGAL};

void World::take_part(std::uint8_t action, std::uint8_t number, ByteView bytes) {
    switch (action % 8) {
        case 0:
            return waiter.send_bytes(bytes);
        case 1:
            return waiter.send_record(CallbackClient::reply(last ? last->xid() : number, bytes));
        case 2: {
            if (!last) return;
            auto ok = CallbackClient::good(*last);
            ok.csr_target_highest_slotid = number;
            return waiter.send_record(
                CallbackClient::answer(*last, kStatuses[number % std::size(kStatuses)], ok));
        }
        case 3: {  // a good answer with bytes changed
            if (!last) return;
            auto answer = CallbackClient::answer(*last, NFS4_OK, CallbackClient::good(*last));
            for (std::size_t i = 0; i < bytes.size() && !answer.empty(); ++i)
                answer[(number + i) % answer.size()] ^= bytes[i];
            return waiter.send_record(answer);
        }
        case 4:
            return pass_lock();
        case 5: {  // another connection, bound for callbacks
            waiter.use(connect());
            last.reset();
            using Operation = CallbackClient::Operation;
            static_cast<void>(waiter.call({Operation::of_opbind_conn_to_session(
                {waiter.session, CDFC4_FORE_OR_BOTH, false})}));
            return;
        }
        case 6: {  // waits again, if its session is alive
            const auto asked = waiter.send({});
            if (asked.outcome() == xdr::Outcome::success && asked.status() == NFS4_OK)
                HELIO_ASSERT(waiter.lock("b") == NFS4ERR_DENIED);
            return;
        }
        case 7: {
            using Operation = CallbackClient::Operation;
            if (waiter.call({Operation::of_opdestroy_session({waiter.session})}).outcome() !=
                xdr::Outcome::success)
                return;
            static_cast<void>(waiter.create_session(waiter.session_args()));
            return;
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    World world;
    world.end_turn();
    for (int pieces = 0; size >= 3 && pieces < 64; ++pieces) {
        const std::size_t length = std::min<std::size_t>(data[2], size - 3);
        world.take_part(data[0], data[1], {reinterpret_cast<const std::byte*>(data) + 3, length});
        world.end_turn();
        data += 3 + length;
        size -= 3 + length;
    }
    return 0;
}
