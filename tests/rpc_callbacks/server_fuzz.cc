// A hostile client: any bytes into a server that waits in the middle of batches and calls its
// client back.
//
// The input is a list of pieces: action, size, and bytes. Some are sent unchanged; others become
// the arguments of a call, or a reply to one of the server's own calls.
#include <sys/socket.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "helio/base/fd.h"
#include "helio/frame/record_mark.h"
#include "helio/rpc/onc/onc_envelope.h"
#include "testing/xdr/bytes.h"
#include "tests/rpc_callbacks/steps_service.h"

namespace {

using namespace helio;
using namespace rpc_callbacks;
using xdr::Bytes;

class Client final {
 public:
    explicit Client(Fd socket) : socket_(std::move(socket)) {}

    void send(ByteView bytes) {
        static_cast<void>(
            ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
    }
    void send_record(ByteView message) {
        Bytes out = xdr::word(0x80000000u | static_cast<std::uint32_t>(message.size()));
        xdr::append(out, message);
        send(out);
    }
    // Remembers the xids of the server's calls.
    void receive() {
        std::byte room[4096];
        for (ssize_t got; (got = ::recv(socket_.get(), room, sizeof room, MSG_DONTWAIT)) > 0;)
            xdr::append(received_, ByteView{room, static_cast<std::size_t>(got)});
        while (received_.size() >= 12) {
            const std::size_t size = 4 + (xdr::load_u32(received_.data()) & 0x7fffffffu);
            if (received_.size() < size) break;
            if (xdr::load_u32(received_.data() + 8) == 0)  // CALL
                xids_.push_back(xdr::load_u32(received_.data() + 4));
            received_.erase(received_.begin(),
                            received_.begin() + static_cast<std::ptrdiff_t>(size));
        }
    }
    std::uint32_t xid(std::size_t i) const { return xids_.empty() ? 0 : xids_[i % xids_.size()]; }

 private:
    Fd socket_;
    Bytes received_;
    std::vector<std::uint32_t> xids_;
};

Bytes call(std::uint32_t xid, std::uint32_t procedure, ByteView arguments) {
    xdr::Arena arena;
    xdr::Writer out{arena};
    rpc::put_call(out, xid, STEPS_V1::program, STEPS_V1::version, procedure,
                  rpc::ClientCredential::none());
    Bytes bytes = out.joined();
    xdr::append(bytes, arguments);
    return bytes;
}

// A batch of steps: one for each byte. It never calls other servers, which are real.
Bytes batch_of(ByteView kinds) {
    Bytes out = xdr::word(7);
    const std::size_t count = std::min<std::size_t>(kinds.size(), STEPS_MAX);
    xdr::append(out, xdr::word(static_cast<std::uint32_t>(count)));
    for (const std::byte one : kinds.first(count)) {
        constexpr step_kind kKinds[] = {STEP_ADD, STEP_BLOCK, STEP_CALL_BACK, STEP_FAIL};
        const step_kind kind = kKinds[std::to_integer<unsigned>(one) % 4];
        xdr::append(out, xdr::word(static_cast<std::uint32_t>(kind)));
        if (kind != STEP_FAIL) xdr::append(out, xdr::word(1));
    }
    return out;
}

Bytes reply_to(std::uint32_t xid, std::uint8_t what, ByteView results) {
    Bytes out;
    for (const std::uint32_t one : {xid, 1u, 0u, 0u, 0u, what < 240 ? 0u : what % 7u})
        xdr::append(out, xdr::word(one));
    xdr::append(out, results);
    return out;
}

struct Simulated {
    transport::Pool pool{0};
    StepsService service{pool};
    rpc::Server programs;
    transport::Server server{with_service(), {.threads = 1}};

    Simulated() { server.start_driven(); }
    ~Simulated() {
        server.begin_stop(std::chrono::milliseconds(0));
        while (server.turn(0) || pool.queued() > 0) run_jobs();
        server.stop();
    }
    rpc::Server& with_service() {
        programs.add(service);
        return programs;
    }
    void run_jobs() {
        while (pool.queued() > 0) pool.run_queued();
    }
};

void take_part(Client& client, Simulated& simulated, std::uint8_t action, std::uint8_t what,
               ByteView bytes) {
    switch (action % 6) {
        case 0:
            return client.send(bytes);
        case 1:
            return client.send_record(bytes);
        case 2:
            return client.send_record(call(what, what % 2 == 0 ? 0 : 2, bytes));
        case 3:
            return client.send_record(call(what, 1, batch_of(bytes)));
        case 4:
            return client.send_record(reply_to(client.xid(what), what, bytes));
        case 5:
            return simulated.run_jobs();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Simulated simulated;
    Client client{simulated.server.connect_in_process()};
    while (size >= 3) {
        const std::size_t length = std::min<std::size_t>(data[2], size - 3);
        take_part(client, simulated, data[0], data[1],
                  {reinterpret_cast<const std::byte*>(data) + 3, length});
        simulated.server.turn(0);
        client.receive();
        data += 3 + length;
        size -= 3 + length;
    }
    return 0;
}
